"""The guard ends its child however the process that asked for it ends (no engine needed)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time

import psutil
import pytest

from miner.checkers import guard

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kills by POSIX signals")

SLEEPER = [sys.executable, "-c", "import time; time.sleep(300)"]
#: A process that starts a guarded child, says both process ids, and then does what {end} says.
PARENT = """
    import os, subprocess, sys, time, psutil
    g = subprocess.Popen([sys.executable, "-I", "-S", {guard!r}, *{sleeper!r}], stdin=subprocess.PIPE, start_new_session=True)
    while not psutil.Process(g.pid).children():
        time.sleep(0.02)
    print(g.pid, psutil.Process(g.pid).children()[0].pid, flush=True)
    {end}
"""


def _parent(end: str) -> tuple[subprocess.Popen[str], list[int]]:
    code = textwrap.dedent(PARENT).format(guard=guard.__file__, sleeper=SLEEPER, end=end)
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a background job would ignore it
    )
    assert process.stdout
    pids = [int(p) for p in process.stdout.readline().split()]
    process.stdout.close()
    assert len(pids) == 2
    return process, pids


def _gone(pids: list[int]) -> bool:
    until = time.monotonic() + 20
    while time.monotonic() < until:
        if not any(psutil.pid_exists(p) and psutil.Process(p).status() != psutil.STATUS_ZOMBIE for p in pids):
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_the_child_goes_with_a_parent_that_is_killed(number) -> None:
    parent, pids = _parent("time.sleep(300)")
    parent.send_signal(number)
    parent.wait(60)
    assert _gone(pids)


def test_the_child_goes_with_a_parent_that_simply_ends() -> None:
    parent, pids = _parent("")
    parent.wait(60)
    assert _gone(pids)


def test_the_child_goes_even_if_a_fork_of_the_parent_keeps_the_pipe_open() -> None:
    parent, pids = _parent("os.fork() or time.sleep(20); time.sleep(300)")
    forks = psutil.Process(parent.pid).children()
    parent.kill()
    parent.wait(60)
    try:
        assert _gone(pids)
    finally:
        for fork in forks:
            if fork.pid not in pids:
                fork.kill()


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel does this on Linux")
def test_the_child_goes_if_the_guard_itself_is_killed() -> None:
    parent, pids = _parent("time.sleep(300)")
    os.kill(pids[0], signal.SIGKILL)
    assert _gone(pids)
    parent.kill()
    parent.wait(60)


def test_a_child_that_ends_by_itself_leaves_its_code_and_last_words() -> None:
    command = [
        sys.executable,
        "-I",
        "-S",
        guard.__file__,
        sys.executable,
        "-c",
        "print('no room'); raise SystemExit(3)",
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr
        assert process.stderr.read().strip() == b"no room"
    assert process.returncode == 3
