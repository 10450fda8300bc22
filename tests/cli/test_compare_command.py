"""miner compare and validate on a small corpus with its own annotation (no checker needed)."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from miner.commands import main

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from simulated_counts import simulate_counts

from miner import tables
from miner.learner import select_l1, test_l1


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folders = []
    for seed in (1, 2):
        counted, _ = simulate_counts(seed, learners=20, ratio=3.0, bands=("B",), features=6)
        tests = test_l1(counted.counts, counted.units, preset="welch")
        folder = tmp_path_factory.mktemp(f"run{seed}")
        tests.to_parquet(folder / "l1_tests.parquet")
        select_l1(tests, "welch").to_parquet(folder / "l1_inventory.parquet")
        folders.append(folder)
    return folders


def test_runs_are_compared(runs, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["compare", "--runs", *map(str, runs), "--out", str(out)]) == 0
    table = pd.read_parquet(out / "corpora_comparison.parquet")
    assert set(table["corpora"]) == {2}
    assert table.columns.tolist() == tables.CORPORA_COMPARISON.names
    assert "30 comparisons" in capsys.readouterr().err


@pytest.mark.parametrize("args", [[], ["--runs", "x", "--target", "fr"], ["corpus.csv"], ["--levels", "A,B"]])
def test_one_comparison_at_a_time(args, capsys):
    assert main(["compare", *args]) == 1
    assert "One comparison at a time" in capsys.readouterr().err


def test_folder_without_tests_is_refused(tmp_path, capsys):
    assert main(["compare", "--runs", str(tmp_path), str(tmp_path)]) == 1
    assert "holds no l1_tests" in capsys.readouterr().err


def test_gold_without_annotation_is_refused(tmp_path, capsys):
    corpus = tmp_path / "corpus.csv"
    rng = np.random.default_rng(0)
    rows = [(f"A day {k} at the lake was nice.", ("fr", "de")[k % 2], "B1") for k in rng.permutation(8)]
    pd.DataFrame(rows, columns=["text", "l1", "cefr"]).to_csv(corpus, index=False)
    options = ["--text", "text", "--l1", "l1", "--cefr", "cefr", "--source", "gold"]
    assert main(["validate", str(corpus), *options]) == 1
    assert "no annotation to count" in capsys.readouterr().err
