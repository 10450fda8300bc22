"""A process that loads an engine once and forks workers from it, each checking one text at a time.

A text that crashes its worker, hangs or eats memory takes nothing else down, and a fresh worker is there in
milliseconds, since the loaded engine is shared by fork. Requests come over a socket of the process that asked for it:
when that socket closes, however that process ended, the nursery ends; on Linux the kernel then kills its workers, and
elsewhere they see for themselves. Nothing is printed: an engine's last words may quote texts.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

#: Checks one text; returns what JSON can carry.
Check = Callable[[str], Any]

_PR_SET_PDEATHSIG = 1
_LENGTH = 8


def main(arguments: Sequence[str]) -> None:
    """Load an engine and fork workers as they are asked for, until nobody asks any more.

    Parameters
    ----------
    arguments : sequence of str
        Number of the control socket, process id of the parent, module and function that load the engine, and that
        function's arguments. It returns the function that checks a text.
    """
    number, parent, module, function, *rest = arguments
    control = socket.socket(fileno=int(number))
    try:
        check: Check = getattr(import_module(module), function)(*rest)
    except Exception as err:  # noqa: BLE001 (told to the process that asked)
        _tell(control, {"error": type(err).__name__, "message": str(err)})
        return
    gc.freeze()  # collections would touch, and so copy, memory that workers share
    _tell(control, {"ready": os.getpid()})
    workers: set[int] = set()
    try:
        while _wait(control, int(parent)):
            message, sockets, _, _ = socket.recv_fds(control, 4096, 1)
            if not message:
                return
            request = json.loads(message)
            if "fork" in request:
                pid = _fork(check, control, sockets[0], request["fork"])
                workers.add(pid)
                _tell(control, {"pid": pid})
            else:
                workers.discard(request["end"])
                _tell(control, {"status": _end(request["end"])})
    finally:
        for pid in workers:
            _end(pid)


def send(channel: socket.socket, data: bytes) -> None:
    """Send bytes with their length before them."""
    channel.sendall(len(data).to_bytes(_LENGTH, "little") + data)


def receive(channel: socket.socket, *, seconds: float | None = None) -> bytes:
    """Return the bytes that :func:`send` sent.

    Raises
    ------
    EOFError
        If the other side is gone.
    TimeoutError
        If the whole does not come in time.
    """
    until = None if seconds is None else time.monotonic() + seconds
    length = int.from_bytes(_exactly(channel, _LENGTH, until), "little")
    return _exactly(channel, length, until)


def _exactly(channel: socket.socket, n: int, until: float | None) -> bytes:
    parts: list[bytes] = []
    while n:
        channel.settimeout(None if until is None else max(until - time.monotonic(), 1e-3))
        try:
            part = channel.recv(min(n, 1 << 20))
        except TimeoutError:
            raise
        except OSError as err:
            raise EOFError from err
        if not part:
            raise EOFError
        parts.append(part)
        n -= len(part)
    return b"".join(parts)


def _wait(control: socket.socket, parent: int) -> bool:
    # A fork of the parent may keep the socket open, so the parent itself is watched as well.
    while os.getppid() == parent:
        if select.select([control], [], [], 0.5)[0]:
            return True
    return False


def _tell(control: socket.socket, answer: dict[str, Any]) -> None:
    send(control, json.dumps(answer).encode())


def _fork(check: Check, control: socket.socket, number: int, memory: int) -> int:
    nursery = os.getpid()
    pid = os.fork()
    if pid:
        os.close(number)
        return pid
    code = 1
    try:
        control.close()
        _die_with(nursery)
        _limit(memory)
        _serve(check, socket.socket(fileno=number))
        code = 0
    finally:
        os._exit(code)


def _end(pid: int) -> str:
    # One that is dead already has its own status, whatever is sent to it now.
    os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return f"exit code {os.WEXITSTATUS(status)}"


def _serve(check: Check, channel: socket.socket) -> None:
    while True:
        try:
            text = receive(channel).decode("utf-8")
        except EOFError:
            return
        try:
            answer = {"found": check(text)}
        except BaseException as err:  # noqa: BLE001 (a panic in Rust is a BaseException of its own class)
            answer = {"failed": type(err).__name__}
        send(channel, json.dumps(answer, separators=(",", ":")).encode())
        if "failed" in answer:
            return


def _die_with(nursery: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

    def watch() -> None:
        while os.getppid() == nursery:
            time.sleep(1)
        os._exit(1)

    if os.getppid() != nursery:
        os._exit(1)
    if sys.platform != "linux":
        threading.Thread(target=watch, daemon=True).start()


def _limit(memory: int) -> None:
    import resource

    now = 0
    with contextlib.suppress(OSError, ValueError), open("/proc/self/statm", encoding="ascii") as file:
        now = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    if now:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_AS, (now + memory, now + memory))
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
