"""Distances between varieties, each with what it rests on: shared features, bounds, intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from miner import tables
from miner.dialect.encoding import Encoded, encode, require_complete, weights
from miner.dialect.imputation import imputer
from miner.dialect.metrics import bounds, inverse_ranges, manhattan, manhattan_resampled
from miner.dialect.ratings import Ratings, read_ratings
from miner.dialect.reduction import reduce
from miner.dialect.resampling import feature_resamples
from miner.dialect.silhouettes import pairwise_distances
from miner.errors import OptionError, require_one_of
from miner.signature import DEFAULT_SEED, Signature

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Metric = Literal["manhattan", "manhattan-236", "gower", "euclidean"]
METRICS = ("manhattan", "manhattan-236", "gower", "euclidean")
#: The stand-in for Standard American English, which eWAVE does not rate.
REFERENCE = "Colloquial American English"
ZERO, ALL = "zero", "all"

#: Draws of a multiple imputation.
IMPUTATIONS = 50


@dataclass(frozen=True, eq=False)
class DistanceMatrix:
    """Distances of all pairs; the last row and column are the zero vector.

    Parameters
    ----------
    distance, bound_low, bound_high : ndarray, shape (n_varieties + 1, n_varieties + 1)
        Distances (NaN where no feature is shared; the mean over imputations where cells are imputed) and the bounds
        that X, ? and absent cells leave.
    spread : ndarray
        Standard deviation over imputations; NaN when nothing is imputed.
    n_shared : ndarray of int
    """

    distance: Floats
    bound_low: Floats
    bound_high: Floats
    spread: Floats
    n_shared: Ints


def distances(
    ratings: Ratings | None = None,
    metric: Metric = "manhattan",
    encoding: str = "ordinal",
    from_: str = REFERENCE,
    *,
    missing: str | None = None,
    centred: bool = True,
    share: float = 0.9,
    resamples: int = 0,
    seed: int = DEFAULT_SEED,
) -> pd.DataFrame:
    """Return the distance of every variety from a reference point.

    Parameters
    ----------
    ratings : Ratings, optional
        The bundled eWAVE table by default.
    metric : {"manhattan", "manhattan-236", "gower", "euclidean"}
        ``manhattan``: mean absolute difference over the shared features, in [0, 1] (over all features when missing
        is ``zero``). ``manhattan-236``: the same sum divided by one more than the number of features, as Multi-VALUE's
        code does (its vectors have an entry 0 that stands for no feature). ``gower``: each feature's difference
        divided by the feature's range (Gower 1971, Biometrics 27, 857-871). ``euclidean``: in the space of the
        components that hold ``share`` of the variance.
    encoding : str
        See :func:`miner.dialect.encoding.encode`.
    from_ : str
        Id, abbreviation or name of a variety; ``"zero"`` for the vector without any feature; ``"all"`` for all pairs.
        Colloquial American English is a reference point, not a norm.
    missing : str, optional
        See :class:`miner.dialect.encoding.Missing`; under ``euclidean``, which needs a value in every cell, the default
        is ``impute-neighbour`` unless the encoding's paper says ``zero``. Imputed cells are drawn 50 times: the mean is given, and ``spread``.
    centred, share
        Of the reduction, for ``euclidean``.
    resamples : int
        Resamples of features (inside grammar areas) for the interval; 0 gives none. Imputed cells are drawn anew in each.
    seed : int
        Of resamples and imputations.

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
    encoded = encoded_for(ratings, metric, encoding, missing)
    n = len(encoded.values)
    origins = list(range(n)) if from_ == ALL else [n if from_ == ZERO else _origin(ratings, from_)]
    matrix = distance_matrix(encoded, metric, centred=centred, share=share, seed=seed)
    drawn = resampled(encoded, metric, origins, resamples, seed, centred=centred, share=share)
    low, high = interval(drawn)
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
                "distance": matrix.distance[o, :n],
                "bound_low": matrix.bound_low[o, :n],
                "bound_high": matrix.bound_high[o, :n],
                "ci_low": low[a],
                "ci_high": high[a],
                "spread": matrix.spread[o, :n],
                "n_shared": matrix.n_shared[o, :n],
                "n_unrated": (unrated[:n] | unrated[o]).sum(axis=1),
                "reason": [_reason(encoded, o, v, matrix.n_shared[o, v]) for v in range(n)],
            }
        )
        for a, o in enumerate(origins)
    ]
    return tables.conform(pd.concat(frames, ignore_index=True), tables.DISTANCES)


def _origin(ratings: Ratings, from_: str) -> int:
    try:
        return ratings.variety_index(from_)
    except OptionError as err:
        if from_ != REFERENCE:
            raise
        msg = f"The default reference point '{REFERENCE}' is not in these ratings; name one of their varieties, or 'zero' or 'all'"
        raise OptionError(msg) from err


def encoded_for(ratings: Ratings, metric: Metric, encoding: str, missing: str | None = None) -> Encoded:
    """Encode ratings for a metric: where ``euclidean`` would meet open cells, ``impute-neighbour`` is the default."""
    encoded = encode(ratings, encoding, missing)
    if metric == "euclidean" and missing is None and np.isnan(encoded.values).any():
        return encode(ratings, encoding, "impute-neighbour")
    return encoded


