"""How many clusters: inertia (elbow) and mean silhouette for a range of k."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from miner.dialect.remembered import searched
from miner.dialect.silhouettes import pairwise_distances, silhouettes
from miner.errors import TooFew
from miner.store import Store
from miner.tables import K_SELECTION, conform

Floats = npt.NDArray[np.float64]
DEFAULT_KS = range(2, 16)


def k_selection(
    points: Floats, *, seed: int, ks: Iterable[int] = DEFAULT_KS, starts: int = 1_000, store: Store | None = None
) -> pd.DataFrame:
    """Return the table of :data:`miner.tables.K_SELECTION` for k-means.

    Parameters
    ----------
    points : ndarray, shape (n_varieties, n_dimensions)
        In id order.
    seed : int
        Each k has its own generator, so a k's row does not depend on the others asked for.
    ks : iterable of int
    starts : int
        Starts per k.
    store : Store, optional
        Keeps the searches.

    Returns
    -------
    DataFrame
        One row per k. A k above the number of different vectors stays as a row with a reason. Where partitions tie,
        the one whose labels come first in id order is described and ``reason`` says how many there are.
    """
    distances = pairwise_distances(points)
    return conform([_row(points, distances, k, seed, starts, store) for k in sorted(set(ks))], K_SELECTION)


def _row(points: Floats, distances: Floats, k: int, seed: int, starts: int, store: Store | None) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(K_SELECTION.names)
    row |= {"k": k, "reason": ""}
    try:
        found = searched(points, k, starts=starts, seed=[seed, k], store=store)
    except TooFew as err:
        return row | {"reason": str(err).split(". ")[0]}
    width = silhouettes(distances, found.labels)
    best = found.plain_inertia.min()
    reasons = []
    if found.ties > 1:
        reasons.append(f"{found.ties} different partitions tie for the lowest inertia")
    if width is None:
        reasons.append("the silhouette is undefined for one cluster, or as many clusters as varieties")
    alone = int((np.bincount(found.labels) == 1).sum())
    if width is not None and alone:
        reasons.append(f"{alone} cluster{'s' if alone > 1 else ''} of one variety, silhouette 0")
    return row | {
        "inertia": found.inertia,
        "silhouette": None if width is None else float(np.mean(width)),
        "starts": starts,
        "solutions": len(np.unique(found.plain, axis=0)),
        "share_best": float(np.mean(found.plain_inertia <= best + 1e-9 * max(best, 1e-12))),
        "reason": "; ".join(reasons),
    }
