"""Columns of a table by normalised name, never by position."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from miner.corpora.roles import plain
from miner.corpora.sources import Member
from miner.corpora.tabular import kind_of
from miner.errors import MinerError


def is_table(member: Member) -> bool:
    """Tell whether the content is a table."""
    return kind_of(member) is not None


def columns_of(member: Member, encoding: str) -> list[str]:
    """Return the columns; none if the member is no table or cannot be read."""
    kind = kind_of(member)
    try:
        return kind.columns(member, encoding) if kind else []
    except MinerError:
        return []


def has_columns(member: Member, encoding: str, wanted: Iterable[str]) -> bool:
    """Tell whether the table has all the columns (normalised names)."""
    return set(wanted) <= {plain(c) for c in columns_of(member, encoding)}


def by_plain_name(columns: Sequence[str], wanted: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return role -> column for the first normalised name of each role that is there."""
    have = {plain(c): c for c in reversed(columns)}
    return {role: have[n] for role, names in wanted.items() for n in [next((x for x in names if x in have), "")] if n}
