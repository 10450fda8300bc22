"""The search over partitions: what it finds is a partition's true inertia, as good as scikit-learn's, whatever the units."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from miner.dialect.kmeans import canonical, inertia_of, search


def best_by_enumeration(points, k):
    values = []
    for labels in itertools.product(range(k), repeat=len(points)):
        if len(set(labels)) == k:
            values.append(inertia_of(points, np.array(labels)))
    return min(values)


@pytest.mark.parametrize("seed", range(4))
def test_small_problems_are_solved_exactly(seed):
    points = np.random.default_rng(seed).normal(size=(8, 3))
    found = search(points, 3, starts=60, rng=np.random.default_rng(0))
    assert found.inertia == pytest.approx(best_by_enumeration(points, 3))


def test_bound_points_share_a_cluster_at_the_lowest_inertia():
    points = np.random.default_rng(9).normal(size=(8, 2))
    bound = np.array([0, 5])
    found = search(points, 3, starts=60, rng=np.random.default_rng(0), bound=bound)
    values = [
        inertia_of(points, np.array(labels))
        for labels in itertools.product(range(3), repeat=8)
        if labels[0] == labels[5] and len(set(labels)) == 3
    ]
    assert found.inertia == pytest.approx(min(values))
    assert found.labels[0] == found.labels[5]
    np.testing.assert_allclose(found.refined_inertia.min(), found.inertia)


def test_no_worse_than_scikit_learn():
    from sklearn.cluster import KMeans

    points = np.random.default_rng(2).normal(size=(60, 5))
    other = KMeans(6, n_init=30, random_state=0).fit(points)
    found = search(points, 6, starts=200, rng=np.random.default_rng(0))
    assert found.inertia <= other.inertia_ + 1e-9
    assert inertia_of(points, other.labels_) == pytest.approx(other.inertia_)


def test_refinement_never_makes_worse():
    points = np.random.default_rng(3).normal(size=(40, 4))
    found = search(points, 4, starts=100, rng=np.random.default_rng(0))
    assert (found.refined_inertia <= found.plain_inertia + 1e-9).all()


def test_canonical_labels_ignore_names():
    assert canonical(np.array([[2, 2, 0, 1], [0, 0, 1, 2]])).tolist() == [[0, 0, 1, 2], [0, 0, 1, 2]]


def test_same_seed_same_result():
    points = np.random.default_rng(3).normal(size=(30, 4))
    one, two = (search(points, 4, starts=50, rng=np.random.default_rng(8)) for _ in range(2))
    np.testing.assert_array_equal(one.plain, two.plain)
    assert one.inertia == two.inertia
