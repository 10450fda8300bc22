"""A store in one SQLite file: in the standard library, atomic under ``kill -9``, safe for several processes (WAL)."""

from __future__ import annotations

import sqlite3
import threading
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from miner.errors import OutputError

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS item (namespace TEXT, key TEXT, value BLOB, PRIMARY KEY (namespace, key)) WITHOUT ROWID"
)
_FILE = "cache.sqlite"
_CHUNK = 500


class SqliteStore:
    """Values are compressed with zlib; one connection behind a lock, so threads may share the object.

    Parameters
    ----------
    folder : Path
        Made if absent. A folder that cannot be written, or a file that is no database, is an :class:`OutputError`.
    """

    def __init__(self, folder: Path) -> None:
        self._lock = threading.Lock()
        self.path = folder / _FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(self.path, timeout=60, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.execute(_SCHEMA)
            self._db.commit()
        except (OSError, sqlite3.Error) as err:
            msg = f"The cache folder {folder} cannot be used ({err}); give another --cache, or delete the file {self.path.name} in it"
            raise OutputError(msg) from err

    def get_many(self, namespace: str, keys: Sequence[str]) -> dict[str, bytes]:
        """Return the values that are there."""
        found: dict[str, bytes] = {}
        for i in range(0, len(keys), _CHUNK):
            part = list(keys[i : i + _CHUNK])
            marks = ",".join("?" * len(part))
            with self._lock:
                rows = self._db.execute(
                    f"SELECT key, value FROM item WHERE namespace = ? AND key IN ({marks})",
                    [namespace, *part],
                ).fetchall()
            found.update({k: zlib.decompress(v) for k, v in rows})
        return found

    def put_many(self, namespace: str, items: Mapping[str, bytes]) -> None:
        """Write all items in one transaction."""
        rows = [(namespace, k, zlib.compress(v, 6)) for k, v in items.items()]
        try:
            with self._lock, self._db:
                self._db.executemany("INSERT OR IGNORE INTO item VALUES (?, ?, ?)", rows)
        except sqlite3.Error as err:
            msg = f"The cache {self.path} could not be written ({err}); free some disk space or give another --cache"
            raise OutputError(msg) from err

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
