"""A LanguageTool server on this machine as a child process that ends with the run, and where its files are."""

from __future__ import annotations

import importlib.resources
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from miner.checkers import guard, limits
from miner.checkers.provision import HOW, JAR, LT_VERSION, is_installed, java_command, languagetool_folder
from miner.errors import EngineError, EngineMissing

_START_SECONDS = 180
_END_SECONDS = 15
_BUSY_SECONDS = 20
#: The parallel collector needs 4 % less processor time here than Java's default (paired batches of real learner texts).
_JAVA_OPTIONS = (
    f"-Xmx{limits.MEMORY_BYTES >> 20}m",
    "-XX:+UseParallelGC",
    "-XX:+ExitOnOutOfMemoryError",
    "-Dfile.encoding=UTF-8",
)
_JARS = (JAR, "LanguageTool.jar", "languagetool.jar")
_NEW_PROCESS_GROUP = 0x200
_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # this machine is never behind a proxy


@dataclass(frozen=True)
class Installation:
    """A LanguageTool on disk: its server jar, its version as the folder's name tells it, and who put it there."""

    jar: Path
    version: str
    source: str


def find_installation() -> Installation | None:
    """Return the LanguageTool to start, or None.

    Looked for in language-tool-python's order, miner's own after what the environment names: the folder
    ``LTP_JAR_DIR_PATH``; ``LanguageTool-VERSION`` in ``LTP_PATH``; miner's; language-tool-python's default folder.

    Raises
    ------
    EngineError
        If ``LTP_JAR_DIR_PATH`` is set and there is no LanguageTool in it.
    """
    if given := os.environ.get("LTP_JAR_DIR_PATH"):
        found = _in_folder(Path(given), "LTP_JAR_DIR_PATH")
        if found is None:
            msg = f"LTP_JAR_DIR_PATH is {given!r}, a folder without {JAR}; correct or unset it"
            raise EngineError(msg)
        return found
    if (given := os.environ.get("LTP_PATH")) and (found := _newest(Path(given), "LTP_PATH")):
        return found
    if is_installed():
        return Installation(languagetool_folder() / JAR, LT_VERSION, "miner")
    return _newest(Path.home() / ".cache" / "language_tool_python", "language-tool-python")


def _newest(parent: Path, source: str) -> Installation | None:
    # The version that miner was made for first, else the highest.
    folders = [f for f in parent.glob("LanguageTool-*") if f.is_dir()] if parent.is_dir() else []
    folders.sort(key=lambda f: (f.name == f"LanguageTool-{LT_VERSION}", _numbers(f.name)), reverse=True)
    return next((found for f in folders if (found := _in_folder(f, source))), None)


def _numbers(name: str) -> list[int]:
    return [int(n) for n in re.findall(r"\d+", name)]


def _in_folder(folder: Path, source: str) -> Installation | None:
    jar = next((folder / name for name in _JARS if (folder / name).is_file()), None)
    version = folder.name.removeprefix("LanguageTool-") if folder.name.startswith("LanguageTool-") else "unknown"
    return Installation(jar, version, source) if jar else None


def require_installation() -> Installation:
    """Return the LanguageTool to start.

    Raises
    ------
    EngineMissing
        If there is none; the message says how to install it.
    """
    installation = find_installation()
    if installation is None:
        msg = f"LanguageTool is not installed on this machine; install it: {HOW}"
        raise EngineMissing(msg)
    return installation


class LocalServer:
    """A LanguageTool server that lives from :meth:`start` to :meth:`close`, and no longer than this process.

    Raises
    ------
    EngineMissing
        If there is no Java.
    """

    def __init__(self, installation: Installation) -> None:
        self._jar = installation.jar
        self._java = java_command()
        self._process: subprocess.Popen[bytes] | None = None
        self.url = ""

    @property
    def started(self) -> bool:
        """Whether there is a server, be it alive or dead."""
        return self._process is not None

    def start(self) -> None:
        """Start the server (again) on a free port and wait until it answers.

        Raises
        ------
        EngineError
            If it does not come up; with the last lines that it printed.
        """
        for _ in range(3):
            self.close()
            port = _free_port()
            self.url = f"http://127.0.0.1:{port}"
            self._process = _start_guarded(self._command(port))
            problem = self._wait()
            if not problem:
                return
        msg = f"LanguageTool did not start with {self._java}: {problem}"
        raise EngineError(msg)

    def is_well(self) -> bool:
        """Tell whether the server runs and answers."""
        return self._runs() and _answers(f"{self.url}/v2/healthcheck", seconds=_BUSY_SECONDS)

    def close(self) -> None:
        """End the server; returns when it is gone."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin:
            process.stdin.close()
        try:
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        finally:
            if process.stderr:
                process.stderr.close()

    def _command(self, port: int) -> list[str]:
        settings = importlib.resources.files("miner") / "data" / "languagetool-server.properties"
        server = ["org.languagetool.server.HTTPServer", "--port", str(port), "--config", str(settings)]
        return [self._java, *_JAVA_OPTIONS, "-cp", str(self._jar), *server]

    def _runs(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _wait(self) -> str:
        until = time.monotonic() + _START_SECONDS
        try:
            while time.monotonic() < until:
                if not self._runs():
                    return self._last_words()
                if _answers(f"{self.url}/v2/healthcheck"):
                    return ""
                time.sleep(0.1)
        except BaseException:
            self.close()
            raise
        self.close()
        return f"no answer within {_START_SECONDS} seconds"

    def _last_words(self) -> str:
        stream = self._process.stderr if self._process else None
        words = stream.read().decode("utf-8", "replace").strip() if stream else ""
        return words.splitlines()[-1] if words else "it ended at once, without a message"


def _start_guarded(command: list[str]) -> subprocess.Popen[bytes]:
    # A session of its own: Ctrl-C on the terminal reaches this process, which then ends the server in good order.
    windows = sys.platform == "win32"
    return subprocess.Popen(
        [sys.executable, "-I", "-S", guard.__file__, *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=not windows,
        creationflags=_NEW_PROCESS_GROUP if windows else 0,
    )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answers(url: str, *, seconds: float = 2) -> bool:
    try:
        with _DIRECT.open(url, timeout=seconds) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False
