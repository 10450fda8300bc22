"""Which thresholds of a recipe a tested feature fails."""

from __future__ import annotations

import numpy as np
import pandas as pd

from miner.learner.presets import L1Preset


def failures(tests: pd.DataFrame, recipe: L1Preset) -> pd.Series:
    """Return the names of the failed thresholds, joined by blanks; empty for a row that passes all, and for untested rows.

    Parameters
    ----------
    tests : DataFrame
        Rows of :data:`miner.tables.L1_TESTS` with their q.
    recipe : L1Preset

    Notes
    -----
    ``q``: q is not below alpha. ``family``: the max-T test of the family does not reject. ``direction``: equal rates, or a
    direction that is not asked for. ``ratio``: the rate ratio is under the floor, or points the other way.
    ``spread``: one unit has too large a share of the occurrences. ``replication``: passes the
    others, but too few of a list that goes down to it would be found again. ``stability``: too seldom among the best.
    """
    number = {
        c: tests[c].astype("float64").to_numpy()
        for c in ("q", "effect", "log_ratio", "family_p", "replication_list", "stability", "top_share")
    }
    effect = number["effect"]
    wanted = {"over": effect > 0, "under": effect < 0, "both": (effect > 0) | (effect < 0)}[recipe.direction]
    failed = {"q": ~(number["q"] < recipe.alpha), "direction": ~wanted}
    if recipe.gate:
        failed["family"] = ~(number["family_p"] <= recipe.alpha)
    if recipe.min_ratio > 1:
        # Where the mean rates are equal there is no direction, whatever the ratio (which may be undefined).
        ratio = _log_ratio(tests, number["log_ratio"])
        toward = np.where(effect == 0, 0.0, np.where(effect < 0, -ratio, ratio))
        failed["ratio"] = ~(toward >= np.log(recipe.min_ratio))
    if recipe.max_top_share < 1:
        failed["spread"] = ~(number["top_share"] <= recipe.max_top_share)
    if recipe.min_replication > 0:
        # Empty for what other thresholds stop.
        failed["replication"] = number["replication_list"] < recipe.min_replication
    if recipe.stability_pairs:
        failed["stability"] = ~(number["stability"] >= recipe.stability_share)
    tested = (tests["status"] == "tested").to_numpy()
    names = np.full(len(tests), "", dtype=object)
    for name, mask in failed.items():
        names = np.where(mask & tested, names + (" " + name), names)
    return pd.Series(names, index=tests.index).str.strip()


def _log_ratio(tests: pd.DataFrame, stratified: np.ndarray) -> np.ndarray:
    # Tests without a stratified ratio fall back on the ratio of mean rates.
    with np.errstate(divide="ignore", invalid="ignore"):
        target, reference = (tests[f"rate_{s}"].astype("float64").to_numpy() for s in ("target", "reference"))
        plain = np.log(target) - np.log(reference)
    return np.where(np.isnan(stratified), plain, stratified)
