"""Areas under the curve: pairs within known prompts, and intervals by a bootstrap of learners."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

from miner.evaluate.areas import auc, summary


def _texts(n, learners, *, prompt="p"):
    rows = np.arange(n)
    l1 = np.array(["de", "fr", "pl"])[rows % learners % 3]
    member = [f"w{k:06}" for k in rows % learners]
    return pd.DataFrame({"member": member, "l1": l1, "band": "B", "prompt": prompt})


def test_areas_are_those_of_mann_whitney():
    rng = np.random.default_rng(1)
    one, two = rng.integers(0, 5, 30), rng.integers(0, 6, 40)  # many ties
    known = scipy_stats.mannwhitneyu(one, two).statistic / (30 * 40)
    assert auc(one, two) == pytest.approx(known)


def test_the_interval_is_that_of_learners_drawn_with_all_their_texts():
    rng = np.random.default_rng(2)
    texts = _texts(120, 60)
    scores = rng.integers(0, 6, (120, 2)) + (texts["l1"] == "de").to_numpy()[:, None]
    found = summary(texts, scores, np.zeros(120, dtype=int), ["de", "fr"], 50, np.random.default_rng(3))
    # The same, learner by learner.
    draws, values = np.random.default_rng(3), []
    names = sorted(set(texts["member"]))
    for _ in range(50):
        chosen = np.concatenate([np.flatnonzero(texts["member"] == names[k]) for k in draws.integers(0, 60, 60)])
        label, part = texts["l1"].to_numpy()[chosen], scores[chosen]
        areas = [
            scipy_stats.mannwhitneyu(part[label == l1, j], part[label != l1, j]).statistic
            / ((label == l1).sum() * (label != l1).sum())
            for j, l1 in enumerate(["de", "fr"])
        ]
        values.append(np.mean(areas))
    np.testing.assert_allclose([found.low, found.high], np.quantile(values, [0.025, 0.975]), rtol=1e-12)


def test_many_learners_have_an_interval_too():
    texts = _texts(21_000, 21_000)
    scores = np.random.default_rng(4).normal(size=(21_000, 1)) + (texts["l1"] == "de").to_numpy()[:, None]
    found = summary(texts, scores, np.zeros(21_000, dtype=int), ["de"], 20, np.random.default_rng(5))
    assert found.low < found.pooled < found.high
    assert found.high - found.low < 0.03


def test_texts_without_a_prompt_are_no_pairs_of_the_same_prompt():
    texts = _texts(60, 60, prompt=None)
    scores = np.arange(60.0)[:, None]
    assert np.isnan(summary(texts, scores, np.zeros(60, dtype=int), ["de"], 0, np.random.default_rng(6)).within)
    some = texts.assign(prompt=["p"] * 30 + [""] * 30)
    found = summary(some, scores, np.zeros(60, dtype=int), ["de"], 0, np.random.default_rng(6))
    own = texts["l1"][:30] == "de"
    assert found.within == auc(scores[:30][own, 0], scores[:30][~own, 0])
