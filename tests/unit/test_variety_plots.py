"""Plots of varieties: what is drawn is the table, nothing is dropped silently, the same bytes again."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from miner.dialect import read_ratings
from miner.errors import InputError, TooFew
from miner.plots import (
    comembership_matrix,
    loading_data,
    plot_biplot,
    plot_comembership,
    plot_stability,
    plot_supported_tree,
    plot_wheels,
    plot_world,
    save,
    supported_tree_data,
    wheel_data,
    world_data,
)
from miner.plots.style import figure_of
from miner.plots.world import land


@pytest.fixture(scope="module")
def ewave():
    return read_ratings()


def test_land_is_on_the_globe():
    points = np.array([p for ring in land() for p in ring])
    assert len(land()) > 100
    assert (np.abs(points[:, 0]) <= 180).all()
    assert (points[:, 1] <= 90).all()


def test_world_names_what_it_cannot_place(ewave):
    varieties = ewave.varieties.head(3).assign(latitude=[1.0, np.nan, 3.0])
    clusters = pd.DataFrame({"variety_id": ["1", "2", "3"], "cluster": pd.array([1, 1, None], dtype="Int64")})
    data = world_data(varieties, clusters)
    assert data["cluster"].tolist()[:2] == [1, 1]
    figure = figure_of(plot_world(data))
    assert "Scottish English" in figure.get_supxlabel()
    with pytest.raises(TooFew, match="No variety has coordinates"):
        plot_world(data.assign(latitude=np.nan))
    with pytest.raises(InputError, match="'abbr'"):
        world_data(varieties.drop(columns="abbr"))


def stability():
    return pd.DataFrame(
        {
            "source": ["starts", "starts", "together", "together"],
            "k": [2, 3, 2, 3],
            "ari": [0.9, 0.5, 0.8, 0.4],
            "null_high": [np.nan, np.nan, 0.1, 0.1],
            "supported": pd.array([None, None, True, False], dtype="boolean"),
        }
    )


def test_stability_has_a_line_per_source():
    ax = plot_stability(stability())
    drawn = {
        line.get_label(): line.get_ydata().tolist() for line in ax.get_lines() if not line.get_label().startswith("_")
    }
    assert drawn["starts of k-means"] == [0.9, 0.5]
    assert drawn["all together"] == [0.8, 0.4]
    assert any("null" in name for name in drawn)


def comembership():
    return pd.DataFrame(
        {
            "source": "together",
            "k": 2,
            "variety_id": ["1", "1", "2"],
            "other_id": ["2", "3", "3"],
            "share": [0.9, 0.2, 0.3],
        }
    )


def test_comembership_matrix_is_the_table():
    matrix = comembership_matrix(comembership(), 2)
    assert matrix.loc["1", "2"] == matrix.loc["2", "1"] == 0.9
    assert np.diag(matrix).tolist() == [1, 1, 1]
    with pytest.raises(InputError, match="there are 'together, k = 2'"):
        comembership_matrix(comembership(), 5)


def test_comembership_plot_keeps_pairs_together():
    members = pd.DataFrame({"k": 2, "variety_id": ["1", "2", "3"], "variety": list("abc"), "cluster": [1, 1, 2]})
    ax = plot_comembership(comembership(), members, 2)
    order = [t.get_text() for t in ax.get_yticklabels()]
    assert abs(order.index("a") - order.index("b")) == 1
    drawn = ax.get_images()[0].get_array()
    assert drawn[order.index("a"), order.index("b")] == 0.9


def test_biplot_has_the_longest_arrows(ewave):
    loadings = np.zeros((235, 2))
    loadings[6], loadings[153] = (3.0, 4.0), (0.0, -2.0)
    arrows = loading_data(loadings, ewave.features, most=2)
    assert arrows["feature_id"].tolist() == ["7", "154"]
    assert arrows["length"].tolist() == [5.0, 2.0]
    places = pd.DataFrame(
        {"variety": ["a", "b"], "x": [1.0, -1.0], "y": [0.5, 0.0], "cluster": pd.array([1, None], dtype="Int64")}
    )
    texts = " ".join(t.get_text().replace("\n", " ") for t in plot_biplot(places, arrows).texts)
    assert "Me instead of I in coordinate subjects (7)" in texts
    with pytest.raises(InputError, match="235 features"):
        loading_data(loadings[:3], ewave.features)


def test_wheel_has_every_feature_once(ewave):
    data = wheel_data(ewave.ratings, ewave.features, ewave.varieties, ["15", "2"])
    assert len(data) == 2 * 235
    assert data["variety"].iloc[0] == "Urban African American Vernacular English"
    width = (data["end"] - data["start"]).round(9)
    assert width.nunique() == 1
    assert width.iloc[0] * 235 + 2 * 12 == pytest.approx(360)
    with pytest.raises(InputError, match="no variety '999'"):
        wheel_data(ewave.ratings, ewave.features, ewave.varieties, ["999"])


def test_wheels_say_how_many_are_pervasive(ewave, tmp_path):
    data = wheel_data(ewave.ratings, ewave.features, ewave.varieties, ["2", "3"])
    figure = plot_wheels(data)
    assert [ax.texts[-1].get_text() for ax in figure.axes] == ["7\nrated A", "24\nrated A"]
    save(figure, tmp_path / "one")
    save(plot_wheels(data), tmp_path / "two")
    for end in ("svg", "png"):
        assert (tmp_path / f"one.{end}").read_bytes() == (tmp_path / f"two.{end}").read_bytes()


def test_tree_with_support(ewave):
    tree = pd.DataFrame(
        {"join": [3, 4], "left": [0, 2], "right": [1, 3], "height": [0.2, 0.6], "size": [2, 3], "support": [0.93, 1.0]}
    )
    data = supported_tree_data(tree, ewave.varieties.head(3))
    root = data[data["node"] == 4].iloc[0]
    assert root["x"] == 0.6
    assert sorted(data.loc[data["left"] < 0, "y"]) == [0, 1, 2]
    shown = [t.get_text().strip() for t in plot_supported_tree(data).texts]
    assert "93" in shown
    assert "100" not in shown  # the root is in every tree
    assert {"Orkney and Shetland English", "Scottish English", "Irish English"} <= set(shown)
    with pytest.raises(InputError, match="3 leaves does not fit 2"):
        supported_tree_data(tree, ewave.varieties.head(2))
