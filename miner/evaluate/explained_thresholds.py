"""Steps of the decision: the correction for many tests, and every threshold of the recipe with its value and limit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from miner.evaluate.explained_test import Step
from miner.learner.presets import L1Preset


def correction_steps(row: pd.Series, tests: pd.DataFrame) -> list[Step]:
    """Return the steps from p to q; none where there is no p."""
    if pd.isna(row["p"]):
        return []
    family = np.sort(tests.loc[tests["correction_family"] == row["correction_family"], "p"].dropna().to_numpy(float))
    m, kind, p = len(family), str(row["correction"]), float(row["p"])
    rank = int((family <= p).sum())
    steps: list[Step] = [
        ("family", row["correction_family"], "", f"the tests that are corrected together: m = {row['m']}"),
        ("rank of p in the family", rank, "", f"{rank} of {m} p-values are at most this one"),
    ]
    ranks = np.arange(1, m + 1)
    how = {
        "none": "no correction: q = p",
        "max-t": "max-T: share of labellings whose largest |z| of the family reaches |z|",
    }
    if kind in ("bh", "by", "storey"):
        factor, text = 1.0, ""
        if kind == "by":
            factor = float((1 / ranks).sum())
            steps.append(("sum of 1 / k", factor, "", f"k from 1 to {m}"))
            text = " * sum of 1 / k"
        if kind == "storey" and pd.notna(row.get("null_share")):
            factor = float(row["null_share"])
            over = int((family > 0.5).sum())
            steps.append(
                ("null share", factor, "", f"min(1, (p-values over .5 + 1) / (.5 m)); {over} of {m} are over .5")
            )
            text = " * null share"
        scaled = family * m / ranks * (factor if kind == "storey" else 1.0)
        if kind == "storey":
            # By its definition no p over .5 counts for another one's q.
            scaled = np.where(family <= 0.5, np.maximum(scaled, family), np.inf)
            how[kind] = "storey: q is 1 where p is over .5"
            if p > 0.5:
                return [*steps, ("q", row["q"], "", how[kind])]
        at = rank - 1 + int(np.argmin(scaled[rank - 1 :]))
        steps.append(
            (
                "p that decides q",
                float(family[at]),
                "",
                f"rank {at + 1}: the smallest p * m / rank{text} from this p up",
            )
        )
        how[kind] = (
            f"{kind}: {family[at]:.12g} * {m} / {at + 1}{text}, at most 1{', and no less than that p' if kind == 'storey' else ''}"
        )
    if kind == "holm":
        first = int((family < p).sum())
        scaled = family[: first + 1] * (m - ranks[: first + 1] + 1)
        at = int(np.argmax(scaled))
        how[kind] = f"holm: {family[at]:.12g} * {m - at}, at most 1; the largest p * (m - rank + 1) down to this p"
    return [*steps, ("q", row["q"], "", how.get(kind, kind))]


def threshold_steps(row: pd.Series, recipe: L1Preset, n_units: tuple[int, int] | None) -> list[Step]:
    """Return one step for each threshold that the recipe sets: the value, the limit, and whether it passes."""
    failed, tested = str(row["failed"] or "").split(), row["status"] == "tested"
    steps: list[Step] = []

    def support(name: str, value: Any, limit: int, what: str) -> None:
        if limit > 0 and not pd.isna(value):
            steps.append((f"threshold {name}", value, f">= {limit}", f"{_verdict(bool(value >= limit))}: {what}"))

    if n_units is not None:
        support("min_units", min(n_units), recipe.min_units, f"{row['unit']}s of the smaller of target and reference")
    for name, column in (("min_errors", "errors"), ("min_users", "users")):
        support(
            name, row[f"{column}_target"] + row[f"{column}_reference"], getattr(recipe, name), "both sides together"
        )
    if recipe.min_prompts > 0 and pd.notna(row["prompts"]):
        # The limit is lower where the band has fewer prompts; only the run's own reason tells.
        short = str(row["reason"]).startswith("prompts with the feature")
        steps.append(
            (
                "threshold min_prompts",
                row["prompts"],
                f">= {recipe.min_prompts}",
                f"{_verdict(not short)}: or all there are",
            )
        )
    limits = [("q", "q", row["q"], f"< {recipe.alpha:g}", "alpha", True)]
    limits += [
        ("family", "gate", row["family_p"], f"<= {recipe.alpha:g}", "max-T p of the whole family", recipe.gate),
        ("ratio", "min_ratio", _ratio(row), f">= {recipe.min_ratio:g}", "rate ratio, or 1 / ratio for under-use", recipe.min_ratio > 1),
        ("spread", "max_top_share", row["top_share"], f"<= {recipe.max_top_share:g}", "top share", recipe.max_top_share < 1),
        (
            "replication", "min_replication", row.get("replication_list"), f">= {recipe.min_replication:g}",
            "mean expected replication of the list down to this one; empty where another threshold stops it",
            recipe.min_replication > 0,
        ),
        (
            "stability", "stability_share", row["stability"], f">= {recipe.stability_share:g}",
            "share of half-samples with it among the best; empty where nothing passes the rest", recipe.stability_pairs > 0,
        ),
    ]  # fmt: skip
    for name, option, value, limit, what, used in limits:
        if used:
            stopped = name in ("replication", "stability") and pd.isna(value)
            verdict = "not asked: " + ("no test" if not tested else "another threshold stops it")
            verdict = _verdict(name not in failed) if tested and not stopped else verdict
            steps.append((f"threshold {option if name != 'q' else 'alpha'}", value, limit, f"{verdict}: {what}"))
    if tested and recipe.direction != "both":
        steps.append(("threshold direction", row["effect"], recipe.direction, _verdict("direction" not in failed)))
    return steps


def _verdict(passed: bool) -> str:  # noqa: FBT001
    return "passed" if passed else "failed"


def _ratio(row: pd.Series) -> float:
    log = row["log_ratio"]
    if pd.isna(log):
        with np.errstate(divide="ignore", invalid="ignore"):
            log = np.log(np.float64(row["rate_target"])) - np.log(np.float64(row["rate_reference"]))
    return float(np.exp(-log if row["effect"] < 0 else log))
