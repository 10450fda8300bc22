"""The texts and edits tables that miner itself wrote (``miner corpora convert``)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from miner.corpora.records import Document, Drop, Edit, Record, used
from miner.corpora.registry import Format, Options
from miner.corpora.sources import Member, Source
from miner.corpora.tabular import TableRow, kind_of
from miner.errors import InputError
from miner.tables import TEXTS

_COUNTED = ("no_words", "empty", "xml_invalid", "invisible")


def read(source: Source, options: Options) -> Iterator[Record]:
    """Yield the texts with their edits; both tables are sorted by text id, so they are read side by side."""
    texts = _table(source, "texts")
    if texts is None:
        msg = f"{source.path}: no texts table in it (texts.parquet or texts.csv); give a folder that 'miner corpora convert' wrote"
        raise InputError(msg)
    yield from (used(m.name) for m in source.members if m is not texts)
    edits = _grouped(_table(source, "edits"), options)
    held = next(edits, None)
    kind = kind_of(texts)
    for row in kind.rows(texts, options.encoding) if kind else ():
        if isinstance(row, Drop):
            yield row
            continue
        mine: list[TableRow] = []
        if held is not None and held[0] == row.cells.get("text_id"):
            mine, held = held[1], next(edits, None)
        yield _document(row, mine)
    if held is not None:
        msg = f"{source.path}: the edits table has edits of the text '{held[0]}', which is not in the texts table or out of order"
        raise InputError(msg)


def _grouped(member: Member | None, options: Options) -> Iterator[tuple[str, list[TableRow]]]:
    kind = kind_of(member) if member else None
    if member is None or kind is None:
        return
    rows = (r for r in kind.rows(member, options.encoding) if isinstance(r, TableRow))
    for text_id, group in groupby(rows, key=lambda r: r.cells["text_id"]):
        yield text_id, list(group)


def _document(row: TableRow, edits: list[TableRow]) -> Document:
    c = row.cells
    flags = [f for f in c.get("flags", "").split(";") if f and f.split(":")[0] not in _COUNTED]
    return Document(
        text=c["text"],
        place=row.place,
        text_id=c["text_id"],
        l1=c.get("l1", ""),
        l1_raw=c.get("l1_raw", ""),
        l1_source=c.get("l1_source", ""),
        level_raw=c.get("level_raw", ""),
        level=c.get("level", ""),
        cefr_source=c.get("cefr_source", ""),
        learner_id=c.get("learner_id", ""),
        prompt_id=c.get("prompt_id", ""),
        country=c.get("country", ""),
        site=c.get("site", ""),
        task_type=c.get("task_type", ""),
        flags=flags,
        edits=[_edit(e.cells) for e in edits],
        scheme=edits[0].cells["scheme"] if edits else "",
        meta={k.removeprefix("meta_"): v for k, v in c.items() if k not in TEXTS.names},
    )


def _edit(c: dict[str, str]) -> Edit:
    start, end = int(c["start"]), int(c["end"])
    correction = None if c["kind"] == "detect" else c["correction"]
    tokens = [int(c[k]) if c[k] else None for k in ("token_start", "token_end")]
    return Edit(start, end, correction, c["type"], c["annotator"], *tokens)


def _table(source: Source, name: str) -> Member | None:
    return next((m for m in source.members if m.base in (f"{name}.parquet", f"{name}.csv")), None)


def sniff(source: Source) -> int:
    """Such a folder has a manifest; without one it has a texts table with the contract's columns."""
    from miner.corpora.columns import has_columns
    from miner.corpora.roles import plain

    texts = _table(source, "texts")
    return 4 * bool(texts and has_columns(texts, "utf-8", {plain(n) for n in TEXTS.names}))


FORMAT = Format(
    "miner",
    "texts and edits tables written by 'miner corpora convert'",
    read,
    sniff,
    "that of the corpus it was made from",
    "miner corpora convert",
    keeps_empty=True,
)
