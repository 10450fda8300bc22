"""A store in one SQLite file: in the standard library, atomic under ``kill -9``, safe for several processes (WAL).

SQLite, and not a folder of Parquet, DuckDB or LMDB, because entries come in small transactions from several processes
at a time and are asked for by key: WAL lets readers go on beside a writer, a transaction that was cut off leaves no
trace, and the file needs no size set beforehand. A network file system may not keep these promises.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Self

from miner.errors import OutputError
from miner.store.base import NamespaceStats, in_namespace
from miner.store.values import checksum, given_key, pack, stored_key, unpack

#: Layout of the file. A store of an older layout is emptied (it is a cache), one of a newer layout is refused.
LAYOUT = 2
FILE = "cache.sqlite"
_SCHEMA = """
CREATE TABLE namespace (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE entry (id INTEGER PRIMARY KEY, namespace INTEGER NOT NULL, key NOT NULL, value BLOB NOT NULL,
                    checksum BLOB NOT NULL, added INTEGER NOT NULL, UNIQUE (namespace, key));
"""
#: All that a store of this or an older layout has.
_TABLES = {"namespace", "entry", "item"}
_CHUNK = 500
#: Seconds to wait for another process that writes.
_WAIT = 60


class SqliteStore:
    """Values are compressed and carry a checksum; one connection behind a lock, so threads may share the object.

    Parameters
    ----------
    folder : Path
        Made if absent.

    Raises
    ------
    OutputError
        If the folder cannot be written, or the file is no database, damaged, full, locked, or of a newer layout. The
        message says what to do; nothing that was written before is lost.
    """

    def __init__(self, folder: Path) -> None:
        self._lock = threading.Lock()
        self.path = folder / FILE
        with self._told():
            folder.mkdir(parents=True, exist_ok=True)
            self._db = _connect(self.path)
            try:
                _prepare(self._db, self.path)
            except BaseException:
                self._db.close()
                raise
        self._numbers: dict[str, int] = {}

    def __reduce__(self) -> tuple[type[SqliteStore], tuple[Path]]:
        return SqliteStore, (self.path.parent,)

    def get_many(self, namespace: str, keys: Sequence[str]) -> dict[str, bytes]:
        """Return the values that are there; one that is damaged is dropped, as if it had never been there."""
        found: dict[str, bytes] = {}
        damaged: list[int] = []
        with self._lock, self._told():
            number = self._number(namespace)
            for i in range(0, len(keys) if number else 0, _CHUNK):
                part = [stored_key(k) for k in keys[i : i + _CHUNK]]
                query = f"SELECT id, key, value, checksum FROM entry WHERE namespace = ? AND key IN ({','.join('?' * len(part))})"
                for row, stored, packed, told in self._db.execute(query, [number, *part]).fetchall():
                    value = checked(namespace, given_key(stored), packed, told)
                    if value is None:
                        damaged.append(row)
                    else:
                        found[given_key(stored)] = value
            self.delete(damaged)
        return found

    def put_many(self, namespace: str, items: Mapping[str, bytes]) -> None:
        """Write all items in one transaction, or none; a key that is there already keeps its value."""
        if not items:
            return
        now = int(time.time())
        rows = [(stored_key(k), pack(v), checksum(namespace, k, v), now) for k, v in items.items()]
        with self._lock, self._told(), self.transaction():
            self._db.execute("INSERT OR IGNORE INTO namespace (name) VALUES (?)", [namespace])
            number = self._number(namespace)
            self._db.executemany(
                f"INSERT OR IGNORE INTO entry (namespace, key, value, checksum, added) VALUES ({number}, ?, ?, ?, ?)",
                rows,
            )

    def items(self, namespace: str | None = None) -> Iterator[tuple[str, str, bytes]]:
        """Yield (namespace, key, value) sorted by namespace and key, as they were when this began.

        Parameters
        ----------
        namespace : str, optional
            Only this one and those under it (``"check"`` has ``"check/..."``); default: all. What is damaged is left out.
        """
        for name, key, packed, told, _ in self.rows(namespace):
            value = checked(name, key, packed, told)
            if value is not None:
                yield name, key, value

    def rows(self, namespace: str | None = None) -> Iterator[tuple[str, str, bytes, bytes, int]]:
        """Yield (namespace, key, packed value, checksum, row number) as :meth:`items` does, unchecked."""
        query = "SELECT key, value, checksum, id FROM entry WHERE namespace = ? ORDER BY key"
        with self._told(), closing(_connect(self.path)) as db:
            db.execute("BEGIN")  # one view of the file, whatever others write meanwhile
            for name, number in sorted(db.execute("SELECT name, id FROM namespace").fetchall()):
                if namespace is None or in_namespace(name, namespace):
                    for stored, packed, told, row in db.execute(query, [number]):
                        yield name, given_key(stored), packed, told, row

    def stats(self) -> list[NamespaceStats]:
        """Return entries, bytes and the times of the oldest and newest entry of each namespace that has any."""
        query = """SELECT name, COUNT(*), SUM(LENGTH(value)), MIN(added), MAX(added)
                   FROM entry JOIN namespace ON namespace.id = entry.namespace GROUP BY name ORDER BY name"""
        with self._lock, self._told():
            return [NamespaceStats(*row) for row in self._db.execute(query)]

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def delete(self, rows: Sequence[int]) -> None:
        """Delete entries by row number; the caller holds the lock."""
        if rows:
            with self.transaction():
                self._db.executemany("DELETE FROM entry WHERE id = ?", [(row,) for row in rows])

    @contextmanager
    def exclusive(self) -> Iterator[sqlite3.Connection]:
        """Hold the lock and give the connection, with errors told as all others."""
        with self._lock, self._told():
            yield self._db

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Do what is inside wholly or not at all; the caller holds the lock."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise

    def _number(self, namespace: str) -> int | None:
        if namespace not in self._numbers:
            row = self._db.execute("SELECT id FROM namespace WHERE name = ?", [namespace]).fetchone()
            if row is None:
                return None
            self._numbers[namespace] = row[0]
        return self._numbers[namespace]

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error) as err:
            raise OutputError(_message(self.path, err)) from err


def checked(namespace: str, key: str, packed: bytes, told: bytes) -> bytes | None:
    """Return the value of an entry, or None if it is not what was written."""
    try:
        value = unpack(packed)
    except (ValueError, TypeError):
        return None
    return value if checksum(namespace, key, value) == told else None


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=_WAIT, check_same_thread=False, isolation_level=None)


def _prepare(db: sqlite3.Connection, path: Path) -> None:
    if db.execute("PRAGMA user_version").fetchone()[0] != LAYOUT:
        db.execute("PRAGMA auto_vacuum = INCREMENTAL")
        _write_ahead(db)
        _lay_out(db, path)
    _write_ahead(db)
    db.execute("PRAGMA synchronous = NORMAL")


def _lay_out(db: sqlite3.Connection, path: Path) -> None:
    db.execute("BEGIN IMMEDIATE")  # of several processes that come at once, one makes the tables
    layout = db.execute("PRAGMA user_version").fetchone()[0]
    old = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()]
    if layout > LAYOUT:
        msg = f"The cache {path} was made by a newer version of miner; give another --cache"
        raise OutputError(msg)
    if layout < LAYOUT:
        if not set(old) <= _TABLES:
            msg = f"{path} is a database of another program; give another --cache"
            raise OutputError(msg)
        for name in old:
            db.execute(f"DROP TABLE {name}")
        for statement in _SCHEMA.split(";"):
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {LAYOUT}")
    db.execute("COMMIT")
    if old and layout < LAYOUT:
        with suppress(sqlite3.OperationalError):  # in use: its free pages are used up in time
            db.execute("VACUUM")


def _write_ahead(db: sqlite3.Connection) -> None:
    # Where several processes switch at once, SQLite says "locked" at once instead of waiting.
    for left in range(100, -1, -1):
        try:
            db.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            if not left:
                raise
            time.sleep(0.05)
        else:
            return


def _message(path: Path, err: Exception) -> str:
    said = str(err)
    if "locked" in said or "busy" in said:
        return f"The cache {path} was locked by another process for {_WAIT} seconds ({said}); run again when that has ended, or give another --cache"
    if isinstance(err, OSError):
        return f"The cache folder {path.parent} cannot be used ({said}); give another --cache"
    if "full" in said or "disk I/O" in said:
        return (
            f"The cache {path} could not be written ({said}); free some disk space or give another --cache. What was "
            "kept so far is whole: the same command goes on from there"
        )
    return (
        f"The cache {path} cannot be used ({said}); `miner cache verify` tells what is wrong. If it is damaged, delete "
        f"the files {path.name}* in its folder (results are computed again), or give another --cache"
    )
