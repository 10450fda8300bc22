"""What a ratings table holds: counts per feature and variety, attestation and pervasiveness, and the difference of two tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from miner import tables
from miner.dialect.ratings import Ratings
from miner.dialect.states import STATES
from miner.errors import EmptyInput
from miner.ledger import Ledger

#: eWAVE's own weights for pervasiveness; its published figures follow from them.
_WEIGHTS = (1.0, 0.6, 0.3)


def feature_profile(ratings: Ratings) -> pd.DataFrame:
    """Return :data:`miner.tables.FEATURE_PROFILE`: how far each feature is attested, and how pervasive it is there.

    eWAVE prints both figures per feature; here they are computed again from the ratings at hand.
    """
    counts = ratings.counts("feature")
    shares = _shares(counts, len(ratings.grid)).rename(
        columns={"attested": "attestation", "attested_rated": "attestation_rated"}
    )
    frame = pd.concat([counts, shares], axis=1).assign(area=ratings.features["area"])
    return tables.conform(frame, tables.FEATURE_PROFILE)


def variety_profile(ratings: Ratings) -> pd.DataFrame:
    """Return :data:`miner.tables.VARIETY_PROFILE`: the states of each variety's cells, and how much of eWAVE it attests."""
    counts = ratings.counts()
    frame = pd.concat([counts, _shares(counts, ratings.grid.shape[1])], axis=1)
    return tables.conform(frame.assign(**{c: ratings.varieties[c] for c in ("type", "region")}), tables.VARIETY_PROFILE)


def _shares(counts: pd.DataFrame, whole: int) -> pd.DataFrame:
    a, b, c, d = (counts[f"n_{s}"].to_numpy(dtype=np.float64) for s in "abcd")
    attested = a + b + c
    pervasive = _WEIGHTS[0] * a + _WEIGHTS[1] * b + _WEIGHTS[2] * c
    return pd.DataFrame(
        {
            "attested": attested / whole,
            "attested_rated": _ratio(attested, attested + d),
            "pervasiveness": _ratio(pervasive, attested),
        }
    )


def _ratio(part: npt.NDArray[Any], whole: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    out: npt.NDArray[np.float64] = np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0)
    return out


def diff(a: Ratings, b: Ratings) -> tuple[pd.DataFrame, Ledger]:
    """Return the cells in which two tables differ.

    Parameters
    ----------
    a, b : Ratings
        Compared by variety and feature id, over those that both have; names may differ.

    Returns
    -------
    tuple of DataFrame, Ledger
        :data:`miner.tables.EWAVE_DIFF`, and the account: cells read (of both tables), compared, and left out because
        only one table has the variety or feature; varieties and features by name.

    Raises
    ------
    EmptyInput
        If the tables share no variety or no feature.
    """
    ledger = Ledger("ewave diff", "cells")
    rows, ia, ib = _common(a.varieties["variety_id"], b.varieties["variety_id"])
    columns, ja, jb = _common(a.features["feature_id"], b.features["feature_id"])
    if not rows or not columns:
        msg = f"The tables share {len(rows)} varieties and {len(columns)} features by id; nothing can be compared"
        raise EmptyInput(msg)
    for table, which in ((a, "first"), (b, "second")):
        ledger.drop(f"variety or feature only in the {which} table", table.grid.size - len(rows) * len(columns))
        for kind, common in (("variety", rows), ("feature", columns)):
            frame = table.varieties if kind == "variety" else table.features
            for only in [i for i in frame[f"{kind}_id"] if i not in set(common)]:
                ledger.note(f"{kind} only in the {which} table", place=str(only))
    ledger.keep(2 * len(rows) * len(columns))
    left, right = a.grid[np.ix_(ia, ja)], b.grid[np.ix_(ib, jb)]
    i, j = np.nonzero(left != right)
    frame = pd.DataFrame({c: b.varieties[c].to_numpy(dtype=object)[ib][i] for c in ("variety_id", "variety")})
    for c in ("feature_id", "feature"):
        frame[c] = b.features[c].to_numpy(dtype=object)[jb][j]
    frame["rating_a"] = [STATES[s] for s in left[i, j]]
    frame["rating_b"] = [STATES[s] for s in right[i, j]]
    return tables.conform(frame, tables.EWAVE_DIFF), ledger


def _common(a: pd.Series[Any], b: pd.Series[Any]) -> tuple[list[str], list[int], list[int]]:
    place_a, place_b = ({v: i for i, v in enumerate(s)} for s in (a, b))
    shared = [v for v in a if v in place_b]
    return shared, [place_a[v] for v in shared], [place_b[v] for v in shared]
