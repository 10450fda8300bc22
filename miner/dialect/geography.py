"""Linguistic against geographic distance: a Mantel test, over all varieties and inside eWAVE's types."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import rankdata

from miner import tables
from miner.dialect.ratings import Ratings
from miner.errors import TooFew
from miner.signature import DEFAULT_SEED

Floats = npt.NDArray[np.float64]
EARTH_KM = 6371.0088
WARNING = (
    "a Mantel test cannot tell contact from common descent and settlement history; both distances are autocorrelated in "
    "space, which makes its p too small (Guillot & Rousset 2013, Methods Ecol. Evol. 4, 336-344)"
)


def great_circle(latitude: Floats, longitude: Floats) -> Floats:
    """Return great-circle distances in km of all pairs (haversine, mean earth radius), shape (n, n)."""
    phi, lam = np.radians(latitude), np.radians(longitude)
    half = np.sin((phi[:, None] - phi) / 2) ** 2
    half = half + np.cos(phi)[:, None] * np.cos(phi) * np.sin((lam[:, None] - lam) / 2) ** 2
    out: Floats = 2 * EARTH_KM * np.arcsin(np.sqrt(np.clip(half, 0, 1)))
    return out


def mantel(ratings: Ratings, distance: Floats, *, permutations: int = 9_999, seed: int = DEFAULT_SEED) -> pd.DataFrame:
    """Test whether varieties that are farther apart on the globe are farther apart in their features.

    Parameters
    ----------
    ratings : Ratings
        For coordinates and types.
    distance : ndarray, shape (n_varieties, n_varieties)
        Linguistic distances; varieties with an undefined one are left out (the one with most undefined first).
    permutations : int
        Of varieties; at least 9,999 for a p that can be printed.
    seed : int

    Returns
    -------
    DataFrame
        :data:`miner.tables.MANTEL`: Spearman's rho over pairs, one-sided p = (b + 1) / (m + 1). ``within`` all: any
        variety may take any place. ``within`` types: varieties change places with others of their eWAVE type only, and
        only pairs of one type are correlated.

    Raises
    ------
    TooFew
        With fewer than 4 varieties that have coordinates and distances.
    """
    use = _usable(ratings, distance)
    if len(use) < 4:
        msg = f"A Mantel test needs at least 4 varieties with coordinates and distances; got {len(use)}"
        raise TooFew(msg)
    sub = distance[np.ix_(use, use)]
    latitude, longitude = (ratings.varieties[c].to_numpy(dtype=np.float64)[use] for c in ("latitude", "longitude"))
    # Two varieties at one place: 1 km, so that the logarithm exists; ranks alone matter.
    far = np.log(np.maximum(great_circle(latitude, longitude), 1.0))
    types = ratings.varieties["type"].to_numpy(dtype=object)[use]
    rows = []
    for within, groups in (("all", np.zeros(len(use), dtype=object)), ("types", types)):
        rng = np.random.default_rng([seed, within == "types"])
        same = groups[:, None] == groups
        i, j = np.nonzero(np.triu(same, 1))
        row: dict[str, object] = {"within": within, "permutations": permutations, "n_varieties": len(use)}
        row |= {"n_pairs": len(i), "warning": WARNING, "rho": None, "p": None}
        if len(i) >= 3 and np.ptp(sub[i, j]) > 0 and np.ptp(far[i, j]) > 0:
            row["rho"], row["p"] = _permuted(sub, far, i, j, groups, permutations, rng)
        rows.append(row)
    return tables.conform(rows, tables.MANTEL)


def _permuted(
    distance: Floats,
    far: Floats,
    i: npt.NDArray[np.intp],
    j: npt.NDArray[np.intp],
    groups: npt.NDArray[np.object_],
    permutations: int,
    rng: np.random.Generator,
) -> tuple[float, float]:
    # Permutations move varieties, which permutes ranks; they are computed once and stay integers or halves: sums are exact.
    rank = np.zeros(distance.shape)
    rank[i, j] = rankdata(np.round(distance[i, j], 12))
    rank = rank + rank.T
    other = rankdata(np.round(far[i, j], 9))
    centred = other - other.mean()
    scale = np.sqrt((centred**2).sum() * ((rank[i, j] - rank[i, j].mean()) ** 2).sum())
    observed = float(centred @ rank[i, j])
    hits = 0
    members = [np.flatnonzero(groups == g) for g in sorted(set(groups), key=str)]
    for _ in range(permutations):
        order = np.arange(len(distance))
        for m in members:
            order[m] = m[rng.permutation(len(m))]
        hits += float(centred @ rank[order[i], order[j]]) >= observed - 1e-6
    return observed / float(scale), (hits + 1) / (permutations + 1)


def _usable(ratings: Ratings, distance: Floats) -> npt.NDArray[np.intp]:
    placed = ratings.varieties[["latitude", "longitude"]].notna().all(axis=1).to_numpy()
    use = np.flatnonzero(placed)
    while len(use):
        undefined = np.isnan(distance[np.ix_(use, use)]).sum(axis=1)
        if not undefined.any():
            break
        use = np.delete(use, int(undefined.argmax()))
    return use
