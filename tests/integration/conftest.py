"""Real engines, started once; where one is missing its tests are skipped with the reason.

MINER_REQUIRE_ENGINES=1 makes a missing LanguageTool a failure; LingoTweaker does not exist for every platform.
"""

from __future__ import annotations

import os
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
    """The bundled study, run once."""
    out = tmp_path_factory.mktemp("runs") / "sample"
    cache = tmp_path_factory.mktemp("cache")
    assert main(["run", str(root / "corpora/sample/study.toml"), "--out", str(out), "--cache", str(cache)]) == 0
    return out
