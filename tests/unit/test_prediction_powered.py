"""Prediction-powered rates: the arithmetic by hand, coverage on simulated learners, and when nothing is estimated."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from miner.categories import load_taxonomy
from miner.errors import InputError, OptionError
from miner.evaluate.powered import prediction_powered_mean, prediction_powered_rates
from miner.tables import EDITS, MATCHES, TEXTS, conform

CORE = load_taxonomy("miner-core")


def test_the_estimate_by_hand():
    # Gold 3, 5, 4 where 2, 3, 4 were predicted: rectifier (1 + 2 + 0) / 3 = 1, its variance 1, over 3 units.
    # Predictions elsewhere 1, 2, 3, 6: mean 3, variance 14/3, over 4 units. Estimate 4; se² = 1/3 + 14/12 = 1.5.
    got = prediction_powered_mean(np.array([3.0, 5, 4]), np.array([2.0, 3, 4]), np.array([1.0, 2, 3, 6]))
    assert got["observed"] == 3
    assert got["rectifier"] == 1
    assert got["estimate"] == 4
    assert got["se"] == pytest.approx(1.5**0.5)
    # qnorm(.975) = 1.959964
    assert got["low"] == pytest.approx(4 - 1.959964 * 1.5**0.5, abs=1e-5)
    assert got["high"] == pytest.approx(4 + 1.959964 * 1.5**0.5, abs=1e-5)
    # The sample alone: mean 4, variance 1, over 3 units.
    assert got["gold"] == 4
    assert got["gold_low"] == pytest.approx(4 - 1.959964 / 3**0.5, abs=1e-5)


def test_perfect_predictions_leave_the_spread_of_the_others_alone():
    f = np.array([1.0, 4, 7])
    got = prediction_powered_mean(f, f, np.array([2.0, 4]))
    assert (got["estimate"], got["rectifier"], got["se"]) == (3, 0, 1)


def test_lengths_and_sizes_are_held():
    for gold, predicted, others in (([1.0], [1.0], [1.0, 2]), ([1.0, 2], [1.0], [1.0, 2]), ([1.0, 2], [1.0, 2], [1.0])):
        with pytest.raises(InputError, match="at least 2 units"):
            prediction_powered_mean(np.array(gold), np.array(predicted), np.array(others))


def test_intervals_cover_the_mean_with_biased_predictions():
    # Predictions see a third of the errors and add noise. 2,000 draws: coverage .95, standard error .005.
    rng = np.random.default_rng(11)
    covered, widths = 0, []
    for _ in range(2000):
        y = rng.gamma(4, 2, size=460)  # mean 8
        f = y / 3 + rng.normal(0, 0.5, size=460)
        got = prediction_powered_mean(y[:60], f[:60], f[60:])
        covered += got["low"] <= 8 <= got["high"]
        widths.append((got["high"] - got["low"]) / (got["gold_high"] - got["gold_low"]))
    assert abs(covered / 2000 - 0.95) < 0.02
    assert np.mean(widths) < 0.8


def corpus(gold=25, others=30, *, corpora=("one", "one")):
    """Learners of 500 words with two texts; each error is seen in every second learner."""
    t, m, e = [], [], []
    for i in range(gold + others):
        for part in "ab":
            name = f"t{i:03}{part}"
            t.append((name, f"L{i:03}", corpora[i >= gold], 250))
            if i % 2:
                m.append((name, 0, 4))
            if i < gold:
                e.append((name, 0, 4))
    texts = pd.DataFrame(t, columns=["text_id", "learner_id", "corpus", "n_words"]).assign(l1="fr", band="B")
    for column in TEXTS.columns:
        if column.name not in texts:
            texts[column.name] = 1 if column.dtype == "Int64" else ""
    base = {"rule_id": "NON3PRS_VERB", "sub_id": "", "lt_category": "GRAMMAR", "issue_type": "grammar", "n_same": 1}
    m = [dict(zip(("text_id", "start", "end"), r, strict=True)) | base | {"engine": "test"} for r in m]
    base = {"annotator": "0", "token_start": None, "token_end": None, "original": "", "scheme": "clc", "row": 0}
    base |= {"kind": "replace", "correction": "x", "type": "AGV"}
    e = [dict(zip(("text_id", "start", "end"), r, strict=True)) | base for r in e]
    return conform(texts, TEXTS), conform(m, MATCHES), conform(e, EDITS)


def rates(t, m, e, **options):
    checked = pd.DataFrame({"text_id": t["text_id"], "status": "checked"})
    return prediction_powered_rates(t, checked, m, e, CORE, **options)


def test_rates_are_of_learners():
    # 25 annotated learners with 2 errors in 500 words: 4 per 1,000. 12 of them have 2 matches (4 per 1,000), 13 none:
    # rectifier 4 - 48/25 = 2.08. 15 of 30 others have matches: 2 per 1,000. Together 4.08.
    row = rates(*corpus(), gold_sample="random").iloc[0]
    assert (row["l1"], row["cefr"], row["category"]) == ("fr", "B", "SUBJECT_VERB_AGREEMENT")
    assert (row["gold_learners"], row["other_learners"]) == (25, 30)
    assert row["gold"] == 4
    assert row["observed"] == 2
    assert row["estimate"] == pytest.approx(4.08)
    # Sample variances of 12 fours and 13 zeros, and of 15 fours and 15 zeros.
    first, second = 16 * 12 * 13 / (25 * 24), 16 * 15 * 15 / (30 * 29)
    assert row["se"] == pytest.approx((first / 25 + second / 30) ** 0.5)


def test_nothing_is_estimated_unless_the_sample_is_declared():
    row = rates(*corpus()).iloc[0]
    assert np.isnan(row["estimate"])
    assert "not declared" in row["reason"]
    with pytest.raises(OptionError, match="gold_sample"):
        rates(*corpus(), gold_sample="rondom")


@pytest.mark.parametrize(
    ("gold", "others", "reason"),
    [(19, 30, "with gold edits"), (30, 0, "every learner is annotated"), (30, 19, "without gold edits")],
)
def test_small_cells_say_why(gold, others, reason):
    row = rates(*corpus(gold, others), gold_sample="random").iloc[0]
    assert np.isnan(row["estimate"])
    assert reason in row["reason"]


def test_gold_from_another_corpus_is_refused():
    with pytest.raises(InputError, match="another corpus"):
        rates(*corpus(corpora=("one", "two")), gold_sample="random")
    t, m, e = corpus()
    with pytest.raises(InputError, match="another corpus"):
        rates(t, m, e.assign(text_id="x" + e["text_id"]), gold_sample="random")


def test_a_partly_annotated_learner_counts_once_by_the_annotated_texts():
    t, m, e = corpus()
    half = e[e["text_id"].str.endswith("a")]
    row = rates(t, m, half, gold_sample="random").iloc[0]
    assert (row["gold_learners"], row["other_learners"]) == (25, 30)
    assert row["gold"] == 4


def test_order_changes_nothing():
    t, m, e = corpus()
    pd.testing.assert_frame_equal(
        rates(t, m, e, gold_sample="random"), rates(t.iloc[::-1], m.iloc[::-1], e.iloc[::-1], gold_sample="random")
    )
