"""Harder neighbours of the handed statistical cases; every number by an independent computation, written out here."""

from __future__ import annotations

import json
import math
import sys
from decimal import Decimal, getcontext
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats
from statsmodels.stats.multitest import multipletests

from miner import stats
from miner.errors import StatisticsError
from miner.learner import get_preset, select_l1, test_l1

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "unit"))
from learner_frames import counts, units


@pytest.fixture(scope="module")
def folder(cases):
    return cases / "stats"


@pytest.fixture(scope="module")
def expected(folder):
    return json.loads((folder / "expected.json").read_text(encoding="utf-8"))


def _sides(folder, name, column, target):
    table = pd.read_csv(folder / name)
    return [table.loc[table["L1"] == g, column].to_numpy(dtype=float) for g in (target, "rest")]


def test_numbers_of_the_cases_that_stand_in_no_other_test(folder, expected):
    one, two = _sides(folder, "s08_effect.csv", "rate", "ja")
    want = expected["S08"]
    moments = [stats.moments.sample_moments(x) for x in (one, two)]
    assert [m.mean[0, 0] for m in moments] == pytest.approx(want["mean"], rel=1e-12)
    assert [m.variance[0, 0] for m in moments] == pytest.approx(want["var_ddof1"], rel=1e-12)
    small = 1 - 3 / (4 * (len(one) + len(two)) - 9)
    assert stats.welch(one, two).hedges_g / small == pytest.approx(want["cohens_d"], rel=1e-12)
    one, two = _sides(folder, "s10_permutation.csv", "rate", "ko")
    got = stats.welch(one, two)
    assert [got.t, got.df, got.p] == pytest.approx([expected["S10"]["welch"][k] for k in ("t", "df", "p")], rel=1e-12)
    table = pd.read_csv(folder / "s05_repeated_learner.csv")
    rates = 100 * table.groupby(["L1", "learner"])["CAT"].sum() / table.groupby(["L1", "learner"])["n_words"].sum()
    for side in ("target", "rest"):
        assert rates[side].tolist() == pytest.approx(expected["S05"]["learner_means"][side])
    apart = stats.permutation_test([3.0, 4.0, 5.0], [0.0, 1.0, 2.0])
    assert apart.p == expected["S05"]["lowest_possible_permutation_p"]
    used = pd.read_csv(folder / "s07_rates.csv").query("n_words > 0")
    each = 100 * used["CAT"] / used["n_words"]
    assert each.tolist() == pytest.approx([v for v in expected["S07"]["per_document"].values() if v is not None])


def _brute(one, two, rule, alternative):
    whole = [Fraction(str(x)) for x in (*one, *two)]
    n, all_ = len(one), sum(whole)
    d = [sum(c) / n - (all_ - sum(c)) / (len(whole) - n) for c in combinations(whole, n)]
    now = sum(whole[:n]) / n - (all_ - sum(whole[:n])) / (len(whole) - n)
    greater, less = sum(x >= now for x in d), sum(x <= now for x in d)
    if alternative != "two-sided":
        return {"greater": greater, "less": less}[alternative], len(d)
    return (sum(abs(x) >= abs(now) for x in d) if rule == "absolute" else min(2 * min(greater, less), len(d))), len(d)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ([0.1, 0.2, 0.3], [0.3, 0.2, 0.1, 0.0]),
        ([5.0], [1.0, 5.0, 5.0]),
        ([2.5, 2.5, 2.5], [2.5, 2.5]),
        ([1e-9, 3e-9], [2e-9, 1e9, 0.0]),
        ([0.7, 0.1, 33.3], [0.7, 0.1, 33.3]),
        ([100.1, 100.2], [99.9, 100.3, 100.0, 99.8]),
    ],
)
def test_exact_permutations_with_ties(one, two):
    for rule in ("absolute", "doubled"):
        for alternative in ("two-sided", "greater", "less"):
            got = stats.permutation_test(one, two, rule=rule, alternative=alternative)
            assert (got.count, got.total) == _brute(one, two, rule, alternative)
            assert got.p == got.count / got.total


