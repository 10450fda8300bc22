"""The notebooks run from a clean kernel in their folder, and are kept without outputs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

NOTEBOOKS = ("1_explore_a_corpus.ipynb", "2_regenerate_feature_lists.ipynb", "3_dialect_distances.ipynb")


def _read(root: Path, name: str) -> Any:
    return nbformat.read(root / "notebooks" / name, as_version=4)


def test_all_notebooks_are_tested(root: Path) -> None:
    assert tuple(sorted(p.name for p in (root / "notebooks").glob("*.ipynb"))) == NOTEBOOKS


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebooks_are_kept_clean(root: Path, name: str) -> None:
    notebook = _read(root, name)
    nbformat.validate(notebook)
    code = [c for c in notebook.cells if c.cell_type == "code"]
    assert all(c.outputs == [] and c.execution_count is None for c in code)
    source = "\n".join(c.source for c in notebook.cells)
    assert not re.search(r"miner\._|from miner\.\w+\.|[\"']/(?:home|work|tmp|Users)/", source)
    assert len(notebook.cells) - len(code) >= 5  # it explains itself


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[] if n.startswith("3") else [pytest.mark.engine]) for n in NOTEBOOKS]
)
def test_notebooks_run(root: Path, name: str) -> None:
    from nbclient import NotebookClient

    notebook = _read(root, name)
    resources = {"metadata": {"path": str(root / "notebooks")}}
    NotebookClient(notebook, timeout=600, kernel_name="python3", resources=resources).execute()
    outputs = [o for c in notebook.cells if c.cell_type == "code" for o in c.outputs]
    complaints = [o.text for o in outputs if o.output_type == "stream" and o.name == "stderr"]
    assert complaints == []
    pictures = [o for o in outputs if "image/png" in o.get("data", {})]
    assert len(pictures) == {"1": 0, "2": 3, "3": 5}[name[0]]
    told = "\n".join(str(o.get("text", "")) + str(o.get("data", {}).get("text/plain", "")) for o in outputs)
    assert "Traceback" not in told
