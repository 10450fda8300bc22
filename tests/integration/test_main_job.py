"""The main job through its public door: the bundled study, real data, bad input."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from miner.commands import main
from miner.run.folder import read_run
from miner.store.frames import read_csv

#: Files of a run that must be the same to the byte.
OUTSIDE = ("run.json", "report.html")


def _miner(*args: object) -> int:
    return main([str(a) for a in args])


def _same(one: Path, two: Path) -> list[str]:
    names = sorted(str(p.relative_to(one)) for p in one.rglob("*") if p.is_file())
    assert names == sorted(str(p.relative_to(two)) for p in two.rglob("*") if p.is_file())
    return [n for n in names if n not in OUTSIDE and (one / n).read_bytes() != (two / n).read_bytes()]


@pytest.mark.engine
def test_the_bundled_study_writes_every_table_flat(sample_run: Path) -> None:
    tables = ("matches", "checked", "match_summary", "counts", "units", "l1_tests", "l1_inventory")
    tables += ("dialect_clusters", "k_selection", "dialect_inventory", "distances")
    for name in tables:
        assert (sample_run / f"{name}.csv").stat().st_size > 0
        sidecar = json.loads((sample_run / f"{name}.json").read_text(encoding="utf-8"))
        assert sidecar["rows"] == len(pd.read_parquet(sample_run / f"{name}.parquet")) > 0
        assert "|miner:" in sidecar["signature"]
    assert len(read_csv(sample_run / "dialect_inventory.csv")) == 329


@pytest.mark.engine
def test_every_account_of_the_run_adds_up(sample_run: Path, root: Path) -> None:
    accounts = read_run(sample_run)["accounts"]
    assert {"read", "check", "overlap", "categorise", "count", "admit"} <= {a["step"] for a in accounts}
    for account in accounts:
        assert account["read"] == account["kept"] + sum(account["dropped"].values()), account
    by_step = {a["step"]: a for a in accounts}
    assert by_step["policies"]["read"] == by_step["read"]["kept"]
    assert by_step["check"]["read"] == by_step["policies"]["kept"]
    assert by_step["admit"]["read"] == by_step["count"]["kept"]


@pytest.mark.engine
def test_no_text_and_no_learner_id_is_in_the_run(sample_run: Path, root: Path) -> None:
    from miner.corpora import read_corpus

    texts = read_corpus(root / "corpora/sample").texts
    needles = [t[:40] for t in texts["text"].iloc[::50]] + texts["learner_id"].iloc[::50].tolist()
    for path in sample_run.rglob("*"):
        if path.suffix in (".csv", ".json", ".html", ".svg"):
            content = path.read_text(encoding="utf-8")
            assert [n for n in needles if n in content] == [], path


@pytest.mark.engine
def test_a_simulated_corpus_is_called_simulated_everywhere(sample_run: Path) -> None:
    report = (sample_run / "report.html").read_text(encoding="utf-8")
    assert "simulated" in report.lower()
    assert "invented" in report.lower()
    assert read_run(sample_run)["corpora"][0]["simulated"] is True


@pytest.mark.engine
def test_row_order_jobs_and_cache_change_no_byte(sample_run: Path, tmp_path: Path, root: Path) -> None:
    from miner.corpora import read_corpus

    texts = read_corpus(root / "corpora/sample").texts.iloc[:240]
    columns = {"text": "text", "l1": "l1", "cefr": "band", "learner": "learner_id", "prompt": "prompt_id"}
    frame = texts[list(columns.values())].set_axis(list(columns), axis=1)
    for name, rows in (("a", frame), ("b", frame.sample(frac=1, random_state=3))):
        (tmp_path / name).mkdir()
        rows.to_csv(tmp_path / name / "essays.csv", index=False)
    flags = ("--text", "text", "--l1", "l1", "--cefr", "cefr", "--learner", "learner", "--prompt", "prompt")
    assert _miner("mine", tmp_path / "a/essays.csv", *flags, "--out", tmp_path / "one", "--jobs", 1, "--no-cache") == 0
    again = ("--out", tmp_path / "two", "--jobs", 2, "--cache", tmp_path / "cache")
    for _ in range(2):
        assert _miner("mine", tmp_path / "b/essays.csv", *flags, *again) == 0
        assert _same(tmp_path / "one", tmp_path / "two") == []


@pytest.mark.engine
@pytest.mark.shared_data
def test_cefr_asag_is_read_whole_and_its_level_sources_told_apart(shared_data: Path, tmp_path: Path) -> None:
    assert _miner("mine", shared_data / "cefr-asag", "--out", tmp_path / "a", "--cache", tmp_path / "cache") == 0
    run = read_run(tmp_path / "a")
    (corpus,) = run["corpora"]
    assert corpus["texts"] == 708
    assert corpus["cefr_source"] == {"assessed": 299, "placement": 409}
    steps = {a["step"]: a for a in run["accounts"]}
    assert steps["read"]["kept"] == steps["policies"]["read"] == 708
    assert steps["admit"]["read"] == 708 - sum(
        sum(steps[s]["dropped"].values()) for s in ("policies", "check", "count")
    )
    assert len(read_csv(tmp_path / "a/checked.csv")) == 708


@pytest.mark.shared_data
def test_the_paper_s_dialects_come_out_of_clldf_and_bundled_ratings(
    shared_data: Path, tmp_path: Path, root: Path
) -> None:
    assert _miner("dialects", shared_data / "ewave", "--preset", "trans-env", "--out", tmp_path / "d") == 0
    assert _miner("dialects", "--preset", "trans-env", "--out", tmp_path / "e") == 0
    assert (tmp_path / "d/dialect_inventory.csv").read_bytes() == (tmp_path / "e/dialect_inventory.csv").read_bytes()
    assert (tmp_path / "d/dialect_clusters.csv").read_bytes() == (tmp_path / "e/dialect_clusters.csv").read_bytes()
    inventory = read_csv(tmp_path / "d/dialect_inventory.csv")
    assert (len(inventory), inventory["feature_id"].nunique(), inventory["variety"].nunique()) == (329, 104, 18)
    counts = inventory["variety"].value_counts()
    assert counts["Urban African American Vernacular English"] == 28
    assert counts["Irish English"] == 24
    facts = read_run(tmp_path / "d")["dialects"]
    assert facts["components"] == 39
    assert facts["inertia"] == pytest.approx(933.913, abs=5e-4)


#: Multi-VALUE's convention on today's eWAVE: A 1, B .6, C .3, X and ? as 0, over 235 features.
_FROM_COLLOQUIAL_AMERICAN = {
    "Chicano English": 0.1409,
    "Colloquial Singapore English (Singlish)": 0.2855,
    "Indian English": 0.2745,
    "Urban African American Vernacular English": 0.2438,
}


def test_distances_from_colloquial_american(tmp_path: Path) -> None:
    options = ("--metric", "manhattan", "--encoding", "multi-value", "--from", "Colloquial American English")
    assert _miner("distance", *options, "--out", tmp_path / "o") == 0
    found = read_csv(tmp_path / "o/distances.csv").set_index("variety")["distance"]
    assert found[list(_FROM_COLLOQUIAL_AMERICAN)].to_dict() == pytest.approx(_FROM_COLLOQUIAL_AMERICAN, abs=5e-5)


def _write(path: Path, rows: list[list[str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(rows)
    return path


_HEAD = ["text", "l1", "cefr", "learner"]
_BAD = {
    "absent": (None, "There is no"),
    "empty": ([_HEAD], "No text could be read"),
    "one L1": ([_HEAD, ["She go home today.", "fr", "B1", "a"], ["He go home.", "fr", "B1", "b"]], "L1"),
    "wrong column": ([["essay_body", "l1", "cefr", "learner"], ["Hello there you.", "fr", "B1", "a"]], "column"),
    "unknown level": (
        [_HEAD, ["Hello there you.", "fr", "B9", "a"], ["Hello to you.", "de", "B1", "b"]],
        "B9|L1|level",
    ),
}


@pytest.mark.engine
@pytest.mark.parametrize("case", sorted(_BAD))
def test_bad_input_is_told_and_nothing_is_written(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows, message = _BAD[case]
    path = tmp_path / "essays.csv"
    if rows is not None:
        _write(path, rows)
    assert _miner("mine", path, "--text", "text", "--out", tmp_path / "o", "--no-cache") == 1
    told = capsys.readouterr().err
    assert re.search(message, told), told
    assert "Traceback" not in told
    assert "defect" not in told
    assert not (tmp_path / "o").exists()


@pytest.mark.engine
@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="sends POSIX signals")
@pytest.mark.parametrize("wait", [0.5, 3.0])
def test_ctrl_c_leaves_no_child_and_no_half_written_table(
    languagetool, tmp_path: Path, root: Path, wait: float
) -> None:
    out = tmp_path / "o"
    command = [
        sys.executable,
        "-m",
        "miner",
        "mine",
        str(root / "corpora/sample"),
        "--out",
        str(out),
        "--no-cache",
        "--checker",
        "languagetool",
    ]
    # A background job's children ignore SIGINT from birth; here it must reach them.
    heed = lambda: signal.signal(signal.SIGINT, signal.default_int_handler)  # noqa: E731
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=heed)
    time.sleep(wait)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert not out.exists()
    assert list(tmp_path.iterdir()) == []
    alive = subprocess.run(["ps", "-eo", "pgid,args"], capture_output=True, text=True, check=True).stdout
    assert [line for line in alive.splitlines() if line.split()[0] == str(process.pid) and "defunct" not in line] == []
