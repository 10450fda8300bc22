"""Levels by a score table, L1s of ambiguous nationalities, annotators as alternatives."""

from __future__ import annotations

from pathlib import Path

import pytest

from miner.commands import main
from miner.corpora import annotators, read_corpus, read_score_table, select_annotator
from miner.errors import InputError, MinerError, OptionError


def score_table(tmp_path: Path, content: str) -> Path:
    path = tmp_path / "scores.csv"
    path.write_text(content, encoding="utf-8")
    return path


def test_levels_from_scores(cases: Path, tmp_path: Path) -> None:
    scores = read_score_table(score_table(tmp_path, "from,cefr\n30,C1\n20,B2\n0,B1\n"), "script_score")
    texts = read_corpus(cases / "corpora" / "fce_xml", scores=scores).texts
    levels = dict(zip(texts["learner_id"], texts["cefr"], strict=True))
    assert levels == {"TR9001*0100*2000*02": "B2", "TR9002*0100*2000*01": "B1", "TE9003*0102*2001*03": "C1"}
    assert set(texts["cefr_source"]) == {"score"}
    assert set(texts["level_raw"]) == {"26.0", "17.00", "33.00"}


def test_scores_that_say_nothing_are_flagged(cases: Path, tmp_path: Path) -> None:
    scores = read_score_table(score_table(tmp_path, "from,cefr\n2,B1\n"), "answer_score")
    texts = read_corpus(cases / "corpora" / "fce_json", scores=scores).texts
    assert texts["cefr"].fillna("").tolist() == ["B1", "", "B1", "", ""]
    assert texts["flags"].fillna("").str.contains("score_unknown").sum() == 3


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the score table is empty"),
        ("low,level\n1,B1\n", "has the columns 'from' and 'cefr'; these are 'low', 'level'"),
        ("from,cefr\nx,B1\n", "scores.csv:2: 'from' must be a number, got 'x'"),
        ("from,cefr\n1,B1\n2,B9\n", "scores.csv:3: 'cefr' must be a CEFR level, got 'B9'"),
    ],
)
def test_bad_score_tables(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_score_table(score_table(tmp_path, content), "x")
    with pytest.raises(InputError, match="cannot be read"):
        read_score_table(tmp_path / "nothing.csv", "x")


def test_ambiguous_nationalities_may_get_a_default_that_is_told(cases: Path) -> None:
    for name, text_id, l1 in (("efcamdat_xml", "900004", "de"), ("icnale", "WE_PHL_SMK0_903_B2_0", "tl")):
        strict = read_corpus(cases / "corpora" / name).texts.set_index("text_id").loc[text_id]
        assert strict["l1"] != strict["l1"]
        assert strict["flags"] == "l1_ambiguous"
        default = read_corpus(cases / "corpora" / name, ambiguous_l1="default").texts.set_index("text_id").loc[text_id]
        assert (default["l1"], default["flags"]) == (l1, "l1_default")
        assert default["l1_source"] in ("nationality", "country")
    with pytest.raises(OptionError):
        read_corpus(cases / "corpora" / "icnale", ambiguous_l1="guess")


def test_annotators_are_alternatives(cases: Path) -> None:
    edits = read_corpus(cases / "corpora" / "fce_m2").edits
    assert annotators(edits) == ["0", "1"]
    first = select_annotator(edits)
    assert set(first["annotator"]) == {"0"}
    assert len(first) == 9
    second = select_annotator(edits, "1")
    assert second["text_id"].nunique() == 4
    without = edits[~((edits["annotator"] == "0") & edits["text_id"].str.startswith("conll"))]
    assert set(select_annotator(without).loc[lambda e: e["text_id"].str.startswith("conll"), "annotator"]) == {"1"}
    with pytest.raises(OptionError, match="There is no annotator '2'"):
        select_annotator(edits, "2")


def test_labels_from_the_command_line(cases: Path, tmp_path: Path, capsys) -> None:
    table = score_table(tmp_path, "from,cefr\n0,A1\n")
    sample = str(cases / "corpora" / "fce_json")
    assert (
        main(
            [
                "corpora",
                "describe",
                sample,
                "--score-table",
                str(table),
                "--score-column",
                "script_score",
                "--no-language",
                "--show",
                "csv",
            ]
        )
        == 0
    )
    assert "es,A1,2," in capsys.readouterr().out
    assert main(["corpora", "describe", sample, "--score-table", str(table)]) == 1
    assert "go together" in capsys.readouterr().err


def test_formats_that_fit_equally_well_are_an_error(cases: Path, tmp_path: Path) -> None:
    for name in ("wi_locness_json", "pelic"):
        for file in (cases / "corpora" / name).glob("*.*"):
            (tmp_path / file.name).write_bytes(file.read_bytes())
    with pytest.raises(MinerError, match="several formats fit the content: 'pelic', 'wi-locness-json'; name one"):
        read_corpus(tmp_path)
    assert read_corpus(tmp_path, format="pelic", on_bad_row="skip").format == "pelic"
