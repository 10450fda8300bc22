"""Damaged run folders end with a message that names the file; runs of earlier versions are still read."""

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
from simulated_counts import simulate_counts

from miner import tables
from miner.learner import get_preset, select_l1, test_l1
from miner.run.folder import OutFolder
from miner.signature import Signature


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folders = []
    for seed in (1, 2):
        counted, _ = simulate_counts(seed, learners=20, ratio=3.0, bands=("B",), features=4, l1s=3)
        recipe = get_preset("welch")
        tests = test_l1(counted.counts, counted.units, preset=recipe)
        assert (tests["status"] == "tested").all()
        folders.append(tmp_path_factory.mktemp("runs") / f"run{seed}")
        signature = Signature.of("l1", corpus=f"c{seed}", preset="welch", test="welch")
        with OutFolder(folders[-1], command="mine", parameters={}) as folder:
            folder.facts(preset=recipe.as_dict())
            for frame, table in (
                (tests, tables.L1_TESTS),
                (select_l1(tests, recipe), tables.L1_INVENTORY),
                (counted.counts, tables.COUNTS),
                (counted.units, tables.UNITS),
            ):
                folder.table(frame, table, signature)
    return folders


@pytest.fixture
def run(written, tmp_path):
    shutil.copytree(written[0], tmp_path / "run")
    return tmp_path / "run"


def asked(run, other):
    row = pd.read_parquet(other / "l1_tests.parquet").iloc[0]
    return {
        "explain": ["explain", str(run), "--l1", row["l1"], "--feature", row["feature"]],
        "diff": ["diff", str(run), str(other)],
        "compare": ["compare", "--runs", str(run), str(other)],
    }


def changed(run, name, change):
    frame = change(pd.read_parquet(run / f"{name}.parquet"))
    frame.to_parquet(run / f"{name}.parquet", index=False)


def cut(run, suffix, size):
    for file in run.glob(f"*.{suffix}"):
        file.write_bytes(file.read_bytes()[: int(size * file.stat().st_size)])


def only_csv(run, size):
    for file in run.glob("*.parquet"):
        file.unlink()
    cut(run, "csv", size)


FILES = {
    "parquet cut short": lambda run: cut(run, "parquet", 0.3),
    "parquet empty": lambda run: cut(run, "parquet", 0),
    "csv cut in a row": lambda run: only_csv(run, 0.5),
    "csv empty": lambda run: only_csv(run, 0),
    "csv without its last row": lambda run: [
        only_csv(run, 1),
        [f.write_bytes(b"".join(f.read_bytes().splitlines(keepends=True)[:-1])) for f in run.glob("*.csv")],
    ],
    "csv without the end of its last row": lambda run: [
        only_csv(run, 1),
        [f.write_bytes(f.read_bytes()[:-3]) for f in run.glob("*.csv")],
    ],
    "rows gone": lambda run: [changed(run, n, lambda f: f.iloc[:0]) for n in ("l1_tests", "l1_inventory")],
    "not text": lambda run: [only_csv(run, 1), [f.write_bytes(b"l1\n\xff\xfe\x00\n") for f in run.glob("*.csv")]],
}


@pytest.mark.parametrize("damage", FILES)
@pytest.mark.parametrize("command", ["explain", "diff", "compare"])
def test_file_that_is_not_whole_is_refused(damage, command, run, written, capsys):
    FILES[damage](run)
    assert main(asked(run, written[1])[command]) == 1
    told = capsys.readouterr().err
    assert "defect of miner" not in told
    assert f"error: {run}/l1_" in told
    assert "damaged" in told
    assert "Mine the corpus again" in told


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *(("p", v) for v in (-1.0, 2.0, np.inf, np.nan)),
        *(("q", v) for v in (-0.1, 1.1, np.nan)),
        *(("effect", v) for v in (np.inf, np.nan)),
        *(("status", v) for v in ("perhaps", None)),
        *(("test", v) for v in ("sign", None)),
        *(("l1", v) for v in (None,)),
        ("ci_low", 1e6),
        ("top_share", 1.5),
        *(("words_target", v) for v in (-1, 1e30, np.inf)),
        ("correction_family", None),
        ("q", "abc"),
    ],
)
@pytest.mark.parametrize("command", ["explain", "compare"])
def test_value_that_a_column_cannot_have_is_refused(column, value, command, run, written, capsys):
    changed(run, "l1_tests", lambda f: f.assign(**{column: value}))
    assert main(asked(run, written[1])[command]) == 1
    told = capsys.readouterr().err
    assert f"{run}/l1_tests.parquet is damaged" in told
    assert column in told
    assert "np." not in told


