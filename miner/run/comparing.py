"""The last learner stage: counts of all partitions in, tests and inventory of one family out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import pandas as pd

from miner import tables
from miner.learner import Counts, L1Preset, compare_l1
from miner.ledger import Ledger
from miner.run.opportunities import opportunities_of_cells, rates_per_opportunity
from miner.run.tools import Tools

if TYPE_CHECKING:
    from miner.run.stage import Frames, Result


@dataclass(frozen=True)
class CompareL1:
    """Tests and inventory of one family.

    Takes frames ``counts`` and ``units`` of all texts and, for usage, ``opportunities`` (text_id, per, n). Gives ``tests``,
    ``inventory``, ``rates`` (per opportunity) and ``admission`` (the unit, and how many texts were compared).
    """

    preset: L1Preset
    family: str
    labels: Mapping[str, str]
    seed: int
    per: Mapping[str, str]
    name: ClassVar[str] = "compare"
    rooms: ClassVar[tuple[str, ...]] = ("stats", "learner", "run/comparing", "run/opportunities")

    @property
    def parameters(self) -> Mapping[str, Any]:
        from importlib.metadata import version

        return {
            "preset": self.preset.as_dict(),
            "family": self.family,
            "labels": dict(self.labels),
            "seed": self.seed,
            "per": dict(self.per),
            "versions": {package: version(package) for package in ("numpy", "pandas", "scipy")},
        }

    def __call__(self, frames: Frames, tools: Tools) -> Result:
        counted = Counts(frames["counts"], frames["units"], Ledger("count", "texts"))
        admitted, tests, inventory = compare_l1(
            counted, self.preset, labels=dict(self.labels), family=self.family, seed=self.seed
        )
        rates = tables.USAGE_RATES.empty()
        if "opportunities" in frames:
            tests = opportunities_of_cells(tests, admitted, frames["opportunities"], self.per)
            rates = rates_per_opportunity(tests, counted, frames["opportunities"], self.per, self.preset, self.seed)
        admission = pd.DataFrame({"unit": [admitted.unit], "texts": [admitted.ledger.kept]})
        found = {"tests": tests, "inventory": inventory, "rates": rates, "admission": admission}
        return found, [admitted.ledger]
