"""Real engines, started once; where one is missing its tests are skipped with the reason.

MINER_REQUIRE_ENGINES=1 makes a missing LanguageTool a failure; LingoTweaker does not exist for every platform.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from miner.checkers import Checker, open_checker
from miner.commands import main
from miner.errors import EngineMissing


def _open(name: str) -> Checker:
    try:
        return open_checker(name)
    except EngineMissing as err:
        if name == "languagetool" and os.environ.get("MINER_REQUIRE_ENGINES") == "1":
            pytest.fail(f"{err} (MINER_REQUIRE_ENGINES=1 forbids to skip)")
        pytest.skip(str(err))


@pytest.fixture(scope="session")
def lingotweaker() -> Iterator[Checker]:
    """The LingoTweaker engine."""
    with _open("lingotweaker") as checker:
        yield checker


@pytest.fixture(scope="session")
def languagetool() -> Iterator[Checker]:
    """A LanguageTool server of this test run."""
    with _open("languagetool") as checker:
        yield checker


@pytest.fixture(params=["lingotweaker", "languagetool"])
def engine(request) -> Checker:
    """Each engine in turn."""
    checker: Checker = request.getfixturevalue(request.param)
    return checker


@pytest.fixture(scope="session")
def sample_run(tmp_path_factory, root: Path) -> Path:
    """The bundled study, run once, whatever the number of test workers."""
    base = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        base = base.parent
    out, lock = base / "sample-run", base / "sample-run.lock"
    try:
        lock.touch(exist_ok=False)
    except FileExistsError:
        for _ in range(3000):
            if (out / "run.json").exists() or (base / "sample-run.failed").exists():
                break
            time.sleep(0.2)
        assert (out / "run.json").exists(), "the run of the sample failed in another test worker"
        return out
    study = str(root / "corpora/sample/study.toml")
    code = main(["run", study, "--out", str(out), "--cache", str(base / "sample-cache")])
    if code != 0:
        (base / "sample-run.failed").touch()
    assert code == 0
    return out
