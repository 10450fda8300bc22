"""Expected replication against what new samples show, moderated variances against limma's formulas, and Storey's q by hand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, special
from scipy import stats as scipy_stats

from miner import stats
from miner.errors import StatisticsError
from miner.stats.empirical_bayes import by_feature, common_variance, moderated, two_groups

PS = st.lists(st.one_of(st.floats(0, 1), st.just(float("nan"))), min_size=1, max_size=60)


def sample(rng, features, groups, spread):
    """Return true sizes and z of two samples of the same size, by feature and group."""
    truth = rng.normal(0, np.broadcast_to(spread, (features,))[:, None], (features, groups))
    return [truth + rng.standard_normal(truth.shape) for _ in range(2)]


@pytest.mark.parametrize("spread", [0.5, 1.0, 2.0, "mixed"])
def test_as_many_findings_come_back_as_were_expected(spread):
    rng = np.random.default_rng(5)
    wide = np.where(np.arange(400) % 4 == 0, 2.5, 0.6) if spread == "mixed" else spread
    first, second = sample(rng, 400, 14, wide)
    p = 2 * special.ndtr(-np.abs(first))
    feature = np.repeat(np.arange(400), 14)
    expected = stats.expected_replication(p.ravel(), feature)
    again = (np.sign(first) * second > special.ndtri(0.95)).ravel()
    for low in (0.0, 0.2, 0.4, 0.5, 0.6, 0.8):
        here = (expected >= low) & (expected < low + 0.2)
        if here.sum() >= 200:
            error = np.sqrt(0.25 / here.sum())
            assert abs(again[here].mean() - expected[here].mean()) < 0.03 + 3 * error, (low, here.sum())


def test_nothing_is_expected_again_where_nothing_is():
    rng = np.random.default_rng(6)
    p = rng.random(2000)
    expected = stats.expected_replication(p, np.repeat(np.arange(200), 10))
    # A new sample passes by chance in one of twenty.
    assert np.mean(expected) == pytest.approx(0.05, abs=0.03)
    assert (expected >= 0.5).sum() <= 1


def test_one_large_effect_among_many_nulls_is_expected_again():
    rng = np.random.default_rng(7)
    z = rng.standard_normal(1000)
    z[500] = 6.0
    expected = stats.expected_replication(2 * special.ndtr(-np.abs(z)), np.repeat(np.arange(100), 10))
    assert expected[500] > 0.8
    assert (expected >= 0.5).sum() == 1


def test_few_large_effects_among_nulls_come_back_as_expected():
    rng = np.random.default_rng(9)
    truth = np.where(rng.random((300, 10)) < 0.08, rng.normal(0, 3.5, (300, 10)), 0.0)
    first, second = (truth + rng.standard_normal(truth.shape) for _ in range(2))
    p = 2 * special.ndtr(-np.abs(first))
    expected = stats.expected_replication(p.ravel(), np.repeat(np.arange(300), 10))
    again = (np.sign(first) * second > special.ndtri(0.95)).ravel()
    for low, high in ((0.0, 0.1), (0.1, 0.5), (0.5, 0.9), (0.9, 1.01)):
        here = (expected >= low) & (expected < high)
        assert here.sum() > 20
        assert abs(again[here].mean() - expected[here].mean()) < 0.03 + 2.5 * np.sqrt(0.25 / here.sum()), (
            low,
            here.sum(),
        )


def test_descriptions_find_what_was_drawn_and_the_likelihood_tells_them_apart():
    rng = np.random.default_rng(10)
    code = np.repeat(np.arange(500), 8)
    few = np.where(rng.random(4000) < 0.1, rng.normal(0, 3.0, 4000), 0.0) + rng.standard_normal(4000)
    many = rng.standard_normal(4000) * np.sqrt(1.5 * 12 / rng.chisquare(12, 500))[code]
    found = two_groups(np.sort(np.abs(few)))
    assert found.share.mean() == pytest.approx(0.1, abs=0.02)
    assert found.variance[0] == pytest.approx(10.0, rel=0.15)
    d0, s0 = common_variance(np.bincount(code, weights=many**2) / 8, np.full(500, 8))
    assert d0 == pytest.approx(12, rel=0.4)
    assert s0 == pytest.approx(1.5, rel=0.1)
    for z, better, worse in ((few, 1, 0), (many, 0, 1)):
        ordered = np.argsort(np.abs(z), kind="stable")
        both = (by_feature(np.abs(z)[ordered], code[ordered]), two_groups(np.abs(z)[ordered]))
        assert both[better].log_likelihood > both[worse].log_likelihood + 5


def test_likelihoods_are_those_of_scipy():
    rng = np.random.default_rng(11)
    feature = np.repeat(np.arange(60), 5)
    z = np.abs(rng.standard_normal(300) * np.repeat(rng.uniform(0.5, 3.0, 60), 5))
    order = np.argsort(z)
    z, code = z[order], feature[order]
    found = two_groups(z)
    norm = scipy_stats.norm
    null, sd = 1 - found.share.mean(), np.sqrt(found.variance[0])
    assert found.log_likelihood == pytest.approx(
        np.log(null * norm.pdf(z) + (1 - null) * norm.pdf(z, scale=sd)).sum(), rel=1e-6
    )
    # Of a feature: an integral over its variance, which is scaled inverse chi-square.
    sums = np.bincount(code, weights=z**2)
    d0, s0 = common_variance(sums / 5, np.full(60, 4))
    assert np.isfinite(d0)
    variance = scipy_stats.invgamma(d0 / 2, scale=d0 * s0 / 2)
    parts = [
        integrate.quad(lambda v, s=s: (2 * np.pi * v) ** -2.5 * np.exp(-s / (2 * v)) * variance.pdf(v), 0, np.inf)[0]
        for s in sums
    ]
    assert by_feature(z, code).log_likelihood == pytest.approx(np.log(parts).sum(), rel=1e-6)


def test_p_of_one_throughout_promises_chance():
    assert stats.expected_replication([1.0, 1.0], ["a", "b"]).tolist() == [0.05, 0.05]


def test_moderated_variances_have_the_moments_of_the_logarithms():
    """d0 and s0 solve Smyth's equations: mean and variance of log s^2 are those of an F distribution scaled by s0."""
    rng = np.random.default_rng(8)
    df = rng.integers(3, 20, 500)
    true = 0.8 * 9 / rng.chisquare(9, 500)
    s = true * rng.chisquare(df) / df
    result = moderated(s, df)
    # result = (d0 s0 + df s) / (d0 + df): two features of one df give d0, then s0.
    one, two = np.flatnonzero(df == 10)[:2]
    weight = (result[one] - result[two]) / (s[one] - s[two])
    d0 = 10 / weight - 10
    s0 = (result[one] * (d0 + 10) - 10 * s[one]) / d0
    e = np.log(s) - special.digamma(df / 2) + np.log(df / 2)
    assert special.polygamma(1, d0 / 2) == pytest.approx(e.var(ddof=1) - special.polygamma(1, df / 2).mean(), rel=1e-8)
    assert np.log(s0) + np.log(d0 / 2) - special.digamma(d0 / 2) == pytest.approx(e.mean(), rel=1e-8)
    assert d0 == pytest.approx(9, rel=0.35)
    assert s0 == pytest.approx(0.8, rel=0.1)


