"""LanguageTool's own list of English rules: what a rule id in a map must be."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import pandas as pd

from miner.categories.sources import FOLDER, read_strings

_FILE = "languagetool-6.8.rules.csv"
_COLUMNS = ("rule_id", "lt_category", "issue_type", "default", "match_ids", "scope")


@dataclass(frozen=True)
class Catalogue:
    """The rules of one version of the checker.

    Parameters
    ----------
    version : str
        LanguageTool's version.
    rules : DataFrame
        Sorted by ``rule_id`` (unique): ``lt_category``, ``issue_type``, ``default`` (on, off, or mixed where sub-rules
        differ), ``match_ids`` (id, or prefix where matches carry the id plus a suffix), ``scope`` (all English, a
        variant, or a mother tongue that must be set).
    """

    version: str
    rules: pd.DataFrame

    @property
    def ids(self) -> frozenset[str]:
        """All rule ids."""
        return frozenset(self.rules["rule_id"])

    @property
    def prefixes(self) -> tuple[str, ...]:
        """Ids whose matches carry ``_SUFFIX``, longest first."""
        ids = self.rules.loc[self.rules["match_ids"] == "prefix", "rule_id"]
        return tuple(sorted(ids, key=lambda i: (-len(i), i)))


@lru_cache(maxsize=1)
def load_catalogue() -> Catalogue:
    """Return the rules of LanguageTool 6.8 (English, all variants and mother tongues)."""
    return Catalogue("6.8", read_strings(FOLDER / _FILE, required=_COLUMNS))
