"""Agreement of partitions: adjusted Rand index, its permutation p, and co-membership over many partitions."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from miner.dialect.blas import one_thread
from miner.errors import StatisticsError

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]


def adjusted_rand(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> float:
    """Return the adjusted Rand index of two partitions of the same points (Hubert & Arabie 1985, J. Classif. 2, 193-218).

    1 for equal partitions, about 0 for unrelated ones; 1 where both are all-in-one or all-singletons.
    """
    first, second = (np.unique(x, return_inverse=True)[1] for x in (one, other))
    return float(_rand_matrix(first[None].astype(np.int64), second[None].astype(np.int64))[0, 0])


def rand_matrix(partitions: Labels) -> Floats:
    """Return the adjusted Rand index of all pairs of partitions, shape (n_partitions, n_partitions)."""
    return _rand_matrix(partitions, partitions)


def _rand_matrix(rows: Labels, columns: Labels) -> Floats:
    if rows.shape[1] != columns.shape[1]:
        msg = f"Partitions of different points cannot be compared: {rows.shape[1]} and {columns.shape[1]} points"
        raise StatisticsError(msg)
    n = rows.shape[1]
    a, b = _one_hot(rows), _one_hot(columns)
    with one_thread():
        table = (a.reshape(-1, n) @ b.reshape(-1, n).T).reshape(len(a), a.shape[1], len(b), b.shape[1])
    together = (table * (table - 1) / 2).sum(axis=(1, 3))
    size_a, size_b = a.sum(axis=2), b.sum(axis=2)
    pairs_a, pairs_b = (size_a * (size_a - 1) / 2).sum(axis=1), (size_b * (size_b - 1) / 2).sum(axis=1)
    expected = pairs_a[:, None] * pairs_b[None] / max(n * (n - 1) / 2, 1)
    most = (pairs_a[:, None] + pairs_b[None]) / 2
    out: Floats = np.divide(together - expected, most - expected, out=np.ones_like(together), where=most != expected)
    return out


def _one_hot(partitions: Labels) -> Floats:
    member = partitions[:, None, :] == np.arange(int(partitions.max()) + 1)[:, None]
    return np.asarray(member, dtype=np.float64)


def permutation_p(
    one: npt.NDArray[Any], other: npt.NDArray[Any], *, permutations: int, rng: np.random.Generator
) -> float:
    """Return the one-sided p of an adjusted Rand index: how often permuted labels agree as well, (b + 1) / (m + 1)."""
    first, second = (np.unique(x, return_inverse=True)[1].astype(np.int64) for x in (one, other))
    observed = _rand_matrix(first[None], second[None])[0, 0]
    shuffled = rng.permuted(np.tile(second, (permutations, 1)), axis=1)
    hits = 0
    for block in np.array_split(shuffled, max(1, permutations // 500)):
        hits += int((_rand_matrix(first[None], block)[0] >= observed - 1e-12).sum())
    return (hits + 1) / (permutations + 1)


def comembership(partitions: Labels) -> Floats:
    """Return the share of partitions in which each pair of points shares a cluster, shape (n, n), diagonal 1."""
    total = np.zeros((partitions.shape[1], partitions.shape[1]), dtype=np.int64)
    for labels in partitions:
        total += labels[:, None] == labels
    return total / len(partitions)
