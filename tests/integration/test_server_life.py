"""The LanguageTool server ends with whoever started it, and is started again when it dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from miner.checkers import open_checker
from miner.checkers.languagetool import LanguageTool

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(sys.platform == "win32", reason="kills by POSIX signals"),
    pytest.mark.usefixtures("languagetool"),  # skips where there is none
]

RUN = """
import sys
from miner.checkers import open_checker
with open_checker("languagetool") as checker:
    checker.check_units(["It is fine."])
    print("up", flush=True)
    {body}
"""
CHECKING = "while True: checker.check_units(['She have two dog. I enjoy to swim.'] * 50)"


def _start(body: str) -> tuple[subprocess.Popen[str], list[int]]:
    process = subprocess.Popen(
        [sys.executable, "-c", RUN.format(body=body)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a background job would ignore it
    )
    assert process.stdout
    assert process.stdout.readline() == "up\n"
    process.stdout.close()
    family = psutil.Process(process.pid).children(recursive=True)
    assert any("java" in p.name() for p in family)
    return process, [p.pid for p in family]


def _gone(pids: list[int]) -> bool:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if not any(psutil.pid_exists(p) and psutil.Process(p).status() != psutil.STATUS_ZOMBIE for p in pids):
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_no_java_outlives_a_run_that_is_killed_while_checking(number) -> None:
    process, pids = _start(CHECKING)
    time.sleep(0.5)
    process.send_signal(number)
    process.wait(60)
    assert _gone(pids)


def test_no_java_outlives_an_exception() -> None:
    process, pids = _start("raise SystemExit(4)")
    assert process.wait(60) == 4
    assert _gone(pids)


def _java(checker: LanguageTool) -> psutil.Process:
    checker.check_units(["It is fine."])
    assert checker._local
    assert checker._local._process
    return psutil.Process(checker._local._process.pid).children()[0]


def test_a_server_that_is_killed_comes_back_and_the_texts_are_whole() -> None:
    units = [f"She have two dog. It is text {i}." for i in range(40)]
    with open_checker("languagetool") as checker:
        assert isinstance(checker, LanguageTool)
        whole = checker.check_units(units)
        before = _java(checker).pid
        os.kill(before, signal.SIGKILL)
        assert checker.check_units(units) == whole
        after = _java(checker).pid
        assert after != before
    assert _gone([before, after])


def test_the_local_server_listens_on_this_machine_only(languagetool) -> None:
    addresses = {c.laddr.ip for c in _java(languagetool).net_connections() if c.status == psutil.CONN_LISTEN}
    assert addresses
    assert addresses <= {"127.0.0.1", "::1", "::ffff:127.0.0.1"}


def test_a_text_that_takes_too_long_is_told_and_the_server_starts_afresh(monkeypatch) -> None:
    seconds = "miner.checkers.limits.SECONDS"
    monkeypatch.setattr("miner.checkers.limits.CHARACTERS_PER_SECOND", 10**9)
    endless = "I think that " + "the student has a book and " * 1666 + "so."
    with open_checker("languagetool") as checker:
        assert isinstance(checker, LanguageTool)
        before = _java(checker).pid
        monkeypatch.setattr(seconds, 2)
        (slow,) = checker.check_units([endless])
        monkeypatch.setattr(seconds, 120)
        after = _java(checker).pid
        assert slow.reason == "no answer within 2 seconds, twice"
        assert not slow.matches
        assert after != before
        assert len(checker.check_units(["She have two dog."])[0].matches) == 2
    assert _gone([before, after])


def test_no_server_starts_before_it_is_needed() -> None:
    with open_checker("languagetool") as checker:
        assert isinstance(checker, LanguageTool)
        assert checker.fingerprint
        assert checker.check_units([]) == []
        assert checker._local
        assert not checker._local.started


def test_the_identity_is_known_without_a_server(languagetool) -> None:
    from miner.checkers import identify

    found = identify("languagetool")
    assert (found.engine, found.version, found.fingerprint) == (
        languagetool.engine,
        languagetool.version,
        languagetool.fingerprint,
    )
    # What the running server says it is.
    languagetool.check_units(["It is fine."])
    assert languagetool._ask_identity()[0] == found.version
