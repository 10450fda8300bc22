"""Tables of every kind behind one interface; the content decides what kind a file is."""

from __future__ import annotations

import re

from miner.corpora.delimited import CSV, csv_rows
from miner.corpora.json_tables import JSON, JSONL, array_objects, json_objects
from miner.corpora.rows import EMPTY_FILE, NOT_DECODED, Kind, TableRow, cell, not_text
from miner.corpora.sources import Member
from miner.corpora.workbooks import PARQUET, XLSX

__all__ = [
    "EMPTY_FILE",
    "NOT_DECODED",
    "Kind",
    "TableRow",
    "array_objects",
    "cell",
    "csv_rows",
    "json_objects",
    "kind_of",
    "not_text",
]


_LINES = (".jsonl", ".ndjson")
#: The start of an array of objects, in a file whose name promises lines.
_ARRAY = re.compile(rb"[\xef\xbb\xbf\s]*\[\s*\{")


def kind_of(member: Member) -> Kind | None:
    """Return the kind of table that the content is, or None; the extension decides only between CSV and text."""
    head = member.head(4096)
    if head.startswith(b"PAR1"):
        return PARQUET
    if head.startswith(b"PK\x03\x04"):
        return XLSX
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if start == b"{":
        return JSONL
    if start == b"[" and (member.suffix == ".json" or (member.suffix in _LINES and _ARRAY.match(head))):
        return JSON
    if member.suffix in _LINES:
        return JSONL
    if member.suffix in (".csv", ".tsv", ".tab"):
        return CSV
    return None
