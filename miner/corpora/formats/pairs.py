"""Original and corrected side by side: a table with both columns, or two files with a text a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import zip_longest

from miner.corpora.alignment import aligned
from miner.corpora.columns import columns_of
from miner.corpora.lines import Line, read_lines
from miner.corpora.records import Document, Drop, Edit, Record, used
from miner.corpora.registry import Format, Options
from miner.corpora.roles import assign, plain
from miner.corpora.sources import Member, Source
from miner.corpora.spans import clean
from miner.corpora.tabular import NOT_DECODED, TableRow, kind_of, not_text

_ORIGINAL = ("original", "originaltext", "source", "src", "incorrect", "learnertext")
_CORRECTED = ("corrected", "correctedtext", "textcorrected", "correction", "target", "trg", "tgt")
# A column 'text' beside 'target' may be anything; beside one of these it is the original.
_SURELY_CORRECTED = _CORRECTED[:3]
_SIDES = ((".src", ".trg"), (".src", ".tgt"), (".orig", ".corr"), (".source", ".target"), (".incorrect", ".correct"))


def read(source: Source, options: Options) -> Iterator[Record]:
    """Yield a document per pair, with the edits that lead from the one side to the other."""
    given = dict(options.roles)
    for member in source.members:
        columns = columns_of(member, options.encoding)
        sides = _columns(columns, given)
        kind = kind_of(member)
        if kind and sides:
            roles = assign(
                columns, {**{k: v for k, v in given.items() if k != "corrected"}, "text": sides[0]}, place=member.name
            )
            options.roles.update(roles)
            for row in kind.rows(member, options.encoding):
                if isinstance(row, Drop):
                    yield row
                else:
                    bad = not_text(row, {**roles, "corrected": sides[1]}, texts=("text", "corrected"))
                    yield bad or _row(row, roles, sides[1])
    for original, corrected in _files(source):
        yield used(corrected.name)
        yield from _lines(original, corrected, options)


def _row(row: TableRow, roles: dict[str, str], corrected: str) -> Document:
    taken = {role: row.cells.get(c, "") for role, c in roles.items()}
    used = {*roles.values(), corrected}
    document = Document(
        text=taken["text"],
        place=row.place,
        text_id=taken.get("id", "").strip(),
        content=json.dumps(sorted(row.cells.items()), ensure_ascii=False),
        l1_raw=taken.get("l1", ""),
        level_raw=taken.get("cefr", ""),
        learner_id=taken.get("learner", ""),
        prompt_id=taken.get("prompt", ""),
        country=taken.get("country", ""),
        meta={k: v for k, v in row.cells.items() if k not in used},
    )
    return _paired(document, row.cells.get(corrected, ""))


def _paired(document: Document, corrected: str) -> Document:
    text, after = clean(document.text)[0], clean(corrected)[0]
    if not after:
        return document._replace(flags=("not_corrected",))
    return document._replace(text=text, edits=aligned(text, after) or [Edit(-1, -1, "", "noop")], scheme="none")


def _lines(original: Member, corrected: Member, options: Options) -> Iterator[Record]:
    left, right = read_lines(original, options.encoding), read_lines(corrected, options.encoding)
    for a, b in zip_longest(left, right):
        line: Line = a or b
        place = f"{original.name}:{line.number}"
        if a is None or b is None:
            yield Drop("a line without a partner in the other file", place if a else f"{corrected.name}:{line.number}")
        elif a.trouble or b.trouble:
            yield Drop(NOT_DECODED, place, detail=a.trouble or b.trouble)
        elif a.text.strip() or b.text.strip():
            yield _paired(
                Document(text=a.text, place=place, text_id=f"{original.base}#{a.number}", task_type="sentence"), b.text
            )


def _columns(columns: list[str], given: dict[str, str]) -> tuple[str, str] | None:
    names = {plain(c): c for c in reversed(columns)}
    left = given.get("text") or next((names[n] for n in _ORIGINAL if n in names), "")
    right = next((names[n] for n in _CORRECTED if n in names), "")
    if not left and "text" in names:
        left, right = names["text"], next((names[n] for n in _SURELY_CORRECTED if n in names), "")
    return (left, right) if left and right and left != right else None


def _files(source: Source) -> list[tuple[Member, Member]]:
    by_name = {m.name.casefold(): m for m in source.members}
    found = []
    for name, member in by_name.items():
        for a, b in _SIDES:
            partner = by_name.get(name.removesuffix(a) + b) if name.endswith(a) else None
            if partner is not None:
                found.append((member, partner))
    return found


def sniff(source: Source) -> int:
    """A table with both sides, or two files that differ in the ending of their side."""
    tables = any(_columns(columns_of(m, "utf-8"), {}) for m in source.members)
    return 2 * bool(tables or _files(source))


FORMAT = Format(
    "pairs",
    "original and corrected texts side by side (two columns, or two files with a text a line)",
    read,
    sniff,
    "as stated by its owner",
    "your own data",
    takes_roles=True,
)
