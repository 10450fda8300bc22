"""miner compare and validate on a small corpus with its own annotation (no checker needed)."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from miner.commands import main

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "unit"))
from simulated_counts import simulate_counts

from miner import tables
from miner.learner import get_preset, select_l1, test_l1
from miner.signature import Signature


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


def _corpus(path, *, band=lambda k: "AB"[k // 4 % 2], prompt=lambda _: "p", l1s=("zh", "ja", "de", "fr"), texts=64):
    # A corpus of original and corrected texts: Chinese and Japanese writers leave the article out more often.
    rng = np.random.default_rng(3)
    rows = []
    for k in range(texts):
        l1 = l1s[k % len(l1s)]
        lost = rng.random(4) < (0.8 if l1 in ("zh", "ja") else 0.2)
        pairs = [("I saw dog." if x else "I saw the dog.", "I saw the dog.") for x in lost]
        original, corrected = (" ".join(p[i] for p in pairs) for i in (0, 1))
        rows.append(
            (f"w{k}", f"{original} It was day {k}.", f"{corrected} It was day {k}.", l1, f"{band(k)}1", prompt(k))
        )
    names = ["learner", "original", "corrected", "l1", "cefr", "prompt"]
    pd.DataFrame(rows, columns=names).to_csv(path, index=False)
    roles = ["--l1", "l1", "--cefr", "cefr", "--learner", "learner", "--prompt", "prompt"]
    return [str(path), "--format", "pairs", *roles, "--source", "gold", "--preset", "welch"]


def test_groups_by_name_and_by_code(tmp_path, capsys):
    corpus = _corpus(tmp_path / "c.csv")
    assert main(["compare", *corpus, "--target", "article-less", "--reference", "germanic,fr", "--show", "csv"]) == 0
    told = capsys.readouterr()
    assert "ja+zh,A," in told.out or "zh+ja,A," in told.out
    assert main(["compare", *corpus, "--target", "romanze"]) == 1
    assert "did you mean 'romance'" in capsys.readouterr().err
    assert main(["compare", *corpus, "--target", "turkic"]) == 1
    assert "no L1 of the group turkic" in capsys.readouterr().err


def test_levels_are_called_cross_sectional_and_account_for_texts(tmp_path, capsys):
    corpus = _corpus(tmp_path / "c.csv", prompt=lambda k: "own" if 4 <= k < 8 else "p")
    assert main(["compare", *corpus, "--levels", "A,B", "--out", str(tmp_path / "out")]) == 0
    told = capsys.readouterr().err
    assert "Cross-sectional" in told
    assert "left out at compare levels: 4 texts: on a prompt of one level only" in told
    run = json.loads((tmp_path / "out" / "run.json").read_text(encoding="utf-8"))
    assert run["design"] == "cross-sectional"
    assert main(["compare", *corpus, "--interaction", "A,B"]) == 0
    assert "Cross-sectional" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--levels", "B,A"], "the lower one first"),
        (["--levels", "A,C"], "there are none of 'C'"),
        (["--levels", "A,B", "--only", "article-less"], "--only names one L1"),
        (["--levels", "A,B", "--reference", "de"], "--reference belongs to --target"),
        (["--target", "zh", "--only", "de"], "--only belongs to --levels"),
        (["--interaction", "A,C"], "needs texts of bands A and C"),
    ],
)
def test_what_cannot_be_compared_is_told(options, message, tmp_path, capsys):
    assert main(["compare", *_corpus(tmp_path / "c.csv"), *options]) == 1
    assert message in capsys.readouterr().err


def test_levels_with_prompts_of_their_own_are_refused(tmp_path, capsys):
    corpus = _corpus(tmp_path / "c.csv", prompt=lambda k: "AB"[k // 4 % 2])
    assert main(["compare", *corpus, "--levels", "A,B"]) == 1
    assert "Each prompt belongs to one level only" in capsys.readouterr().err


def test_levels_of_other_l1s_do_not_differ_for_that():
    # Level B holds more writers of the L1 that makes more errors at either level: within L1s the levels do not differ.
    from learner_frames import counts, units

    from miner.evaluate import compare_levels
    from miner.learner import Counts
    from miner.ledger import Ledger

    rng, rows, cells = np.random.default_rng(3), [], []
    for l1, band, n in (("zh", "A", 30), ("zh", "B", 120), ("de", "A", 120), ("de", "B", 30)):
        for k in range(n):
            name = f"{l1}{band}{k:03}"
            rows.append((name, name, l1, band, 300, "p"))
            cells.append((name, "X", int(rng.poisson(9 if l1 == "zh" else 3))))
    counted = Counts(counts(cells), units(rows), Ledger("count", "texts"))
    recipe = get_preset("robust", permutations=199, stability_pairs=0)
    tested = compare_levels(counted, preset=recipe)
    assert tested["strata"].tolist() == ["prompt"]
    assert abs(tested["log_ratio"].iloc[0]) < 0.15  # the ratio of means is 2: log .69
    assert tested["rate_target"].iloc[0] > 1.5 * tested["rate_reference"].iloc[0]


def test_an_l1_with_few_learners_at_a_level_has_no_interaction():
    from miner.evaluate import level_interaction
    from miner.learner import Counts

    counted, _ = simulate_counts(4, learners=20, l1s=3, features=4, ratio=2.0)
    units = counted.units
    gone = (units["l1"] == "l0") & (units["band"] == "B") & (units.groupby(["l1", "band"]).cumcount() > 0)
    table = level_interaction(Counts(counted.counts, units[~gone], counted.ledger), preset="welch")
    own = table[table["l1"] == "l0"]
    assert set(own["units_high"]) == {1}
    assert set(own["reason"]) == {"fewer than 2 units at a level"}
    assert own[["p", "q", "ci_low"]].isna().all(axis=None)
    assert (table.loc[table["reason"] == "", "m"] == table["p"].notna().sum()).all()


def _signed(folder, preset, corpus):
    signature = str(Signature.of("l1", corpus=corpus, preset=preset, test="welch"))
    (folder / "l1_tests.json").write_text(json.dumps({"signature": signature}), encoding="utf-8")


def test_runs_must_be_made_alike_and_of_different_corpora(tmp_path, runs, capsys):
    copies = []
    for k, run in enumerate(runs):
        copies.append(tmp_path / str(k))
        shutil.copytree(run, copies[-1])
        _signed(copies[-1], "robust" if k else "welch", f"c{k}")
    assert main(["compare", "--runs", *map(str, copies)]) == 1
    assert "different recipes" in capsys.readouterr().err
    for copy in copies:
        _signed(copy, "welch", "one#1234")
    assert main(["compare", "--runs", *map(str, copies)]) == 1
    assert "one#1234 is in several of the runs" in capsys.readouterr().err
    (copies[0] / "l1_tests.json").write_text("[]", encoding="utf-8")
    assert main(["compare", "--runs", *map(str, copies)]) == 1
    assert "holds no signature" in capsys.readouterr().err


def test_four_runs_get_random_effects_and_a_prediction_interval(tmp_path, capsys):
    folders = []
    for seed in range(4):
        counted, _ = simulate_counts(seed, learners=12, ratio=1.0, bands=("B",), features=3, l1s=3)
        tests = test_l1(counted.counts, counted.units, preset=get_preset("robust", permutations=99, stability_pairs=0))
        folders.append(tmp_path / str(seed))
        folders[-1].mkdir()
        tests.to_parquet(folders[-1] / "l1_tests.parquet")
    assert main(["compare", "--runs", *map(str, folders[:3])]) == 0
    assert "Fewer than four corpora" in capsys.readouterr().err
    assert main(["compare", "--runs", *map(str, folders), "--out", str(tmp_path / "out")]) == 0
    table = pd.read_csv(tmp_path / "out" / "corpora_comparison.csv")
    assert table["mean"].notna().all()
    assert (table["predicted_low"] <= table["ci_low"]).all()


def test_published_lists_are_compared_by_their_labels_and_keys(tmp_path, runs, capsys):
    published, own = tmp_path / "list.csv", tmp_path / "own.csv"
    pd.DataFrame(
        {
            "l1": ["Chinese-Mandarin", "Chinese-Mandarin", "Chinese-Mandarin", "German"],
            "level": "AB",
            "rank": [1, 2, 3, 1],
            "feature": ["Double negation", "DOUBLE_NEGATIVE", "no such label", "Double negation"],
        }
    ).to_csv(published, index=False)
    pd.DataFrame({"l1": ["zh"], "cefr": ["B"], "rank": [1], "feature": ["DOUBLE_NEGATION"]}).to_csv(own, index=False)
    assert main(["diff", str(published), str(own), "--show", "csv"]) == 3
    told = capsys.readouterr()
    assert "zh,AB,lost,no such label" in told.out
    assert "DOUBLE_NEGATION" not in told.out.replace("de,AB,lost,DOUBLE_NEGATION", "")
    assert "4 rows: L1 by name" in told.err
    assert "1 rows: named twice" in told.err
    assert "L1s that the other has nothing of: de" in told.err
    (tmp_path / "x.csv").write_text("a,b\n1,2,3\n4,5,6,7,8\n", encoding="utf-8")
    assert main(["diff", str(own), str(tmp_path / "x.csv")]) == 1
    assert "cannot be read as a table" in capsys.readouterr().err
