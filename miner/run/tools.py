"""What stages need beside their partition: open engines, the store, progress. Made once per process that runs stages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Any, Self

from miner.checkers import Checker, open_checker
from miner.errors import EngineError
from miner.store import MemoryStore, Store

#: Called with (texts done, texts in all).
Progress = Callable[[int, int], None]


class Meter:
    """Counts texts over partitions for a progress bar; without one it does nothing."""

    def __init__(self, report: Progress | None = None, total: int = 0) -> None:
        self._report = report
        self._total = total
        self._done = 0

    def within(self, done: int, _: int = 0) -> None:
        """Tell how many texts of the present partition are done."""
        if self._report:
            self._report(min(self._done + done, self._total), self._total)

    def settle(self, n: int) -> None:
        """Tell that a partition of n texts is done."""
        self._done += n
        self.within(0)


class Tools:
    """Engines, store and progress of one process; a context manager that closes the engines it opened.

    Parameters
    ----------
    store : Store, optional
        Keeps results by text; default: in memory.
    jobs : int, optional
        Threads, connections or processes of an engine.
    """

    def __init__(self, store: Store | None = None, *, jobs: int | None = None) -> None:
        self.store: Store = store if store is not None else MemoryStore()
        self.jobs = jobs
        self.meter = Meter()
        self._given: dict[tuple[str, str], Checker] = {}
        self._stack = ExitStack()

    def use(self, checker: Checker) -> None:
        """Use a checker that is open already for all stages of its kind; it is not closed here."""
        self._given[checker.fingerprint, checker.language] = checker

    def checker(self, fingerprint: str, options: Mapping[str, Any]) -> Checker:
        """Return the checker with that fingerprint and language, opened with the options if it is not open.

        Raises
        ------
        EngineError
            If the engine here is not the one that the run began with.
        """
        key = (fingerprint, str(options["language"]))
        if key not in self._given:
            checker = self._stack.enter_context(open_checker(**options, jobs=self.jobs))
            if checker.fingerprint != fingerprint:
                msg = (
                    f"This machine has {checker.engine} (rules {checker.fingerprint}), the run began with rules {fingerprint}: "
                    "install the same versions on all machines"
                )
                raise EngineError(msg)
            self._given[key] = checker
        return self._given[key]

    def close(self) -> None:
        """Close the engines that were opened here."""
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
