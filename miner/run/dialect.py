"""The dialect half of a run: ratings in, dialect set, inventory and distances out."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from miner.dialect import DialectResult, Ratings, distances, encode, mine_dialects
from miner.dialect.distances import distance_signature
from miner.errors import OptionError, listed, nearest
from miner.run.study import DistanceSpec
from miner.signature import Signature
from miner.store import Store

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class DistanceResult:
    """Distances from the reference point, all metrics in one table; and all pairs in the first metric, for tree and heat map."""

    distances: pd.DataFrame
    pairs: pd.DataFrame
    signature: Signature


def run_dialects(
    ratings: Ratings, options: Mapping[str, Any], *, seed: int, store: Store | None = None
) -> DialectResult:
    """Mine the dialect set; ``options`` are keyword arguments of :func:`miner.dialect.mine_dialects`; a store keeps the searches.

    Raises
    ------
    OptionError
        For an option that is not known, with the nearest name.
    InputError, TooFew
        As :func:`miner.dialect.mine_dialects` does.
    """
    known = [n for n in inspect.signature(mine_dialects).parameters if n not in ("ratings", "seed", "store")]
    for name in options:
        if name not in known:
            msg = f"[dialects]: the key '{name}' is not known{nearest(name, known)}; expected some of {listed(known, most=20)}"
            raise OptionError(msg)
    return mine_dialects(ratings, seed=seed, store=store, **options)


def run_distances(ratings: Ratings, spec: DistanceSpec) -> DistanceResult:
    """Compute distances from the reference point, and all pairs.

    Raises
    ------
    OptionError
        For names that are not known, with the nearest.
    """
    import pandas as pd

    frames = [distances(ratings, m, spec.encoding, spec.origin) for m in spec.metrics]  # type: ignore[arg-type]
    pairs = distances(ratings, spec.metrics[0], spec.encoding, "all")  # type: ignore[arg-type]
    signature = distance_signature(ratings, "+".join(spec.metrics), encode(ratings, spec.encoding), spec.origin)
    return DistanceResult(pd.concat(frames, ignore_index=True), pairs, signature)
