"""Rows of ``l1_tests`` for one band: counts, rates, the t-test of moments, and why a comparison cannot be made."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from miner import stats
from miner.learner.cells import BandCells
from miner.learner.presets import L1Preset
from miner.stats.moments import Floats, Ints

_DEGENERATE = "zero variance in both groups, different means"
_BY_TEST = ("ci_low", "ci_high", "hedges_g", "statistic", "df", "p")


def band_rows(cells: BandCells, features: list[str], recipe: L1Preset, unit: str) -> pd.DataFrame:
    """Return one row per L1 and feature of the band.

    Under a permutation test the columns of the deciding test are empty, and separated groups are no obstacle.
    """
    n_l1s, n_features = len(cells.l1s), len(features)
    target = stats.group_moments(cells.counts, cells.words, cells.label, n_l1s)
    reference = stats.rest(target)
    permuted = recipe.test == "permutation"
    kind = "welch" if recipe.test == "permutation" else recipe.test
    result = stats.t_test(target, reference, kind=kind, alternative=recipe.alternative)
    n, words, errors = cells.totals()
    users, largest = _spread(cells, n_l1s)
    reason = _limits(result.reason, target, reference, (errors, users, cells.prompts), cells.n_prompts, recipe, unit)
    tested = (reason == "") | ((reason == _DEGENERATE) & permuted)
    reason = np.where(tested, "", reason)
    status = np.select([tested, reason == _DEGENERATE], ["tested", "degenerate"], default="untestable")
    rows: dict[str, Any] = {
        "l1": np.repeat(np.array(cells.l1s, dtype=object), n_features),
        "cefr": cells.band,
        "feature": np.tile(np.array(features, dtype=object), n_l1s),
        "rate_target": target.mean,
        "rate_reference": reference.mean,
        "effect": result.difference,
        "errors_target": errors,
        "errors_reference": errors.sum(axis=0) - errors,
        "users_target": users,
        "users_reference": users.sum(axis=0) - users,
        "prompts": np.tile(cells.prompts, n_l1s) if cells.n_prompts else None,
        "top_share": _top_share(errors, largest, result.difference),
        "status": status,
        "reason": reason,
    }
    shown = tested & (not permuted)
    names = {"statistic": "t"}
    rows |= {column: np.where(shown, getattr(result, names.get(column, column)), np.nan) for column in _BY_TEST}
    rows["hedges_g"] = np.where(tested, result.hedges_g, np.nan)
    frame = pd.DataFrame({k: v.ravel() if isinstance(v, np.ndarray) else v for k, v in rows.items()})
    return _with_sizes(frame, cells, n, words, n_features)


def _spread(cells: BandCells, n_l1s: int) -> tuple[Ints, Ints]:
    # Units with the feature, and the most occurrences of one unit, by L1.
    table, size = cells.counts, (n_l1s, cells.counts.shape[1])
    row = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    cell = cells.label[row] * size[1] + table.indices
    users = np.bincount(cell, minlength=size[0] * size[1]).astype(np.int64)
    largest = np.zeros(size[0] * size[1], dtype=np.int64)
    np.maximum.at(largest, cell, table.data)
    return users.reshape(size), largest.reshape(size)


def _top_share(errors: Ints, largest: Ints, difference: Floats) -> Floats:
    others = np.zeros_like(largest)
    for g in range(len(largest)):
        others[g] = np.delete(largest, g, axis=0).max(axis=0, initial=0)
    over = np.nan_to_num(difference) >= 0
    total = np.where(over, errors, errors.sum(axis=0) - errors)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(over, largest, others) / np.where(total > 0, total, np.nan))


def _limits(
    reason: Any,
    target: stats.Moments,
    reference: stats.Moments,
    support: tuple[Ints, Ints, Ints],
    n_prompts: int,
    recipe: L1Preset,
    unit: str,
) -> Any:
    errors, users, prompts = support
    least, open_ = recipe.min_units, (reason == "") | (reason == _DEGENERATE)
    conditions = {
        f"{unit}s_target < {least}": np.broadcast_to(target.n < least, reason.shape),
        f"{unit}s_reference < {least}": np.broadcast_to(reference.n < least, reason.shape),
        f"errors < {recipe.min_errors}": open_ & (errors.sum(axis=0, keepdims=True) < recipe.min_errors),
        f"{unit}s with the feature < {recipe.min_users}": open_ & (users.sum(axis=0, keepdims=True) < recipe.min_users),
        f"prompts with the feature < {recipe.min_prompts}": open_ & (prompts < min(recipe.min_prompts, n_prompts)),
    }
    return np.select(list(conditions.values()), list(conditions), default=reason).astype(object)


def _with_sizes(frame: pd.DataFrame, cells: BandCells, n: Ints, words: Ints, n_features: int) -> pd.DataFrame:
    def per_row(values: Any) -> Any:
        return np.repeat(values, n_features)

    frame["texts_target"], frame["texts_reference"] = per_row(cells.texts), per_row(cells.texts.sum() - cells.texts)
    frame["words_target"], frame["words_reference"] = per_row(words), per_row(words.sum() - words)
    for side in ("target", "reference"):
        frame[f"opportunities_{side}"] = pd.array([pd.NA] * len(frame), dtype="Int64")
        frame[f"learners_{side}"] = pd.array([pd.NA] * len(frame), dtype="Int64")
        denominator = frame[f"words_{side}"].where(frame[f"words_{side}"] > 0).astype("float64")
        frame[f"ratio_of_sums_{side}"] = 1000 * frame[f"errors_{side}"] / denominator
    if cells.learners is not None:
        frame["learners_target"] = per_row(cells.learners)
        frame["learners_reference"] = per_row(cells.learners.sum() - cells.learners)
    others = [" ".join(f"{h}:{k}" for h, k in zip(cells.l1s, n, strict=True) if h != l1) for l1 in cells.l1s]
    frame["reference"] = per_row(np.array(others, dtype=object))
    return frame
