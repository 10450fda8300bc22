"""Geography and performance: SciPy, brute force, and known distances."""

from __future__ import annotations

from itertools import permutations
from math import factorial

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from miner.dialect import difficulty, distance_matrix, distances, encode, mantel, performance, read_ratings
from miner.dialect.geography import great_circle
from miner.dialect.performance import exact_p, spearman
from miner.dialect.published import paper_dialects
from miner.errors import EmptyInput, InputError


@pytest.fixture(scope="module")
def ewave():
    return read_ratings()


@pytest.fixture(scope="module")
def from_reference(ewave):
    return distances(ewave, encoding="trans-env")


def scores_of(frame, series, seed, n=12):
    rng = np.random.default_rng(seed)
    chosen = frame[frame["variety_id"] != frame["from_id"]].head(n)
    value = -chosen["distance"].to_numpy() + rng.normal(0, 0.02, len(chosen))
    return pd.DataFrame({"variety": chosen["variety"], "score": value, "model": series})


def test_great_circle_of_known_places():
    # Berlin - New York 6,385 km; pole - equator: a quarter of the meridian, 10,007.56 km on the mean sphere.
    km = great_circle(np.array([52.52, 40.7128, 90.0, 0.0]), np.array([13.405, -74.006, 0.0, 50.0]))
    assert km[0, 1] == pytest.approx(6385, abs=1)
    assert km[2, 3] == pytest.approx(10007.56, abs=0.01)
    assert (np.diag(km) == 0).all()


def test_mantel_statistic_is_scipys_and_p_counts_permutations(ewave):
    matrix = distance_matrix(encode(ewave, "trans-env")).distance[:-1, :-1]
    frame = mantel(ewave, matrix, permutations=199).set_index("within")
    i, j = np.triu_indices(77, 1)
    km = great_circle(ewave.varieties["latitude"].to_numpy(), ewave.varieties["longitude"].to_numpy())
    assert frame.loc["all", "rho"] == pytest.approx(spearmanr(matrix[i, j], np.round(np.log(km[i, j]), 9)).statistic)
    types = ewave.varieties["type"].to_numpy()
    same = types[i] == types[j]
    want = spearmanr(matrix[i, j][same], np.round(np.log(km[i, j][same]), 9)).statistic
    assert frame.loc["types", "rho"] == pytest.approx(want)
    assert frame.loc["types", "n_pairs"] == same.sum()
    assert frame.loc["all", "p"] >= 1 / 200
    assert frame["warning"].str.contains("autocorrelated").all()


def test_mantel_of_unrelated_distances_is_not_significant(ewave):
    rng = np.random.default_rng(8)
    noise = rng.random((77, 77))
    frame = mantel(ewave, noise + noise.T, permutations=199).set_index("within")
    assert frame.loc["all", "p"] > 0.01


def test_spearman_is_scipys():
    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 5, 20).astype(float), rng.normal(size=20)
    assert spearman(x, y) == pytest.approx(spearmanr(x, y).statistic)
    assert np.isnan(spearman(np.ones(5), y[:5]))


