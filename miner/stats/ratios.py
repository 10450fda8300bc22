"""Log ratio of two rates whose occurrences come in clusters (learners)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse, special

from miner.errors import StatisticsError, require_one_of
from miner.stats.moments import Floats, Ints, weighted_sums

Variance = Literal["auto", "delta", "cr2"]
VARIANCES = ("auto", "delta", "cr2")

#: Clusters of the smaller side from which the delta method is good enough, and under which no interval is given.
ENOUGH, TOO_FEW = 40, 10


@dataclass(frozen=True)
class ClusteredRatios:
    """Log rate ratios of each group against all others; arrays have shape (groups, features).

    Attributes
    ----------
    log_ratio : float
        Natural logarithm of (occurrences / words) of the group over that of the others; NaN if a side has no occurrence.
    se : float
        Standard error over clusters; NaN where ``method`` is ``none`` and where the ratio is.
    df : float
        Degrees of freedom of the interval; NaN as ``se``.
    method : str, shape (groups, 1)
        ``delta``, ``cr2``, or ``none`` where too few clusters are on a side: there a permutation test alone can tell.
    """

    log_ratio: Floats
    se: Floats
    df: Floats
    method: NDArray[np.object_]

    def interval(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """Return the ends of the interval of the logarithm (Student's t)."""
        half = special.stdtrit(np.maximum(self.df, 1), 0.5 + confidence / 2) * self.se
        return self.log_ratio - half, self.log_ratio + half


def clustered_log_ratio(
    counts: Any, exposure: ArrayLike, groups: ArrayLike, n_groups: int, *, variance: Variance = "auto"
) -> ClusteredRatios:
    """Compare pooled rates, clusters as sampling units.

    Parameters
    ----------
    counts : scipy sparse array of int, shape (clusters, features)
        One row for each cluster: the sums of a learner.
    exposure : array_like of int, shape (clusters,)
        Words, > 0.
    groups : array_like of int, shape (clusters,)
    n_groups : int
    variance : {"auto", "delta", "cr2"}
        ``auto``: ``delta`` with 40 clusters or more on both sides, ``cr2`` with 10 or more, else none. The others hold for
        every group with two clusters or more on both sides.

    Notes
    -----
    With rate r = O / W of a side's k clusters, o occurrences and w words each, the two sides add up to the squared error:
    ``delta``: k / (k - 1) * sum (o - r w)^2 / O^2, the usual linearised variance of a ratio; df = clusters of the smaller side - 1.
    ``cr2``: sum (o - r w)^2 / (1 - w / W) / O^2, which is Bell and McCaffrey's (2002) CR2 of the Poisson model with one rate a side;
    df by Satterthwaite's approximation under that model (Pustejovsky and Tipton 2018).
    """
    require_one_of(variance, VARIANCES, what="The 'variance'")
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
    log_target, squared_target = _log_rate(*parts)
    log_rest, squared_rest = _log_rate(*rest)
    fewest = np.minimum(clusters, rest[5])
    method = _methods(fewest, variance)
    squared, df = squared_target + squared_rest, np.broadcast_to(fewest - 1, shape).copy()
    for g in np.flatnonzero(method[:, 0] == "cr2"):
        sides = [_corrected(row, table.indices, value, words, label == g, n, here) for here in (True, False)]
        (one, weight_one, spread_one), (two, weight_two, spread_two) = sides
        squared[g] = one + two
        with np.errstate(invalid="ignore", divide="ignore"):
            df[g] = (weight_one + weight_two) ** 2 / (spread_one * weight_one**2 + spread_two * weight_two**2)
    known = (method != "none") & np.isfinite(squared)
    log = log_target - log_rest
    return ClusteredRatios(log, np.where(known, np.sqrt(squared), np.nan), np.where(known, df, np.nan), method)


def _methods(fewest: Floats, variance: Variance) -> NDArray[np.object_]:
    if variance == "auto":
        chosen = np.select([fewest >= ENOUGH, fewest >= TOO_FEW], ["delta", "cr2"], default="none")
    else:
        chosen = np.where(fewest > 1, variance, "none")
    return chosen.astype(object)


def _log_rate(
    occurrences: Floats, squares: Floats, cross: Floats, words: Floats, square_words: Floats, clusters: Floats
) -> tuple[Floats, Floats]:
    with np.errstate(invalid="ignore", divide="ignore"):
        rate = occurrences / words
        spread = np.maximum(squares - 2 * rate * cross + rate**2 * square_words, 0.0)
        variance = clusters / (clusters - 1) * spread / occurrences**2
        some = (occurrences > 0) & (clusters > 1)
        return np.where(occurrences > 0, np.log(rate), np.nan), np.where(some, variance, np.nan)


def _corrected(
    row: Ints,
    column: Ints,
    value: Floats,
    words: Floats,
    target: NDArray[np.bool_],
    n: int,
    side: bool,  # noqa: FBT001
) -> tuple[Floats, Floats, float]:
    # Squared error of a side; 1 / O, its share of the model's variance; and the sum of squares of the shares' matrix.
    members = target == side
    share = np.where(members, words, 0.0) / words[members].sum()
    left = np.where(members, 1 - share, 1.0)
    use = members[row]
    at, number, unit = column[use], value[use], row[use]
    occurrences = weighted_sums(at, number, n)
    with np.errstate(invalid="ignore", divide="ignore"):
        rate = occurrences / words[members].sum()
        some = weighted_sums(at, (number**2 - 2 * rate[at] * number * words[unit]) / left[unit], n)
        spread = np.maximum(some + rate**2 * float((np.where(members, words**2, 0.0) / left).sum()), 0.0)
        over = share**2 / left
        matrix = float((share**2).sum() + over.sum() ** 2 - (over**2).sum())
        there = occurrences > 0
        return np.where(there, spread / occurrences**2, np.nan), np.where(there, 1 / occurrences, np.nan), matrix
