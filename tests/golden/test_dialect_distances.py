"""Bounds, intervals, Gower, Multi-VALUE's divisor and imputation: by hand, from the papers, or from SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cityblock

from miner.dialect import distances, encode, read_ratings
from miner.dialect.distances import distance_matrix
from miner.dialect.imputation import imputer
from miner.dialect.metrics import bounds, manhattan, manhattan_resampled
from miner.dialect.resampling import feature_resamples
from miner.errors import OptionError


@pytest.fixture(scope="module")
def ewave():
    return read_ratings()


def row(frame, name):
    return frame.set_index("variety").loc[name]


def test_bounds_of_chicano_and_colloquial_american(ewave):
    # 151 and 118 open cells of 235: between .04 and .76 (1/.5/.25, counted by hand over the cells).
    found = row(distances(ewave, encoding="trans-env", missing="pairwise"), "Chicano English")
    assert found["bound_low"] == pytest.approx(9.5 / 235)
    assert (round(found["bound_low"], 2), round(found["bound_high"], 2)) == (0.04, 0.76)
    assert found["n_unrated"] == 185


def test_bounds_by_hand():
    known = np.array([[1.0, 0.5, np.nan, np.nan], [0.0, np.nan, 0.25, np.nan]])
    low, high = bounds(known, np.array([0.0, 0.25, 0.5, 1.0]))
    assert low[0, 1] == pytest.approx(1 / 4)
    assert high[0, 1] == pytest.approx((1 + 0.5 + 0.75 + 1) / 4)
    assert (np.diag(low) == 0).all()
    assert (np.diag(high) == 0).all()


@pytest.mark.parametrize("missing", ["zero", "pairwise", "impute-area"])
def test_distances_over_all_features_lie_inside_their_bounds(ewave, missing):
    matrix = distance_matrix(encode(ewave, "ordinal", missing))
    complete = matrix.n_shared == 235
    inside = (matrix.bound_low <= matrix.distance + 1e-12) & (matrix.distance <= matrix.bound_high + 1e-12)
    assert inside[complete].all()
    if missing != "pairwise":
        assert inside.all()


def test_multi_values_divisor(ewave):
    # Multi-VALUE's code: vectors of 236 entries, entry 0 a dummy; today's ratings (its own snapshot: Indian .2699).
    frame = distances(ewave, "manhattan-236", "multi-value").set_index("variety")["distance"]
    want = {
        "Chicano English": 0.1403,
        "Colloquial Singapore English (Singlish)": 0.2843,
        "Indian English": 0.2733,
        "Urban African American Vernacular English": 0.2428,
    }
    assert frame[list(want)].round(4).to_dict() == want


def test_multi_values_divisor_needs_its_rule(ewave):
    with pytest.raises(OptionError, match="counts X, \\? and absent as 0"):
        distances(ewave, "manhattan-236", "ordinal")


def test_zero_policy_agrees_with_scipy(ewave):
    values = encode(ewave, "multi-value").values
    matrix = distance_matrix(encode(ewave, "multi-value"))
    for i, j in ((0, 1), (13, 21), (70, 76)):
        assert matrix.distance[i, j] == pytest.approx(cityblock(values[i], values[j]) / 235)


def test_gower_by_hand(tmp_path):
    file = tmp_path / "v.csv"
    file.write_text("variety,f1,f2,f3\na,A,C,D\nb,D,D,D\nc,B,C,?\n", encoding="utf-8")
    frame = distances(read_ratings(file), "gower", "ordinal", "all").set_index(["from_id", "variety_id"])
    # Ranges: f1 1, f2 1/3, f3 0 (equal in all: it counts as shared, and adds nothing).
    assert frame.loc[("a", "b"), "distance"] == pytest.approx((1 + 1 + 0) / 3)
    assert frame.loc[("b", "c"), "distance"] == pytest.approx((2 / 3 + 1) / 2)
    assert frame.loc[("b", "c"), "n_shared"] == 2


def test_policies_of_the_states_are_separate(tmp_path):
    file = tmp_path / "v.csv"
    file.write_text("variety,f1,f2,f3,f4\na,A,A,A,A\nb,X,?,,D\n", encoding="utf-8")
    for missing, shared in (
        ("x=zero,unknown=pairwise,absent=pairwise", 2),
        ("?=zero", 2),
        ("x=zero,unknown=zero,absent=zero", 4),
        ("pairwise", 1),
    ):
        assert (
            row(distances(read_ratings(file), "manhattan", "ordinal", "a", missing=missing), "b")["n_shared"] == shared
        )
    with pytest.raises(OptionError, match="did you mean 'pairwise'"):
        distances(read_ratings(file), "manhattan", "ordinal", "a", missing="x=pairwize")


def test_resamples_keep_the_size_of_each_area(ewave):
    counts = feature_resamples(ewave, 30, np.random.default_rng(1))
    areas = ewave.features["area"].to_numpy()
    for area in set(areas):
        assert (counts[:, areas == area].sum(axis=1) == (areas == area).sum()).all()


def test_resampled_distances_are_those_of_the_repeated_columns(ewave):
    values = encode(ewave, "ordinal").values
    counts = feature_resamples(ewave, 3, np.random.default_rng(1))
    drawn = manhattan_resampled(values, counts, np.array([13]), weights=np.ones(235))
    for r in range(3):
        want, _ = manhattan(np.repeat(values, counts[r], axis=1))
        np.testing.assert_allclose(drawn[r, 0], want[13])


def test_intervals_hold_the_estimate_and_repeat(ewave):
    frame = distances(ewave, resamples=100)
    assert (frame["ci_low"] <= frame["distance"] + 1e-12).all()
    assert (frame["distance"] <= frame["ci_high"] + 1e-12).all()
    again = distances(ewave, resamples=100)
    assert frame.equals(again)
    assert not frame["ci_low"].equals(distances(ewave, resamples=100, seed=5)["ci_low"])


def test_imputed_cells_come_from_donors_and_observed_cells_stay(ewave):
    encoded = encode(ewave, "ordinal", "impute-area")
    drawn = imputer(encoded).draw(np.random.default_rng(0))
    assert not np.isnan(drawn).any()
    np.testing.assert_array_equal(drawn[ewave.rated], encoded.values[ewave.rated])
    regions = ewave.varieties["region"].to_numpy()
    i, j = next((i, j) for i, j in np.argwhere(~ewave.rated) if (ewave.rated[:, j] & (regions == regions[i])).any())
    assert drawn[i, j] in encoded.values[ewave.rated[:, j] & (regions == regions[i]), j]


def test_imputation_has_a_spread_and_the_other_policies_have_none(ewave):
    assert distances(ewave, missing="impute-neighbour")["spread"].drop(13).gt(0).all()
    assert distances(ewave)["spread"].isna().all()
