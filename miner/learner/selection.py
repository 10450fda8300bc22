"""From tests to inventories: which features an L1 over- or under-uses, in what order."""

from __future__ import annotations

import numpy as np
import pandas as pd

from miner import tables
from miner.learner.presets import DEFAULT_PRESET, L1Preset, get_preset
from miner.learner.thresholds import failures


def select_l1(tests: pd.DataFrame, preset: str | L1Preset = DEFAULT_PRESET) -> pd.DataFrame:
    """Select and rank features.

    Parameters
    ----------
    tests : DataFrame
        :data:`miner.tables.L1_TESTS`.
    preset : str or L1Preset
        Its thresholds, ``direction``, ``order`` and ``cap`` are used. (Order ``coverage`` needs the counts, which
        :func:`~miner.learner.mining.compare_l1` has: here it is by statistic, without a cap.) Degenerate, untestable and unresolved rows are
        never selected.

    Returns
    -------
    DataFrame
        :data:`miner.tables.L1_INVENTORY`, ranked within each L1 and band.
    """
    recipe = get_preset(preset)
    direction = np.select([tests["effect"] > 0, tests["effect"] < 0], ["over", "under"], default="")
    chosen = (tests["status"] == "tested") & failures(tests, recipe).eq("")
    frame = tests.assign(direction=direction, preset=recipe.name)[chosen.to_numpy(dtype=bool)]
    strength = {
        "statistic": -frame["statistic"].abs(),
        "effect": -frame["effect"].abs(),
        "p": frame["p"],
        "coverage": -frame["statistic"].abs(),
        "bound": -frame["bound"].astype("float64").fillna(-np.inf),
    }
    frame = frame.assign(_strength=strength[recipe.order])
    frame = frame.sort_values(["l1", "cefr", "_strength", "feature"], kind="stable")
    frame["rank"] = frame.groupby(["l1", "cefr"], sort=False).cumcount() + 1
    if recipe.cap is not None and recipe.order != "coverage":
        frame = frame[frame["rank"] <= recipe.cap]
    return tables.conform(frame[tables.L1_INVENTORY.names], tables.L1_INVENTORY)
