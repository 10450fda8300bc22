"""What made an L1 result is told by its signature, from Python as from a run; what is shown of a result names no learner."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
import pytest
from learner_frames import units

from miner import tables
from miner.categories import load_taxonomy
from miner.checkers import Checked
from miner.learner import Counts, admit, get_preset, mine_l1, sign, sign_checked
from miner.ledger import Ledger
from miner.signature import DEFAULT_SEED
from miner.text import SPLITTER_ID

RULES = {"mode": "text", "engine": "hand-1", "fingerprint": "f1a2", "language": "en-GB"}


@dataclass(frozen=True)
class Named:
    name: str = "own"
    fingerprint: str = "0123456789abcdef"


@pytest.fixture
def texts():
    rows = [
        {"text_id": f"t{k}", "learner_id": f"secret{k}", "l1": ("fr", "de")[k % 2], "band": "A", "n_words": 50 + k}
        for k in range(8)
    ]
    frame = pd.DataFrame(rows)
    for name in tables.TEXTS.names:
        if name not in frame:
            frame[name] = None
    return tables.conform(frame, tables.TEXTS)


def checked(texts, **changed):
    table = texts[["text_id"]].assign(status="checked", reason="", n_matches=0)
    ledger = Ledger("check", "texts")
    ledger.keep(len(texts))
    return Checked(tables.MATCHES.empty(), tables.conform(table, tables.CHECKED), ledger, **{**RULES, **changed})


def test_a_result_from_python_says_what_made_it(texts):
    parts = mine_l1(texts, checked(texts), preset="welch", corpus=Named()).signature.parts
    assert parts["corpus"] == "own#01234567"
    assert parts["check"] == "hand-1#f1a2:en-GB"
    assert (parts["mode"], parts["overlap"]) == ("text", "exact")
    assert parts["map"] == load_taxonomy().signature
    assert "split" not in parts
    assert "seed" not in parts
    assert (parts["preset"], parts["unit"], parts["n"]) == ("welch", "learner", "8")


def test_sentences_name_their_splitter_and_an_unnamed_corpus_is_left_out(texts):
    parts = mine_l1(texts, checked(texts, mode="sentence"), preset="trans-env").signature.parts
    assert (parts["mode"], parts["split"], parts["overlap"]) == ("sentence", SPLITTER_ID, "all")
    assert "corpus" not in parts


def test_rules_and_language_are_told_apart(texts):
    one, two, three = (
        str(mine_l1(texts, checked(texts, **c), preset="welch").signature)
        for c in ({}, {"fingerprint": "other"}, {"language": "en-US"})
    )
    assert len({one, two, three}) == 3


def test_several_corpora_stand_in_their_order():
    parts = {"check": "c", "mode": "text", "split": None}
    base = sign_checked(parts, load_taxonomy(), get_preset("welch"), [Named("b"), Named("a", "f" * 16)])
    assert base.parts["corpus"] == "b#01234567+a#ffffffff"


def test_the_seed_stands_where_random_numbers_decide(texts):
    few = {"permutations": 99, "stability_pairs": 0, "gate": False}
    given = mine_l1(texts, checked(texts), preset="robust", seed=7, **few).signature
    assert given.parts["seed"] == "7"
    usual = mine_l1(texts, checked(texts), preset="robust", **few).signature
    assert usual.parts["seed"] == str(DEFAULT_SEED)
    admitted = admit(units([("a", None, "fr", "A", 9), ("b", None, "de", "A", 9)]), get_preset("welch"))
    assert "seed" not in sign(given, get_preset("welch"), unit=admitted.unit, n=2, seed=7).parts


def test_a_given_signature_is_kept_and_extended(texts):
    base = sign_checked(checked(texts).signature_parts, load_taxonomy(), get_preset("welch"), [Named("before")])
    got = mine_l1(texts, checked(texts), preset="welch", signature=base).signature
    assert got.parts["corpus"] == "before#01234567"
    assert got.parts["test"] == "welch"


def test_what_is_shown_is_short_and_names_no_learner(texts):
    result = mine_l1(texts, checked(texts), preset="welch")
    shown = repr(result)
    assert len(shown) < 400
    assert "\n" not in shown
    assert "welch" in shown
    assert "unit=learner" in shown
    assert str(result.signature) in shown
    admitted = admit(result.units, get_preset("welch"))
    counted = Counts(result.counts, result.units, Ledger("count", "texts"))
    for one in (result, admitted, counted):
        assert "secret" not in repr(one)
        assert "secret" not in str(one)
