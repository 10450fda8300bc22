"""Resolve LanguageTool's jars from its Maven coordinates and write the list that `miner checkers install` follows.

    python scripts/lock_languagetool.py 6.8 [FOLDER]

Needs the network. Versions of the transitive jars are those that Maven's rules give (jgo's resolver); each file's size
and SHA-256 are recorded, so that every machine gets the same bytes. FOLDER keeps the downloaded repository.
"""

from __future__ import annotations

import hashlib
import logging
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from jgo.maven import MavenContext, PythonResolver

ROOT = Path(__file__).resolve().parents[1]


def lock(version: str, folder: Path) -> list[str]:
    context = MavenContext(resolver=PythonResolver(), repo_cache=folder, local_repos=[], timeout=60)
    wanted = [
        context.create_dependency(f"org.languagetool:{artifact}:{version}")
        for artifact in ("languagetool-server", "language-en")
    ]
    inputs, transitive = context.resolver.resolve(wanted)
    artifacts = {}
    for dependency in [*inputs, *transitive]:
        parts = [dependency.groupId, dependency.artifactId, dependency.version, dependency.classifier]
        artifacts[":".join(p for p in parts if p)] = dependency.artifact
    with ThreadPoolExecutor(6) as pool:
        paths = list(pool.map(lambda name: artifacts[name].resolve(), sorted(artifacts)))
    rows = []
    for name, path in zip(sorted(artifacts), paths, strict=True):
        data = path.read_bytes()
        rows.append(f"{name}\t{len(data)}\t{hashlib.sha256(data).hexdigest()}")
    return rows


def main() -> None:
    logging.basicConfig(level=logging.WARNING)  # jgo warns where a file differs from the repository's own SHA-1
    version = sys.argv[1] if len(sys.argv) > 1 else "6.8"
    with tempfile.TemporaryDirectory() as temporary:
        rows = lock(version, Path(sys.argv[2] if len(sys.argv) > 2 else temporary))
    target = ROOT / "miner" / "data" / f"languagetool-{version}.tsv"
    target.write_text("artifact\tbytes\tsha256\n" + "\n".join(rows) + "\n", encoding="utf-8")
    print(f"{target}: {len(rows)} jars")


if __name__ == "__main__":
    main()
