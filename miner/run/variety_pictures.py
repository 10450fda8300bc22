"""Further pictures of the dialect commands: world map, biplot, wheels, stability, co-membership, tree with support."""

from __future__ import annotations

from typing import TYPE_CHECKING

from miner.dialect import Consensus, DialectResult, Ratings
from miner.plots import (
    Picture,
    loading_data,
    map_data,
    plot_biplot,
    plot_comembership,
    plot_stability,
    plot_supported_tree,
    plot_wheels,
    plot_world,
    supported_tree_data,
    wheel_data,
    world_data,
)
from miner.plots.style import figure_of
from miner.run.folder import OutFolder
from miner.store.frames import write_csv

if TYPE_CHECKING:
    import pandas as pd


def set_pictures(folder: OutFolder, ratings: Ratings, result: DialectResult) -> list[Picture]:
    """Return world map, biplot and wheels of a dialect set, and write their data beside the pictures."""
    signature = str(result.signature)
    explained = [
        float(result.reduced.cumulative[0]),
        float(result.reduced.cumulative[1] - result.reduced.cumulative[0]),
    ]
    places = map_data(result.reduced.scores[:, :2], result.clustered.varieties, result.clusters)
    arrows = loading_data(result.reduced.loadings, result.clustered.features)
    _data(folder, "biplot", arrows)
    axes = plot_biplot(places, arrows, explained=explained, signature=signature)
    alt = "Scatter plot of varieties on two components with arrows for the features of largest loading. Numbers: biplot.csv."
    chosen = result.clusters.loc[result.clusters["in_dialect_set"].fillna(value=False), "variety_id"].tolist()
    return [
        *_world(folder, ratings, result.clusters, signature),
        Picture("biplot", figure_of(axes), "The features that drive the map", alt),
        *_wheels(folder, ratings, chosen, signature),
    ]


def consensus_pictures(folder: OutFolder, ratings: Ratings, found: Consensus, clusters: pd.DataFrame) -> list[Picture]:
    """Return stability, co-membership of the finest supported k (else the most stable), and the world map."""
    signature = str(found.signature)
    together = found.stability[found.stability["source"] == "together"].sort_values(
        ["ari", "k"], ascending=[False, True]
    )
    k = found.supported[-1] if found.supported else int(together["k"].iloc[0])
    stable = plot_stability(found.stability, signature=signature)
    shared = plot_comembership(found.comembership, found.membership, k, signature=signature)
    alt_stable = "Line chart: mean adjusted Rand index against k for each source of variation, with the null. Numbers: stability."
    alt_shared = "Heat map: share of partitions in which two varieties share a cluster. Numbers: comembership."
    return [
        Picture("stability", figure_of(stable), "How stable clusterings are", alt_stable),
        Picture("comembership", figure_of(shared), f"Who shares a cluster with whom, k = {k}", alt_shared),
        *_world(folder, ratings, clusters, signature),
    ]


def tree_picture(tree: pd.DataFrame, ratings: Ratings, label: str, signature: str) -> Picture:
    """Return the tree with the support of its branches."""
    axes = plot_supported_tree(supported_tree_data(tree, ratings.varieties), label=label, signature=signature)
    alt = "Tree of varieties, branches with their support in resamples of features. Numbers: tree."
    return Picture("tree_support", figure_of(axes), "Tree of varieties with support", alt)


def _world(folder: OutFolder, ratings: Ratings, clusters: pd.DataFrame, signature: str) -> list[Picture]:
    data = world_data(ratings.varieties, clusters)
    if data["latitude"].isna().all():
        return []
    _data(folder, "world", data)
    alt = "World map: varieties at eWAVE's coordinates, coloured by cluster. Numbers: world.csv."
    return [Picture("world", figure_of(plot_world(data, signature=signature)), "Where the varieties are", alt)]


def _wheels(folder: OutFolder, ratings: Ratings, ids: list[str], signature: str) -> list[Picture]:
    if not ids:
        return []
    data = wheel_data(ratings.ratings, ratings.features, ratings.varieties, ids)
    _data(folder, "wheels", data)
    alt = "One ring per variety: all features by grammar area, coloured by rating. Numbers: wheels.csv."
    return [Picture("wheels", plot_wheels(data, signature=signature), "All features of each dialect", alt)]


def _data(folder: OutFolder, name: str, data: pd.DataFrame) -> None:
    write_csv(data, folder.path(f"figures/{name}.csv"))
