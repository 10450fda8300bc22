"""Resamples of features: what an interval of a distance or a clustering's stability is drawn from.

Features are drawn with replacement inside each grammar area, so every resample has as many pronoun features as eWAVE
has. Varieties are never drawn with replacement: a variety twice in a sample is a distance of 0 and a cluster of its own.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from miner.dialect.ratings import Ratings
from miner.errors import OptionError

Counts = npt.NDArray[np.int64]


def feature_resamples(ratings: Ratings, n: int, rng: np.random.Generator) -> Counts:
    """Return how often each feature is in each resample.

    Parameters
    ----------
    ratings : Ratings
        Features without a grammar area form one area of their own.
    n : int
        Number of resamples.
    rng : numpy Generator

    Returns
    -------
    ndarray of int, shape (n, n_features)
        Each row sums to the number of features, and inside each area to the area's.
    """
    if n < 0:
        msg = f"The number of resamples must be 0 or more. Got {n} instead"
        raise OptionError(msg)
    areas = ratings.features["area"].to_numpy(dtype=object)
    out = np.zeros((n, len(areas)), dtype=np.int64)
    for area in sorted(set(areas)):
        own = np.flatnonzero(areas == area)
        drawn = rng.integers(0, len(own), size=(n, len(own)))
        rows = np.repeat(np.arange(n), len(own))
        np.add.at(out, (rows, own[drawn.ravel()]), 1)
    return out
