"""A table written part by part: the matches of a million texts are never held in memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Self

from miner.signature import Signature
from miner.store.frames import csv_bytes, rounded
from miner.tables import Table, conform

if TYPE_CHECKING:
    import pandas as pd

#: Tables above this many rows are written as Parquet alone.
MOST_CSV_ROWS = 1_000_000


class Appender:
    """Writes ``NAME.parquet`` (one row group for each part) and, up to a million rows, ``NAME.csv``; a context manager."""

    def __init__(self, table: Table, folder: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self.rows = 0
        self.signature: Signature | None = None
        self._table = table
        self._csv = folder / f"{table.name}.csv"
        schema = pa.Schema.from_pandas(table.empty(), preserve_index=False)
        self._writer = pq.ParquetWriter(folder / f"{table.name}.parquet", schema, compression="zstd")
        self._csv.write_bytes(csv_bytes(table.empty(), header=True))

    def append(self, frame: pd.DataFrame) -> None:
        """Write the next rows; they follow those before in the order of the table's key."""
        import pyarrow as pa

        frame = rounded(conform(frame, self._table))
        if frame.empty:
            return
        self._writer.write_table(pa.Table.from_pandas(frame, schema=self._writer.schema, preserve_index=False))
        self.rows += len(frame)
        if self.rows > MOST_CSV_ROWS:
            self._csv.unlink(missing_ok=True)
            return
        with self._csv.open("ab") as stream:
            stream.write(csv_bytes(frame, header=False))

    def sign(self, signature: Signature) -> None:
        """Say how the table was made."""
        self.signature = signature

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._writer.close()
