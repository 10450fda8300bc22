"""Occurrences against the places where they could stand: per count noun, per finite verb, per clause, per preposition slot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from miner import tables
from miner.categories import Taxonomy
from miner.errors import MinerError
from miner.features.catalogue import FOLDER
from miner.learner import Admitted, Counts, L1Preset, compare_l1, get_preset

NO_PLACE = "no opportunity in these texts"
_FROM_TESTS = {
    "errors_target": "occurrences_target",
    "errors_reference": "occurrences_reference",
    "words_target": "opportunities_target",
    "words_reference": "opportunities_reference",
    **{c: c for c in ("rate_target", "rate_reference", "effect", "ci_low", "ci_high", "p", "reason")},
}


def error_opportunities(taxonomy: Taxonomy) -> dict[str, str]:
    """Return the kind of opportunity of each error category: where such an error could stand.

    A category without a row of its own takes that of its parent; one without any is left out (its errors are told per word alone).
    """
    rows = pd.read_csv(FOLDER / "error_opportunities.csv", dtype=str)
    known = dict(zip(rows["category"], rows["per"], strict=True))
    categories = taxonomy.categories
    parents = (
        dict(zip(categories["id"], categories["parent"].fillna(""), strict=True)) if "parent" in categories else {}
    )
    found = {}
    for category in categories["id"]:
        place = str(category)
        while place and place not in known:
            place = str(parents.get(place, ""))
        if place:
            found[str(category)] = known[place]
    return found


def opportunities_of_cells(
    tests: pd.DataFrame, admitted: Admitted, opportunities: pd.DataFrame, per: Mapping[str, str]
) -> pd.DataFrame:
    """Return the tests with the opportunities of each cell, those of the feature's own kind; empty where it has none.

    Parameters
    ----------
    tests : DataFrame
        Table ``l1_tests``.
    admitted : Admitted
    opportunities : DataFrame
        ``text_id``, ``per``, ``n``; non-zero only.
    per : mapping of feature to kind of opportunity
    """
    wide = _wide(opportunities).reindex(admitted.texts["text_id"]).fillna(0).reset_index(drop=True)
    keys = admitted.texts[["l1", "band"]].reset_index(drop=True)
    own = wide.groupby([keys["l1"], keys["band"]]).sum()
    band = wide.groupby(keys["band"]).sum()

    def of(frame: pd.DataFrame, index: pd.Index, kinds: list[str | None]) -> np.ndarray:
        columns = frame.columns.get_indexer(pd.Index([k or "" for k in kinds]))
        rows = frame.index.get_indexer(index)
        found = frame.to_numpy(dtype=float)[rows, columns] if frame.size else np.zeros(len(rows))
        return np.where((rows < 0) | (columns < 0), 0, found).astype(np.int64)

    kinds = [per.get(str(f)) for f in tests["feature"]]
    target = of(own, pd.MultiIndex.from_frame(tests[["l1", "cefr"]]), kinds)
    reference = of(band, pd.Index(tests["cefr"]), kinds) - target
    known = pd.Series([k is not None for k in kinds], index=tests.index)
    return tests.assign(
        opportunities_target=pd.Series(target, index=tests.index, dtype="Int64").where(known),
        opportunities_reference=pd.Series(reference, index=tests.index, dtype="Int64").where(known),
    )


def rates_per_opportunity(
    tests: pd.DataFrame,
    counted: Counts,
    opportunities: pd.DataFrame,
    per: Mapping[str, str],
    recipe: L1Preset,
    seed: int,
) -> pd.DataFrame:
    """Compare rates per 1,000 opportunities by Welch's t-test, for each kind of opportunity but words.

    Returns
    -------
    DataFrame
        Table ``usage_rates``; one row per row of ``tests`` whose feature has a kind of opportunity.
    """
    wide, found = _wide(opportunities), []
    plain = get_preset("welch", unit=recipe.unit)
    keys = ["l1", "cefr", "feature"]
    for kind in sorted(set(per.values()) - {"word"}):
        features = {f for f, k in per.items() if k == kind}
        every = tests.loc[tests["feature"].isin(features), [*keys, "label"]]
        if every.empty:
            continue
        numbers = counted.units["text_id"].map(wide[kind] if kind in wide else pd.Series(dtype=float)).fillna(0)
        units = counted.units.assign(words=numbers.astype("Int64"))[numbers.to_numpy() > 0]
        counts = counted.counts[
            counted.counts["feature"].isin(features) & counted.counts["text_id"].isin(units["text_id"])
        ]
        labels = {str(f): str(v) for f, v in zip(every["feature"], every["label"], strict=True)}
        try:
            compared = compare_l1(replace(counted, counts=counts, units=units), plain, labels=labels, seed=seed)[1]
            why = NO_PLACE
        except MinerError as err:
            compared, why = tables.L1_TESTS.empty(), str(err) if len(units) else NO_PLACE
        frame = every.merge(compared[[*keys, *_FROM_TESTS]].rename(columns=_FROM_TESTS), on=keys, how="left")
        lost = frame["rate_target"].isna() & frame["reason"].isna()
        found.append(frame.assign(per=kind, reason=frame["reason"].fillna("").where(~lost, why)))
    return pd.concat(found, ignore_index=True) if found else tables.USAGE_RATES.empty()


def _wide(opportunities: pd.DataFrame) -> pd.DataFrame:
    return opportunities.pivot(index="text_id", columns="per", values="n").fillna(0)
