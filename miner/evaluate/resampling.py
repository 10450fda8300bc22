"""Ratios of sums over learners, with intervals by a bootstrap of learners."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

Floats = np.ndarray[Any, np.dtype[np.float64]]


class LearnerBootstrap:
    """Weights of learners, drawn once, for as many ratios as are wanted.

    Parameters
    ----------
    strata : sequence, shape (learners,)
        Learners are drawn with replacement within strata, so that every resample has the same composition.
    resamples : int
    rng : Generator
    """

    def __init__(self, strata: Any, *, resamples: int, rng: np.random.Generator) -> None:
        labels, codes = np.unique(np.asarray(strata, dtype=str), return_inverse=True)
        self.weights = np.zeros((resamples, len(codes)))
        for i in range(len(labels)):
            own = np.flatnonzero(codes == i)
            self.weights[:, own] = rng.multinomial(len(own), np.full(len(own), 1 / len(own)), size=resamples)

    def totals(self, sums: sparse.csr_array) -> Floats:
        """Return the resampled totals, shape (resamples, columns), of sums per learner, shape (learners, columns)."""
        return np.asarray(self.weights @ sums)

    def interval(self, above: Floats, below: Floats) -> tuple[Floats, Floats]:
        """Return the 2.5 % and 97.5 % points of above / below per column; NaN where a fifth of the draws have no divisor."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(below > 0, above / below, np.nan)
        low, high = np.full(ratios.shape[1], np.nan), np.full(ratios.shape[1], np.nan)
        good = np.isfinite(ratios).mean(axis=0) >= 0.8
        if good.any():
            low[good], high[good] = np.nanpercentile(ratios[:, good], [2.5, 97.5], axis=0)
        return low, high
