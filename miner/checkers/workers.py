"""Workers that a nursery forks, seen from the process that uses them: one text each, with a limit of time and memory."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Any

from miner.checkers import limits
from miner.checkers.nursery import receive, send
from miner.errors import EngineError, EngineMissing, OptionError

_START_SECONDS = 300
_ANSWER_SECONDS = 60
_CODE = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from miner.checkers.nursery import main; main(sys.argv[2:])"
)
_ERRORS = {kind.__name__: kind for kind in (EngineError, EngineMissing, OptionError)}


class Failed(Exception):
    """No worker brought a text to an end; ``why`` says what happened, without any text."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class Workers:
    """Up to ``number`` workers, started when they are needed; threads may share the object.

    Parameters
    ----------
    number : int
        Workers at most.
    module, function, arguments : str
        What loads the engine in the nursery; see :func:`miner.checkers.nursery.main`.
    """

    def __init__(self, number: int, module: str, function: str, *arguments: str) -> None:
        self._load = (module, function, *arguments)
        self._lock = threading.Lock()
        self._nursery: _Nursery | None = None
        self._closed = False
        self._idle: queue.LifoQueue[_Worker | None] = queue.LifoQueue()
        for _ in range(number):
            self._idle.put(None)

    def check(self, text: str) -> Any:
        """Return what the engine found; a text that fails is tried once more by a fresh worker.

        Raises
        ------
        UnicodeEncodeError
            If the text holds a lone surrogate.
        Failed
            If both workers crashed, hung, ran out of memory or met an error.
        EngineError
            If the engine cannot be loaded (any more), or :meth:`close` was called.
        """
        data, seconds = text.encode("utf-8"), limits.seconds_for(text)
        worker = self._idle.get()
        try:
            why = ""
            for _ in range(2):
                worker = worker or self._fork()
                try:
                    return worker.ask(data, seconds)
                except _Broken as err:
                    gone, worker = worker, None
                    why = err.why or f"crashed ({self._end(gone)})"
                    if err.why:
                        self._end(gone)
            msg = f"{why}, twice"
            raise Failed(msg)
        finally:
            self._idle.put(worker)
            if self._closed:
                self._let_go()

    def close(self) -> None:
        """End the workers and the nursery, whatever they do; more than once is harmless."""
        with self._lock:
            self._closed = True
            nursery, self._nursery = self._nursery, None
        if nursery:
            nursery.close()
        self._let_go()

    def _let_go(self) -> None:
        for _ in range(self._idle.qsize()):
            with contextlib.suppress(queue.Empty):
                if worker := self._idle.get_nowait():
                    worker.channel.close()
        self._idle.put(None)  # who waits for a worker learns that there is none

    def _fork(self) -> _Worker:
        with self._lock:
            problem: Exception | None = None
            for _ in range(2):
                if self._closed:
                    msg = "The checker was closed while it worked"
                    raise EngineError(msg)
                self._nursery = self._nursery or _Nursery(self._load)
                try:
                    return self._nursery.fork()
                except (OSError, EOFError) as err:
                    problem = err
                    self._nursery.close()
                    self._nursery = None
            msg = f"The engine's processes end again and again ({type(problem).__name__}); is there enough memory?"
            raise EngineError(msg) from problem

    def _end(self, worker: _Worker) -> str:
        worker.channel.close()
        with self._lock:
            if self._nursery is not worker.nursery:
                return "with the process that started it"
            try:
                return self._nursery.end(worker.pid)
            except (OSError, EOFError):
                return "with the process that started it"


class _Broken(Exception):
    """A worker that is of no more use; ``why`` is empty if it is gone without a word."""

    def __init__(self, why: str = "") -> None:
        super().__init__(why)
        self.why = why


class _Worker:
    """One forked process."""

    def __init__(self, pid: int, channel: socket.socket, nursery: _Nursery) -> None:
        self.pid = pid
        self.channel = channel
        self.nursery = nursery

    def ask(self, data: bytes, seconds: int) -> Any:
        try:
            self.channel.settimeout(seconds)
            send(self.channel, data)
            answer = json.loads(receive(self.channel, seconds=seconds))
        except TimeoutError:
            msg = f"took longer than {seconds} seconds"
            raise _Broken(msg) from None
        except (OSError, EOFError):
            raise _Broken from None
        if "failed" in answer:
            msg = f"failed ({answer['failed']})"
            raise _Broken(msg)
        return answer["found"]


class _Nursery:
    """The process that loads the engine and forks."""

    def __init__(self, load: Sequence[str]) -> None:
        if not hasattr(os, "fork"):
            msg = "This engine needs processes that fork, which this platform does not have; use --checker languagetool"
            raise EngineMissing(msg)
        self._control, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _CODE, json.dumps(sys.path), str(theirs.fileno()), str(os.getpid()), *load],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # forks are safest from a process without threads
                start_new_session=True,  # Ctrl-C reaches this process, which then ends the others in good order
            )
        try:
            told = json.loads(receive(self._control, seconds=_START_SECONDS))
        except (EOFError, TimeoutError) as err:
            self.close()
            msg = f"The engine did not start ({'no answer' if isinstance(err, TimeoutError) else 'it ended at once'})"
            raise EngineError(msg) from err
        if "error" in told:
            self.close()
            raise _ERRORS.get(told["error"], EngineError)(told["message"])

    def fork(self) -> _Worker:
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                socket.send_fds(self._control, [json.dumps({"fork": limits.MEMORY_BYTES}).encode()], [theirs.fileno()])
            return _Worker(json.loads(receive(self._control, seconds=_ANSWER_SECONDS))["pid"], ours, self)
        except BaseException:
            ours.close()
            raise

    def end(self, pid: int) -> str:
        self._control.sendall(json.dumps({"end": pid}).encode())
        return str(json.loads(receive(self._control, seconds=_ANSWER_SECONDS))["status"])

    def close(self) -> None:
        self._control.close()
        try:
            self._process.wait(2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
