"""Log ratio of two rates whose occurrences come in clusters (learners)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse, special

from miner.errors import StatisticsError
from miner.stats.moments import Floats, weighted_sums


@dataclass(frozen=True)
class ClusteredRatios:
    """Log rate ratios of each group against all others; arrays have shape (groups, features).

    Attributes
    ----------
    log_ratio : float
        Natural logarithm of (occurrences / words) of the group over that of the others; NaN if a side has no occurrence.
    se : float
        Delta-method standard error over clusters.
    df : float, shape (groups, 1)
        Clusters of the smaller side less one.
    """

    log_ratio: Floats
    se: Floats
    df: Floats

    def interval(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """Return the ends of the interval of the logarithm (Student's t)."""
        half = special.stdtrit(np.maximum(self.df, 1), 0.5 + confidence / 2) * self.se
        return self.log_ratio - half, self.log_ratio + half


def clustered_log_ratio(counts: Any, exposure: ArrayLike, groups: ArrayLike, n_groups: int) -> ClusteredRatios:
    """Compare pooled rates, clusters as sampling units.

    Parameters
    ----------
    counts : scipy sparse array of int, shape (clusters, features)
        One row for each cluster: the sums of a learner.
    exposure : array_like of int, shape (clusters,)
        Words, > 0.
    groups : array_like of int, shape (clusters,)
    n_groups : int

    Notes
    -----
    For one side with rate r = O / W over k clusters, var(log r) = k / (k - 1) * sum (o - r w)^2 / O^2, the usual linearised
    variance of a ratio; the two sides add. Under about 40 clusters a side it is too small: use the jackknife of
    :func:`~miner.stats.stratified.mantel_haenszel`; under 10, a permutation test alone.
    """
    table, words, label = sparse.csr_array(counts), np.asarray(exposure, dtype=np.float64), np.asarray(groups)
    if table.shape[0] != len(words) or len(label) != len(words) or (words <= 0).any():
        msg = "counts, exposure and groups must have one row for each cluster, and words must be above 0"
        raise StatisticsError(msg)
    n = table.shape[1]
    row = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    cell, value = label[row] * n + table.indices, table.data.astype(np.float64)
    shape, size = (n_groups, n), n_groups * n

    def summed(weights: Floats) -> Floats:
        return weighted_sums(cell, weights, size).reshape(shape)

    occurrences, squares, cross = summed(value), summed(value**2), summed(value * words[row])
    total = weighted_sums(label, words, n_groups)[:, None]
    square_words = weighted_sums(label, words**2, n_groups)[:, None]
    clusters = np.bincount(label, minlength=n_groups).astype(np.float64)[:, None]
    parts = (occurrences, squares, cross, total, square_words, clusters)
    rest = tuple(np.stack([np.delete(x, g, axis=0).sum(axis=0) for g in range(n_groups)]) for x in parts)
    log_target, var_target = _log_rate(*parts)
    log_rest, var_rest = _log_rate(*rest)
    df = np.minimum(clusters, rest[5]) - 1
    return ClusteredRatios(log_target - log_rest, np.sqrt(var_target + var_rest), df)


def _log_rate(
    occurrences: Floats, squares: Floats, cross: Floats, words: Floats, square_words: Floats, clusters: Floats
) -> tuple[Floats, Floats]:
    with np.errstate(invalid="ignore", divide="ignore"):
        rate = occurrences / words
        spread = np.maximum(squares - 2 * rate * cross + rate**2 * square_words, 0.0)
        variance = clusters / (clusters - 1) * spread / occurrences**2
        some = (occurrences > 0) & (clusters > 1)
        return np.where(some, np.log(rate), np.nan), np.where(some, variance, np.nan)
