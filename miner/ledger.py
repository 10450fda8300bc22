"""Accounts of a step: what it read, kept and dropped, with reasons; the totals must add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from miner.errors import MinerError

#: Places listed per reason; the count is always complete.
MOST_PLACES = 20


@dataclass
class Ledger:
    """What one step did with its items.

    Parameters
    ----------
    step : str
        Name of the step, e.g. ``"read"``.
    unit : str
        What is counted: ``"texts"``, ``"matches"``, ``"cells"``.
    """

    step: str
    unit: str
    read: int = 0
    kept: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    noted: Counter[str] = field(default_factory=Counter)
    places: dict[str, list[str]] = field(default_factory=dict)

    def keep(self, n: int = 1) -> None:
        """Count ``n`` items as read and kept."""
        self.read += n
        self.kept += n

    def drop(self, reason: str, n: int = 1, *, place: str = "") -> None:
        """Count ``n`` items as read and dropped for ``reason``; ``place`` is ``file:line`` or an id, never text."""
        if n == 0:
            return
        self.read += n
        self.dropped[reason] += n
        self._place(reason, place)

    def note(self, what: str, n: int = 1, *, place: str = "") -> None:
        """Count something worth telling about items that were kept (a flag, a repair)."""
        if n == 0:
            return
        self.noted[what] += n
        self._place(what, place)

    def _place(self, reason: str, place: str) -> None:
        if place:
            listed = self.places.setdefault(reason, [])
            if len(listed) < MOST_PLACES:
                listed.append(place)

    def check(self) -> None:
        """Raise if the totals do not add up (a defect of miner, not of the input)."""
        total = self.kept + sum(self.dropped.values())
        if total != self.read:
            msg = f"The account of step '{self.step}' does not add up: {self.read} {self.unit} read, {total} accounted for"
            raise MinerError(msg)

    def as_dict(self) -> dict[str, Any]:
        """Return the account as plain data in a stable order."""
        self.check()
        out: dict[str, Any] = {"step": self.step, "unit": self.unit, "read": self.read, "kept": self.kept}
        out["dropped"] = dict(sorted(self.dropped.items()))
        if self.noted:
            out["noted"] = dict(sorted(self.noted.items()))
        if self.places:
            out["places"] = {k: sorted(v) for k, v in sorted(self.places.items())}
        return out

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Ledger:
        """Return the account that :meth:`as_dict` wrote."""
        ledger = cls(data["step"], data["unit"], data["read"], data["kept"])
        ledger.dropped.update(data["dropped"])
        ledger.noted.update(data.get("noted", {}))
        ledger.places = {k: list(v) for k, v in data.get("places", {}).items()}
        return ledger

    @classmethod
    def total(cls, ledgers: Sequence[Ledger]) -> Ledger:
        """Return accounts of the same step added up; the first places in sorted order are kept."""
        total = cls(ledgers[0].step, ledgers[0].unit)
        for ledger in ledgers:
            total.read += ledger.read
            total.kept += ledger.kept
            total.dropped.update(ledger.dropped)
            total.noted.update(ledger.noted)
            for reason, places in ledger.places.items():
                total.places.setdefault(reason, []).extend(places)
        total.places = {k: sorted(v)[:MOST_PLACES] for k, v in total.places.items()}
        return total