def test_variances_that_differ_by_chance_alone_become_one():
    quantiles = scipy_stats.chi2.ppf((np.arange(50) + 0.5) / 50, 13) / 13
    assert np.ptp(moderated(0.9 * quantiles + 0.1, np.full(50, 13))) == 0


@given(PS, st.randoms(use_true_random=False))
def test_missing_stay_missing_and_order_changes_nothing(p, random):
    feature = [k % 5 for k in range(len(p))]
    expected = stats.expected_replication(p, feature)
    assert (np.isnan(expected) == np.isnan(p)).all()
    known = expected[~np.isnan(expected)]
    assert ((known >= 0) & (known <= 1)).all()
    order = list(range(len(p)))
    random.shuffle(order)
    again = stats.expected_replication(np.array(p)[order], np.array(feature)[order])
    assert (again.tobytes()) == expected[order].tobytes()


def test_bad_input_is_told():
    with pytest.raises(StatisticsError, match=r"\[0, 1\]"):
        stats.expected_replication([0.5, 1.5], ["a", "b"])
    with pytest.raises(StatisticsError, match="shape"):
        stats.expected_replication([0.5], ["a", "b"])
    assert stats.expected_replication([], []).size == 0


def storey_by_hand(p, m):
    """Return q by the definition: the smallest estimated rate of all thresholds from p on (each its p at least), and 1 above one half."""
    exact = [Fraction(x) for x in p]
    half = Fraction(1, 2)
    nulls = min(Fraction(1), Fraction(1 + sum(x > half for x in exact) + m - len(exact)) / (half * m))
    rates = {t: max(t, nulls * t * m / sum(x <= t for x in exact)) if t <= half else Fraction(1) for t in exact}
    return [float(min(1, *(rates[t] for t in rates if t >= x), 1)) for x in exact]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40), st.integers(0, 20))
