"""L1 from nationality or country: a table of defaults, strict where a country has several large first languages."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from miner.corpora.bundled import bundled_rows


@lru_cache(maxsize=1)
def table() -> dict[str, dict[str, str]]:
    """Return the rows of the nationality table by lower-case country code."""
    return {row["nationality"]: row for row in bundled_rows("nationality", "nationality_l1.csv")}


@lru_cache(maxsize=1)
def _by_name() -> dict[str, str]:
    return {row["country"].casefold(): code for code, row in table().items()}


class Guess(NamedTuple):
    """The language a nationality stands for (empty where ambiguous or unknown), and flags."""

    l1: str
    flags: tuple[str, ...] = ()


def from_nationality(raw: str) -> Guess:
    """Return the default language of a country code or English country name."""
    label = raw.strip().casefold()
    row = table().get(label) or table().get(_by_name().get(label, ""))
    if row is None:
        return Guess("", ("nationality_unknown",))
    if row["ambiguous"] == "yes":
        return Guess("", ("l1_ambiguous",))
    return Guess(row["l1"])
