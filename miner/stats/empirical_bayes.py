"""How large the true sizes behind a family of z are: a variance for each feature, or a share of nulls and one variance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from miner.stats.moments import Floats, Ints


@dataclass(frozen=True)
class Description:
    """A description of z, each the size of an estimate with standard error 1.

    Attributes
    ----------
    variance : float array, shape (tests,)
        Of z where the true size is not 0: 1 plus that of the true sizes.
    share : float array, shape (tests,)
        Probability that the true size is not 0.
    log_likelihood : float
        Of all z.
    """

    variance: Floats
    share: Floats
    log_likelihood: float


def by_feature(z: Floats, feature: Ints) -> Description:
    """Describe true sizes as normal around 0 with a variance for each feature, no size being exactly 0.

    Parameters
    ----------
    z : float array, shape (tests,)
        In an order that does not depend on that of the tests.
    feature : int array, shape (tests,)
        0 to (features - 1), each at least once. Contrasts of k groups with the others have k - 1 degrees of freedom: they sum to about 0.

    Notes
    -----
    The variances of z are those of :func:`moderated`, taken as 1 at least. Likelihood: the sum of squares of n normal deviates whose
    variance is scaled inverse chi-square with d0 degrees of freedom and location s0.
    """
    n = np.bincount(feature)
    sums = np.bincount(feature, weights=z**2)
    df = np.maximum(n - 1, 1)
    d0, s0 = common_variance(sums / n, df)
    moved = _drawn(sums / n, df, d0, s0)
    if np.isinf(d0):
        parts = -0.5 * (n * np.log(2 * np.pi * s0) + sums / s0)
    else:
        total = d0 * s0 + sums
        parts = special.gammaln((d0 + n) / 2) - special.gammaln(d0 / 2) - n / 2 * np.log(np.pi)
        parts += d0 / 2 * np.log(d0 * s0) - (d0 + n) / 2 * np.log(total)
    return Description(np.maximum(moved, 1.0)[feature], np.ones(len(z)), float(np.sum(np.sort(parts))))


def two_groups(z: Floats, *, rounds: int = 1000) -> Description:
    """Describe true sizes as 0 for a share of the tests, normal around 0 with one variance for the others.

    Parameters
    ----------
    z : float array, shape (tests,)
        In an order that does not depend on that of the tests.
    rounds : int
        Of the EM algorithm at most; it ends when share and variance change by less than one in a hundred million.

    Notes
    -----
    Efron (2008), Statistical Science 23, 1-22, with a theoretical null and a normal alternative, by maximum likelihood. The likelihood
    has several maxima where one size is far from the others: the best of those from half of the tests, a tenth and one on is taken.
    """
    usual, largest = float(np.mean(z**2)), float(np.max(z**2))
    starts = [(0.5, 2 * usual), (0.9, 10 * usual), (1 - 1 / max(len(z), 2), largest)]
    fits = [_fit(z, null, max(variance, 1.5), rounds) for null, variance in starts]
    return max(fits, key=lambda fit: fit.log_likelihood)


def _fit(z: Floats, null: float, variance: float, rounds: int) -> Description:
    first = second = z
    for _ in range(rounds + 1):
        # Logarithms: a z of 30 has a density of 0 under the null.
        first = np.log(null) - 0.5 * z**2
        second = np.log1p(-null) - 0.5 * np.log(variance) - 0.5 * z**2 / variance
        before = null, variance
        member = special.expit(second - first)
        weight = float(member.sum())
        null = float(np.clip(1 - weight / len(z), 1e-12, 1 - 1e-12))
        variance = max(float(np.sum(member * z**2)) / weight, 1 + 1e-9) if weight > 0 else variance
        if abs(null - before[0]) < 1e-8 and abs(variance / before[1] - 1) < 1e-8:
            break
    total = float(np.sum(np.logaddexp(first, second))) - 0.5 * len(z) * np.log(2 * np.pi)
    return Description(np.full(len(z), before[1]), special.expit(second - first), total)


def moderated(variances: ArrayLike, df: ArrayLike) -> Floats:
    """Return variances drawn to what they have in common.

    Parameters
    ----------
    variances : array_like of float, shape (features,)
        Each with a scaled chi-square distribution; not negative.
    df : array_like of int, shape (features,)
        Degrees of freedom, 1 at least.

    Notes
    -----
    (d0 s0 + df variance) / (d0 + df) with d0 and s0 of :func:`common_variance`; s0 itself where d0 is infinite. limma's ``squeezeVar``.
    """
    s, d = np.asarray(variances, dtype=np.float64), np.asarray(df, dtype=np.float64)
    return _drawn(s, d, *common_variance(s, d))


def _drawn(variances: Floats, df: np.ndarray, d0: float, s0: float) -> Floats:
    if np.isinf(d0):
        return np.full(variances.shape, s0)
    return np.asarray((d0 * s0 + df * variances) / (d0 + df), dtype=np.float64)


def common_variance(variances: ArrayLike, df: ArrayLike) -> tuple[float, float]:
    """Return degrees of freedom d0 and location s0 of the scaled inverse chi-square distribution that the true variances come from.

    Notes
    -----
    Smyth (2004), Statistical Applications in Genetics and Molecular Biology 3, article 3, section 6.2 (limma's ``fitFDist``): those that give
    the logarithms of the variances their mean and variance; d0 is infinite where they differ no more than by chance. Variances under
    1e-5 of the median are taken as that, as there (of the mean, where the median is 0).
    """
    s, d = np.asarray(variances, dtype=np.float64), np.asarray(df, dtype=np.float64)
    usual = float(np.median(s)) or float(np.mean(s))
    half = d / 2
    logs = np.log(np.maximum(s, 1e-5 * usual)) - special.digamma(half) + np.log(half)
    mean = float(np.mean(np.sort(logs)))
    spread = float(np.sum(np.sort((logs - mean) ** 2)) / (s.size - 1)) if s.size > 1 else 0.0
    spread -= float(np.mean(special.polygamma(1, np.sort(half))))
    if spread <= 0:
        return np.inf, float(np.exp(mean))
    d0 = 2 * _inverse_trigamma(spread)
    return d0, float(np.exp(mean + special.digamma(d0 / 2) - np.log(d0 / 2)))


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
