"""Each L1 against the other L1s of its band, feature by feature: the table ``l1_tests``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from miner import stats, tables
from miner.learner.admission import Admitted, admit
from miner.learner.cells import BandCells, band_cells, feature_ids
from miner.learner.presets import L1Preset, get_preset

_REASONS = {
    "no occurrence": "untestable",
    "zero variance, equal means": "untestable",
    "zero variance in both groups, different means": "degenerate",
}


def test_l1(
    counts: pd.DataFrame,
    units: pd.DataFrame | Admitted,
    *,
    preset: str | L1Preset = "welch",  # noqa: PT028
    labels: Mapping[str, str] | None = None,  # noqa: PT028
    family: str = "errors",  # noqa: PT028
) -> pd.DataFrame:
    """Test every feature of every L1 in every band against the other L1s of the band.

    Parameters
    ----------
    counts, units : DataFrame
        :data:`miner.tables.COUNTS` and :data:`miner.tables.UNITS` (or what :func:`~miner.learner.admission.admit`
        returned for them).
    preset : str or L1Preset
    labels : mapping of str to str, optional
        Label of each feature id; features named here are tested even if nobody has them (the row says so).
    family : str
        Family of the features.

    Returns
    -------
    DataFrame
        :data:`miner.tables.L1_TESTS`: one row per L1, band and feature. A comparison that cannot be made is a row
        with empty p and q and a reason; it is no member of its correction family.

    Raises
    ------
    EmptyInput, MinerError
        As :func:`~miner.learner.admission.admit`.
    """
    recipe = get_preset(preset)
    admitted = units if isinstance(units, Admitted) else admit(units, recipe)
    names = dict(labels or {})
    features = feature_ids(counts, names)
    parts = [
        _band_rows(band_cells(admitted, counts, band, features), features, recipe, admitted.unit)
        for band in sorted(admitted.texts["band"].unique())
    ]
    frame = pd.concat(parts, ignore_index=True)
    frame["label"] = frame["feature"].map(lambda f: names.get(f, f))
    frame["family"], frame["unit"], frame["test"] = family, admitted.unit, recipe.test
    frame["correction"] = recipe.correction
    frame["correction_family"] = _family_names(frame, recipe, family)
    frame["q"], frame["m"] = stats.adjust_families(frame["p"], frame["correction_family"], recipe.correction)
    return tables.conform(frame, tables.L1_TESTS)


# A verb of the pipeline, not a unit test.
test_l1.__test__ = False  # type: ignore[attr-defined]


def _family_names(frame: pd.DataFrame, recipe: L1Preset, family: str) -> pd.Series:
    scope = {
        "l1-band": frame["l1"] + "/" + frame["cefr"],
        "band": "all L1s/" + frame["cefr"],
        "all": pd.Series("all L1s/all bands", index=frame.index),
    }[recipe.correction_family]
    return family + "/" + scope


def _band_rows(cells: BandCells, features: list[str], recipe: L1Preset, unit: str) -> pd.DataFrame:
    n_l1s, n_features = len(cells.l1s), len(features)
    target = stats.group_moments(cells.counts, cells.words, cells.label, n_l1s)
    reference = stats.rest(target)
    result = stats.t_test(target, reference, kind=recipe.test, alternative=recipe.alternative)
    n, words, errors = cells.totals()
    reason = _limits(result.reason, target, reference, errors, recipe, unit)
    tested = reason == ""
    rows: dict[str, Any] = {
        "l1": np.repeat(np.array(cells.l1s, dtype=object), n_features),
        "cefr": cells.band,
        "feature": np.tile(np.array(features, dtype=object), n_l1s),
        "rate_target": target.mean,
        "rate_reference": reference.mean,
        "effect": result.difference,
        "errors_target": errors,
        "errors_reference": errors.sum(axis=0) - errors,
        "status": np.where(tested, "tested", [[_REASONS.get(r, "untestable") for r in row] for row in reason]),
        "reason": reason,
    }
    numbers = {"ci_low": "ci_low", "ci_high": "ci_high", "hedges_g": "hedges_g", "statistic": "t", "df": "df", "p": "p"}
    rows |= {column: np.where(tested, getattr(result, name), np.nan) for column, name in numbers.items()}
    frame = pd.DataFrame({k: v.ravel() if isinstance(v, np.ndarray) else v for k, v in rows.items()})
    return _with_sizes(frame, cells, n, words, n_features)


def _limits(
    reason: Any, target: stats.Moments, reference: stats.Moments, errors: Any, recipe: L1Preset, unit: str
) -> Any:
    plural, total = f"{unit}s", errors.sum(axis=0, keepdims=True)
    least = recipe.min_units
    conditions = [
        np.broadcast_to(target.n < least, reason.shape),
        np.broadcast_to(reference.n < least, reason.shape),
        (reason == "") & (total < recipe.min_errors),
    ]
    names = [f"{plural}_target < {least}", f"{plural}_reference < {least}", f"errors < {recipe.min_errors}"]
    return np.select(conditions, names, default=reason).astype(object)


def _with_sizes(frame: pd.DataFrame, cells: BandCells, n: Any, words: Any, n_features: int) -> pd.DataFrame:
    def per_row(values: Any) -> Any:
        return np.repeat(values, n_features)

    frame["texts_target"], frame["texts_reference"] = per_row(cells.texts), per_row(cells.texts.sum() - cells.texts)
    frame["words_target"], frame["words_reference"] = per_row(words), per_row(words.sum() - words)
    for side in ("target", "reference"):
        frame[f"opportunities_{side}"] = pd.array([pd.NA] * len(frame), dtype="Int64")
        frame[f"learners_{side}"] = pd.array([pd.NA] * len(frame), dtype="Int64")
        with np.errstate(invalid="ignore"):
            denominator = frame[f"words_{side}"].where(frame[f"words_{side}"] > 0).astype("float64")
        frame[f"ratio_of_sums_{side}"] = 1000 * frame[f"errors_{side}"] / denominator
    if cells.learners is not None:
        frame["learners_target"] = per_row(cells.learners)
        frame["learners_reference"] = per_row(cells.learners.sum() - cells.learners)
    others = [" ".join(f"{h}:{k}" for h, k in zip(cells.l1s, n, strict=True) if h != l1) for l1 in cells.l1s]
    frame["reference"] = per_row(np.array(others, dtype=object))
    return frame
