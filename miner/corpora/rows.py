"""Rows of tables as ``{column: cell}`` with their place, and what all kinds of tables share."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

from miner.corpora.records import Drop
from miner.corpora.sources import Member
from miner.errors import InputError, listed

NOT_DECODED = "a byte that does not fit the encoding"
WRONG_WIDTH = "a row with another number of cells than the header"


class TableRow(NamedTuple):
    """One row: its place and its cells by column; an absent or null cell is ``""``."""

    place: str
    cells: dict[str, str]


class Kind(NamedTuple):
    """A kind of table: how its columns and its rows are read."""

    name: str
    columns: Callable[[Member, str], list[str]]
    rows: Callable[[Member, str], Iterator[TableRow | Drop]]


def unique(columns: Sequence[str], place: str) -> list[str]:
    """Return the column names without outer blanks.

    Raises
    ------
    InputError
        If two are equal (nameless ones apart).
    """
    names = [c.strip() for c in columns]
    twice = sorted({n for n in names if n and names.count(n) > 1})
    if twice:
        msg = f"{place}: the columns {listed(twice)} occur twice; rename one of each"
        raise InputError(msg)
    return names


def cell(value: object) -> str:
    """Return a value as text: null is ``""``, 3.0 is ``"3"``, lists and objects are JSON."""
    if value is None or (isinstance(value, float) and value != value):
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    if isinstance(value, date | datetime):
        return value.isoformat()
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return str(value)


def seekable(member: Member) -> Any:
    """Return the member's path, or its bytes as a file where it lies in an archive."""
    return io.BytesIO(member.data()) if member.inside or member.gzipped else str(member.path)
