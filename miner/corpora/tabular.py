"""Rows of tables (CSV, TSV, JSON, JSON Lines, Parquet, XLSX) as ``{column: cell}``, with their place; nothing is guessed."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

from miner.corpora.lines import Line, read_lines
from miner.corpora.records import Drop
from miner.corpora.sources import ARCHIVE_ERRORS, Member
from miner.errors import InputError, listed

#: Cells may be long: a whole essay is one.
csv.field_size_limit(2**31 - 1)

NOT_DECODED = "a byte that does not fit the encoding"
WRONG_WIDTH = "a row with another number of cells than the header"
NOT_CSV = "quoting that is not CSV"
NOT_JSON = "a line that is not a JSON object"
DELIMITERS = ("\t", ",", ";", "|")


# Where an item of a JSON array may start, to read on after a damaged one.
_OBJECT = re.compile(r"(?<=[\s,\[])\{")


class TableRow(NamedTuple):
    """One row: its place and its cells by column; an absent or null cell is ``""``."""

    place: str
    cells: dict[str, str]


class Kind(NamedTuple):
    """A kind of table: how its columns and its rows are read."""

    name: str
    columns: Callable[[Member, str], list[str]]
    rows: Callable[[Member, str], Iterator[TableRow | Drop]]


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
    if start == b"[" and member.suffix in (".json", ".jsonl", ".ndjson"):
        return JSON
    if member.suffix in (".csv", ".tsv", ".tab"):
        return CSV
    return None


def delimiter_of(header: str) -> str:
    """Return the delimiter that occurs most often in the header, quoted stretches apart; a comma if none does."""
    plain = "".join(header.split('"')[::2])
    best = max(DELIMITERS, key=lambda d: (plain.count(d), -DELIMITERS.index(d)))
    return best if plain.count(best) else ","


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


def csv_rows(
    member: Member,
    encoding: str,
    *,
    columns: Sequence[str] | None = None,
    delimiter: str = "",
    short_rows: bool = False,
) -> Iterator[TableRow | Drop]:
    """Yield the rows of a delimited file; a real parser, so that fields may hold line breaks.

    Parameters
    ----------
    member, encoding
        The file.
    columns : sequence of str, optional
        The names, for a file without header.
    delimiter : str
        Default: told by the header.
    short_rows : bool
        Whether rows may lack cells at their end.
    """
    place = member.name
    lines = _Lines(read_lines(member, encoding))
    first = lines.peek()
    if first is None:
        return
    separator = delimiter or delimiter_of(first.text)
    reader = csv.reader(lines, delimiter=separator, strict=True)
    names = None if columns is None else unique(columns, place)
    while True:
        lines.start_row()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except (csv.Error, _TooLong) as err:
            yield Drop(NOT_CSV, f"{place}:{lines.start}", detail=str(err))
            # A lost quotation mark swallows the rows after it: read on at the next line.
            lines.give_back()
            reader = csv.reader(lines, delimiter=separator, strict=True)
            continue
        if lines.trouble:
            yield Drop(NOT_DECODED, f"{place}:{lines.start}", detail=lines.trouble)
        elif not cells or cells == [""]:
            continue
        elif names is None:
            names = unique(cells, place)
        elif len(cells) > len(names) or (len(cells) < len(names) and not short_rows):
            # Two rows that lost the line break between them are two.
            rows = max(1, (len(cells) + 1) // len(names)) if len(names) > 3 else 1
            yield Drop(
                WRONG_WIDTH, f"{place}:{lines.start}", detail=f"{len(cells)} cells, {len(names)} columns", n=rows
            )
        else:
            cells += [""] * (len(names) - len(cells))
            yield TableRow(f"{place}:{lines.start}", dict(zip(names, cells, strict=True)))


class _TooLong(Exception):
    """A row of more lines than any text has."""


class _Lines:
    """Lines for the csv parser; remembers those of the current row, so that a damaged row gives its lines back."""

    MOST = 5000

    def __init__(self, lines: Iterator[Line]) -> None:
        self._lines = lines
        self._ahead: deque[Line] = deque()
        self._row: list[Line] = []

    def peek(self) -> Line | None:
        line = next(self._lines, None)
        if line is not None:
            self._ahead.append(line)
        return line

    def start_row(self) -> None:
        self._row = []

    def give_back(self) -> None:
        self._ahead.extendleft(reversed(self._row[1:]))
        self._row = []

    @property
    def start(self) -> int:
        return self._row[0].number if self._row else 1

    @property
    def trouble(self) -> str:
        return next((line.trouble for line in self._row if line.trouble), "")

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if len(self._row) >= self.MOST:
            msg = f"a row of more than {self.MOST} lines"
            raise _TooLong(msg)
        line = self._ahead.popleft() if self._ahead else next(self._lines)
        self._row.append(line)
        return line.text


def csv_columns(member: Member, encoding: str) -> list[str]:
    """Return the header of a delimited file."""
    for line in read_lines(member, encoding):
        if line.trouble:
            raise InputError(line.trouble)
        if line.text.strip():
            header = csv.reader(io.StringIO(line.text), delimiter=delimiter_of(line.text))
            return unique(next(header), member.name)
    return []


def json_rows(member: Member, encoding: str) -> Iterator[TableRow | Drop]:
    """Yield the objects of a JSON Lines file as rows."""
    for place, item in json_objects(member, encoding):
        yield item if isinstance(item, Drop) else TableRow(place, {str(k): cell(v) for k, v in item.items()})


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
            item, at = json.JSONDecoder().raw_decode(text, at)
        except (ValueError, RecursionError) as err:
            texts = max(1, text.count('"text"', at))  # lines that lost the break between them are several
            yield Drop(NOT_JSON, place, detail=str(err).split(":")[0], n=texts)
            return
        yield item if isinstance(item, dict) else Drop(NOT_JSON, place, detail=type(item).__name__)
        while at < len(text) and text[at].isspace():
            at += 1


def array_objects(member: Member, encoding: str) -> Iterator[tuple[str, int, dict[str, Any] | Drop]]:
    """Yield place, index and object of each item of a JSON array, one after the other (the file's text is in memory).

    After a defect inside an item reading goes on at the next line that starts an object.
    """
    text = "".join(_sound(member, encoding))
    decoder = json.JSONDecoder()
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
            item, at = decoder.raw_decode(text, at)
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
        yield item if isinstance(item, Drop) else TableRow(place, {str(k): cell(v) for k, v in item.items()})


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


def parquet_rows(member: Member, encoding: str) -> Iterator[TableRow | Drop]:
    """Yield the rows of a Parquet file, a batch of 1,000 at a time."""
    import pyarrow as pa
    from pyarrow import parquet

    number = 0
    try:
        file = parquet.ParquetFile(_seekable(member))
        for batch in file.iter_batches(batch_size=1000):
            for row in batch.to_pylist():
                number += 1
                yield TableRow(f"{member.name}:row {number}", {k: cell(v) for k, v in row.items()})
    except (pa.ArrowException, OSError) as err:
        msg = f"{member.name}: not a Parquet file that can be read, after row {number} ({err}); get a fresh copy"
        raise InputError(msg) from err


def _parquet_columns(member: Member, encoding: str) -> list[str]:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        return list(parquet.ParquetFile(_seekable(member)).schema_arrow.names)
    except (pa.ArrowException, OSError) as err:
        msg = f"{member.name}: not a Parquet file that can be read ({err}); get a fresh copy"
        raise InputError(msg) from err


def _seekable(member: Member) -> Any:
    return io.BytesIO(member.data()) if member.inside or member.gzipped else str(member.path)


def xlsx_rows(member: Member, encoding: str) -> Iterator[TableRow | Drop]:
    """Yield the rows of all sheets of a spreadsheet; the first row that is not blank is the header.

    The stored dimension of a sheet is not believed: some writers store a wrong one.
    """
    for sheet, names, rows in _sheets(member):
        for number, cells in rows:
            filled = [c for c in cells if c]
            place = f"{member.name}:{sheet} row {number}"
            if not filled:
                continue
            if any(cells[len(names) :]):
                yield Drop(WRONG_WIDTH, place, detail=f"cells beyond the {len(names)} columns")
                continue
            cells += [""] * (len(names) - len(cells))
            yield TableRow(place, {n: c for n, c in zip(names, cells, strict=False) if n or c})


def _sheets(member: Member) -> Iterator[tuple[str, list[str], Iterator[tuple[int, list[str]]]]]:
    import warnings

    import openpyxl

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # openpyxl tells of styles and extensions it does not draw
            book = openpyxl.load_workbook(_seekable(member), read_only=True, data_only=True)
    except (*ARCHIVE_ERRORS, KeyError, ValueError, SyntaxError, TypeError, AttributeError) as err:
        msg = f"{member.name}: not a spreadsheet that can be read ({type(err).__name__}); get a fresh copy"
        raise InputError(msg) from err
    try:
        for sheet in book.worksheets:
            sheet.reset_dimensions()
            rows = _cells(sheet, member)
            header = next(((n, c) for n, c in rows if any(c)), None)
            if header is not None:
                yield sheet.title, unique(header[1], f"{member.name}:{sheet.title}"), rows
    finally:
        book.close()


def _cells(sheet: Any, member: Member) -> Iterator[tuple[int, list[str]]]:
    try:
        for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
            yield number, [cell(v) for v in row]
    except (*ARCHIVE_ERRORS, KeyError, ValueError, SyntaxError, TypeError, IndexError, AttributeError) as err:
        msg = f"{member.name}: the sheet '{sheet.title}' is damaged ({type(err).__name__}); get a fresh copy"
        raise InputError(msg) from err


def _xlsx_columns(member: Member, encoding: str) -> list[str]:
    names: dict[str, None] = {}
    for _, columns, _ in _sheets(member):
        names.update(dict.fromkeys(c for c in columns if c))
    return list(names)


CSV = Kind("csv", csv_columns, csv_rows)
JSONL = Kind("jsonl", _json_columns(json_rows), json_rows)
JSON = Kind("json", _json_columns(_array_rows), _array_rows)
PARQUET = Kind("parquet", _parquet_columns, parquet_rows)
XLSX = Kind("xlsx", _xlsx_columns, xlsx_rows)
