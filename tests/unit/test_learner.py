"""Counting, admission, tests and selection of L1 features."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from learner_frames import counts, units

from miner import tables
from miner.errors import EmptyInput, InputError, MinerError, OptionError, StatisticsError
from miner.learner import PRESETS, L1Preset, admit, count, get_preset, select_l1, test_l1
from miner.learner.coverage import greedy_order


def _texts(rows):
    frame = pd.DataFrame(rows, columns=["text_id", "l1", "band", "learner_id", "n_words"])
    for name in tables.TEXTS.names:
        if name not in frame:
            frame[name] = None
    return tables.conform(frame, tables.TEXTS)


def _checked(rows):
    return tables.conform(pd.DataFrame(rows, columns=["text_id", "status", "reason", "n_matches"]), tables.CHECKED)


def _matches(rows):
    return pd.DataFrame(rows, columns=["text_id", "status", "feature"])


@pytest.fixture
def corpus():
    rows, cells = [], []
    for k in range(12):
        l1 = ("fr", "de", "zh")[k % 3]
        rows.append((f"t{k}", None, l1, "AB"[k // 6], 100 + 7 * k))
        cells.append((f"t{k}", "X", 1 + (k * 5) % 4))
        if k % 2:
            cells.append((f"t{k}", "Y", 1 + k % 3))
    return counts(cells), units(rows)


def test_count_keeps_only_what_is_mapped_and_checked():
    texts = _texts(
        [
            ("a", "fr", "A", None, 10),
            ("b", "fr", "A", None, 0),
            ("c", "de", "A", None, 9),
            ("d", "de", "A", None, 9),
            ("e", "de", "A", None, 9),
        ]
    )
    checked = _checked(
        [
            ("a", "checked", "", 3),
            ("b", "checked", "", 0),
            ("c", "incomplete", "timed out", None),
            ("d", "checked", "", 0),
        ]
    )
    matches = _matches([("a", "mapped", "X"), ("a", "mapped", "X"), ("a", "excluded", ""), ("c", "mapped", "X")])
    result = count(texts, checked, matches)
    assert result.counts.values.tolist() == [["a", "X", 2]]
    assert result.units["text_id"].tolist() == ["a", "d"]
    assert dict(result.ledger.dropped) == {"no words": 1, "incomplete: timed out": 1, "not checked": 1}
    assert (result.ledger.read, result.ledger.kept) == (5, 2)
    result.ledger.check()


def test_count_without_any_match():
    result = count(_texts([("a", "fr", "A", None, 10)]), _checked([("a", "checked", "", 0)]), _matches([]))
    assert result.counts.empty
    assert len(result.units) == 1


def test_count_refuses_matches_of_other_texts():
    with pytest.raises(InputError, match="not among the texts"):
        count(
            _texts([("a", "fr", "A", None, 10)]), _checked([("a", "checked", "", 0)]), _matches([("z", "mapped", "X")])
        )


def test_admission_accounts_for_every_text():
    frame = units(
        [
            ("a", "L1", "fr", "A", 10),
            ("b", "L2", "de", "A", 10),
            ("c", "L3", "fr;de", "A", 10),
            ("d", "L4", "en", "A", 10),
            ("e", "L5", None, "A", 10),
            ("f", "L6", "fr", None, 10),
            ("g", "L7", "fr", "C", 10),
            ("h", "L8", "fr", "B", 10),
            ("i", "L8", "de", "B", 10),
            ("j", None, "de", "B", 10),
        ]
    )
    admitted = admit(frame, get_preset("welch", bands=("A", "B")))
    assert admitted.texts["text_id"].tolist() == ["a", "b", "j"]
    assert admitted.unit == "learner"
    assert dict(admitted.ledger.dropped) == {
        "several native languages": 1,
        "native (en)": 1,
        "L1 unknown": 1,
        "no level": 1,
        "band C not asked for": 1,
        "learner with different native languages": 2,
    }
    assert dict(admitted.ledger.noted) == {
        "no learner id: the text is a unit of its own": 1,
        "of an L1 that is not at every level": 1,
    }
    admitted.ledger.check()


def test_unit_text_when_no_learner_is_named(corpus):
    assert admit(corpus[1], PRESETS["welch"]).unit == "text"
    with pytest.raises(StatisticsError, match="learner ids"):
        admit(corpus[1], get_preset("welch", unit="learner"))


def test_one_l1_is_a_clear_error():
    frame = units([("a", None, "fr", "A", 10), ("b", None, "fr", "A", 10), ("c", None, "en", "A", 10)])
    with pytest.raises(MinerError, match=r"expected two or more, got one \('fr', 2 texts.*1 native"):
        test_l1(counts([("a", "X", 1)]), frame, preset="trans-env")


@pytest.mark.parametrize("rows", [[], [("a", None, None, "A", 10)]])
def test_nothing_left_is_a_clear_error(rows):
    frame = units(rows) if rows else tables.UNITS.empty()
    with pytest.raises(EmptyInput, match="No text is left"):
        test_l1(tables.COUNTS.empty(), frame, preset="trans-env")


def test_a_band_with_one_l1_gives_rows_with_a_reason():
    frame = units(
        [("a", None, "fr", "A", 10), ("b", None, "fr", "A", 10), ("c", None, "de", "B", 10), ("d", None, "fr", "B", 10)]
    )
    tests = test_l1(counts([("a", "X", 1)]), frame, preset="trans-env")
    alone = tests[tests["cefr"] == "A"].iloc[0]
    assert (alone["status"], alone["reason"], alone["texts_reference"]) == ("untestable", "texts_reference < 2", 0)
    assert tests["p"].isna().all()
    assert np.isnan(alone["rate_reference"])


def test_row_order_changes_no_byte(corpus):
    cells, frame = corpus
    first = test_l1(cells, frame, preset="welch")
    mixed = test_l1(cells.sample(frac=1, random_state=1), frame.sample(frac=1, random_state=2), preset="welch")
    pd.testing.assert_frame_equal(first, mixed, check_exact=True)


def test_totals_of_each_row_add_up(corpus):
    tests = test_l1(*corpus, preset="trans-env", labels={"X": "the x", "Z": "nobody"})
    both = tests[(tests["feature"] == "X") & (tests["cefr"] == "A")]
    assert (both["errors_target"] + both["errors_reference"]).nunique() == 1
    assert (both["texts_target"] + both["texts_reference"]).tolist() == [6, 6, 6]
    assert both["reference"].tolist() == ["fr:2 zh:2", "de:2 zh:2", "de:2 fr:2"]
    assert set(tests["feature"]) == {"X", "Y", "Z"}
    assert set(tests.loc[tests["feature"] == "Z", "reason"]) == {"no occurrence"}
    assert set(tests.loc[tests["feature"] == "X", "label"]) == {"the x"}


def test_learner_rates_are_ratios_of_a_learners_sums():
    frame = units(
        [
            ("a", "p", "fr", "A", 100),
            ("b", "p", "fr", "A", 300),
            ("c", "q", "fr", "A", 200),
            ("d", "r", "de", "A", 100),
            ("e", "s", "de", "A", 100),
        ]
    )
    tests = test_l1(counts([("a", "X", 2), ("b", "X", 2), ("c", "X", 1), ("d", "X", 1)]), frame, preset="welch")
    row = tests[tests["l1"] == "fr"].iloc[0]
    assert row["rate_target"] == pytest.approx((1000 * 4 / 400 + 1000 * 1 / 200) / 2)  # by hand: 10 and 5
    assert (row["learners_target"], row["texts_target"], row["unit"]) == (2, 3, "learner")


def test_selection_follows_direction_order_and_cap():
    base = dict.fromkeys(tables.L1_TESTS.names)
    rows = [
        {**base, "l1": "fr", "cefr": "A", "feature": f, "effect": e, "statistic": t, "p": p, "q": p, "status": s}
        for f, e, t, p, s in [
            ("a", 1.0, 3.0, 0.01, "tested"),
            ("b", 5.0, 2.5, 0.02, "tested"),
            ("c", -2.0, -4.0, 0.001, "tested"),
            ("d", 2.0, 3.0, 0.01, "tested"),
            ("e", 9.0, None, None, "degenerate"),
            ("f", 1.0, 2.0, 0.05, "tested"),
        ]
    ]
    tests = tables.conform(pd.DataFrame(rows), tables.L1_TESTS)
    assert select_l1(tests, "trans-env")["feature"].tolist() == ["a", "d", "b"]
    assert select_l1(tests, get_preset("trans-env", order="effect", cap=2))["feature"].tolist() == ["b", "d"]
    both = select_l1(tests, "welch")
    assert both["feature"].tolist() == ["c", "a", "d", "b"]
    assert both["direction"].tolist() == ["under", "over", "over", "over"]
    assert both["rank"].tolist() == [1, 2, 3, 4]
    assert select_l1(tests.iloc[:0], "welch").empty


def test_minimum_counts_are_options(corpus):
    few = test_l1(*corpus, preset=get_preset("welch", min_units=3))
    assert set(few["reason"]) == {"texts_target < 3"}
    rare = test_l1(*corpus, preset=get_preset("welch", min_errors=1000))
    assert set(rare["reason"]) == {"errors < 1000"}


def test_unknown_options_are_refused_with_the_nearest():
    with pytest.raises(OptionError, match="did you mean 'trans-env'"):
        get_preset("transenv")
    with pytest.raises(OptionError, match="did you mean 'correction'"):
        get_preset("welch", corection="bh")
    with pytest.raises(OptionError, match="did you mean 'welch'"):
        get_preset("welch", test="welsh")
    with pytest.raises(OptionError, match="alpha"):
        L1Preset(name="x", alpha=2)


def test_preset_trans_env_is_the_published_recipe():
    recipe = PRESETS["trans-env"]
    assert (recipe.test, recipe.alternative, recipe.alpha, recipe.correction) == ("student", "two-sided", 0.05, "none")
    assert (recipe.unit, recipe.direction, recipe.cap, recipe.order) == ("text", "over", 10, "statistic")
    assert (recipe.bands, recipe.mode, recipe.overlap) == (("A", "B"), "sentence", "all")


def test_natives_tell_general_from_specific_features():
    rows, cells = [], []
    for k in range(48):
        l1 = ("fr", "de", "zh", "en")[k % 4]
        rows.append((f"t{k:02}", f"w{k}", l1, None if l1 == "en" else "B", 100))
        noise = k // 4 % 3
        cells.append((f"t{k:02}", "ALL", 1 + noise + (0 if l1 == "en" else 9 if l1 == "fr" else 6)))
        cells.append((f"t{k:02}", "ONE", 2 + noise + (8 if l1 == "zh" else 0)))
    tests = test_l1(counts(cells), units(rows), preset="welch").set_index(["l1", "feature"])
    assert tests.loc[("fr", "ALL"), "scope"] == "learner-general"
    assert tests.loc[("zh", "ONE"), "scope"] == "L1-specific"
    assert tests.loc[("fr", "ALL"), "rate_native"] == pytest.approx(20.0)  # by hand: 2 in 100 words on average
    inventory = select_l1(tests.reset_index(), "welch").set_index(["l1", "feature"])
    assert inventory.loc[("zh", "ONE"), "scope"] == "L1-specific"
    without = test_l1(counts(cells), units([r for r in rows if r[2] != "en"]), preset="welch")
    assert without["scope"].isna().all()


def test_coverage_puts_a_copy_last():
    rng = np.random.default_rng(0)
    label = np.repeat([0, 1], 100)
    strong = rng.normal(size=200) + 2.0 * (label == 0)
    other = rng.normal(size=200) + 1.0 * (label == 0)
    rates = np.column_stack([strong, strong + 0.01 * rng.normal(size=200), other])
    order = greedy_order(rates, label, 0)
    assert order[1] == 2
    assert sorted(order) == [0, 1, 2]
    assert greedy_order(np.zeros((4, 2)), np.array([0, 0, 1, 1]), 0) == [0, 1]


def test_coverage_is_an_order_of_the_pipeline(corpus):
    from miner.learner import Counts, compare_l1
    from miner.ledger import Ledger

    counted = Counts(*corpus, Ledger("count", "texts"))
    loose = {"correction": "none", "alpha": 0.9, "min_units": 2}
    _, _, plain = compare_l1(counted, get_preset("welch", **loose))
    _, _, ranked = compare_l1(counted, get_preset("welch", order="coverage", cap=1, **loose))
    assert set(plain["feature"]) == {"X", "Y"}
    assert set(ranked["rank"]) == {1}


@pytest.mark.parametrize("preset", ["trans-env", "welch", "robust"])
def test_a_corpus_without_any_match_gives_rows_with_reasons(corpus, preset):
    nothing = tables.COUNTS.empty()
    named = test_l1(nothing, corpus[1], preset=preset, labels={"X": "the x"})
    assert set(named["status"]) == {"untestable"}
    assert named["p"].isna().all()
    assert select_l1(named, preset).empty
    unnamed = test_l1(nothing, corpus[1], preset=preset)
    assert unnamed.empty
    assert unnamed.columns.tolist() == tables.L1_TESTS.names
    assert select_l1(unnamed, preset).empty
