"""The moments of a cell's rates, calculated from the model that makes the corpus; the power is :mod:`miner.stats.power`.

In text i of learner l a feature has n ~ Poisson(mu_i g_l w_i / 1000) errors: mu_i the expected rate per 1,000 words (base
x rate ratio x prompt), w_i the words, g_l the learner's gamma factor of mean 1 and variance 1/k. So a text's rate has
mean mu_i and variance 1000 mu_i / w_i + mu_i^2 / k, and two texts of one learner have covariance mu_i mu_j / k.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from miner.stats.power import Moments, student_power, welch_power

__all__ = ["Moments", "learner_moments", "student_power", "text_moments", "welch_power"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def text_moments(mu: Floats, words: Ints, learner: Ints, shape: float) -> Moments:
    """Return the moments of per-text rates; texts of one learner are correlated.

    Parameters
    ----------
    mu : ndarray of float, shape (n_texts,)
        Expected rates per 1,000 words.
    words, learner : ndarray of int, shape (n_texts,)
        Words, and which learner wrote the text.
    shape : float
        Shape of the gamma distribution of the learners' factors.
    """
    _, index = np.unique(learner, return_inverse=True)
    by_learner = np.bincount(index, weights=mu)
    covariance = (float(np.sum(by_learner**2)) - float(np.sum(mu**2))) / shape
    return _moments(mu, words, shape, covariance)


def learner_moments(mu: Floats, words: Ints, learner: Ints, shape: float) -> Moments:
    """Return the moments of learners' rates (all errors over all words); arguments as :func:`text_moments`."""
    _, index = np.unique(learner, return_inverse=True)
    total = np.bincount(index, weights=words)
    own = np.bincount(index, weights=mu * words) / total
    return _moments(own, total, shape, 0.0)


def _moments(mu: Floats, words: Floats | Ints, shape: float, covariance: float) -> Moments:
    n = len(mu)
    if n < 2:
        return Moments(n, float(mu.mean()) if n else float("nan"), *[float("nan")] * 4)
    unit = 1000 / words
    # Raw moments of the rate from the factorial moments of the count, E[n (n-1) ...] = mean^r E[g^r].
    f1 = mu / unit
    f2 = f1**2 * (1 + 1 / shape)
    f3 = f1 * f2 * (1 + 2 / shape)
    f4 = f1 * f3 * (1 + 3 / shape)
    raw1, raw2 = mu, unit**2 * (f2 + f1)
    raw3, raw4 = unit**3 * (f3 + 3 * f2 + f1), unit**4 * (f4 + 6 * f3 + 7 * f2 + f1)
    m1, m2, m3, m4 = (float(r.mean()) for r in (raw1, raw2, raw3, raw4))
    of_mean = (float(np.sum(raw2 - raw1**2)) + covariance) / n**2
    third = m3 - 3 * m1 * m2 + 2 * m1**3
    fourth = m4 - 4 * m1 * m3 + 6 * m1**2 * m2 - 3 * m1**4
    return Moments(n, m1, of_mean, (m2 - m1**2 - of_mean) * n / (n - 1), third, fourth)
