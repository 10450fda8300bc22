"""Columns of a table by normalised name, never by position."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from miner.corpora.records import Drop
from miner.corpora.roles import plain
from miner.corpora.sources import Member, Source
from miner.corpora.tabular import kind_of
from miner.errors import MinerError, listed, nearest


def is_table(member: Member) -> bool:
    """Tell whether the content is a table."""
    return kind_of(member) is not None


def columns_of(member: Member, encoding: str) -> list[str]:
    """Return the columns; none if the member is no table or cannot be read."""
    try:
        stat = member.path.stat()
    except OSError:
        return []
    return list(_columns(member, encoding, (stat.st_mtime_ns, stat.st_size)))


@lru_cache(maxsize=64)
def _columns(member: Member, encoding: str, stamp: tuple[int, int]) -> tuple[str, ...]:
    # Many formats ask, and a workbook takes long to open; a file that was rewritten is read again.
    kind = kind_of(member)
    try:
        return tuple(kind.columns(member, encoding)) if kind else ()
    except MinerError:
        return ()


def has_columns(member: Member, encoding: str, wanted: Iterable[str]) -> bool:
    """Tell whether the table has all the columns (normalised names)."""
    return set(wanted) <= {plain(c) for c in columns_of(member, encoding)}


def by_plain_name(columns: Sequence[str], wanted: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return role -> column for the first normalised name of each role that is there."""
    have = {plain(c): c for c in reversed(columns)}
    return {role: have[n] for role, names in wanted.items() for n in [next((x for x in names if x in have), "")] if n}


def nearly(member: Member, encoding: str, wanted: Iterable[str]) -> bool:
    """Tell whether the table has most of the columns (at least two thirds): a damaged or renamed table of the format."""
    wanted = set(wanted)
    have = {plain(c) for c in columns_of(member, encoding)}
    return len(have & wanted) * 3 >= len(wanted) * 2


def tables_like(source: Source, encoding: str, wanted: Iterable[str]) -> list[Member]:
    """Return the tables that have all the columns; if there is none, those that have most (damaged or renamed)."""
    wanted = set(wanted)
    return [m for m in source.members if has_columns(m, encoding, wanted)] or [
        m for m in source.members if nearly(m, encoding, wanted)
    ]


def lacking(member: Member, encoding: str, wanted: Iterable[str]) -> Drop | None:
    """Return a drop that names the columns a table of the format lacks, or None."""
    columns = columns_of(member, encoding)
    have = {plain(c): c for c in columns}
    missing = sorted(set(wanted) - set(have))
    if not missing:
        return None
    detail = f"no {listed(missing)}{nearest(missing[0], have)}; columns are {listed(columns, most=30)}"
    kind = kind_of(member)
    rows = sum(1 for _ in kind.rows(member, encoding)) if kind else 0
    return Drop("a table without columns that the format needs", f"{member.name}:1", detail=detail, n=max(1, rows))
