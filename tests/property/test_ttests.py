"""t-tests and corrections agree with SciPy and statsmodels called one test at a time, on random small problems."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy import stats as scipy_stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

from miner import stats
from miner.errors import StatisticsError


def _problem(seed: int):
    rng = np.random.default_rng(seed)
    n_units, n_features, n_groups = int(rng.integers(8, 40)), int(rng.integers(1, 6)), int(rng.integers(2, 5))
    words = rng.integers(20, 400, n_units)
    counts = rng.poisson(rng.gamma(0.7, 2.0, n_features) * words[:, None] / 100)
    return counts, words, rng.integers(0, n_groups, n_units), n_groups


@pytest.mark.parametrize("seed", range(200))
def test_same_as_scipy_loop(seed):
    counts, words, groups, n_groups = _problem(seed)
    target = stats.group_moments(sparse.csr_array(counts), words, groups, n_groups)
    reference = stats.rest(target)
    rates = 1000 * counts / words[:, None]
    for kind in ("student", "welch"):
        for alternative in ("two-sided", "greater", "less"):
            got = stats.t_test(target, reference, kind=kind, alternative=alternative)
            for g in range(n_groups):
                for f in range(counts.shape[1]):
                    one, two = rates[groups == g, f], rates[groups != g, f]
                    if got.reason[g, f]:
                        assert min(len(one), len(two)) < 2 or (np.ptp(one) < 1e-9 and np.ptp(two) < 1e-9)
                        assert np.isnan(got.p[g, f])
                        continue
                    want = scipy_stats.ttest_ind(one, two, equal_var=kind == "student", alternative=alternative)
                    have = (got.t[g, f], got.df[g, f], got.p[g, f])
                    assert have == pytest.approx((want.statistic, want.df, want.pvalue), rel=1e-11, abs=1e-300)
                    if alternative != "two-sided" or seed % 10:
                        continue
                    interval = scipy_stats.ttest_ind(one, two, equal_var=kind == "student").confidence_interval()
                    assert (got.ci_low[g, f], got.ci_high[g, f]) == pytest.approx(tuple(interval), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_same_as_statsmodels(seed):
    counts, words, groups, n_groups = _problem(1000 + seed)
    target = stats.group_moments(counts, words, groups, n_groups)
    got = stats.t_test(target, stats.rest(target), kind="welch")
    rates = 1000 * counts / words[:, None]
    for g, f in np.argwhere(got.reason == ""):
        compare = CompareMeans(DescrStatsW(rates[groups == g, f]), DescrStatsW(rates[groups != g, f]))
        t, p, df = compare.ttest_ind(usevar="unequal")
        assert (got.t[g, f], got.p[g, f], got.df[g, f]) == pytest.approx((t, p, df), rel=1e-10)


@pytest.mark.parametrize("seed", range(30))
def test_constant_rates_are_seen_whatever_the_lengths(seed):
    rng = np.random.default_rng(seed)
    k, base, n = int(rng.integers(1, 9)), int(rng.integers(10, 90)), 30
    times = rng.integers(1, 7, n)
    groups = np.arange(n) % 3
    moments = stats.group_moments((k * times)[:, None], base * times, groups, 3)
    assert moments.constant.all()
    assert (moments.m2 == 0).all()
    assert set(stats.t_test(moments, stats.rest(moments)).reason.ravel()) == {"zero variance, equal means"}


@pytest.mark.parametrize("seed", range(20))
def test_order_of_units_and_scale_change_nothing_that_matters(seed):
    counts, words, groups, n_groups = _problem(seed)
    order = np.random.default_rng(seed).permutation(len(words))
    one = stats.group_moments(counts, words, groups, n_groups)
    two = stats.group_moments(counts[order], words[order], groups[order], n_groups)
    np.testing.assert_allclose(one.mean, two.mean, rtol=1e-12)
    np.testing.assert_allclose(one.m2, two.m2, rtol=1e-10)
    doubled = stats.group_moments(2 * counts, 2 * words, groups, n_groups)
    assert (one.mean == doubled.mean).all(where=~np.isnan(one.mean))


@pytest.mark.parametrize("seed", range(50))
@pytest.mark.parametrize(("method", "theirs"), [("bh", "fdr_bh"), ("by", "fdr_by"), ("holm", "holm")])
def test_corrections_same_as_statsmodels(seed, method, theirs):
    rng = np.random.default_rng(seed)
    p = np.round(rng.random(int(rng.integers(1, 30))) ** 3, int(rng.integers(1, 9)))
    holes = rng.random(p.size) < 0.3
    q, m = stats.adjust(np.where(holes, np.nan, p), method)
    assert m == int((~holes).sum())
    assert np.isnan(q[holes]).all()
    if m:
        np.testing.assert_allclose(q[~holes], multipletests(p[~holes], method=theirs)[1], rtol=1e-12)
        assert (q[~holes] >= p[~holes]).all()


def test_families_do_not_touch_each_other():
    q, m = stats.adjust_families([0.01, 0.04, np.nan, 0.03], ["a", "a", "b", "b"], "bh")
    np.testing.assert_allclose(q, [0.02, 0.04, np.nan, 0.03])
    assert m.tolist() == [2, 2, 1, 1]


@pytest.mark.parametrize("bad", [[-0.1], [1.5]])
def test_impossible_p_values_are_refused(bad):
    with pytest.raises(StatisticsError, match="lie in"):
        stats.adjust(bad)


@pytest.mark.parametrize(
    ("counts", "words"), [([[1]], [0]), ([[-1]], [5]), ([[1.5]], [5]), ([[1]], [2.5]), ([[1]], [5, 5])]
)
def test_impossible_counts_are_refused(counts, words):
    with pytest.raises(StatisticsError):
        stats.group_moments(np.array(counts), words, [0] * len(words), 1)


def test_empty_table():
    moments = stats.group_moments(np.zeros((0, 2), dtype=int), [], [], 2)
    assert set(stats.t_test(moments, stats.rest(moments)).reason.ravel()) == {"target under 2 units"}
