"""The usage features and their opportunities: named grammar patterns, as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

import pandas as pd

from miner.features.patterns import Pattern
from miner.store import content_key

Family = Literal["usage", "topic", "format"]

#: Folder of the bundled tables.
FOLDER = Path(__file__).resolve().parents[1] / "data" / "features"


@dataclass(frozen=True)
class UsageCatalogue:
    """Features and opportunities.

    Parameters
    ----------
    features : DataFrame
        ``id``, ``label``, ``family`` (usage: grammar; topic: follows what is written about; format: punctuation, capitals,
        digits, layout), ``per`` (the opportunity it is counted against), ``pattern`` (for format: a regular
        expression), ``definition``, ``transform`` (what a transformer would do with it).
    opportunities : DataFrame
        ``id``, ``label``, ``pattern``.
    lists : dict of str to tuple of str
        Word lists that patterns name.
    """

    features: pd.DataFrame
    opportunities: pd.DataFrame
    lists: dict[str, tuple[str, ...]]

    @property
    def fingerprint(self) -> str:
        """Hash of all patterns and lists."""
        tables = (self.features[["id", "family", "per", "pattern"]], self.opportunities[["id", "pattern"]])
        return content_key(*(t.to_dict("list") for t in tables), {k: list(v) for k, v in self.lists.items()})

    def column(self, name: str, families: Sequence[str]) -> dict[str, str]:
        """Return ``label``, ``per`` or another column of the features of these families, by feature id."""
        own = self.features[self.features["family"].isin(list(families))]
        return {str(i): str(v) for i, v in zip(own["id"], own[name], strict=True)}

    def compiled(self) -> dict[str, Pattern]:
        """Return the patterns over tokens by id: features of usage and topic, and opportunities (``per:`` before the id)."""
        chosen = self.features[self.features["family"] != "format"]
        found = {i: Pattern(p, self.lists) for i, p in zip(chosen["id"], chosen["pattern"], strict=True)}
        rows = zip(self.opportunities["id"], self.opportunities["pattern"], strict=True)
        return found | {f"per:{i}": Pattern(p, self.lists) for i, p in rows if p}


@lru_cache(maxsize=1)
def load_usage() -> UsageCatalogue:
    """Return the bundled usage features."""
    tables = [_read(n) for n in ("usage", "format")]
    words = _read("lists")
    lists = {n: tuple(w.split()) for n, w in zip(words["name"], words["words"], strict=True)}
    return UsageCatalogue(pd.concat(tables, ignore_index=True), _read("opportunities"), lists)


def load_examples() -> pd.DataFrame:
    """Return the test sentences: ``feature``, ``kind`` (find, miss), ``sentence``; all invented, some in learner English."""
    return _read("usage_examples")


def _read(name: str) -> pd.DataFrame:
    return pd.read_csv(FOLDER / f"{name}.csv", dtype=str, keep_default_na=False)