@pytest.mark.parametrize("column", ["effect", "p", "q", "l1", "status", "failed", "log_ratio", "test"])
@pytest.mark.parametrize("command", ["explain", "compare"])
def test_run_without_a_needed_column_is_refused(column, command, run, written, capsys):
    changed(run, "l1_tests", lambda f: f.drop(columns=column))
    assert main(asked(run, written[1])[command]) == 1
    assert f"l1_tests.parquet is damaged: it lacks the columns '{column}'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("column", "value"), [("direction", "up"), ("rank", -1), ("rank", None), ("feature", None), ("direction", None)]
)
def test_inventory_with_a_value_that_cannot_be_is_refused(column, value, run, written, capsys):
    changed(
        run, "l1_inventory", lambda f: f.assign(**{column: value}) if column != "rank" else f.head(1).assign(rank=value)
    )
    (run / "l1_inventory.json").unlink()
    assert main(asked(run, written[1])["diff"]) == 1
    told = capsys.readouterr().err
    assert "l1_inventory.parquet is damaged" in told
    assert column in told


def test_run_of_an_earlier_version_is_read(run, written, capsys):
    changed(
        run, "l1_tests", lambda f: f.drop(columns=["null_share", "replication", "p_method", "stability", "null_sd"])
    )
    changed(run, "l1_inventory", lambda f: f.drop(columns=["replication", "scope"]))
    for command, code in (("explain", 0), ("diff", 3), ("compare", 0)):
        assert main(asked(run, written[1])[command]) == code, capsys.readouterr().err


@pytest.mark.parametrize(
    "text", ["[]", "{}", '{"preset": {"name": "robust", "alpha": "x"}}', '{"preset": {"name": 3}}', "{"]
)
def test_run_file_without_a_usable_preset_is_no_defect(text, run, written, capsys):
    (run / "run.json").write_text(text, encoding="utf-8")
    code = main(asked(run, written[1])["explain"])
    told = capsys.readouterr().err
    assert "defect of miner" not in told
    assert "run.json" in told
    assert code == (1 if "preset" in text else 0)


@pytest.mark.parametrize(("name", "other"), [("l1_tests", "l1_inventory"), ("l1_inventory", "l1_tests")])
def test_explain_says_which_table_is_missing(name, other, run, written, capsys):
    for suffix in ("csv", "parquet"):
        (run / f"{name}.{suffix}").unlink()
    assert main(asked(run, written[1])["explain"]) == 1
    told = capsys.readouterr().err
    assert f"{run} holds no {name};" in told
    assert other not in told
    assert main(asked(run, written[1])["diff"]) == (1 if name == "l1_inventory" else 3)


def test_runs_with_one_sided_p_are_not_compared(run, written, capsys):
    recipe = get_preset("welch", alternative="greater")
    (run / "run.json").write_text(json.dumps({"preset": recipe.as_dict()}, default=list), encoding="utf-8")
    assert main(asked(run, written[1])["compare"]) == 1
    assert f"{run} was mined with alternative='greater'" in capsys.readouterr().err


def test_signature_of_a_comparison_names_all_corpora(written, tmp_path):
    assert main(["compare", "--runs", *map(str, written), "--out", str(tmp_path / "out")]) == 0
    sidecar = json.loads((tmp_path / "out" / "corpora_comparison.json").read_text(encoding="utf-8"))
    assert Signature.parse(sidecar["signature"]).parts["corpus"] == "c1+c2"


@pytest.mark.parametrize("damage", ["parquet empty", "csv empty", "csv cut in a row"])
@pytest.mark.parametrize("command", ["export", "ewave"])
def test_other_readers_of_runs_tell_of_damage_too(damage, command, run, tmp_path, capsys):
    FILES[damage](run)
    if command == "export":
        cut(run, "csv", 0)
        args = ["export", str(run), "--to", "trans-env", "--out", str(tmp_path / "out")]
    else:
        args = ["ewave", "resemble", str(run)]
    assert main(args) == 1
    told = capsys.readouterr().err
    assert f"{run}/l1_inventory." in told
    assert "is damaged" in told


@pytest.mark.parametrize("text", ["", "l1,cefr\nx", "\x00"])
def test_damaged_plan_of_planted_errors_is_told(text, tmp_path, capsys):
    rows = [(f"w{k}", "I saw dog.", "I saw the dog.", ("de", "ru")[k % 2], "B1") for k in range(8)]
    pd.DataFrame(rows, columns=["learner", "original", "corrected", "l1", "cefr"]).to_csv(
        tmp_path / "t.csv", index=False
    )
    (tmp_path / "planted.csv").write_text(text, encoding="utf-8")
    roles = ["--l1", "l1", "--cefr", "cefr", "--learner", "learner", "--source", "gold"]
    assert main(["validate", str(tmp_path), "--format", "pairs", *roles]) == 1
    told = capsys.readouterr().err
    assert "defect" not in told
