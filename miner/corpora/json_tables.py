"""JSON Lines and JSON arrays of objects; a damaged line or item costs no other."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from miner.corpora.lines import read_lines
from miner.corpora.records import Drop
from miner.corpora.rows import NOT_DECODED, Kind, TableRow, typed_row
from miner.corpora.sources import Member
from miner.errors import InputError, listed

NOT_JSON = "a line that is not a JSON object"
TWICE = "an object that names a key twice"
_KINDS = {
    list: "a list",
    str: "a string",
    int: "a number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}
# Where an item of a JSON array may start, to read on after a damaged one.
_OBJECT = re.compile(r"(?<=[\s,\[])\{")


class _Twice(Exception):
    """A key that occurs twice in one object."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    item = dict(pairs)
    if len(item) < len(pairs):
        names = [k for k, _ in pairs]
        raise _Twice(listed(sorted({k for k in item if names.count(k) > 1})))
    return item


_STRICT = json.JSONDecoder(object_pairs_hook=_once)


def _next(text: str, at: int, place: str) -> tuple[Any, int]:
    """Return the value that starts there, or a drop where an object names a key twice, and where it ends."""
    try:
        return _STRICT.raw_decode(text, at)
    except _Twice as err:
        return Drop(TWICE, place, detail=str(err)), json.JSONDecoder().raw_decode(text, at)[1]


def json_rows(member: Member, encoding: str) -> Iterator[TableRow | Drop]:
    """Yield the objects of a JSON Lines file as rows."""
    for place, item in json_objects(member, encoding):
        yield item if isinstance(item, Drop) else typed_row(place, item)


def json_objects(member: Member, encoding: str) -> Iterator[tuple[str, dict[str, Any] | Drop]]:
    """Yield place and object of each line of a JSON Lines file; blank lines are none."""
    for line in read_lines(member, encoding):
        place = f"{member.name}:{line.number}"
        if not line.text.strip():
            continue
        if line.trouble:
            yield place, Drop(NOT_DECODED, place, detail=line.trouble)
            continue
        yield from ((place, item) for item in _objects(line.text.strip(), place))


def _objects(text: str, place: str) -> Iterator[dict[str, Any] | Drop]:
    """Yield the object of a line; several, if line breaks between them were lost."""
    at = 0
    while at < len(text):
        try:
            item, at = _next(text, at, place)
        except (ValueError, RecursionError) as err:
            texts = max(1, text.count('"text"', at))  # lines that lost the break between them are several
            yield Drop(NOT_JSON, place, detail=str(err).split(":")[0], n=texts)
            return
        yield item if isinstance(item, dict | Drop) else Drop(NOT_JSON, place, detail=_KINDS[type(item)])
        while at < len(text) and text[at].isspace():
            at += 1


def array_objects(member: Member, encoding: str) -> Iterator[tuple[str, int, dict[str, Any] | Drop]]:
    """Yield place, index and object of each item of a JSON array, one after the other (the file's text is in memory).

    After a defect inside an item reading goes on at the next line that starts an object.
    """
    text = "".join(_sound(member, encoding))
    at, index, line, counted = text.find("[") + 1, 0, 1, 0
    while True:
        while at < len(text) and text[at] in " \t\n\r,":
            at += 1
        line += text.count("\n", counted, at)
        counted = at
        place = f"{member.name}:{line}"
        if at >= len(text):
            yield place, index, Drop("a JSON array that is cut off", place, n=0)
            return
        if text[at] == "]":
            return
        try:
            if text[at] != "{":
                msg = "no object starts here"
                raise ValueError(msg)
            item, at = _next(text, at, place)
        except (ValueError, RecursionError) as err:
            yield place, index, Drop("an item that is not a JSON object", place, detail=str(err).split(":")[0])
            found = _OBJECT.search(text, at + 1)
            at = found.start() if found else len(text)
        else:
            yield place, index, item
        index += 1


def _sound(member: Member, encoding: str) -> Iterator[str]:
    for line in read_lines(member, encoding):
        if line.trouble:
            raise InputError(line.trouble)
        yield line.text


def _array_rows(member: Member, encoding: str) -> Iterator[TableRow | Drop]:
    for place, _, item in array_objects(member, encoding):
        yield item if isinstance(item, Drop) else typed_row(place, item)


def _json_columns(rows: Callable[[Member, str], Iterator[TableRow | Drop]]) -> Callable[[Member, str], list[str]]:
    def columns(member: Member, encoding: str) -> list[str]:
        names: dict[str, None] = {}
        for n, row in enumerate(rows(member, encoding)):
            if isinstance(row, TableRow):
                names.update(dict.fromkeys(row.cells))
            if n > 1000:
                break
        return list(names)

    return columns


JSONL = Kind("jsonl", _json_columns(json_rows), json_rows)
JSON = Kind("json", _json_columns(_array_rows), _array_rows)
