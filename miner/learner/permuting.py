"""The deciding test of the robust recipe: learners' L1s permuted within strata, effects over prompts, half-samples."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from miner import stats
from miner.learner.panel import Panel
from miner.learner.presets import L1Preset
from miner.stats.moments import Bools, Floats, Ints

#: Non-zero cells from which labellings are worth a thread each.
MANY_CELLS = 100_000


def add_permutation_test(frame: pd.DataFrame, panel: Panel, recipe: L1Preset, seed: int) -> pd.DataFrame:
    """Fill in effect, statistic, p and the rate ratio of every row that can be tested.

    Parameters
    ----------
    frame : DataFrame
        Rows of :func:`~miner.learner.rows.band_rows` of all bands.
    panel : Panel
    recipe : L1Preset
    seed : int
        Of the permutations.
    """
    frame = frame.copy()
    at = _places(frame, panel)
    engine = panel.engine(recipe)
    observed = engine.evaluate(panel.label)
    frame["strata"] = panel.strata_kind
    frame["informative_target"] = engine.n_units[:, panel.block][at]
    frame["reference"] = _composition(panel, engine)[at[0], panel.block[at[1]]]
    frame["rate_reference"] = _reference_rates(frame, panel, recipe, engine, at)
    undefined = (frame["status"] == "tested") & ~np.isfinite(observed.statistic[at])
    frame.loc[undefined, "reason"] = _why_undefined(frame, panel, recipe, engine, at)[undefined]
    frame.loc[undefined, "status"] = "untestable"
    family = _grid(frame["status"] == "tested", at, panel)

    def engine_of_columns(columns: Ints) -> Callable[[Ints], Floats]:
        part = engine.narrowed(columns)
        return lambda labels: part.evaluate(labels).statistic

    found = stats.permute_family(
        lambda labels: engine.evaluate(labels).statistic,
        panel.label,
        panel.strata,
        family=family,
        permutations=recipe.permutations,
        most=recipe.further_permutations,
        narrowed=engine_of_columns,
        level=recipe.alpha if recipe.gate else 1.0,
        threads=stats.usable_threads() if engine.cells > MANY_CELLS else 1,
        seed=seed,
    )
    tested = frame["status"] == "tested"
    frame["statistic"], frame["p"] = np.where(tested, found.z[at], np.nan), np.where(tested, found.p[at], np.nan)
    frame["_adjusted"] = np.where(tested, found.adjusted[at], np.nan)
    frame["studentised"] = np.where(tested, observed.statistic[at], np.nan)
    for column, moment in (("null_mean", found.mean), ("null_sd", found.sd), ("null_skew", found.skew)):
        frame[column] = np.where(tested, moment[at], np.nan)
    frame["p_method"] = pd.Series(found.method[at], index=frame.index).where(tested)
    for column, grid in (("permutations", found.total), ("extreme", found.count)):
        frame[column] = pd.Series(grid[at], index=frame.index, dtype="Int64").where(tested)
    frame["family_p"] = np.where(tested & recipe.gate, found.family_p, np.nan)
    return _with_effects(frame, panel, recipe, engine, at)


def _why_undefined(
    frame: pd.DataFrame, panel: Panel, recipe: L1Preset, engine: stats.ContrastEngine, at: tuple[Ints, Ints]
) -> pd.Series:
    alone = frame["informative_target"].to_numpy(dtype=np.int64) == 0
    without = (engine.reference_weights().sum(axis=1) == 0)[:, panel.block][at]
    unit = frame["unit"].iloc[0]
    few = f"no other L1 with {recipe.min_units} {unit}s in strata shared by L1s"
    why = np.select(
        [alone, without], ["no stratum with another L1", few], default="no variation between units of a stratum"
    )
    return pd.Series(why.astype(object), index=frame.index)


def _composition(panel: Panel, engine: stats.ContrastEngine) -> NDArray[np.object_]:
    weights, n = engine.reference_weights(), engine.n_units
    names = np.full((len(panel.l1s), len(panel.bands)), "", dtype=object)
    for g, b in np.ndindex(*names.shape):
        names[g, b] = " ".join(f"{panel.l1s[h]}:{n[h, b]}" for h in np.flatnonzero(weights[g, :, b] > 0))
    return names


def _places(frame: pd.DataFrame, panel: Panel) -> tuple[Ints, Ints]:
    l1 = pd.Index(panel.l1s).get_indexer(pd.Index(frame["l1"]))
    band = pd.Index(panel.bands).get_indexer(pd.Index(frame["cefr"]))
    feature = pd.Index(panel.features).get_indexer(pd.Index(frame["feature"]))
    return l1, band * len(panel.features) + feature


def _grid(values: pd.Series, at: tuple[Ints, Ints], panel: Panel) -> Bools:
    grid = np.zeros((len(panel.l1s), len(panel.bands) * len(panel.features)), dtype=bool)
    grid[at] = values.to_numpy(dtype=bool)
    return grid


def _reference_rates(
    frame: pd.DataFrame, panel: Panel, recipe: L1Preset, engine: stats.ContrastEngine, at: tuple[Ints, Ints]
) -> Floats:
    if recipe.contrast == "pooled":
        return frame["rate_reference"].to_numpy(dtype=np.float64)
    rates = np.zeros((len(panel.l1s), len(panel.bands) * len(panel.features)))
    rates[at] = frame["rate_target"].to_numpy(dtype=np.float64)
    weights = engine.reference_weights()[:, :, panel.block]
    mean = np.stack([(w * rates).sum(axis=0) for w in weights])
    return np.where(weights.sum(axis=1) > 0, mean, np.nan)[at]


def _with_effects(
    frame: pd.DataFrame, panel: Panel, recipe: L1Preset, engine: stats.ContrastEngine, at: tuple[Ints, Ints]
) -> pd.DataFrame:
    observed = engine.evaluate(panel.label)
    tested = (frame["status"] == "tested").to_numpy()
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.abs(observed.difference / observed.statistic)[at]
    # Student's t with the target's units less one: cautious where the target is small.
    half = special.stdtrit(np.maximum(frame["informative_target"].to_numpy(dtype=np.float64) - 1, 1), 0.975) * error
    frame["effect"] = observed.difference[at]
    frame["ci_low"] = np.where(tested, frame["effect"] - half, np.nan)
    frame["ci_high"] = np.where(tested, frame["effect"] + half, np.nan)
    shape = (len(panel.l1s), len(panel.bands) * len(panel.features))
    grids = {n: np.full(shape, np.nan) for n in ("log_ratio", "se", "df")}
    for b in range(len(panel.bands)):
        ratios = panel.ratios(recipe, b)
        block = slice(b * len(panel.features), (b + 1) * len(panel.features))
        grids["log_ratio"][:, block], grids["se"][:, block] = ratios.log_ratio, ratios.se
        grids["df"][:, block] = ratios.df
    values = {n: np.where(tested, g[at], np.nan) for n, g in grids.items()}
    # As cautious as the smaller side, however many replicates the other one has; under 10 units a side no interval holds.
    fewest = np.minimum(engine.n_units, _reference_units(engine))[:, panel.block][at]
    frame["log_ratio"], frame["log_ratio_df"] = values["log_ratio"], np.minimum(values["df"], fewest - 1)
    frame["log_ratio_se"] = np.where(fewest < stats.TOO_FEW_CLUSTERS, np.nan, values["se"])
    frame["log_ratio_low"], frame["log_ratio_high"] = ratio_interval(frame, np.full(len(frame), 0.95))
    frame["bound"] = np.where(frame["effect"] >= 0, frame["log_ratio_low"], -frame["log_ratio_high"])
    return frame


def _reference_units(engine: stats.ContrastEngine) -> Ints:
    inside = engine.reference_weights() > 0
    return np.asarray((inside * engine.n_units[None]).sum(axis=1), dtype=np.int64)


def ratio_interval(frame: pd.DataFrame, confidence: Floats) -> tuple[Floats, Floats]:
    """Return the ends of the interval of the log ratio at a level for each row."""
    df = np.maximum(frame["log_ratio_df"].to_numpy(dtype=np.float64), 1)
    half = special.stdtrit(df, 0.5 + confidence / 2) * frame["log_ratio_se"].to_numpy(dtype=np.float64)
    ratio = frame["log_ratio"].to_numpy(dtype=np.float64)
    return ratio - half, ratio + half


def add_stability(frame: pd.DataFrame, panel: Panel, recipe: L1Preset, seed: int) -> pd.DataFrame:
    """Add how often each tested feature is among the best of its L1 and band in half-samples of learners."""
    frame, at = frame.copy(), _places(frame, panel)
    family = _grid(frame["status"] == "tested", at, panel)
    sign = np.zeros(family.shape)
    sign[at] = np.sign(frame["effect"].fillna(0.0))
    n_features = len(panel.features)
    members = family.reshape(len(panel.l1s), len(panel.bands), n_features).sum(axis=2)
    best = (
        np.maximum(5, -(-members // 2))
        if recipe.stability_best is None
        else np.full_like(members, recipe.stability_best)
    )
    best = np.minimum(best, members)

    def bounds(half: Bools) -> Floats:
        contrast = panel.engine(recipe, half).evaluate(panel.label[half])
        return np.stack([np.sign(contrast.difference), contrast.bound()])

    cells = panel.label * (int(panel.strata.max()) + 1) + panel.strata
    found = stats.stability_selection(
        bounds, cells, sign, panel.block, family, best, pairs=recipe.stability_pairs, seed=seed + 1
    )
    tested = frame["status"] == "tested"
    for column, grid in (("stability", found.share), ("rank_low", found.rank_low), ("rank_high", found.rank_high)):
        frame[column] = np.where(tested, grid[at], np.nan)
    q = best[:, panel.block][at]
    frame["stability_best"] = pd.array(np.where(tested, q, 0), dtype="Int64")
    frame.loc[~tested, "stability_best"] = pd.NA
    limit = [
        stats.shah_samworth_bound(float(k), int(p), recipe.stability_share, recipe.stability_pairs)
        for k, p in zip(q, members[:, panel.block][at], strict=True)
    ]
    frame["stability_errors"] = np.where(tested, limit, np.nan)
    return frame
