"""Tests of one group of a corpus alone: all others are its reference only, and no members of its families."""

from __future__ import annotations

import numpy as np
import pandas as pd

from miner import tables
from miner.learner import L1Preset, admit, get_preset, test_l1
from miner.learner.panel import make_panel
from miner.learner.permuting import add_permutation_test
from miner.learner.testing import _decided

#: What a first pass does without: rows, counts, rates and reasons do not depend on it.
_WITHOUT = {"gate": False, "stability_pairs": 0, "min_replication": 0.0, "further_permutations": 0, "permutations": 99}


def only_asked(
    counts: pd.DataFrame,
    units: pd.DataFrame,
    asked: str,
    recipe: L1Preset,
    *,
    labels: dict[str, str] | None = None,
    seed: int = 20250101,
) -> pd.DataFrame:
    """Test one L1 (or what stands in its column) against the others.

    Parameters
    ----------
    counts, units : DataFrame
        As for :func:`miner.learner.test_l1`.
    asked : str
        The L1 whose rows are asked for.
    recipe : L1Preset
    labels : dict, optional
    seed : int

    Returns
    -------
    DataFrame
        :data:`miner.tables.L1_TESTS`, the rows of ``asked``. Everything that depends on a family (q, the max-T gate and
        how far permutations go on, the share of true nulls, expected replication, adjusted intervals) counts these rows only.
    """
    permuted = recipe.test == "permutation"
    first = get_preset(recipe, **_WITHOUT) if permuted else recipe
    frame = test_l1(counts, units, preset=first, labels=labels, seed=seed)
    own = frame["l1"] == asked
    features = sorted(set(frame["feature"]))
    panel = None
    if permuted and features:
        admitted = admit(units, recipe)
        panel = make_panel(admitted, counts, features, recipe)
        again = frame["status"] == "unresolved"
        frame.loc[again, "reason"] = ""
        frame["status"] = np.where(again, "tested", frame["status"])
        # The others' rates are the reference's; they are no hypotheses.
        frame.loc[~own, "status"] = "untestable"
        frame = add_permutation_test(frame, panel, recipe, seed)
    frame = frame[own].reset_index(drop=True)
    family = str(frame["family"].iloc[0]) if len(frame) else "errors"
    return tables.conform(_decided(frame, panel, recipe, family, seed), tables.L1_TESTS)
