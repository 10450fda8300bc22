"""One effect in several corpora: partial conjunction and random effects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from miner.errors import StatisticsError, TooFew


def partial_conjunction(p: ArrayLike, *, at_least: int = 2) -> float:
    """Return the p-value of "the effect is there in fewer than ``at_least`` of the corpora".

    Parameters
    ----------
    p : array_like of float, shape (corpora,)
        One-sided p-values for one direction; NaN where not testable (left out).
    at_least : int

    Returns
    -------
    float
        NaN with fewer testable corpora than ``at_least``.

    Notes
    -----
    Benjamini and Heller (2008), Biometrics 64, 1215-1222, with Bonferroni: (n - u + 1) times the u-th smallest p.
    """
    values = np.asarray(p, dtype=np.float64)
    known = np.sort(values[~np.isnan(values)])
    if at_least < 1:
        msg = f"Partial conjunction needs at least 1 corpus. Got {at_least}; 2 is usual"
        raise StatisticsError(msg)
    if len(known) < at_least:
        return float("nan")
    return float(min(1.0, (len(known) - at_least + 1) * known[at_least - 1]))


@dataclass(frozen=True)
class RandomEffects:
    """Mean effect over corpora with Hartung-Knapp interval, prediction interval for a new corpus, tau2 and I2."""

    mean: float
    se: float
    low: float
    high: float
    p: float
    predicted_low: float
    predicted_high: float
    tau2: float
    i2: float


def random_effects(effects: ArrayLike, se: ArrayLike, *, fewest: int = 4) -> RandomEffects:
    """Combine effects of corpora.

    Parameters
    ----------
    effects, se : array_like of float, shape (corpora,)
        Log rate ratios and their standard errors (> 0).
    fewest : int
        Fewest corpora; between fewer the variance cannot be told.

    Raises
    ------
    TooFew
        With fewer corpora.

    Notes
    -----
    tau2 by DerSimonian and Laird (1986); Hartung and Knapp (2001), Statistics in Medicine 20, 3875-3889, with their variance
    never under the classical one; prediction interval of Higgins, Thompson and Spiegelhalter (2009), t with k - 2 df.
    """
    y, s = np.asarray(effects, dtype=np.float64), np.asarray(se, dtype=np.float64)
    if y.shape != s.shape or not np.isfinite(y).all() or not (s > 0).all():
        msg = "Effects need finite values with a standard error above 0 each; leave the others out and say how many"
        raise StatisticsError(msg)
    k = len(y)
    if k < max(fewest, 3):
        msg = f"Random effects need {max(fewest, 3)} corpora or more; got {k}. Use partial_conjunction for fewer"
        raise TooFew(msg)
    fixed = 1 / s**2
    q = float((fixed * (y - (fixed * y).sum() / fixed.sum()) ** 2).sum())
    tau2 = max(0.0, (q - (k - 1)) / float(fixed.sum() - (fixed**2).sum() / fixed.sum()))
    weight = 1 / (s**2 + tau2)
    mean = float((weight * y).sum() / weight.sum())
    scale = max(1.0, float((weight * (y - mean) ** 2).sum()) / (k - 1))
    error = float(np.sqrt(scale / weight.sum()))
    half = float(special.stdtrit(k - 1, 0.975)) * error
    ahead = float(special.stdtrit(k - 2, 0.975)) * float(np.sqrt(tau2 + error**2))
    p = float(2 * special.stdtr(k - 1, -abs(mean / error)))
    i2 = max(0.0, (q - (k - 1)) / q) if q > 0 else 0.0
    return RandomEffects(mean, error, mean - half, mean + half, p, mean - ahead, mean + ahead, tau2, i2)
