"""Rows of tables as ``{column: cell}`` with their place, and what all kinds of tables share."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

from miner.corpora.records import Drop
from miner.corpora.sources import Member
from miner.errors import InputError, listed

NOT_DECODED = "a byte that does not fit the encoding"
WRONG_WIDTH = "a row with another number of cells than the header"
NOT_TEXT = "a value that is not text"
EMPTY_FILE = "the file is empty"
NUMBER = "a number"


class TableRow(NamedTuple):
    """One row: its place and its cells by column; an absent or null cell is ``""``.

    ``odd`` says of columns whose value is no string what it is: a number, a truth value, a list, an object.
    """

    place: str
    cells: dict[str, str]
    odd: Mapping[str, str] = {}


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


def typed_row(place: str, values: Mapping[Any, object]) -> TableRow:
    """Return a row of values that have types of their own (JSON, Parquet)."""
    odd = {str(k): what for k, v in values.items() if not isinstance(v, str) and (what := _what(v))}
    return TableRow(place, {str(k): cell(v) for k, v in values.items()}, odd)


def _what(value: object) -> str:
    if isinstance(value, bool):
        return "a truth value"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, bytes):
        return "bytes"
    return NUMBER if isinstance(value, int | float) and value == value else ""


def not_text(row: TableRow, roles: Mapping[str, str], *, texts: Collection[str] = ("text",)) -> Drop | None:
    """Return a drop if the value of a role cannot be what the role asks for, or None.

    Parameters
    ----------
    row : TableRow
    roles : mapping of str to str
        Role to column.
    texts : collection of str
        Roles that must be strings; the others may be numbers as well (ids, levels). Null is a missing value.
    """
    if not row.odd:
        return None
    for role, column in roles.items():
        what = row.odd.get(column, "")
        if what and (what != NUMBER or role in texts):
            wanted = "a string" if role in texts else "a string or a number"
            return Drop(NOT_TEXT, row.place, detail=f"'{column}' is {what}; expected {wanted}")
    return None


def seekable(member: Member) -> Any:
    """Return the member's path, or its bytes as a file where it lies in an archive."""
    return io.BytesIO(member.data()) if member.inside or member.gzipped else str(member.path)
