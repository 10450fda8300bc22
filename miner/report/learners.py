"""What the report says about learner texts: cells, inventories as forest rows, and what could not be tested."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from miner.report.formats import missing
from miner.report.names import language_name
from miner.stats import adjust

if TYPE_CHECKING:
    import pandas as pd

#: Cells with fewer learners than this stay in the tables of the run folder.
FEWEST_LEARNERS = 5
MOST_CELLS = 60
MOST_FEATURES = 20
#: Width of the forest column in SVG units, and its margin.
_WIDTH, _MARGIN = 200.0, 6.0


@dataclass(frozen=True)
class Cell:
    """One L1 in one band: sizes, reference, the selected features as rows, and the axis of their interval marks."""

    l1: str
    name: str
    cefr: str
    facts: dict[str, Any]
    rows: list[dict[Any, Any]]
    more: int
    reference: list[tuple[str, str]]
    unit: str
    axis: tuple[float, float]
    zero: float

    @property
    def has_ratio(self) -> bool:
        """Whether any row has a rate ratio."""
        return any(r["ratio"][0] is not None for r in self.rows)

    def has(self, column: str) -> bool:
        """Whether any row has a value in a column."""
        return any(not missing(r.get(column)) for r in self.rows)

    @property
    def has_stability(self) -> bool:
        """Whether any row says how stable it is."""
        return self.has("stability")

    @property
    def has_replication(self) -> bool:
        """Whether any row says how probably it would be found again."""
        return self.has("replication")


def cells(tables: Mapping[str, pd.DataFrame]) -> tuple[list[Cell], dict[str, int]]:
    """Return the cells to show, by L1 and band, and counts of those that are not shown.

    Returns
    -------
    cells : list of Cell
        Cells with at least one test row or selected feature, at most :data:`MOST_CELLS`.
    hidden : dict
        ``small``: cells whose target has fewer than 5 learners (they stay in the tables); ``more``: cells beyond the cap.
    """
    inventory, tests = tables.get("l1_inventory"), tables.get("l1_tests")
    source = tests if tests is not None else inventory
    hidden = {"small": 0, "more": 0}
    if source is None or source.empty:
        return [], hidden
    by_cell = dict(tuple(source.groupby(["l1", "cefr"], sort=True, dropna=False)))
    chosen = {} if inventory is None else dict(tuple(inventory.groupby(["l1", "cefr"], sort=True, dropna=False)))
    shown: list[Cell] = []
    for (l1, cefr), rows in by_cell.items():
        first = rows.iloc[0]
        if few_learners(first):
            hidden["small"] += 1
        elif len(shown) >= MOST_CELLS:
            hidden["more"] += 1
        else:
            shown.append(_cell(str(l1), str(cefr), rows, chosen.get((l1, cefr)), tested=tests is not None))
    return shown, hidden


def few_learners(row: Any) -> bool:
    """Whether the target has fewer than 5 learners; where learners are not known, as many texts hold at most as many."""
    known = row["texts_target"] if missing(row["learners_target"]) else row["learners_target"]
    return not missing(known) and 0 < int(known) < FEWEST_LEARNERS


def _cell(l1: str, cefr: str, rows: pd.DataFrame, selected: pd.DataFrame | None, *, tested: bool) -> Cell:
    first = rows.iloc[0]
    facts: dict[str, Any] = {k: first.get(k) for k in ("texts_target", "learners_target", "words_target")}
    reference: list[tuple[str, str]] = []
    unit = "text"
    if tested:
        facts |= {k: first[k] for k in ("texts_reference", "learners_reference", "words_reference")}
        facts |= {"features": len(rows), "tested": int(rows["status"].eq("tested").sum())}
        unit = str(first["unit"])
        composition = next((str(c) for c in rows["reference"] if not missing(c)), "")
        reference = [(n, size) for n, _, size in (p.rpartition(":") for p in composition.split())]
    facts["selected"] = 0 if selected is None else len(selected)
    counts = rows.set_index("feature") if tested else None
    shown = [] if selected is None else selected.sort_values("rank").head(MOST_FEATURES).to_dict("records")
    out = []
    for row in shown:
        other = counts.loc[row["feature"]] if counts is not None and row["feature"] in counts.index else None
        row["errors_reference"] = None if other is None else other["errors_reference"]
        row["ratio"] = [
            None if missing(row.get(c)) else math.exp(float(row[c]))
            for c in ("log_ratio", "log_ratio_low", "log_ratio_high")
        ]
        row["ends"] = (row["ci_low"], row["ci_high"], row["effect"])
        out.append(row)
    more = facts["selected"] - len(out)
    ends = [float(v) for r in out for v in r["ends"] if not missing(v)]
    axis = (min([0.0, *ends]), max([0.0, *ends]))
    for row in out:
        row["forest"] = _forest(row, axis)
    return Cell(l1, language_name(l1), cefr, facts, out, more, reference, unit, axis, _place(0.0, axis))


def _place(value: float, axis: tuple[float, float]) -> float:
    low, high = axis
    return round(_MARGIN + (_WIDTH - 2 * _MARGIN) * (value - low) / ((high - low) or 1.0), 2)


def _forest(row: dict[Any, Any], axis: tuple[float, float]) -> dict[str, float] | None:
    if any(missing(v) for v in row["ends"]):
        return None
    low, high, effect = (_place(float(v), axis) for v in row["ends"])
    return {"low": low, "high": high, "effect": effect}


def untestable(tests: pd.DataFrame | None) -> list[tuple[str, str, int, int]]:
    """Return (status, reason, rows, cells) of rows that were not tested, most frequent first."""
    if tests is None:
        return []
    rows = tests[tests["status"] != "tested"]
    found = []
    for (status, reason), part in rows.groupby(["status", "reason"], sort=True, dropna=False):
        found.append((str(status), str(reason), len(part), part[["l1", "cefr"]].drop_duplicates().shape[0]))
    return sorted(found, key=lambda r: (-r[2], r[0], r[1]))


def noise(
    tests: pd.DataFrame | None, inventory: pd.DataFrame | None, preset: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return how many features chance alone would select when p is not corrected, beside the yield; None if it is.

    ``expected`` = tested rows × alpha (half of it where only one direction is kept of a two-sided test), before any cap
    on the length of an inventory; missing if the run does not tell alpha. ``kept`` is the number of rows of the inventory
    with a Benjamini-Hochberg q < alpha within L1 and band.
    """
    if tests is None or inventory is None or not tests["correction"].eq("none").any():
        return None
    tested = tests[tests["status"].eq("tested") & tests["p"].notna()]
    if tested.empty:
        return None
    alpha = preset.get("alpha")
    level = 0.05 if alpha is None else float(alpha)
    one_way = preset.get("direction", "over") != "both" and preset.get("alternative", "two-sided") == "two-sided"
    passed = set()
    for (l1, cefr), part in tested.groupby(["l1", "cefr"], sort=True):
        q, _ = adjust(part["p"].to_numpy(dtype="float64"), "bh")
        passed |= {(l1, cefr, f) for f, v in zip(part["feature"], q, strict=True) if v < level}
    keys = zip(inventory["l1"], inventory["cefr"], inventory["feature"], strict=True)
    return {
        "tested": len(tested),
        "cells": tested[["l1", "cefr"]].drop_duplicates().shape[0],
        "alpha": alpha,
        "expected": None if alpha is None else len(tested) * level * (0.5 if one_way else 1.0),
        "selected": len(inventory),
        "kept": sum(k in passed for k in keys),
    }
