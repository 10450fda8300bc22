"""CSV and TSV: a real parser over lines, so that a damaged row costs no other and every row has its line."""

from __future__ import annotations

import csv
import io
import re
from collections import deque
from collections.abc import Iterator, Sequence

from miner.corpora.lines import Line, read_lines
from miner.corpora.records import Drop
from miner.corpora.rows import NOT_DECODED, WRONG_WIDTH, Kind, TableRow, unique
from miner.corpora.sources import Member
from miner.errors import InputError

NOT_CSV = "quoting that is not CSV"
DELIMITERS = ("\t", ",", ";", "|")
#: Control characters that no header has.
_BINARY = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_C1 = re.compile(r"[\x80-\x9f]")
#: Cells may be long: a whole essay is one.
_LONGEST_CELL = 2**31 - 1


def delimiter_of(header: str) -> str:
    """Return the delimiter that occurs most often in the header, quoted stretches apart; a comma if none does."""
    plain = "".join(header.split('"')[::2])
    best = max(DELIMITERS, key=lambda d: (plain.count(d), -DELIMITERS.index(d)))
    return best if plain.count(best) else ","


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
    csv.field_size_limit(_LONGEST_CELL)
    place = member.name
    lines = _Lines(read_lines(member, encoding))
    first = lines.peek(skip_blank=columns is None)
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

    def peek(self, *, skip_blank: bool) -> Line | None:
        line = next((line for line in self._lines if line.text.strip() or not skip_blank), None)
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
    """Return the header of a delimited file; none if the file is empty.

    Raises
    ------
    InputError
        If the file is binary, its header cannot be decoded, or two columns have one name.
    """
    for line in read_lines(member, encoding):
        found = _BINARY.search(line.text)
        if found or ((line.trouble or _C1.search(line.text)) and b"\0" in member.head(4096)):
            sign = f"U+{ord(found[0]):04X} in line {line.number}" if found else "it has null bytes"
            msg = f"{member.name}: not a table of text but a binary file ({sign}); expected CSV or TSV"
            raise InputError(msg)
        if line.trouble:
            raise InputError(line.trouble)
        if line.text.strip():
            header = csv.reader(io.StringIO(line.text), delimiter=delimiter_of(line.text))
            return unique(next(header), member.name)
    return []


CSV = Kind("csv", csv_columns, csv_rows)
