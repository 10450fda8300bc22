"""Silhouettes of a partition, also where they are undefined."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist

Floats = npt.NDArray[np.float64]


def pairwise_distances(points: Floats) -> Floats:
    """Return Euclidean distances of all pairs, shape (n, n), symmetric, zero diagonal."""
    return np.asarray(cdist(points, points), dtype=np.float64)


def silhouettes(distances: Floats, labels: npt.NDArray[Any]) -> Floats | None:
    """Return each point's silhouette (b - a) / max(a, b).

    Parameters
    ----------
    distances : ndarray, shape (n, n)
    labels : ndarray of int, shape (n,)

    Returns
    -------
    ndarray of float, shape (n,), or None
        0 for the only member of a cluster (Rousseeuw 1987, J. Comput. Appl. Math. 20, 53-65); None when undefined:
        one cluster, or as many as points. a: mean distance to the other members of the own cluster; b: lowest mean
        distance to another cluster. 0 where both are 0.
    """
    clusters, own = np.unique(labels, return_inverse=True)
    if not 2 <= len(clusters) < len(labels):
        return None
    member = own[:, None] == np.arange(len(clusters))
    size = member.sum(axis=0)
    # Summed in a fixed order: no BLAS, whose blocks may depend on the machine.
    sums = np.stack([distances[:, m].sum(axis=1) for m in member.T], axis=1)
    rows = np.arange(len(labels))
    a = sums[rows, own] / np.maximum(size[own] - 1, 1)
    means = sums / size
    means[rows, own] = np.inf
    b = means.min(axis=1)
    top = np.maximum(a, b)
    value = np.divide(b - a, top, out=np.zeros_like(a), where=top > 0)
    return np.where(size[own] == 1, 0.0, value)
