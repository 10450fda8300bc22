"""Each L1 against the other L1s of its band, feature by feature: the table ``l1_tests``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from miner import stats, tables
from miner.errors import OptionError, listed
from miner.learner.admission import Admitted, admit
from miner.learner.cells import band_cells, feature_ids
from miner.learner.given import checked_counts
from miner.learner.levels import add_levels
from miner.learner.natives import add_scope
from miner.learner.panel import Panel, make_panel
from miner.learner.permuting import add_permutation_test, add_stability, ratio_interval
from miner.learner.presets import DEFAULT_PRESET, L1Preset, get_preset
from miner.learner.replicating import add_replication, null_shares
from miner.learner.rows import band_rows
from miner.learner.thresholds import failures

DEFAULT_SEED = 20250101


def test_l1(
    counts: pd.DataFrame,
    units: pd.DataFrame | Admitted,
    *,
    preset: str | L1Preset = DEFAULT_PRESET,  # noqa: PT028
    labels: Mapping[str, str] | None = None,  # noqa: PT028
    family: str = "errors",  # noqa: PT028
    seed: int = DEFAULT_SEED,  # noqa: PT028
    asked: Sequence[str] | None = None,  # noqa: PT028
) -> pd.DataFrame:
    """Test every feature of every L1 in every band against the other L1s of the band.

    Parameters
    ----------
    counts, units : DataFrame
        :data:`miner.tables.COUNTS` and :data:`miner.tables.UNITS` (or what :func:`~miner.learner.admission.admit`
        returned for them). Counts of texts that the units do not have are not used.
    preset : str or L1Preset
    labels : mapping of str to str, optional
        Label of each feature id; features named here are tested even if nobody has them (the row says so).
    family : str
        Family of the features.
    seed : int
        Of permutations and half-samples; presets with a t-test do not use it.
    asked : sequence of str, optional
        L1s whose rows are asked for; all by default. The others serve as reference only: they are members of no family, so that q, the
        max-T gate, the share of true nulls, expected replication and adjusted intervals count the rows asked for alone.

    Returns
    -------
    DataFrame
        :data:`miner.tables.L1_TESTS`: one row per L1, band and feature. A comparison that cannot be made is a row
        with empty p and q and a reason; it is no member of its correction family.

    Raises
    ------
    OptionError
        If the seed or ``asked`` is not such.
    InputError, StatisticsError
        If a table does not keep its contract: a row twice, a count that is no whole number, no count of any text of the units.
    EmptyInput, MinerError
        As :func:`~miner.learner.admission.admit`.
    """
    recipe = get_preset(preset)
    admitted = units if isinstance(units, Admitted) else admit(units, recipe)
    counts = checked_counts(counts, None if isinstance(units, Admitted) else units["text_id"])
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        msg = f"The seed must be a whole number of 0 or more. Got {seed!r} instead"
        raise OptionError(msg)
    names = dict(labels or {})
    features = feature_ids(counts, names)
    bands = sorted(admitted.texts["band"].unique())
    parts = [band_rows(band_cells(admitted, counts, band, features), features, recipe, admitted.unit) for band in bands]
    frame = pd.concat(parts, ignore_index=True)
    frame = add_scope(frame, admitted, counts, features, recipe)
    frame = add_levels(frame, admitted, counts, features, recipe)
    frame["label"] = frame["feature"].map(lambda f: names.get(f, f))
    frame["family"], frame["unit"], frame["test"] = family, admitted.unit, recipe.test
    own = _asked(frame["l1"], asked)
    # The rates of the others are the reference's.
    frame["status"] = frame["status"].where(own, "untestable")
    panel = None
    if recipe.test == "permutation" and features:
        panel = make_panel(admitted, counts, features, recipe)
        frame = add_permutation_test(frame, panel, recipe, seed)
    frame = frame[own].reset_index(drop=True)
    return tables.conform(_decided(frame, panel, recipe, family, seed), tables.L1_TESTS)


# A verb of the pipeline, not a unit test.
test_l1.__test__ = False  # type: ignore[attr-defined]


def _asked(l1: pd.Series, asked: Sequence[str] | None) -> pd.Series:
    if asked is None:
        return l1.notna()
    known = sorted(l1.unique())
    if isinstance(asked, str) or not len(asked) or any(a not in known for a in asked):
        msg = f"asked must be a list of L1s that are compared: {listed(known)}. Got {asked!r} instead"
        raise OptionError(msg)
    return l1.isin(list(asked))


def _decided(frame: pd.DataFrame, panel: Panel | None, recipe: L1Preset, family: str, seed: int) -> pd.DataFrame:
    frame["correction"] = recipe.correction
    frame["correction_family"] = _family_names(frame, recipe, family)
    step = "none" if recipe.correction == "max-t" else recipe.correction
    frame["q"], frame["m"] = stats.adjust_families(frame["p"], frame["correction_family"], step)
    if recipe.correction == "max-t" and panel is not None:
        frame["q"] = frame["_adjusted"]
    if recipe.correction == "storey":
        frame["null_share"] = null_shares(frame)
    for column in tables.L1_TESTS.names:
        if column not in frame:
            frame[column] = None
    if recipe.min_replication > 0:
        frame = add_replication(frame, recipe)
    if panel is not None and recipe.stability_pairs:
        unstable = frame.assign(stability=1.0)
        # Where nothing passes the other thresholds there is nothing whose stability could matter.
        if (failures(unstable, recipe).eq("") & frame["status"].eq("tested")).any():
            frame = add_stability(frame, panel, recipe, seed)
    frame["failed"] = failures(frame, recipe)
    # What was not tested has no contrast that could be general.
    frame["scope"] = frame["scope"].where(frame["status"].ne("untestable"))
    frame = _with_unresolved(frame, recipe)
    if panel is not None:
        frame = _with_adjusted_intervals(frame, recipe).drop(columns="_adjusted")
    return frame


def _with_unresolved(frame: pd.DataFrame, recipe: L1Preset) -> pd.DataFrame:
    # At the floor of a Monte Carlo p, without a usable tail, and not below alpha: more permutations could decide otherwise.
    floor = (
        frame["p_method"].eq("floor") & frame["status"].eq("tested") & ~(frame["q"].astype("float64") < recipe.alpha)
    )
    frame.loc[floor, "status"] = "unresolved"
    drawn = frame.loc[floor, "permutations"].astype(str)
    frame.loc[floor, "reason"] = drawn + " permutations are too few to tell"
    return frame


def _with_adjusted_intervals(frame: pd.DataFrame, recipe: L1Preset) -> pd.DataFrame:
    # Benjamini and Yekutieli 2005: R selected of m tested get intervals at level 1 - R alpha / m.
    chosen = frame["status"].eq("tested") & frame["failed"].eq("")
    selected = chosen.groupby(frame["correction_family"]).transform("sum").astype("float64")
    level = 1 - np.minimum(1.0, selected / np.maximum(frame["m"].astype("float64"), 1)) * recipe.alpha
    low, high = ratio_interval(frame, level.to_numpy())
    frame["fcr_low"], frame["fcr_high"] = np.where(chosen, low, np.nan), np.where(chosen, high, np.nan)
    return frame


def _family_names(frame: pd.DataFrame, recipe: L1Preset, family: str) -> pd.Series:
    scope = {
        "l1-band": frame["l1"] + "/" + frame["cefr"],
        "band": "all L1s/" + frame["cefr"],
        "all": pd.Series("all L1s/all bands", index=frame.index),
    }[recipe.correction_family]
    return family + "/" + scope
