"""Checking texts: units, cache, statuses and offsets, with a checker whose rules can be done by hand."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Self

import pandas as pd
import pytest

from miner.checkers import RawMatch, UnitResult, check_texts, same_engine
from miner.errors import EngineError, OptionError
from miner.store import MemoryStore


class WordRule:
    """Reports each 'colour'; gives up on a unit that holds 'poison'."""

    name, version, engine, language = "hand", "1", "hand-1", "en-US"

    def __init__(self, fingerprint: str = "f1") -> None:
        self.fingerprint = fingerprint
        self.asked: list[str] = []

    def check_units(self, units: Sequence[str]) -> list[UnitResult]:
        self.asked += units
        return [self._one(u) for u in units]

    def _one(self, unit: str) -> UnitResult:
        if "poison" in unit:
            return UnitResult((), "gave up")
        return UnitResult(
            tuple(RawMatch(*m.span(), "COLOUR", "", "TYPOS", "misspelling") for m in re.finditer("colour", unit))
        )

    def close(self) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None: ...


def _texts(*strings: str) -> pd.DataFrame:
    return pd.DataFrame({"text_id": [f"t{i}" for i in range(len(strings))], "text": pd.Series(strings, dtype=object)})


def _spans(checked) -> list[tuple[str, int, int]]:
    return list(checked.matches[["text_id", "start", "end"]].itertuples(index=False, name=None))


def test_no_texts_give_empty_tables() -> None:
    result = check_texts(_texts(), WordRule())
    assert result.matches.empty
    assert result.checked.empty
    assert result.ledger.as_dict()["read"] == 0


@pytest.mark.parametrize("mode", ["text", "sentence"])
def test_offsets_are_code_points_of_the_text_not_of_the_view(mode) -> None:
    text = "A  \U0001f600 nice\u00a0 col\u0001our.   Each colour is nice!"
    result = check_texts(_texts(text), WordRule(), mode=mode, with_text=True)
    assert _spans(result) == [("t0", 11, 18), ("t0", 27, 33)]
    assert result.matches["surface"].tolist() == ["col\u0001our", "colour"]
    assert check_texts(_texts(text), WordRule(), mode=mode).matches.columns.tolist()[-1] == "n_same"


def test_sentence_mode_checks_each_different_sentence_once_and_stripped() -> None:
    rule = WordRule()
    result = check_texts(
        _texts("My colour is red. It is late.", "  It is late.   My colour is red. "), rule, mode="sentence"
    )
    assert sorted(rule.asked) == ["It is late.", "My colour is red."]
    assert _spans(result) == [("t0", 3, 9), ("t1", 19, 25)]


def test_text_mode_gives_whole_texts() -> None:
    rule = WordRule()
    check_texts(_texts("My colour is red. It is late."), rule)
    assert rule.asked == ["My colour is red. It is late."]


def test_texts_without_words_are_skipped_and_listed() -> None:
    rule = WordRule()
    result = check_texts(_texts("", " \n\u00a0", "?!", "One colour."), rule)
    assert result.checked["status"].tolist() == ["skipped", "skipped", "skipped", "checked"]
    assert result.checked["reason"].tolist() == ["no words", "no words", "no words", ""]
    assert result.checked["n_matches"].isna().tolist() == [True, True, True, False]
    assert rule.asked == ["One colour."]
    assert result.ledger.dropped == {"no words": 3}
    assert result.ledger.places["no words"] == ["t0", "t1", "t2"]


def test_an_incomplete_text_has_no_matches_is_told_and_is_never_cached() -> None:
    store, rule = MemoryStore(), WordRule()
    texts = _texts("One colour is here. This is poison.", "One colour is here.")
    result = check_texts(texts, rule, mode="sentence", store=store)
    assert result.checked["status"].tolist() == ["incomplete", "checked"]
    assert result.checked["reason"].tolist() == ["1 of 2 sentences: gave up", ""]
    assert _spans(result) == [("t1", 4, 10)]
    assert result.ledger.dropped == {"incomplete: gave up": 1}
    again = WordRule()
    check_texts(texts, again, mode="sentence", store=store)
    assert again.asked == ["This is poison."]


def test_what_failed_is_asked_once_a_run_even_over_batches(monkeypatch) -> None:
    monkeypatch.setattr("miner.checkers.texts.BATCH_UNITS", 1)
    rule = WordRule()
    result = check_texts(_texts("This is poison.", "This is poison.", "One colour."), rule)
    assert rule.asked == ["This is poison.", "One colour."]
    assert result.checked["status"].tolist() == ["incomplete", "incomplete", "checked"]


def test_a_text_is_checked_once_even_over_batches_without_a_store(monkeypatch) -> None:
    monkeypatch.setattr("miner.checkers.texts.BATCH_UNITS", 1)
    rule = WordRule()
    result = check_texts(_texts("One colour.", "Red colour.", "One  colour."), rule)
    assert rule.asked == ["One colour.", "Red colour."]
    assert _spans(result) == [("t0", 4, 10), ("t1", 4, 10), ("t2", 5, 11)]


def test_results_of_engines_lie_apart_in_a_store() -> None:
    store = MemoryStore()
    for fingerprint in ("f1", "f2"):
        check_texts(_texts("One colour."), WordRule(fingerprint), store=store)
    assert [s.namespace for s in store.stats()] == ["check/hand-1#f1", "check/hand-1#f2"]


@pytest.mark.parametrize("size", [1, 2, 100])
def test_batches_change_nothing(monkeypatch, size) -> None:
    texts = _texts("My colour.", "Two colours. Red colour.", "", "My colour.")
    whole = check_texts(texts, WordRule(), mode="sentence")
    monkeypatch.setattr("miner.checkers.texts.BATCH_UNITS", size)
    steps: list[tuple[int, int]] = []
    result = check_texts(texts, WordRule(), mode="sentence", progress=lambda done, total: steps.append((done, total)))
    pd.testing.assert_frame_equal(result.matches, whole.matches)
    pd.testing.assert_frame_equal(result.checked, whole.checked)
    assert steps[-1] == (4, 4)


def test_row_order_changes_nothing() -> None:
    texts = _texts("My colour.", "Two colours. Red colour.", "", "My colour.")
    pd.testing.assert_frame_equal(check_texts(texts, WordRule()).matches, check_texts(texts[::-1], WordRule()).matches)


def test_the_store_is_shared_by_modes_but_not_by_rule_sets_and_holds_no_text() -> None:
    store = MemoryStore()
    check_texts(_texts("My colour is red."), WordRule(), store=store)
    for fingerprint, asked in (("f1", []), ("f2", ["My colour is red."])):
        rule = WordRule(fingerprint)
        check_texts(_texts("My colour is red."), rule, mode="sentence", store=store)
        assert rule.asked == asked
    values = list(store._items.values())
    assert json.loads(values[0]) == [[3, 9, "COLOUR", "", "TYPOS", "misspelling"]]
    assert not any(b"colour" in v or b"red" in v for v in values)


def test_identical_matches_are_counted_apart() -> None:
    class Twice(WordRule):
        def _one(self, unit: str) -> UnitResult:
            return UnitResult(super()._one(unit).matches * 2)

    result = check_texts(_texts("One colour."), Twice())
    assert result.matches["n_same"].tolist() == [1, 2]
    assert result.checked["n_matches"].tolist() == [2]


def test_the_signature_names_engine_rules_language_mode_and_splitter() -> None:
    text = check_texts(_texts("One colour."), WordRule())
    assert text.signature_parts == {"check": "hand-1#f1:en-US", "mode": "text", "split": None}
    sentence = check_texts(_texts("One colour."), WordRule(), mode="sentence")
    assert sentence.signature_parts["split"]
    assert same_engine(text, text) == ("hand-1", "f1")


def test_results_of_different_rule_sets_are_not_put_together() -> None:
    parts = [check_texts(_texts("One colour."), WordRule(f)) for f in ("f1", "f2")]
    with pytest.raises(EngineError, match=r"different checks.*rules f1.*rules f2"):
        same_engine(*parts)


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(OptionError, match="'text', 'sentence'"):
        check_texts(_texts("One colour."), WordRule(), mode="sentences")  # type: ignore[arg-type]
