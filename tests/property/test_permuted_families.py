"""Families of permutation tests: every labelling where there are few, further ones where the first are too coarse."""

from __future__ import annotations

from itertools import permutations
from math import comb, exp

import numpy as np
import pytest
from scipy import sparse
from scipy import stats as scipy_stats

from miner import stats


def _engine(rates, strata, groups, n_groups):
    table = sparse.csr_array(np.asarray(rates, dtype=float))
    present, block = np.ones((len(groups), 1), bool), np.zeros(table.shape[1], int)
    return stats.ContrastEngine(table, present, block, strata, groups, n_groups, prior=5.0)


@pytest.mark.parametrize("seed", range(10))
def test_every_labelling_within_strata_once(seed):
    rng = np.random.default_rng(seed)
    groups, strata = rng.integers(0, 3, 7), rng.integers(0, 2, 7)
    # By brute force: every reordering of the units that leaves each in its stratum.
    want = {tuple(groups[list(order)]) for order in permutations(range(7)) if (strata[list(order)] == strata).all()}
    got = [tuple(labels) for labels in stats.labellings(groups, strata)]
    assert len(got) == len(set(got)) == len(want)
    assert set(got) == want
    assert exp(stats.log_labellings(groups, strata)) == pytest.approx(len(want))


@pytest.mark.parametrize("seed", range(8))
def test_small_families_are_exact(seed):
    rng = np.random.default_rng(seed)
    groups, strata = np.array([0, 0, 0, 1, 1, 1, 1, 0, 1]), np.array([0] * 7 + [1] * 2)
    rates = rng.poisson(2, (9, 3)) * 1.5
    engine = _engine(rates, strata, groups, 2)
    found = stats.permute_family(
        lambda g: engine.evaluate(g).statistic, groups, strata, family=np.ones((2, 3), bool), permutations=999, most=50
    )
    assert found.exact
    assert found.permutations == comb(7, 3) * 2
    # With two groups and one statistic the count is that of the absolute statistics, scored by their own moments.
    every = np.stack([engine.evaluate(g).statistic for g in stats.labellings(groups, strata)])
    for f in range(3):
        t = every[:, 0, f]
        if not t.std() > 1e-9:
            assert found.p[0, f] == 1.0
            continue
        assert set(found.method[:, f]) == {"exact"}
        assert found.p[0, f] == found.p[1, f] == found.count[0, f] / found.total[0, f]
        assert found.p[0, f] >= 1 / found.permutations
        assert found.adjusted[0, f] >= found.p[0, f]
        if abs(scipy_stats.skew(t)) < 1e-3:
            now = engine.evaluate(groups).statistic[0, f]
            assert found.count[0, f] == (np.abs(t - t.mean()) >= abs(now - t.mean()) * (1 - 1e-9)).sum()


def test_separated_groups_have_the_exact_p_of_two_labellings():
    # 4 learners with, 4 without: of 70 labellings the true one and its mirror are as extreme; by hand 2 / 70.
    groups, strata = np.array([0] * 4 + [1] * 4), np.zeros(8, int)
    engine = _engine((groups == 0)[:, None] * 10.0, strata, groups, 2)
    assert np.isfinite(engine.evaluate(groups).statistic).all()
    found = stats.permute_family(
        lambda g: engine.evaluate(g).statistic, groups, strata, family=np.ones((2, 1), bool), permutations=99
    )
    assert found.p.ravel().tolist() == [2 / 70, 2 / 70]
    assert found.family_p == 2 / 70


def test_rates_that_do_not_vary_have_no_statistic():
    groups, strata = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    rates = np.array([[3.0, 0.0], [5.0, 0.0], [3.0, 0.0], [5.0, 0.0]])  # equal within strata; nothing at all
    assert np.isnan(_engine(rates, strata, groups, 2).evaluate(groups).statistic).all()


def _statistics(engine):
    return lambda groups: engine.evaluate(groups).statistic


