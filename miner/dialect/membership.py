"""Who belongs where, and how firmly: strengths, stable cores and names of consensus clusters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.cluster.hierarchy import fcluster

from miner import tables
from miner.dialect.hierarchy import joins
from miner.dialect.ratings import Ratings

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]
#: Pairs that share a cluster in this share of the partitions form stable cores.
CORE = 0.9


def numbered(labels: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return cluster numbers from 1: the largest cluster first, among equals the one with the first variety in id order."""
    clusters, first, size = np.unique(labels, return_index=True, return_counts=True)
    order = sorted(range(len(clusters)), key=lambda c: (-size[c], first[c]))
    number = {clusters[c]: rank + 1 for rank, c in enumerate(order)}
    return np.array([number[v] for v in labels], dtype=np.int64)


def membership_table(
    ratings: Ratings,
    partitions: Mapping[int, Labels],
    matrices: Mapping[tuple[str, int], Floats],
    supported: tuple[int, ...],
) -> pd.DataFrame:
    """Return :data:`miner.tables.MEMBERSHIP` of the consensus partitions of each k.

    Parameters
    ----------
    ratings : Ratings
    partitions : mapping of k to ndarray of int, shape (n_varieties,)
    matrices : mapping of (source, k) to ndarray
        Co-membership; that of ``together`` is used.
    supported : tuple of int
    """
    frames = []
    for k, labels in partitions.items():
        number, matrix = numbered(labels), matrices["together", k]
        strength, other, other_strength = strengths(matrix, number)
        frame = ratings.varieties[["variety_id", "variety", "type", "region"]].assign(
            k=k,
            cluster=number,
            strength=strength,
            next_cluster=pd.array(other, dtype="Int64"),
            next_strength=other_strength,
        )
        names = {c: f"{c}: {_leader(ratings, number, strength, c)}" for c in sorted(set(number))}
        frame["cluster_name"] = [names[c] for c in number]
        frame["core"] = cores(matrix)
        frame["n_unrated"] = (~ratings.rated).sum(axis=1)
        frame["supported"] = k in supported
        frames.append(frame)
    return tables.conform(pd.concat(frames, ignore_index=True), tables.MEMBERSHIP)


def strengths(matrix: Floats, number: Labels) -> tuple[Floats, list[int | None], Floats]:
    """Return each variety's mean co-membership with its own cluster's other members and with the next best cluster."""
    clusters = np.unique(number)
    sums = np.stack([matrix[:, number == c].sum(axis=1) for c in clusters], axis=1)
    size = np.array([(number == c).sum() for c in clusters])
    own = np.searchsorted(clusters, number)
    rows = np.arange(len(number))
    alone = size[own] == 1
    strength = np.where(alone, np.nan, (sums[rows, own] - 1) / np.maximum(size[own] - 1, 1))
    means = np.round(sums / size, 12)
    means[rows, own] = -1.0
    best = means.argmax(axis=1)
    if len(clusters) == 1:
        return strength, [None] * len(number), np.full(len(number), np.nan)
    return strength, [int(clusters[b]) for b in best], means[rows, best]


def _leader(ratings: Ratings, number: Labels, strength: Floats, cluster: int) -> str:
    members = np.flatnonzero(number == cluster)
    best = members[np.argmax(np.round(np.nan_to_num(strength[members], nan=0.0), 12))]
    return str(ratings.varieties["variety"][best])


def cores(matrix: Floats) -> list[int | None]:
    """Return each variety's stable core, numbered by size and first member; None where it is in none.

    Complete linkage: in a core every pair shares a cluster in at least 90 % of the partitions.
    """
    labels = fcluster(joins(1 - matrix, "complete"), 1 - CORE + 1e-9, criterion="distance")
    members = {c: np.flatnonzero(labels == c) for c in np.unique(labels)}
    order = sorted((m for m in members.values() if len(m) > 1), key=lambda m: (-len(m), m[0]))
    number = {int(v): rank for rank, m in enumerate(order, start=1) for v in m}
    return [number.get(i) for i in range(len(labels))]
