"""Do inventories tell L1s apart on texts of learners that were not mined? Held-out AUC with its baselines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from miner.errors import StatisticsError
from miner.evaluate.areas import HeldOut, summary
from miner.evaluate.members import admit_learners, relabelled, units_of
from miner.evaluate.weights import fit_weights, fitted_inventory, scored, shortened
from miner.learner import Counts, L1Preset, get_preset

#: An L1 needs this many learners (texts, without learner ids) to be scored; all others stay in the rest.
FEWEST = 40


def held_out_auc(
    counted: Counts,
    preset: str | L1Preset,
    *,
    labels: dict[str, str] | None = None,
    folds: int = 10,
    fewest: int = FEWEST,
    resamples: int = 200,
    shuffled: bool = False,
    seed: int = 20250101,
    progress: Callable[[int], None] | None = None,
) -> HeldOut:
    """Mine on nine tenths of the learners, score the texts of the last tenth.

    Parameters
    ----------
    counted : Counts
    preset : str or L1Preset
        The recipe; its inventories are cut at 10 features of an L1 in a band, or where the recipe cuts them itself.
    labels : dict, optional
    folds : int
    fewest : int
        Learners that an L1 needs to be scored.
    resamples : int
        Of the bootstrap; 0 for no interval.
    shuffled : bool
        Baseline: shuffle the learners' L1s within strata first.
    seed : int
    progress : callable, optional

    Raises
    ------
    StatisticsError
        If no L1 has enough learners.

    Notes
    -----
    Score of a text for an L1: the weighted sum of the standardised rates of the L1's features in the text's band
    (:func:`miner.evaluate.weights.fit_weights`); texts of bands without a feature score 0.
    """
    recipe = shortened(get_preset(preset))
    admitted = admit_learners(counted, recipe)
    rng = np.random.default_rng(seed)
    if shuffled:
        admitted = relabelled(admitted, rng)
    texts = admitted.texts
    sizes = texts.drop_duplicates("member")["l1"].value_counts()
    l1s = sorted(sizes.index[sizes >= fewest])
    if not l1s:
        msg = f"Held-out AUC needs an L1 with {fewest} learners; the largest has {sizes.max()}. Lower 'fewest', or add learners"
        raise StatisticsError(msg)
    fold = folds_of(texts, folds, rng)
    scores, numbers = np.zeros((len(texts), len(l1s))), []
    for k in range(int(fold.max()) + 1):
        train = units_of(replace(admitted, texts=texts[fold != k].reset_index(drop=True)), recipe)
        inventory = fitted_inventory(counted.counts, train, recipe, labels=labels, seed=seed + k)
        numbers.append([len(set(inventory.loc[inventory["l1"] == l1, "feature"])) for l1 in l1s])
        scores[fold == k] = _scores(counted.counts, texts, fold != k, fold == k, inventory, l1s)
        if progress is not None:
            progress(k + 1)
    found = summary(texts, scores, fold, l1s, resamples, rng)
    chosen = np.array(numbers, dtype=np.float64)
    return replace(found, without=float((chosen == 0).mean()), features=float(chosen.mean()), inventories=chosen.size)


def folds_of(texts: pd.DataFrame, folds: int, rng: np.random.Generator) -> np.ndarray:
    """Return the fold of each text, shape (texts,): learners are dealt out at random, L1 by L1, with all their texts.

    No more folds than learners: each holds one, and they are numbered from 0 without gaps.
    """
    first = texts.drop_duplicates("member").sort_values(["l1", "member"], kind="stable")
    order = np.lexsort((rng.random(len(first)), pd.factorize(first["l1"], sort=True)[0]))
    place = pd.Series(np.arange(len(first)) % min(folds, len(first)), index=pd.Index(first["member"].to_numpy()[order]))
    return place.reindex(texts["member"]).to_numpy(dtype=np.int64)


def _scores(
    counts: pd.DataFrame,
    texts: pd.DataFrame,
    train: np.ndarray,
    test: np.ndarray,
    inventory: pd.DataFrame,
    l1s: list[str],
) -> np.ndarray:
    own = inventory[inventory["l1"].isin(l1s)]
    return scored(counts, texts[test], fit_weights(counts, texts[train], own), l1s)
