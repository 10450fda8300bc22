"""Distances between encoded ratings as arrays: their value, what they rest on, and the bounds that open cells leave."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from miner.dialect.blas import one_thread

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def manhattan(values: Floats, *, weights: Floats | None = None, extra: int = 0) -> tuple[Floats, Ints]:
    """Return mean absolute differences of all pairs over the features that both have.

    Parameters
    ----------
    values : ndarray, shape (n, p)
        NaN where open.
    weights : ndarray, shape (p,), optional
        Weight of each feature's difference (Gower's 1 / range).
    extra : int
        Entries without a feature that are equal in all vectors and count in the mean (Multi-VALUE's entry 0).

    Returns
    -------
    tuple of ndarray, shape (n, n)
        Distances (NaN where nothing is shared), and numbers of shared features.
    """
    known = ~np.isnan(values)
    filled = np.where(known, values, 0.0)
    scale = np.ones(values.shape[1]) if weights is None else weights
    out = np.full((len(values), len(values)), np.nan)
    shared = np.zeros(out.shape, dtype=np.int64)
    for i in range(len(values)):
        both = known & known[i]
        shared[i] = both.sum(axis=1)
        total = np.where(both, np.abs(filled - filled[i]) * scale, 0.0).sum(axis=1)
        out[i] = np.divide(total, shared[i] + extra, out=np.full(len(values), np.nan), where=shared[i] > 0)
    return out, shared


def manhattan_resampled(
    values: Floats, counts: Ints, rows: npt.NDArray[np.intp], *, weights: Floats, extra: int = 0
) -> Floats:
    """Return the distances from some rows to all in each resample of features.

    Returns
    -------
    ndarray, shape (n_resamples, len(rows), n)
        NaN where a resample shares no feature.
    """
    known = ~np.isnan(values)
    filled = np.where(known, values, 0.0)
    drawn = counts.astype(np.float64).T
    out = np.full((len(counts), len(rows), len(values)), np.nan)
    with one_thread():
        for a, i in enumerate(rows):
            both = known & known[i]
            total = (np.abs(filled - filled[i]) * weights * both) @ drawn
            shared = both @ drawn
            out[:, a] = np.divide(total, shared + extra, out=np.full(total.shape, np.nan), where=shared > 0).T
    return out


def inverse_ranges(values: Floats) -> Floats:
    """Return Gower's weights: 1 / (largest - smallest known value) of each feature; 0 where all are equal or open."""
    known = ~np.isnan(values)
    high = np.where(known, values, -np.inf).max(axis=0)
    low = np.where(known, values, np.inf).min(axis=0)
    spread = np.where(known.any(axis=0), high - low, 0.0)
    return np.divide(1.0, spread, out=np.zeros(values.shape[1]), where=spread > 0)


def bounds(
    known: Floats, levels: Floats, *, extra: int = 0, weights: Floats | None = None, squared: bool = False
) -> tuple[Floats, Floats]:
    """Return the lowest and highest distance that any rating of the open cells can give.

    Parameters
    ----------
    known : ndarray, shape (n, p)
        Values of rated cells; NaN for X, ? and absent, whatever the policy.
    levels : ndarray
        Values that a rating can have (those of A, B, C, D).
    extra, weights
        As in :func:`manhattan`.
    squared : bool
        Sums of squared differences instead of mean absolute ones.

    Returns
    -------
    tuple of ndarray, shape (n, n)
        A cell that is open on one side is at best equal to the other side, at worst as far from it as a rating can be;
        open on both sides: 0 and the full range.
    """
    is_known = ~np.isnan(known)
    filled = np.where(is_known, known, 0.0)
    power = 2 if squared else 1
    scale = np.ones(known.shape[1]) if weights is None else weights
    # Farthest rating from a value, and the full range where both are open.
    farthest = np.where(is_known, np.abs(filled[:, :, None] - levels).max(axis=2), np.ptp(levels))
    low, high = np.zeros((len(known), len(known))), np.zeros((len(known), len(known)))
    for i in range(len(known)):
        both = is_known & is_known[i]
        certain = np.where(both, np.abs(filled - filled[i]) ** power, 0.0) * scale
        open_side = np.where(is_known, farthest, farthest[i]) ** power * scale  # the known side decides
        low[i] = certain.sum(axis=1)
        high[i] = np.where(both, certain, open_side).sum(axis=1)
    np.fill_diagonal(high, 0.0)  # a variety is at 0 from itself, whatever its open cells are
    divisor = 1 if squared else known.shape[1] + extra
    return low / divisor, high / divisor
