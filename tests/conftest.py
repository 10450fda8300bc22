"""Fixtures that all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def missing(reason: str, *, required: str) -> None:
    """Skip with the reason; fail instead where the environment says that nothing may be missing."""
    if os.environ.get(required) == "1":
        pytest.fail(f"{reason} ({required}=1 forbids to skip)")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def root() -> Path:
    """The project folder."""
    return ROOT


@pytest.fixture(scope="session")
def cases() -> Path:
    """Small hard inputs with right values."""
    return ROOT / "tests" / "cases"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real corpora that are read in place and never copied."""
    folder = Path(os.environ.get("MINER_SHARED_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        missing("the real corpora are not on this machine (set MINER_SHARED_DATA)", required="MINER_REQUIRE_DATA")
    return folder
