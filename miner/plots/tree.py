"""Distances between all pairs of varieties: the tree they make, and the heat map in the tree's order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from scipy.cluster.hierarchy import dendrogram, linkage
from scipy.spatial.distance import squareform
from threadpoolctl import threadpool_limits

from miner.errors import InputError, TooFew, listed, require_one_of
from miner.plots.style import COLOURS, DISTANCE_MAP, GREY, Origin, axes_of, cluster_ink, figure_of, foot, styled, title

if TYPE_CHECKING:
    import pandas as pd

Method = Literal["average", "complete", "single", "ward"]
_METHODS = ("average", "complete", "single", "ward")


def distance_matrix(distances: pd.DataFrame) -> pd.DataFrame:
    """Return the square matrix of a ``distances`` table that holds all pairs (or one triangle of them).

    Parameters
    ----------
    distances : DataFrame
        A ``distances`` table, or a square frame already (then checked and returned).

    Returns
    -------
    DataFrame, shape (n, n)
        Symmetric, zero diagonal, varieties by eWAVE name in order of their ids.

    Raises
    ------
    InputError
        If a pair is missing or undefined, or the two directions of a pair differ by more than 1e-9.
    """
    if "from_variety" not in distances:
        return _checked(distances.astype("float64"))
    ids = dict(zip(distances["variety_id"], distances["variety"], strict=True))
    ids |= dict(zip(distances["from_id"], distances["from_variety"], strict=True))
    order = sorted(ids, key=lambda i: (not i.isdecimal(), int(i) if i.isdecimal() else 0, i))
    wide = distances.pivot_table(index="from_id", columns="variety_id", values="distance", aggfunc="first")
    wide = wide.reindex(index=order, columns=order).astype("float64")
    wide = wide.fillna(wide.T)
    values = wide.to_numpy(copy=True)
    np.fill_diagonal(values, 0.0)
    names = [ids[i] for i in order]
    return _checked(type(wide)(values, index=names, columns=names))


def _checked(matrix: pd.DataFrame) -> pd.DataFrame:
    values = matrix.to_numpy()
    if values.shape[0] != values.shape[1] or list(matrix.index) != list(matrix.columns):
        msg = f"A distance matrix must have the same names in rows and columns; got {values.shape[0]} rows, {values.shape[1]} columns"
        raise InputError(msg)
    gaps = np.isnan(values)
    if gaps.any():
        rows = sorted({str(matrix.index[i]) for i in np.argwhere(gaps)[:, 0]})
        msg = (
            f"{int(gaps.sum())} of {values.size} distances are missing, in rows {listed(rows, most=5)}. "
            "A tree needs all pairs: compute distances from every variety, or leave these varieties out"
        )
        raise InputError(msg)
    if not np.allclose(values, values.T, rtol=0, atol=1e-9) or np.diag(values).any():
        msg = "A distance matrix must be symmetric with a zero diagonal"
        raise InputError(msg)
    return matrix


def tree(distances: pd.DataFrame, *, method: Method = "average") -> dict[str, Any]:
    """Return the dendrogram of the varieties.

    Parameters
    ----------
    distances : DataFrame
        As in :func:`distance_matrix`.
    method : {"average", "complete", "single", "ward"}
        Linkage; ``average`` (UPGMA) is dialectometry's usual choice. ``ward`` assumes Euclidean distances.

    Returns
    -------
    dict
        ``order`` (names, top to bottom), ``joins`` (DataFrame: left, right, height, size; ids below n are leaves in the
        order of the matrix, as SciPy's linkage has them) and ``lines`` (array (n - 1, 4, 2) of height and position).

    Raises
    ------
    TooFew
        With fewer than two varieties.

    Notes
    -----
    Leaves are in SciPy's optimal order (neighbours as near as the tree allows; Bar-Joseph et al. 2001).
    """
    import pandas as pd

    require_one_of(method, _METHODS, what="The 'method' of the tree")
    matrix = distance_matrix(distances)
    if len(matrix) < 2:
        msg = f"A tree needs at least 2 varieties; got {len(matrix)}"
        raise TooFew(msg)
    with threadpool_limits(1):
        joined = linkage(squareform(matrix.to_numpy(), checks=False), method=method, optimal_ordering=True)
    shape = dendrogram(joined, no_plot=True)
    lines = np.stack([np.array(shape["dcoord"]), (np.array(shape["icoord"]) - 5) / 10], axis=2)
    joins = pd.DataFrame(joined, columns=["left", "right", "height", "size"])
    joins = joins.astype({"left": "int64", "right": "int64", "size": "int64"})
    return {"order": [str(matrix.index[i]) for i in shape["leaves"]], "joins": joins, "lines": lines}


@styled
def plot_dendrogram(
    distances: pd.DataFrame,
    *,
    method: Method = "average",
    clusters: pd.DataFrame | None = None,
    origin: Origin = "real",
    signature: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the tree, leaves on the right; names in the colour of their cluster where ``clusters`` is given.

    Parameters
    ----------
    distances : DataFrame
        As in :func:`distance_matrix`.
    method : {"average", "complete", "single", "ward"}
    clusters : DataFrame, optional
        ``dialect_clusters``: colours the names.
    origin, signature, ax
        As in :func:`miner.plots.plot_inventory`.

    Returns
    -------
    Axes
        The drawn numbers are :func:`tree`.
    """
    shape = tree(distances, method=method)
    names = shape["order"]
    new = ax is None
    ax = axes_of(ax, 7.5, 1.2 + 0.17 * len(names))
    ax.add_collection(LineCollection(list(shape["lines"]), colors=COLOURS[0], linewidths=0.9))
    ax.set_xlim(float(shape["joins"]["height"].max()) * 1.03 or 1.0, 0)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_yticks(range(len(names)), names, fontsize=7)
    ax.yaxis.tick_right()
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    _paint(ax.get_yticklabels(), names, clusters)
    ax.set_xlabel(_axis(distances))
    title(ax, f"Tree of {len(names)} varieties ({method} linkage)", origin=origin)
    if new:
        coloured = "Names are coloured by cluster." if clusters is not None else ""
        foot(ax, coloured, signature)
    return ax


@styled
def plot_distances(
    distances: pd.DataFrame,
    *,
    method: Method = "average",
    clusters: pd.DataFrame | None = None,
    origin: Origin = "real",
    signature: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the matrix of distances as a heat map, rows and columns in the order of the tree's leaves.

    Parameters are those of :func:`plot_dendrogram`.

    Returns
    -------
    Axes
        The drawn numbers are :func:`distance_matrix` in the ``order`` of :func:`tree`.
    """
    names = tree(distances, method=method)["order"]
    matrix = distance_matrix(distances).loc[names, names]
    side = 3.4 + 0.135 * len(names)
    new = ax is None
    ax = axes_of(ax, side + 0.5, side)
    image = ax.imshow(matrix.to_numpy(), cmap=DISTANCE_MAP, vmin=0, interpolation="nearest")
    size = 7 if len(names) < 50 else 6
    ax.set_yticks(range(len(names)), names, fontsize=size)
    ax.set_xticks(range(len(names)), names, fontsize=size, rotation=90)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    _paint(ax.get_yticklabels(), names, clusters)
    _paint(ax.get_xticklabels(), names, clusters)
    bar = figure_of(ax).colorbar(image, ax=ax, shrink=min(1.0, 4 / side), pad=0.02, anchor=(0, 1))
    cast("Any", bar.outline).set_visible(False)
    bar.set_label(_axis(distances).replace(" (", "\n("))
    title(ax, f"Distances between {len(names)} varieties", origin=origin)
    if new:
        coloured = " Names are coloured by cluster." if clusters is not None else ""
        foot(ax, f"In the order of their tree ({method} linkage).{coloured}", signature, width=int(side * 15))
    return ax


def _paint(labels: list[Any], names: list[str], clusters: pd.DataFrame | None) -> None:
    if clusters is None:
        return
    known = clusters.dropna(subset=["cluster"])
    cluster = dict(zip(known["variety"], known["cluster"], strict=True))
    for label, name in zip(labels, names, strict=True):
        label.set_color(cluster_ink(int(cluster[name])) if name in cluster else GREY)


def _axis(distances: pd.DataFrame) -> str:
    if "metric" not in distances or distances.empty:
        return "distance"
    metric, encoding = str(distances["metric"].iloc[0]), str(distances["encoding"].iloc[0])
    return f"{metric} distance ({encoding} encoding)"
