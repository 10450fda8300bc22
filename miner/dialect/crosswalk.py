"""Learner categories and dialect features on one list, where they correspond, and which varieties an L1's inventory resembles.

A correspondence says that the two name the same form in a text. It says nothing about why the form is there: a dialect's
feature is a rule of that dialect and no error, a learner category is a difference from a stated reference.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import hypergeom

from miner import tables
from miner.categories import load_taxonomy
from miner.dialect.inventories import HAVE
from miner.dialect.ratings import Ratings, read_ratings
from miner.dialect.states import STATES
from miner.errors import InputError, OptionError, listed, require_one_of

RELATIONS = ("same", "category wider", "partial")
#: Relations that count as a correspondence unless more are asked for.
CLOSE = ("same", "category wider")
TAXONOMIES = ("miner-core", "trans-env")


def crosswalk(
    taxonomy: str = "miner-core", *, relations: Sequence[str] = RELATIONS, ratings: Ratings | None = None
) -> pd.DataFrame:
    """Return which learner category corresponds to which eWAVE feature.

    Parameters
    ----------
    taxonomy : {"miner-core", "trans-env"}
        Ids of the ``category`` column; trans-env categories are those that miner-core's stand for.
    relations : sequence of str
        ``same``; ``category wider``: the category also holds other forms; ``partial``: they overlap.
    ratings : Ratings, optional
        For names and areas; the bundled eWAVE table by default.

    Returns
    -------
    DataFrame
        :data:`miner.tables.CROSSWALK`. Features without a learner category, and the reverse, are not in it.

    Raises
    ------
    OptionError, InputError
        Unknown taxonomy or relation; an id of the table that eWAVE or the taxonomy does not have.
    """
    require_one_of(taxonomy, TAXONOMIES, what="The 'taxonomy' of the crosswalk")
    for relation in relations:
        require_one_of(relation, RELATIONS, what="A relation of the crosswalk")
    with (files("miner") / "data" / "crosswalk.csv").open(encoding="utf-8") as stream:
        frame = pd.read_csv(stream, dtype=str, keep_default_na=False)
    core = load_taxonomy("miner-core").categories
    if unknown := sorted(set(frame["category"]) - set(core["id"])):
        msg = f"The crosswalk has categories that miner-core lacks: {listed(unknown)}"
        raise InputError(msg)
    if taxonomy == "trans-env":
        of = dict(zip(core["id"], core["trans_env"].fillna(""), strict=True))
        frame["category"] = frame["category"].map(of)
        merged = {c for c in of.values() if list(of.values()).count(c) > 1}
        wider = frame["category"].isin(merged) & (frame["relation"] == "same")
        frame["relation"] = frame["relation"].mask(wider, "category wider")
        frame = frame[frame["category"] != ""].drop_duplicates(["feature_id", "category"])
    frame = frame[frame["relation"].isin(relations)]
    features = (read_ratings() if ratings is None else ratings).features
    return tables.conform(frame.merge(features, on="feature_id", how="inner", validate="many_to_one"), tables.CROSSWALK)


def resemblance(
    inventory: pd.DataFrame,
    ratings: Ratings | None = None,
    *,
    taxonomy: str | None = None,
    relations: Sequence[str] = CLOSE,
    have: Sequence[str] = HAVE,
    varieties: Sequence[int] | None = None,
) -> pd.DataFrame:
    """Return which varieties each L1's inventory resembles.

    Parameters
    ----------
    inventory : DataFrame
        :data:`miner.tables.L1_INVENTORY`; its over-used categories count.
    ratings : Ratings, optional
        The bundled eWAVE table by default.
    taxonomy : str, optional
        Of the inventory's ids; recognised from them by default.
    relations, have
        As in :func:`crosswalk` and :func:`miner.dialect.inventories.distinctive`.
    varieties : sequence of int, optional
        Rows to compare with; all by default.

    Returns
    -------
    DataFrame
        :data:`miner.tables.RESEMBLANCE`, varieties by falling Jaccard (ties: smaller p, then id). The unit is the
        category: a variety has it if it has any of its features, and is rated for it if it is rated for any. p is the
        chance that so many of the inventory's categories, drawn at random from the rated ones, are the variety's; it
        is one of many and descriptive.

    Raises
    ------
    OptionError
        If no category of the inventory is in the crosswalk.
    """
    ratings = read_ratings() if ratings is None else ratings
    chosen = inventory[inventory["direction"] == "over"]
    name = taxonomy or _taxonomy_of(set(inventory["feature"]))
    table = crosswalk(name, relations=relations, ratings=ratings)
    known = sorted(set(table["category"]))
    if not set(known) & set(chosen["feature"]):
        msg = f"None of the inventory's over-used categories is in the crosswalk to eWAVE ({name}); it has {listed(known, most=40)}"
        raise OptionError(msg)
    has, rated = _by_category(ratings, table, known, have)
    rows: list[dict[str, Any]] = []
    for (l1, cefr), group in chosen.groupby(["l1", "cefr"], sort=True):
        own = np.isin(known, group["feature"])
        found = [_compare(own, has[i], rated[i]) for i in (range(len(has)) if varieties is None else varieties)]
        index = list(range(len(has)) if varieties is None else varieties)
        order = sorted(range(len(found)), key=lambda n: (-found[n]["jaccard"], found[n]["p"], index[n]))
        for rank, n in enumerate(order, start=1):
            variety = ratings.varieties.iloc[index[n]]
            rows.append(
                {
                    "l1": l1,
                    "cefr": cefr,
                    "rank": rank,
                    "variety_id": variety["variety_id"],
                    "variety": variety["variety"],
                    **found[n],
                }
            )
    return tables.conform(rows, tables.RESEMBLANCE)


def _taxonomy_of(ids: set[str]) -> str:
    hits = {t: len(ids & set(load_taxonomy(t).categories["id"])) for t in TAXONOMIES}
    return max(TAXONOMIES, key=lambda t: (hits[t], t == "miner-core"))


def _by_category(
    ratings: Ratings, table: pd.DataFrame, known: list[str], have: Sequence[str]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    column = {f: j for j, f in enumerate(ratings.features["feature_id"])}
    wanted = np.isin(ratings.grid, [STATES.index(r) for r in have])
    has, rated = [], []
    for category in known:
        own = [column[f] for f in table.loc[table["category"] == category, "feature_id"]]
        has.append(wanted[:, own].any(axis=1))
        rated.append(ratings.rated[:, own].any(axis=1))
    return np.array(has).T, np.array(rated).T


def _compare(own: Any, has: Any, rated: Any) -> dict[str, Any]:
    a, b = own & rated, has & rated
    shared, n = int((a & b).sum()), int(rated.sum())
    either = int((a | b).sum())
    return {
        "shared": shared,
        "l1_categories": int(a.sum()),
        "variety_categories": int(b.sum()),
        "rated": n,
        "jaccard": shared / either if either else 0.0,
        "p": float(hypergeom.sf(shared - 1, n, int(b.sum()), int(a.sum()))) if n else 1.0,
    }
