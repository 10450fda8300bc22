"""Halves of the learners: what is tried on the other half, how p is read there, and how alike the selections are."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from miner.evaluate import compare_halves, nogueira
from miner.evaluate.halves import tried
from miner.evaluate.likeness import stability_of
from miner.learner import get_preset

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from simulated_counts import simulate_counts


def _found(*rows):
    return pd.DataFrame(rows, columns=["l1", "cefr", "feature", "direction", "replication"])


def _tests(*rows):
    return pd.DataFrame(rows, columns=["l1", "cefr", "feature", "effect", "p", "status"])


def test_p_of_the_other_half_is_read_in_the_direction_that_was_found():
    found = _found(*(("fr", "B", f, "over", 0.7) for f in "abcd"))
    tests = _tests(
        ("fr", "B", "a", 1.0, 0.08, "tested"),
        ("fr", "B", "b", -1.0, 0.08, "tested"),
        ("fr", "B", "c", 0.0, np.nan, "untestable"),
        # Too few permutations to decide q in its own half; its p is one all the same.
        ("fr", "B", "d", 1.0, 0.001, "unresolved"),
    )
    result = tried(found, tests, get_preset("welch"))
    assert result["same"].tolist() == [True, False, False, True]
    np.testing.assert_allclose(result["p"], [0.04, 0.96, np.nan, 0.0005])


@pytest.mark.parametrize(("alternative", "p"), [("greater", [0.04, 0.96]), ("less", [0.96, 0.04])])
def test_a_one_sided_p_is_not_halved(alternative, p):
    found = _found(("fr", "B", "a", "over", 0.7), ("fr", "B", "b", "under", 0.7))
    tests = _tests(("fr", "B", "a", 1.0, p[0], "tested"), ("fr", "B", "b", -1.0, p[1], "tested"))
    result = tried(found, tests, get_preset("welch", alternative=alternative))
    np.testing.assert_allclose(result["p"], [0.04, 0.04])


def test_stability_is_over_features_that_could_be_selected():
    # Nogueira, Sechidis and Brown (2018), definition 4, by hand for two selections of 1 and 2 of 4 features:
    # variances 2 x (0, 1/4, 0, 0), their mean 1/8; k = 1.5: 1.5/4 x 2.5/4 = 15/64; 1 - (1/8) / (15/64) = 7/15.
    one, two = (pd.DataFrame({"l1": "fr", "cefr": "B", "feature": list(f)}) for f in ("a", "ab"))
    tests = _tests(*(("fr", "B", f, 0.0, 0.5, "tested") for f in "abcd"), ("fr", "B", "e", 0.0, np.nan, "untestable"),
                   ("de", "B", "e", 0.0, 0.5, "tested"))  # fmt: skip
    assert stability_of([one, two], [tests, tests], "fr") == pytest.approx(7 / 15)
    assert nogueira(np.array([[1, 0, 0, 0], [1, 1, 0, 0]])) == pytest.approx(7 / 15)


def test_the_forecast_of_the_recipe_stands_beside_what_is_found_again():
    counted, _ = simulate_counts(7, learners=60, ratio=3.0, bands=("B",), features=10)
    recipe = get_preset("robust", permutations=199, stability_pairs=0)
    found = compare_halves(counted, recipe, splits=3)
    assert recipe.min_replication <= found.expected <= 1
    assert found.tried == round(found.found * 2 * 3 * 5)
    assert abs(found.expected - found.replicated) < 0.25
    assert np.isnan(compare_halves(counted, "welch", splits=1).expected)
