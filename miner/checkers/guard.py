"""Run a server as a child and end it when the process that asked for it is gone, however that ended.

Run as a script: ``python guard.py COMMAND ...``. The asking process holds the write end of this process's standard
input. When it ends, even by ``kill -9``, the pipe closes and the server is killed; the parent's process id is watched
as well (a fork may keep the pipe open). On Linux the kernel kills the server should this process itself be killed.
What the server prints is thrown away (it may quote texts), except its last lines if it ends by itself.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading
from collections import deque

_LAST_LINES = 20
_PR_SET_PDEATHSIG = 1


def main(command: list[str]) -> int:
    """Run the command until it ends or nobody wants it any more; return its exit code."""
    parent = os.getppid()
    over = threading.Event()
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda *_: over.set())
    server = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        preexec_fn=_die_with_parent if sys.platform == "linux" else None,  # no thread runs yet
    )
    lines: deque[bytes] = deque(maxlen=_LAST_LINES)
    reader = threading.Thread(target=lambda: lines.extend(server.stdout or ()), daemon=True)
    reader.start()
    threading.Thread(target=_wait_for_end_of_input, args=(over,), daemon=True).start()
    try:
        while server.poll() is None and not over.is_set() and os.getppid() == parent:
            over.wait(0.25)
        by_itself = server.poll() is not None
    finally:
        with contextlib.suppress(ProcessLookupError):
            server.kill()
        server.wait()
    if by_itself:
        reader.join(1)
        sys.stderr.buffer.write(b"".join(lines)[-8000:])
    return server.returncode if by_itself else 0


def _wait_for_end_of_input(over: threading.Event) -> None:
    with contextlib.suppress(OSError):
        while os.read(0, 4096):
            pass
    over.set()


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stderr.flush()
    os._exit(code & 0xFF)  # the thread that reads the input must not hold us up
