"""miner cache: exit codes, what is shown, and that nothing happens unasked."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from miner.commands import main
from miner.store import open_store
from miner.store.sqlite import SqliteStore


@pytest.fixture
def cache(tmp_path) -> str:
    with open_store(tmp_path / "cache") as store:
        store.put_many("check/hand-1#0123456789abcdef", {f"{i:032x}": b"%d" % i for i in range(30)})
        store.put_many("stage", {f"{i:032x}": b"frame" for i in range(5)})
    return str(tmp_path / "cache")


def _shown(capsys) -> dict[str, int]:
    return {row["namespace"]: row["entries"] for row in json.loads(capsys.readouterr().out)}


def test_info_shows_what_is_there(cache, capsys) -> None:
    assert main(["cache", "info", "--cache", cache, "--show", "json"]) == 0
    told = capsys.readouterr()
    assert "cache.sqlite: " in told.err
    rows = json.loads(told.out)
    assert [(r["namespace"], r["entries"]) for r in rows] == [("check/hand-1#0123456789abcdef", 30), ("stage", 5)]
    assert rows[0]["oldest"] == rows[0]["newest"] > "2025"


@pytest.mark.parametrize("what", ["info", "prune", "verify"])
def test_no_cache_is_told_and_none_is_made(tmp_path, capsys, what) -> None:
    assert main(["cache", what, "--cache", str(tmp_path / "none")]) == 1
    assert "There is no cache in" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


def test_prune_wants_to_know_what(cache, capsys) -> None:
    assert main(["cache", "prune", "--cache", cache]) == 1
    assert "Say what to prune" in capsys.readouterr().err
    assert main(["cache", "prune", "--cache", cache, "--max-size", "much"]) == 1
    assert "such as 500M" in capsys.readouterr().err


def test_prune_shows_first_and_then_drops(cache, capsys) -> None:
    for dry, words in ((["--dry-run"], "would go"), ([], "are gone")):
        assert main(["cache", "prune", "--cache", cache, "--namespace", "stage", "--show", "json", *dry]) == 0
        told = capsys.readouterr()
        assert words in told.err
        assert json.loads(told.out)[0]["entries"] == 5
    main(["cache", "info", "--cache", cache, "--show", "json"])
    assert _shown(capsys) == {"check/hand-1#0123456789abcdef": 30}


def test_prune_drops_checks_by_engines_that_are_not_here(cache, capsys) -> None:
    assert main(["cache", "prune", "--cache", cache, "--other-engines", "--show", "json"]) == 0
    assert _shown(capsys) == {"check/hand-1#0123456789abcdef": 30}
    main(["cache", "info", "--cache", cache, "--show", "json"])
    assert _shown(capsys) == {"stage": 5}


def test_prune_by_age_and_size(cache, capsys) -> None:
    assert main(["cache", "prune", "--cache", cache, "--days", "1", "--max-size", "1K", "--show", "json"]) == 0
    assert _shown(capsys) == {}
    assert main(["cache", "prune", "--cache", cache, "--max-size", "0", "--show", "json"]) == 0
    assert sum(_shown(capsys).values()) == 35


def test_verify_exits_with_three_where_something_is_damaged(cache, capsys) -> None:
    assert main(["cache", "verify", "--cache", cache]) == 0
    assert "35 entries read, 0 damaged" in capsys.readouterr().err
    with SqliteStore(Path(cache)) as store:
        path = store.path
    db = sqlite3.connect(path)
    db.execute("UPDATE entry SET value = x'00ff' WHERE id = 4")
    db.commit()
    db.close()
    assert main(["cache", "verify", "--cache", cache]) == 3
    assert f"damaged: check/hand-1#0123456789abcdef {3:032x}" in capsys.readouterr().err
    assert main(["cache", "verify", "--cache", cache, "--repair"]) == 3
    assert main(["cache", "verify", "--cache", cache]) == 0
    assert "34 entries read" in capsys.readouterr().err


def test_entries_are_carried_to_another_cache(cache, tmp_path, capsys) -> None:
    file, other = str(tmp_path / "e.parquet"), str(tmp_path / "other")
    assert main(["cache", "export", file, "--cache", cache, "--namespace", "check"]) == 0
    assert "30 entries written" in capsys.readouterr().err
    for words in ("30 entries are new", "30 were there already"):
        assert main(["cache", "import", file, "--cache", other]) == 0
        assert words in capsys.readouterr().err
    assert main(["cache", "export", file, "--cache", cache, "--namespace", "parse"]) == 1
    assert "no entries of 'parse'" in capsys.readouterr().err
    Path(file).write_bytes(b"PAR1 no more")
    assert main(["cache", "import", file, "--cache", other]) == 1
    assert "cannot be read as a file of entries" in capsys.readouterr().err
