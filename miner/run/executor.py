"""Who runs stages: this process, partition by partition; another executor runs the same stages elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from miner.checkers import Checker
from miner.run.stage import Partition, Stage, stage_key
from miner.run.tools import Meter, Progress, Tools
from miner.store import Store

NAMESPACE = "stage"


class Executor(Protocol):
    """Runs a stage over partitions and yields the results in their order; what is in the store is not computed again."""

    @property
    def store(self) -> Store:
        """Where results are kept."""

    @property
    def computed(self) -> int:
        """Results that were computed."""

    @property
    def reused(self) -> int:
        """Results that were there."""

    def use(self, checker: Checker) -> None:
        """Tell of a checker that is open in this process."""

    def watch(self, report: Progress | None, total: int) -> None:
        """Report the progress of what follows: ``total`` texts."""

    def map(self, stage: Stage, partitions: Iterable[Partition]) -> Iterator[Partition]:
        """Yield the stage's result for each partition, in order."""

    def once(self, stage: Stage, partition: Partition) -> Partition:
        """Return the stage's result for one partition, computed in this process."""


class LocalExecutor:
    """Runs stages one partition after the other; a stage uses the cores as it likes.

    Parameters
    ----------
    store : Store
        Where results are kept, by content key.
    tools : Tools, optional
        Engines for the stages; default: opened when a stage needs them.
    """

    def __init__(self, store: Store, tools: Tools | None = None) -> None:
        self.store = store
        self.tools = tools if tools is not None else Tools(store)
        self.computed = 0
        self.reused = 0

    def use(self, checker: Checker) -> None:
        self.tools.use(checker)

    def watch(self, report: Progress | None, total: int) -> None:
        self.tools.meter = Meter(report, total)

    def map(self, stage: Stage, partitions: Iterable[Partition]) -> Iterator[Partition]:
        for partition in partitions:
            result = self.once(stage, partition)
            self.tools.meter.settle(0 if partition.again else len(partition))
            yield result

    def once(self, stage: Stage, partition: Partition) -> Partition:
        key = stage_key(stage, partition.key)
        known = self.store.get_many(NAMESPACE, [key]).get(key)
        if known is not None:
            self.reused += 1
            return Partition.from_bytes(key, known)
        frames, ledgers = stage(partition.frames, self.tools)
        result = Partition(key, frames, tuple(ledgers))
        if result.is_final:
            self.store.put_many(NAMESPACE, {key: result.to_bytes()})
        self.computed += 1
        return result.told_apart()
