"""Worker processes for pure Python work: one pool for the life of this process, gone when this process is gone.

A pool is kept open because each of its processes loads a language model; partitions that follow find it loaded.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from miner.errors import EngineError

T = TypeVar("T")
R = TypeVar("R")

_POOLS: dict[int, ProcessPoolExecutor] = {}
_SECONDS = 0.5


def mapped(function: Callable[[T], R], items: Iterable[T], *, jobs: int) -> Iterator[R]:
    """Yield the function's result for each item, in order, computed in up to ``jobs`` processes.

    With one job, or inside a process that may have no children, it is computed here. The function and its items are
    picklable; it must be importable by a fresh process.

    Raises
    ------
    EngineError
        If a process ended (killed, out of memory).
    """
    if jobs <= 1 or multiprocessing.current_process().daemon:
        yield from map(function, items)
        return
    if jobs not in _POOLS:
        # Fresh processes: forking a process with threads may lock up.
        context = multiprocessing.get_context("spawn")
        _POOLS[jobs] = ProcessPoolExecutor(jobs, mp_context=context, initializer=_follow, initargs=(os.getpid(),))
        atexit.register(close)
    try:
        yield from _POOLS[jobs].map(function, items)
    except BrokenProcessPool as err:
        close()
        msg = "A worker process ended before its work was done; was there too little memory? Run again, with fewer --jobs: what is done is kept. (A script of your own needs `if __name__ == '__main__':` around the call.)"
        raise EngineError(msg) from err
    except BaseException:
        close()  # an interrupt, or a worker that died: the next call starts afresh
        raise


def close() -> None:
    """End all worker processes."""
    while _POOLS:
        _, pool = _POOLS.popitem()
        pool.shutdown(wait=True, cancel_futures=True)


def _follow(parent: int) -> None:
    # A worker waits for work on a pipe that its siblings hold open too, so the end of the parent must be watched for.
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears of an interrupt and ends the workers

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_SECONDS)
        os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))

    threading.Thread(target=watch, daemon=True).start()
