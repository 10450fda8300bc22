"""Rows and tables of a validation, gathered part by part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from miner import tables
from miner.learner import Counts, L1Preset

#: Called with what is being done.
Tell = Callable[[str], None]
Row = dict[str, Any]


@dataclass(frozen=True)
class Validation:
    """What a validation found; each attribute is a table of that name in :mod:`miner.tables`.

    Attributes
    ----------
    figures : DataFrame
        ``validation``.
    by_l1, p_values : DataFrame
        ``validation_l1`` and ``validation_p``: what is selected per L1; the distribution of p-values of shuffled labels.
    planted : DataFrame
        ``validation_planted``; empty unless the corpus is simulated.
    effects : DataFrame
        ``across_effects``; empty unless there is another corpus.
    """

    figures: pd.DataFrame
    by_l1: pd.DataFrame = field(repr=False)
    p_values: pd.DataFrame = field(repr=False)
    planted: pd.DataFrame = field(repr=False)
    effects: pd.DataFrame = field(repr=False)


def _joined(parts: Sequence[pd.DataFrame], table: tables.Table) -> pd.DataFrame:
    """Return the rows of all parts as one table."""
    filled = [p for p in parts if len(p)]
    return tables.conform(pd.concat(filled, ignore_index=True), table) if filled else table.empty()


def together(parts: Sequence[Validation]) -> Validation:
    """Return several sources' validations as one."""
    kinds = {
        "figures": tables.VALIDATION,
        "by_l1": tables.VALIDATION_L1,
        "p_values": tables.VALIDATION_P,
        "planted": tables.VALIDATION_PLANTED,
        "effects": tables.ACROSS_EFFECTS,
    }
    return Validation(**{k: _joined([getattr(p, k) for p in parts], t) for k, t in kinds.items()})


class Gathering:
    """Gathers the rows of one source, recipe by recipe."""

    def __init__(self, counted: Counts, source: str, labels: dict[str, str] | None, seed: int, tell: Tell) -> None:
        self.counted, self.source, self.labels, self.seed, self.tell = counted, source, labels, seed, tell
        self.rows: list[Row] = []
        self.frames: dict[str, list[pd.DataFrame]] = {"by_l1": [], "p_values": [], "planted": [], "effects": []}

    def begin(self, recipe: L1Preset) -> None:
        """Judge this recipe from here on."""
        self.recipe = recipe

    def _say(self, what: str) -> None:
        self.tell(f"{self.source}, {self.recipe.name}: {what}")

    def _add(self, figure: str, value: float, n: int | None = None, note: str = "", **ends: float) -> None:
        blank: Row = {"source": self.source, "preset": self.recipe.name, "low": None, "high": None}
        self.rows.append(blank | {"figure": figure, "value": value, "n": n, "note": note} | ends)

    def _keep(self, name: str, frame: pd.DataFrame) -> None:
        self.frames[name].append(frame.assign(source=self.source, preset=self.recipe.name))

    def result(self) -> Validation:
        """Return all that was added."""
        frames = self.frames
        return Validation(
            tables.conform(self.rows, tables.VALIDATION),
            _joined(frames["by_l1"], tables.VALIDATION_L1),
            _joined(frames["p_values"], tables.VALIDATION_P),
            _joined(frames["planted"], tables.VALIDATION_PLANTED),
            _joined(frames["effects"], tables.ACROSS_EFFECTS),
        )
