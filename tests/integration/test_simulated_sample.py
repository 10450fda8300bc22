"""The simulated corpus against real engines: what was planted is seen, and only that; what should be found is found."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from miner.categories import categorise, load_taxonomy
from miner.checkers import Checker, check_texts
from miner.simulate import Simulated, simulate
from miner.simulate.templates import Feature, Grammar, load_grammar
from miner.store.frames import read_csv

pytestmark = pytest.mark.engine

#: Categories of LanguageTool that say nothing about grammar: repeated beginnings of sentences, accents in names.
NOT_GRAMMAR = {"REPETITIONS_STYLE", "TYPOS", "STYLE"}


def _sentences(grammar: Grammar, feature: Feature, n: int) -> tuple[list[str], list[str], list[str]]:
    """n erroneous, short erroneous and correct sentences of each prompt."""
    place = np.arange(n)
    made = ([], [], [])
    for i, words in enumerate(grammar.words):
        for into, template in zip(made, (feature.wrong, feature.short, feature.right), strict=True):
            into.extend(template.filled(words, i, np.zeros_like(place), place))
    return made


def test_each_feature_is_seen_by_its_rule_alone_or_not_at_all(engine: Checker) -> None:
    grammar, taxonomy = load_grammar(), load_taxonomy("trans-env")
    for feature in grammar.features:
        wrong, short, right = _sentences(grammar, feature, 8)
        for sentences, expected in ((wrong, feature.rules), (short, feature.rules), (right, ())):
            for sentence, result in zip(sentences, engine.check_units(sentences), strict=True):
                assert tuple(m.rule_id for m in result.matches) == expected, sentence
        assert bool(feature.rules) == feature.seen
        for rule in feature.rules:
            assert taxonomy.assign([rule], ["GRAMMAR"], ["grammar"]).feature.tolist() == [feature.category]


def test_correct_sentences_that_fill_the_texts_have_no_match(engine: Checker) -> None:
    grammar = load_grammar()
    place = np.arange(3)
    fill = zip(grammar.words, grammar.fill, strict=True)
    sentences = [s for words, fill in fill for t in fill for s in t.filled(words, 1, np.ones_like(place), place)]
    for sentence, result in zip(sentences, engine.check_units(sentences), strict=True):
        assert result.matches == (), sentence


def _assert_exactly_planted(made: Simulated, matches: pd.DataFrame) -> None:
    matches = matches[~matches["lt_category"].isin(NOT_GRAMMAR)]
    found = categorise(matches, load_taxonomy("trans-env")).matches
    assert set(found["status"]) == {"mapped"}
    counted = Counter(zip(found["text_id"], found["feature"], strict=True))
    seen = [f.category for f in load_grammar().features if f.seen]
    errors = made.errors.set_axis(made.texts["text_id"])[seen].stack()
    assert counted == Counter({key: n for key, n in errors.items() if n})


@pytest.mark.parametrize("mode", ["text", "sentence"])
def test_the_checker_counts_what_was_planted_and_nothing_else(engine: Checker, mode: str) -> None:
    made = simulate(60, seed=7)
    _assert_exactly_planted(made, check_texts(made.texts, engine, mode=mode).matches)


def test_every_planted_over_use_that_can_be_found_is_in_the_inventory(root, sample_run, record_property) -> None:
    planted = read_csv(root / "corpora" / "sample" / "planted.csv")
    _assert_exactly_planted(simulate(1200, seed=20250101), pd.read_parquet(sample_run / "matches.parquet"))
    inventory = read_csv(sample_run / "l1_inventory.csv")
    found = set(inventory.query("direction == 'over'")[["l1", "cefr", "feature"]].itertuples(index=False, name=None))

    over = planted[planted["planted"] & (planted["direction"] == "over")].set_index(["l1", "cefr", "feature"])
    unseen = over[~over["checker_sees"]]
    weak = over[over["checker_sees"] & (over["power"] < 0.95)]
    due = over[over["checker_sees"] & (over["power"] >= 0.95)]
    told = f"{len(due)} due; {len(weak)} of too little power; not to be seen by a checker: {_listed(unseen)}"
    record_property("planted", told)
    print(told)
    assert len(due) >= 20
    assert due["base_rate"].ge(10).sum() >= 15
    assert {b for _, b, _ in due.index} == {"A", "B"}
    assert len({l1 for l1, _, _ in due.index}) == 10
    missed = [key for key in due.index if key not in found]
    assert missed == [], told
    # What no rule sees cannot be in the inventory: nothing in miner knows what was planted.
    assert not found & set(unseen.index)
    assert inventory.groupby(["l1", "cefr"]).size().max() <= 10


def _listed(cells: pd.DataFrame) -> str:
    return ", ".join(f"{l1}-{band} {feature}" for l1, band, feature in cells.index)
