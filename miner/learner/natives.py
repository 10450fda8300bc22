"""Is an over- or under-use one of this L1, or one that most learners share? Told by texts of native speakers, if there are any."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from miner import stats
from miner.learner.admission import Admitted
from miner.learner.cells import band_cells
from miner.learner.presets import L1Preset


def add_scope(
    frame: pd.DataFrame, admitted: Admitted, counts: pd.DataFrame, features: list[str], recipe: L1Preset
) -> pd.DataFrame:
    """Add ``rate_native`` and ``scope`` to the rows of all bands; empty where a band has too few natives.

    Notes
    -----
    Each L1 is compared with the natives by Welch's test on unit rates. A feature of an L1 is learner-general if this L1
    and more than half of all L1s differ from the natives (p < .05) in the direction in which the L1 differs from the other L1s.
    """
    frame = frame.assign(rate_native=np.nan, scope=None)
    if admitted.natives is None or not features:
        return frame
    natives = admitted.natives
    parts = [
        _band(part, admitted, natives, counts, features, recipe, str(band))
        for band, part in frame.groupby("cefr", sort=False)
    ]
    return pd.concat(parts).loc[frame.index]


def _band(
    frame: pd.DataFrame,
    admitted: Admitted,
    natives: pd.DataFrame,
    counts: pd.DataFrame,
    features: list[str],
    recipe: L1Preset,
    band: str,
) -> pd.DataFrame:
    here = natives[natives["band"].isin(["", band])].assign(band=band)
    if here["member"].nunique() < recipe.min_units:
        return frame
    learners = band_cells(admitted, counts, band, features)
    own = band_cells(replace(admitted, texts=here), counts, band, features)
    groups = len(learners.l1s)
    moments = stats.group_moments(learners.counts, learners.words, learners.label, groups)
    native = stats.group_moments(own.counts, own.words, np.zeros(len(own.words), dtype=np.int64), 1)
    same = stats.pool(native, np.ones((groups, 1), dtype=bool))
    result = stats.t_test(moments, same, kind="welch")
    with np.errstate(invalid="ignore"):
        sign = np.where(result.p < 0.05, np.sign(result.difference), 0.0)
    contrast = np.sign(frame["effect"].to_numpy(dtype=np.float64)).reshape(groups, len(features))
    share = np.stack([(sign == contrast[g]).mean(axis=0) for g in range(groups)])
    general = (sign == contrast) & (contrast != 0) & (share > 0.5)
    scope = np.where(general, "learner-general", "L1-specific")
    return frame.assign(rate_native=np.tile(native.mean[0], groups), scope=scope.ravel())
