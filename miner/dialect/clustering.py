"""One clustering by a named method: k-means, hierarchical, or spectral on the graph of nearest neighbours."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from miner import tables
from miner.dialect.blas import one_thread
from miner.dialect.distances import IMPUTATIONS, distance_matrix, encoded_for
from miner.dialect.encoding import Encoded, require_complete
from miner.dialect.hierarchy import cut, joins
from miner.dialect.imputation import imputer
from miner.dialect.kmeans import best_partitions, search
from miner.dialect.membership import numbered
from miner.dialect.partitions import comembership
from miner.dialect.ratings import Ratings
from miner.dialect.reduction import reduce
from miner.dialect.silhouettes import pairwise_distances, silhouettes
from miner.dialect.spectral import spectral
from miner.errors import TooFew, require_one_of
from miner.signature import DEFAULT_SEED

Floats = npt.NDArray[np.float64]
Method = Literal["kmeans", "hierarchical", "spectral"]
METHODS = ("kmeans", "hierarchical", "spectral")


def cluster(
    ratings: Ratings,
    method: Method = "kmeans",
    k: int = 2,
    *,
    encoding: str = "ordinal",
    missing: str | None = None,
    starts: int = 2_000,
    neighbours: int = 7,
    seed: int = DEFAULT_SEED,
) -> pd.DataFrame:
    """Cluster the rated varieties by one method.

    Parameters
    ----------
    ratings : Ratings
        Varieties without any rating A, B, C, D are left out.
    method : {"kmeans", "hierarchical", "spectral"}
        ``kmeans`` in the SVD space of 90 % of the variance; where open cells are imputed (the default unless the
        encoding's paper says ``zero``), each of 50 draws is clustered, and what is given is the average-linkage cut of
        their co-membership. ``hierarchical``: average linkage; ``spectral``: of the graph of nearest
        neighbours. The latter two use mean absolute differences over shared features.
    k : int
        Number of clusters.
    encoding, missing
        See :func:`miner.dialect.encoding.encode`.
    starts, seed
        Of k-means.
    neighbours : int
        Of the graph.

    Returns
    -------
    DataFrame
        :data:`miner.tables.CLUSTERINGS`.

    Raises
    ------
    TooFew, OptionError, StatisticsError
        More clusters than different varieties; unknown names; undefined distances.
    """
    require_one_of(method, METHODS, what="The 'method' of clustering")
    rated = ratings.take([int(i) for i in np.flatnonzero(ratings.rated.any(axis=1))])
    if not 1 <= k <= len(rated.grid):
        msg = f"{k} clusters were asked for, but there are {len(rated.grid)} rated varieties. Use k of 1 to {len(rated.grid)}"
        raise TooFew(msg)
    if method == "kmeans":
        labels, distance = _kmeans(encoded_for(rated, "euclidean", encoding, missing), k, starts, seed)
    else:
        distance = distance_matrix(encoded_for(rated, "manhattan", encoding, missing), seed=seed).distance[:-1, :-1]
        if method == "hierarchical":
            labels = cut(joins(distance), k)
        else:
            labels = spectral(distance, k, neighbours=min(neighbours, len(distance) - 1), starts=starts, seed=seed)
    number = numbered(labels)
    width = silhouettes(distance, labels)
    frame = rated.varieties[["variety_id", "variety"]].assign(
        method=method,
        k=k,
        cluster=number,
        cluster_size=np.bincount(number)[number],
        silhouette=np.nan if width is None else width,
    )
    return tables.conform(frame, tables.CLUSTERINGS)


def clusterings(ratings: Ratings, ks: Iterable[int], *, seed: int = DEFAULT_SEED) -> pd.DataFrame:
    """Return the clusterings of all methods for several k in the default encoding, in one table."""
    frames = [
        cluster(ratings, m, k, seed=seed) for m in ("kmeans", "hierarchical", "spectral") for k in sorted(set(ks))
    ]
    return tables.conform(pd.concat(frames, ignore_index=True), tables.CLUSTERINGS)


def _kmeans(encoded: Encoded, k: int, starts: int, seed: int) -> tuple[npt.NDArray[np.int64], Floats]:
    """Return labels and the distances that silhouettes are measured on (the mean over imputations, where there are some)."""
    if not encoded.missing.imputes:
        points = reduce(require_complete(encoded, "k-means")).scores
        return search(points, k, starts=starts, rng=np.random.default_rng([seed, k])).labels, pairwise_distances(points)
    source, rng = imputer(encoded), np.random.default_rng([seed, k, 4])
    drawn = [reduce(source.draw(rng)).scores for _ in range(IMPUTATIONS)]
    with one_thread():
        products = np.stack([points @ points.T for points in drawn])
    found = best_partitions(products, k, starts=max(1, starts // IMPUTATIONS), rng=rng)
    distance = np.mean([pairwise_distances(points) for points in drawn], axis=0)
    return cut(joins(1 - comembership(found)), k), distance
