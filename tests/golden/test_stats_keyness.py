"""Keyness, ranks and permutation on the handed cases (SciPy, by hand), and textbook values."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from miner import stats
from miner.errors import StatisticsError, TooFew


@pytest.fixture(scope="module")
def folder(cases):
    return cases / "stats"


@pytest.fixture(scope="module")
def expected(folder):
    return json.loads((folder / "expected.json").read_text(encoding="utf-8"))


def test_s09_keyness(folder, expected):
    table = pd.read_csv(folder / "s09_counts.csv")
    words = json.loads((folder / "s09_totals.json").read_text(encoding="utf-8"))
    got = stats.keyness(table["target"], table["reference"], words["target_words"], words["reference_words"])
    pairs = {
        "G2": got.g2,
        "p_G2": got.p_g2,
        "chi2_no_yates": got.chi2,
        "fisher_p": got.p_fisher,
        "log2_ratio_zero_as_half": got.log_ratio,
        "log_odds_plus_half": got.log_odds,
        "z_log_odds": got.z_log_odds,
    }
    for k, name in enumerate(table["category"]):
        want = expected["S09"]["categories"][name]
        if "status" in want:
            assert all(np.isnan(values[k]) for values in pairs.values())
            continue
        assert [got.rate_target[k], got.rate_reference[k]] == pytest.approx(want["per_1000"], rel=1e-12)
        assert got.sign[k] == want["sign"]
        for key, values in pairs.items():
            assert values[k] == pytest.approx(want[key], rel=1e-9, abs=1e-12), (name, key)
    assert got.small.tolist() == [False, True, True, False, False, False]  # expected counts 2.4 (C2) and 1.8 (C3)


def test_s08_mann_whitney_and_cliff(folder, expected):
    table = pd.read_csv(folder / "s08_effect.csv")
    one, two = (table.loc[table["L1"] == g, "rate"].to_numpy() for g in ("ja", "rest"))
    got, want = stats.mann_whitney_samples(one, two), expected["S08"]
    assert got.exact
    assert (got.u, got.p, got.delta) == pytest.approx(
        (want["mannwhitney_U"], want["mannwhitney_exact_p"], want["cliffs_delta"]), rel=1e-12
    )
    assert stats.mann_whitney_samples(two, one).delta == pytest.approx(-got.delta, rel=1e-12)


def test_s10_and_s01_permutations(folder, expected):
    table = pd.read_csv(folder / "s10_permutation.csv")
    one, two = (table.loc[table["L1"] == g, "rate"].to_numpy() for g in ("ko", "rest"))
    want = expected["S10"]
    for rule, key in (
        ("absolute", "exact_two_sided_by_absolute_difference"),
        ("doubled", "exact_two_sided_by_doubling_smaller_tail"),
    ):
        got = stats.permutation_test(one, two, rule=rule)
        assert got.exact
        assert [got.count, got.total, got.p] == pytest.approx(want[key])
    less = stats.permutation_test(one, two, alternative="less")
    assert [less.count, less.total, less.p] == pytest.approx(want["exact_one_sided_less"])
    assert less.difference == pytest.approx(want["mean_difference"])
    drawn = stats.permutation_test([1.0] * 30, [2.0] * 30, most=10, permutations=999)
    assert not drawn.exact
    assert drawn.p >= want["random_999_floor"]
    degenerate = pd.read_csv(folder / "s01_degenerate.csv")
    for name in ("SEPARATED", "ONE_SIDE_ZERO", "NORMAL"):
        sides = [degenerate.loc[degenerate["L1"] == g, name].to_numpy() for g in ("target", "rest")]
        got = stats.permutation_test(*sides)
        assert [got.count, got.total, got.p] == pytest.approx(expected["S01"][name]["exact_permutation_p"])


def test_s05_permutation_over_learners(expected):
    means = expected["S05"]["learner_means"]
    got = stats.permutation_test(means["target"], means["rest"])
    assert [got.count, got.total, got.p] == pytest.approx(expected["S05"]["exact_permutation_over_learners"])


def test_permutation_keeps_decimal_ties():
    # 0.1 + 0.2 and 0.3 tie as decimals, not as floats: by hand, the 3 arrangements with a sum of .3 of 6 and those beyond.
    got = stats.permutation_test([0.1, 0.2], [0.3, 0.0], alternative="greater")
    assert (got.count, got.total) == (4, 6)  # sums .1 .2 .3 .3 .4 .5: four reach .3


def test_log_odds_with_prior_by_hand():
    # a = (8, 2), b = (2, 8), prior (10, 10): log((8 + 10) / (10 + 20 - 18)) - log((2 + 10) / (10 + 20 - 12)) = log(1.5) - log(2/3)
    got = stats.log_odds_with_prior([8, 2], [2, 8])
    delta = np.log(1.5) - np.log(2 / 3)
    assert got.delta == pytest.approx([delta, -delta], rel=1e-12)
    assert got.z == pytest.approx([delta / np.sqrt(1 / 18 + 1 / 12), -delta / np.sqrt(1 / 18 + 1 / 12)], rel=1e-12)


def test_dispersion_by_hand():
    # Words .25, .25, .5; occurrences (4, 0, 0): DP = (.75 + .25 + .5) / 2 = .75; even: (1, 1, 2): 0.
    got = stats.dispersion(np.array([[4, 1, 0], [0, 1, 0], [0, 2, 0]]), [100, 100, 200])
    assert got.range.tolist() == [1, 3, 0]
    assert got.dp[:2].tolist() == pytest.approx([0.75, 0.0], abs=1e-15)
    assert got.dp_norm[0] == pytest.approx(1.0)
    assert np.isnan(got.dp[2])
    assert got.top_share[:2].tolist() == pytest.approx([1.0, 0.5])
    assert stats.leave_one_out([1.0, 2.0, 9.0], [2.0]) == pytest.approx((-0.5, 3.5))


def test_shah_samworth_by_hand():
    assert stats.shah_samworth_bound(10, 50, 0.8, 50) == pytest.approx(4 * 0.21 / 1.02 * 2)
    assert stats.shah_samworth_bound(10, 50, 0.7, 50) == pytest.approx(2 / (2 * 0.39))


def test_bad_input_is_refused():
    with pytest.raises(StatisticsError, match="words of their side"):
        stats.keyness([5], [1], 4, 10)
    with pytest.raises(TooFew):
        stats.permutation_test([], [1.0])
    with pytest.raises(TooFew):
        stats.mann_whitney_samples([1.0], [])
    with pytest.raises(StatisticsError, match="missing"):
        stats.permutation_test([float("nan")], [1.0])