def distance_matrix(
    encoded: Encoded,
    metric: Metric = "manhattan",
    *,
    centred: bool = True,
    share: float = 0.9,
    seed: int = DEFAULT_SEED,
) -> DistanceMatrix:
    """Return distances of all pairs, with the zero vector as last row and column.

    Parameters
    ----------
    encoded : Encoded
    metric, centred, share
        As in :func:`distances`.
    seed : int
        Of the imputations, if any cell is imputed.
    """
    full = encode(encoded.ratings, encoded.encoding, "pairwise").values
    low, high = _bounds(_with_zero(full), encoded.encoding, metric)
    if not encoded.missing.imputes:
        distance, shared = _once(encoded, encoded.values, metric, centred, share)
        return DistanceMatrix(distance, low, high, np.full(distance.shape, np.nan), shared)
    source = imputer(encoded)
    rng = np.random.default_rng([seed, 2])
    drawn = [_once(encoded, source.draw(rng), metric, centred, share) for _ in range(IMPUTATIONS)]
    stack = np.stack([d for d, _ in drawn])
    # Observed cells alone: what is imputed is no shared evidence.
    _, shared = manhattan(_with_zero(encoded.values))
    return DistanceMatrix(stack.mean(axis=0), low, high, stack.std(axis=0, ddof=1), shared)


def resampled(
    encoded: Encoded, metric: Metric, origins: list[int], n: int, seed: int, *, centred: bool = True, share: float = 0.9
) -> Floats:
    """Return distances from some rows (the last is the zero vector) in each resample of features.

    Returns
    -------
    ndarray, shape (n, len(origins), n_varieties)
    """
    rng = np.random.default_rng([seed, 3])
    counts = feature_resamples(encoded.ratings, n, rng)
    rows = np.array(origins, dtype=np.intp)
    size = len(encoded.values)
    if n == 0:
        return np.full((0, len(rows), size), np.nan)
    source = imputer(encoded) if encoded.missing.imputes else None
    if metric != "euclidean" and source is None:
        scale, extra = _scale(encoded.values, metric)
        return manhattan_resampled(_with_zero(encoded.values), counts, rows, weights=scale, extra=extra)[:, :, :size]
    out = np.empty((n, len(rows), size))
    for r in range(n):
        values = encoded.values if source is None else source.draw(rng)
        if metric == "euclidean":
            values = np.repeat(values, counts[r], axis=1)
            out[r] = _euclidean(values, centred, share)[rows, :size]
        else:
            scale, extra = _scale(values, metric)
            out[r] = manhattan_resampled(_with_zero(values), counts[r : r + 1], rows, weights=scale, extra=extra)[
                0, :, :size
            ]
    return out


def interval(drawn: Floats) -> tuple[Floats, Floats]:
    """Return the 2.5th and 97.5th percentile over the first axis; NaN where a resample is undefined, or without any."""
    if not len(drawn):
        empty = np.full(drawn.shape[1:], np.nan)
        return empty, empty
    low, high = np.percentile(drawn, [2.5, 97.5], axis=0)
    return low, high


def _with_zero(values: Floats) -> Floats:
    return np.vstack([values, np.zeros((1, values.shape[1]))])


def _scale(values: Floats, metric: Metric) -> tuple[Floats, int]:
    scale = inverse_ranges(values) if metric == "gower" else np.ones(values.shape[1])
    return scale, int(metric == "manhattan-236")


def _once(encoded: Encoded, values: Floats, metric: Metric, centred: bool, share: float) -> tuple[Floats, Ints]:  # noqa: FBT001
    if metric == "euclidean":
        complete = Encoded(values, encoded.encoding, encoded.missing, encoded.ratings)
        require_complete(complete, "The Euclidean distance in SVD space")
        distance = _euclidean(values, centred, share)
        return distance, np.full(distance.shape, values.shape[1])
    if metric == "manhattan-236" and np.isnan(values).any():
        msg = "The metric 'manhattan-236' is Multi-VALUE's, which counts X, ? and absent as 0: use missing='zero', or 'manhattan'"
        raise OptionError(msg)
    scale, extra = _scale(values, metric)
    return manhattan(_with_zero(values), weights=scale, extra=extra)


def _euclidean(values: Floats, centred: bool, share: float) -> Floats:  # noqa: FBT001
    space = reduce(values, centred=centred, share=share)
    return pairwise_distances(np.vstack([space.scores, space.project(np.zeros((1, values.shape[1])))]))


def _bounds(full: Floats, encoding: str, metric: Metric) -> tuple[Floats, Floats]:
    levels = np.array(sorted(set(weights(encoding))))
    if metric == "euclidean":
        # A projection never lengthens: the distance before reduction bounds the one after it from above.
        return np.zeros((len(full), len(full))), np.sqrt(bounds(full, levels, squared=True)[1])
    scale = inverse_ranges(full[:-1]) if metric == "gower" else None
    return bounds(full, levels, extra=int(metric == "manhattan-236"), weights=scale)


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
    ratings: Ratings,
    metric: str,
    encoded: Encoded,
    from_: str,
    *,
    centred: bool = True,
    share: float = 0.9,
    resamples: int = 0,
    seed: int | None = None,
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
        n=f"{resamples} resamples" if resamples else None,
        seed=seed if resamples or encoded.missing.imputes else None,
    )
