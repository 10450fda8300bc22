"""ICLE v2: .txt files (cp1252 or UTF-8) with an essay code in the first line, and the metadata table as CSV."""

from __future__ import annotations

import re
from collections.abc import Iterator

from miner.corpora.columns import by_plain_name, columns_of, has_columns, lacking, tables_like
from miner.corpora.plain_files import decoded, text_files, without_files
from miner.corpora.records import Document, Drop, Record, used
from miner.corpora.registry import Format, Options
from miner.corpora.sources import Member, Source
from miner.corpora.tabular import TableRow, kind_of

_CODE = re.compile(r"\s*<ICLE-[^>\n]*>[^\S\n]*\n?")
_UNKNOWN = {"-1", "unknown"}
_NEEDED = {"file", "llanguage"}
_TYPICAL = {"file", "title", "country", "llanguage", "olang1", "monthseng"}
_COLUMNS = {
    "file": ("file",),
    "title": ("title",),
    "type": ("type",),
    "country": ("country",),
    "l1": ("llanguage",),
    "site": ("instit2", "instit1"),
}


def read(source: Source, options: Options) -> Iterator[Record]:
    """Yield a document per .txt file; a learner wrote one essay, and is not named."""
    rows: dict[str, TableRow] = {}
    names: dict[str, str] = {}
    for member in _tables(source, options.encoding):
        yield used(member.name)
        if missing := lacking(member, options.encoding, _NEEDED):
            yield missing._replace(n=0)
            continue
        names = by_plain_name(columns_of(member, options.encoding), _COLUMNS)
        kind = kind_of(member)
        for row in kind.rows(member, options.encoding) if kind else ():
            if isinstance(row, Drop):
                yield row
            else:
                rows.setdefault(row.cells[names["file"]].strip().removesuffix(".txt"), row)
    files = {m.stem: m for m in text_files(source)}
    for stem, member in files.items():
        text = decoded(member, options, fallback="cp1252")
        yield (
            text
            if isinstance(text, Drop)
            else _document(_CODE.sub("", text, count=1) if _CODE.match(text) else text, member, rows.get(stem), names)
        )
    yield from without_files({n: r.place for n, r in rows.items() if n}, set(files))


def _document(text: str, member: Member, row: TableRow | None, names: dict[str, str]) -> Document:
    cells = {k: ("" if v.strip().casefold() in _UNKNOWN else v) for k, v in (row.cells if row else {}).items()}
    taken = {role: cells.get(column, "") for role, column in names.items()}
    used = set(names.values())
    return Document(
        text=text,
        place=member.name,
        text_id=member.stem,
        l1_raw=taken.get("l1", ""),
        prompt_id=" ".join(taken.get("title", "").split()),
        country=taken.get("country", ""),
        site=taken.get("site", ""),
        task_type=taken.get("type", ""),
        flags=() if row else ("not_in_table",),
        meta={k: v for k, v in cells.items() if k not in used},
    )


def _tables(source: Source, encoding: str) -> list[Member]:
    return [m for m in source.members if has_columns(m, encoding, _NEEDED)] or tables_like(source, encoding, _TYPICAL)


def sniff(source: Source) -> int:
    """A table with ``file`` and ``llanguage``, and text files (or text files with the essay code alone)."""
    texts = text_files(source)
    coded = any(m.head(200).lstrip().startswith(b"<ICLE-") for m in texts[:5])
    return 3 * bool(texts and (coded or _tables(source, "utf-8")))


FORMAT = Format(
    "icle",
    "ICLE v2 (texts and metadata as CSV)",
    read,
    sniff,
    "ICLE licence: paid, non-commercial; do not redistribute",
    "https://uclouvain.be/en/research-institutes/ilc/cecl/icle.html (CD-ROM with handbook; v3 on the web)",
)
