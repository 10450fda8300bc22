"""Mann-Whitney and Cliff's delta, for two samples and for all groups and features of a sparse table."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse, special
from scipy import stats as scipy_stats

from miner.errors import StatisticsError, TooFew
from miner.stats.moments import Floats, Ints, weighted_sums


@dataclass(frozen=True)
class RankTest:
    """Mann-Whitney tests of each group against all others; arrays have shape (groups, features).

    Attributes
    ----------
    u : float
        Pairs in which the group's unit has the higher rate, ties as halves.
    p : float
        Two-sided, normal approximation with tie and continuity correction; NaN where all units are tied.
    delta : float
        Cliff's delta, 2 U / (n1 n2) - 1.
    """

    u: Floats
    p: Floats
    delta: Floats


def mann_whitney(rates: Any, groups: ArrayLike, n_groups: int) -> RankTest:
    """Test each group against all other labelled units.

    Parameters
    ----------
    rates : scipy sparse array of float >= 0, shape (units, features)
    groups : array_like of int, shape (units,)
        -1 for units in no group.
    n_groups : int

    Notes
    -----
    Zeros are one tie at the bottom, so that only non-zero cells are ranked. Agrees with
    ``scipy.stats.mannwhitneyu(method="asymptotic")``.
    """
    table, label = sparse.csc_array(sparse.csr_array(rates)), np.asarray(groups, dtype=np.int64)
    if table.shape[0] != len(label):
        msg = f"rates has {table.shape[0]} rows, groups {len(label)}; expected the same"
        raise StatisticsError(msg)
    if (table.data < 0).any():
        msg = "Rates must be 0 or more"
        raise StatisticsError(msg)
    use = (label[table.indices] >= 0) & (table.data > 0)
    ends, group, value = table.indptr.astype(np.int64), label[table.indices], table.data
    if not use.all():
        ends, group, value = np.concatenate([[0], np.cumsum(use)])[ends], group[use], value[use]
    sizes = np.bincount(label[label >= 0], minlength=n_groups).astype(np.int64)
    total, n_features = int(sizes.sum()), table.shape[1]
    zeros = total - np.diff(ends)
    rank, ties = _ranks(ends, value, zeros)
    # Feature by feature, so that the sums being added to are close together. Ranks are halves: any order gives the same sum.
    cell = np.repeat(np.arange(n_features) * n_groups, np.diff(ends)) + group
    shape = (n_features, n_groups)
    above = weighted_sums(cell, rank, n_groups * n_features).reshape(shape).T
    present = np.bincount(cell, minlength=n_groups * n_features).reshape(shape).T
    rank_sum = np.ascontiguousarray(above + (sizes[:, None] - present) * (zeros + 1) / 2)
    ties = ties + zeros.astype(np.float64) ** 3 - zeros
    return _test(rank_sum, ties, sizes, total)


def _ranks(ends: Ints, value: Floats, zeros: Ints) -> tuple[Floats, Floats]:
    # Feature by feature: what one needs stays in the processor's cache, and many short sorts are faster than a long one.
    rank, lengths, n_runs = np.empty(len(value)), [], np.zeros(len(zeros), dtype=np.int64)
    for f, (a, b) in enumerate(pairwise(ends.tolist())):
        order = np.argsort(value[a:b])  # ties share their mean rank: their order is no matter
        v = value[a:b][order]
        start = np.concatenate([[0], np.flatnonzero(v[1:] != v[:-1]) + 1])[: b - a]
        length = np.diff(start, append=b - a)
        rank[a:b][order] = np.repeat(start + zeros[f] + (length + 1) / 2, length)
        lengths.append(length)
        n_runs[f] = len(length)
    run = np.concatenate(lengths).astype(np.float64) if lengths else np.zeros(0)
    ties = weighted_sums(np.repeat(np.arange(len(zeros)), n_runs), run**3 - run, len(zeros))
    return rank, ties


def _test(rank_sum: Floats, ties: Floats, sizes: Ints, total: int) -> RankTest:
    n1 = sizes[:, None].astype(np.float64)
    n2 = total - n1
    u = rank_sum - n1 * (n1 + 1) / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        sd = np.sqrt(n1 * n2 / 12 * (total + 1 - ties / (total * (total - 1.0))))
        z = (np.maximum(u, n1 * n2 - u) - n1 * n2 / 2 - 0.5) / sd
        p = np.where(sd > 0, np.clip(2 * special.ndtr(-z), 0, 1), np.nan)
        delta = np.where(n1 * n2 > 0, 2 * u / (n1 * n2) - 1, np.nan)
    return RankTest(u, p, delta)


@dataclass(frozen=True)
class MannWhitney:
    """One Mann-Whitney test: ``u`` of the target, two-sided ``p``, Cliff's ``delta``, and whether ``p`` is exact."""

    u: float
    p: float
    delta: float
    exact: bool


def mann_whitney_samples(target: ArrayLike, reference: ArrayLike) -> MannWhitney:
    """Mann-Whitney test of two samples: exact without ties and up to 50 values each, else the normal approximation.

    Raises
    ------
    TooFew
        If a sample is empty.
    """
    one, two = np.asarray(target, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    if not one.size or not two.size:
        msg = f"A Mann-Whitney test needs a unit in each group; got {one.size} and {two.size}"
        raise TooFew(msg)
    both = np.concatenate([one, two])
    exact = len(np.unique(both)) == both.size and max(one.size, two.size) <= 50
    if np.ptp(both) == 0:
        return MannWhitney(one.size * two.size / 2, float("nan"), 0.0, exact=False)
    found = scipy_stats.mannwhitneyu(one, two, method="exact" if exact else "asymptotic")
    u = float(found.statistic)
    return MannWhitney(u, float(found.pvalue), 2 * u / (one.size * two.size) - 1, exact)
