"""Two inventories side by side: what was gained, lost, moved or turned."""

from __future__ import annotations

import pandas as pd

from miner import tables
from miner.errors import InputError

_KEY = ["l1", "cefr", "feature"]


def as_inventory(frame: pd.DataFrame, *, place: str) -> pd.DataFrame:
    """Return the columns ``l1, cefr, feature, rank, direction`` of an inventory or a published list.

    Parameters
    ----------
    frame : DataFrame
        :data:`miner.tables.L1_INVENTORY`, or a table with l1, feature, rank and (as ``level`` or ``cefr``) a level. A level
        ``AB`` stands for one list of both bands.
    place : str
        File, for messages.

    Raises
    ------
    InputError
        If a column is missing.
    """
    frame = frame.rename(columns={"level": "cefr"}) if "cefr" not in frame else frame
    missing = [c for c in ("l1", "feature", "rank") if c not in frame]
    if missing:
        msg = f"{place}: an inventory needs the columns l1, feature and rank; missing {missing}. Give a run's l1_inventory"
        raise InputError(msg)
    out = frame.assign(
        cefr=frame["cefr"].fillna("") if "cefr" in frame else "",
        direction=frame.get("direction", "over"),
    )[[*_KEY, "rank", "direction"]]
    twice = out[out.duplicated(_KEY)]
    if len(twice):
        msg = f"{place}: {tuple(twice.iloc[0][_KEY])} occurs twice; expected one row for each L1, level and feature"
        raise InputError(msg)
    return out.reset_index(drop=True)


def diff_inventories(a: pd.DataFrame, b: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each feature of either inventory.

    Parameters
    ----------
    a, b : DataFrame
        Of :func:`as_inventory`. If one has a single list per L1 (level ``AB``), the other's bands are merged: the better
        rank counts.

    Returns
    -------
    DataFrame
        :data:`miner.tables.INVENTORY_DIFF`.
    """
    if set(a["cefr"]) != set(b["cefr"]) and "AB" in set(a["cefr"]) | set(b["cefr"]):
        a, b = _merged(a), _merged(b)
    both = a.merge(b, on=_KEY, how="outer", suffixes=("_a", "_b"))

    def change(row: pd.Series) -> str:
        if pd.isna(row["rank_a"]):
            return "gained"
        if pd.isna(row["rank_b"]):
            return "lost"
        if row["direction_a"] != row["direction_b"]:
            return "turned"
        return "kept" if row["rank_a"] == row["rank_b"] else "moved"

    both["change"] = both.apply(change, axis=1) if len(both) else pd.Series(dtype="str")
    return tables.conform(both, tables.INVENTORY_DIFF)


def _merged(frame: pd.DataFrame) -> pd.DataFrame:
    best = frame.sort_values(["l1", "rank", "feature"], kind="stable").drop_duplicates(["l1", "feature"])
    ranked = best.assign(cefr="AB")
    ranked["rank"] = ranked.groupby("l1").cumcount() + 1
    return ranked


def overlap(diff: pd.DataFrame) -> pd.DataFrame:
    """Return per L1 and band how many features are in both, gained and lost, and the Jaccard overlap (NaN if both are empty)."""
    rows = []
    for (l1, cefr), part in diff.groupby(["l1", "cefr"], sort=True):
        number = part["change"].value_counts()
        gained, lost = int(number.get("gained", 0)), int(number.get("lost", 0))
        both = len(part) - gained - lost
        counts = {k: int(number.get(k, 0)) for k in ("moved", "turned")}
        rows.append(
            {
                "l1": l1,
                "cefr": cefr,
                "both": both,
                "gained": gained,
                "lost": lost,
                **counts,
                "jaccard": both / len(part),
            }
        )
    columns = ["l1", "cefr", "both", "gained", "lost", "moved", "turned", "jaccard"]
    return pd.DataFrame(rows, columns=columns)
