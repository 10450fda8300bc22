"""Which engine it is, without starting it."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

import pytest

from miner.checkers import choose, identify, open_checker
from miner.checkers.installed import version_and_digest
from miner.checkers.local_server import Installation
from miner.errors import EngineMissing, OptionError


@pytest.fixture
def installation(tmp_path, monkeypatch) -> Installation:
    """A folder such as an unpacked LanguageTool, in a folder whose name tells no version."""
    monkeypatch.setenv("MINER_HOME", str(tmp_path / "home"))
    folder = tmp_path / "lt"
    (folder / "libs").mkdir(parents=True)
    (folder / "languagetool-server.jar").write_bytes(b"jar")
    with zipfile.ZipFile(folder / "libs" / "languagetool-core.jar", "w") as jar:
        jar.writestr("git.properties", "#made by hand\ngit.branch=x\ngit.build.version=6.5\n")
    (folder / "grammar.xml").write_text("<rules/>")
    return Installation(folder / "languagetool-server.jar", "unknown", "LTP_JAR_DIR_PATH")


def _moved(installation: Installation, to: Path) -> Installation:
    installation.jar.parent.rename(to)
    return Installation(to / installation.jar.name, installation.version, installation.source)


def test_the_version_is_read_from_the_jar_and_the_hash_depends_on_content_alone(installation, tmp_path) -> None:
    version, digest = version_and_digest(installation)
    assert version == "6.5"
    moved = _moved(installation, tmp_path / "elsewhere")
    rules = moved.jar.parent / "grammar.xml"
    os.utime(rules, (1, 1))
    assert version_and_digest(moved) == (version, digest)
    rules.write_text("<rulez/>")
    assert version_and_digest(moved)[1] != digest


def test_files_are_read_once(installation, tmp_path, monkeypatch) -> None:
    first = version_and_digest(installation)
    monkeypatch.setattr("miner.checkers.installed._sha256", lambda path: pytest.fail(f"read {path}"))
    assert version_and_digest(installation) == first
    assert [p.name for p in (tmp_path / "home").iterdir()] == ["languagetool-installations.json"]


@pytest.mark.parametrize("remembered", ["", "[]", "{", '{"a": 1}', '{"a": [1]}'])
def test_a_broken_memory_is_no_matter(installation, tmp_path, remembered) -> None:
    first = version_and_digest(installation)
    (tmp_path / "home" / "languagetool-installations.json").write_text(remembered)
    assert version_and_digest(installation) == first


def test_a_home_that_cannot_be_written_is_no_matter(installation, tmp_path, monkeypatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MINER_HOME", str(tmp_path / "file"))
    assert version_and_digest(installation)[0] == "6.5"


def test_a_version_that_nothing_tells_is_unknown(installation) -> None:
    (installation.jar.parent / "libs" / "languagetool-core.jar").write_bytes(b"no zip")
    assert version_and_digest(installation)[0] == "unknown"


def test_miners_own_installation_is_known_by_its_record(installation) -> None:
    record = {"version": "6.8", "jars": [{"path": "a.jar", "bytes": 1, "sha256": "00"}]}
    path = installation.jar.parent / "installed.json"
    path.write_text(json.dumps(record))
    version, digest = version_and_digest(installation)
    assert version == "6.8"
    record["jars"] = [{"path": "a.jar", "bytes": 1, "sha256": "01"}]
    path.write_text(json.dumps(record))
    assert version_and_digest(installation)[1] != digest


@pytest.mark.parametrize("name", ["lingotweaker", "languagetool"])
def test_an_open_checker_is_what_was_told(name) -> None:
    try:
        told = identify(name, language="en-GB")
    except EngineMissing as err:
        pytest.skip(str(err))
    with open_checker(name, language="en-GB") as checker:
        known = (checker.name, checker.engine, checker.version, checker.fingerprint, checker.language)
    assert known == (told.name, told.engine, told.version, told.fingerprint, told.language)
    assert told.name == name


def test_auto_is_told_apart() -> None:
    try:
        chosen = choose()
    except EngineMissing as err:
        pytest.skip(str(err))
    assert identify().name == chosen


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(OptionError, match="'en-US'"):
        identify(language="en-IN")
