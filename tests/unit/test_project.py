"""The project around the code: environments, lock, docs and imports keep what they promise."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml


def _project(root: Path) -> dict:
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def _plain(requirement: str) -> str:
    return re.sub(r"\s+", "", requirement.replace('"', "'"))


def test_the_conda_environment_equals_pyproject(root: Path) -> None:
    project = _project(root)
    extras = project["optional-dependencies"]
    wanted = {_plain(d) for d in [*project["dependencies"], *extras["languagetool"], *extras["notebooks"]]}
    listed = yaml.safe_load((root / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    pip = next(d["pip"] for d in listed if isinstance(d, dict))
    conda = [d for d in listed if isinstance(d, str)]
    found = {_plain(d) for d in [*conda, *pip]} - {"pip", "-e.", f"python{project['requires-python']}"}
    assert found == wanted
    assert f"python{project['requires-python']}" in conda


def test_the_lock_has_hashes_for_every_requirement_and_no_urls(root: Path) -> None:
    lock = (root / "requirements" / "lock.txt").read_text(encoding="utf-8")
    assert "://" not in lock
    pinned = {line.split("==")[0].lower() for line in lock.splitlines() if "==" in line and not line.startswith(" ")}
    blocks = re.split(r"\n(?=\S)", lock.strip())
    assert all("--hash=sha256:" in b for b in blocks if not b.startswith("#"))
    project = _project(root)
    wanted = [*project["dependencies"], *(d for e in project["optional-dependencies"].values() for d in e)]
    names = {re.split(r"[<>=;\s\[]", w, maxsplit=1)[0].lower() for w in wanted}
    assert names <= pinned


def test_the_page_of_tables_is_made_from_the_contracts(root: Path) -> None:
    sys.path.insert(0, str(root / "scripts"))
    try:
        import make_table_docs
    finally:
        sys.path.pop(0)
    assert (root / "docs" / "tables.md").read_text(encoding="utf-8") == make_table_docs.render()


#: The layers of the architecture, bottom first; a room imports only rooms of lower layers (see docs/architecture.md).
LAYERS = (
    {"errors"},
    {"ledger", "processes", "signature", "tables"},
    {"store", "text"},
    {"corpora", "checkers", "categories", "features", "stats"},
    {"learner", "dialect"},
    {"evaluate", "export", "plots", "report", "simulate"},
    {"run"},
    {"commands"},
)


def _imports(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("miner."):
            names.add(node.module.split(".")[1])
        elif isinstance(node, ast.Import):
            names |= {a.name.split(".")[1] for a in node.names if a.name.startswith("miner.")}
    return names


def test_imports_point_one_way(root: Path) -> None:
    level = {room: i for i, rooms in enumerate(LAYERS) for room in rooms}
    wrong = []
    for path in sorted((root / "miner").rglob("*.py")):
        room = path.relative_to(root / "miner").parts[0].removesuffix(".py")
        if room in ("__init__", "__main__", "data"):
            continue
        wrong += [
            f"{path.relative_to(root)} imports {i}"
            for i in sorted(_imports(path))
            if i != room and level[i] >= level[room]
        ]
    assert wrong == []


def test_every_room_stands_in_the_layers(root: Path) -> None:
    rooms = {p.stem for p in (root / "miner").iterdir() if p.suffix == ".py" or any(p.glob("*.py"))}
    assert rooms - {"__init__", "__main__"} <= set().union(*LAYERS)


def test_only_commands_print_or_exit(root: Path) -> None:
    wrong = []
    for path in sorted((root / "miner").rglob("*.py")):
        if path.is_relative_to(root / "miner" / "commands") or path.name in ("__main__.py", "guard.py", "nursery.py"):
            continue  # guard.py and nursery.py run as processes of their own
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in (
                "print",
                "sys.exit",
                "exit",
                "sys.stdout.write",
                "os._exit",
            ):
                wrong.append(f"{path.relative_to(root)}:{node.lineno}")
    assert wrong == []


def test_one_adapter_alone_imports_the_gpl_package(root: Path) -> None:
    users = [
        p.relative_to(root / "miner").as_posix()
        for p in sorted((root / "miner").rglob("*.py"))
        if re.search(r"^\s*(import|from) language_tool_python", p.read_text(encoding="utf-8"), re.M)
    ]
    assert users == ["checkers/languagetool.py"]


@pytest.mark.parametrize("args", [["--help"], ["--version"]])
def test_help_loads_nothing_heavy(args: list[str]) -> None:
    code = f"import sys\nfrom miner.commands import main\ntry:\n    main({args!r})\nexcept SystemExit as e:\n    assert e.code == 0\nheavy = {{'numpy', 'pandas', 'matplotlib', 'sklearn', 'scipy', 'requests'}} & set(sys.modules)\nassert not heavy, heavy"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_readme_and_docs_name_every_command(root: Path) -> None:
    from miner.commands import command_names

    text = (root / "README.md").read_text(encoding="utf-8") + "".join(
        p.read_text(encoding="utf-8") for p in (root / "docs").glob("*.md")
    )
    assert [n for n in command_names() if f"miner {n}" not in text] == []


def test_commands_explain_themselves_with_an_example() -> None:
    from miner.commands import build_parser, command_names

    subparsers = next(a for a in build_parser()._actions if hasattr(a, "choices") and a.choices)
    for name in command_names():
        text = subparsers.choices[name].format_help()
        assert f"miner {name}" in text.split("usage:", 1)[1].split("\n\n", 1)[1], f"no example in the help of {name}"
