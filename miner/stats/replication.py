"""How probably a finding would be found again in as many new units, from all p-values of its family."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from miner.errors import StatisticsError
from miner.stats.moments import Floats

#: Standard errors by which an estimate is drawn to 0 at most.
FURTHEST = 3.0


def expected_replication(p: ArrayLike, feature: ArrayLike, *, level: float = 0.05) -> Floats:
    """Return the expected probability that a new sample of the same size shows the same direction with one-sided p < level.

    Parameters
    ----------
    p : array_like of float, shape (tests,)
        Two-sided p-values of one family; NaN stays NaN and is no member.
    feature : array_like, shape (tests,)
        Which feature each contrast of a group with the others is of.
    level : float
        Of the one-sided test in the new sample.

    Returns
    -------
    float array, shape (tests,)

    Raises
    ------
    StatisticsError
        If a p-value lies outside [0, 1] or the shapes differ.

    Notes
    -----
    Empirical Bayes: z, the normal deviate of p / 2, is the size of an estimate with standard error 1 of a true size that is normally
    distributed over groups with mean 0 and variance v of its feature. 1 + v is the mean of the feature's z^2, drawn to those of all
    features (:func:`moderated`), at least 1. With b = v / (1 + v) a new z has mean b z and variance 1 + b: the probability is
    Phi((b z - z_level) / sqrt(1 + b)). No mean is taken under z - 3 (limited translation; Efron and Morris 1972, JASA 67, 130-139):
    one large effect among many that are none is not shrunk away.
    """
    values, names = np.asarray(p, dtype=np.float64), np.asarray(feature)
    if values.shape != names.shape:
        msg = f"p has shape {values.shape}, feature {names.shape}; expected the same"
        raise StatisticsError(msg)
    there = ~np.isnan(values)
    known, result = values[there], np.full(values.shape, np.nan)
    if not known.size:
        return result
    if known.min() < 0 or known.max() > 1:
        msg = f"p-values must lie in [0, 1]; got {known.min()} to {known.max()}"
        raise StatisticsError(msg)
    z = -special.ndtri(np.maximum(known, np.finfo(np.float64).tiny) / 2)
    _, code = np.unique(names[there], return_inverse=True)
    # Sorted, so that no sum depends on the order of the tests.
    order = np.lexsort((z, code))
    n = np.bincount(code)
    squares = np.bincount(code[order], weights=z[order] ** 2) / n
    excess = np.maximum(moderated(squares, np.maximum(n - 1, 1)) - 1, 0.0)[code]
    share = excess / (1 + excess)
    mean = np.maximum(share * z, z - FURTHEST)
    result[there] = special.ndtr((mean + special.ndtri(level)) / np.sqrt(1 + share))
    return result


def replication_of_list(probability: ArrayLike) -> Floats:
    """Return for each finding the mean probability of all that are at least as probable: the list that ends with it.

    Parameters
    ----------
    probability : array_like of float, shape (findings,)
        Of :func:`expected_replication`; NaN stays NaN and is in no list.

    Notes
    -----
    Among lists with the same mean the one that takes the most probable first is the longest. The least probable finding of a list may be
    well under its mean, as with a false discovery rate.
    """
    values = np.asarray(probability, dtype=np.float64)
    there = ~np.isnan(values)
    known = np.sort(values[there])[::-1]
    last = np.searchsorted(-known, -values[there], side="right")
    result = np.full(values.shape, np.nan)
    result[there] = (np.cumsum(known) / np.arange(1, known.size + 1))[last - 1]
    return result


def moderated(variances: ArrayLike, df: ArrayLike) -> Floats:
    """Return variances drawn to what they have in common.

    Parameters
    ----------
    variances : array_like of float, shape (features,)
        Each with a scaled chi-square distribution; not negative.
    df : array_like of int, shape (features,)
        Degrees of freedom, 1 at least. (Contrasts of k groups with the others have k - 1: they sum to about 0.)

    Notes
    -----
    Smyth (2004), Statistical Applications in Genetics and Molecular Biology 3, article 3, section 6.2 (limma's ``squeezeVar``): the true
    variances come from a scaled inverse chi-square distribution, whose degrees of freedom d0 and location s0 are those that give the
    logarithms their mean and variance; result = (d0 s0 + df variance) / (d0 + df), s0 itself where the variances differ no more than
    by chance. Variances under 1e-5 of the median are taken as that, as there.
    """
    s, d = np.asarray(variances, dtype=np.float64), np.asarray(df, dtype=np.float64)
    middle = float(np.median(s)) if s.size else 0.0
    if middle <= 0:
        return s.copy()
    half = d / 2
    logs = np.log(np.maximum(s, 1e-5 * middle)) - special.digamma(half) + np.log(half)
    mean = float(np.mean(np.sort(logs)))
    spread = float(np.sum(np.sort((logs - mean) ** 2)) / (s.size - 1)) if s.size > 1 else 0.0
    spread -= float(np.mean(special.polygamma(1, np.sort(half))))
    if spread <= 0:
        return np.full(s.shape, np.exp(mean))
    d0 = 2 * _inverse_trigamma(spread)
    s0 = np.exp(mean + special.digamma(d0 / 2) - np.log(d0 / 2))
    return np.asarray((d0 * s0 + d * s) / (d0 + d), dtype=np.float64)


def _inverse_trigamma(x: float) -> float:
    # Newton's method on 1 / trigamma, which is convex: it converges from below (Smyth 2004, appendix).
    if x > 1e7:
        return float(1 / np.sqrt(x))
    if x < 1e-6:
        return 1 / x
    y = 0.5 + 1 / x
    for _ in range(50):
        value = float(special.polygamma(1, y))
        step = value * (1 - value / x) / float(special.polygamma(2, y))
        y += step
        if -step / y < 1e-12:
            break
    return y
