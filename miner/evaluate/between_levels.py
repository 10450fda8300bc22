"""Levels of a corpus against each other, and whether an L1's contrast differs between them; all of it cross-sectional."""

from __future__ import annotations

import numpy as np
import pandas as pd

from miner import stats, tables
from miner.errors import InputError, OptionError, listed
from miner.learner import DEFAULT_PRESET, Counts, L1Preset, admit, get_preset, test_l1
from miner.learner.panel import make_panel
from miner.ledger import Ledger


def compare_levels(
    counted: Counts,
    low: str = "A",
    high: str = "B",
    *,
    l1: str | None = None,
    preset: str | L1Preset = DEFAULT_PRESET,
    labels: dict[str, str] | None = None,
    seed: int = 20250101,
) -> pd.DataFrame:
    """Test the higher level against the lower one, on prompts that both wrote on. Cross-sectional: not the same learners.

    Parameters
    ----------
    counted : Counts
    low, high : str
        Bands.
    l1 : str, optional
        One L1; all learners by default.
    preset, labels, seed
        As in :func:`compare_groups`.

    Returns
    -------
    DataFrame
        :data:`miner.tables.L1_TESTS` with ``l1`` the level ``high`` and ``cefr`` ``LOW-HIGH``; a learner who wrote at both
        levels is a unit in each. Strata are prompts within L1s, so that it is no matter which L1s the levels hold.

    Raises
    ------
    OptionError
        If prompts are known and none was written on at both levels: level and prompt cannot be told apart then.
    """
    recipe = get_preset(preset, bands=(low,))
    rows, shared = _of_levels(counted, recipe, low, high, l1)
    rows = rows[shared]
    learner = rows["learner"].where(rows["learner"] == "", rows["learner"] + " " + rows["band"])
    # Levels differ in who their learners are: within one L1 and prompt they can be compared.
    prompt = rows["prompt"].fillna("").astype(str) + " " + rows["l1"]
    units = pd.DataFrame(
        {
            "text_id": rows["text_id"],
            "learner": learner,
            "l1": "level " + rows["band"],
            "band": low,
            "prompt": prompt,
            "words": rows["words"],
            "opportunities": pd.array([pd.NA] * len(rows), dtype="Int64"),
        }
    )
    units = tables.conform(units, tables.UNITS)
    if counted.counts.empty and not labels:  # no feature is known
        return tables.L1_TESTS.empty()
    own = test_l1(counted.counts, units, preset=recipe, labels=labels, seed=seed, asked=[f"level {high}"])
    return own.assign(cefr=f"{low}-{high}")


def level_account(
    counted: Counts, low: str = "A", high: str = "B", *, l1: str | None = None, preset: str | L1Preset = DEFAULT_PRESET
) -> Ledger:
    """Return what :func:`compare_levels` does with each text: compared, or on a prompt of one level only."""
    _, shared = _of_levels(counted, get_preset(preset), low, high, l1)
    ledger = Ledger("compare levels", "texts")
    ledger.keep(int(shared.sum()))
    if not shared.all():
        ledger.drop("on a prompt of one level only", int((~shared).sum()))
    return ledger


def _of_levels(
    counted: Counts, recipe: L1Preset, low: str, high: str, l1: str | None
) -> tuple[pd.DataFrame, pd.Series]:
    # The admitted texts of both levels, and which of them are on a prompt that both levels wrote on.
    admitted = admit(counted.units, get_preset(recipe, bands=tuple(sorted({low, high})))).texts
    rows = admitted if l1 is None else admitted[admitted["l1"] == l1]
    absent = sorted({low, high} - set(rows["band"]))
    if absent:
        whose = "" if l1 is None else f" of learners with L1 '{l1}'"
        msg = f"Two levels are compared: expected texts of bands {low} and {high}{whose}; there are none of {listed(absent)}"
        raise OptionError(msg)
    prompt = rows["prompt"].fillna("").astype(str)
    kinds = rows["band"].groupby(prompt).nunique()
    both = set(kinds.index[kinds > 1])
    if not both:
        msg = (
            f"Each prompt belongs to one level only ({len(kinds)} prompts, bands {low} and {high}), so that level and prompt cannot "
            "be told apart. Compare L1s within a level, or add texts on common prompts"
        )
        raise OptionError(msg)
    return rows, prompt.isin(both)


def level_interaction(
    counted: Counts, low: str = "A", high: str = "B", *, preset: str | L1Preset = DEFAULT_PRESET
) -> pd.DataFrame:
    """Does an L1's contrast with the other L1s differ between two levels?

    Returns
    -------
    DataFrame
        :data:`miner.tables.LEVEL_INTERACTION`.

    Notes
    -----
    Mantel-Haenszel log rate ratios within each level. A learner is deleted from both levels at once, so that the
    jackknife error of the difference holds for learners who wrote at both; t with the replicates less one.
    """
    recipe = get_preset(preset, bands=tuple(sorted({low, high})))
    admitted = admit(counted.units, recipe)
    features = sorted(counted.counts["feature"].unique())
    panel = make_panel(admitted, counted.counts, features, recipe)
    if panel.bands != sorted({low, high}):
        msg = f"An interaction needs texts of bands {low} and {high}; there are {listed(panel.bands)}"
        raise InputError(msg)
    learners = {
        b: np.bincount(panel.label[panel.words[:, panel.bands.index(b)] > 0], minlength=len(panel.l1s))
        for b in (low, high)
    }
    folds = np.arange(len(panel.label)) % min(60, len(panel.label))
    one, two = (panel.ratios(recipe, panel.bands.index(b), folds=folds) for b in (low, high))
    change = two.replicates - one.replicates
    n = len(change)
    se = np.sqrt((n - 1) / n * ((change - change.mean(axis=0)) ** 2).sum(axis=0))
    difference = two.log_ratio - one.log_ratio
    units = [np.repeat(learners[b], len(features)) for b in (low, high)]
    few = np.minimum(*units) < recipe.min_units
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.where((se > 0) & ~few.reshape(se.shape), difference / se, np.nan)
    half = -stats.t_quantile(0.025, n - 1) * se
    frame = pd.DataFrame(
        {
            "l1": np.repeat(np.array(panel.l1s, dtype=object), len(features)),
            "feature": np.tile(np.array(features, dtype=object), len(panel.l1s)),
            "units_low": units[0],
            "units_high": units[1],
            "log_ratio_low": one.log_ratio.ravel(),
            "log_ratio_high": two.log_ratio.ravel(),
            "difference": difference.ravel(),
            "se": se.ravel(),
            "ci_low": (difference - half).ravel(),
            "ci_high": (difference + half).ravel(),
            "p": stats.t_p_value(t, n - 1).ravel(),
        }
    )
    ends = ["ci_low", "ci_high"]
    frame[ends] = frame[ends].where(frame["p"].notna())
    without = np.where(
        few, f"fewer than {recipe.min_units} units at a level", "no rate ratio at a level, or no variation"
    )
    frame["reason"] = np.where(frame["p"].notna(), "", without)
    frame["q"], frame["m"] = stats.adjust(frame["p"], "bh")
    return tables.conform(frame, tables.LEVEL_INTERACTION)
