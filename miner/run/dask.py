"""Stages on a Dask cluster that runs already: partition by partition, the same bytes as on one machine.

The process that was started keeps the store, the statistics and the output; workers check, parse and count. A worker opens
an engine once. When a worker dies its partitions go to another.
"""

from __future__ import annotations

import logging
import threading
import zlib
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, Self

from miner.checkers import Checker
from miner.errors import EngineError, EngineMissing, OptionError
from miner.run.executor import NAMESPACE, LocalExecutor
from miner.run.stage import Partition, Stage, stage_key
from miner.run.tools import Progress, Tools
from miner.store import MemoryStore, Store

#: Partitions on their way for each thread of the cluster: enough to keep it busy, few enough to bound memory.
AHEAD = 2
_SECONDS = 30


class DaskExecutor:
    """Runs stages on the workers of a cluster; a context manager.

    Parameters
    ----------
    scheduler : str
        Address of the scheduler, ``tcp://host:8786``.
    store : Store
        Where results are kept, by content key; on this machine.
    tools : Tools
        For the stages that run here.

    Raises
    ------
    EngineMissing
        If Dask is not installed.
    OptionError
        If no scheduler answers at the address.
    """

    def __init__(self, scheduler: str, store: Store, tools: Tools) -> None:
        try:
            from distributed import Client
        except ImportError as err:
            msg = f"--scheduler needs Dask ({err}); install the extra: pip install 'miner[cluster]', on all machines"
            raise EngineMissing(msg) from err
        try:
            client: Any = Client  # untyped
            self._client = client(scheduler, timeout=_SECONDS, set_as_default=False)
            try:
                self._client.wait_for_workers(1, timeout=_SECONDS)
            except BaseException:
                self.close()
                raise
        except (OSError, ValueError, TimeoutError) as err:
            msg = f"No Dask scheduler with a worker answers at {scheduler} ({type(err).__name__}); expected tcp://HOST:PORT of `dask scheduler`, with workers"
            raise OptionError(msg) from err
        self.store = store
        self._here = LocalExecutor(store, tools)
        self._computed = 0

    @property
    def computed(self) -> int:
        """Results that were computed, here or there."""
        return self._computed + self._here.computed

    @property
    def reused(self) -> int:
        """Results that were in the store."""
        return self._here.reused

    def use(self, checker: Checker) -> None:
        """Nothing: workers open engines of their own."""

    def watch(self, report: Progress | None, total: int) -> None:
        """Report the progress of what follows: ``total`` texts."""
        self._here.watch(report, total)

    def once(self, stage: Stage, partition: Partition) -> Partition:
        """Return the stage's result for one partition, computed here."""
        return self._here.once(stage, partition)

    def map(self, stage: Stage, partitions: Iterable[Partition]) -> Iterator[Partition]:
        """Yield the stage's result for each partition, in order; a few partitions are on their way at a time."""
        waiting: deque[tuple[Partition, str, Any]] = deque()
        try:
            for partition in partitions:
                key = stage_key(stage, partition.key)
                known = self.store.get_many(NAMESPACE, [key]).get(key)
                waiting.append((partition, key, known if known is not None else self._submit(stage, partition, key)))
                if len(waiting) >= self._window():
                    yield self._settled(*waiting.popleft())
            while waiting:
                yield self._settled(*waiting.popleft())
        finally:
            for _, _, future in waiting:
                if not isinstance(future, bytes):
                    future.cancel()

    def _window(self) -> int:
        threads: dict[str, int] = self._client.nthreads()
        return max(2, AHEAD * sum(threads.values()))

    def _submit(self, stage: Stage, partition: Partition, key: str) -> Any:
        # Packed: a worker that fails shows in its log how its arguments begin.
        data = zlib.compress(Partition(partition.key, partition.frames).to_bytes(), 1)
        return self._client.submit(run_stage, stage, data, key=f"miner-{key}", pure=False)

    def _settled(self, partition: Partition, key: str, found: Any) -> Partition:
        if isinstance(found, bytes):
            self._here.reused += 1
            result = Partition.from_bytes(key, found)
        else:
            result = Partition.from_bytes(key, self._result(found))
            self._computed += 1
            if result.is_final:
                self.store.put_many(NAMESPACE, {key: result.to_bytes()})
        self._here.tools.meter.settle(0 if partition.again else len(partition))
        return result.told_apart()

    def _result(self, future: Any) -> bytes:
        from distributed import CancelledError, KilledWorker

        try:
            return bytes(future.result())
        except KilledWorker as err:
            msg = "A partition brought down several workers of the cluster; look at their logs (memory?), then run again: what is done is kept"
            raise EngineError(msg) from err
        except (CancelledError, OSError) as err:
            msg = f"The cluster is gone ({type(err).__name__}); start it and run again: what is done is kept"
            raise EngineError(msg) from err

    def close(self) -> None:
        """Leave the cluster; it goes on running."""
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


_LOCK = threading.Lock()
_TOOLS: list[Tools] = []


def run_stage(stage: Stage, data: bytes) -> bytes:
    """Run a stage in a worker; engines stay open for the stages that follow."""
    with _LOCK:  # an engine uses the threads of its worker itself
        if not _TOOLS:
            _TOOLS.append(Tools(jobs=_threads()))
        tools = _TOOLS[0]
        tools.store = MemoryStore()  # of one partition: a worker's memory stays bounded
        frames, ledgers = stage(Partition.from_bytes("", zlib.decompress(data)).frames, tools)
        return Partition("", frames, tuple(ledgers)).to_bytes()


def _threads() -> int:
    from distributed import get_worker

    try:
        return int(get_worker().state.nthreads)
    except ValueError:
        return 1
