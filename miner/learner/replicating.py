"""How probably findings would be found again, and the share of true nulls, family by family."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from miner import stats
from miner.learner.presets import L1Preset
from miner.learner.thresholds import failures
from miner.stats.moments import Floats, Ints


def null_shares(frame: pd.DataFrame) -> Floats:
    """Return the estimated share of true nulls of the family of each row that has a p; shape (rows,)."""
    p, shares = frame["p"].to_numpy(dtype=np.float64), np.full(len(frame), np.nan)
    for rows in _families(frame):
        shares[rows] = stats.null_share(p[rows])
    return np.where(np.isnan(p), np.nan, shares)


def add_replication(frame: pd.DataFrame, recipe: L1Preset) -> pd.DataFrame:
    """Add for each tested row how probably it would be found again, and for each candidate that of the list that ends with it.

    Parameters
    ----------
    frame : DataFrame
        Rows with p, q and effects. Candidates pass all thresholds but those of replication and stability.
    recipe : L1Preset

    Returns
    -------
    DataFrame
        With columns ``replication`` (:func:`miner.stats.expected_replication`, over the family's p) and ``replication_list``
        (:func:`miner.stats.replication_of_list`, over the family's candidates; empty for others).
    """
    p = frame["p"].to_numpy(dtype=np.float64)
    feature = frame.groupby(["cefr", "feature"], sort=True).ngroup().to_numpy()
    passing = failures(frame.assign(stability=1.0, replication_list=1.0), recipe).eq("") & frame["status"].eq("tested")
    single, listed = np.full(len(frame), np.nan), np.full(len(frame), np.nan)
    for rows in _families(frame):
        single[rows] = stats.expected_replication(p[rows], feature[rows])
        listed[rows] = stats.replication_of_list(np.where(passing.to_numpy()[rows], single[rows], np.nan))
    return frame.assign(replication=single, replication_list=listed)


def _families(frame: pd.DataFrame) -> Iterator[Ints]:
    for _, rows in sorted(frame.groupby("correction_family").indices.items()):
        yield np.asarray(rows, dtype=np.int64)
