"""An engine for tests: it finds 'colour', and does what a text tells it to do."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Callable


def load(*arguments: str) -> Callable[[str], object]:
    if "broken" in arguments:
        msg = "it has no rules"
        raise ValueError(msg)
    return check


def check(text: str) -> object:
    words = text.split()
    if "crash" in words:
        os.kill(os.getpid(), signal.SIGSEGV)
    if "abort" in words:
        os.abort()
    if "exit" in words:
        os._exit(7)
    if "hang" in words:
        time.sleep(600)
    if "eat" in words:
        bytearray(8 << 30)
    if "fail" in words:
        raise LookupError(text)
    if "once" in words:  # crashes the first time, by a file that the text names
        path = words[-1]
        if not os.path.exists(path):
            open(path, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
    if "pid" in words:
        return os.getpid()
    return [[*m.span(), "COLOUR", "", "TYPOS", "misspelling"] for m in re.finditer("colour", text)]
