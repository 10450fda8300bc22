"""The real KSAUHS Learner Corpus, read in place."""

from __future__ import annotations

from pathlib import Path

import pytest

from miner.corpora import Policies, apply_policies, read_corpus

pytestmark = pytest.mark.shared_data


@pytest.fixture(scope="module")
def corpus(shared_data: Path):
    return read_corpus(shared_data / "ksauhs")


def test_learners_and_tasks(corpus) -> None:
    texts = corpus.texts
    assert corpus.format == "ksauhs"
    assert texts["learner_id"].nunique() == 157
    by_l1 = texts.drop_duplicates("learner_id")["l1"].value_counts().to_dict()
    assert by_l1 == {"ar": 156, "tl": 1}
    # Filled cells of the sheet, counted per column.
    assert texts.groupby("prompt_id").size().to_dict() == {
        "Essay 3.1": 306, "Essay 3.2": 306, "Exam Term 2": 157, "Exam Term 3": 157, "Practice Paragraph": 108,
        "Task 1.1": 147, "Task 1.2": 135, "Task 2.1": 299, "Task 2.2": 302, "Task 4.1": 156, "Task 4.2": 156, "Task 4.3": 157,
    }  # fmt: skip
    assert texts["meta_version"].value_counts().to_dict() == {"final": 895, "draft": 600}


def test_one_version_of_each_task(corpus) -> None:
    first = apply_policies(corpus.texts, Policies(other_language="keep", duplicates="keep"))[0]
    assert not first.duplicated(["learner_id", "prompt_id"]).any()
    final = apply_policies(corpus.texts, Policies(other_language="keep", duplicates="keep", versions="final"))[0]
    assert (final["meta_version"] == "final").sum() == 895


def test_corrections_are_gold_edits(corpus) -> None:
    # The sheet has 11,119 closing tags spelt right, and about 60 misspelt ones.
    corrected = corpus.edits[corpus.edits["kind"] == "replace"]
    assert 11_050 < len(corrected) < 11_200
    texts = dict(zip(corpus.texts["text_id"], corpus.texts["text"], strict=True))
    for row in corpus.edits.itertuples():
        assert texts[row.text_id][row.start : row.end] == row.original
    left = corpus.texts["text"].str.contains(r"</?orig", regex=True)
    assert left.sum() == 0