@pytest.mark.parametrize("seed", range(3))
def test_exact_p_by_going_through_all_arrangements(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(1, 4, 6).astype(float), rng.integers(0, 5, 6).astype(float)
    x[0], y[0] = 9, 9
    observed = abs(spearman(x, y))
    all_values = [abs(spearman(x, y[list(order)])) for order in permutations(range(6))]
    want = np.mean([v >= observed - 1e-9 for v in all_values])
    assert exact_p(x, y) == (pytest.approx(want), factorial(6))


def test_covariates_of_the_eighteen(ewave, from_reference):
    # Measured on eWAVE with SciPy: A features .63, unrated cells -.50 with the distance from Colloquial American English.
    ids = set(paper_dialects()["ewave_id"])
    chosen = from_reference[from_reference["variety_id"].isin(ids)]
    scores = pd.DataFrame({"variety": chosen["variety"], "score": -chosen["distance"]})
    row = performance(ewave, from_reference, scores, permutations=99)[0].iloc[0]
    assert row["n"] == 18
    assert round(row["rho_a_features_distance"], 2) == 0.63
    assert round(row["rho_unrated_distance"], 2) == -0.5
    assert row["spearman"] == pytest.approx(-1)


def test_series_share_their_permutations(ewave, from_reference):
    one = scores_of(from_reference, "one", 1)
    twice = pd.concat([one, one.assign(model="two")])
    alone = performance(ewave, from_reference, one, by=("model",), permutations=499)[0].set_index("series")
    both = performance(ewave, from_reference, twice, by=("model",), permutations=499)[0].set_index("series")
    # The same scores under two names are no more evidence than once.
    assert both.loc["all", "p"] == alone.loc["one", "p"]
    assert both.loc["all", "n"] == 12


def test_five_varieties_use_all_arrangements(ewave, from_reference):
    result, _, _ = performance(ewave, from_reference, scores_of(from_reference, "m", 1, n=5))
    assert result.iloc[0]["permutations"] == 120


def test_leaving_one_out(ewave, from_reference):
    scores = scores_of(from_reference, "m", 3)
    result, influence, _ = performance(ewave, from_reference, scores, permutations=99)
    x = influence["distance"].to_numpy()
    y = influence["score"].to_numpy()
    want = [spearmanr(np.delete(x, i), np.delete(y, i)).statistic for i in range(len(x))]
    np.testing.assert_allclose(influence["spearman_without"], want)
    assert result.iloc[0]["loo_low"] == pytest.approx(min(want))


def test_scores_that_match_nothing_are_told(ewave, from_reference):
    scores = pd.concat(
        [
            scores_of(from_reference, "m", 1),
            pd.DataFrame({"variety": ["Klingon", "CollAmE"], "score": [1.0, 2.0], "model": "m"}),
        ]
    )
    ledger = performance(ewave, from_reference, scores, permutations=9)[2]
    assert ledger.dropped == {"not a variety of the ratings": 1, "the reference point, or without a distance": 1}
    assert ledger.kept == 12


@pytest.mark.parametrize(
    ("rows", "parts"),
    [
        ([("Foo", 3)], ["None of the 1 varieties of p.csv is in the ratings: 'Foo'.", "Expected ids"]),
        ([("Scotish English", 3)], ["'Scotish English'; did you mean 'Scottish English'?"]),
        ([("ScE", np.nan), ("WelE", np.nan)], ["None of the 2 scores", "2 score missing ('ScE', 'WelE')"]),
        ([("CollAmE", 3), ("Foo", 1)], ["the reference point", "'Foo'", "--from"]),
        ([], ["p.csv has no scores"]),
    ],
)
def test_scores_that_leave_nothing_are_an_error(ewave, from_reference, rows, parts):
    scores = pd.DataFrame(rows, columns=["variety", "score"])
    with pytest.raises(EmptyInput) as told:
        performance(ewave, from_reference, scores, place="p.csv")
    assert [p for p in parts if p not in str(told.value)] == []


@pytest.mark.parametrize("n", [1, 2])
def test_one_or_two_scores_have_no_correlation(ewave, from_reference, n):
    result, influence, ledger = performance(ewave, from_reference, scores_of(from_reference, "m", 1, n=n))
    row = result.iloc[0]
    assert (row["n"], len(influence), ledger.kept) == (n, n, n)
    assert np.isnan(row["spearman"])
    assert "a correlation needs 3" in row["reason"]


def test_missing_scores_and_series_without_any_are_told(ewave, from_reference):
    good = scores_of(from_reference, "good", 1, n=5)
    good.loc[good.index[0], "score"] = np.nan
    empty = pd.DataFrame({"variety": ["Klingon"], "score": [1.0], "model": "empty"})
    result, influence, ledger = performance(ewave, from_reference, pd.concat([good, empty]), by=("model",))
    assert result.set_index("series")["n"].to_dict() == {"good": 4, "empty": 0}
    assert set(influence["series"]) == {"good"}
    assert ledger.dropped == {"score missing": 1, "not a variety of the ratings": 1}
    ledger.check()


def test_a_series_is_not_called_as_the_mean_over_series(ewave, from_reference):
    with pytest.raises(InputError, match="is called 'all'"):
        performance(ewave, from_reference, scores_of(from_reference, "all", 1), by=("model",))


def test_two_scores_of_a_variety_need_a_series(ewave, from_reference):
    scores = scores_of(from_reference, "m", 1)
    with pytest.raises(InputError, match="has two scores"):
        performance(ewave, from_reference, pd.concat([scores, scores]))
    with pytest.raises(InputError, match="lacks the columns 'benchmark'"):
        performance(ewave, from_reference, scores, by=("benchmark",))


def test_difficulty_of_ten_l1s():
    categories = pd.DataFrame({"l1": list("abcdefghij"), "category": [1, 1, 1, 1, 1, 2, 3, 3, 4, 4]})
    scores = pd.DataFrame({"l1": list("abcdefghij"), "score": np.arange(10.0)})
    row = difficulty(scores, categories)[0].iloc[0]
    assert row["n"] == 10
    assert row["arrangements"] == factorial(10)
    assert row["spearman"] == pytest.approx(spearmanr(categories["category"], scores["score"]).statistic)
    # Only the orders that keep the category order are as extreme: 5! 1! 2! 2! of 10!, and as many reversed.
    assert row["p"] == pytest.approx(2 * 120 * 1 * 2 * 2 / factorial(10))


def test_difficulty_accounts_for_every_score():
    categories = pd.DataFrame({"l1": ["de", "es", "ru", "ja"], "category": [2, 1, 3, 4]})
    scores = pd.DataFrame({"l1": ["de", "es", "ru", "ja", "xx"], "score": [3.0, 4.0, 2.0, np.nan, 9.0]})
    rows, points, ledger = difficulty(scores, categories)
    assert points["l1"].tolist() == ["de", "es", "ru"]
    # Perfect disorder of three: two of the six arrangements are as extreme.
    assert rows.iloc[0][["n", "spearman", "p"]].tolist() == [3, pytest.approx(-1), pytest.approx(1 / 3)]
    assert ledger.as_dict()["places"] == {"L1 without a DLIFLC category": ["xx"], "score missing": ["ja"]}
    with pytest.raises(EmptyInput, match=r"None of the 1 scores of s.csv .*'xx'.*Expected .*'de'"):
        difficulty(scores.tail(1), categories, place="s.csv")
    assert "needs 3" in difficulty(scores.head(2), categories)[0]["reason"].iloc[0]
    with pytest.raises(InputError, match="'de' twice"):
        difficulty(pd.concat([scores, scores.head(1)]), categories)
