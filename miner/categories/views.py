"""Views of the core taxonomy: its categories in the terms of another scheme.

``errant``: the ERRANT types that a category's corrections have, the usual one first. ``trans-env``: for each of the 48
labels the core categories that hold its rules. ``trans-env-keys``: the same for the keys of the public repository.
"""

from __future__ import annotations

from typing import Literal

import pandas as pd

from miner.categories.taxonomy import load_taxonomy
from miner.errors import require_one_of

View = Literal["errant", "trans-env", "trans-env-keys"]
VIEWS = ("errant", "trans-env", "trans-env-keys")


def view(name: View) -> pd.DataFrame:
    """Return a view of ``miner-core``.

    Returns
    -------
    DataFrame
        ``errant``: ``category``, ``type``, ``rank`` (1: the usual one). ``trans-env`` and ``trans-env-keys``: ``label``
        or ``key``, ``category`` (core; empty where no rule holds the label), ``rules`` (rules of the label in the core
        category) and ``note`` (where label and rule contradict each other).

    Raises
    ------
    OptionError
        If there is no such view.
    """
    require_one_of(name, VIEWS, what="The view")
    core = load_taxonomy("miner-core")
    if name == "errant":
        types = core.categories.assign(type=core.categories["errant"].str.split())[["id", "type"]].explode("type")
        types["rank"] = types.groupby("id", sort=False).cumcount() + 1
        return types.rename(columns={"id": "category"}).reset_index(drop=True)
    published = load_taxonomy("trans-env")
    rules = published.rules[["rule_id", "category"]].merge(
        core.rules[["rule_id", "category"]], on="rule_id", suffixes=("", "_core")
    )
    counts = rules.groupby(["category", "category_core"], sort=True).size().rename("rules").reset_index()
    labels = published.categories[["id", "label", "repo_keys", "note"]]
    frame = labels.merge(counts, left_on="id", right_on="category", how="left").fillna(
        {"category_core": "", "rules": 0}
    )
    frame["rules"] = frame["rules"].astype("int64")
    if name == "trans-env":
        return frame[["label", "category_core", "rules", "note"]].rename(columns={"category_core": "category"})
    keys = frame.assign(key=frame["repo_keys"].str.split(" | ", regex=False)).explode("key", ignore_index=True)
    return keys[["key", "category_core", "rules", "note"]].rename(columns={"category_core": "category"})


def errant_types() -> dict[str, tuple[str, ...]]:
    """Return for each core category its ERRANT types, the usual one first."""
    categories = load_taxonomy("miner-core").categories
    return {i: tuple(t.split()) for i, t in zip(categories["id"], categories["errant"], strict=True)}
