"""The figures that say how far a recipe can be trusted on a corpus, as one table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from miner import tables
from miner.errors import StatisticsError
from miner.evaluate.halves import compare_halves
from miner.evaluate.heldout import FEWEST, HeldOut, held_out_auc, length_baseline, prompt_baseline
from miner.evaluate.planted import compare_planted
from miner.evaluate.shuffles import shuffle_labels, uniformity
from miner.learner import DEFAULT_PRESET, Counts, L1Preset, get_preset

#: Called with what is being done.
Tell = Callable[[str], None]
Row = dict[str, object]


def validate(
    counted: Counts,
    presets: Sequence[str | L1Preset] = (DEFAULT_PRESET, "trans-env"),
    *,
    labels: dict[str, str] | None = None,
    shuffles: int = 200,
    splits: int = 20,
    folds: int = 10,
    fewest: int = FEWEST,
    planted: pd.DataFrame | None = None,
    seed: int = 20250101,
    tell: Tell = lambda _: None,
) -> pd.DataFrame:
    """Return shuffled-label figures, halves, held-out AUC and, with a simulated corpus, what was found of the planted.

    Parameters
    ----------
    counted : Counts
    presets : sequence of str or L1Preset
        Recipes, judged side by side in one run with the same seed.
    labels : dict, optional
        Features that are tested even if nobody has them.
    shuffles, splits, folds : int
        Shuffles of the labels, splits into halves, folds of the held-out AUC (0: not done).
    fewest : int
        Learners that an L1 needs to be scored held out.
    planted : DataFrame, optional
        :data:`miner.tables.PLANTED` of a simulated corpus.
    seed : int
    tell : callable

    Returns
    -------
    DataFrame
        :data:`miner.tables.VALIDATION`.
    """
    rows: list[Row] = []
    for preset in presets:
        recipe = get_preset(preset)
        tell(f"{recipe.name}: {shuffles} shuffles of the labels")
        found = _shuffle_rows(counted, recipe, labels, shuffles, seed)
        if splits:
            tell(f"{recipe.name}: {splits} splits into halves")
            found += _half_rows(counted, recipe, labels, splits, seed)
        if folds:
            tell(f"{recipe.name}: {folds} folds of held-out AUC")
            found += _auc_rows(counted, recipe, labels, folds, fewest, seed)
        if planted is not None:
            found += compare_planted(counted, recipe, planted, labels=labels, seed=seed)
        rows += [{"preset": recipe.name, **row} for row in found]
    blank: Row = {"low": None, "high": None, "n": None, "note": ""}
    return tables.conform([blank | row for row in rows], tables.VALIDATION)


def _row(figure: str, value: float, n: int | None = None, note: str = "", **ends: float) -> Row:
    return {"figure": figure, "value": value, "n": n, "note": note, **ends}


def _shuffle_rows(
    counted: Counts, recipe: L1Preset, labels: dict[str, str] | None, shuffles: int, seed: int
) -> list[Row]:
    found = shuffle_labels(counted, recipe, labels=labels, shuffles=shuffles, seed=seed)
    rows = [
        _row("selected per L1, true labels", found.selected_true, found.l1s, f"{found.l1s_with_none} L1s with none"),
        _row("selected per L1, shuffled labels", found.selected_shuffled, found.shuffles),
        _row(
            "share of shuffles that select anything",
            found.any_at_all,
            found.shuffles,
            f"at most .05 + Monte Carlo error ({found.error:.3f}) if the recipe controls it",
        ),
        _row("share of families that select anything, shuffled labels", found.any_family, found.shuffles),
        _row(
            "rate: selected with shuffled over true labels",
            found.rate,
            found.shuffles,
            "" if found.rate == found.rate else "undefined: nothing is selected with the true labels",
        ),
        _row(
            "share of units whose label moves", found.moved, None, "the others are alone with their L1 in their stratum"
        ),
    ]
    expected = uniformity(found.p_values)
    rows += [
        _row(f"share of p <= {a}, shuffled labels", v, len(found.p_values), f"{a} if p is uniform")
        for a, v in expected.items()
    ]
    return rows


def _half_rows(counted: Counts, recipe: L1Preset, labels: dict[str, str] | None, splits: int, seed: int) -> list[Row]:
    half = compare_halves(counted, recipe, labels=labels, splits=splits, seed=seed)
    note = f"{half.untestable} findings were not testable in the other half"
    return [
        _row("selected per L1 in a half", half.found, 2 * splits),
        _row("findings of a half with the same sign in the other", half.same_sign, 2 * splits, note),
        _row("findings of a half with one-sided p < .05 in the other", half.replicated, 2 * splits, note),
        _row("overlap of halves (Jaccard)", half.jaccard, splits),
        _row("stability of halves (Nogueira)", half.stability, 2 * splits),
    ]


def _auc_rows(
    counted: Counts, recipe: L1Preset, labels: dict[str, str] | None, folds: int, fewest: int, seed: int
) -> list[Row]:
    try:
        found = held_out_auc(counted, recipe, labels=labels, folds=folds, fewest=fewest, seed=seed)
    except StatisticsError as err:
        return [_row("held-out AUC", np.nan, None, str(err))]
    base = held_out_auc(
        counted, recipe, labels=labels, folds=folds, fewest=fewest, resamples=0, shuffled=True, seed=seed
    )
    note = f"macro mean over {' '.join(found.l1s)}; interval by learner bootstrap, conditional on the fitted models"
    rows = [
        _row("held-out AUC", found.pooled, len(found.l1s), note, low=found.low, high=found.high),
        _row("held-out AUC, mean over folds", found.folds, len(found.l1s)),
        _row("held-out AUC, pairs of the same band and prompt", found.within, len(found.l1s)),
        _row("held-out AUC, learners", found.by_learner, len(found.l1s)),
        _row("held-out AUC, baseline: shuffled labels", base.pooled, len(base.l1s)),
    ]
    others: list[tuple[str, HeldOut]] = [
        ("prompt only", prompt_baseline(counted, recipe, folds=folds, fewest=fewest, seed=seed)),
        ("length only", length_baseline(counted, recipe, fewest=fewest, seed=seed)),
    ]
    return rows + [_row(f"held-out AUC, baseline: {n}", b.pooled, len(b.l1s)) for n, b in others]


def verdict(table: pd.DataFrame, preset: str) -> list[tuple[str, bool | None]]:
    """Return the sentences of a verdict on one recipe with whether each holds; None where it cannot be told.

    Parameters
    ----------
    table : DataFrame
        :data:`miner.tables.VALIDATION`.
    preset : str
    """
    rows = table[table["preset"] == preset]
    values = dict(zip(rows["figure"], rows["value"].astype("float64"), strict=True))
    n = float(rows.loc[rows["figure"] == "share of shuffles that select anything", "n"].iloc[0])
    limit = 0.05 + 1.645 * np.sqrt(0.05 * 0.95 / n)
    share = values["share of shuffles that select anything"]
    yield_ = values["selected per L1, true labels"]
    sign = values.get("findings of a half with the same sign in the other", np.nan)
    again = values.get("findings of a half with one-sided p < .05 in the other", np.nan)
    return [
        (
            f"With shuffled labels something is selected in {share:.1%} of runs (limit {limit:.1%})",
            bool(share <= limit),
        ),
        (f"With the true labels {yield_:.3g} features per L1 are selected", bool(yield_ > 0)),
        (_told("of a half's findings keep their sign in the other half (at least 95 %)", sign), _holds(sign, 0.95)),
        (
            _told("of a half's findings reach one-sided p < .05 in the other (at least 65 %)", again),
            _holds(again, 0.65),
        ),
    ]


def _told(what: str, share: float) -> str:
    return f"{share:.1%} {what}" if share == share else f"Not to be told: what share {what}"


def _holds(share: float, least: float) -> bool | None:
    return bool(share >= least) if share == share else None
