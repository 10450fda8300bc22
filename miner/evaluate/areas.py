"""How well scores tell L1s apart: areas under the curve, over all pairs, within prompts, by learner, with their interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats as scipy_stats

from miner.evaluate.likeness import mean_known


@dataclass(frozen=True)
class HeldOut:
    """Macro mean over L1s of the AUC of the L1 against the rest.

    Attributes
    ----------
    pooled : float
        All folds' scores together.
    folds : float
        Mean over folds.
    within : float
        Over pairs of texts of the same band and known prompt only; NaN where there are none.
    by_learner : float
        As ``pooled``, with a learner's scores averaged.
    low, high : float
        95 % interval of ``pooled`` by a bootstrap of learners, conditional on the fitted models.
    l1s : list of str
        L1s that were scored.
    without : float
        Share of these L1s without any feature, mean over folds: their texts all score 0, which is an AUC of .5. NaN for baselines.
    features : float
        Features that score a text, mean over L1s and folds. NaN for baselines.
    inventories : int
        L1s times folds, over which ``without`` and ``features`` are means; 0 for baselines.
    """

    pooled: float
    folds: float
    within: float
    by_learner: float
    low: float
    high: float
    l1s: list[str]
    without: float = float("nan")
    features: float = float("nan")
    inventories: int = 0


def summary(
    texts: pd.DataFrame, scores: np.ndarray, fold: np.ndarray, l1s: list[str], resamples: int, rng: np.random.Generator
) -> HeldOut:
    """Return the areas of scores that were given to texts not learnt from.

    Parameters
    ----------
    texts : DataFrame
        Columns ``member`` (the learner), ``l1, band, prompt``; one row per text.
    scores : array of float, shape (texts, l1s)
    fold : array of int, shape (texts,)
    l1s : list of str
    resamples : int
        Of the bootstrap of learners; 0 for no interval.
    rng : Generator
    """
    label = texts["l1"].to_numpy()
    # Of texts whose prompt is unknown it is not known whether they share one.
    known = texts["prompt"].notna() & texts["prompt"].astype(str).ne("")
    kind = texts.groupby(["band", "prompt"], dropna=False).ngroup().where(known, -1).to_numpy()
    pooled = [auc(scores[label == l1, j], scores[label != l1, j]) for j, l1 in enumerate(l1s)]
    by_fold = [
        mean_known(
            [
                auc(scores[(fold == k) & (label == l1), j], scores[(fold == k) & (label != l1), j])
                for k in np.unique(fold)
            ]
        )
        for j, l1 in enumerate(l1s)
    ]
    within = [_within(scores[:, j], label == l1, kind) for j, l1 in enumerate(l1s)]
    mean = pd.DataFrame(scores).groupby(texts["member"].to_numpy()).mean()
    owner = texts.drop_duplicates("member").set_index("member")["l1"].reindex(mean.index).to_numpy()
    member = [auc(mean.loc[owner == l1, j], mean.loc[owner != l1, j]) for j, l1 in enumerate(l1s)]
    low, high = _bootstrap(texts, scores, l1s, resamples, rng)
    return HeldOut(mean_known(pooled), mean_known(by_fold), mean_known(within), mean_known(member), low, high, l1s)


def auc(target: object, reference: object) -> float:
    """Return the share of pairs in which the target's score is the higher one, ties as halves; NaN without pairs."""
    one, two = np.asarray(target, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    if not one.size or not two.size:
        return float("nan")
    ranks = scipy_stats.rankdata(np.concatenate([one, two]))
    return float((ranks[: one.size].sum() - one.size * (one.size + 1) / 2) / (one.size * two.size))


def _within(score: np.ndarray, target: np.ndarray, kind: np.ndarray) -> float:
    wins = pairs = 0.0
    for k in np.unique(kind[kind >= 0]):
        one, two = score[target & (kind == k)], score[~target & (kind == k)]
        if one.size and two.size:
            wins += auc(one, two) * one.size * two.size
            pairs += one.size * two.size
    return wins / pairs if pairs else float("nan")


def _bootstrap(
    texts: pd.DataFrame, scores: np.ndarray, l1s: list[str], resamples: int, rng: np.random.Generator
) -> tuple[float, float]:
    if not resamples:
        return float("nan"), float("nan")
    member, names = pd.factorize(texts["member"], sort=True)
    label, values = texts["l1"].to_numpy(), np.empty((resamples, len(l1s)))
    places = [np.unique(scores[:, j], return_inverse=True)[1] for j in range(len(l1s))]
    for i in range(resamples):
        drawn = np.bincount(rng.integers(0, len(names), len(names)), minlength=len(names))[member]
        for j, l1 in enumerate(l1s):
            values[i, j] = _weighted_auc(places[j], label == l1, drawn)
    low, high = np.quantile([mean_known(row) for row in values.tolist()], [0.025, 0.975])
    return float(low), float(high)


def _weighted_auc(place: np.ndarray, target: np.ndarray, weight: np.ndarray) -> float:
    # As auc() of texts repeated by their weights; place is the rank of each text's score, the same for ties.
    n = int(place.max()) + 1
    one = np.bincount(place[target], weights=weight[target], minlength=n)
    two = np.bincount(place[~target], weights=weight[~target], minlength=n)
    pairs = one.sum() * two.sum()
    return float((one * (np.cumsum(two) - two / 2)).sum() / pairs) if pairs else float("nan")
