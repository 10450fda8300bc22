"""Corrections for many tests, with missing p-values left missing and the family's size stated."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from miner.errors import StatisticsError, require_one_of
from miner.stats.moments import Floats, Ints

Correction = Literal["none", "bh", "by", "holm", "storey"]
CORRECTIONS = ("none", "bh", "by", "holm", "storey")

#: p-values above are taken to come from true nulls alone (:func:`null_share`).
LAMBDA = 0.5


def adjust(p: ArrayLike, method: Correction = "bh", *, m: int | None = None) -> tuple[Floats, int]:
    """Return adjusted p-values and the size of the family.

    Parameters
    ----------
    p : array_like of float, shape (tests,)
        NaN stands for a test that could not be made: it stays NaN and is no member of the family.
    method : {"bh", "by", "holm", "storey", "none"}
        Benjamini-Hochberg (1995), Benjamini-Yekutieli (2001), Holm (1979), Benjamini-Hochberg times :func:`null_share`
        (Storey, Taylor and Siegmund 2004, whose q is 1 for p > .5; here never under p), or p itself.
    m : int, optional
        Size of the family, if it is larger than the number of p-values there are.

    Raises
    ------
    StatisticsError
        If a p-value lies outside [0, 1] or ``m`` is smaller than the number of p-values.

    Examples
    --------
    >>> adjust([0.01, float("nan"), 0.04], "holm")[0].tolist()
    [0.02, nan, 0.04]
    """
    require_one_of(method, CORRECTIONS, what="The correction")
    values = np.asarray(p, dtype=np.float64)
    there = ~np.isnan(values)
    known = require_probabilities(values[there])
    size = known.size if m is None else m
    if size < known.size:
        msg = f"The family size m = {size} is smaller than its {known.size} p-values"
        raise StatisticsError(msg)
    result = np.full(values.shape, np.nan)
    result[there] = _adjusted(known, method, size)
    return result, size


def require_probabilities(p: Floats) -> Floats:
    """Return the p-values if each lies in [0, 1].

    Raises
    ------
    StatisticsError
        Otherwise.
    """
    if p.size and (p.min() < 0 or p.max() > 1):
        msg = f"p-values must lie in [0, 1]; got {p.min()} to {p.max()}"
        raise StatisticsError(msg)
    return p


def _adjusted(p: Floats, method: Correction, m: int) -> Floats:
    if method == "none" or not p.size:
        return p.copy()
    order = np.argsort(p, kind="stable")
    rank = np.arange(1, p.size + 1)
    if method == "holm":
        steps = np.maximum.accumulate(p[order] * (m + 1 - rank))
    else:
        factor = _harmonic(m) if method == "by" else 1.0
        # A product of rank and p at most: p * (m / rank) keeps exact values where rank equals m.
        scaled = p[order] * (m * factor / rank)
        if method == "storey":
            # In a small family without p above one half the share is no more than a guess: no q is under its p.
            scaled = np.where(p[order] <= LAMBDA, np.maximum(scaled * null_share(p, m=m), p[order]), 1.0)
        steps = np.minimum.accumulate(scaled[::-1])[::-1]
    result = np.empty_like(p)
    result[order] = np.minimum(steps, 1.0)
    return result


def _harmonic(m: int) -> float:
    # The sum of 1 / k for k up to m; beyond a million terms the asymptotic value has the same digits.
    if m <= 1_000_000:
        return float((1 / np.arange(1, m + 1)).sum())
    return float(special.digamma(m + 1) + np.euler_gamma)


def null_share(p: ArrayLike, *, m: int | None = None) -> float:
    """Return an estimate of the share of true nulls of a family.

    Parameters
    ----------
    p : array_like of float, shape (tests,)
        NaN stands for a test that could not be made.
    m : int, optional
        Size of the family, if it is larger than the number of p-values there are; the others count as above one half.

    Returns
    -------
    float
        min(1, (1 + number of p > .5) / (.5 m)); NaN without p-values.

    Notes
    -----
    Storey, Taylor and Siegmund (2004), JRSS B 66, 187-205, with lambda = .5: with it the false discovery rate of ``storey`` is
    controlled for finite families of independent p-values.
    """
    values = np.asarray(p, dtype=np.float64)
    known = values[~np.isnan(values)]
    size = known.size if m is None else m
    if not size:
        return float("nan")
    return float(min(1.0, (1 + (known > LAMBDA).sum() + size - known.size) / ((1 - LAMBDA) * size)))


def adjust_families(p: ArrayLike, family: ArrayLike, method: Correction = "bh") -> tuple[Floats, Ints]:
    """Adjust p-values within families.

    Parameters
    ----------
    p : array_like of float, shape (tests,)
        NaN where untestable.
    family : array_like, shape (tests,)
        Family of each test.

    Returns
    -------
    q : float array, shape (tests,)
        Adjusted p-values; NaN where p is.
    m : int array, shape (tests,)
        Number of testable members of each test's family.
    """
    values, names = np.asarray(p, dtype=np.float64), np.asarray(family)
    if values.shape != names.shape:
        msg = f"p has shape {values.shape}, family {names.shape}; expected the same"
        raise StatisticsError(msg)
    _, code = np.unique(names, return_inverse=True)
    q, m = np.full(values.shape, np.nan), np.zeros(values.shape, dtype=np.int64)
    for number in range(int(code.max()) + 1 if code.size else 0):
        inside = code == number
        q[inside], m[inside] = adjust(values[inside], method)
    return q, m
