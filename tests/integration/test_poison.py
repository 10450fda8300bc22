"""Real engines: what a killed worker was doing is done again, and no process outlives a run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import psutil
import pytest

from miner.checkers import open_checker
from miner.checkers.lingotweaker import LingoTweaker

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(sys.platform == "win32", reason="kills by POSIX signals"),
    pytest.mark.usefixtures("lingotweaker"),  # skips where there is none
]

RUN = """
from miner.checkers import open_checker
with open_checker("lingotweaker") as checker:
    checker.check_units(["It is fine."] * 4)
    print("up", flush=True)
    while True:
        checker.check_units(["She have two dog. I enjoy to swim."] * 50)
"""


def _processes() -> list[psutil.Process]:
    return [p for p in psutil.Process().children(recursive=True) if "nursery" in " ".join(p.cmdline())]


def _gone(pids: list[int]) -> bool:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if not any(psutil.pid_exists(p) and psutil.Process(p).status() != psutil.STATUS_ZOMBIE for p in pids):
            return True
        time.sleep(0.05)
    return False


def test_workers_that_are_killed_while_checking_change_no_result() -> None:
    units = [f"She have two dog. It is text {i}." for i in range(300)]
    others = {p.pid for p in _processes()}
    with open_checker("lingotweaker", jobs=2) as checker:
        whole = checker.check_units(units)
        mine = [p for p in _processes() if p.pid not in others]
        workers = [p for p in mine if p.ppid() in {q.pid for q in mine}]
        assert workers
        killer = threading.Timer(0.05, lambda: [os.kill(p.pid, signal.SIGKILL) for p in workers])
        killer.start()
        assert checker.check_units(units) == whole
        killer.join()
        assert checker.check_units(units) == whole
    assert _gone([p.pid for p in mine])


def test_a_text_that_takes_too_long_is_told_and_the_others_are_whole(monkeypatch) -> None:
    monkeypatch.setattr("miner.checkers.limits.CHARACTERS_PER_SECOND", 10**9)
    with open_checker("lingotweaker", jobs=2) as checker:
        assert isinstance(checker, LingoTweaker)
        checker.check_units(["It is fine."])
        monkeypatch.setattr("miner.checkers.limits.SECONDS", 1)
        slow, quick = checker.check_units(["Thiss " * 20_000, "She have two dog."])
    assert slow.reason == f"{checker.engine} took longer than 1 seconds, twice"
    assert not slow.matches
    assert quick.matches


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_no_worker_outlives_a_run_that_is_killed_while_checking(number) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", RUN],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a background job would ignore it
    )
    assert process.stdout
    assert process.stdout.readline() == "up\n"
    process.stdout.close()
    pids = [p.pid for p in psutil.Process(process.pid).children(recursive=True)]
    assert len(pids) >= 2
    process.send_signal(number)
    process.wait(60)
    assert _gone(pids)
