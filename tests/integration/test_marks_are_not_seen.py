"""Blanks that an annotator's marks leave in a distributed text are no error of the learner: no checker may find them."""

from __future__ import annotations

from pathlib import Path

import pytest

from miner.corpora import read_corpus
from miner.text import n_words, view

#: Marks of missing words in every position, as the FCE has them, and the text that a reader sees.
MARKED = {
    "We went to <NS type='MD'><c>the</c></NS> market.": "We went to market.",
    "<NS type='MA'><c>It</c></NS> is a nice town.": "is a nice town.",
    "We like to swim <NS type='MT'><c>there</c></NS>.": "We like to swim.",
    "We like it <NS type='MP'><c>,</c></NS> and they like it too <NS type='M'><c>much</c></NS>!": "We like it and they like it too!",
    "He ( <NS type='MD'><c>the</c></NS> manager) was late.": "He (manager) was late.",
    "He said \u201c <NS type='MA'><c>I</c></NS> am late\u201d.": "He said \u201cam late\u201d.",
    "They are <NS type='UD'><i>the</i></NS> happy <NS type='CE'></NS> people .": "They are the happy people.",
    "This <NS type='MV'><c>is</c></NS>  <NS type='MD'><c>a</c></NS> table.": "This table.",
}


@pytest.fixture
def corpus(tmp_path: Path):
    folder = tmp_path / "0100_2001_6"
    folder.mkdir()
    for i, marked in enumerate(MARKED):
        (folder / f"doc{i}.xml").write_text(
            f"<learner><head sortkey='TR{i}*0100*2001*01'><text><answer1><question_number>1</question_number>"
            f"<coded_answer><p>{marked}</p></coded_answer></answer1></text></head></learner>",
            encoding="utf-8",
        )
    return read_corpus(tmp_path)


def test_the_view_has_no_trace_of_a_mark(corpus) -> None:
    texts = corpus.texts.sort_values("text_id")
    for row, seen in zip(texts.itertuples(), MARKED.values(), strict=True):
        assert view(row.text).text == seen
        assert n_words(seen) == row.n_words
    # The table keeps the text as it is distributed.
    assert texts["text"].iloc[0] == "We went to  market."


@pytest.mark.engine
def test_no_checker_finds_a_mark(corpus) -> None:
    from miner.checkers import check_texts, open_checker

    with open_checker("auto") as checker:
        matches = check_texts(corpus.texts, checker).matches
    spacing = matches[matches["rule_id"].str.contains("WHITESPACE|SPACE|UNPAIRED", regex=True)]
    assert spacing.empty, spacing[["text_id", "rule_id", "start", "end"]].to_dict("records")
