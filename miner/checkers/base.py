"""What a checker is: an engine with a life, that turns units of text into matches in code points."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import NamedTuple, Protocol, Self, TypeVar

T = TypeVar("T")

#: The varieties that the engines have rules for.
LANGUAGES = ("en-US", "en-GB", "en-AU", "en-CA", "en-NZ", "en-ZA")


class RawMatch(NamedTuple):
    """One match; ``start`` and ``end`` (exclusive) count code points of the unit that was checked."""

    start: int
    end: int
    rule_id: str
    sub_id: str
    lt_category: str
    issue_type: str


@dataclass(frozen=True)
class UnitResult:
    """What an engine said about one unit.

    Parameters
    ----------
    matches : tuple of RawMatch
        Sorted. Empty when ``reason`` is set: what was found before an engine gave up is not a result.
    reason : str
        Why the unit is not (wholly) checked; empty when it is. Never holds text of the unit.
    """

    matches: tuple[RawMatch, ...]
    reason: str = ""


@dataclass(frozen=True)
class EngineIdentity:
    """Which engine it is, known without starting it; see :class:`Checker` for the attributes."""

    name: str
    version: str
    fingerprint: str
    language: str

    @property
    def engine(self) -> str:
        """Name and version, as tables show it."""
        return f"{self.name}-{self.version}"


class Checker(Protocol):
    """An engine that starts when the first unit is to be checked; a context manager that ends whatever it started.

    Attributes
    ----------
    name, version : str
        E.g. ``"languagetool"`` and ``"6.8"``.
    engine : str
        Name and version, as tables show it: ``"languagetool-6.8"``.
    fingerprint : str
        16 hexadecimal digits of the engine, its rules and its data. Results of different fingerprints are never mixed.
    language : str
        The variety that was asked for, e.g. ``"en-US"``.
    """

    name: str
    version: str
    engine: str
    fingerprint: str
    language: str

    def check_units(self, units: Sequence[str]) -> list[UnitResult]:
        """Check units (texts or sentences), each on its own, all workers at once; results in the order given.

        Raises
        ------
        EngineError
            If the engine does not start, or as a whole stopped working. A unit that cannot be checked is a result with a reason.
        """
        ...

    def close(self) -> None:
        """End everything the checker started; more than once is harmless."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *exc: object) -> None: ...


def incomplete(reason: str) -> UnitResult:
    """Return the result of a unit that was not wholly checked."""
    return UnitResult((), reason)


def completed(matches: Sequence[RawMatch]) -> UnitResult:
    """Return the result of a checked unit, matches sorted (engines differ in the order they report)."""
    return UnitResult(tuple(sorted(matches)))


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_longest_first(pool: Executor, check: Callable[[str], T], units: Sequence[str]) -> list[T]:
    """Apply ``check`` to all units on the pool, the longest first (so that none of them is the last to start alone)."""
    order = sorted(range(len(units)), key=lambda i: -len(units[i]))
    futures = {i: pool.submit(check, units[i]) for i in order}
    try:
        return [futures[i].result() for i in range(len(units))]
    except BaseException:
        for future in futures.values():
            future.cancel()
        raise
