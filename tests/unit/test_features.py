"""Usage features: the pattern language, the catalogue and its sentences, and counts that depend on the text alone."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from miner.errors import InputError
from miner.features import Pattern, load_examples, load_usage, usage
from miner.store import MemoryStore
from miner.tables import TEXTS

spacy = pytest.importorskip("spacy", reason="usage features need the extra errant")


@pytest.fixture(scope="module")
def nlp():
    from miner.features.extract import load_model

    return load_model()


def texts(*bodies):
    frame = pd.DataFrame({"text_id": [f"t{i}" for i in range(len(bodies))], "text": list(bodies)})
    for column in TEXTS.columns:
        if column.name not in frame:
            frame[column.name] = 1 if column.dtype == "Int64" else ""
    return frame[TEXTS.names]


def anchors(source, doc, **lists):
    pattern = Pattern(source, lists)
    return [t.text for t in doc if pattern(t)]


def test_patterns_find_their_anchor(nlp):
    doc = nlp("The old dog sees two cats. Does it bark?")
    assert anchors("pos=NOUN", doc) == ["dog", "cats"]
    assert anchors("pos=NOUN child[lower=the]", doc) == ["dog"]
    assert anchors("pos=NOUN !child[dep=det]", doc) == ["cats"]
    assert anchors("pos=NOUN lemma!=cat", doc) == ["dog"]
    assert anchors("lemma=@pets", doc, pets=["cat", "dog"]) == ["dog", "cats"]
    assert anchors("pos=DET next[pos=ADJ next[pos=NOUN]]", doc) == ["The"]
    assert anchors("pos=AUX first=1 q=1", doc) == ["Does"]
    assert anchors("pos=NOUN before[lower=sees]", doc) == ["cats"]
    assert anchors("pos=ADJ head[lower=dog]", doc) == ["old"]
    # A neighbour never lies in another sentence, and the root has no head.
    assert anchors("lower=. next[pos=AUX]", doc) == []
    assert anchors("dep=ROOT head[pos=VERB]", doc) == []


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("", "at least one clause"),
        ("poss=NOUN", "did you mean 'pos'"),
        ("pos=NOUN chlid[dep=det]", "did you mean 'child'"),
        ("pos=NOUN child[dep=det", "not closed"),
        ("pos=NOUN]", "not opened"),
        ("pos=NOUN child[]", "at least one clause"),
        ("lemma=@animal", "no word list 'animal'; did you mean 'animals'"),
        ("first=1", "the anchor needs one of"),
        ("pos!=NOUN", "the anchor needs one of"),
        ("pos = NOUN", "character 1"),
    ],
)
def test_bad_patterns_name_the_place(source, said):
    with pytest.raises(InputError, match=said):
        Pattern(source, {"animals": ["dog"]})


def test_the_catalogue_keeps_its_promises():
    catalogue = load_usage()
    features, examples = catalogue.features, load_examples()
    assert features["id"].is_unique
    assert (features != "").all().all()
    grammar = features[features["family"] == "usage"]
    assert len(grammar) >= 150
    assert set(features["per"]) <= set(catalogue.opportunities["id"])
    counts = examples.groupby(["feature", "kind"]).size().unstack()
    assert (counts >= 3).all().all()
    assert set(counts.index) == set(features.loc[features["family"] != "format", "id"])
    assert not examples.duplicated(["feature", "sentence"]).any()
    # No personal pronouns, names or content words decide a grammar feature's anchor, and no punctuation or digits.
    anchor = grammar["pattern"].str.replace(r"!?\w+\[.*\]", "", regex=True)
    assert not anchor.str.contains(r"pos=PROPN|pos=PUNCT|tag=NNP|tag=PRP|lower=(?:i|me|you|he|she|we|they)\b").any()
    for expression in features.loc[features["family"] == "format", "pattern"]:
        re.compile(expression)


def test_every_feature_finds_its_sentences_and_leaves_the_near_misses(nlp):
    patterns = load_usage().compiled()
    wrong = []
    for row in load_examples().itertuples():
        found = any(patterns[row.feature](t) for t in nlp(row.sentence))
        if found != (row.kind == "find"):
            wrong.append((row.feature, row.kind, row.sentence))
    assert wrong == []


def test_counts_and_opportunities_of_one_text():
    got = usage(texts("The dog bites a man. He don't like it."), families=("usage", "format"))
    counts = got.counts.set_index("feature")["n"].to_dict()
    assert counts["DEFINITE_ARTICLE"] == counts["INDEFINITE_ARTICLE"] == counts["NEGATION_DO"] == 1
    assert counts["FULL_STOP"] == 2
    assert "COMMA" not in counts
    per = got.opportunities.set_index("per")["n"].to_dict()
    assert (per["noun"], per["sentence"], per["word"], per["negation"]) == (2, 2, 9, 1)


def test_no_texts_give_empty_tables():
    got = usage(texts())
    assert len(got.counts) == len(got.opportunities) == got.ledger.read == 0


def test_counts_depend_on_the_text_alone():
    bodies = [
        f"The {w} sleeps in a small house, and it is happy." for w in ("dog", "cat", "cow", "hen", "pig", "fox", "owl")
    ]
    together = usage(texts(*bodies))
    alone = pd.concat([usage(texts(*bodies).iloc[[i]]).counts for i in range(len(bodies))], ignore_index=True)
    pd.testing.assert_frame_equal(together.counts, alone)
    backwards = usage(texts(*bodies).iloc[::-1])
    pd.testing.assert_frame_equal(together.counts, backwards.counts)
    pd.testing.assert_frame_equal(together.opportunities, backwards.opportunities)


@pytest.mark.slow
def test_workers_change_nothing():
    bodies = [f"{n} dogs bark and the cat sleeps." for n in range(40)]
    pd.testing.assert_frame_equal(usage(texts(*bodies)).counts, usage(texts(*bodies), jobs=2).counts)


def test_the_store_holds_counts_and_no_text():
    store, seen = MemoryStore(), []
    one = usage(texts("A cat sleeps."), store=store, progress=lambda done, total: seen.append((done, total)))
    two = usage(texts("A cat sleeps."), store=store, progress=lambda done, total: seen.append((done, total)))
    pd.testing.assert_frame_equal(one.counts, two.counts)
    assert seen == [(1, 1)]
    values = b"".join(store._items.values())
    assert b"cat" not in values
    assert b"sleep" not in values


def test_counts_of_other_code_are_not_taken_from_the_store(monkeypatch):
    computed = []
    monkeypatch.setattr(
        "miner.features.extract._count_chunk", lambda chunk: computed.append(1) or {key: {} for key, _ in chunk}
    )
    store = MemoryStore()
    for code in ("one", "one", "two"):
        monkeypatch.setattr("miner.features.extract.code_fingerprint", lambda rooms, code=code: code)
        usage(texts("We see it."), store=store)
    assert len(computed) == 2


def test_a_very_long_text_is_parsed_in_pieces(monkeypatch):
    from miner.features.extract import Patterns, count_text

    monkeypatch.setattr("miner.features.extract._MOST_CHARACTERS", 10)
    parsed = []
    count_text("We see it and like abcdefghijklm.", lambda piece: parsed.append(piece) or [], Patterns(load_usage()))
    assert parsed == ["We see it ", "and like ", "abcdefghij", "klm."]
