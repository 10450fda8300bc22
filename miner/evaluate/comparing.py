"""Comparisons other than one L1 against all others: two L1s, groups of L1s, levels, L1 x level, and corpora."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from miner import stats, tables
from miner.errors import InputError, OptionError, listed, nearest
from miner.learner import DEFAULT_PRESET, Counts, L1Preset, admit, get_preset, test_l1
from miner.learner.panel import make_panel
from miner.learner.thresholds import failures
from miner.ledger import Ledger

#: Fewest corpora for random effects.
FEWEST_CORPORA = 4


def compare_groups(
    counted: Counts,
    target: Sequence[str],
    reference: Sequence[str] | None = None,
    *,
    preset: str | L1Preset = DEFAULT_PRESET,
    name: str | None = None,
    labels: dict[str, str] | None = None,
    seed: int = 20250101,
) -> pd.DataFrame:
    """Test L1s taken together (a family, those without articles, a single one) against other L1s.

    Parameters
    ----------
    counted : Counts
    target : sequence of str
        L1 codes.
    reference : sequence of str, optional
        L1 codes; all others by default. One code compares two L1s.
    preset : str or L1Preset
        With contrast ``equal`` every L1 of the reference weighs the same; the target's learners are pooled.
    name : str, optional
        What stands in the column ``l1``; the codes joined by ``+`` by default.
    labels : dict, optional
    seed : int

    Returns
    -------
    DataFrame
        :data:`miner.tables.L1_TESTS`, the rows of the target; correction families count these rows only.

    Raises
    ------
    OptionError
        If a code is unknown or on both sides.
    """
    units = counted.units
    known = sorted(set(units["l1"].dropna()))
    sides = [*target, *(reference or ())]
    unknown = [c for c in sides if c not in known]
    twice = sorted(set(target) & set(reference or ()))
    if unknown or twice or not target:
        hint = nearest(unknown[0], known) if unknown else ""
        msg = f"A comparison needs different L1s of the corpus ({listed(known)}). Unknown: {listed(unknown) or 'none'}; on both sides: {listed(twice) or 'none'}{hint}"
        raise OptionError(msg)
    title = name or "+".join(target)
    l1 = units["l1"].where(~units["l1"].isin(list(target)), title)
    if reference is not None:
        rows = l1.isin([title, *reference])
        units, l1 = units[rows], l1[rows]
    tests = test_l1(counted.counts, units.assign(l1=l1), preset=preset, labels=labels, seed=seed)
    return _readjusted(tests[tests["l1"] == title], get_preset(preset))


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
    tests = test_l1(counted.counts, tables.conform(units, tables.UNITS), preset=recipe, labels=labels, seed=seed)
    own = tests[tests["l1"] == f"level {high}"].assign(cefr=f"{low}-{high}")
    return _readjusted(own, recipe)


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


def compare_corpora(tests: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Does a contrast hold in several corpora?

    Parameters
    ----------
    tests : mapping of str to DataFrame
        :data:`miner.tables.L1_TESTS` of each corpus, made with the same preset.

    Returns
    -------
    DataFrame
        :data:`miner.tables.CORPORA_COMPARISON`. From four corpora with a log rate ratio on, random effects.

    Raises
    ------
    OptionError
        With fewer than two corpora.
    """
    if len(tests) < 2:
        msg = f"A comparison over corpora needs two or more; got {len(tests)}"
        raise OptionError(msg)
    parts = [frame.assign(corpus=name) for name, frame in sorted(tests.items())]
    both = pd.concat(parts, ignore_index=True)
    both = both[both["status"] == "tested"]
    rows = [
        _over_corpora(tuple(map(str, key)), part) for key, part in both.groupby(["l1", "cefr", "feature"], sort=True)
    ]
    frame = pd.DataFrame(rows, columns=[n for n in tables.CORPORA_COMPARISON.names if n not in ("q", "m")])
    frame["q"], frame["m"] = stats.adjust(frame["p_conjunction"].astype("float64"), "bh")
    return tables.conform(frame, tables.CORPORA_COMPARISON)


def _over_corpora(key: tuple[str, ...], part: pd.DataFrame) -> dict[str, object]:
    l1, cefr, feature = key
    sign = np.sign(part["effect"].to_numpy(dtype=np.float64))
    p = part["p"].to_numpy(dtype=np.float64)
    sides = {s: np.where(sign == s, p / 2, 1 - p / 2) for s in (1.0, -1.0)}
    found = {s: stats.partial_conjunction(v) for s, v in sides.items()}
    best = min(found, key=lambda s: (np.nan_to_num(found[s], nan=2.0), -s))
    row: dict[str, object] = {
        "l1": l1,
        "cefr": cefr,
        "feature": feature,
        "corpora": len(part),
        "same_sign": bool((sign == sign[0]).all() and sign[0] != 0),
        "direction": "over" if best > 0 else "under",
        # Both directions were looked at.
        "p_conjunction": min(1.0, 2 * found[best]) if found[best] == found[best] else np.nan,
    }
    half = (part["log_ratio_high"] - part["log_ratio_low"]).to_numpy(dtype=np.float64) / 2
    known = np.isfinite(half) & (half > 0)
    names = ("mean", "ci_low", "ci_high", "predicted_low", "predicted_high", "tau2")
    if known.sum() < FEWEST_CORPORA:
        return row | dict.fromkeys(names, np.nan)
    # Half the 95 % interval over 1.96: a little more than the standard error where the interval is Student's.
    pooled = stats.random_effects(part["log_ratio"].to_numpy(dtype=np.float64)[known], half[known] / 1.959963984540054)
    values = (pooled.mean, pooled.low, pooled.high, pooled.predicted_low, pooled.predicted_high, pooled.tau2)
    return row | dict(zip(names, values, strict=True))


def _readjusted(rows: pd.DataFrame, recipe: L1Preset) -> pd.DataFrame:
    # The family is what was asked for: q, and what fails by it, are those of these rows.
    rows = rows.copy()
    if recipe.correction != "max-t":
        rows["q"], rows["m"] = stats.adjust_families(
            rows["p"].astype("float64"), rows["correction_family"], recipe.correction
        )
    rows["failed"] = failures(rows, recipe)
    return rows.reset_index(drop=True)
