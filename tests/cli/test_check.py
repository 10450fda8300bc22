"""The commands check and checkers, on a server that speaks LanguageTool's protocol and on the real engines."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest

from miner.commands import main

TEXTS = ["She have two dog.", "He go home.", "", "It is fine."]


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("answer,first\n" + "".join(f'"{t}",fr\n' for t in TEXTS), encoding="utf-8")
    return path


def _check(corpus, out, *options: str) -> int:
    return main(["check", str(corpus), "--text", "answer", "--l1", "first", "--out", str(out), "--no-cache", *options])


def _needs(name: str) -> None:
    from miner.checkers import engines

    if not next(e for e in engines() if e.name == name).find():
        reason = f"{name} is not installed here (miner checkers install {name})"
        if name == "languagetool" and os.environ.get("MINER_REQUIRE_ENGINES") == "1":
            pytest.fail(reason)
        pytest.skip(reason)


def test_list_shows_both_engines_with_licence_and_how_to_install(capsys) -> None:
    assert main(["checkers", "list", "--show", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [r["name"] for r in rows] == ["lingotweaker", "languagetool"]
    assert all("GPL" in r["licence"] and r["install"].startswith("miner checkers install") for r in rows)


@pytest.mark.engine
@pytest.mark.parametrize("name", ["lingotweaker", "languagetool"])
def test_check_writes_matches_statuses_and_the_account(corpus, tmp_path, capsys, name) -> None:
    _needs(name)
    out = tmp_path / "out"
    assert _check(corpus, out, "--checker", name) == 0
    said = capsys.readouterr()
    assert f"with {name}-" in said.err
    assert not said.out
    matches = pd.read_csv(out / "matches.csv", dtype={"sub_id": "str"}, keep_default_na=False)
    pd.testing.assert_frame_equal(matches, pd.read_parquet(out / "matches.parquet"), check_dtype=False)
    assert set(matches["rule_id"]) >= {"HE_VERB_AGR", "HAD_TWO"}
    assert matches["engine"].str.startswith(name).all()
    assert "surface" not in matches
    checked = pd.read_csv(out / "checked.csv")
    assert checked["status"].value_counts().get("checked") == 3
    run = json.loads((out / "run.json").read_text())
    assert run["engine"].startswith(name)
    assert f"check:{run['engine']}#{run['rules']}:en-US|mode:text|overlap:exact" in run["signatures"]["matches"]
    assert {a["step"] for a in run["accounts"]} >= {"read", "check", "overlap"}
    assert not any(t and t in p.read_text(errors="replace") for p in out.glob("*.[cj]s*") for t in TEXTS)


@pytest.mark.engine
def test_with_text_adds_the_words_under_each_match(corpus, tmp_path) -> None:
    _needs("languagetool")
    assert _check(corpus, tmp_path / "out", "--with-text", "--mode", "sentence") == 0
    assert {"have", "two dog"} <= set(pd.read_csv(tmp_path / "out" / "matches.csv")["surface"])


@pytest.mark.engine
def test_a_cached_rerun_gives_the_same_tables(corpus, tmp_path) -> None:
    _needs("lingotweaker")
    command = [
        "check",
        str(corpus),
        "--text",
        "answer",
        "--checker",
        "lingotweaker",
        "--cache",
        str(tmp_path / "cache"),
    ]
    tables = []
    for out in ("a", "b"):
        assert main([*command, "--out", str(tmp_path / out)]) == 0
        tables.append([(tmp_path / out / n).read_bytes() for n in ("matches.csv", "matches.parquet", "checked.csv")])
    assert tables[0] == tables[1]
    assert b"She have" not in b"".join(p.read_bytes() for p in (tmp_path / "cache").iterdir())


def test_a_server_elsewhere_is_refused_before_anything_is_written(corpus, tmp_path, capsys) -> None:
    assert _check(corpus, tmp_path / "out", "--server", "http://192.0.2.7:8081") == 1
    assert "192.0.2.7 is not this machine" in capsys.readouterr().err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["answers.csv"]


def test_unknown_checker_and_language_are_named(corpus, tmp_path, capsys) -> None:
    assert _check(corpus, tmp_path / "out", "--checker", "lingotweeker") == 1
    assert "did you mean 'lingotweaker'" in capsys.readouterr().err
    assert _check(corpus, tmp_path / "out", "--language", "en-UK") == 1
    assert "'en-GB'" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.engine
@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_ctrl_c_leaves_no_java_and_nothing_half_written(tmp_path) -> None:
    import psutil

    _needs("languagetool")
    corpus = tmp_path / "many.csv"
    lines = (f"It is text {i} and she have {i} dog. I enjoy to swim on day {i}." for i in range(4000))
    corpus.write_text("answer\n" + "\n".join(lines), encoding="utf-8")
    command = [sys.executable, "-m", "miner", "check", str(corpus), "--text", "answer", "--checker", "languagetool"]
    with subprocess.Popen(
        [*command, "--out", str(tmp_path / "out"), "--no-cache"],
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a background job would ignore it
    ) as process:
        assert process.stderr
        assert "Checking 4000 texts" in process.stderr.readline()
        family: list[psutil.Process] = []
        until = time.monotonic() + 120
        while not any("java" in p.name() for p in family) and time.monotonic() < until:
            time.sleep(0.1)
            family = psutil.Process(process.pid).children(recursive=True)
        assert any("java" in p.name() for p in family)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
    assert process.returncode == 130
    assert "Traceback" not in said
    psutil.wait_procs(family, timeout=30)
    assert not any(p.is_running() for p in family)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["many.csv"]
