"""Rank tests, rate ratios, permuted contrasts and half-samples agree with plain loops and with SciPy and statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import sparse
from scipy import stats as scipy_stats

from miner import stats
from miner.errors import StatisticsError
from miner.stats.scores import normal_score


def _problem(seed: int, n_units: int = 40, n_features: int = 4, n_groups: int = 3):
    rng = np.random.default_rng(seed)
    words = rng.integers(50, 300, n_units)
    counts = rng.poisson(rng.gamma(0.8, 1.2, n_features) * words[:, None] / 100)
    return counts, words, rng.integers(0, n_groups, n_units), rng.integers(0, 3, n_units)


@pytest.mark.parametrize("seed", range(40))
def test_mann_whitney_same_as_scipy(seed):
    counts, words, groups, _ = _problem(seed)
    rates = 1000 * counts / words[:, None]
    got = stats.mann_whitney(sparse.csr_array(rates), groups, 3)
    for g in range(3):
        for f in range(rates.shape[1]):
            one, two = rates[groups == g, f], rates[groups != g, f]
            if np.ptp(rates[:, f]) == 0:
                assert np.isnan(got.p[g, f])
                continue
            want = scipy_stats.mannwhitneyu(one, two, method="asymptotic")
            assert (got.u[g, f], got.p[g, f]) == pytest.approx((want.statistic, want.pvalue), rel=1e-11)
            pairs = np.sign(one[:, None] - two[None, :])
            assert got.delta[g, f] == pytest.approx(pairs.mean(), rel=1e-12, abs=1e-12)


def _mh(counts, words, strata, target, reference):
    above = below = 0.0
    for s in np.unique(strata):
        t, r = target & (strata == s), reference & (strata == s)
        total = words[t].sum() + words[r].sum()
        if total:
            above += counts[t].sum() * words[r].sum() / total
            below += counts[r].sum() * words[t].sum() / total
    return above, below


@pytest.mark.parametrize("seed", range(20))
def test_mantel_haenszel_and_jackknife_same_as_loops(seed):
    counts, words, groups, strata = _problem(seed, n_features=3)
    learners = np.arange(len(words)) // 2
    groups = groups[learners]  # both texts of a learner are in one group
    got = stats.mantel_haenszel(sparse.csr_array(counts), words, learners, strata, groups, 3)
    for g in range(3):
        for f in range(3):
            keep = [np.ones(len(words), bool)] + [learners != j for j in np.unique(learners)]
            sums = [_mh(counts[k, f], words[k], strata[k], (groups == g)[k], (groups != g)[k]) for k in keep]
            if not sums[0][0] or not sums[0][1]:
                assert got.halved[g, f] or np.isnan(got.log_ratio[g, f])
                continue
            assert got.log_ratio[g, f] == pytest.approx(np.log(sums[0][0] / sums[0][1]), rel=1e-10, abs=1e-12)
            if any(a <= 0 or b <= 0 for a, b in sums):
                continue
            logs = np.log([a / b for a, b in sums])
            j = len(logs) - 1
            se = np.sqrt((j - 1) / j * ((logs[1:] - logs[1:].mean()) ** 2).sum())
            assert got.se[g, f] == pytest.approx(se, rel=1e-10)


def test_mantel_haenszel_by_hand():
    # Stratum 1: 4 in 100 against 3 in 300; stratum 2: 2 in 200 against 1 in 100. R = 4*300/400 + 2*100/300 = 11/3;
    # S = 3*100/400 + 1*200/300 = 17/12.
    counts = np.array([[4], [3], [2], [1]])
    got = stats.mantel_haenszel(counts, [100, 300, 200, 100], [0, 1, 2, 3], [0, 0, 1, 1], [0, 1, 0, 1], 2)
    assert np.exp(got.log_ratio[0, 0]) == pytest.approx((11 / 3) / (17 / 12), rel=1e-12)
    assert got.log_ratio[1, 0] == pytest.approx(-got.log_ratio[0, 0], rel=1e-12)


def test_equal_weights_do_not_depend_on_group_sizes():
    # Rates 2 % and 4 % in the reference, whatever their words: mean 3 %, target 6 %.
    counts, words = np.array([[6], [2], [40]]), [100, 100, 1000]
    got = stats.mantel_haenszel(counts, words, [0, 1, 2], [0, 0, 0], [0, 1, 2], 3, weighting="equal")
    assert not got.halved.any()
    assert np.exp(got.log_ratio[0, 0]) == pytest.approx(2.0, rel=1e-12)


def test_ratio_without_occurrences_has_no_number_and_one_sided_zero_is_halved():
    counts = np.zeros((8, 2), dtype=int)
    counts[:4, 1] = 3
    got = stats.mantel_haenszel(counts, [100] * 8, range(8), [0] * 8, [0] * 4 + [1] * 4, 2)
    assert np.isnan(got.log_ratio[:, 0]).all()
    assert got.halved[:, 1].all()
    assert np.exp(got.log_ratio[0, 1]) == pytest.approx(12.5 / 0.5)


@pytest.mark.parametrize("seed", range(20))
def test_clustered_log_ratio_same_as_poisson_sandwich(seed):
    counts, words, groups, _ = _problem(seed, n_units=60)
    got = stats.clustered_log_ratio(sparse.csr_array(counts), words, groups, 3, variance="delta")
    for g in range(3):
        side = (groups == g).astype(float)
        for f in range(counts.shape[1]):
            y = counts[:, f].astype(float)
            if not (y[side == 1].sum() and y[side == 0].sum()):
                assert np.isnan(got.log_ratio[g, f])
                continue
            design = np.column_stack([np.ones_like(side), side])
            fit = sm.GLM(y, design, family=sm.families.Poisson(), offset=np.log(words)).fit(tol=1e-14, cov_type="HC0")
            assert got.log_ratio[g, f] == pytest.approx(fit.params[1], rel=1e-8, abs=1e-10)
            # HC0 lacks the factor k / (k - 1) of each side.
            k1, k2 = side.sum(), (1 - side).sum()
            low, high = sorted((np.sqrt(k1 / (k1 - 1)), np.sqrt(k2 / (k2 - 1))))
            assert fit.bse[1] * low * (1 - 1e-8) <= got.se[g, f] <= fit.bse[1] * high * (1 + 1e-8)


def _cr2_by_matrices(y, words, side):
    # Pustejovsky and Tipton (2018), equations 7 and 11, for the working linear model of a Poisson regression.
    design = np.column_stack([np.ones_like(side), side])
    fit = sm.GLM(y, design, family=sm.families.Poisson(), offset=np.log(words)).fit(tol=1e-14)
    weight, residual = np.diag(fit.mu), (y - fit.mu) / fit.mu
    bread = np.linalg.inv(design.T @ weight @ design)
    rest = np.eye(len(y)) - design @ bread @ design.T @ weight
    adjust = 1 / np.sqrt(np.diag(rest))
    g = (weight @ design @ bread)[:, 1] * adjust
    inner = g[:, None] * (rest @ np.linalg.inv(weight) @ rest.T) * g[None, :]
    hc2 = sm.WLS(fit.predict(design, which="linear") + residual, design, weights=fit.mu).fit(cov_type="HC2").bse[1]
    return np.sqrt(((g * residual) ** 2).sum()), np.trace(inner) ** 2 / (inner**2).sum(), hc2


@pytest.mark.parametrize("seed", range(15))
def test_few_clusters_get_the_corrected_error_and_fewer_get_none(seed):
    counts, words, _, _ = _problem(seed, n_units=66)
    groups = np.repeat([0, 1, 2], [9, 15, 42])
    got = stats.clustered_log_ratio(sparse.csr_array(counts), words, groups, 3)
    assert got.method.ravel().tolist() == ["none", "cr2", "cr2"]
    assert np.isnan(got.se[0]).all()
    forced = stats.clustered_log_ratio(sparse.csr_array(counts), words, groups, 3, variance="cr2")
    for g in range(3):
        side = (groups == g).astype(float)
        for f in range(counts.shape[1]):
            y = counts[:, f].astype(float)
            if not (y[side == 1].sum() and y[side == 0].sum()):
                assert np.isnan(forced.se[g, f])
                assert np.isnan(forced.interval()[0][g, f])
                continue
            se, df, hc2 = _cr2_by_matrices(y, words, side)
            assert (forced.se[g, f], forced.df[g, f]) == pytest.approx((se, df), rel=1e-7)
            assert forced.se[g, f] == pytest.approx(hc2, rel=1e-7)
    many = stats.clustered_log_ratio(sparse.csr_array(counts), words, np.repeat([0, 1], [26, 40]), 2)
    assert set(many.method.ravel()) == {"cr2"}
    large = stats.clustered_log_ratio(np.tile(counts, (2, 1)), np.tile(words, 2), np.repeat([0, 1], [40, 92]), 2)
    assert set(large.method.ravel()) == {"delta"}


@pytest.mark.parametrize("family", ["quasi-poisson", "negative-binomial"])
def test_models_agree_with_the_fast_path(family):
    rng = np.random.default_rng(4)
    n = 400
    side, words, prompt = np.arange(n) < 150, rng.integers(150, 400, n), rng.integers(0, 2, n)
    y = rng.poisson(words / 1000 * 8 * rng.gamma(2, 0.5, n) * np.where(side, 1.8, 1.0) * np.where(prompt == 1, 1.5, 1))
    slow = stats.model_log_ratio(y, words, side, strata=prompt, family=family)
    fast = stats.mantel_haenszel(y[:, None], words, np.arange(n), prompt, (~side).astype(int), 2)
    assert fast.log_ratio[0, 0] == pytest.approx(slow.log_ratio, abs=0.5 * slow.se)
    assert fast.se[0, 0] == pytest.approx(slow.se, rel=0.3)
    with pytest.raises(StatisticsError, match="occurrence on each side"):
        stats.model_log_ratio(np.where(side, y, 0), words, side)


def _dense_contrast(rates, groups, strata, prior, weighting):
    keep = np.array([len(set(groups[strata == s])) > 1 for s in strata])
    rates, groups, strata = rates[keep], groups[keep], strata[keep]
    e = rates - np.stack([rates[strata == s].mean(axis=0) for s in strata])
    present = [g for g in range(3) if (groups == g).any()]
    n = {g: (groups == g).sum() for g in present}
    mean = {g: e[groups == g].mean(axis=0) for g in present}
    spread = {g: ((e[groups == g] - mean[g]) ** 2).sum(axis=0) for g in present}
    pooled = sum(spread.values()) / (len(groups) - len(present))
    error = {g: (spread[g] + prior * pooled) / (n[g] - 1 + prior) / n[g] for g in present}
    out = {}
    for g in present:
        others = [h for h in present if h != g]
        weights = np.array([1.0 if weighting == "equal" else n[h] for h in others])
        weights = weights / weights.sum()
        difference = mean[g] - sum(w * mean[h] for w, h in zip(weights, others, strict=True))
        squared = error[g] + sum(w**2 * error[h] for w, h in zip(weights, others, strict=True))
        with np.errstate(invalid="ignore"):
            out[g] = difference, difference / np.sqrt(squared)
    return out


@pytest.mark.parametrize("weighting", ["equal", "pooled"])
@pytest.mark.parametrize("seed", range(15))
def test_contrasts_same_as_a_dense_loop(seed, weighting):
    counts, words, groups, strata = _problem(seed, n_units=60)
    rates = 1000 * counts / words[:, None]
    engine = stats.ContrastEngine(
        sparse.csr_array(rates), np.ones((60, 1)), np.zeros(4, int), strata, groups, 3, weighting=weighting, prior=7.0
    )
    rng = np.random.default_rng(seed)
    for labels in (groups, stats.permuted_within(groups, strata, rng)):
        got = engine.evaluate(labels)
        for g, (difference, statistic) in _dense_contrast(rates, labels, strata, 7.0, weighting).items():
            some = rates.any(axis=0)
            np.testing.assert_allclose(got.difference[g], difference, rtol=1e-9, atol=1e-9)
            np.testing.assert_allclose(got.statistic[g][some], statistic[some], rtol=1e-8, atol=1e-8)


def test_permuting_keeps_the_labels_of_every_stratum():
    rng = np.random.default_rng(0)
    groups, strata = rng.integers(0, 4, 200), rng.integers(0, 9, 200)
    mixed = stats.permuted_within(groups, strata, rng)
    assert not (mixed == groups).all()
    for s in range(9):
        assert sorted(mixed[strata == s]) == sorted(groups[strata == s])


def test_family_finds_a_planted_difference_and_reports_its_means():
    counts, words, groups, strata = _problem(3, n_units=300)
    rates = 1000 * counts / words[:, None]
    rates[groups == 1, 2] += 8
    engine = stats.ContrastEngine(sparse.csr_array(rates), np.ones((300, 1)), np.zeros(4, int), strata, groups, 3)
    found = stats.permute_family(
        lambda g: engine.evaluate(g).statistic, groups, strata, family=np.ones((3, 4), bool), permutations=199
    )
    assert found.family_p == pytest.approx(1 / 200)
    assert found.p[1, 2] < 1e-3
    assert found.z[1, 2] > 4
    again = stats.permute_family(
        lambda g: engine.evaluate(g).statistic, groups, strata, family=np.ones((3, 4), bool), permutations=199
    )
    assert (found.p == again.p).all()


def test_max_t_is_not_anticonservative_where_nothing_is():
    # 200 small null families; the share of p <= .1 lies within Monte Carlo error of .1 (3 standard errors: .064).
    low = 0
    for seed in range(200):
        counts, words, groups, strata = _problem(5000 + seed)
        rates = 1000 * counts / words[:, None]
        engine = stats.ContrastEngine(sparse.csr_array(rates), np.ones((40, 1)), np.zeros(4, int), strata, groups, 3)
        found = stats.permute_family(
            lambda g, e=engine: e.evaluate(g).statistic,
            groups,
            strata,
            family=np.ones((3, 4), bool),
            permutations=99,
            seed=seed,
        )
        low += found.family_p <= 0.1
    assert low / 200 <= 0.1 + 0.064


def test_normal_score_turns_a_gamma_into_a_normal():
    # Pearson type III with skewness g is a shifted gamma with shape 4 / g^2: SciPy's quantiles become normal ones.
    for g in (-0.8, -0.2, 0.3, 1.0):
        p = np.array([1e-4, 0.01, 0.3, 0.7, 0.99, 1 - 1e-4])
        z = scipy_stats.pearson3.ppf(p, g)
        got, want = normal_score(z, np.full(6, g)), scipy_stats.norm.ppf(p)
        long_tail = g * z > 0
        np.testing.assert_allclose(got[long_tail], want[long_tail], atol=0.25 if abs(g) > 0.5 else 0.05)
        far = np.abs(want) > 1
        assert (np.abs(got) <= np.abs(want) + 0.05)[far].all()  # where it errs, it is cautious


def test_halves_split_every_cell():
    rng = np.random.default_rng(1)
    cells = rng.integers(0, 7, 101)
    first = stats.half_samples(cells, rng)
    for c in range(7):
        assert abs(2 * first[cells == c].sum() - (cells == c).sum()) <= 1


def test_stability_sees_what_is_strong():
    rng = np.random.default_rng(2)
    n = 200
    groups = np.arange(n) % 2
    x = rng.normal(size=(n, 6))
    x[groups == 0, 0] += 1.0

    def bounds(half):
        d = np.stack([x[half & (groups == g)].mean(axis=0) - x[half & (groups != g)].mean(axis=0) for g in (0, 1)])
        return np.stack([np.sign(d), np.abs(d)])

    sign = bounds(np.ones(n, bool))[0]
    got = stats.stability_selection(bounds, groups, sign, np.zeros(6, int), np.ones((2, 6), bool), np.array([[1], [1]]))
    assert got.share[0, 0] == 1.0
    assert (got.rank_low[0, 0], got.rank_high[0, 0]) == (1.0, 1.0)
    assert got.share[0, 1:].max() < 0.5


@pytest.mark.parametrize("seed", range(10))
def test_random_effects_same_as_statsmodels(seed):
    rng = np.random.default_rng(seed)
    y, s = rng.normal(0.5, 0.6, 7), rng.uniform(0.1, 0.3, 7)
    got = stats.random_effects(y, s)
    want = sm.stats.combine_effects(y, s**2, method_re="dl", use_t=True)
    assert (got.mean, got.tau2) == pytest.approx((want.mean_effect_re, want.tau2), rel=1e-10)
    if want.scale_hksj_re >= 1:
        assert got.se == pytest.approx(want.sd_eff_w_re_hksj, rel=1e-10)
    assert got.predicted_low <= got.low <= got.mean <= got.high <= got.predicted_high
    with pytest.raises(StatisticsError, match="corpora or more"):
        stats.random_effects(y[:3], s[:3])


def test_partial_conjunction_by_hand():
    assert stats.partial_conjunction([0.001, 0.02, 0.5]) == pytest.approx(0.04)
    assert stats.partial_conjunction([0.001, float("nan"), 0.02]) == pytest.approx(0.02)
    assert np.isnan(stats.partial_conjunction([0.001]))
