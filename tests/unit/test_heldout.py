"""Held-out scores: learners are never in both parts, weights share what copies tell, short texts are drawn to the mean."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from miner.evaluate.baselines import prompt_baseline
from miner.evaluate.heldout import held_out_auc
from miner.evaluate.weights import fit_weights, scored
from miner.learner import Counts, get_preset
from miner.learner.coverage import stable_rates
from miner.ledger import Ledger
from miner.tables import COUNTS, UNITS, conform


def counted(table: np.ndarray, l1s: list[str], learners: list[str], words: int = 200) -> Counts:
    """Texts in rows, features in columns; one band, one prompt."""
    ids = [f"t{i:04}" for i in range(len(table))]
    cells = [
        {"text_id": ids[i], "feature": f"F{j}", "n": int(table[i, j])} for i, j in zip(*np.nonzero(table), strict=True)
    ]
    units = pd.DataFrame({"text_id": ids, "learner": learners, "l1": l1s, "band": "B", "prompt": "p", "words": words})
    return Counts(conform(cells, COUNTS), conform(units.assign(opportunities=None), UNITS), Ledger("count", "texts"))


@pytest.fixture
def habits() -> Counts:
    """Every learner writes two texts and has a habit of his own; native languages are given at random."""
    rng = np.random.default_rng(3)
    people = 60
    own = rng.poisson(6, size=(people, 40)) * (rng.random((people, 40)) < 0.3)
    table = np.repeat(own, 2, axis=0)
    l1s = np.repeat(rng.permutation(np.repeat(["de", "fr", "pl"], people // 3)), 2)
    return counted(table, l1s.tolist(), [f"k{i // 2}" for i in range(2 * people)])


@pytest.mark.parametrize("preset", ["trans-env", "predictive"])
def test_a_learner_is_never_in_both_parts(habits, preset):
    # With a learner's other text in the training part, his habit alone would give .7 and more.
    recipe = get_preset(preset, unit="text", direction="both", alpha=0.5)
    values = [held_out_auc(habits, recipe, fewest=20, resamples=0, seed=s).pooled for s in range(4)]
    assert np.mean(values) < 0.6


def test_learners_are_counted_not_texts(habits):
    with pytest.raises(ValueError, match="needs an L1 with 30 learners; the largest has 20"):
        held_out_auc(habits, "trans-env", fewest=30)
    assert prompt_baseline(habits, "trans-env", fewest=20).l1s == ["de", "fr", "pl"]
    assert prompt_baseline(habits, "trans-env", fewest=30).l1s == []


def test_l1s_without_features_are_told(habits):
    found = held_out_auc(habits, get_preset("welch", alpha=1e-12), fewest=20, resamples=0)
    assert (found.without, found.features, found.pooled) == (1.0, 0.0, 0.5)


def test_a_stable_rate_by_hand():
    # n = 0 and 4 in 100 and 300 words; together 4 in 400, m = .01:
    # sqrt(1000 (0 + 1) / 200) = sqrt(5); sqrt(1000 (4 + 1) / 400) = sqrt(12.5).
    got = stable_rates(np.array([[0], [4]]), np.array([100, 300]))
    np.testing.assert_allclose(got[:, 0], np.sqrt([5, 12.5]), rtol=1e-15)


def test_the_length_of_a_text_says_nothing_by_itself():
    # Counts as expected from length: the rates are all the same, whatever the length.
    words = np.array([50, 100, 400])
    got = stable_rates(words[:, None] / 50, words)
    np.testing.assert_allclose(got, np.full((3, 1), np.sqrt(20)), rtol=1e-15)


def test_copies_share_their_weight_and_texts_get_the_weighted_sum():
    rng = np.random.default_rng(5)
    one, two = rng.poisson(4, 90), rng.poisson(4, 90)
    l1s = np.repeat(["de", "fr", "pl"], 30)
    one[l1s == "fr"] += 3
    two[l1s == "fr"] += 3
    data = counted(np.column_stack([one, one, two]), l1s.tolist(), [f"k{i}" for i in range(90)])
    texts = data.units
    inventory = pd.DataFrame({"l1": "fr", "cefr": "B", "feature": ["F0", "F1", "F2"]})
    weights = fit_weights(data.counts, texts, inventory).set_index("feature")
    assert weights.loc["F0", "weight"] == pytest.approx(weights.loc["F1", "weight"])
    assert weights.loc["F0", "weight"] < weights.loc["F2", "weight"]
    # By hand from the definition, text by text.
    wanted = 0.0
    for name, n in (("F0", one[7]), ("F1", one[7]), ("F2", two[7])):
        w = weights.loc[name]
        x = np.sqrt(1000 * (n + 100 * w["rate"]) / 300)
        wanted += w["weight"] * (x - w["mean"]) / w["sd"]
    got = scored(data.counts, texts, weights.reset_index(), ["de", "fr"])
    assert got[7, 1] == pytest.approx(wanted)
    assert not got[:, 0].any()


def test_a_recipe_with_shorter_inventories_keeps_them(habits):
    recipe = get_preset("welch", correction="none", alpha=0.5, direction="both")
    assert held_out_auc(habits, recipe, fewest=20, resamples=0).features == 10
    assert held_out_auc(habits, get_preset(recipe, cap=3), fewest=20, resamples=0).features == 3
