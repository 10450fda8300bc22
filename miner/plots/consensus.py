"""Consensus clustering in pictures: how stable each number of clusters is, and who shares a cluster with whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from miner.errors import InputError, listed
from miner.plots.style import COLOURS, GREY, INK, axes_of, cluster_ink, figure_of, foot, styled, title
from miner.plots.tree import tree

if TYPE_CHECKING:
    import pandas as pd

_WORDS = {
    "starts": "starts of k-means",
    "features": "features resampled",
    "encodings": "encodings",
    "imputations": "imputed cells",
    "together": "all together",
}


@styled
def plot_stability(stability: pd.DataFrame, *, signature: str = "", ax: Axes | None = None) -> Axes:
    """Draw the mean adjusted Rand index of partitions against k, one line per source, with the null's 95th percentile.

    Parameters
    ----------
    stability : DataFrame
        :data:`miner.tables.STABILITY`; supported k have filled marks.
    signature, ax
        As in :func:`miner.plots.plot_inventory`.
    """
    new = ax is None
    ax = axes_of(ax, 7.2, 4.4)
    for i, (source, word) in enumerate(_WORDS.items()):
        rows = stability[stability["source"] == source].sort_values("k")
        if rows.empty:
            continue
        colour = COLOURS[i % len(COLOURS)]
        ax.plot(rows["k"], rows["ari"], color=colour, linewidth=1.8 if source == "together" else 1.1, label=word)
        filled = rows["supported"].fillna(value=False).to_numpy(dtype=bool)
        ax.scatter(
            rows["k"],
            rows["ari"],
            s=28,
            edgecolors=colour,
            facecolors=[colour if f else "white" for f in filled],
            zorder=3,
        )
        if rows["null_high"].notna().any():
            ax.plot(
                rows["k"],
                rows["null_high"],
                color=colour,
                linewidth=0.9,
                linestyle=":",
                label=f"null, 95th percentile ({word})",
            )
    ax.axhline(0.65, color=GREY, linewidth=0.7, linestyle="--")
    ax.text(
        1.01,
        0.65,
        "least that counts as stable",
        transform=ax.get_yaxis_transform(),
        va="center",
        fontsize=6.5,
        color=GREY,
    )
    ax.set(xlabel="number of clusters k", ylabel="mean adjusted Rand index of two partitions", ylim=(-0.05, 1.05))
    ax.set_xticks(sorted(set(stability["k"].astype(int))))
    title(ax, "How far clusterings agree when one thing varies", width=70)
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize=7)
    if new:
        foot(ax, "Filled: stable and beyond the null (ratings permuted within each feature).", signature)
    return ax


def comembership_matrix(comembership: pd.DataFrame, k: int, source: str = "together") -> pd.DataFrame:
    """Return the square matrix of co-membership shares, ids as rows and columns, diagonal 1.

    Raises
    ------
    InputError
        If the table has no rows of that source and k.
    """
    import pandas as pd

    rows = comembership[(comembership["k"] == k) & (comembership["source"] == source)]
    if rows.empty:
        known = sorted({f"{s}, k = {n}" for s, n in zip(comembership["source"], comembership["k"], strict=True)})
        msg = f"There is no co-membership of source {source!r} with k = {k}; there are {listed(known)}"
        raise InputError(msg)
    ids = list(dict.fromkeys([*rows["variety_id"], *rows["other_id"]]))
    place = {v: i for i, v in enumerate(ids)}
    matrix = np.eye(len(ids))
    i, j = rows["variety_id"].map(place).to_numpy(), rows["other_id"].map(place).to_numpy()
    matrix[i, j] = matrix[j, i] = rows["share"].to_numpy()
    return pd.DataFrame(matrix, index=ids, columns=ids)


@styled
def plot_comembership(
    comembership: pd.DataFrame,
    membership: pd.DataFrame,
    k: int,
    *,
    source: str = "together",
    signature: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the co-membership matrix, rows in the order of the tree of 1 - share, names in their cluster's colour.

    Parameters
    ----------
    comembership, membership : DataFrame
        :data:`miner.tables.COMEMBERSHIP` and :data:`~miner.tables.MEMBERSHIP`.
    k : int
    source : str
    signature, ax
        As in :func:`miner.plots.plot_inventory`.
    """
    matrix = comembership_matrix(comembership, k, source)
    order = tree(1 - matrix)["order"]
    at = membership[membership["k"] == k].set_index("variety_id")
    new = ax is None
    ax = axes_of(ax, 12, 11.4)
    drawn = matrix.loc[order, order]
    image = ax.imshow(drawn, cmap="Blues", vmin=0, vmax=1, interpolation="nearest")
    places = range(len(order))
    ax.set_yticks(places, [str(at["variety"].get(v, v)) for v in order], fontsize=5.5)
    ax.set_xticks(places, order, fontsize=5, rotation=90)
    for labels in (ax.get_yticklabels(), ax.get_xticklabels()):
        for label, variety in zip(labels, order, strict=True):
            cluster = at["cluster"].get(variety)
            label.set_color(INK if cluster is None else cluster_ink(int(cluster)))
    figure_of(ax).colorbar(
        image, ax=ax, fraction=0.03, pad=0.01, label="share of partitions in which the two share a cluster"
    )
    title(ax, f"Who shares a cluster with whom, k = {k} ({_WORDS.get(source, source)})")
    if new:
        foot(ax, "Columns: eWAVE ids in the order of the rows.", signature, width=170)
    return ax
