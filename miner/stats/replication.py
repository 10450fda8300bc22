"""How probably a finding would be found again in as many new units, from all p-values of its family."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from miner.errors import StatisticsError
from miner.stats.empirical_bayes import Description, by_feature, two_groups
from miner.stats.moments import Floats
from miner.stats.multiple import require_probabilities


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
        If a p-value lies outside [0, 1], the level is not inside it, or the shapes differ.

    Notes
    -----
    Empirical Bayes: z, the normal deviate of p / 2, is taken as the size of an estimate with standard error 1 of a true size. With v the
    variance of z and b = 1 - 1 / v a new z has mean b z and variance 1 + b: the probability is Phi((b z - z_level) / sqrt(1 + b)), and
    ``level`` where the true size is 0. Two descriptions of the true sizes are weighted by their likelihoods (both have two
    parameters): many differences, of sizes that depend on the feature (:func:`miner.stats.empirical_bayes.by_feature`), and few among
    nulls (:func:`miner.stats.empirical_bayes.two_groups`).
    """
    values, names = np.asarray(p, dtype=np.float64), np.asarray(feature)
    if values.shape != names.shape:
        msg = f"p has shape {values.shape}, feature {names.shape}; expected the same"
        raise StatisticsError(msg)
    if not 0 < level < 1:
        msg = f"The level must be above 0 and below 1. Got {level!r}"
        raise StatisticsError(msg)
    names = names.astype(str) if names.dtype == object else names
    there = ~np.isnan(values)
    known, result = require_probabilities(values[there]), np.full(values.shape, np.nan)
    if not known.size:
        return result
    z = -special.ndtri(np.maximum(known, np.finfo(np.float64).tiny) / 2)
    _, code = np.unique(names[there], return_inverse=True)
    # No sum depends on the order of the tests, and none on the names of the features.
    order = np.lexsort((code, z))
    probability = np.empty(known.size)
    probability[order] = _again(z[order], code[order], level)
    result[there] = probability
    return result


def _again(z: Floats, code: np.ndarray, level: float) -> Floats:
    if z[-1] == 0:  # the largest
        return np.full(len(z), level)
    dense, sparse = by_feature(z, code), two_groups(z)
    weight = float(special.expit(sparse.log_likelihood - dense.log_likelihood))
    return (1 - weight) * _probability(z, dense, level) + weight * _probability(z, sparse, level)


def _probability(z: Floats, described: Description, level: float) -> Floats:
    drawn = 1 - 1 / described.variance
    if_real = special.ndtr((drawn * z + special.ndtri(level)) / np.sqrt(1 + drawn))
    return np.asarray(described.share * if_real + (1 - described.share) * level)


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
