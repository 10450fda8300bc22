"""The folder that a command writes: whole or not at all, and never somebody else's."""

from __future__ import annotations

import json
import os

import pytest

from miner.errors import OutputError
from miner.ledger import Ledger
from miner.run.folder import OutFolder, read_run
from miner.signature import Signature
from miner.tables import RATINGS


def _write(out, rating: str = "A", **kwargs) -> None:
    with OutFolder(out, command="test", parameters={"k": 5}, **kwargs) as folder:
        frame = RATINGS.empty()
        frame.loc[0] = ["1", "2", rating]
        folder.table(frame, RATINGS, Signature.of("ratings"))
        ledger = Ledger("read", "cells")
        ledger.keep()
        folder.account(ledger)
        folder.input("ratings", "abc")


def test_tables_have_a_sidecar_and_the_run_its_account(tmp_path) -> None:
    _write(tmp_path / "o", seed=7)
    assert sorted(p.name for p in (tmp_path / "o").iterdir()) == [
        "ratings.csv",
        "ratings.json",
        "ratings.parquet",
        "run.json",
    ]
    run = read_run(tmp_path / "o")
    assert run["accounts"] == [{"step": "read", "unit": "cells", "read": 1, "kept": 1, "dropped": {}}]
    assert run["seed"] == 7
    sidecar = json.loads((tmp_path / "o" / "ratings.json").read_text())
    assert sidecar["signature"].startswith("ratings|")
    assert sidecar["parameters"] == {"k": 5}
    assert sidecar["inputs"] == {"ratings": "abc"}
    assert [c["name"] for c in sidecar["columns"]] == RATINGS.names


def test_all_but_run_json_is_the_same_to_the_byte(tmp_path) -> None:
    _write(tmp_path / "a")
    _write(tmp_path / "b")
    names = [p.name for p in (tmp_path / "a").iterdir() if p.name != "run.json"]
    assert all((tmp_path / "a" / n).read_bytes() == (tmp_path / "b" / n).read_bytes() for n in names)


def test_a_rerun_replaces_and_a_failure_leaves_the_old_result(tmp_path) -> None:
    out = tmp_path / "o"
    _write(out)
    _write(out, "B")
    assert "B" in (out / "ratings.csv").read_text()
    with pytest.raises(KeyboardInterrupt), OutFolder(out, command="test", parameters={}) as folder:
        folder.path("half.csv").write_text("x")
        raise KeyboardInterrupt
    assert "B" in (out / "ratings.csv").read_text()
    assert [p.name for p in tmp_path.iterdir()] == ["o"]


@pytest.mark.parametrize("with_run", [False, True])
def test_files_that_miner_did_not_write_are_never_replaced(tmp_path, with_run: bool) -> None:
    out = tmp_path / "o"
    if with_run:
        _write(out)
    else:
        out.mkdir()
    (out / "thesis.txt").write_text("years of work")
    with pytest.raises(OutputError, match="did not write|not written by miner"):
        _write(out)
    assert (out / "thesis.txt").read_text() == "years of work"


def test_a_file_in_the_place_of_the_folder_is_refused_and_an_empty_folder_used(tmp_path) -> None:
    (tmp_path / "f").write_text("x")
    with pytest.raises(OutputError, match="is a file"):
        _write(tmp_path / "f")
    (tmp_path / "e").mkdir()
    _write(tmp_path / "e")
    with pytest.raises(OutputError, match="not a folder that miner wrote"):
        read_run(tmp_path)


def test_what_a_killed_run_left_is_removed_or_restored(tmp_path) -> None:
    out = tmp_path / "o"
    _write(out)
    dead = 2**22 + 1  # above the highest process id of the platforms
    (tmp_path / f".o.miner-{dead}-1").mkdir()
    alive = tmp_path / f".o.miner-{os.getpid()}-1"
    alive.mkdir()
    out.rename(tmp_path / f".o.miner-{dead}-2.old")
    with pytest.raises(KeyError), OutFolder(out, command="test", parameters={}):
        raise KeyError
    assert (out / "ratings.csv").exists()
    assert sorted(p.name for p in tmp_path.iterdir()) == [alive.name, "o"]
