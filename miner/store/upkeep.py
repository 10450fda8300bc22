"""Keep a store small and sound: drop what is old, too much or of no more use, and find what is damaged."""

from __future__ import annotations

import math
import sqlite3
import time
from collections.abc import Collection
from dataclasses import dataclass

from miner.errors import OptionError
from miner.store.base import NamespaceStats, in_namespace
from miner.store.sqlite import SqliteStore, checked


@dataclass(frozen=True)
class Verification:
    """What :func:`verify_store` found.

    Parameters
    ----------
    entries : int
        How many were read.
    damaged : tuple of (str, str)
        Namespace and key of values that are not what was written.
    problems : tuple of str
        What SQLite says of the file itself; empty if it is sound.
    """

    entries: int
    damaged: tuple[tuple[str, str], ...]
    problems: tuple[str, ...]

    @property
    def sound(self) -> bool:
        """Whether nothing was found."""
        return not self.damaged and not self.problems


def prune_store(
    store: SqliteStore,
    *,
    namespaces: Collection[str] | None = None,
    older_than: float | None = None,
    keep_bytes: int | None = None,
    dry_run: bool = False,
) -> list[NamespaceStats]:
    """Drop entries; what is dropped is computed again when it is needed.

    Parameters
    ----------
    store : SqliteStore
        Others may use it meanwhile.
    namespaces : collection of str, optional
        Only these and those under them; default: all. Without another condition, all their entries go.
    older_than : float, optional
        Drop what was written more than this many seconds ago.
    keep_bytes : int, optional
        Drop the oldest until the values that are left (of these namespaces) take at most so many bytes, as stored.
    dry_run : bool
        Drop nothing.

    Returns
    -------
    list of NamespaceStats
        What goes (or would go).

    Raises
    ------
    OptionError
        If no condition is given, or one is negative.
    OutputError
        As :class:`~miner.store.sqlite.SqliteStore`.
    """
    if namespaces is None and older_than is None and keep_bytes is None:
        msg = "Say what to prune: namespaces, an age or a size. Nothing was dropped"
        raise OptionError(msg)
    for number in (older_than or 0, keep_bytes or 0):
        if not 0 <= number < math.inf:
            msg = f"An age and a size must be at least 0, and not infinite; got {number}"
            raise OptionError(msg)
    with store.exclusive() as db:
        _doom(db, namespaces, older_than, keep_bytes)
        query = """SELECT name, COUNT(*), SUM(LENGTH(value)), MIN(added), MAX(added) FROM doomed JOIN entry USING (id)
                   JOIN namespace ON namespace.id = entry.namespace GROUP BY name ORDER BY name"""
        gone = [NamespaceStats(*row) for row in db.execute(query).fetchall()]
        if gone and not dry_run:
            with store.transaction():
                db.execute("DELETE FROM entry WHERE id IN (SELECT id FROM doomed)")
            db.executescript("PRAGMA incremental_vacuum")  # execute() would free one page only
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        db.execute("DROP TABLE doomed")
    return gone


def verify_store(store: SqliteStore, *, repair: bool = False) -> Verification:
    """Read everything and compare it with its checksums.

    Parameters
    ----------
    store : SqliteStore
        Others may use it meanwhile.
    repair : bool
        Drop damaged values.

    Raises
    ------
    OutputError
        If the file is damaged so that it cannot be read to the end; the message says what to do.
    """
    with store.exclusive() as db:
        said = [str(row[0]) for row in db.execute("PRAGMA integrity_check").fetchall()]
    damaged: list[tuple[str, str]] = []
    rows: list[int] = []
    n = 0
    for name, key, packed, told, row in store.rows():
        n += 1
        if checked(name, key, packed, told) is None:
            damaged.append((name, key))
            rows.append(row)
    if repair and rows:
        with store.exclusive():
            store.delete(rows)
    return Verification(n, tuple(damaged), tuple(line for line in said if line != "ok"))


def _doom(
    db: sqlite3.Connection, namespaces: Collection[str] | None, older_than: float | None, keep_bytes: int | None
) -> None:
    known = db.execute("SELECT id, name FROM namespace").fetchall()
    chosen = [i for i, name in known if namespaces is None or any(in_namespace(name, n) for n in namespaces)]
    among = f"namespace IN ({','.join(map(str, chosen))})"
    db.execute("CREATE TEMP TABLE doomed (id INTEGER PRIMARY KEY)")
    if older_than is None and keep_bytes is None:
        db.execute(f"INSERT INTO doomed SELECT id FROM entry WHERE {among}")
    if older_than is not None:
        before = int(time.time() - older_than)
        db.execute(f"INSERT INTO doomed SELECT id FROM entry WHERE {among} AND added < ?", [before])
    if keep_bytes is not None:
        db.execute(
            f"""INSERT INTO doomed SELECT id FROM (
                SELECT id, SUM(LENGTH(value)) OVER (ORDER BY added DESC, id DESC) AS total FROM entry
                WHERE {among} AND id NOT IN (SELECT id FROM doomed)) WHERE total > ?""",
            [keep_bytes],
        )
