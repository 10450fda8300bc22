"""Hard cases with known numbers: distances under four policies, SVD at exactly 90 %, clusters that tie."""

from __future__ import annotations

import json

import numpy as np
import pytest

from miner.dialect import distances, encode, k_selection, read_ratings, reduce, search
from miner.dialect.silhouettes import pairwise_distances, silhouettes
from miner.errors import OptionError, TooFew

# Policy names of the cases -> options here.
POLICIES = {
    "weights_1_5_25_unknown_as_0": ("trans-env", "zero"),
    "weights_1_6_3_unknown_as_0": ("multi-value", "zero"),
    "weights_1_6_3_without_unknown": ("multi-value", "x=zero,unknown=pairwise,absent=pairwise"),
    "weights_1_6_3_without_unknown_and_X": ("multi-value", "pairwise"),
    "weights_1_5_25_without_unknown_and_X": ("trans-env", "pairwise"),
}


@pytest.fixture(scope="module")
def expected(cases):
    return json.loads((cases / "ewave" / "expected.json").read_text(encoding="utf-8"))


def ratings_of(cases, case):
    return read_ratings(next((cases / "ewave").glob(f"{case.lower()}_*.csv")))


@pytest.mark.parametrize("case", ["E01", "E02"])
def test_distances_and_shared_features_under_each_policy(cases, expected, case):
    ratings = ratings_of(cases, case)
    for policy, pairs in expected[case]["manhattan_mean"].items():
        encoding, missing = POLICIES[policy]
        frame = distances(ratings, "manhattan", encoding, "all", missing=missing).set_index(["from_id", "variety_id"])
        for pair, want in pairs.items():
            got = frame.loc[tuple(pair.split("-"))]
            assert got["n_shared"] == want["n_shared"]
            if want["distance"] is None:
                assert np.isnan(got["distance"])
                assert got["reason"]
            else:
                assert got["distance"] == pytest.approx(want["distance"], abs=1e-11)


def test_the_papers_rule_is_the_default_of_the_papers_encodings(cases, expected):
    frame = distances(ratings_of(cases, "E01"), encoding="multi-value", from_="V1").set_index("variety_id")
    want = expected["E01"]["manhattan_mean"]["weights_1_6_3_unknown_as_0"]["V1-V3"]["distance"]
    assert frame.loc["V3", "distance"] == pytest.approx(want, abs=1e-11)
    own = distances(ratings_of(cases, "E01"), encoding="ordinal", from_="V1").set_index("variety_id")
    assert own.loc["V3", "n_shared"] == 2


def test_euclidean_over_all_components(cases, expected):
    frame = distances(ratings_of(cases, "E01"), "euclidean", "trans-env", "all", share=1.0)
    frame = frame.set_index(["from_id", "variety_id"])["distance"]
    for pair, want in expected["E01"]["euclidean"]["weights_1_5_25_unknown_as_0"].items():
        assert frame.loc[tuple(pair.split("-"))] == pytest.approx(want, abs=1e-8)


def test_varieties_without_ratings_equal_one_without_features_and_it_is_said(cases):
    frame = distances(ratings_of(cases, "E02"), encoding="trans-env", from_="V2").set_index("variety_id")
    assert frame.loc["V3", "distance"] == 0
    assert "V3 without any rating" in frame.loc["V3", "reason"]
    assert "V4 without any rating" in frame.loc["V4", "reason"]


def test_ninety_percent_exactly(cases, expected):
    values = encode(ratings_of(cases, "E06"), "binary").values
    want = expected["E06"]
    space = reduce(values, centred=True, share=0.9)
    np.testing.assert_allclose(space.squared, want["squared_singular_values_centred"], atol=1e-9)
    np.testing.assert_allclose(space.cumulative[:3], want["cumulative"], atol=1e-12)
    assert space.n_components == want["components_at_90_percent"]
    pairs = [(int(p[1]) - 1, int(p[4]) - 1) for p in want["euclidean_full"]]
    for points, key in ((values, "euclidean_full"), (space.scores, "euclidean_first_two_components")):
        matrix = pairwise_distances(points)
        np.testing.assert_allclose([matrix[p] for p in pairs], list(want[key].values()), atol=1e-12)
    uncentred = reduce(values, centred=False)
    np.testing.assert_allclose(uncentred.cumulative[:3], want["uncentred_cumulative"], atol=1e-8)


def test_sign_rule(cases):
    space = reduce(encode(ratings_of(cases, "E06"), "binary").values)
    largest = np.abs(space.loadings).argmax(axis=0)
    assert (space.loadings[largest, range(space.n_components)] > 0).all()


def test_open_cells_are_refused_by_the_reduction(cases):
    with pytest.raises(OptionError, match="missing='zero'"):
        distances(ratings_of(cases, "E01"), "euclidean", "ordinal", "V1", missing="pairwise")


def test_k_selection_with_equal_vectors_ties_and_singletons(cases, expected):
    values = encode(ratings_of(cases, "E07"), "trans-env").values
    frame = k_selection(values, seed=1, ks=range(1, 6), starts=50).set_index("k")
    assert frame.loc[3, "silhouette"] == pytest.approx(expected["E07"]["silhouette"]["k=3: V1 V2 | V3 V4 | V5"])
    assert "1 cluster of one variety" in frame.loc[3, "reason"]
    assert frame.loc[2, "silhouette"] == pytest.approx(0.689446, abs=5e-7)
    assert frame.loc[2, "inertia"] == pytest.approx(expected["E07"]["inertia_k2"])
    assert "2 different partitions tie" in frame.loc[2, "reason"]
    for k in (1, 5):
        assert np.isnan(frame.loc[k, "silhouette"])
    assert np.isnan(frame.loc[4, "inertia"])
    assert "only 3 different vectors" in frame.loc[4, "reason"]


def test_more_clusters_than_vectors_are_refused(cases):
    values = encode(ratings_of(cases, "E07"), "trans-env").values
    with pytest.raises(TooFew, match="only 3 different vectors among 5"):
        search(values, 4, starts=5, rng=np.random.default_rng(1))


def test_silhouette_of_a_singleton_is_zero(cases):
    values = encode(ratings_of(cases, "E07"), "trans-env").values
    assert silhouettes(pairwise_distances(values), np.array([0, 0, 1, 1, 2])).tolist() == [1, 1, 1, 1, 0]
    assert silhouettes(pairwise_distances(values), np.zeros(5)) is None
    assert silhouettes(pairwise_distances(values), np.arange(5)) is None


def test_silhouettes_agree_with_scikit_learn():
    from sklearn.metrics import silhouette_samples

    rng = np.random.default_rng(5)
    points, labels = rng.normal(size=(40, 6)), rng.integers(0, 4, 40)
    np.testing.assert_allclose(
        silhouettes(pairwise_distances(points), labels), silhouette_samples(points, labels), atol=1e-12
    )
