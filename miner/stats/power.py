"""The power of Welch's and Student's t-test for rates of counts, which are skewed: a closed form.

A test rejects in the right direction when D > c S: D the difference of the groups' mean rates, S its estimated standard
error, c the critical value. D - c S is near normal: its mean is difference - c E[S], its variance
var(D) + c^2 var(S) - 2 c cov(D, S). With normal data this is the usual approximation of the noncentral t; here var(D)
holds the clustering of texts in learners (var(D) / E[S^2] is the design effect), and cov(D, S) that rates are skewed:
a high mean comes with a high standard error.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats


@dataclass(frozen=True)
class Moments:
    """A group of n units.

    Parameters
    ----------
    n : int
    mean : float
        Expected mean of the units' rates.
    variance_of_mean : float
        Its variance, clustering included.
    variance : float
        Expected sample variance of the units' rates.
    third, fourth : float
        Third and fourth central moment of the units' rates, taken as one population.
    """

    n: int
    mean: float
    variance_of_mean: float
    variance: float
    third: float
    fourth: float

    @property
    def covariance_of_variance(self) -> float:
        """Covariance of the sample mean with the sample variance."""
        return self.third / self.n

    @property
    def variance_of_variance(self) -> float:
        """Variance of the sample variance."""
        return (self.fourth - self.variance**2 * (self.n - 3) / (self.n - 1)) / self.n


def gamma_poisson_moments(n: int, mean: float, shape: float) -> Moments:
    """Return the moments of n independent counts: Poisson with a mean that is gamma distributed among units.

    Parameters
    ----------
    n : int
        Units; 2 at least.
    mean : float
        Expected count of a unit; above 0.
    shape : float
        Of the gamma distribution: the variance of a count is mean + mean^2 / shape.
    """
    # Raw moments of the count from its factorial moments, E[n (n-1) ...] = mean^r E[g^r].
    f1 = mean
    f2 = f1**2 * (1 + 1 / shape)
    f3 = f1 * f2 * (1 + 2 / shape)
    f4 = f1 * f3 * (1 + 3 / shape)
    m1, m2, m3, m4 = f1, f2 + f1, f3 + 3 * f2 + f1, f4 + 6 * f3 + 7 * f2 + f1
    variance = m2 - m1**2
    third = m3 - 3 * m1 * m2 + 2 * m1**3
    fourth = m4 - 4 * m1 * m3 + 6 * m1**2 * m2 - 3 * m1**4
    return Moments(n, m1, variance / n, variance, third, fourth)


def student_power(target: Moments, reference: Moments, *, alpha: float = 0.05) -> float:
    """Return the power of Student's two-sided test to find the contrast in its true direction.

    Parameters
    ----------
    target, reference : Moments
    alpha : float
        Level of the test.

    Returns
    -------
    float
        Where the expected rates are equal: the probability that the test rejects at all. NaN if a group has fewer
        than 2 units.
    """
    n1, n2 = target.n, reference.n
    if min(n1, n2) < 2:
        return float("nan")
    df = n1 + n2 - 2
    share = (1 / n1 + 1 / n2) / df
    return _power(target, reference, (n1 - 1) * share, (n2 - 1) * share, df, alpha)


def welch_power(target: Moments, reference: Moments, *, alpha: float = 0.05) -> float:
    """Return the power of Welch's two-sided test; as :func:`student_power`, df by Welch and Satterthwaite."""
    n1, n2 = target.n, reference.n
    if min(n1, n2) < 2:
        return float("nan")
    v1, v2 = target.variance / n1, reference.variance / n2
    df = (v1 + v2) ** 2 / (v1**2 / (n1 - 1) + v2**2 / (n2 - 1))
    return _power(target, reference, 1 / n1, 1 / n2, df, alpha)


def _power(target: Moments, reference: Moments, a1: float, a2: float, df: float, alpha: float) -> float:
    # The squared standard error is a1 s1^2 + a2 s2^2 with the groups' sample variances s1^2 and s2^2.
    sign = 1.0 if target.mean >= reference.mean else -1.0
    square = a1 * target.variance + a2 * reference.variance
    var_square = a1**2 * target.variance_of_variance + a2**2 * reference.variance_of_variance
    cov_square = sign * (a1 * target.covariance_of_variance - a2 * reference.covariance_of_variance)
    mean_error = np.sqrt(square) * (1 - var_square / (8 * square**2))
    var_error, cov_error = var_square / (4 * square), cov_square / (2 * np.sqrt(square))
    var_d = target.variance_of_mean + reference.variance_of_mean
    difference = abs(target.mean - reference.mean)
    c = float(stats.t.ppf(1 - alpha / 2, df))

    def exceeds(bound: float, mean: float, covariance: float) -> float:
        sd = np.sqrt(var_d + bound**2 * var_error - 2 * bound * covariance)
        return float(stats.norm.sf((bound * mean_error - mean) / sd))

    right = exceeds(c, difference, cov_error)
    return right if difference > 1e-9 * np.sqrt(var_d) else right + exceeds(c, 0.0, -cov_error)
