"""Partitions, trees, spectral clustering, consensus: against SciPy, scikit-learn, by hand, and on planted groups."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from miner import tables
from miner.dialect import cluster, consensus, distance_matrix, encode, neighbour_table, read_ratings
from miner.dialect.consensus import consensus_clusters
from miner.dialect.hierarchy import clades, cut, joins, newick, nexus, support
from miner.dialect.kmeans import best_partitions
from miner.dialect.membership import cores, strengths
from miner.dialect.partitions import adjusted_rand, comembership, permutation_p, rand_matrix
from miner.dialect.spectral import graph, nearest, spectral
from miner.errors import OptionError, StatisticsError, TooFew


def planted(groups, per_group, features, noise, seed):
    """Ratings of varieties in groups: features belong to a group, with some ratings drawn at random."""
    rng = np.random.default_rng(seed)
    lines = ["variety," + ",".join(f"f{j}" for j in range(features))]
    for g in range(groups):
        for m in range(per_group):
            own = np.array(["A" if j % groups == g else "D" for j in range(features)], dtype=object)
            flip = rng.random(features) < noise
            own[flip] = rng.choice(list("ABCD"), flip.sum())
            lines.append(f"g{g}m{m}," + ",".join(own))
    return "\n".join(lines) + "\n"


@pytest.fixture
def three_groups(tmp_path):
    file = tmp_path / "planted.csv"
    file.write_text(planted(3, 5, 40, 0.15, 1), encoding="utf-8")
    return read_ratings(file)


@pytest.fixture
def no_groups(tmp_path):
    file = tmp_path / "noise.csv"
    file.write_text(planted(1, 15, 40, 1.0, 2), encoding="utf-8")
    return read_ratings(file)


def test_adjusted_rand_agrees_with_scikit_learn():
    from sklearn.metrics import adjusted_rand_score

    rng = np.random.default_rng(0)
    partitions = rng.integers(0, 4, (6, 30))
    want = [[adjusted_rand_score(a, b) for b in partitions] for a in partitions]
    np.testing.assert_allclose(rand_matrix(partitions), want, atol=1e-12)
    assert adjusted_rand(np.array(["x", "x", "y"]), np.array([5, 5, 6])) == 1
    assert adjusted_rand(np.zeros(4), np.zeros(4)) == 1


def test_permutation_p_by_enumeration():
    # Two groups of three against themselves: 2 of the 20 arrangements agree as well.
    labels = np.array([0, 0, 0, 1, 1, 1])
    p = permutation_p(labels, labels, permutations=4_000, rng=np.random.default_rng(1))
    assert p == pytest.approx(2 / 20, abs=0.02)


def test_comembership_by_hand():
    matrix = comembership(np.array([[0, 0, 1], [0, 1, 1], [0, 0, 0], [0, 0, 1]]))
    assert matrix.tolist() == [[1, 0.75, 0.25], [0.75, 1, 0.5], [0.25, 0.5, 1]]


def test_strength_and_cores_by_hand():
    matrix = np.array([[1, 0.95, 0.2], [0.95, 1, 0.4], [0.2, 0.4, 1]])
    strength, other, other_strength = strengths(matrix, np.array([1, 1, 2]))
    np.testing.assert_allclose(strength, [0.95, 0.95, np.nan])
    assert other == [2, 2, 1]
    np.testing.assert_allclose(other_strength, [0.2, 0.4, 0.3])
    assert cores(matrix) == [1, 1, None]


def test_best_partitions_equal_the_search_of_each_set():
    from miner.dialect.kmeans import inertia_of, search

    sets = np.random.default_rng(4).normal(size=(5, 20, 3))
    labels = best_partitions(sets @ sets.transpose(0, 2, 1), 3, starts=40, rng=np.random.default_rng(0))
    for points, found in zip(sets, labels, strict=True):
        best = search(points, 3, starts=200, rng=np.random.default_rng(1)).inertia
        assert inertia_of(points, found) == pytest.approx(best)


def test_average_linkage_by_hand():
    distance = np.array([[0, 1, 4, 6], [1, 0, 4, 6], [4, 4, 0, 5], [6, 6, 5, 0]], dtype=float)
    tree = joins(distance)
    np.testing.assert_allclose(tree[:, 2], [1, 4, (6 + 6 + 5) / 3])
    assert clades(tree) == [frozenset({0, 1}), frozenset({0, 1, 2}), frozenset({0, 1, 2, 3})]
    assert cut(tree, 2).tolist() == [0, 0, 0, 1]
    other = joins(np.array([[0, 4, 1, 6], [4, 0, 4, 6], [1, 4, 0, 5], [6, 6, 5, 0]], dtype=float))
    assert support(tree, [tree, other]).tolist() == [0.5, 1.0, 1.0]


def test_newick_and_nexus_parse_back():
    from commonnexus import Nexus
    from newick import loads

    names = ["Hawaiʼi Creole", "O'Brien", "Plain (one)"]
    distance = np.array([[0, 0.2, 0.6], [0.2, 0, 0.6], [0.6, 0.6, 0]])
    tree = loads(newick(joins(distance), names, np.array([0.93, 1.0])))[0]
    leaves = {leaf.unquoted_name: leaf.length for leaf in tree.get_leaves()}
    assert leaves == {"Hawaiʼi Creole": 0.1, "O'Brien": 0.1, "Plain (one)": 0.3}
    assert {n.name for n in tree.walk() if not n.is_leaf} == {None, "93"}
    matrix = Nexus(nexus(distance, names, comment="a|b[c]")).DISTANCES.get_matrix()
    assert list(matrix) == names
    assert float(matrix["Plain (one)"]["O'Brien"]) == 0.6


def test_a_tree_needs_all_distances():
    open_pair = np.array([[0, np.nan], [np.nan, 0]])
    with pytest.raises(StatisticsError, match="1 pairs of varieties have no distance"):
        joins(open_pair)
    with pytest.raises(StatisticsError, match="must be complete"):
        nexus(open_pair, ["a", "b"])


def test_neighbours_by_hand():
    distance = np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]], dtype=float)
    assert nearest(distance, 2).tolist() == [[1, 2], [0, 2], [1, 0]]
    assert graph(distance, 1).tolist() == [[False, True, False], [True, False, True], [False, True, False]]
    with pytest.raises(OptionError, match="1 to 2"):
        nearest(distance, 3)


def test_neighbour_table_of_ewave():
    ratings = read_ratings()
    matrix = distance_matrix(encode(ratings, "ordinal"))
    frame = neighbour_table(ratings, matrix.distance[:-1, :-1], matrix.n_shared[:-1, :-1])
    assert len(frame) == 77 * 7
    assert (frame["variety_id"] != frame["neighbour_id"]).all()
    ranked = frame.groupby("variety_id", sort=False)["distance"]
    assert ranked.apply(lambda d: d.round(9).is_monotonic_increasing).all()


@pytest.mark.parametrize("method", ["kmeans", "hierarchical", "spectral"])
def test_planted_groups_are_found_by_each_method(three_groups, method):
    frame = cluster(three_groups, method, 3)
    groups = frame["variety"].str[:2]
    assert adjusted_rand(frame["cluster"].to_numpy(), groups.to_numpy()) == 1
    assert frame["cluster"].tolist() == [1] * 5 + [2] * 5 + [3] * 5  # equal sizes: by first variety


def test_spectral_of_separate_parts_are_the_parts():
    points = np.array([0, 1, 2, 100, 101, 102.0])
    distance = np.abs(points[:, None] - points)
    assert spectral(distance, 2, neighbours=2, seed=1).tolist() == [0, 0, 0, 1, 1, 1]


def test_more_clusters_than_varieties(three_groups):
    with pytest.raises(TooFew, match="15 rated varieties"):
        cluster(three_groups, "hierarchical", 16)


def test_consensus_finds_planted_groups_and_their_number(three_groups):
    found = consensus(three_groups, ks=range(2, 6), resamples=20, nulls=19, permutations=99)
    assert 3 in found.supported
    members = found.membership[found.membership["k"] == 3]
    assert members["cluster"].tolist() == [1] * 5 + [2] * 5 + [3] * 5
    assert (members["strength"] > 0.9).all()
    assert members["core"].tolist() == [1] * 5 + [2] * 5 + [3] * 5
    stable = found.stability.set_index(["source", "k"])
    assert stable.loc[("together", 3), "ari"] > 0.9
    assert stable.loc[("together", 3), "p"] == pytest.approx(1 / 20)
    assert stable.loc[("encodings", 3), "replicates"] == 8


def test_consensus_may_answer_none(no_groups):
    found = consensus(no_groups, ks=range(2, 6), resamples=20, nulls=19, permutations=99)
    assert found.supported == ()
    assert "no grouping can be claimed" in found.answer
    clusters = consensus_clusters(no_groups, found)
    assert clusters["cluster"].isna().all()
    assert (clusters["reason"] == "no number of clusters is stable").all()


def test_consensus_repeats_and_ignores_row_order(three_groups, tmp_path):
    options = {"ks": (2, 3), "resamples": 10, "nulls": 2, "permutations": 19}
    wide = pd.DataFrame(
        [
            list(r)
            for r in three_groups.ratings.pivot(index="variety_id", columns="feature_id", values="rating").to_numpy()
        ],
        index=sorted(three_groups.varieties["variety_id"]),
        columns=sorted(three_groups.features["feature_id"]),
    )
    shuffled = wide.sample(frac=1, random_state=np.random.RandomState(1)).sample(
        frac=1, axis=1, random_state=np.random.RandomState(2)
    )
    shuffled.rename_axis("variety").to_csv(tmp_path / "planted.csv")
    one, two = consensus(three_groups, **options), consensus(read_ratings(tmp_path / "planted.csv"), **options)
    for name in ("stability", "comembership", "membership", "agreement"):
        pd.testing.assert_frame_equal(getattr(one, name), getattr(two, name))
    assert list(one.membership.columns) == tables.MEMBERSHIP.names


def test_consensus_needs_enough(three_groups):
    with pytest.raises(TooFew, match="at least 4 rated varieties"):
        consensus(three_groups.take([0, 1, 2]), resamples=5)


@pytest.mark.slow
def test_ewave_has_two_stable_groups():
    # Independent NumPy resamples of features: only k = 2 is stable; the two groups are all varieties with creoles and
    # pidgins on one side.
    found = consensus(ks=(2, 5), resamples=60, nulls=5, permutations=99)
    stable = found.stability.set_index(["source", "k"])["ari"]
    assert found.supported == (2,)
    assert stable[("together", 2)] > stable[("together", 5)]
    members = found.membership[found.membership["k"] == 2].set_index("variety")
    contact = members["type"].isin(["Cr", "P"])
    assert adjusted_rand(members["cluster"].to_numpy(), contact.to_numpy()) > 0.7


def test_kmeans_of_imputed_cells_combines_the_draws(three_groups):
    changed = three_groups.with_rating("g0m0", "f0", "?").with_rating("g1m1", "f4", "X")
    frame = cluster(changed, "kmeans", 3)
    assert adjusted_rand(frame["cluster"].to_numpy(), frame["variety"].str[:2].to_numpy()) == 1


def test_consensus_accounts_for_what_it_leaves_out(tmp_path):
    text = planted(2, 4, 12, 0.1, 3) + "silent," + ",".join("?" * 12) + "\n"
    file = tmp_path / "v.csv"
    file.write_text(text, encoding="utf-8")
    found = consensus(read_ratings(file), ks=(2,), resamples=4, nulls=1, permutations=9)
    assert found.ledger.dropped == {"no rating A, B, C or D": 1}
    assert "silent" not in set(found.membership["variety"])
