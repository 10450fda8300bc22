"""miner plan: what it prints, and what it says that it assumes."""

import re

import numpy as np
import pytest
from scipy import stats as scipy_stats

from miner.commands import main
from miner.evaluate import closed_power, replication_power
from miner.learner import get_preset


def test_plan_says_what_it_assumes_of_the_default_recipe(capsys):
    assert main(["plan", "--ratio", "2", "--simulations", "0"]) == 0
    said = capsys.readouterr().err
    recipe = get_preset("robust")
    assert "one two-sided test at 0.005" in said
    assert f"q < {recipe.alpha:g} ({recipe.correction})" in said
    assert f"expected replication of {recipe.min_replication:g}" in said
    assert re.search(r"Rate ratio 2: \d+ learners per L1 \(power 0\.8\d by the closed form; found again", said)


@pytest.mark.parametrize(
    ("n", "ratio", "base", "shape"), [(60, 2.0, 2.0, 2.0), (100, 1.5, 4.0, 1.0), (80, 0.5, 4.0, 2.0)]
)
def test_closed_forms_agree_with_scipy_on_simulated_learners(n, ratio, base, shape):
    rng, l1s, words, rounds = np.random.default_rng(1), 6, 300, 2000
    mean = base * words / 1000

    def learners(size, m):
        return rng.poisson(m * rng.gamma(shape, 1 / shape, (rounds, size)))

    target, reference = learners(n, ratio * mean), learners(n * (l1s - 1), mean)
    found = scipy_stats.ttest_ind(target, reference, axis=1, equal_var=False)
    right = np.sign(found.statistic) == np.sign(ratio - 1)
    for p, power in (
        (0.005, closed_power(n, ratio, base, words, shape, l1s, 0.005)),
        (0.1, replication_power(n, ratio, base, words, shape, l1s)),
    ):
        assert power == pytest.approx((right & (found.pvalue < p)).mean(), abs=0.04)
