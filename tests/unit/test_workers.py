"""Workers: a text that crashes, hangs or eats memory takes nothing else down, and nothing is left behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from miner.checkers.workers import Failed, Workers
from miner.errors import EngineError

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="workers are forked")

HERE = str(Path(__file__).parent)


@pytest.fixture
def workers(monkeypatch) -> Iterator[Workers]:
    monkeypatch.setattr(sys, "path", [*sys.path, HERE])
    made = Workers(2, "odd_engine", "load")
    yield made
    made.close()


def _nurseries() -> list[psutil.Process]:
    found = []
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):  # it ended while we looked
            if "nursery" in " ".join(process.cmdline()):
                found.append(process)
    return found


#: Processes of engines that other tests of this run have open.
_OTHERS: set[psutil.Process] = set()


@pytest.fixture(autouse=True)
def _other_engines() -> None:
    _OTHERS.clear()
    _OTHERS.update(_nurseries())


def _family() -> list[psutil.Process]:
    return [p for p in _nurseries() if p not in _OTHERS]


def _gone(pids: list[int]) -> bool:
    until = time.monotonic() + 20
    while time.monotonic() < until:
        if not any(psutil.pid_exists(p) and psutil.Process(p).status() != psutil.STATUS_ZOMBIE for p in pids):
            return True
        time.sleep(0.05)
    return False


def test_nothing_starts_before_it_is_needed(workers) -> None:
    assert _family() == []
    assert workers.check("My colour.") == [[3, 9, "COLOUR", "", "TYPOS", "misspelling"]]
    assert len(_family()) == 2  # the nursery and one worker


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("crash", "crashed (SIGSEGV), twice"),
        ("abort", "crashed (SIGABRT), twice"),
        ("exit", "crashed (exit code 7), twice"),
        ("fail", "failed (LookupError), twice"),
        pytest.param(
            "eat", "failed (MemoryError), twice", marks=pytest.mark.skipif(sys.platform != "linux", reason="/proc")
        ),
    ],
)
def test_a_poison_text_is_told_without_its_words_and_the_others_are_whole(workers, word, why) -> None:
    texts = [f"My colour {word} {i}." if i == 5 else f"My colour {i}." for i in range(20)]
    with ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(workers.check, t) for t in texts]
    with pytest.raises(Failed) as told:
        futures[5].result()
    assert told.value.why == why
    assert all(len(f.result()) == 1 for i, f in enumerate(futures) if i != 5)


def test_a_text_that_hangs_is_given_up_after_a_time_that_grows_with_its_length(workers, monkeypatch) -> None:
    monkeypatch.setattr("miner.checkers.limits.SECONDS", 1)
    monkeypatch.setattr("miner.checkers.limits.CHARACTERS_PER_SECOND", 10)
    with ThreadPoolExecutor(2) as pool:
        slow = pool.submit(workers.check, "It will hang.. hang")
        quick = [pool.submit(workers.check, "My colour.") for _ in range(10)]
    with pytest.raises(Failed, match=r"^took longer than 2 seconds, twice$"):
        slow.result()
    assert all(q.result() for q in quick)
    assert len(_family()) <= 3


def test_a_text_that_fails_once_is_checked_by_a_fresh_worker(workers, tmp_path) -> None:
    assert workers.check(f"colour once {tmp_path / 'mark'}")[0][:2] == [0, 6]


def test_a_worker_lasts_and_is_replaced_only_when_it_broke(workers) -> None:
    first = workers.check("pid")
    assert workers.check("pid") == first
    with pytest.raises(Failed):
        workers.check("crash")
    assert workers.check("pid") != first


def test_a_lone_surrogate_is_the_callers_to_tell(workers) -> None:
    with pytest.raises(UnicodeEncodeError):
        workers.check("a \ud800")
    assert workers.check("colour")


def test_long_texts_pass(workers) -> None:
    assert len(workers.check("colour " * 300_000)) == 300_000


def test_an_engine_that_cannot_be_loaded_says_why(monkeypatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, HERE])
    broken = Workers(1, "odd_engine", "load", "broken")
    with pytest.raises(EngineError, match="it has no rules"):
        broken.check("colour")
    broken.close()
    assert _family() == []


def test_a_nursery_that_is_killed_takes_its_workers_along_and_is_started_again(workers) -> None:
    workers.check("pid")
    before = [p.pid for p in _family()]
    os.kill(before[0], signal.SIGKILL)
    assert _gone(before[1:])
    assert len(workers.check("colour")) == 1
    assert not {p.pid for p in _family()} & set(before)


def test_closing_ends_even_what_hangs(workers) -> None:
    with ThreadPoolExecutor(1) as pool:
        hanging = pool.submit(workers.check, "hang")
        while len(_family()) < 2:
            time.sleep(0.02)
        workers.close()
        with pytest.raises((EngineError, Failed)):
            hanging.result(30)
    assert _family() == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("text", ["hang", "colour"])
def test_no_process_outlives_the_one_that_started_it(number, text) -> None:
    code = f"""
        import signal, sys
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.path.append({HERE!r})
        import psutil, threading, time
        from miner.checkers.workers import Workers
        w = Workers(1, "odd_engine", "load")
        w.check("colour")
        print(*[p.pid for p in psutil.Process().children(recursive=True)], flush=True)
        threading.Thread(target=lambda: [w.check({text!r}) for _ in range(10**9)], daemon=True).start()
        time.sleep(300)
    """
    parent = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert parent.stdout
    pids = [int(p) for p in parent.stdout.readline().split()]
    parent.stdout.close()
    assert len(pids) == 2
    parent.send_signal(number)
    parent.wait(60)
    assert _gone(pids)
