"""miner corpora list, where, describe and convert."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest

from miner.commands import main
from miner.corpora import known_formats, read_corpus
from miner.store.frames import read_csv

SAMPLES = sorted(p.name for p in (Path(__file__).resolve().parents[1] / "cases" / "corpora").iterdir() if p.is_dir())


@pytest.fixture
def sample(cases: Path, tmp_path: Path):
    def copied(name: str) -> Path:
        folder = tmp_path / name
        shutil.copytree(cases / "corpora" / name, folder, ignore=shutil.ignore_patterns("expected*"))
        return folder

    return copied


def test_list_names_every_format_with_licence_and_source(capsys) -> None:
    assert main(["corpora", "list", "--show", "csv"]) == 0
    out = capsys.readouterr().out
    for name, found in known_formats().items():
        assert f"\n{name}," in out
        assert found.licence
        assert found.where


def test_where(capsys) -> None:
    assert main(["corpora", "where", "fce-xml"]) == 0
    out = capsys.readouterr().out
    assert "licence: CLC FCE licence" in out
    assert "texts may be passed on: no" in out
    assert main(["corpora", "where", "fce-xm"]) == 1
    assert "did you mean 'fce-xml'" in capsys.readouterr().err


def test_where_knows_a_corpus_of_several_formats(capsys) -> None:
    assert main(["corpora", "where", "FCE"]) == 0
    out = capsys.readouterr().out
    assert [out.count(f"--format {n}\n") for n in ("fce-xml", "fce-json", "fce-m2")] == [1, 1, 1]


@pytest.mark.parametrize("name", SAMPLES)
def test_convert_keeps_every_text_and_edit(name: str, sample, tmp_path: Path) -> None:
    folder = sample(name)
    out = tmp_path / "out"
    assert main(["corpora", "convert", str(folder), str(out), "--no-language"]) == 0
    corpus = read_corpus(folder)
    texts, edits = pd.read_parquet(out / "texts.parquet"), pd.read_parquet(out / "edits.parquet")
    assert texts["text_id"].tolist() == corpus.texts["text_id"].tolist()
    for column in corpus.texts.columns.drop("flags"):
        assert (
            texts[column].astype("object").where(texts[column].notna(), None).tolist()
            == corpus.texts[column].astype("object").where(corpus.texts[column].notna(), None).tolist()
        )
    assert len(edits) == len(corpus.edits)
    assert read_csv(out / "texts.csv")["text"].fillna("").tolist() == corpus.texts["text"].tolist()
    run = json.loads((out / "run.json").read_text(encoding="utf-8"))
    assert run["accounts"] == [corpus.ledger.as_dict()]
    assert run["inputs"] == {corpus.name: corpus.fingerprint}
    sidecar = json.loads((out / "texts.json").read_text(encoding="utf-8"))
    assert (sidecar["rows"], sidecar["licence"]) == (len(texts), corpus.licence)
    assert sidecar["signature"].startswith(f"texts|corpus:{corpus.name}#{corpus.fingerprint[:8]}")
    dropped = read_csv(out / "dropped.csv")
    assert dropped["texts"].sum() == corpus.ledger.dropped.total()
    # The licence travels along, and what was converted is read again without flags.
    again = read_corpus(out)
    assert (again.format, again.licence, again.redistribute) == ("miner", corpus.licence, corpus.redistribute)
    assert "DO NOT REDISTRIBUTE" in (out / "NOTICE.txt").read_text(encoding="utf-8")
    pd.testing.assert_frame_equal(again.texts.drop(columns="flags"), corpus.texts.drop(columns="flags"))
    pd.testing.assert_frame_equal(again.edits, corpus.edits)


def test_convert_flags_and_applies_no_policy(cases: Path, tmp_path: Path) -> None:
    for name, flags in (
        (
            "t05_other_language",
            [
                "",
                "other_language:fr",
                "other_language:de",
                "other_language:ar",
                "other_language:zh",
                "mixed_language:fr",
                "language_unclear",
                "",
            ],
        ),
        (
            "t06_duplicates",
            ["duplicate:4;duplicate_other_learner"] * 3 + [""] + ["duplicate:4;duplicate_other_learner", "", ""],
        ),
    ):
        out = tmp_path / name
        assert main(["corpora", "convert", str(cases / "text" / f"{name}.jsonl"), str(out)]) == 0
        texts = pd.read_parquet(out / "texts.parquet")
        assert texts["flags"].fillna("").tolist() == flags


def test_convert_is_the_same_in_any_row_order(cases: Path, tmp_path: Path) -> None:
    lines = (cases / "text" / "t06_duplicates.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    made = []
    for name, order in (("a", lines), ("b", lines[::-1])):
        (tmp_path / f"{name}.jsonl").write_text("".join(order), encoding="utf-8")
        assert main(["corpora", "convert", str(tmp_path / f"{name}.jsonl"), str(tmp_path / name), "--name", "x"]) == 0
        made.append([(tmp_path / name / f).read_bytes() for f in ("texts.parquet", "edits.parquet", "texts.csv")])
    assert made[0] == made[1]


def test_convert_in_small_batches_is_the_same(sample, tmp_path: Path, monkeypatch) -> None:
    folder = sample("wi_locness_json")
    assert main(["corpora", "convert", str(folder), str(tmp_path / "a"), "--no-language"]) == 0
    monkeypatch.setattr("miner.corpora.converting.BATCH", 600)
    monkeypatch.setattr("miner.corpora.converting.MOST_FILES", 2)
    assert main(["corpora", "convert", str(folder), str(tmp_path / "b"), "--no-language"]) == 0
    for name in ("texts", "edits"):
        pd.testing.assert_frame_equal(
            pd.read_parquet(tmp_path / "a" / f"{name}.parquet"), pd.read_parquet(tmp_path / "b" / f"{name}.parquet")
        )


def test_describe_prints_and_writes(sample, tmp_path: Path, capsys) -> None:
    out = tmp_path / "described"
    assert main(["corpora", "describe", str(sample("efcamdat_xml")), "--out", str(out), "--show", "csv"]) == 0
    told = capsys.readouterr()
    assert "pt,A1,1,16,1,1\n" in told.out
    assert "dropped: empty text" in told.out
    assert "do not redistribute" in told.err
    assert (out / "texts_by_l1_and_level.svg").read_text(encoding="utf-8").count("<svg") == 1
    assert read_csv(out / "cells.csv")["texts"].sum() == 8
    # No text of the corpus leaves it.
    for file in out.rglob("*.*"):
        assert b"football" not in file.read_bytes()


def test_describe_strict_has_findings(sample) -> None:
    folder = sample("toefl11")
    assert main(["corpora", "describe", str(folder), "--no-language"]) == 0
    assert main(["corpora", "describe", str(folder), "--no-language", "--strict"]) == 3


def test_a_corpus_without_l1_is_described(sample, capsys) -> None:
    assert main(["corpora", "describe", str(sample("universalcefr"))]) == 0
    assert "No contrast of L1s is possible" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["corpora", "describe", "nowhere"], "There is no file or folder nowhere"),
        (["corpora", "convert", "nowhere", "out"], "There is no file or folder nowhere"),
        (["corpora", "where", "icle3"], "must be one of"),
    ],
)
def test_errors_are_messages(arguments: list[str], message: str, capsys, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 1
    assert message in capsys.readouterr().err
    assert not any(tmp_path.iterdir())
