"""Any table with one text a row: CSV, TSV, JSON Lines, JSON array, Parquet, XLSX; roles given or told by column names."""

from __future__ import annotations

import json
from collections.abc import Iterator

from miner.corpora.nationality import from_nationality
from miner.corpora.plain_files import text_files
from miner.corpora.records import Document, Drop, Note, Record
from miner.corpora.registry import Format, Options
from miner.corpora.roles import assign
from miner.corpora.sources import Member, Source
from miner.corpora.tabular import EMPTY_FILE, Kind, TableRow, kind_of, not_text
from miner.errors import InputError, listed

NO_TEXT = "a row without the text column"


def read(source: Source, options: Options) -> Iterator[Record]:
    """Yield the rows of each table of the source."""
    tables = [(m, kind) for m in source.members if (kind := kind_of(m))]
    if not tables:
        msg = f"{source.path}: no table in it (CSV, TSV, JSON Lines, Parquet, XLSX); files are {listed([m.name for m in source.members])}"
        raise InputError(msg)
    given = dict(options.roles)
    for member, kind in tables:
        columns = kind.columns(member, options.encoding)
        if not columns:
            yield from _nothing(member, kind, options.encoding)
            continue
        roles = assign(columns, given, place=member.name)
        options.roles.update(roles)
        texts = 0
        for row in kind.rows(member, options.encoding):
            record = row if isinstance(row, Drop) else document(row, roles)
            texts += isinstance(record, Document)
            yield record
        yield from _unnamed(roles, member, texts)


def _unnamed(roles: dict[str, str], member: Member, texts: int) -> Iterator[Note]:
    """Tell of texts without a level or L1 because no column is known to hold it."""
    if "cefr" not in roles:
        yield Note("no level column; name it with --cefr COLUMN", member.name, texts)
    if not {"l1", "nationality"} & set(roles):
        yield Note("no L1 column; name it with --l1 COLUMN", member.name, texts)


def _nothing(member: Member, kind: Kind, encoding: str) -> Iterator[Record]:
    """Yield what stands in a table without columns: damaged rows, or nothing at all."""
    found = False
    for row in kind.rows(member, encoding):
        found = True
        yield row if isinstance(row, Drop) else Drop(NO_TEXT, row.place)
    if not found:
        yield Drop(EMPTY_FILE, f"{member.name}:1", n=0)


def document(row: TableRow, roles: dict[str, str]) -> Document | Drop:
    """Return the text of one row; columns without a role become ``meta``."""
    cells = row.cells
    taken = {role: cells.get(column, "") for role, column in roles.items()}
    if roles["text"] not in cells:
        return Drop(NO_TEXT, row.place)
    if bad := not_text(row, roles):
        return bad
    named = None if taken.get("l1") or not taken.get("nationality") else from_nationality(taken["nationality"])
    used = set(roles.values())
    return Document(
        text=taken["text"],
        place=row.place,
        text_id=(text_id := taken.get("id", "").strip()),
        # The content identifies a row: column order and row number do not.
        content="" if text_id else json.dumps(sorted(cells.items()), ensure_ascii=False),
        l1_raw=taken.get("l1", "") or taken.get("nationality", ""),
        l1=named.l1 if named else None,
        l1_source="nationality" if named else "declared",
        flags=named.flags if named else (),
        level_raw=taken.get("cefr", ""),
        learner_id=taken.get("learner", ""),
        prompt_id=taken.get("prompt", ""),
        country=taken.get("country", ""),
        site=taken.get("site", ""),
        task_type=taken.get("task_type", ""),
        meta={k: v for k, v in cells.items() if k not in used},
    )


def sniff(source: Source) -> int:
    """A table is possible where there is one, and no texts in files of their own."""
    return int(not text_files(source) and any(kind_of(m) for m in source.members))


FORMAT = Format(
    name="table",
    title="a table with one text a row (CSV, TSV, JSON Lines, Parquet, XLSX)",
    read=read,
    sniff=sniff,
    licence="as stated by its owner",
    where="your own data",
    keeps_empty=True,
    takes_roles=True,
)
