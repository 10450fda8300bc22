"""Statistics standardised by their own permutation distribution: mean, standard deviation and skewness."""

from __future__ import annotations

import numpy as np

from miner.stats.moments import Floats

#: Standard deviation under which a statistic is taken not to vary over labellings.
LEAST_SD = 1e-9


def three_moments(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Return mean, standard deviation (divisor n) and skewness of each column."""
    mean, sd = values.mean(axis=0), values.std(axis=0)
    skew = (((values - mean) / np.where(sd > LEAST_SD, sd, 1.0)) ** 3).mean(axis=0)
    return mean, sd, skew


def left_out_scores(values: Floats) -> Floats:
    """Return the normal score of each row, standardised by the moments of all other rows: no row is unlike the others."""
    n = len(values) - 1
    x = values - values.mean(axis=0)
    one, two, three = ((x**k).sum(axis=0) - x**k for k in (1, 2, 3))
    mean = one / n
    variance = np.maximum(two / n - mean**2, 0.0)
    third = three / n - 3 * mean * two / n + 2 * mean**3
    sd = np.sqrt(variance)
    safe = np.where(sd > LEAST_SD, sd, 1.0)
    # One very large value among the others must not make them look skewed without bounds.
    return normal_score((x - mean) / safe, np.clip(third / safe**3, -1.0, 1.0))


def score(values: Floats, mean: Floats, sd: Floats, skew: Floats) -> Floats:
    """Return the normal scores of values with given moments."""
    return normal_score((values - mean) / np.where(sd > LEAST_SD, sd, 1.0), skew)


def normal_score(z: Floats, skew: Floats) -> Floats:
    """Return the normal score of a standardised value of a distribution with that skewness.

    Notes
    -----
    On the side of the long tail Wilson and Hilferty's (1931) cube root, which is right for Pearson type III; on the other side
    the first term of Cornish and Fisher, z - skew (z^2 - 1) / 6: there the cube root runs away at the end of Pearson's
    bounded support, which a permutation distribution need not have.
    """
    small = np.abs(skew) < 1e-3
    g = np.where(small, 1.0, skew)
    long_tail = 6 / g * (np.cbrt(g * z / 2 + 1) - 1) + g / 6
    short_tail = z - g * (z**2 - 1) / 6
    return np.where(small, z, np.where(g * z >= 0, long_tail, np.where(np.abs(z) > 1, short_tail, z)))
