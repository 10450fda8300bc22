"""Any corpus to Parquet tables in bounded memory: sorted runs on disk, merged; every version, duplicate and language kept.

At most 16 MB of texts (and one line of the corpus) are in memory at a time, and 16 bytes for each text. XLSX workbooks,
JSON arrays and UTF-16 files are held as a whole by their parsers.
"""

from __future__ import annotations

import csv
import heapq
import pickle
import tempfile
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from miner.corpora.assembly import FIELDS, Assembly, Fingerprint, Row, id_order
from miner.corpora.duplicates import key_of
from miner.corpora.frames import edits_frame, meta_names, texts_frame
from miner.corpora.hygiene import joined_flags, text_flags
from miner.corpora.reading import Opened, nothing_left
from miner.corpora.records import Drop
from miner.errors import EmptyInput
from miner.ledger import Ledger
from miner.tables import EDITS, TEXTS, Table

#: Characters of text per run on disk and per row group.
BATCH = 8_000_000
#: Runs that are open at a time.
MOST_FILES = 100
#: A CSV is written beside the Parquet file up to this many texts.
MOST_CSV = 100_000
_TEXT, _LEARNER, _FLAGS, _WORDS = (FIELDS.index(n) for n in ("text", "learner_id", "flags", "n_words"))


@dataclass(frozen=True)
class Converted:
    """What was written: numbers of rows, the account, the fingerprint and the names of the files."""

    texts: int
    edits: int
    ledger: Ledger
    fingerprint: str
    files: tuple[str, ...]


def convert(
    opened: Opened,
    folder: Path,
    *,
    language: bool = True,
    progress: Callable[[int], None] | None = None,
) -> Converted:
    """Write ``texts.parquet``, ``edits.parquet`` (and CSV up to 100,000 texts) and ``dropped.csv`` into a folder.

    Parameters
    ----------
    opened : Opened
        From :func:`miner.corpora.reading.open_corpus`.
    folder : Path
        Where the files go; it exists.
    language : bool
        Whether texts in another language are looked for (the slowest part).
    progress : callable, optional
        Called with the number of texts read so far.

    Raises
    ------
    InputError, EmptyInput
        As :func:`miner.corpora.read_corpus`.
    """
    ledger = Ledger("read", "texts")
    with (
        (folder / "dropped.csv").open("w", encoding="utf-8", newline="") as stream,
        tempfile.TemporaryDirectory(dir=folder) as runs,
    ):
        listing = csv.writer(stream, lineterminator="\n")
        listing.writerow(["reason", "place", "texts"])
        assembly = opened.assembly(ledger, lambda d: _listed(listing, d))
        stored = _Runs(Path(runs), language=language, progress=progress)
        stored.write(assembly.rows(opened.format.read(opened.source, opened.options)))
        assembly.account_for(opened.source.members)
        return _merged(opened, folder, stored, assembly)


def _listed(listing: Any, drop: Drop) -> None:
    listing.writerow([drop.reason, drop.place, drop.n])


class _Runs:
    """Sorted runs of rows on disk, with what has to be known of all texts: further columns, and keys of duplicates."""

    def __init__(self, folder: Path, *, language: bool, progress: Callable[[int], None] | None) -> None:
        self._folder = folder
        self._language = language
        self._progress = progress
        self._files: list[Path] = []
        self._made = 0
        self._keys = array("Q")
        self._learners = array("Q")
        self.columns: set[str] = set()

    def write(self, rows: Iterable[Row]) -> None:
        held: list[Row] = []
        size = done = 0
        for row in rows:
            flags = text_flags(row.cells[_TEXT], language=self._language) if row.cells[_WORDS] else []
            row = _flagged(row, flags)
            self.columns.update(row.meta)
            if row.cells[_WORDS]:
                self._keys.append(_number(key_of(row.cells[_TEXT], "whitespace")))
                self._learners.append(_number(key_of(row.cells[_LEARNER], "exact")) if row.cells[_LEARNER] else 0)
            held.append(row)
            size += len(row.cells[_TEXT]) + 500
            if size > BATCH:
                self._flush(held)
                done += len(held)
                held, size = [], 0
                if self._progress:
                    self._progress(done)
        self._flush(held)

    def _flush(self, rows: list[Row]) -> None:
        self._files.append(self._stored(sorted(rows, key=id_order)))

    def _stored(self, rows: Iterable[Row]) -> Path:
        self._made += 1
        path = self._folder / f"{self._made:06d}"
        with path.open("wb") as stream:
            for row in rows:
                pickle.dump(row, stream, protocol=pickle.HIGHEST_PROTOCOL)
        return path

    def merged(self) -> Iterator[Row]:
        """Yield all rows sorted by id; of one id, in the order in which they were read."""
        files = self._files
        while len(files) > MOST_FILES:  # neighbours first: the order of reading stays
            groups = [files[i : i + MOST_FILES] for i in range(0, len(files), MOST_FILES)]
            files = [self._stored(_merge(group)) for group in groups]
        yield from _merge(files)

    def duplicates(self) -> dict[int, tuple[int, bool]]:
        """Return key -> (texts, whether of several known learners) of the texts that are there more than once."""
        keys, learners = np.array(self._keys, dtype=np.uint64), np.array(self._learners, dtype=np.uint64)
        values, counts = np.unique(keys, return_counts=True)
        known = learners != 0
        pairs = np.unique(np.stack([keys[known], learners[known]]), axis=1)
        several = set(_repeated(pairs[0]))
        again = counts > 1
        return {int(k): (int(n), int(k) in several) for k, n in zip(values[again], counts[again], strict=True)}


