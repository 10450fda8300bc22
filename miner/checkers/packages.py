"""Install LingoTweaker's Python packages into the running environment, where there are ready-made ones."""

from __future__ import annotations

import importlib
import platform
import shutil
import subprocess
import sys
from importlib.util import find_spec

from miner.errors import EngineError, EngineMissing

_PACKAGES = ("lingotweaker", "lingotweaker-data-en")


def install_lingotweaker() -> str:
    """Install LingoTweaker with this environment's pip (or uv) unless it is there; return its version.

    Raises
    ------
    EngineMissing
        On a platform without ready-made packages (they exist for Linux x86-64; elsewhere a Rust toolchain is needed).
    EngineError
        If the installer fails; with its last line.
    """
    from miner.checkers.lingotweaker import INFO

    if version := INFO.find():
        return version
    if (platform.system(), platform.machine()) not in (("Linux", "x86_64"), ("Linux", "AMD64")):
        here = f"{platform.system()} {platform.machine()}"
        msg = f"LingoTweaker is ready-made for Linux x86-64 only; this is {here}. Use `miner checkers install languagetool`"
        raise EngineMissing(msg)
    done = subprocess.run([*_installer(), *_PACKAGES], capture_output=True, text=True, check=False)
    importlib.invalidate_caches()
    if done.returncode or not INFO.find():
        last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no message"]
        msg = f"LingoTweaker could not be installed ({last[0]}); check the network and try again"
        raise EngineError(msg)
    return INFO.find()


def _installer() -> list[str]:
    if find_spec("pip"):
        return [sys.executable, "-m", "pip", "install", "--quiet"]
    if uv := shutil.which("uv"):
        return [uv, "pip", "install", "--quiet", "--python", sys.executable]
    msg = f"Neither pip nor uv is in this environment; install these packages in your own way: {' '.join(_PACKAGES)}"
    raise EngineError(msg)