def _rare(seed=0, n=400):
    # One unit in 200 has a very high rate: the permutation distribution of the small group's contrast is skewed.
    rng = np.random.default_rng(seed)
    groups = (np.arange(n) >= 12).astype(np.int64)
    rates = np.zeros((n, 2))
    rates[[0, n // 2], 0] = 50.0
    rates[:, 1] = rng.poisson(2, n)
    return rates, groups, np.zeros(n, int)


def test_what_is_too_coarse_is_continued():
    rates, groups, strata = _rare()
    rates[1, 0] = 50.0
    engine = _engine(rates, strata, groups, 2)

    def run(**options):
        return stats.permute_family(
            lambda g: engine.evaluate(g).statistic, groups, strata, family=np.ones((2, 2), bool), **options
        )

    first = run(permutations=299)
    assert first.method[0, 0] == "floor"
    more = run(permutations=299, most=60_000)
    assert more.method[0, 0] == "sequential"
    assert more.count[0, 0] == 10
    assert more.p[0, 0] == 10 / more.total[0, 0]
    # By hand: two or three of the three units with the feature among 12 of 400.
    want = scipy_stats.hypergeom.sf(1, 400, 3, 12)
    assert more.p[0, 0] == pytest.approx(want, rel=1.0)
    untouched = [
        name for name in ("z", "p", "count", "total") if getattr(more, name)[0, 1] != getattr(first, name)[0, 1]
    ]
    assert not untouched
    narrow = run(permutations=299, most=60_000, narrowed=lambda c: _statistics(engine.narrowed(c)))
    np.testing.assert_array_equal(narrow.p, more.p)
    few = run(permutations=299, most=40)
    assert few.total[0, 0] == 40
    assert few.p[0, 0] == (few.count[0, 0] + 1) / 41
    closed = run(permutations=299, most=60_000, level=0.0)
    np.testing.assert_array_equal(closed.p, first.p)


def test_further_permutations_keep_the_level():
    # The units with the feature are drawn at random: p <= .05 in 5 % of tries, + 3 standard errors of 200 (.046).
    low = 0
    for seed in range(200):
        rates, groups, strata = _rare(seed, n=60)
        rates[:, 0] = 0
        rates[np.random.default_rng(seed).choice(60, 4, replace=False), 0] = 50.0
        engine = _engine(rates, strata, groups, 2)
        found = stats.permute_family(
            lambda g, e=engine: e.evaluate(g).statistic,
            groups,
            strata,
            family=np.ones((2, 2), bool),
            permutations=99,
            most=2000,
            seed=seed,
        )
        low += found.p[0, 0] <= 0.05
    assert low / 200 <= 0.05 + 0.046


@pytest.mark.parametrize("strata_kind", ["few", "many"])
def test_threads_change_no_bit(strata_kind):
    rng = np.random.default_rng(4)
    groups = rng.integers(0, 4, 240)
    strata = rng.integers(0, 3, 240) if strata_kind == "few" else np.arange(240) // 3
    engine = _engine(rng.poisson(0.3, (240, 30)) * rng.gamma(2, 1, (240, 1)), strata, groups, 4)

    def run(threads):
        return stats.permute_family(
            lambda g: engine.evaluate(g).statistic,
            groups,
            strata,
            family=np.ones((4, 30), bool),
            permutations=150,
            most=300,
            threads=threads,
        )

    one, three = run(1), run(3)
    for name in ("z", "p", "count", "total", "adjusted"):
        np.testing.assert_array_equal(getattr(one, name), getattr(three, name))


def test_tail_is_never_zero_nor_under_one_in_all_labellings():
    groups = np.repeat([0, 1], [6, 6])
    rates = np.where(groups == 0, 30.0, 0.0)[:, None] + np.arange(12)[:, None] * 0.01
    engine = _engine(rates, np.zeros(12, int), groups, 2)
    found = stats.permute_family(
        lambda g: engine.evaluate(g).statistic,
        groups,
        np.zeros(12, int),
        family=np.ones((2, 1), bool),
        permutations=500,
    )
    assert not found.exact
    assert found.p.min() >= 1 / comb(12, 6)
    large = np.repeat([0, 1], [600, 600])
    engine = _engine((large == 0)[:, None] * 30.0, np.zeros(1200, int), large, 2)
    found = stats.permute_family(
        lambda g: engine.evaluate(g).statistic,
        large,
        np.zeros(1200, int),
        family=np.ones((2, 1), bool),
        permutations=99,
    )
    assert found.p.min() > 0


def test_narrowed_engine_gives_the_same_numbers():
    rng = np.random.default_rng(8)
    rates, groups, strata = rng.poisson(1, (50, 6)).astype(float), rng.integers(0, 3, 50), rng.integers(0, 2, 50)
    present, block = np.ones((50, 2), bool), np.repeat([0, 1], 3)
    engine = stats.ContrastEngine(sparse.csr_array(rates), present, block, strata, groups, 3)
    whole, part = engine.evaluate(groups), engine.narrowed([4, 1]).evaluate(groups)
    for name in ("difference", "statistic", "log_ratio"):
        np.testing.assert_array_equal(getattr(part, name), getattr(whole, name)[:, [4, 1]])
