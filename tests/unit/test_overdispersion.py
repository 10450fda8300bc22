"""How much learners differ in a feature: Pearson's statistic by hand, and against a model fitted by statsmodels."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

from miner.evaluate.planted import overdispersion

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from simulated_counts import simulate_counts


def test_overdispersion_by_hand():
    # fr: 0 and 4 in 100 words each, 2 expected: 4/2 + 4/2 = 4. de: 3 (two texts) and 1: 1/2 + 1/2 = 1. Over 2 degrees: 2.5.
    rows = [
        ("a", "f1", "fr", 100),
        ("b", "f2", "fr", 100),
        ("c", "d1", "de", 50),
        ("d", "d1", "de", 50),
        ("e", "d2", "de", 100),
    ]
    texts = pd.DataFrame(rows, columns=["text_id", "member", "l1", "words"]).assign(band="B")
    counts = pd.DataFrame({"text_id": ["b", "c", "d", "e"], "feature": "X", "n": [4, 1, 2, 1]})
    assert overdispersion(counts, texts).to_dict() == {("B", "X"): pytest.approx(2.5)}


def test_overdispersion_is_that_of_a_poisson_model_with_words_as_offset():
    counted, _ = simulate_counts(5, features=2, shape=0.5, bands=("B",))
    rng = np.random.default_rng(6)
    units = counted.units.assign(words=rng.integers(100, 500, len(counted.units)), member=counted.units["learner"])
    n = counted.counts.query("feature == 'f00'").set_index("text_id")["n"].reindex(units["text_id"]).fillna(0)
    design = pd.get_dummies(units["l1"]).astype(float).to_numpy()
    model = sm.GLM(
        n.to_numpy(float), design, family=sm.families.Poisson(), offset=np.log(units["words"].to_numpy(float))
    )
    fitted = model.fit()
    found = overdispersion(counted.counts, units)["B", "f00"]
    assert found == pytest.approx(fitted.pearson_chi2 / fitted.df_resid)
    assert found > 1.3
