"""Distances between varieties, each with the number of features it rests on."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from miner import tables
from miner.dialect.encoding import Encoded, encode, require_complete
from miner.dialect.ratings import Ratings, read_ratings
from miner.dialect.reduction import reduce
from miner.dialect.silhouettes import pairwise_distances
from miner.errors import require_one_of
from miner.signature import Signature

Floats = npt.NDArray[np.float64]
Metric = Literal["manhattan", "euclidean"]
METRICS = ("manhattan", "euclidean")
#: The stand-in for Standard American English, which eWAVE does not rate.
REFERENCE = "Colloquial American English"
ZERO, ALL = "zero", "all"


def distances(
    ratings: Ratings | None = None,
    metric: Metric = "manhattan",
    encoding: str = "ordinal",
    from_: str = REFERENCE,
    *,
    missing: str | None = None,
    centred: bool = True,
    share: float = 0.9,
) -> pd.DataFrame:
    """Return the distance of every variety from a reference point.

    Parameters
    ----------
    ratings : Ratings, optional
        The bundled eWAVE table by default.
    metric : {"manhattan", "euclidean"}
        ``manhattan``: mean absolute difference over the shared features, in [0, 1] (over all features when missing
        is ``zero``). ``euclidean``: in the space of the components that hold ``share`` of the variance.
    encoding : str
        See :func:`miner.dialect.encoding.encode`.
    from_ : str
        Id, abbreviation or name of a variety; ``"zero"`` for the vector without any feature; ``"all"`` for all pairs.
        Colloquial American English is a reference point, not a norm.
    missing : str, optional
        See :class:`miner.dialect.encoding.Missing`.
    centred, share
        Of the reduction, for ``euclidean``.

    Returns
    -------
    DataFrame
        :data:`miner.tables.DISTANCES`; a distance over no shared feature is empty with a reason.

    Raises
    ------
    OptionError
        For unknown names, with the nearest; for open cells where the metric needs a value in each.
    """
    require_one_of(metric, METRICS, what="The 'metric' option")
    ratings = read_ratings() if ratings is None else ratings
    encoded = encode(ratings, encoding, missing)
    n = len(encoded.values)
    origins = list(range(n)) if from_ == ALL else [n if from_ == ZERO else ratings.variety_index(from_)]
    matrix, shared = distance_matrix(encoded, metric, centred=centred, share=share)
    unrated = np.vstack([~ratings.rated, np.zeros((1, ratings.grid.shape[1]), bool)])
    ids = [*ratings.varieties["variety_id"], ZERO]
    names = [*ratings.varieties["variety"], "zero vector"]
    frames = [
        pd.DataFrame(
            {
                "from_id": ids[o],
                "from_variety": names[o],
                "variety_id": ids[:n],
                "variety": names[:n],
                "metric": metric,
                "encoding": encoded.encoding,
                "distance": matrix[o, :n],
                "n_shared": shared[o, :n],
                "n_unrated": (unrated[:n] | unrated[o]).sum(axis=1),
                "reason": [_reason(encoded, o, v, shared[o, v]) for v in range(n)],
            }
        )
        for o in origins
    ]
    return tables.conform(pd.concat(frames, ignore_index=True), tables.DISTANCES)


def distance_matrix(
    encoded: Encoded, metric: Metric = "manhattan", *, centred: bool = True, share: float = 0.9
) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Return distances and numbers of shared features of all pairs; the last row and column are the zero vector.

    Returns
    -------
    tuple of ndarray, shape (n_varieties + 1, n_varieties + 1)
        Distances (NaN where no feature is shared) and counts of shared features.
    """
    if metric == "euclidean":
        values = require_complete(encoded, "The Euclidean distance in SVD space")
        space = reduce(values, centred=centred, share=share)
        points = np.vstack([space.scores, space.project(np.zeros((1, values.shape[1])))])
        return pairwise_distances(points), np.full((len(points), len(points)), values.shape[1])
    return _manhattan(np.vstack([encoded.values, np.zeros((1, encoded.values.shape[1]))]))


def _manhattan(values: Floats) -> tuple[Floats, npt.NDArray[np.int64]]:
    known = ~np.isnan(values)
    filled = np.where(known, values, 0.0)
    out = np.full((len(values), len(values)), np.nan)
    shared = np.zeros(out.shape, dtype=np.int64)
    for i in range(len(values)):
        both = known & known[i]
        shared[i] = both.sum(axis=1)
        total = np.where(both, np.abs(filled - filled[i]), 0.0).sum(axis=1)
        out[i] = np.divide(total, shared[i], out=np.full(len(values), np.nan), where=shared[i] > 0)
    return out, shared


def _reason(encoded: Encoded, origin: int, variety: int, shared: Any) -> str:
    rated = encoded.ratings.rated
    silent = [
        encoded.ratings.varieties["variety"][v]
        for v in dict.fromkeys((origin, variety))
        if v < len(rated) and not rated[v].any()
    ]
    if shared == 0:
        return "no feature is rated in both" + (
            f": {' and '.join(silent)} without any rating A, B, C or D" if silent else ""
        )
    if silent:
        return f"{' and '.join(silent)} without any rating A, B, C or D: the distance is that of a variety without any feature"
    return ""


def distance_signature(
    ratings: Ratings, metric: str, encoded: Encoded, from_: str, *, centred: bool = True, share: float = 0.9
) -> Signature:
    """Return the signature of a table of distances."""
    return Signature.of(
        "distance",
        ratings=ratings.signature,
        encoding=encoded.encoding,
        missing=encoded.missing,
        svd=f"{'centred' if centred else 'uncentred'},{share:g}" if metric == "euclidean" else None,
        metric=metric,
        from_=from_,
    )