def test_equal_rates_of_texts_of_any_length_are_constant():
    # 1/3 as 1/3, 2/6, 333/999; 1000/3000 - and one text that is off by the least there is.
    rows = [("a", "A", "x", "B", 3), ("b", "B", "x", "B", 6), ("c", "C", "y", "B", 999), ("d", "D", "y", "B", 3000)]
    cells = [("a", "F", 1), ("b", "F", 2), ("c", "F", 333), ("d", "F", 1000)]
    row = test_l1(counts(cells), units(rows), preset="welch").iloc[0]
    assert (row["status"], row["reason"]) == ("untestable", "zero variance, equal means")
    off = [*cells[:3], ("d", "F", 1001)]
    row = test_l1(counts(off), units(rows), preset="welch").iloc[0]
    assert row["status"] == "tested"
    # By hand: means 1000/3 and 1000.5/3, variances 0 and 1/18: t = -(1/6) / sqrt(1/36) = -1 with 1 df.
    assert row["effect"] == pytest.approx(-1 / 6, rel=1e-10)
    assert row["statistic"] == pytest.approx(-1.0, rel=1e-9)
    assert row["df"] == pytest.approx(1.0, rel=1e-9)
    assert row["p"] == pytest.approx(0.5, rel=1e-9)


def test_one_learner_with_all_errors_is_never_selected():
    rows, cells = [], []
    for side, l1 in (("t", "ja"), ("r", "de"), ("s", "fr")):
        for k in range(14):
            rows += [(f"{side}{k}{j}", f"{side}{k}", l1, "B", 100, f"p{j}") for j in range(2)]
    cells = [("t00", "ALL", 60), ("t01", "ALL", 50)]
    robust = get_preset("robust", permutations=199, stability_pairs=2, gate=False, min_users=0)
    tests = test_l1(counts(cells), units(rows), preset=robust).set_index("l1")
    # One learner in three groups of 14: each labelling puts him somewhere, so that nothing is rare about him.
    assert tests.loc["ja", "top_share"] == 1.0
    assert tests.loc["ja", "p"] > 0.3
    assert "spread" in tests.loc["ja", "failed"].split()
    # The published recipe takes the same occurrences for 28 independent texts.
    row = test_l1(counts(cells), units(rows), preset="trans-env").set_index("l1").loc["ja"]
    one = [600.0, 500.0] + [0.0] * 26
    want = scipy_stats.ttest_ind(one, [0.0] * 56)
    assert (row["statistic"], row["p"]) == pytest.approx((want.statistic, want.pvalue), rel=1e-12)
    assert select_l1(test_l1(counts(cells), units(rows), preset="robust"), "robust").empty


def test_an_l1_without_texts_of_a_band_has_no_row_there_and_poisons_nothing():
    rows = [
        (f"{l1}{band}{k}", f"{l1}{band}{k}", l1, band, 50 + k)
        for l1 in ("de", "fr", "zh")
        for band in "AB"
        for k in range(4)
    ]
    rows = [r for r in rows if not (r[2] == "zh" and r[3] == "B")]
    cells = [(r[0], "F", 1 + k % 3) for k, r in enumerate(rows)] + [(rows[0][0], "ONCE", 1)]
    tests = test_l1(counts(cells), units(rows), preset="welch")
    assert set(tests.loc[tests["cefr"] == "B", "l1"]) == {"de", "fr"}
    for band in "AB":
        for l1 in ("de", "fr"):
            row = tests[(tests["l1"] == l1) & (tests["cefr"] == band) & (tests["feature"] == "F")].iloc[0]
            number = {r[0]: 1000 * (1 + k % 3) / r[4] for k, r in enumerate(rows)}
            sides = [
                [number[r[0]] for r in rows if r[3] == band and (r[2] == l1) == inside] for inside in (True, False)
            ]
            want = scipy_stats.ttest_ind(*sides, equal_var=False)
            assert row["p"] == pytest.approx(want.pvalue, rel=1e-11)
    nobody = tests[(tests["feature"] == "ONCE") & (tests["cefr"] == "B")]
    assert set(nobody["reason"]) == {"no occurrence"}
    assert nobody["q"].isna().all()
    assert set(tests.loc[(tests["l1"] == "de") & (tests["cefr"] == "B"), "m"]) == {1}


@pytest.mark.parametrize("method", ["bh", "by", "holm"])
@pytest.mark.parametrize(
    "p",
    [
        [np.nan, np.nan],
        [0.2],
        [0.0, 1.0, np.nan, 0.0],
        [0.01] * 5 + [np.nan],
        [5e-324, 1e-300, 0.5, 1.0],
        [0.05, 0.04999999999, np.nan, 0.05000000001],
    ],
)
def test_corrections_at_the_edges(p, method):
    q, m = stats.adjust(p, method)
    there = ~np.isnan(p)
    assert m == there.sum()
    assert np.isnan(q[~there]).all()
    if there.any():
        want = multipletests(np.array(p)[there], method={"bh": "fdr_bh", "by": "fdr_by", "holm": "holm"}[method])[1]
        np.testing.assert_allclose(q[there], want, rtol=1e-12)
        assert (q[there] <= 1).all()


