"""Two inventories side by side: what was gained, lost, moved or turned."""

from __future__ import annotations

import numpy as np
import pandas as pd

from miner import tables
from miner.categories import load_taxonomy
from miner.corpora import parse_languages
from miner.errors import InputError, listed

_KEY = ["l1", "cefr", "feature"]
#: Level of published lists, which do not tell the bands apart.
MERGED = "AB"
_LEVELS = "(?:[ABC][12]?|AB|BC|AC|ABC)?"
_MOST_RANK = 1_000_000_000


def as_inventory(frame: pd.DataFrame, *, place: str) -> pd.DataFrame:
    """Return the columns ``l1, cefr, feature, rank, direction`` of an inventory or a published list.

    Parameters
    ----------
    frame : DataFrame
        :data:`miner.tables.L1_INVENTORY`, or a table with l1, feature, rank and (as ``level`` or ``cefr``) a level. A level
        ``AB`` stands for one list of both bands; what it repeats stands at its better rank.
    place : str
        File, for messages.

    Raises
    ------
    InputError
        If a column is missing, if ``level`` and ``cefr`` differ, and for a value that cannot be, with its row.
    """
    frame = frame.reset_index(drop=True)
    if {"level", "cefr"} <= set(frame.columns):
        one, two = (_text(frame[c]) for c in ("level", "cefr"))
        if (one != two).any():
            k = int(np.flatnonzero(one != two)[0])
            raise _refused(place, k, "level", one[k], f"the same as cefr, {two[k]!r}; give one of the two columns")
    frame = frame.rename(columns={"level": "cefr"}) if "cefr" not in frame else frame
    missing = [c for c in ("l1", "feature", "rank") if c not in frame]
    if missing:
        msg = f"{place}: an inventory needs the columns l1, feature and rank; missing {listed(missing)}. Give a run's l1_inventory"
        raise InputError(msg)
    out = frame.assign(
        cefr=_text(frame["cefr"]) if "cefr" in frame else "",
        direction=frame.get("direction", "over"),
    )[[*_KEY, "rank", "direction"]]
    out["rank"] = _checked(out, place)
    # A published list of both bands in one can name a category twice: the better rank counts.
    repeated = out["cefr"].eq(MERGED) & out.sort_values("rank", kind="stable").duplicated(_KEY).sort_index()
    out = out[~repeated]
    twice = out[out.duplicated(_KEY)]
    if len(twice):
        msg = f"{place}: {tuple(twice.iloc[0][_KEY])} occurs twice; expected one row for each L1, level and feature"
        raise InputError(msg)
    return out.reset_index(drop=True)


def _checked(frame: pd.DataFrame, place: str) -> pd.Series:
    # The ranks as numbers; whatever else a row must have is there.
    rank = _text(frame["rank"]).map(_number).astype("float64")
    text = {c: _text(frame[c]) for c in ("l1", "cefr", "feature", "direction")}
    wrong = {
        "l1": (text["l1"].str.strip() == "", "an L1"),
        "feature": (text["feature"].str.strip() == "", "a feature"),
        "cefr": (~text["cefr"].str.fullmatch(_LEVELS), f"a level: A, B, C, A1 to C2, {MERGED}, or nothing"),
        "direction": (~text["direction"].isin(["over", "under"]), "over or under"),
        "rank": (~(rank.between(1, _MOST_RANK) & (rank % 1 == 0)), "a whole number of 1 or more"),
    }
    for column, (bad, expected) in wrong.items():
        if bad.any():
            k = int(np.flatnonzero(bad)[0])
            raise _refused(place, k, column, frame[column][k], expected)
    return rank.astype("Int64")


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _text(column: pd.Series) -> pd.Series:
    return column.astype("object").where(column.notna(), "").astype(str)


def _refused(place: str, row: int, column: str, value: object, expected: str) -> InputError:
    text = _text(pd.Series([value], dtype="object"))[0]
    given = repr(text[:40]) if text else "nothing"
    return InputError(f"{place}, row {row + 1} without the header: the {column} should be {expected}. Got {given}")


def translated(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return an inventory with L1s as codes and features as category ids, as miner's own have them, and what was translated.

    Parameters
    ----------
    frame : DataFrame
        Columns ``l1`` and ``feature``. L1s may be English names; features labels or published keys of taxonomy ``trans-env``.

    Returns
    -------
    DataFrame, list of str
        What cannot be translated stays as it is, and is told.
    """
    if not {"l1", "feature"} <= set(frame.columns):
        return frame, []
    categories = load_taxonomy("trans-env").categories
    ids = dict(zip(categories["label"], categories["id"], strict=True))
    for key, name in zip(categories["repo_keys"].fillna(""), categories["id"], strict=True):
        ids |= {k.strip(): name for k in key.split("|") if k.strip()}
    known = set(categories["id"])
    codes = {v: _code(str(v)) for v in frame["l1"].dropna().unique()}
    l1 = frame["l1"].map(codes, na_action="ignore")
    feature = frame["feature"].map(lambda f: f if f in known else ids.get(f, str(f)), na_action="ignore")
    names = int((l1.dropna() != frame["l1"].dropna().astype(str)).sum())
    labels = int((feature.dropna() != frame["feature"].dropna().astype(str)).sum())
    notes = [
        f"{n} rows: {what}" for n, what in ((names, "L1 by name"), (labels, "feature by label or published key")) if n
    ]
    return frame.assign(l1=l1, feature=feature), notes


def _code(name: str) -> str:
    found = parse_languages(name)
    return found.codes[0] if found.status == "known" and len(found.codes) == 1 else name


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
    if set(a["cefr"]) != set(b["cefr"]) and MERGED in set(a["cefr"]) | set(b["cefr"]):
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
    ranked = best.assign(cefr=MERGED)
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