def test_storey_is_its_definition(p, more):
    q, m = stats.adjust(p, "storey", m=len(p) + more)
    assert m == len(p) + more
    np.testing.assert_allclose(q, storey_by_hand(p, m), rtol=1e-12, atol=1e-300)


@given(PS)
def test_storey_is_bh_times_the_share_of_nulls(p):
    q, m = stats.adjust(p, "storey")
    bh, _ = stats.adjust(p, "bh")
    share = stats.null_share(p)
    if m:
        low = ~np.isnan(p) & (np.array(p) <= 0.5)
        # BH may take its smallest value from a p above one half, which storey does not count.
        assert (q[low] >= np.minimum(1, share * bh[low]) * (1 - 1e-12)).all()
        assert (q[low] <= 1).all()
        assert (q[~np.isnan(p) & ~low] == 1).all()
    else:
        assert np.isnan(share)
        assert np.isnan(q).all()


def test_share_of_nulls_by_hand():
    assert stats.null_share([0.01, 0.02, 0.6, 0.9]) == 1.0  # (1 + 2) / (.5 x 4) = 1.5
    assert stats.null_share([0.01, 0.02, 0.03, 0.04, 0.05, 0.9]) == pytest.approx(2 / 3)
    assert stats.null_share([0.01] * 10) == pytest.approx(0.2)
    assert stats.null_share([0.01, float("nan")], m=4) == 1.0


def test_no_q_is_under_its_p():
    # Sixteen tests without any p above one half: the share of nulls is 1 / (.5 x 16).
    p = np.r_[0.399, 0.3, np.linspace(0.001, 0.02, 14)]
    q, _ = stats.adjust(p, "storey")
    assert (q >= p).all()


@pytest.mark.parametrize("level", [-1, 0, 1, 2, float("nan")])
def test_a_level_is_a_probability(level):
    with pytest.raises(StatisticsError, match="level"):
        stats.expected_replication([0.1], ["a"], level=level)


def test_features_may_have_any_names():
    one = stats.expected_replication([0.01, 0.2, 0.3], np.array([None, "a", 1], dtype=object))
    assert one.tolist() == stats.expected_replication([0.01, 0.2, 0.3], [0, 1, 2]).tolist()


def test_lists_by_hand():
    listed = stats.replication_of_list([0.5, 0.9, float("nan"), 0.7, 0.7])
    np.testing.assert_allclose(
        listed, [(0.9 + 0.7 + 0.7 + 0.5) / 4, 0.9, np.nan, (0.9 + 0.7 + 0.7) / 3, (0.9 + 0.7 + 0.7) / 3]
    )


@given(st.lists(st.one_of(st.floats(0, 1), st.just(float("nan"))), max_size=30), st.floats(0.05, 0.95))
def test_no_longer_list_keeps_its_promise(probability, least):
    known = sorted((x for x in probability if not np.isnan(x)), reverse=True)
    chosen = int((stats.replication_of_list(probability) >= least).sum())
    sums = np.cumsum(known)
    assert chosen == 0 or sums[chosen - 1] >= least * chosen * (1 - 1e-12)
    # One more finding (and all that are as probable) breaks it.
    after = [k for k in range(chosen + 1, len(known) + 1) if k == len(known) or known[k] < known[k - 1]]
    assert all(sums[k - 1] < least * k * (1 + 1e-12) for k in after)
