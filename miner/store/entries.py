"""Entries of a store as one portable Parquet file: streamed in and out, each with its checksum.

Columns ``namespace``, ``key``, ``value`` (bytes as they were put) and ``checksum``. The same entries in the same order
give the same bytes (with the same version of pyarrow).
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from miner.errors import InputError, OutputError
from miner.store.values import checksum

if TYPE_CHECKING:
    import pyarrow as pa

#: Namespace, key, value.
Entry = tuple[str, str, bytes]

_LAYOUT = {b"miner.entries": b"1"}
#: Entries and bytes of one row group: what is held in memory at a time.
_GROUP_ENTRIES, _GROUP_BYTES = 20_000, 16_000_000


def write_entries(path: Path | str, entries: Iterable[Entry]) -> int:
    """Write entries to a Parquet file, in the order given.

    Parameters
    ----------
    path : Path
        Replaced in one step when all is written; left alone when something fails.
    entries : iterable of (str, str, bytes)
        Namespace, key and value; taken one after the other, at most 16 MB of them (or one, if larger) held at a time.

    Returns
    -------
    int
        How many were written.

    Raises
    ------
    OutputError
        If the file cannot be written.
    """
    import pyarrow.parquet as pq

    path = Path(path)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.part")
    n = 0
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with pq.ParquetWriter(temporary, _schema(), compression="zstd", use_dictionary=["namespace"]) as writer:
            for group in _groups(entries):
                writer.write_table(_table(group))
                n += len(group)
        temporary.replace(path)
    except OSError as err:
        msg = f"The entries could not be written to {path} ({err}); free some disk space or write them elsewhere"
        raise OutputError(msg) from err
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()
    return n


def read_entries(path: Path | str) -> Iterator[Entry]:
    """Yield the entries of a file that :func:`write_entries` wrote, each compared with its checksum.

    Raises
    ------
    InputError
        If the file cannot be read, is not one of entries, or an entry is not what was written.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = Path(path)
    try:
        with pq.ParquetFile(path) as file:
            _require_layout(path, file.schema_arrow)
            for number in range(file.num_row_groups):
                rows = file.read_row_group(number).to_pydict()
                columns = (rows[name] for name in ("namespace", "key", "value", "checksum"))
                for namespace, key, value, told in zip(*columns, strict=True):
                    if checksum(namespace, key, value).hex() != told:
                        msg = f"{path}: the entry {namespace}/{key} is damaged; write the file again"
                        raise InputError(msg)
                    yield namespace, key, value
    except (OSError, pa.ArrowException, UnicodeDecodeError) as err:
        msg = f"{path} cannot be read as a file of entries ({err}); write it again"
        raise InputError(msg) from err


def _require_layout(path: Path, schema: pa.Schema) -> None:
    if not schema.equals(_schema()) or any((schema.metadata or {}).get(k) != v for k, v in _LAYOUT.items()):
        msg = f"{path} is not a file of entries of this version; expected one that `miner cache export` wrote"
        raise InputError(msg)


def _groups(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    group: list[Entry] = []
    size = 0
    for entry in entries:
        if group and (len(group) >= _GROUP_ENTRIES or size + len(entry[2]) > _GROUP_BYTES):
            yield group
            group, size = [], 0
        group.append(entry)
        size += len(entry[2])
    if group:
        yield group


def _table(group: list[Entry]) -> pa.Table:
    import pyarrow as pa

    namespaces, keys, values = zip(*group, strict=True)
    sums = [checksum(*entry).hex() for entry in group]
    return pa.table([namespaces, keys, values, sums], schema=_schema())


def _schema() -> pa.Schema:
    import pyarrow as pa

    columns = [("namespace", pa.string()), ("key", pa.string()), ("value", pa.binary()), ("checksum", pa.string())]
    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in columns], metadata=_LAYOUT)