def _g2_in_fifty_digits(a, b, n, m):
    getcontext().prec = 50
    total = Decimal(0)
    for seen, row, column in ((a, n, a + b), (b, m, a + b), (n - a, n, n + m - a - b), (m - b, m, n + m - a - b)):
        if seen:
            total += Decimal(seen) * (Decimal(seen) * Decimal(n + m) / (Decimal(row) * Decimal(column))).ln()
    return float(2 * total)


@pytest.mark.parametrize(
    ("a", "b", "n", "m"),
    [
        (30, 40, 10_000, 40_000),
        (1_000_001, 1_000_000, 10**9, 10**9),
        (3_000_000_000, 9_100_000_000, 10**10, 3 * 10**10),
        (1, 0, 1, 10**12),
        (0, 7, 5, 7),
        (5, 0, 5, 3),
        (1000, 3001, 10**7, 3 * 10**7),
    ],
)
def test_keyness_of_tiny_and_huge_corpora(a, b, n, m):
    got = stats.keyness([a], [b], n, m)
    assert got.g2[0] == pytest.approx(_g2_in_fifty_digits(a, b, n, m), rel=1e-11)
    cross = a * m - b * n
    want = Fraction((n + m) * cross**2, (a + b) * (n + m - a - b) * n * m) if n + m > a + b else None
    if want is not None:
        assert got.chi2[0] == pytest.approx(float(want), rel=1e-12)
    assert got.sign[0] == (cross > 0) - (cross < 0)
    assert got.log_ratio[0] == pytest.approx(math.log2((a or 0.5) / n) - math.log2((b or 0.5) / m), rel=1e-12)
    if n + m > 2**31:
        assert np.isnan(got.p_fisher[0])
        return
    assert got.p_fisher[0] == pytest.approx(scipy_stats.fisher_exact([[a, n - a], [b, m - b]]).pvalue, rel=1e-12)


def test_fractions_that_are_equal_have_no_sign_however_large():
    got = stats.keyness([3 * 10**9], [9 * 10**9], 10**10, 3 * 10**10)
    assert (got.sign[0], got.g2[0], got.p_g2[0], got.chi2[0], got.log_ratio[0]) == (0, 0.0, 1.0, 0.0, 0.0)


def test_texts_of_one_word_and_more_errors_than_words():
    moments = stats.group_moments(np.array([[3], [0], [1]]), [1, 1, 2], [0, 0, 1], 2)
    assert moments.mean[:, 0].tolist() == [1500.0, 500.0]
    assert moments.variance[0, 0] == pytest.approx(2 * 1500**2)
    with pytest.raises(StatisticsError, match="words of their side"):
        stats.keyness([3], [0], 2, 5)


def test_unbalanced_reference_by_hand():
    # Ratio of the target (6 in 100) to L1s with 1, 2 and 30 in 100, 100 and 1,000 words (rates 1, 2, 3 %): equally weighted
    # mean 2 %, ratio 3; pooled 33 / 1200 = 2.75 %, ratio 6 / 2.75. Two strata with the same numbers change nothing.
    table = np.array([[6], [1], [2], [30]] * 2)
    words, who, strata, label = [100, 100, 100, 1000] * 2, np.arange(8), [0] * 4 + [1] * 4, [0, 1, 2, 3] * 2
    equal = stats.mantel_haenszel(table, words, who, strata, label, 4, weighting="equal")
    pooled = stats.mantel_haenszel(table, words, who, strata, label, 4)
    assert np.exp(equal.log_ratio[0, 0]) == pytest.approx(3.0, rel=1e-12)
    assert np.exp(pooled.log_ratio[0, 0]) == pytest.approx(6 / 2.75, rel=1e-12)
    without = stats.mantel_haenszel(
        table, words, who, strata, label, 4, weighting="equal", members=[True, True, True, False]
    )
    assert np.exp(without.log_ratio[0, 0]) == pytest.approx(6 / 1.5, rel=1e-12)


def test_a_stratum_of_one_group_changes_no_ratio():
    table, words = np.array([[4], [2], [9]]), [100, 100, 50]
    got = stats.mantel_haenszel(table, words, [0, 1, 2], [0, 0, 1], [0, 1, 0], 2)
    assert np.exp(got.log_ratio[0, 0]) == pytest.approx(2.0, rel=1e-12)
    alone = stats.mantel_haenszel(table, words, [0, 1, 2], [0, 1, 1], [0, 1, 0], 2)
    assert np.exp(alone.log_ratio[0, 0]) == pytest.approx(9.0, rel=1e-12)
    none = stats.mantel_haenszel(table[:2], words[:2], [0, 1], [0, 1], [0, 1], 2)
    assert np.isnan(none.log_ratio).all()
