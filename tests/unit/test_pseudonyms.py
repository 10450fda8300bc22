"""Pseudonyms: the same for who holds the corpus, whatever the order; no raw id in them."""

from __future__ import annotations

import pandas as pd

from miner.run.pseudonyms import pseudonyms


def _texts(texts: list[str], learners: list[str | None]) -> pd.DataFrame:
    return pd.DataFrame({"text": texts, "learner_id": pd.array(learners, dtype="str")})


def test_the_same_corpus_gives_the_same_names_in_any_order() -> None:
    texts = _texts(["One day.", "Two days.", "Three."], ["anna", "bert", None])
    names = pseudonyms(texts)
    assert names == pseudonyms(texts.iloc[::-1])
    assert sorted(names) == ["anna", "bert"]
    assert len(set(names.values())) == 2
    assert all(n not in v for n, v in names.items())


def test_another_corpus_gives_the_same_learner_another_name() -> None:
    one = pseudonyms(_texts(["One day."], ["anna"]))
    assert one != pseudonyms(_texts(["One day!"], ["anna"]))
    assert pseudonyms(_texts(["ab", "c"], ["anna", None])) != pseudonyms(_texts(["a", "bc"], ["anna", None]))
    assert pseudonyms(_texts([], [])) == {}
