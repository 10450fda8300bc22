"""Scores, p-values and max-T of a family from the statistics of its labellings: all of them, or random ones with a tail."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from miner.stats.moments import Floats, Ints
from miner.stats.scores import LEAST_SD, left_out_scores, score, three_moments

#: Fewest permutations at least as extreme for which the Monte Carlo count itself is the p-value.
FEW = 10
#: Skewness of the permutation distribution above which its tail is not extrapolated.
MOST_SKEW = 2.0

#: One array for each attribute of a permuted family, over the hypotheses of the family.
Parts = dict[str, NDArray[np.generic]]


def all_labellings(drawn: Floats, observed: Floats) -> Parts:
    """Return exact p-values: ``drawn`` has all labellings, shape (labellings, hypotheses)."""
    m, n = drawn.shape
    mean, sd, skew = three_moments(drawn)
    usable = sd > LEAST_SD
    bounded = np.clip(skew, -1.0, 1.0)
    scores = np.where(usable, np.abs(score(drawn, mean, sd, bounded)), 0.0)
    # Labellings that differ by the order of a sum alone are ties.
    size = np.where(usable, np.abs(score(observed, mean, sd, bounded)), 0.0) * (1 - 1e-9)
    count = (scores >= size).sum(axis=0)
    reached = m - np.searchsorted(np.sort(scores.max(axis=1, initial=0.0)), size, side="left")
    z = np.where(usable, score(observed, mean, sd, skew), 0.0)
    method, total = np.full(n, "exact", dtype=object), np.full(n, m, dtype=np.int64)
    numbers = {"mean": mean, "sd": sd, "skew": skew, "z": z, "p": count / m, "adjusted": reached / m}
    return {"count": count, "total": total, "method": method, **numbers}


def summaries(drawn: NDArray[np.float32], observed: NDArray[np.float32], *, least: float) -> Parts:
    """Return p-values from random labellings, shape (labellings, hypotheses); none of the tail is under ``least``."""
    m, n = drawn.shape
    out: Parts = {k: np.full(n, np.nan) for k in ("z", "p", "mean", "sd", "skew")}
    out["count"], out["method"] = np.zeros(n, dtype=np.int64), np.full(n, "", dtype=object)
    out["total"] = np.full(n, m, dtype=np.int64)
    largest, own = np.zeros(m), np.zeros(n)
    step = max(1, 4_000_000 // max(m, 1))
    for start in range(0, n, step):
        at = slice(start, start + step)
        block, value = drawn[:, at].astype(np.float64), observed[at].astype(np.float64)
        mean, sd, skew = three_moments(block)
        usable = sd > LEAST_SD
        scores = np.abs(left_out_scores(np.vstack([block, value])))
        here, size = score(value, mean, sd, skew), scores[-1]
        count = (scores[:-1] >= size).sum(axis=0)
        scores = np.where(usable, scores, 0.0)
        own[at], largest = scores[-1], np.maximum(largest, scores[:-1].max(axis=1, initial=0.0))
        p, method = _p_values(here, count, skew, m, least)
        out["mean"][at], out["sd"][at], out["skew"][at], out["count"][at] = mean, sd, skew, count
        out["z"][at] = np.where(usable, here, 0.0)
        out["p"][at], out["method"][at] = np.where(usable, p, 1.0), np.where(usable, method, "monte carlo")
    reached = m - np.searchsorted(np.sort(largest), own, side="left")
    out["adjusted"] = (reached + 1) / (m + 1)
    return out


def _p_values(z: Floats, count: Ints, skew: Floats, m: int, least: float) -> tuple[Floats, NDArray[np.object_]]:
    counted = (count + 1) / (m + 1)
    # Never under what enumerating every labelling could give, and never 0.
    tail = np.clip(2 * special.ndtr(-np.abs(z)), max(least, np.finfo(np.float64).tiny), counted)
    method = np.select([count >= FEW, np.abs(skew) <= MOST_SKEW], ["monte carlo", "tail"], default="floor")
    return np.where(method == "tail", tail, counted), method.astype(object)
