"""The figures that say how far a recipe can be trusted on a corpus, as one table, with the tables behind its pictures."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from miner.evaluate.gathering import Tell, Validation
from miner.evaluate.heldout import FEWEST
from miner.evaluate.judging import Judge
from miner.learner import DEFAULT_PRESET, Counts, L1Preset, get_preset


def validate(
    counted: Counts,
    presets: Sequence[str | L1Preset] = (DEFAULT_PRESET, "trans-env"),
    *,
    source: str = "checker",
    labels: dict[str, str] | None = None,
    shuffles: int = 200,
    splits: int = 20,
    folds: int = 10,
    fewest: int = FEWEST,
    texts: pd.DataFrame | None = None,
    planted: pd.DataFrame | None = None,
    other: Counts | None = None,
    other_name: str = "the other corpus",
    seed: int = 20250101,
    tell: Tell = lambda _: None,
) -> Validation:
    """Return shuffled-label figures, halves, held-out AUC with baselines, and what holds of the planted and in another corpus.

    Parameters
    ----------
    counted : Counts
    presets : sequence of str or L1Preset
        Recipes, judged side by side in one run with the same seed.
    source : str
        What was counted; a column of the tables.
    labels : dict, optional
        Features that are tested even if nobody has them.
    shuffles, splits, folds : int
        Shuffles of the labels, splits into halves, folds of the held-out AUC (0: not done).
    fewest : int
        Learners that an L1 needs to be scored held out.
    texts : DataFrame, optional
        :data:`miner.tables.TEXTS`: adds the baselines of length with the corpus's own marks, and of punctuation and layout.
    planted : DataFrame, optional
        :data:`miner.tables.PLANTED` of a simulated corpus.
    other : Counts, optional
        Another corpus, counted in the same way: mined on one, scored on the other.
    other_name : str
    seed : int
    tell : callable
    """
    judge = Judge(counted, source, labels, seed, tell)
    for preset in presets:
        judge.begin(get_preset(preset))
        judge.shuffled(shuffles)
        if splits:
            judge.halves(splits)
        if folds:
            judge.held_out(folds, fewest, texts)
        if planted is not None:
            judge.planted(planted)
        if other is not None:
            judge.across(other, other_name, fewest)
    return judge.result()
