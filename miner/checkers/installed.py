"""Which LanguageTool is on disk: its version and a hash of its files, without starting it.

miner's own installation has a record of the SHA-256 of its files. Of any other one the files are read, once: the hash
is kept in a small file of miner's home folder, under a hash of the files' paths, sizes and times.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import zipfile
from pathlib import Path
from typing import Any

from miner.checkers.local_server import Installation
from miner.checkers.provision import RECORD, miner_home

_REMEMBERED = "languagetool-installations.json"
_MOST = 20
_UNKNOWN = "unknown"


def version_and_digest(installation: Installation) -> tuple[str, str]:
    """Return the version of an installation (or ``"unknown"``) and a hash of what is in it, 32 hexadecimal digits.

    The hash is the same wherever the installation lies and whenever it was copied there.
    """
    folder = installation.jar.parent
    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        return str(record["version"]), _digest(sorted(f"{j['path']} {j['sha256']}" for j in record["jars"]))
    except (OSError, ValueError, KeyError, TypeError):
        pass
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    stats = [(p.relative_to(folder).as_posix(), p.stat()) for p in files]
    key = _digest([str(folder.resolve()), *(f"{name} {s.st_size} {s.st_mtime_ns}" for name, s in stats)])
    remembered = _remembered()
    if key not in remembered:
        version = installation.version if installation.version != _UNKNOWN else _version_inside(files)
        content = [f"{name} {_sha256(path)}" for (name, _), path in zip(stats, files, strict=True)]
        remembered[key] = [version, _digest(content)]
        _remember(remembered)
    version, digest = remembered[key]
    return str(version), str(digest)


def _digest(lines: list[str]) -> str:
    return hashlib.blake2b("\n".join(lines).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _version_inside(files: list[Path]) -> str:
    # LanguageTool's core says which version it was built as.
    for path in files:
        if re.fullmatch(r"languagetool(-core.*|-server|-standalone.*)?\.jar", path.name, re.IGNORECASE):
            try:
                with zipfile.ZipFile(path) as jar:
                    said = jar.read("git.properties").decode("utf-8", "replace")
            except (OSError, KeyError, zipfile.BadZipFile):
                continue
            if found := re.search(r"^git\.build\.version=(\S+)", said, re.MULTILINE):
                return found[1]
    return _UNKNOWN


def _remembered() -> dict[str, Any]:
    try:
        known = json.loads((miner_home() / _REMEMBERED).read_text(encoding="utf-8"))
        return {k: v for k, v in known.items() if len(v) == 2}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}


def _remember(known: dict[str, Any]) -> None:
    path = miner_home() / _REMEMBERED
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(json.dumps(dict(list(known.items())[-_MOST:]), indent=1) + "\n", encoding="utf-8")
        temporary.replace(path)
    except OSError:
        pass  # it is read again next time
