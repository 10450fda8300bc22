"""How evenly a feature is spread over units: range, DP, the top unit's share, and what one unit less changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from miner.errors import StatisticsError
from miner.stats.moments import Floats, Ints


@dataclass(frozen=True)
class Dispersion:
    """Measures of each feature; arrays have shape (features,). NaN for features without an occurrence.

    Attributes
    ----------
    range : int
        Units with the feature.
    dp : float
        Gries' deviation of proportions: half the sum of absolute (share of occurrences - share of words) over units; 0 is even.
    dp_norm : float
        DP over its largest possible value, 1 - smallest share of words (Lijffijt and Gries 2012).
    top_share : float
        Largest share of the occurrences in one unit.
    """

    range: Ints
    dp: Floats
    dp_norm: Floats
    top_share: Floats


def dispersion(counts: Any, exposure: ArrayLike) -> Dispersion:
    """Return measures of dispersion over units (learners or texts).

    Parameters
    ----------
    counts : scipy sparse array of int, shape (units, features)
    exposure : array_like of int, shape (units,)
        Words, > 0.

    Notes
    -----
    Gries (2008), Int. J. Corpus Linguistics 13, 403-437. Over sparse counts: units without the feature add their
    share of words, so the sum is 1 + sum over non-zero of (abs(o - w) - w).
    """
    table, words = sparse.csc_array(sparse.csr_array(counts)), np.asarray(exposure, dtype=np.float64)
    if table.shape[0] != len(words) or (words <= 0).any():
        msg = "exposure must hold a positive number of words for each unit"
        raise StatisticsError(msg)
    feature = np.repeat(np.arange(table.shape[1]), np.diff(table.indptr))
    some = table.data > 0
    unit, feature, number = table.indices[some], feature[some], table.data[some].astype(np.float64)
    n = table.shape[1]
    total = np.bincount(feature, weights=number, minlength=n)
    share, weight = number / total[feature], words[unit] / words.sum()
    half = np.bincount(feature, weights=np.abs(share - weight) - weight, minlength=n)
    top = np.zeros(n)
    np.maximum.at(top, feature, share)
    there = total > 0
    dp = np.where(there, np.clip(0.5 * (1 + half), 0, 1), np.nan)
    largest = 1 - words.min() / words.sum() if len(words) else np.nan
    norm = dp / largest if len(words) > 1 else np.full(n, np.nan)
    spread = np.bincount(feature, minlength=n).astype(np.int64)
    return Dispersion(spread, dp, np.asarray(norm, dtype=np.float64), np.where(there, top, np.nan))


def leave_one_out(target: ArrayLike, reference: ArrayLike) -> tuple[float, float]:
    """Return the smallest and largest difference of means when one unit of the target is left out.

    Parameters
    ----------
    target, reference : array_like of float
        Rates of units; at least 2 and 1.
    """
    one, two = np.asarray(target, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    if one.size < 2 or two.size < 1:
        msg = f"Leaving one out needs 2 units of the target and 1 of the reference; got {one.size} and {two.size}"
        raise StatisticsError(msg)
    without = (one.sum() - one) / (one.size - 1) - two.mean()
    return float(without.min()), float(without.max())
