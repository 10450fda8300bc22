"""The biplot: varieties on two components, with the features that drive the axes."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from miner.errors import InputError
from miner.plots.labels import place_labels
from miner.plots.style import INK, axes_of, cluster_look, foot, styled, title

if TYPE_CHECKING:
    import pandas as pd

    from miner.plots.labels import Floats

_ARROW = "#8a3b00"


def loading_data(loadings: Floats, features: pd.DataFrame, *, most: int = 12) -> pd.DataFrame:
    """Return the features with the longest arrows: ``feature_id, feature, x, y, length``, longest first.

    Parameters
    ----------
    loadings : ndarray, shape (n_features, >= 2)
        Of :class:`miner.dialect.reduction.Reduced`.
    features : DataFrame
        ``feature_id`` and ``feature`` in the order of the rows.
    most : int
        How many.
    """
    if len(loadings) != len(features) or loadings.shape[1] < 2:
        msg = f"{len(loadings)} loadings of {loadings.shape[1]} components for {len(features)} features; expected two components or more, one row per feature"
        raise InputError(msg)
    data = features[["feature_id", "feature"]].assign(x=loadings[:, 0], y=loadings[:, 1])
    data["length"] = np.hypot(data["x"], data["y"])
    order = np.argsort(-np.round(data["length"].to_numpy(), 9), kind="stable")[:most]
    return data.iloc[order].reset_index(drop=True)


@styled
def plot_biplot(
    data: pd.DataFrame,
    loadings: pd.DataFrame,
    *,
    explained: Sequence[float] | None = None,
    signature: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw varieties as points and features as arrows from the origin (scaled to the points' range).

    Parameters
    ----------
    data : DataFrame
        Of :func:`miner.plots.map_data`.
    loadings : DataFrame
        Of :func:`loading_data`.
    explained : sequence of float, optional
        Shares of variance of the two components.
    signature, ax
        As in :func:`miner.plots.plot_inventory`.
    """
    new = ax is None
    ax = axes_of(ax, 11, 8.6)
    for cluster in sorted(data["cluster"].dropna().unique()):
        rows = data[data["cluster"] == cluster]
        colour, marker = cluster_look(int(cluster))
        ax.scatter(
            rows["x"],
            rows["y"],
            s=18,
            c=colour,
            marker=marker,
            linewidths=0,
            alpha=0.75,
            label=f"cluster {cluster} ({len(rows)})",
        )
    rest = data[data["cluster"].isna()]
    ax.scatter(rest["x"], rest["y"], s=18, c="#999999", linewidths=0)
    reach = float(np.abs(data[["x", "y"]].to_numpy()).max())
    scale = 0.9 * reach / max(float(loadings["length"].max()), 1e-12) if len(loadings) else 1.0
    tips = loadings[["x", "y"]].to_numpy() * scale
    for x, y in tips:
        ax.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "->", "color": _ARROW, "linewidth": 0.9})
    ax.margins(0.22, 0.22)
    share = [f" ({100 * e:.1f} % of variance)" for e in explained] if explained else ["", ""]
    ax.set(xlabel=f"component 1{share[0]}", ylabel=f"component 2{share[1]}")
    title(ax, f"{len(data)} varieties and the {len(loadings)} features that drive the first two components")
    if data["cluster"].notna().any():
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.07), ncols=6)
    note = f"Arrows: loadings times {scale:.3g}; a variety that has a feature lies towards its arrow."
    if new:
        foot(ax, note, signature, width=150)
    labels = [textwrap.fill(f"{f} ({i})", 30) for i, f in zip(loadings["feature_id"], loadings["feature"], strict=True)]
    along = [(x * part, y * part) for x, y in tips for part in np.linspace(0.1, 0.98, 30)]
    taken = [*zip(data["x"].tolist(), data["y"].tolist(), strict=True), *along]
    hidden = place_labels(ax, tips[:, 0].tolist(), tips[:, 1].tolist(), labels, avoid=taken, size=6)
    if new and hidden:
        foot(ax, note, "No free place for: " + "; ".join(" ".join(h.split()) for h in hidden), signature, width=150)
    ax.axhline(0, color="#dddddd", linewidth=0.6, zorder=0)
    ax.axvline(0, color="#dddddd", linewidth=0.6, zorder=0)
    ax.tick_params(colors=INK)
    return ax
