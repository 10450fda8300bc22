"""The contrast across levels: levels given by people who read the errors are partly an outcome of the errors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from miner.learner.admission import Admitted
from miner.learner.cells import BandCells, band_cells
from miner.learner.presets import L1Preset
from miner.stats.moments import Floats


def add_levels(
    frame: pd.DataFrame, admitted: Admitted, counts: pd.DataFrame, features: list[str], recipe: L1Preset
) -> pd.DataFrame:
    """Add ``log_ratio_levels`` to the rows of all bands: each L1 against the others with the bands taken together.

    Notes
    -----
    Learners who make an error less often are put into higher levels, so that within a level L1s look more alike than they
    are. A unit's rate is that of all its texts here. The reference is weighted as the recipe says.
    """
    frame = frame.assign(log_ratio_levels=np.nan)
    if admitted.texts["band"].nunique() < 2 or not features:
        return frame
    texts = admitted.texts.assign(band="").sort_values(["member", "text_id"], kind="stable")
    cells = band_cells(replace(admitted, texts=texts.reset_index(drop=True)), counts, "", features)
    ratio = _log_ratios(cells, recipe)
    row = pd.Index(cells.l1s).get_indexer(pd.Index(frame["l1"]))
    return frame.assign(log_ratio_levels=ratio[row, pd.Index(features).get_indexer(pd.Index(frame["feature"]))])


def _log_ratios(cells: BandCells, recipe: L1Preset) -> Floats:
    shape = (len(cells.l1s), cells.counts.shape[1])
    row = np.repeat(np.arange(cells.counts.shape[0]), np.diff(cells.counts.indptr))
    rate = 1000 * cells.counts.data / cells.words[row]
    at = cells.label[row] * shape[1] + cells.counts.indices
    total = np.bincount(at, weights=rate, minlength=shape[0] * shape[1]).reshape(shape)
    units = np.bincount(cells.label, minlength=shape[0])
    mean = total / units[:, None]
    weight = units.astype(np.float64) if recipe.contrast == "pooled" else (units >= recipe.min_units).astype(np.float64)
    ratio = np.full(shape, np.nan)
    for g in range(shape[0]):
        other = np.where(np.arange(shape[0]) == g, 0.0, weight)
        if other.sum() > 0:
            reference = (other[:, None] * mean).sum(axis=0) / other.sum()
            both = (mean[g] > 0) & (reference > 0)
            ratio[g, both] = np.log(mean[g, both] / reference[both])
    return ratio
