"""TOEFL11 (LDC2014T06): a text a file, indexes with and without header; levels low, medium, high are its own scale."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from miner.corpora.columns import by_plain_name, columns_of
from miner.corpora.plain_files import decoded, without_files
from miner.corpora.records import Document, Drop, Note, Record, used
from miner.corpora.registry import Format, Options
from miner.corpora.roles import plain
from miner.corpora.sources import Member, Source
from miner.corpora.tabular import csv_rows

_INDEX = re.compile(r"index[\w-]*\.csv", re.IGNORECASE)
_COLUMNS = ["Filename", "Prompt", "Language", "Score Level"]
_RESPONSES = "responses/"


class _Entry(NamedTuple):
    place: str
    prompt: str = ""
    language: str = ""
    level: str = ""
    split: str = ""


def read(source: Source, options: Options) -> Iterator[Record]:
    """Yield a document per essay of ``responses/original`` (of ``tokenized`` where there is no original)."""
    entries: dict[str, _Entry] = {}
    for member in _indexes(source):
        yield used(member.name)
        names = _header(member, options.encoding)
        given = None if names else _COLUMNS
        for row in csv_rows(member, options.encoding, columns=given, delimiter=",", short_rows=True):
            if isinstance(row, Drop):
                yield row
                continue
            name, prompt, language, level = (row.cells.get(names.get(c, c), "").strip() for c in _COLUMNS)
            if not name:
                continue
            entry = _Entry(row.place, prompt, language, level, _split(member))
            before = entries.get(name.removesuffix(".txt"), _Entry(row.place))
            if _conflict(before, entry):
                yield Note("essays that two indexes describe differently, the first counts", row.place)
            entries[name.removesuffix(".txt")] = _Entry(*(b or e for b, e in zip(before, entry, strict=True)))
    essays = _essays(source)
    copies = [
        m for m in source.ending(".txt") if _RESPONSES in f"/{m.name}" and m.stem in essays and essays[m.stem] != m
    ]
    yield from (used(m.name) for m in copies)
    if copies:
        yield Note("second copies of essays (tokenized), not read", n=len(copies))
    for stem, member in essays.items():
        text = decoded(member, options)
        yield text if isinstance(text, Drop) else _document(text, member, entries.get(stem))
    yield from without_files({n: e.place for n, e in entries.items()}, set(essays))


def _header(member: Member, encoding: str) -> dict[str, str]:
    """Return the index's own names of the columns; none if it has no header."""
    names = by_plain_name(columns_of(member, encoding), {c: (plain(c),) for c in _COLUMNS})
    return names if _COLUMNS[0] in names else {}


def _document(text: str, member: Member, entry: _Entry | None) -> Document:
    about = entry or _Entry("")
    return Document(
        text=text,
        place=member.name,
        text_id=member.stem,
        l1_raw=about.language,
        level_raw=about.level,
        level=about.level.casefold(),
        prompt_id=about.prompt,
        flags=() if entry else ("not_in_table",),
        meta={"split": about.split},
    )


def _conflict(a: _Entry, b: _Entry) -> bool:
    return any(x and y and x != y for x, y in zip(a[1:4], b[1:4], strict=True))


def _split(member: Member) -> str:
    return member.stem.casefold().removeprefix("index").strip("-_")


def _essays(source: Source) -> dict[str, Member]:
    found: dict[str, Member] = {}
    for kind in ("tokenized", "original"):  # the later one wins
        found |= {m.stem: m for m in source.ending(".txt") if f"/{_RESPONSES}{kind}/" in f"/{m.name}"}
    return dict(sorted(found.items()))


def _indexes(source: Source) -> list[Member]:
    return [m for m in source.members if _INDEX.fullmatch(m.base)]


def sniff(source: Source) -> int:
    """Essays in ``responses/`` and an index."""
    return 3 * bool(_essays(source) and _indexes(source))


FORMAT = Format(
    "toefl11",
    "TOEFL11 / ETS Corpus of Non-Native Written English",
    read,
    sniff,
    "LDC licence: paid; do not redistribute",
    "https://catalog.ldc.upenn.edu/LDC2014T06",
)
