"""The command ``miner simulate``."""

from __future__ import annotations

from pathlib import Path

import pytest

from miner.commands import main
from miner.corpora import read_corpus
from miner.run.folder import read_run
from miner.store.frames import read_csv

FILES = ("README.md", "corpus.toml", "planted.csv", "texts.csv")


def _simulate(out: Path, *options: object) -> int:
    return main(["simulate", "--out", str(out), *map(str, options)])


def test_it_writes_a_corpus_folder_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _simulate(tmp_path / "o", "--texts", 60, "--seed", 3) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "60 simulated texts" in err
    assert sorted(p.name for p in (tmp_path / "o").iterdir()) == sorted(
        [*FILES, "planted.parquet", "planted.json", "run.json"]
    )
    assert read_run(tmp_path / "o")["parameters"] == {"texts": 60, "seed": 3, "words": 100, "dispersion": 4.0}
    run = read_run(tmp_path / "o")
    assert [(a["step"], a["read"], a["kept"]) for a in run["accounts"]] == [("simulate", 60, 60)]
    assert set(run["signatures"]) == {"planted"}
    assert run["signatures"]["planted"].startswith("planted|corpus:simulated-60-3#")
    assert read_corpus(tmp_path / "o").ledger.as_dict()["kept"] == 60


def test_a_rerun_replaces_the_folder_with_the_same_bytes(tmp_path: Path) -> None:
    for out in ("a", "b", "b"):
        assert _simulate(tmp_path / out, "--texts", 60, "--seed", 3) == 0
    for name in (*FILES, "planted.parquet", "planted.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert _simulate(tmp_path / "b", "--texts", 60, "--seed", 4) == 0
    assert (tmp_path / "a/texts.csv").read_bytes() != (tmp_path / "b/texts.csv").read_bytes()


@pytest.mark.parametrize(
    "options",
    [("--null",), ("--learners", 2), ("--words", 60), ("--base", 4), ("--ratio", 3), ("--dispersion", 1)],
)
def test_each_option_changes_the_corpus(tmp_path: Path, options: tuple) -> None:
    assert _simulate(tmp_path / "a", "--texts", 200) == 0
    assert _simulate(tmp_path / "b", "--texts", 200, *options) == 0
    for name in FILES:
        same = (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
        assert not same or name == "corpus.toml", name


def test_null_has_no_planted_row(tmp_path: Path) -> None:
    assert _simulate(tmp_path / "o", "--texts", 40, "--null") == 0
    assert not read_csv(tmp_path / "o/planted.csv")["planted"].any()


def test_a_foreign_folder_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    assert _simulate(tmp_path, "--texts", 40) == 1
    assert "not written by miner" in capsys.readouterr().err
    assert [p.name for p in tmp_path.iterdir()] == ["mine.txt"]


def test_what_cannot_be_simulated_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _simulate(tmp_path / "o", "--texts", 40, "--base", 90) == 1
    assert "lower --base" in capsys.readouterr().err
    assert not (tmp_path / "o").exists()
    with pytest.raises(SystemExit) as end:
        _simulate(tmp_path / "o", "--texts", 0)
    assert end.value.code == 2
