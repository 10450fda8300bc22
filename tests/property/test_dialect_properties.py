"""What must hold for any ratings: symmetric distances, bounds that hold the truth, no dependence on order."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from miner.dialect import distance_matrix, encode, feature_profile, read_ratings, variety_profile
from miner.dialect.distances import distances
from miner.dialect.hierarchy import clades, joins
from miner.dialect.metrics import bounds, manhattan
from miner.dialect.names import NameIndex, fold

STATES = [*"ABCDX?", ""]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Reads a table given as rows of states."""

    def make(rows):
        file = tmp_path_factory.mktemp("table") / "t.csv"
        names = [f"f{j}" for j in range(len(rows[0]))]
        lines = [",".join(["variety", *names]), *(",".join([f"v{i}", *row]) for i, row in enumerate(rows))]
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return read_ratings(file)

    return make


tables_of_states = st.integers(2, 5).flatmap(
    lambda n: st.lists(st.lists(st.sampled_from(STATES), min_size=4, max_size=4), min_size=n, max_size=n)
)


@settings(max_examples=25, deadline=None)
@given(rows=tables_of_states, missing=st.sampled_from(["zero", "pairwise", "x=zero,unknown=pairwise,absent=zero"]))
def test_distances_are_symmetric_with_a_zero_diagonal(table, rows, missing):
    found = distance_matrix(encode(table(rows), "ordinal", missing))
    np.testing.assert_array_equal(found.distance, found.distance.T)
    diagonal = np.diag(found.distance)
    assert ((diagonal == 0) | np.isnan(diagonal)).all()
    np.testing.assert_array_equal(np.isnan(found.distance), found.n_shared == 0)
    np.testing.assert_array_equal(found.bound_low, found.bound_low.T)
    np.testing.assert_array_equal(found.bound_high, found.bound_high.T)
    assert (found.bound_low <= found.bound_high + 1e-12).all()


@settings(max_examples=25, deadline=None)
@given(rows=tables_of_states, seed=st.integers(0, 1000))
def test_bounds_hold_whatever_the_open_cells_are(table, rows, seed):
    ratings = table(rows)
    low, high = bounds(encode(ratings, "trans-env", "pairwise").values, np.array([0, 0.25, 0.5, 1.0]))
    rng = np.random.default_rng(seed)
    values = encode(ratings, "trans-env", "pairwise").values
    guess = np.where(np.isnan(values), rng.choice([0, 0.25, 0.5, 1.0], values.shape), values)
    distance, _ = manhattan(guess)
    assert (low <= distance + 1e-12).all()
    off = ~np.eye(len(values), dtype=bool)
    assert (distance[off] <= high[off] + 1e-12).all()


@settings(max_examples=25, deadline=None)
@given(rows=tables_of_states)
def test_counts_add_up(table, rows):
    ratings = table(rows)
    cells = len(rows) * 4
    for by in ("variety", "feature"):
        assert ratings.counts(by).sum(numeric_only=True).sum() == cells
    assert len(variety_profile(ratings)) == len(rows)
    assert len(feature_profile(ratings)) == 4
    ratings.ledger.check()


@settings(max_examples=15, deadline=None)
@given(rows=tables_of_states, seed=st.integers(0, 100))
def test_the_order_of_features_changes_nothing(table, rows, seed):
    order = np.random.default_rng(seed).permutation(4)
    one = distances(table(rows), from_="all")
    two = distances(table([[row[j] for j in order] for row in rows]), from_="all")
    pd.testing.assert_series_equal(one["distance"], two["distance"])


@settings(max_examples=30, deadline=None)
@given(st.integers(3, 9), st.integers(0, 1000))
def test_every_tree_ends_in_all_leaves(n, seed):
    points = np.random.default_rng(seed).normal(size=(n, 2))
    distance = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    found = clades(joins(distance))
    assert found[-1] == frozenset(range(n))
    assert len(found) == len(set(found)) == n - 1


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(max_size=12), min_size=1, max_size=6, unique=True))
def test_every_name_finds_itself(names):
    index = NameIndex(names)
    assert [index.find(n) for n in names] == list(range(len(names)))
    assert all(fold(fold(n)) == fold(n) for n in names)
