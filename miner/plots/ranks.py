"""Spearman's correlation with an exact p for small groups."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from miner.plots.labels import Floats

#: Arrangements up to which p is exact (10 L1s in the four DLIFLC categories have 12,600).
_MOST_ARRANGEMENTS = 400_000


def spearman(x: ArrayLike, y: ArrayLike) -> tuple[float, float, str]:
    """Return Spearman's rho, its two-sided p and how p was computed (``exact`` or ``t``).

    Exact: the share of all arrangements of one variable's ranks (ties kept) whose ``|rho|`` is at least the observed one,
    where there are at most 400,000 different arrangements.
    """
    a, b = stats.rankdata(x), stats.rankdata(y)
    result = stats.spearmanr(a, b)
    rho = float(result.statistic)
    few, other = (a, b) if _arrangements(a) <= _arrangements(b) else (b, a)
    if _arrangements(few) > _MOST_ARRANGEMENTS:
        return rho, float(result.pvalue), "t"
    centred = other - other.mean()
    observed = abs(float(centred @ (few - few.mean())))
    extreme = total = 0
    for block in _blocks(_permuted(few)):
        sums = np.abs(np.array(block) @ centred)
        extreme += int((sums >= observed - 1e-9).sum())
        total += len(sums)
    return rho, extreme / total, "exact"


def _arrangements(ranks: Floats) -> int:
    _, ties = np.unique(ranks, return_counts=True)
    return math.factorial(len(ranks)) // math.prod(math.factorial(int(t)) for t in ties)


def _permuted(ranks: Floats) -> Iterator[list[float]]:
    # Different arrangements in lexicographic order (Knuth's algorithm L); ties make no copies.
    row = sorted(float(r) for r in ranks)
    while True:
        yield list(row)
        i = len(row) - 2
        while i >= 0 and row[i] >= row[i + 1]:
            i -= 1
        if i < 0:
            return
        j = len(row) - 1
        while row[j] <= row[i]:
            j -= 1
        row[i], row[j] = row[j], row[i]
        row[i + 1 :] = reversed(row[i + 1 :])


def _blocks(rows: Iterator[list[float]]) -> Iterator[list[list[float]]]:
    while block := list(itertools.islice(rows, 20_000)):
        yield block
