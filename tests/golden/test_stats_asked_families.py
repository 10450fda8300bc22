"""Families of comparisons hold what was asked for; and goldens of comparisons over corpora and levels."""

import numpy as np
import pytest
from simulated_counts import simulate_counts

from miner import stats
from miner.evaluate import compare_groups
from miner.learner import get_preset, test_l1


def test_the_gate_of_a_family_of_one_hypothesis_is_its_own_permutation_test():
    # One feature, one band, one target: the largest statistic of the family is this one, so that max-T is (c + 1) / (m + 1).
    counted, _ = simulate_counts(3, learners=20, l1s=5, features=1, ratio=1.6, bands=("B",))
    recipe = get_preset("robust", permutations=999, further_permutations=0, stability_pairs=0, min_units=5, min_users=0)
    row = compare_groups(counted, ["l2"], preset=recipe).iloc[0]
    assert row["m"] == 1
    assert row["family_p"] == pytest.approx((row["extreme"] + 1) / (row["permutations"] + 1), abs=1e-12)


@pytest.mark.parametrize("preset", ["welch", "trans-env", "robust"])
def test_what_belongs_to_no_family_is_that_of_the_whole_table(preset):
    counted, _ = simulate_counts(5, learners=15, l1s=4, features=6, ratio=2.0, bands=("A", "B"))
    recipe = get_preset(preset)
    whole = test_l1(counted.counts, counted.units, preset=recipe)
    whole = whole[whole["l1"] == "l1"].reset_index(drop=True)
    own = compare_groups(counted, ["l1"], preset=recipe)
    same = ["feature", "cefr", "errors_target", "rate_target", "rate_reference", "effect", "log_ratio", "statistic"]
    for column in same:
        assert list(own[column].fillna(-9)) == list(whole[column].fillna(-9)), column
    tested = own["p"].notna()
    assert set(own.loc[tested, "m"]) == ({12} if recipe.correction_family == "all" else {6})


def test_shares_of_true_nulls_count_what_is_asked_for():
    counted, _ = simulate_counts(6, learners=15, l1s=4, features=9, ratio=2.0, bands=("B",))
    recipe = get_preset("robust", correction="storey", permutations=199, further_permutations=0, gate=False)
    own = compare_groups(counted, ["l1"], preset=recipe)
    p = own["p"].to_numpy(dtype=float)
    # Storey, Taylor and Siegmund 2004, lambda .5: (number above + 1) / (m (1 - lambda)), at most 1.
    share = min(1.0, ((p > 0.5).sum() + 1) / (0.5 * len(p)))
    assert own["null_share"].to_numpy(dtype=float) == pytest.approx(share)
    order = np.argsort(p)
    scaled = share * p[order] * len(p) / np.arange(1, len(p) + 1)
    # Nothing above lambda is rejected.
    q = np.minimum.accumulate(np.where(p[order] > 0.5, 1.0, scaled)[::-1])[::-1]
    assert own["q"].to_numpy(dtype=float)[order] == pytest.approx(np.minimum(q, 1.0))
    assert stats.null_share(p) == pytest.approx(share)
