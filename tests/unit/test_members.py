"""Judging moves learners, not texts: shuffles, halves and scores in another corpus, also where a recipe compares texts."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

from miner.evaluate import compare_across, compare_halves, shuffle_labels, uniformity
from miner.evaluate.members import admit_learners, movable, relabelled, units_of
from miner.evaluate.shuffles import share_interval
from miner.learner import Counts, get_preset

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from simulated_counts import simulate_counts

BY_TEXT = get_preset("trans-env", direction="both")


@pytest.fixture(scope="module")
def habits() -> Counts:
    """Learners of five L1s without any difference, who write four texts each and differ much from each other."""
    return simulate_counts(3, learners=30, shape=0.5, bands=("B",), texts=4, prompts=1)[0]


def test_shuffled_labels_show_that_texts_of_a_learner_are_no_units_of_their_own(habits):
    # A mean of four equal texts by t with four times the learners: |t| is doubled, and P(|t| > 1.96 / 2) = .33. Poisson noise
    # makes texts of a learner less alike. Were texts shuffled one by one, the share would be .05.
    found = shuffle_labels(habits, BY_TEXT, shuffles=20)
    assert uniformity(found.p_values)[0.05] > 0.15


def test_no_learner_is_in_both_halves(habits):
    # With the other texts of the same learners in the other half, most chance findings would be found again.
    found = compare_halves(habits, BY_TEXT, splits=10)
    assert found.found > 1
    assert found.same_sign < 0.65


def test_learners_of_the_corpus_that_is_scored_are_counted(habits):
    found = compare_across(habits, habits, BY_TEXT, fewest=31, resamples=0)
    assert found.there is None
    assert "31 learners" in found.notes["there"]


def _units(rows):
    frame = pd.DataFrame(rows, columns=["text_id", "learner", "l1", "band", "prompt"])
    return Counts(pd.DataFrame(), frame.assign(words=100, opportunities=pd.NA), None)


def test_a_stratum_is_the_set_of_bands_and_prompts_that_a_learner_wrote_in():
    rows = []
    for k, (prompts, l1) in enumerate([("pq", "de"), ("qp", "fr"), ("p", "de"), ("p", "fr"), ("q", "de"), ("q", "fr")]):
        rows += [(f"t{k}{p}", f"w{k}", l1, "B", p) for p in prompts]
    rows += [("t7", "w7", "de", "A", "p"), ("t8", "w8", "fr", "A", "p")]
    found = movable(admit_learners(_units(rows), BY_TEXT))
    assert list(found.members) == ["w0", "w1", "w2", "w3", "w4", "w5", "w7", "w8"]
    strata = found.strata.tolist()
    assert [strata[0] == s for s in strata] == [True, True] + 6 * [False]
    assert len(set(strata)) == 4
    assert (found.kind, found.moved) == ("prompt", 1.0)


def test_where_prompts_leave_most_learners_alone_strata_are_sets_of_bands():
    rows = [(f"t{k}", f"w{k}", "de" if k % 2 else "fr", "B", f"p{k}") for k in range(8)]
    found = movable(admit_learners(_units(rows), BY_TEXT))
    assert (found.kind, found.moved, len(set(found.strata.tolist()))) == ("level", 1.0, 1)


def test_a_label_moves_with_all_texts_of_the_learner(habits):
    admitted = admit_learners(habits, BY_TEXT)
    mixed = relabelled(admitted, np.random.default_rng(1))
    by_text = units_of(mixed, BY_TEXT)
    assert by_text.unit == "text"
    assert by_text.texts["member"].is_unique
    owner = habits.units.set_index("text_id")["learner"]
    l1s = by_text.texts.groupby(by_text.texts["text_id"].map(owner))["l1"].nunique()
    assert (l1s == 1).all()
    before = admitted.texts.set_index("text_id")["l1"]
    assert (by_text.texts.set_index("text_id")["l1"] != before).any()
    assert by_text.texts["l1"].value_counts().to_dict() == before.value_counts().to_dict()


def test_the_interval_of_a_share_is_wilsons():
    for k, n in ((0, 200), (7, 200), (20, 20)):
        known = scipy_stats.binomtest(k, n).proportion_ci(method="wilson")
        np.testing.assert_allclose(share_interval(k / n, n), [known.low, known.high], atol=1e-12)
