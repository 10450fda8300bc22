"""Calculated power against direct Monte Carlo, statsmodels and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestIndPower

from miner.simulate.design import make_design
from miner.simulate.plan import make_plan
from miner.simulate.power import Moments, learner_moments, student_power, text_moments, welch_power
from miner.simulate.templates import load_grammar
from miner.simulate.writing import expected_rates

REPEATS = 1500


def _normal(n: int, mean: float, variance: float) -> Moments:
    return Moments(n, mean, variance / n, variance, 0.0, 3 * variance**2)


@pytest.mark.parametrize(("n1", "n2"), [(20, 20), (30, 270), (100, 50)])
@pytest.mark.parametrize("effect", [0.3, 0.6, 1.0])
def test_with_normal_data_it_is_the_noncentral_t(n1: int, n2: int, effect: float) -> None:
    # statsmodels 0.14: TTestIndPower().power(effect, n1, .05, ratio=n2/n1), two-sided
    expected = TTestIndPower().power(effect, n1, 0.05, ratio=n2 / n1, alternative="two-sided")
    found = student_power(_normal(n1, 2 + effect, 1.0), _normal(n2, 2.0, 1.0))
    assert found == pytest.approx(expected, abs=0.006)
    if n1 == n2:
        assert welch_power(_normal(n1, 2 + effect, 1.0), _normal(n2, 2.0, 1.0)) == pytest.approx(found, abs=1e-9)


def test_without_contrast_it_is_the_level() -> None:
    same = _normal(40, 3.0, 2.0)
    assert student_power(same, _normal(360, 3.0, 2.0)) == pytest.approx(0.05, abs=0.002)
    assert welch_power(same, _normal(360, 3.0, 2.0)) == pytest.approx(0.05, abs=0.004)


def test_moments_of_one_rate_are_those_of_the_negative_binomial() -> None:
    mu, words, shape, n = 12.0, 110, 3.0, 50
    mean_count = mu * words / 1000
    mean, variance, skew, kurtosis = stats.nbinom.stats(shape, shape / (shape + mean_count), moments="mvsk")
    found = text_moments(np.full(n, mu), np.full(n, words), np.arange(n), shape)
    unit = 1000 / words
    assert found.mean == pytest.approx(unit * mean)
    assert found.variance == pytest.approx(unit**2 * variance)
    assert found.variance_of_mean == pytest.approx(unit**2 * variance / n)
    assert found.third == pytest.approx(unit**3 * skew * variance**1.5)
    assert found.fourth == pytest.approx(unit**4 * (kurtosis + 3) * variance**2)


def _simulated_power(mu, design, groups, shape: float, rng) -> tuple[float, float]:
    target, reference = groups
    _, learner = np.unique(design.writer, return_inverse=True)
    size = learner.max() + 1
    words = np.bincount(learner, weights=design.words, minlength=size)
    own = rng.gamma(shape, 1 / shape, (REPEATS, size))
    errors = rng.poisson(own[:, learner] * mu * design.words / 1000)
    rates = 1000 * errors / design.words
    by_learner = np.zeros((REPEATS, size))
    np.add.at(by_learner, (slice(None), learner), errors)
    by_learner *= 1000 / words
    sides = [np.unique(learner[g]) for g in (target, reference)]
    text = stats.ttest_ind(rates[:, target], rates[:, reference], axis=1)
    unit = stats.ttest_ind(by_learner[:, sides[0]], by_learner[:, sides[1]], axis=1, equal_var=False)
    return tuple(float(((r.pvalue < 0.05) & (r.statistic > 0)).mean()) for r in (text, unit))


@pytest.mark.parametrize(
    ("base", "ratio", "shape", "texts", "words", "learners"),
    [
        (10, 1.6, 4, 1200, 100, None),
        (10, 2.4, 4, 1200, 100, None),
        (4, 2.5, 4, 1200, 100, None),
        (2, 2.0, 2, 1000, 300, 100),
        (5, 2.0, 1, 2400, 150, 60),
        (10, 2.5, 0.5, 2400, 100, 80),
        (10, 3.0, 0.2, 4000, 100, 200),
    ],
)
def test_calculated_power_is_what_monte_carlo_counts(base, ratio, shape, texts, words, learners) -> None:
    # numpy: gamma and Poisson variates; scipy.stats.ttest_ind(equal_var=True over texts, False over learners)
    design = make_design(texts, seed=3, words=words, prompts=6, learners=learners)
    plan = make_plan(load_grammar(), seed=3, null=True, base=base, dispersion=shape)
    mu = expected_rates(plan, design)[:, 0] * np.where(design.l1 == 2, ratio, 1.0)
    groups = [np.flatnonzero((design.band == 0) & ((design.l1 == 2) == side)) for side in (True, False)]
    rng = np.random.default_rng(20250101)
    counted = _simulated_power(mu, design, groups, shape, rng)
    for moments, power, share in zip(
        (text_moments, learner_moments), (student_power, welch_power), counted, strict=True
    ):
        sides = [moments(mu[g], design.words[g], design.writer[g], shape) for g in groups]
        error = np.sqrt(share * (1 - share) / REPEATS)
        assert power(*sides) == pytest.approx(share, abs=4 * error + 0.025)
