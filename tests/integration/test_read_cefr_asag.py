"""The real CEFR-ASAG, read in place."""

from __future__ import annotations

from pathlib import Path

import pytest

from miner.corpora import read_corpus

pytestmark = pytest.mark.shared_data


def test_every_text_is_accounted_for(shared_data: Path) -> None:
    corpus = read_corpus(shared_data / "cefr-asag")
    texts = corpus.texts
    assert corpus.format == "cefr-asag"
    assert corpus.ledger.as_dict()["kept"] == len(texts) == 708
    assert texts["cefr_source"].value_counts().to_dict() == {"placement": 409, "assessed": 299}
    # Counted in the files: natives with a single language, majority votes.
    l1 = texts["l1"].value_counts()
    assert (l1["fr"], l1["de"], l1["es"], l1["fr;nl"], l1["fr;de;lb"]) == (647, 10, 9, 5, 1)
    assessed = texts.loc[texts["cefr_source"] == "assessed", "cefr"].value_counts().to_dict()
    assert assessed == {"B1": 113, "B2": 74, "A2": 59, "C1": 30, "A1": 18, "C2": 5}
    assert texts["learner_id"].isna().all()
    assert texts["prompt_id"].nunique() == 16


def test_ids_do_not_depend_on_where_one_starts(shared_data: Path) -> None:
    part = read_corpus(shared_data / "cefr-asag" / "corpus" / "labelled")
    assert len(part.texts) == 299
    assert part.texts["text_id"].str.startswith("labelled/").all()
