"""Singular value decomposition of encoded ratings: the smallest number of components that holds enough variance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from miner.dialect.blas import one_thread
from miner.errors import OptionError, TooFew

Floats = npt.NDArray[np.float64]
#: A share that misses the wanted one by no more than this counts as reached (``7/10 + 2/10`` is 0.9).
TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Reduced:
    """A reduced space.

    Parameters
    ----------
    scores : ndarray, shape (n_varieties, n_components)
        Coordinates of the varieties; Euclidean distances are taken here.
    loadings : ndarray, shape (n_features, n_components)
        Directions of the components. Sign rule: the loading of largest absolute value (the first feature in id order
        among equals) is positive.
    squared : ndarray, shape (min(n_varieties, n_features),)
        All squared singular values, largest first.
    cumulative : ndarray
        Their cumulative share.
    mean : ndarray, shape (n_features,)
        What was subtracted; zeros when not centred.
    centred : bool
    share : float
        The share asked for.
    """

    scores: Floats
    loadings: Floats
    squared: Floats
    cumulative: Floats
    mean: Floats
    centred: bool
    share: float

    @property
    def n_components(self) -> int:
        """Number of components kept."""
        return int(self.scores.shape[1])

    def project(self, vectors: Floats) -> Floats:
        """Return coordinates of further vectors, shape (n, n_features), in this space."""
        with one_thread():
            return (vectors - self.mean) @ self.loadings

    def __str__(self) -> str:
        return f"{'centred' if self.centred else 'uncentred'},{self.share:g},{self.n_components}"


def reduce(values: Floats, *, centred: bool = True, share: float = 0.9) -> Reduced:
    """Reduce encoded ratings by singular value decomposition.

    Parameters
    ----------
    values : ndarray, shape (n_varieties, n_features)
        Complete; NaN is refused.
    centred : bool
        Subtract each feature's mean first (principal components); otherwise the raw matrix is decomposed.
    share : float
        In (0, 1]; the smallest number of components with *at least* this share of the sum of squares is kept, with a
        tolerance of 1e-9, so a share that is reached exactly counts as reached.

    Raises
    ------
    TooFew
        With fewer than two varieties, or when all varieties are equal and centred.
    """
    if not 0 < share <= 1:
        msg = f"The 'share' of variance must be above 0 and at most 1. Got {share!r} instead"
        raise OptionError(msg)
    if len(values) < 2 or np.isnan(values).any():
        msg = f"A reduction needs at least 2 varieties and a value in every cell. Got {len(values)} varieties, {int(np.isnan(values).sum())} open cells"
        raise TooFew(msg)
    mean = values.mean(axis=0) if centred else np.zeros(values.shape[1])
    with one_thread():
        u, s, vt = np.linalg.svd(values - mean, full_matrices=False)
    squared = s**2
    if squared.sum() <= TOLERANCE:
        msg = "All varieties have the same values: there is no variance to reduce. Check the encoding and the ratings"
        raise TooFew(msg)
    cumulative = np.cumsum(squared) / squared.sum()
    n = int(np.argmax(cumulative >= share - TOLERANCE)) + 1
    signs = _signs(vt[:n])
    return Reduced(u[:, :n] * s[:n] * signs, vt[:n].T * signs, squared, cumulative, mean, centred, share)


def _signs(directions: Floats) -> Floats:
    size = np.abs(directions)
    first = (size >= size.max(axis=1, keepdims=True) - 1e-9).argmax(axis=1)
    return np.where(directions[np.arange(len(directions)), first] < 0, -1.0, 1.0)
