"""Keyness of pooled counts: G2, chi-square, Fisher, log ratio and log odds. Tokens are taken as independent; learners' are not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special
from scipy import stats as scipy_stats

from miner.errors import StatisticsError
from miner.stats.moments import Bools, Floats, Ints

#: Words of both sides up to which Fisher's test is made.
MOST_WORDS = 2**31


@dataclass(frozen=True)
class Keyness:
    """Measures of each feature; arrays have the shape of the counts. NaN where neither side has an occurrence.

    Attributes
    ----------
    rate_target, rate_reference : float
        Per 1,000 words.
    sign : int
        1 if the target's rate is the higher one, -1 if the lower one, 0 if they are equal (as fractions).
    g2, p_g2 : float
        Log-likelihood ratio of the 2 x 2 table of occurrences and other words (Dunning 1993; all four cells, where corpus tools
        often sum the two of occurrences only), and its chi-square p (1 df).
    chi2 : float
        Pearson's chi-square of the 2 x 2 table of occurrences and other words, without Yates' correction.
    p_fisher : float
        Fisher's exact test of that table, two-sided; NaN over 2^31 words, where SciPy's does not end.
    log_ratio : float
        Binary logarithm of the rate ratio (Hardie 2014); half an occurrence stands for none.
    log_odds, z_log_odds : float
        Log odds ratio with half an occurrence added to each cell, and its z, with the variance 1/a + 1/b of the halved counts
        (Monroe et al. 2008, eq. 20: the other words' share of it is left out).
    small : bool
        An expected count is under 5: the chi-square approximations of G2 and chi2 do not hold.
    """

    rate_target: Floats
    rate_reference: Floats
    sign: Ints
    g2: Floats
    p_g2: Floats
    chi2: Floats
    p_fisher: Floats
    log_ratio: Floats
    log_odds: Floats
    z_log_odds: Floats
    small: Bools


def keyness(target: ArrayLike, reference: ArrayLike, target_words: int, reference_words: int) -> Keyness:
    """Compare pooled counts of two corpora.

    Parameters
    ----------
    target, reference : array_like of int, shape (features,)
        Occurrences; at most the words of the side.
    target_words, reference_words : int
        Words of the sides, > 0.

    Raises
    ------
    StatisticsError
        If a count is negative or larger than the words of its side.

    Notes
    -----
    The p-values rest on independent tokens, which texts of one learner do not have: show them as description, decide with a
    test by learner.
    """
    a, b = np.asarray(target, dtype=np.int64), np.asarray(reference, dtype=np.int64)
    n, m = int(target_words), int(reference_words)
    if n <= 0 or m <= 0 or (a < 0).any() or (b < 0).any() or (a > n).any() or (b > m).any() or a.shape != b.shape:
        msg = (
            f"Counts must lie between 0 and the words of their side ({n} and {m}, both above 0), in arrays of one shape"
        )
        raise StatisticsError(msg)
    there = (a + b) > 0
    # Python's integers: products of counts and words of large corpora pass 2^63.
    cross = np.array([x * m - y * n for x, y in zip(a.ravel().tolist(), b.ravel().tolist(), strict=True)], dtype=object)
    sign = np.array([(c > 0) - (c < 0) for c in cross], dtype=np.int64).reshape(a.shape)
    excess = np.array([c / (n + m) for c in cross], dtype=np.float64).reshape(a.shape)
    share = (a + b) / (n + m)
    expected = np.stack([n * share, m * share])
    g2 = _log_likelihood(excess, (*expected, n - expected[0], m - expected[1]))
    odds = np.log((a + 0.5) / (n - a + 0.5)) - np.log((b + 0.5) / (m - b + 0.5))
    spread = np.sqrt(1 / (a + 0.5) + 1 / (b + 0.5))
    ratio = np.log2(np.where(a > 0, a, 0.5) / n) - np.log2(np.where(b > 0, b, 0.5) / m)
    fisher = [
        scipy_stats.fisher_exact([[x, n - x], [y, m - y]]).pvalue if n + m <= MOST_WORDS else np.nan
        for x, y in zip(a.ravel(), b.ravel(), strict=True)
    ]

    def known(values: ArrayLike) -> Floats:
        return np.where(there, values, np.nan)

    return Keyness(
        1000 * a / n,
        1000 * b / m,
        sign,
        known(g2),
        known(special.chdtrc(1, g2)),
        known(_chi_square(excess, a + b, n, m)),
        known(np.array(fisher, dtype=np.float64).reshape(a.shape)),
        known(np.where(sign == 0, 0.0, ratio)),
        known(odds),
        known(odds / spread),
        there & (expected.min(axis=0) < 5),
    )


def _log_likelihood(excess: Floats, expected: tuple[Floats, Floats, Floats, Floats]) -> Floats:
    # 2 * sum of E h(x), x = (O - E) / E and h(x) = (1 + x) log(1 + x) - x >= 0: the observed less the expected are +-excess in
    # all four cells, so that nothing cancels, as it does in the usual sum of O log(O / E).
    total = np.zeros(excess.shape)
    for change, want in zip((excess, -excess, -excess, excess), expected, strict=True):
        x = np.maximum(np.divide(change, want, out=np.zeros_like(change), where=want > 0), -1.0)
        small = np.where(np.abs(x) < 0.01, x, 0.0)
        series = small**2 * sum((-small) ** k / ((k + 1) * (k + 2)) for k in range(8))
        total += want * np.where(np.abs(x) < 0.01, series, special.xlog1py(1 + x, x) - x)
    return 2 * total


def _chi_square(excess: Floats, both: Ints, n: int, m: int) -> Floats:
    total = float(n + m)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(excess**2 * total**3 / (both * (total - both) * n * m), dtype=np.float64)


@dataclass(frozen=True)
class PriorLogOdds:
    """Log odds with an informative prior: ``delta`` and its ``z``, shape (features,); positive for the target."""

    delta: Floats
    z: Floats


def log_odds_with_prior(
    target: ArrayLike, reference: ArrayLike, prior: ArrayLike | None = None, *, strength: float | None = None
) -> PriorLogOdds:
    """Return log odds of features within all feature occurrences, shrunk by a Dirichlet prior.

    Parameters
    ----------
    target, reference : array_like of int, shape (features,)
    prior : array_like of float, optional
        Counts of a background corpus; both sides together by default.
    strength : float, optional
        What the prior's counts are scaled to in sum; not scaled by default.

    Notes
    -----
    Monroe, Colaresi and Quinn (2008), Political Analysis 16, 372-403, equations 16, 20 and 22.
    """
    a, b = np.asarray(target, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    weight = a + b if prior is None else np.asarray(prior, dtype=np.float64)
    if a.shape != b.shape or weight.shape != a.shape or a.size < 2 or (weight < 0).any() or weight.sum() <= 0:
        msg = "Log odds with a prior need counts of two or more features in arrays of one shape and a prior above 0"
        raise StatisticsError(msg)
    weight = weight * (1.0 if strength is None else strength / weight.sum())
    total = weight.sum()
    with np.errstate(invalid="ignore", divide="ignore"):
        one = np.log((a + weight) / (a.sum() + total - a - weight))
        two = np.log((b + weight) / (b.sum() + total - b - weight))
        z = (one - two) / np.sqrt(1 / (a + weight) + 1 / (b + weight))
    there = weight + a + b > 0
    return PriorLogOdds(np.where(there, one - two, np.nan), np.where(there, z, np.nan))
