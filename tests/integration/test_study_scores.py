"""A study's scores: the contract's tables with signatures and accounts, pictures per series, and refusals."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from miner.commands import main
from miner.errors import EmptyInput, OptionError
from miner.run.job import run_study
from miner.run.study import read_study

HEAD = 'corpora = []\n[dialects]\nstarts = 20\n[distances]\nmetrics = ["manhattan"]\n'
SCORES = "variety,score\nScE,80\nWelE,70\nIrE,60\nManxE,65\nNowhere,1\n"
L1_SCORES = "l1,score\nGerman,75\nes,79\nru,74\nja,70\nxx,1\n"


def run(folder, distances, *, head=HEAD, out="out"):
    (folder / "s.toml").write_text(head + distances, encoding="utf-8")
    return run_study(read_study(folder / "s.toml"), folder / out)


@pytest.fixture
def written(tmp_path):
    (tmp_path / "p.csv").write_text(SCORES, encoding="utf-8")
    (tmp_path / "d.csv").write_text(L1_SCORES, encoding="utf-8")
    run(tmp_path, 'performance = "p.csv"\ndifficulty = "d.csv"\n')
    return tmp_path


def test_tables_have_all_their_files_and_accounts_name_every_score(written):
    out = written / "out"
    for name in ("performance", "influence", "difficulty", "difficulty_points"):
        assert {s for s in ("csv", "parquet", "json") if (out / f"{name}.{s}").is_file()} == {"csv", "parquet", "json"}
        signature = json.loads((out / f"{name}.json").read_text(encoding="utf-8"))["signature"]
        assert signature.startswith("difficulty|" if "difficulty" in name else "distance|ratings:ewave-3.0#")
    assert not (out / "performance_points.csv").exists()
    accounts = json.loads((out / "run.json").read_text(encoding="utf-8"))["accounts"]
    by_step = {a["step"]: (a["read"], a["kept"], a.get("places")) for a in accounts}
    assert by_step["performance"] == (5, 4, {"not a variety of the ratings": ["Nowhere"]})
    assert by_step["difficulty"] == (5, 4, {"L1 without a DLIFLC category": ["xx"]})
    assert {p.name for p in (out / "figures").iterdir()} >= {"performance.svg", "difficulty.svg"}


def test_the_study_writes_what_the_distance_command_writes(written):
    arguments = ["--metric", "manhattan", "--encoding", "trans-env", "--scores", str(written / "p.csv")]
    assert main(["distance", *arguments, "--resamples", "0", "--no-figures", "--out", str(written / "d")]) == 0
    for name in ("performance", "influence"):
        assert (written / "out" / f"{name}.csv").read_bytes() == (written / "d" / f"{name}.csv").read_bytes()


def test_series_are_told_apart(tmp_path):
    rows = [f"{v},{m},{s}" for m in ("a", "b") for s, v in enumerate(["ScE", "WelE", "IrE", "ManxE"])]
    (tmp_path / "p.csv").write_text("variety,model,score\n" + "\n".join(rows) + "\n", encoding="utf-8")
    run(tmp_path, 'performance = "p.csv"\nby = ["model"]\n')
    assert pd.read_csv(tmp_path / "out" / "performance.csv")["series"].tolist() == ["a", "all", "b"]
    pictures = {p.name for p in (tmp_path / "out" / "figures").iterdir()}
    assert {"performance_1.svg", "performance_2.svg"} <= pictures


@pytest.mark.parametrize(
    ("file", "text", "part"),
    [
        ("performance", "variety,score\nFoo,3\n", "None of the 1 varieties of p.csv is in the ratings: 'Foo'"),
        ("performance", "variety,score\nCollAmE,3\n", "the reference point"),
        ("difficulty", "l1,score\nxx,3\n", "None of the 1 scores of p.csv can be used: 1 L1 without a DLIFLC category"),
    ],
)
def test_scores_that_leave_nothing_stop_the_study(tmp_path, file, text, part):
    (tmp_path / "p.csv").write_text(text, encoding="utf-8")
    with pytest.raises(EmptyInput, match=part):
        run(tmp_path, f'{file} = "p.csv"\n')
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("text", ["ScE,1\n", "ScE,1\nWelE,2\n"])
def test_one_or_two_scores_are_drawn_without_a_line(tmp_path, text):
    (tmp_path / "p.csv").write_text("variety,score\n" + text, encoding="utf-8")
    run(tmp_path, 'performance = "p.csv"\n')
    assert "needs 3" in pd.read_csv(tmp_path / "out" / "performance.csv")["reason"][0]
    assert (tmp_path / "out" / "figures" / "performance.svg").is_file()


def test_performance_needs_ratings(tmp_path):
    from miner.run.folder import OutFolder
    from miner.run.performance import write_scores
    from miner.run.study import DistanceSpec

    with (
        OutFolder(tmp_path / "out", command="run", parameters={}) as folder,
        pytest.raises(OptionError, match="needs ratings"),
    ):
        write_scores(folder, DistanceSpec(performance=tmp_path / "p.csv"), None, None, seed=1)
