"""Parquet files, a batch at a time, and XLSX workbooks, row by row."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

from miner.corpora.records import Drop
from miner.corpora.rows import WRONG_WIDTH, Kind, TableRow, cell, seekable, typed_row, unique
from miner.corpora.sources import ARCHIVE_ERRORS, Member
from miner.errors import InputError


def parquet_rows(member: Member, encoding: str) -> Iterator[TableRow | Drop]:
    """Yield the rows of a Parquet file, a batch of 1,000 at a time."""
    import pyarrow as pa
    from pyarrow import parquet

    number = 0
    try:
        file = parquet.ParquetFile(seekable(member))
        for batch in file.iter_batches(batch_size=1000):
            for row in batch.to_pylist():
                number += 1
                yield typed_row(f"{member.name}:row {number}", row)
    except (pa.ArrowException, OSError) as err:
        msg = f"{member.name}: not a Parquet file that can be read, after row {number} ({err}); get a fresh copy"
        raise InputError(msg) from err


def _parquet_columns(member: Member, encoding: str) -> list[str]:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        return list(parquet.ParquetFile(seekable(member)).schema_arrow.names)
    except (pa.ArrowException, OSError) as err:
        msg = f"{member.name}: not a Parquet file that can be read ({err}); get a fresh copy"
        raise InputError(msg) from err


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
    import openpyxl

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # openpyxl tells of styles and extensions it does not draw
            book = openpyxl.load_workbook(seekable(member), read_only=True, data_only=True)
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


PARQUET = Kind("parquet", _parquet_columns, parquet_rows)
XLSX = Kind("xlsx", _xlsx_columns, xlsx_rows)