def _repeated(values: np.ndarray[Any, np.dtype[np.uint64]]) -> list[int]:
    found, counts = np.unique(values, return_counts=True)
    return [int(v) for v in found[counts > 1]]


def _merge(files: Sequence[Path]) -> Iterator[Row]:
    """Yield the rows of sorted files, sorted; of one id, in the order of the files. The files go."""
    streams = [path.open("rb") for path in files]
    try:
        yield from heapq.merge(*map(_loaded, streams), key=id_order)
    finally:
        for stream, path in zip(streams, files, strict=True):
            stream.close()
            path.unlink()


def _loaded(stream: IO[bytes]) -> Iterator[Row]:
    while True:
        try:
            yield pickle.load(stream)
        except EOFError:
            return


def _number(digest: bytes) -> int:
    return int.from_bytes(digest, "big")


def _flagged(row: Row, flags: list[str]) -> Row:
    if not flags:
        return row
    cells = list(row.cells)
    cells[_FLAGS] = joined_flags(cells[_FLAGS], flags)
    return replace(row, cells=tuple(cells))


def _merged(opened: Opened, folder: Path, stored: _Runs, assembly: Assembly) -> Converted:
    same, mark = stored.duplicates(), Fingerprint()
    columns = sorted(stored.columns)
    texts = _Writer(folder, TEXTS, list(meta_names(columns).values()))
    edits = _Writer(folder, EDITS, [])
    with texts, edits:
        for batch in _batches(assembly.settled(stored.merged())):
            for row in batch:
                mark.add(row)
            rows = [_duplicate(row, same) for row in batch]
            texts.add(texts_frame(rows, corpus=opened.name, columns=columns))
            edits.add(edits_frame(rows))
        if not texts.rows:
            raise EmptyInput(nothing_left(opened.source.path, opened.format.name, assembly.ledger))
    return Converted(
        texts.rows, edits.rows, assembly.ledger, str(mark), ("dropped.csv", *texts.files(), *edits.files())
    )


def _duplicate(row: Row, same: dict[int, tuple[int, bool]]) -> Row:
    found = same.get(_number(key_of(row.cells[_TEXT], "whitespace"))) if row.cells[_WORDS] else None
    if found is None:
        return row
    return _flagged(row, [f"duplicate:{found[0]}", *(["duplicate_other_learner"] if found[1] else [])])


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    held: list[Row] = []
    size = 0
    for row in rows:
        held.append(row)
        size += len(row.cells[_TEXT]) + 500
        if size > BATCH:
            yield held
            held, size = [], 0
    if held:
        yield held


class _Writer:
    """A table written batch by batch, as Parquet, and as CSV as long as it is short."""

    def __init__(self, folder: Path, table: Table, more: list[str]) -> None:
        self.rows = 0
        self._table = table
        self._csv = folder / f"{table.name}.csv"
        self._parquet = folder / f"{table.name}.parquet"
        kinds = {"str": pa.string(), "Int64": pa.int64(), "float64": pa.float64(), "boolean": pa.bool_()}
        fields = [pa.field(c.name, kinds[c.dtype]) for c in table.columns] + [
            pa.field(n, pa.string()) for n in sorted(more)
        ]
        self._schema = pa.schema(fields)

    def __enter__(self) -> None:
        self._writer = parquet.ParquetWriter(self._parquet, self._schema, compression="zstd")
        empty = pd.DataFrame({name: [] for name in self._schema.names})
        empty.to_csv(self._csv, index=False, lineterminator="\n")

    def add(self, frame: pd.DataFrame) -> None:
        self.rows += len(frame)
        self._writer.write_table(pa.Table.from_pandas(frame, schema=self._schema, preserve_index=False))
        if self._csv.exists():
            if self.rows > MOST_CSV:
                self._csv.unlink()
            else:
                frame.to_csv(self._csv, mode="a", header=False, index=False, lineterminator="\n")

    def __exit__(self, *exc: object) -> None:
        self._writer.close()

    def files(self) -> list[str]:
        return [p.name for p in (self._parquet, self._csv) if p.exists()]
