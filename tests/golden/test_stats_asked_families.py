"""Families of comparisons hold what was asked for; and goldens of comparisons over corpora and levels."""

import numpy as np
import pytest
from scipy import sparse
from scipy import stats as scipy_stats
from simulated_counts import simulate_counts
from statsmodels.stats.meta_analysis import combine_effects

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


def test_cr2_errors_and_degrees_of_freedom_are_those_of_the_matrices():
    # Bell and McCaffrey with full matrices: clusters of one row, Poisson model with one rate a side.
    rng = np.random.default_rng(7)
    first, second = 12, 15
    n = first + second
    words = rng.integers(50, 400, n)
    counts = rng.poisson(words * 0.02 * rng.gamma(2, 0.5, n))
    side = (np.arange(n) >= first).astype(int)
    found = stats.clustered_log_ratio(sparse.csr_array(counts[:, None]), words, side, 2)
    design = np.c_[np.ones(n), 1 - side]
    rate = np.array([counts[side == s].sum() / words[side == s].sum() for s in (0, 1)])
    mean = rate[side] * words
    bread = np.linalg.inv(design.T @ (mean[:, None] * design))
    hat = np.einsum("ij,jk,ik->i", design, bread, design) * mean
    weight = 1 / np.sqrt(1 - hat)
    meat = design * ((counts - mean) * weight)[:, None]
    assert found.se[0, 0] == pytest.approx(np.sqrt((bread @ (meat.T @ meat) @ bread)[1, 1]), rel=1e-9)
    scaled = mean[:, None] * design
    row = bread[1] @ design.T * weight
    model = row[:, None] * (np.diag(mean) - scaled @ bread @ scaled.T) * row[None, :]
    assert found.df[0, 0] == pytest.approx(np.trace(model) ** 2 / (model**2).sum(), rel=1e-8)


@pytest.mark.parametrize("corpora", [4, 5, 9])
def test_random_effects_are_those_of_statsmodels(corpora):
    rng = np.random.default_rng(corpora)
    effects, errors = rng.normal(0.2, 0.8, corpora), rng.uniform(0.05, 0.3, corpora)
    found = stats.random_effects(effects, errors)
    other = combine_effects(effects, errors**2, method_re="chi2")
    assert other.tau2 > 0  # statsmodels keeps a negative one, which DerSimonian and Laird take as 0
    assert (found.tau2, found.mean) == pytest.approx((other.tau2, other.mean_effect_re))
    # Hartung and Knapp's error, never under the classical one.
    error = max(other.sd_eff_w_re_hksj, other.sd_eff_w_re)
    assert found.se == pytest.approx(error)
    ahead = scipy_stats.t.ppf(0.975, corpora - 2) * np.sqrt(other.tau2 + error**2)
    assert (found.predicted_low, found.predicted_high) == pytest.approx((found.mean - ahead, found.mean + ahead))
