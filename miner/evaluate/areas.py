"""How well scores tell L1s apart: areas under the curve, over all pairs, within prompts, by learner, with their interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats as scipy_stats


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
        Over pairs of texts of the same band and prompt only.
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
    kind = (texts["band"].astype(str) + "/" + texts["prompt"].fillna("").astype(str)).to_numpy()
    pooled = [auc(scores[label == l1, j], scores[label != l1, j]) for j, l1 in enumerate(l1s)]
    by_fold = [
        _mean(
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
    return HeldOut(_mean(pooled), _mean(by_fold), _mean(within), _mean(member), low, high, l1s)


def auc(target: object, reference: object) -> float:
    """Return the share of pairs in which the target's score is the higher one, ties as halves; NaN without pairs."""
    one, two = np.asarray(target, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    if not one.size or not two.size:
        return float("nan")
    ranks = scipy_stats.rankdata(np.concatenate([one, two]))
    return float((ranks[: one.size].sum() - one.size * (one.size + 1) / 2) / (one.size * two.size))


def _within(score: np.ndarray, target: np.ndarray, kind: np.ndarray) -> float:
    wins = pairs = 0.0
    for k in np.unique(kind):
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
    rows = [np.flatnonzero(member == k) for k in range(len(names))] if len(names) < 20_000 else None
    if rows is None:
        return float("nan"), float("nan")
    label, values = texts["l1"].to_numpy(), []
    for _ in range(resamples):
        chosen = np.concatenate([rows[k] for k in rng.integers(0, len(names), len(names))])
        own, part = label[chosen], scores[chosen]
        values.append(_mean([auc(part[own == l1, j], part[own != l1, j]) for j, l1 in enumerate(l1s)]))
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)


def _mean(values: list[float]) -> float:
    known = [v for v in values if not np.isnan(v)]
    return float(np.mean(known)) if known else float("nan")
