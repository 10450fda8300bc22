"""Gold edits by category, and corrections typed by ERRANT."""

from __future__ import annotations

import pandas as pd
import pytest

from miner.categories import categorise_edits, load_taxonomy, retype
from miner.corpora.corrected import apply_edits
from miner.errors import InputError
from miner.store import MemoryStore
from miner.tables import EDITS, TEXTS, conform


def edits(*rows, text_id="t"):
    """Rows of (start, end, original, correction, type, scheme, kind) of one annotator."""
    names = ("start", "end", "original", "correction", "type", "scheme", "kind")
    base = {"text_id": text_id, "annotator": "0", "token_start": None, "token_end": None}
    frame = [base | dict(zip(names, r, strict=True)) | {"row": i} for i, r in enumerate(rows)]
    return conform(frame, EDITS) if frame else EDITS.empty()


def texts(**bodies):
    frame = pd.DataFrame({"text_id": list(bodies), "text": list(bodies.values())})
    for column in TEXTS.columns:
        if column.name not in frame:
            frame[column.name] = 1 if column.dtype == "Int64" else ""
    return frame[TEXTS.names]


GOLD = edits(
    (0, 2, "he", "He", "RP", "clc", "replace"),
    (3, 3, "", "is", "MV", "clc", "insert"),
    (5, 7, "aa", "a", "R", "clc", "replace"),
    (9, 10, "x", "y", "ZZ", "clc", "replace"),
    (-1, -1, "", "", "", "clc", "noop"),
)


def test_no_edits_give_an_empty_account():
    got = categorise_edits(EDITS.empty(), load_taxonomy("miner-core"))
    assert got.ledger.read == len(got.summary) == len(got.counted) == 0


def test_every_edit_is_mapped_excluded_or_unmapped():
    got = categorise_edits(GOLD, load_taxonomy("miner-core"))
    assert list(got.edits["status"]) == ["excluded", "mapped", "excluded", "unmapped", ""]
    assert (got.ledger.read, got.ledger.kept) == (4, 1)
    assert got.ledger.noted == {"annotated places without an error": 1}
    assert got.ledger.places["unmapped"] == ["clc ZZ"]
    assert got.summary["edits"].sum() == 4


def test_edits_without_a_category_leave_their_text_annotated():
    got = categorise_edits(GOLD, load_taxonomy("miner-core")).counted
    assert list(got.columns) == EDITS.names
    assert list(got["kind"]) == ["noop", "insert", "noop", "noop", "noop"]
    assert list(got["type"]) == ["", "MISSING_VERB", "", "", ""]


def test_rules_takes_codes_as_they_stand():
    got = categorise_edits(GOLD, load_taxonomy("rules")).counted
    assert list(got["type"]) == ["RP", "MV", "R", "ZZ", ""]


def test_families_can_be_counted():
    got = categorise_edits(GOLD, load_taxonomy("miner-core"), exclude="none")
    assert list(got.edits["feature"][:2]) == ["WRONG_PUNCTUATION", "MISSING_VERB"]
    assert got.signature == "miner-core-2;exclude=none"


def test_errant_types_corrections_by_sentence():
    pytest.importorskip("errant")
    text = "He have a car.  I like in summer.\nShe is teacher."
    given = edits(
        (3, 7, "have", "has", "", "none", "replace"),
        (23, 26, "in ", "", "", "none", "delete"),
        (40, 40, "", " a", "", "none", "insert"),
    )
    store = MemoryStore()
    got = retype(texts(t=text), given, store=store)
    # ERRANT's own conventions (Bryant et al. 2017): agreement, a surplus preposition, a missing determiner.
    assert list(got.edits["type"]) == ["R:VERB:SVA", "U:PREP", "M:DET"]
    assert list(got.edits["kind"]) == ["replace", "delete", "insert"]
    assert [text[s:e] for s, e in zip(got.edits["start"], got.edits["end"], strict=True)] == ["have", "in", ""]
    assert list(got.edits["correction"]) == ["has", "", " a"]
    assert got.ledger.kept == 3
    once = apply_edits(text, given.to_dict("records"))
    again = apply_edits(text, got.edits.to_dict("records"))
    assert again.split() == once.split()
    pd.testing.assert_frame_equal(retype(texts(t=text), given, store=store).edits, got.edits)
    assert not any(b"car" in v or b"teacher" in v for v in store._items.values())


def test_a_correction_across_sentences_joins_them():
    pytest.importorskip("errant")
    text = "I was ill. So I slept. He left."
    got = retype(texts(t=text), edits((9, 13, ". So", ", so", "", "none", "replace")))
    assert (got.edits["end"] <= 22).all()
    assert apply_edits(text, got.edits.to_dict("records")).replace(" ,", ",").split()[2:4] == ["ill,", "so"]


def test_detections_noops_and_other_annotators():
    pytest.importorskip("errant")
    first = edits((0, 2, "Me", "", "", "none", "detect"))
    second = edits((0, 2, "Me", "I", "", "none", "replace")).assign(annotator="1")
    none = edits((-1, -1, "", "", "", "none", "noop"), text_id="u")
    got = retype(texts(t="Me go.", u="I go.", v="Not read."), pd.concat([first, second, none], ignore_index=True))
    assert list(zip(got.edits["text_id"], got.edits["type"], got.edits["kind"], strict=True)) == [
        ("t", "UNK", "detect"),
        ("u", "noop", "noop"),
    ]
    assert got.ledger.dropped == {"another annotator's": 1, "no error marked": 1}


def test_overlapping_corrections_are_refused():
    given = edits((0, 4, "I go", "He goes", "", "none", "replace"), (2, 4, "go", "went", "", "none", "replace"))
    with pytest.raises(InputError, match="overlap in text 't'"):
        retype(texts(t="I go."), given)
