"""A run that is killed, at any moment, goes on where it was: the same bytes, no orphan process, no stale lock or folder.

MINER_KILLS=20 kills so often at random moments of a run of 2,000 texts (``make bench``); by default a few times, of 300 texts.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

psutil = pytest.importorskip("psutil", reason="looks for orphan processes with psutil")

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="kills by signal")]

KILLS = int(os.environ.get("MINER_KILLS", "1"))
TEXTS = 2_000 if KILLS > 5 else 300
OUTSIDE = ("run.json", "report.html")
Moment = Callable[[float], bool]


@pytest.fixture(scope="module")
def study(tmp_path_factory, root: Path) -> Path:
    folder = tmp_path_factory.mktemp("killed")
    corpus = root / "corpora" / "sample"
    if TEXTS > 1_200:
        corpus = folder / "corpus"
        subprocess.run([sys.executable, "-m", "miner", "simulate", "--out", corpus, "--texts", str(TEXTS)], check=True)
    text = f'name = "killed"\npreset = "trans-env"\nratings = "none"\nlimit = {TEXTS}\n[[corpora]]\npath = "{corpus}"\n'
    path = folder / "study.toml"
    path.write_text(text, encoding="utf-8")
    return path


def command(study: Path, checker: str, folder: Path) -> list[str]:
    options = ["--checker", checker, "--out", str(folder / "out"), "--cache", str(folder / "cache")]
    return [sys.executable, "-m", "miner", "run", str(study), *options]


def killed(line: list[str], moment: Moment) -> bool:
    """Start a run, kill it when the moment has come, and see that nothing of it lives on; False if it was done before."""
    process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
    started, family = time.monotonic(), set()
    while process.poll() is None:
        try:
            family |= set(psutil.Process(process.pid).children(recursive=True))
        except psutil.NoSuchProcess:
            break
        if moment(time.monotonic() - started):
            process.send_signal(signal.SIGKILL)
            break
        time.sleep(0.02)
    _, err = process.communicate()
    _, alive = psutil.wait_procs([p for p in family if p.is_running()], timeout=30)
    assert [p for p in alive if p.status() != psutil.STATUS_ZOMBIE] == []
    assert process.returncode in (0, -signal.SIGKILL), err.decode()
    return process.returncode != 0


def moments(folder: Path, seconds: float) -> list[tuple[str, Moment]]:
    """Return moments by name: random ones, and those in which the store, tables, figures or the report are written."""
    rng = random.Random(7)
    found: list[tuple[str, Moment]] = []
    for _ in range(KILLS):
        at = rng.uniform(0.3, seconds)
        found.append((f"after {at:.2f} s", lambda now, at=at: now >= at))

    def there(pattern: str) -> Moment:
        return lambda _: any(folder.glob(pattern))

    found += [(p, there(p)) for p in ("cache/*wal*", ".out.miner-*/counts.csv", ".out.miner-*/figures/*.svg")]
    return found


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(folder)): p.read_bytes()
        for p in sorted(folder.rglob("*"))
        if p.is_file() and p.name not in OUTSIDE
    }


@pytest.mark.parametrize("checker", ["lingotweaker", "languagetool"])
def test_a_killed_run_goes_on_where_it_was(request, study: Path, checker: str, tmp_path: Path) -> None:
    request.getfixturevalue(checker)  # skips, or fails, where the engine is not there
    whole, part = tmp_path / "whole", tmp_path / "part"
    whole.mkdir()
    part.mkdir()
    started = time.monotonic()
    subprocess.run(command(study, checker, whole), check=True, capture_output=True)
    seconds = time.monotonic() - started
    hits = [name for name, moment in moments(part, seconds) if killed(command(study, checker, part), moment)]
    assert len(hits) >= 2, hits
    subprocess.run(command(study, checker, part), check=True, capture_output=True)
    assert files(part / "out") == files(whole / "out")
    assert [p.name for p in part.iterdir() if p.name not in ("out", "cache")] == []
