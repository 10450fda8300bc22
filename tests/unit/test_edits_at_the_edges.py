"""Gold edits where blanks go: outer white space, no-break spaces, detections of nothing."""

from __future__ import annotations

import json
from pathlib import Path

from miner.corpora import Corpus, apply_edits, read_corpus


def _corrected(corpus: Corpus) -> str:
    return apply_edits(corpus.texts["text"].iloc[0], corpus.edits.to_dict("records"))


def _m2(folder: Path, content: str) -> Corpus:
    (folder / "some.m2").write_text(content, encoding="utf-8")
    return read_corpus(folder)


def test_outer_blanks_of_a_sentence_move_its_tokens(tmp_path: Path) -> None:
    corpus = _m2(tmp_path, "S  My cat sleep here \nA 3 4|||R:VERB:SVA|||sleeps|||REQUIRED|||-NONE-|||0\n\n")

    assert _corrected(corpus) == "My cat sleeps here"
    assert corpus.edits[["token_start", "token_end", "original"]].to_numpy().tolist() == [[2, 3, "sleep"]]


def test_a_no_break_space_inside_a_token_moves_the_tokens_after_it(tmp_path: Path) -> None:
    corpus = _m2(tmp_path, "S All\u00a0our cat sleep here\nA 2 3|||R:VERB:SVA|||sleeps|||REQUIRED|||-NONE-|||0\n\n")

    assert _corrected(corpus) == "All our cat sleeps here"
    assert corpus.edits["original"].tolist() == ["sleep"]


def test_an_error_marked_between_two_tokens_is_a_detection(tmp_path: Path) -> None:
    corpus = _m2(tmp_path, "S We walk market\nA 2 2|||UNK||||||REQUIRED|||-NONE-|||0\n\n")

    assert corpus.edits[["kind", "start", "end"]].to_numpy().tolist() == [["detect", 8, 8]]
    assert _corrected(corpus) == "We walk market"


def test_a_word_before_an_outer_blank_is_not_glued_to_the_text(tmp_path: Path) -> None:
    line = {"id": "7", "userid": "u", "cefr": "A1.i", "text": "\t river is cold \n"}
    line["edits"] = [[0, [[0, 0, "The"], [1, 1, "big"], [16, 16, "today"]]]]
    (tmp_path / "A.json").write_text(json.dumps(line) + "\n", encoding="utf-8")
    corpus = read_corpus(tmp_path)

    assert corpus.texts["text"].tolist() == ["river is cold"]
    assert _corrected(corpus) == "The\tbig river is cold today"


def test_a_script_without_marks_was_checked_as_in_the_other_formats(tmp_path: Path) -> None:
    (tmp_path / "doc1.xml").write_text(
        '<learner><head sortkey="TR1*0100*2000*02"><candidate><personnel><language>Thai</language></personnel></candidate>'
        "<text><answer1><question_number>1</question_number><coded_answer><p>We sold the boat.</p></coded_answer></answer1>"
        "</text></head></learner>",
        encoding="utf-8",
    )
    line = {"text": "We sold the boat.", "q": "1", "l1": "th", "id": "TR1*0100*2000*02", "edits": [[0, []]]}
    (tmp_path / "x.json").write_text(json.dumps(line) + "\n", encoding="utf-8")

    xml, lines = (read_corpus(tmp_path / name) for name in ("doc1.xml", "x.json"))

    assert xml.edits["kind"].tolist() == ["noop"]
    assert xml.edits.equals(lines.edits)
