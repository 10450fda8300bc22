"""Multiple imputation of cells that say nothing: drawn from other varieties, many times, so that the spread can be told."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from miner.dialect.encoding import Encoded, Policy, encode
from miner.dialect.states import STATES

Floats = npt.NDArray[np.float64]
#: Donors per variety under ``impute-neighbour``.
NEIGHBOURS = 7


@dataclass(frozen=True, eq=False)
class Imputer:
    """Draws values for the open cells.

    Parameters
    ----------
    encoded : Encoded
        Its cells with an ``impute-...`` policy are filled; all others stay as they are.
    cells : ndarray of int, shape (n_open, 2)
        Row and column of each cell to fill.
    donors : ndarray of int
        Rows of the donors of all cells, one after the other.
    start, size : ndarray of int, shape (n_open,)
        Where a cell's donors stand in ``donors``.
    widened : int
        Cells whose own region or neighbours have no rating for the feature: drawn from all varieties that have.
    unfilled : int
        Cells of features that no variety is rated for; they stay open.
    """

    encoded: Encoded
    cells: npt.NDArray[np.intp]
    donors: npt.NDArray[np.intp]
    start: npt.NDArray[np.intp]
    size: npt.NDArray[np.intp]
    widened: int
    unfilled: int

    def draw(self, rng: np.random.Generator) -> Floats:
        """Return the values with every fillable cell drawn anew, shape (n_varieties, n_features)."""
        values = self.encoded.values.copy()
        if len(self.cells):
            pick = self.start + np.floor(rng.random(len(self.cells)) * self.size).astype(np.intp)
            rows, columns = self.cells.T
            values[rows, columns] = values[self.donors[pick], columns]
        return values

    def expected(self) -> Floats:
        """Return the values with every fillable cell at the mean of its donors."""
        values = self.encoded.values.copy()
        if len(self.cells):
            rows, columns = self.cells.T
            given = self.encoded.values[self.donors, np.repeat(columns, self.size)]
            values[rows, columns] = np.add.reduceat(given, self.start) / self.size
        return values

    def under(self, encoding: str) -> Imputer:
        """Return the same donors under another encoding and the same rule for open cells."""
        return replace(self, encoded=encode(self.encoded.ratings, encoding, self.encoded.missing))


def imputer(encoded: Encoded) -> Imputer:
    """Collect the donors of each open cell.

    Parameters
    ----------
    encoded : Encoded
        ``impute-area``: donors are the varieties of the same world region that are rated for the feature;
        ``impute-neighbour``: the 7 nearest varieties (mean absolute difference of ordinal values over shared rated
        features) that are rated for it. Each donor's rating is taken with equal chance, which keeps the spread of the
        ratings (a hot deck).
    """
    ratings = encoded.ratings
    rated, regions = ratings.rated, ratings.varieties["region"].to_numpy(dtype=object)
    order = _nearest(encode(ratings, "ordinal", "pairwise").values)
    cells, donors, widened, unfilled = [], [], 0, 0
    for i, j in np.argwhere(~rated):
        policy = encoded.missing.policy(STATES[ratings.grid[i, j]])
        if not policy.startswith("impute"):
            continue
        own = _donors(policy, int(i), int(j), rated, regions, order)
        if not len(own):
            own = np.flatnonzero(rated[:, j])
            widened += bool(len(own))
            unfilled += not len(own)
        if len(own):
            cells.append((i, j))
            donors.append(np.sort(own))
    size = np.array([len(d) for d in donors], dtype=np.intp)
    start = (np.cumsum(size) - size).astype(np.intp)
    flat = np.concatenate(donors) if donors else np.zeros(0, dtype=np.intp)
    return Imputer(encoded, np.array(cells, dtype=np.intp).reshape(-1, 2), flat, start, size, widened, unfilled)


def _donors(
    policy: Policy,
    i: int,
    j: int,
    rated: npt.NDArray[np.bool_],
    regions: npt.NDArray[np.object_],
    order: npt.NDArray[np.intp],
) -> npt.NDArray[np.intp]:
    if policy == "impute-area":
        return np.flatnonzero(rated[:, j] & (regions == regions[i]))
    near: npt.NDArray[np.intp] = order[i][rated[order[i], j]]
    return near[:NEIGHBOURS]


def _nearest(known: Floats) -> npt.NDArray[np.intp]:
    """Return for each variety all others, nearest first (no shared feature last, ties by id order)."""
    from miner.dialect.metrics import manhattan

    distance, _ = manhattan(known)
    distance = np.where(np.isnan(distance), np.inf, np.round(distance, 12))
    np.fill_diagonal(distance, np.inf)
    order = np.argsort(distance, axis=1, kind="stable")
    own = np.arange(len(known))[:, None]
    others: npt.NDArray[np.intp] = order[order != own].reshape(len(known), -1)
    return others
