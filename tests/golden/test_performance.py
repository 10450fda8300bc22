"""Distance against performance: numbers from Anscombe's paper, counting by hand and textbook formulas."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from plot_frames import NAMES, distances_frame
from scipy import stats

from miner import plots

# Anscombe (1973), The American Statistician 27, 17-21, first data set; the paper gives the line y = 3 + 0.5 x with
# standard error of b1 0.118, r2 = .667.
X = [10.0, 8.0, 13.0, 9.0, 11.0, 14.0, 6.0, 4.0, 12.0, 7.0, 5.0]
Y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68]


@pytest.fixture
def anscombe() -> tuple[pd.DataFrame, pd.DataFrame]:
    first = distances_frame().iloc[[0]]
    frame = pd.concat(
        [first.assign(variety_id=str(100 + i), variety=f"Variety {i}", distance=x) for i, x in enumerate(X)]
    )
    return frame, pd.DataFrame({"variety": [f"Variety {i}" for i in range(len(X))], "score": Y})


def test_the_line_and_the_correlation_are_anscombes(anscombe: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    row = plots.performance(*anscombe).iloc[0]
    assert row["n"] == 11
    assert row["slope"] == pytest.approx(0.500, abs=5e-4)
    assert row["intercept"] == pytest.approx(3.00, abs=5e-3)
    assert row["r_squared"] == pytest.approx(0.667, abs=5e-4)
    # b1 ± t(9, .975) * 0.118
    half = stats.t.ppf(0.975, 9) * 0.118
    assert (row["slope_high"] - row["slope_low"]) / 2 == pytest.approx(half, rel=2e-3)
    # Fisher: tanh(atanh r ± 1.96 / sqrt(n - 3))
    r = row["pearson_r"]
    assert r == pytest.approx(math.sqrt(row["r_squared"]))
    z = stats.norm.ppf(0.975) / math.sqrt(8)
    assert row["pearson_low"] == pytest.approx(math.tanh(math.atanh(r) - z))
    assert row["pearson_high"] == pytest.approx(math.tanh(math.atanh(r) + z))
    assert row["spearman_rho"] == pytest.approx(stats.spearmanr(X, Y).statistic)


def test_the_band_is_the_textbooks(anscombe: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    points = pd.DataFrame({"distance": X, "score": Y})
    at = np.array([4.0, 9.0, 14.0])
    band = plots.line_band(points, at)
    x, y = np.array(X), np.array(Y)
    sxx = ((x - x.mean()) ** 2).sum()
    slope = ((x - x.mean()) * (y - y.mean())).sum() / sxx
    fit = y.mean() + slope * (at - x.mean())
    s = math.sqrt(((y - (y.mean() + slope * (x - x.mean()))) ** 2).sum() / 9)
    half = stats.t.ppf(0.975, 9) * s * np.sqrt(1 / 11 + (at - x.mean()) ** 2 / sxx)
    np.testing.assert_allclose(band["fit"], fit)
    np.testing.assert_allclose(band["high"], fit + half)
    np.testing.assert_allclose(band["low"], fit - half)


def test_spearmans_p_is_exact_for_few_points() -> None:
    # Of the 120 orders of five values, 1 has rho = 1 and 4 (swaps of neighbours) have .9; both signs: 10 / 120.
    rho, p, how = plots.spearman([1, 2, 3, 4, 5], [1, 2, 3, 5, 4])
    assert rho == pytest.approx(0.9)
    assert (p, how) == (pytest.approx(10 / 120), "exact")
    # 4 values, perfect: 2 of 24.
    assert plots.spearman([4, 3, 2, 1], [1, 2, 3, 4])[1] == pytest.approx(2 / 24)


def test_spearmans_exact_p_with_ties_is_scipys() -> None:
    x, y = [1, 1, 2, 3, 3, 4], [3.0, 1.0, 2.0, 5.0, 4.0, 6.0]
    told = stats.permutation_test(
        (x,), lambda a: stats.spearmanr(a, y).statistic, permutation_type="pairings", n_resamples=np.inf
    )
    rho, p, how = plots.spearman(x, y)
    assert rho == pytest.approx(told.statistic)
    assert (p, how) == (pytest.approx(told.pvalue), "exact")


def test_many_points_take_scipys_approximation() -> None:
    x, y = list(range(12)), [0, 2, 1, 3, 5, 4, 6, 8, 7, 9, 11, 10]
    rho, p, how = plots.spearman(x, y)
    told = stats.spearmanr(x, y)
    assert (rho, p, how) == (pytest.approx(told.statistic), pytest.approx(told.pvalue), "t")


def test_average_linkage_by_hand() -> None:
    # a-b 1, a-c 4, b-c 6: join a and b at 1, then c at (4 + 6) / 2 = 5.
    names = ["a", "b", "c"]
    matrix = pd.DataFrame([[0, 1, 4], [1, 0, 6], [4, 6, 0]], index=names, columns=names, dtype=float)
    joins = plots.tree(matrix)["joins"]
    assert joins["height"].tolist() == [1.0, 5.0]
    assert joins["size"].tolist() == [2, 3]
    # The optimal order puts a, the nearer one, beside c.
    assert plots.tree(matrix)["order"] in (["b", "a", "c"], ["c", "a", "b"])


def test_quartiles_by_hand() -> None:
    scores = pd.DataFrame({"l1": ["fr", "it", "pt", "es", "de"], "score": [1.0, 2.0, 3.0, 4.0, 9.0]})
    boxes = plots.difficulty_data(plots.difficulty_points(scores)[0]).set_index("category")
    # Linear interpolation of 1, 2, 3, 4: quartiles 1.75, 2.5, 3.25.
    assert boxes.loc[1, ["minimum", "q1", "median", "q3", "maximum"]].tolist() == [1, 1.75, 2.5, 3.25, 4]
    assert boxes.loc[2, "n"] == 1
    assert boxes.loc[3, "n"] == 0
    assert math.isnan(boxes.loc[3, "median"])


def test_the_ten_categories_are_the_studys() -> None:
    # Trans-EnV, section 4.2: 1 French, Italian, Portuguese, Spanish; 2 German; 3 Russian, Turkish; 4 Arabic, Chinese, Japanese.
    table = plots.read_difficulty()
    assert {c: sorted(g["l1"]) for c, g in table.groupby("category")} == {
        1: ["es", "fr", "it", "pt"],
        2: ["de"],
        3: ["ru", "tr"],
        4: ["ar", "ja", "zh"],
    }


def test_scores_meet_varieties_by_name_id_and_abbreviation() -> None:
    varieties = pd.DataFrame({"variety_id": ["11"], "variety": [NAMES["11"]], "abbr": ["EeeE"]})
    scores = pd.DataFrame(
        {"variety": ["bbb creole", "3", "EeeE", "EeeE", "Nowhere", "Aaa English"], "score": [1.0, 2, 3, 5, 9, 9]}
    )
    points, ledger = plots.match_scores(distances_frame(), scores, varieties=varieties)
    assert points["variety_id"].tolist() == ["2", "3", "11"]
    assert points["score"].tolist() == [1.0, 2.0, 4.0]
    assert points["n_scores"].tolist() == [1, 1, 2]
    assert points["distance"].tolist() == [1.0, 4.0, 7.0]
    ledger.check()
    assert dict(ledger.dropped) == {"variety not in the distances": 1, "the reference point itself": 1}
    assert ledger.places["variety not in the distances"] == ["Nowhere"]
