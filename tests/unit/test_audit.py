"""The audit: what overlaps, and that its figures are those of a plain count."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from miner.categories import load_taxonomy
from miner.errors import EmptyInput, InputError
from miner.evaluate import audit, pair
from miner.evaluate.correcting import corrected_rates
from miner.evaluate.recall import recall_tests
from miner.evaluate.type_agreement import type_agreement
from miner.tables import EDITS, MATCHES, TEXTS, conform


def spans(*rows):
    return pd.DataFrame(rows, columns=["text_id", "start", "end"])


def texts(rows):
    """Rows of (text_id, learner, l1, words)."""
    frame = pd.DataFrame(rows, columns=["text_id", "learner_id", "l1", "n_words"])
    for column in TEXTS.columns:
        if column.name not in frame:
            frame[column.name] = 1 if column.dtype == "Int64" else ""
    return conform(frame, TEXTS)


def matches(rows):
    """Rows of (text_id, start, end, rule_id)."""
    base = {"sub_id": "", "lt_category": "GRAMMAR", "issue_type": "grammar", "engine": "test", "n_same": 1}
    out = [dict(zip(("text_id", "start", "end", "rule_id"), r, strict=True)) | base for r in rows]
    return conform(out, MATCHES) if out else MATCHES.empty()


def edits(rows):
    """Rows of (text_id, start, end, clc code)."""
    base = {"annotator": "0", "token_start": None, "token_end": None, "original": "", "scheme": "clc"}
    out = [
        base
        | dict(zip(("text_id", "start", "end", "type"), r, strict=True))
        | {"row": i, "correction": "x", "kind": "noop" if r[1] < 0 else "insert" if r[1] == r[2] else "replace"}
        for i, r in enumerate(rows)
    ]
    return conform(out, EDITS) if out else EDITS.empty()


def checked(frame, status="checked"):
    return pd.DataFrame({"text_id": frame["text_id"], "status": status})


@pytest.mark.parametrize(
    ("one", "two", "hit"),
    [
        ((0, 3), (2, 5), True),  # a shared code point
        ((0, 3), (3, 5), False),  # neighbours
        ((0, 3), (3, 3), True),  # no width, touching
        ((0, 3), (1, 1), True),  # no width, within
        ((0, 3), (4, 4), False),
        ((2, 2), (2, 2), True),
        ((2, 2), (3, 3), False),
        ((0, 9), (3, 4), True),
    ],
)
def test_what_overlaps(one, two, hit):
    for a, b in ((one, two), (two, one)):
        assert (len(pair(spans(("t", *a)), spans(("t", *b)))) == 1) is hit
    assert len(pair(spans(("t", *one)), spans(("u", *two)))) == 0


def test_empty_sides_give_no_pairs():
    assert len(pair(spans(), spans(("t", 0, 1)))) == len(pair(spans(("t", 0, 1)), spans())) == 0


TEXT_ROWS = [("a1", "A", "fr", 100), ("a2", "A", "fr", 100), ("b1", "B", "de", 200), ("c1", "C", "de", 100)]
# By hand: match 1 hits exactly with the same category; 2 overlaps a spelling error and a tense error; 3 hits nothing;
# 4 (a spelling rule) is not counted; 5 touches an insertion.
MATCH_ROWS = [
    ("a1", 0, 4, "NON3PRS_VERB"),
    ("a1", 10, 20, "NON3PRS_VERB"),
    ("b1", 0, 5, "NON3PRS_VERB"),
    ("b1", 30, 35, "FOUD_FOUND"),
    ("c1", 7, 9, "MISSING_ARTICLE"),
]
EDIT_ROWS = [
    ("a1", 0, 4, "AGV"),
    ("a1", 11, 14, "S"),
    ("a1", 15, 18, "TV"),
    ("a2", 3, 6, "RT"),
    ("b1", 20, 25, "R"),
    ("c1", 9, 9, "MD"),
]


def run(**options):
    frame = texts(TEXT_ROWS)
    settings = {"resamples": 200, "permutations": 99} | options
    return audit(frame, checked(frame), matches(MATCH_ROWS), edits(EDIT_ROWS), load_taxonomy("miner-core"), **settings)


def row(table, category="", l1="", comparison="overlap", scope="errors"):
    return table.set_index(["scope", "category", "l1", "comparison"]).loc[(scope, category, l1, comparison)]


def test_figures_by_hand():
    table = run().table
    everything = row(table)
    # Matches 1, 2, 3, 5; edits AGV, TV, RT, R (no category, still an error) and MD; hits: 1, 2, 5 and AGV, TV, MD.
    assert (everything["matches"], everything["matches_hit"]) == (4, 3)
    assert (everything["edits"], everything["edits_hit"]) == (5, 3)
    assert everything["precision"] == 3 / 4
    assert everything["recall"] == 3 / 5
    assert everything["false_alarms"] == 1000 * 1 / 500
    assert (everything["words"], everything["texts"], everything["learners"]) == (500, 4, 3)
    same = row(table, comparison="overlap, same category")
    assert (same["matches_hit"], same["edits_hit"]) == (2, 2)
    exact = row(table, comparison="exact")
    assert (exact["matches_hit"], exact["edits_hit"]) == (1, 1)
    agreement = row(table, "SUBJECT_VERB_AGREEMENT")
    assert (agreement["matches"], agreement["matches_hit"], agreement["edits"], agreement["recall"]) == (3, 2, 1, 1)
    french = row(table, l1="fr")
    assert (french["matches"], french["edits"], french["edits_hit"], french["words"]) == (2, 3, 2, 200)
    assert french["reason"] == "one learner: no interval" or np.isnan(french["precision_low"])


def test_everything_counts_all_matches_and_edits():
    wide = row(run().table, scope="everything")
    assert (wide["matches"], wide["matches_hit"], wide["edits"], wide["edits_hit"]) == (5, 3, 6, 4)


def test_confusion_by_hand():
    table = run().confusion.set_index(["match_category", "edit_category"])
    assert table["pairs"].to_dict() == {
        ("SUBJECT_VERB_AGREEMENT", "SUBJECT_VERB_AGREEMENT"): 1,
        ("SUBJECT_VERB_AGREEMENT", "VERB_TENSE"): 1,
        ("MISSING_DETERMINER", "MISSING_DETERMINER"): 1,
    }
    assert table["same"].sum() == 2


def test_texts_that_are_not_annotated_are_not_free_of_errors():
    frame = texts([*TEXT_ROWS, ("d1", "D", "it", 900), ("e1", "E", "it", 100)])
    status = checked(frame).assign(status=["checked"] * 5 + ["incomplete"])
    rows = [*EDIT_ROWS, ("e1", 0, 1, "RT")]
    core = load_taxonomy("miner-core")
    got = audit(frame, status, matches([*MATCH_ROWS, ("d1", 0, 4, "NON3PRS_VERB")]), edits(rows), core, resamples=20)
    assert got.ledger.as_dict()["dropped"] == {"not (wholly) checked": 1, "not annotated": 1}
    assert row(got.table)["words"] == 500
    noop = audit(frame, status, matches(MATCH_ROWS), edits([*rows, ("d1", -1, -1, "")]), core, resamples=20)
    assert row(noop.table)["words"] == 1400


def test_nothing_to_audit_says_so():
    frame = texts(TEXT_ROWS)
    with pytest.raises(EmptyInput, match="both checked and annotated"):
        audit(frame, checked(frame, "skipped"), matches(MATCH_ROWS), edits(EDIT_ROWS), load_taxonomy("miner-core"))


def many(seed, recall):
    """Learners of two L1s, each with agreement errors that a checker sees with a probability by L1."""
    rng = np.random.default_rng(seed)
    t, m, e = [], [], []
    for l1 in ("fr", "de"):
        for i in range(30):
            t.append((f"{l1}{i}", f"L{l1}{i}", l1, 100))
            for k in range(4):
                e.append((t[-1][0], k * 10, k * 10 + 4, "AGV"))
                if rng.random() < recall[l1]:
                    m.append((t[-1][0], k * 10, k * 10 + 4, "NON3PRS_VERB"))
    return texts(t), matches(m), edits(e)


def test_recall_that_differs_between_l1s_is_found_and_equal_recall_is_not():
    core = load_taxonomy("miner-core")
    t, m, e = many(1, {"fr": 0.8, "de": 0.3})
    got = audit(t, checked(t), m, e, core, resamples=200)
    assert got.recall_differs == ["SUBJECT_VERB_AGREEMENT"]
    only = got.recall.iloc[0]
    assert only["lowest"].startswith("de:")
    assert only["highest"].startswith("fr:")
    t, m, e = many(2, {"fr": 0.5, "de": 0.5})
    assert audit(t, checked(t), m, e, core, resamples=200).recall_differs == []


def test_intervals_hold_the_value_and_order_changes_nothing():
    t, m, e = many(3, {"fr": 0.6, "de": 0.4})
    core = load_taxonomy("miner-core")
    one = audit(t, checked(t), m, e, core)
    two = audit(t.iloc[::-1], checked(t), m.iloc[::-1], e.iloc[::-1], core)
    pd.testing.assert_frame_equal(one.table, two.table)
    pd.testing.assert_frame_equal(one.recall, two.recall)
    rows = one.table[one.table["recall_low"].notna()]
    assert (rows["recall_low"] <= rows["recall"] + 1e-12).all()
    assert (rows["recall"] <= rows["recall_high"] + 1e-12).all()


def test_figures_equal_a_plain_count_on_random_spans():
    rng = np.random.default_rng(4)
    t = texts([(f"t{i}", f"L{i % 7}", ("fr", "de", "")[i % 3], 50) for i in range(40)])
    places = [(f"t{rng.integers(40)}", int(s), int(s + rng.integers(0, 6))) for s in rng.integers(0, 60, size=400)]
    m = matches(sorted({(*p, "NON3PRS_VERB") for p in places[:150]}))
    e = edits(sorted({(*p, "AGV") for p in places[150:]}))
    table = audit(t, checked(t), m, e, load_taxonomy("miner-core"), resamples=20, permutations=9).table
    inside = set(e["text_id"])

    def touch(a, b):
        if a.text_id != b.text_id:
            return False
        shared = min(a.end, b.end) - max(a.start, b.start)
        return shared > 0 or (shared == 0 and (a.start == a.end or b.start == b.end))

    said = [x for x in m.itertuples() if x.text_id in inside]
    hits = sum(any(touch(x, y) for y in e.itertuples()) for x in said)
    found = sum(any(touch(x, y) for x in said) for y in e.itertuples())
    got = row(table)
    assert (got["matches"], got["matches_hit"], got["edits"], got["edits_hit"]) == (len(said), hits, len(e), found)


def learners(n_gold, n_plain, *, l1="fr", caught=2, errors=4, alarms=1):
    """Learners of 1,000 words with ``errors`` agreement errors of which ``caught`` are seen, and ``alarms`` more."""
    t, m, e = [], [], []
    for i in range(n_gold + n_plain):
        name = f"{l1}{i}"
        t.append((name, f"L{name}", l1, 1000))
        m += [(name, k * 10, k * 10 + 4, "NON3PRS_VERB") for k in range(caught)]
        m += [(name, 500 + k * 10, 504 + k * 10, "NON3PRS_VERB") for k in range(alarms)]
        if i < n_gold:
            e += [(name, k * 10, k * 10 + 4, "AGV") for k in range(errors)]
    return t, m, e


def corrected(*groups):
    t, m, e = ([x for g in groups for x in g[i]] for i in range(3))
    frame = texts(t)
    frame["band"] = "B"
    return corrected_rates(
        frame, checked(frame), matches(m), edits(e), load_taxonomy("miner-core"), resamples=200
    ).set_index("l1")


def test_corrected_rates_by_hand():
    # 3 matches per 1,000 words, 1 of them a false alarm, recall 2 / 4: (3 - 1) / .5 = 4 errors per 1,000 words.
    row = corrected(learners(25, 30)).loc["fr"]
    assert (row["observed"], row["false_alarms"], row["recall"], row["corrected"]) == (3, 1, 0.5, 4)
    assert row["corrected_low"] == row["corrected_high"] == 4
    assert row["gold"] == "same L1 and band"
    assert (row["words"], row["gold_learners"]) == (55_000, 25)


def test_a_cell_with_few_gold_learners_borrows_recall_and_says_so():
    table = corrected(learners(30, 0), learners(5, 20, l1="de", caught=1, alarms=1))
    row = table.loc["de"]
    assert row["gold"] == "all L1s of the band: assumes equal recall"
    # Pooled: 65 of 140 edits are hit, 35 false alarms in 35,000 words; observed 2 per 1,000 words.
    assert row["recall"] == 65 / 140
    assert row["corrected"] == pytest.approx((2 - 1) / (65 / 140))
    assert table.loc["fr", "gold"] == "same L1 and band"


def test_no_correction_without_recall_or_gold():
    blind = corrected(learners(25, 0, caught=0)).loc["fr"]
    assert np.isnan(blind["corrected"])
    assert blind["reason"] == "recall may be below 0.05: nothing to divide by"
    few = corrected(learners(3, 30)).loc["fr"]
    assert few["reason"] == "fewer than 20 learners with gold edits"


def test_against_everything_by_hand():
    # A match of a counted family on a misspelt word only, and a spelling match on a tense error only: neither counts
    # where both sides must be of the counted families, both do where the other side is everything.
    frame = texts([("a", "A", "fr", 100), ("b", "B", "de", 100)])
    m = matches([("a", 0, 4, "NON3PRS_VERB"), ("b", 0, 4, "FOUD_FOUND")])
    e = edits([("a", 0, 4, "S"), ("b", 0, 2, "TV")])
    core = load_taxonomy("miner-core")
    table = audit(frame, checked(frame), m, e, core, resamples=20, permutations=9).table
    got = {
        scope: tuple(row(table, scope=scope)[["matches", "matches_hit", "edits", "edits_hit"]])
        for scope in ("errors", "errors against everything", "everything")
    }
    assert got == {
        "errors": (1, 0, 1, 0),
        "errors against everything": (1, 1, 1, 1),
        "everything": (2, 2, 2, 2),
    }
    exact = row(table, scope="errors against everything", comparison="exact")
    assert (exact["matches_hit"], exact["edits_hit"]) == (1, 0)


def errant_edits(rows):
    """Rows of (text_id, start, end, ERRANT type)."""
    frame = edits([(t, s, e, "") for t, s, e, _ in rows])
    return frame.assign(scheme="errant", type=[r[3] for r in sorted(rows, key=lambda r: r[0])])


def test_type_agreement_by_hand():
    frame = texts([(t, t.upper(), "", 100) for t in "abcdef"])
    m = matches(
        [
            ("a", 0, 4, "NON3PRS_VERB"),  # R:VERB:SVA: full
            ("b", 0, 4, "NON3PRS_VERB"),  # R:VERB:TENSE: class alone
            ("c", 0, 4, "MISSING_ARTICLE"),  # R:DET where M:DET is the category's: type without the operation
            ("d", 0, 4, "MISSING_ARTICLE"),  # R:OTHER: names no type
            ("e", 0, 4, "MISSING_ARTICLE"),  # R:NOUN: nothing
            ("f", 0, 4, "MISSING_ARTICLE"),  # no edit there
        ]
    )
    e = errant_edits(
        [
            ("a", 0, 4, "R:VERB:SVA"),
            ("b", 0, 4, "R:VERB:TENSE"),
            ("c", 0, 4, "R:DET"),
            ("d", 0, 4, "R:OTHER"),
            ("e", 0, 4, "R:NOUN"),
            ("f", 50, 54, "R:NOUN"),
        ]
    )
    got = audit(frame, checked(frame), m, e, load_taxonomy("miner-core"), resamples=20, permutations=9)
    table = got.types.set_index("category")
    counts = ["matches", "paired", "typed", "same_class", "same_type", "same_full"]
    assert list(table.loc["", counts]) == [6, 5, 4, 3, 2, 1]
    assert list(table.loc["MISSING_DETERMINER", counts]) == [4, 3, 2, 1, 1, 0]
    shares = ["share_class", "share_type", "share_full", "share_of_paired"]
    assert list(table.loc["", shares]) == [3 / 4, 2 / 4, 1 / 4, 2 / 5]


def test_types_are_compared_in_errant_alone():
    assert run().types is None
    with pytest.raises(InputError, match="ERRANT's scheme"):
        type_agreement(matches(MATCH_ROWS), edits(EDIT_ROWS), load_taxonomy("miner-core"))
    with pytest.raises(InputError, match="give miner-core"):
        type_agreement(matches(MATCH_ROWS), edits(EDIT_ROWS), load_taxonomy("trans-env"))


def test_p_of_recall_is_uniform_where_recall_is_equal():
    # A few learners per L1 with few edits each: rejections at .2 of 200 equal recalls are binomial(200, .2), mean 40, sd 5.7.
    core, rejected = load_taxonomy("miner-core"), 0
    rng = np.random.default_rng(5)
    for _ in range(200):
        l1_of = np.repeat(["de", "fr", "it"], [6, 5, 3])
        learner = np.repeat(np.arange(14), rng.integers(0, 5, size=14))
        frame = pd.DataFrame({"learner": learner, "feature": "VERB_TENSE", "overlap": rng.random(len(learner)) < 0.4})
        table = recall_tests(frame, l1_of, core, permutations=49, rng=rng)
        rejected += bool((table["p"] <= 0.2).any())
    assert 20 <= rejected <= 60
