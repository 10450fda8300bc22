"""Spectral clustering of the graph of nearest neighbours: what "KNN clustering" literally can mean."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.linalg import eigh
from scipy.sparse.csgraph import connected_components

from miner import tables
from miner.dialect.blas import one_thread
from miner.dialect.kmeans import canonical, search
from miner.dialect.ratings import Ratings
from miner.errors import OptionError, TooFew

Floats = npt.NDArray[np.float64]


def nearest(distance: Floats, neighbours: int) -> npt.NDArray[np.intp]:
    """Return each point's nearest others, nearest first (ties by id order), shape (n, neighbours).

    Raises
    ------
    OptionError
        If there are not that many others.
    TooFew
        If there is one variety alone.
    """
    n = len(distance)
    if n < 2:
        msg = f"Neighbours need two or more varieties. Got {n}; give a table that rates more"
        raise TooFew(msg)
    if not 1 <= neighbours < n:
        msg = f"The number of neighbours must be 1 to {n - 1} for {n} varieties. Got {neighbours} instead"
        raise OptionError(msg)
    rounded = np.where(np.isnan(distance), np.inf, np.round(distance, 12))
    np.fill_diagonal(rounded, np.inf)
    rounded[np.arange(n), np.arange(n)] = np.nan  # NaN sorts last: a point is not its own neighbour
    return np.argsort(rounded, axis=1, kind="stable")[:, :neighbours]


def graph(distance: Floats, neighbours: int) -> npt.NDArray[np.bool_]:
    """Return the adjacency of the graph that joins two points if either is among the other's nearest."""
    near = nearest(distance, neighbours)
    joined = np.zeros(distance.shape, dtype=bool)
    joined[np.arange(len(distance))[:, None], near] = True
    return np.asarray(joined | joined.T)


def spectral(distance: Floats, k: int, *, neighbours: int = 7, starts: int = 200, seed: int) -> npt.NDArray[np.int64]:
    """Return canonical labels of a spectral clustering into k clusters.

    Parameters
    ----------
    distance : ndarray, shape (n, n)
    k : int
    neighbours : int
        Of the graph.
    starts, seed
        Of the k-means that follows.

    Notes
    -----
    Normalised Laplacian, its k lowest eigenvectors, rows scaled to length 1, k-means (Ng, Jordan & Weiss 2002, NIPS 14).
    If the graph falls into exactly k parts these are the clusters.
    """
    joined = graph(distance, neighbours).astype(np.float64)
    parts, label = connected_components(joined, directed=False)
    if parts == k:
        return canonical(label)
    degree = joined.sum(axis=1)
    laplacian = np.eye(len(joined)) - joined / np.sqrt(degree[:, None] * degree)
    with one_thread():
        _, vectors = eigh(laplacian, subset_by_index=(0, k - 1))
    length = np.sqrt((vectors**2).sum(axis=1, keepdims=True))
    rows = vectors / np.maximum(length, 1e-12)
    return search(np.round(rows, 12), k, starts=starts, rng=np.random.default_rng([seed, k])).labels


def neighbour_table(
    ratings: Ratings, distance: Floats, shared: npt.NDArray[np.int64], neighbours: int = 7
) -> pd.DataFrame:
    """Return each variety's nearest neighbours (:data:`miner.tables.NEIGHBOURS`); undefined distances are no neighbours."""
    near = nearest(distance, neighbours)
    ids, names = ratings.varieties["variety_id"], ratings.varieties["variety"]
    rows = [
        {
            "variety_id": ids[i],
            "variety": names[i],
            "rank": rank,
            "neighbour_id": ids[j],
            "neighbour": names[j],
            "distance": distance[i, j],
            "n_shared": int(shared[i, j]),
            "mutual": bool((near[j] == i).any()),
        }
        for i in range(len(near))
        for rank, j in enumerate(near[i], start=1)
        if not np.isnan(distance[i, j])
    ]
    return tables.conform(rows, tables.NEIGHBOURS)
