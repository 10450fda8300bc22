"""How many clusters: inertia (for an elbow) and silhouette against k."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from miner.plots.style import COLOURS, GREY, Origin, axes_of, foot, new_figure, styled, title

if TYPE_CHECKING:
    import pandas as pd


def k_data(k_selection: pd.DataFrame) -> pd.DataFrame:
    """Return what both panels draw: k, inertia, silhouette, share of starts at the best solution, by k."""
    return k_selection[["k", "inertia", "silhouette", "share_best"]].sort_values("k").reset_index(drop=True)


@styled
def plot_elbow(k_selection: pd.DataFrame, *, chosen: int | None = None, ax: Axes | None = None) -> Axes:
    """Draw the best inertia found against k; ``chosen`` is marked."""
    ax = axes_of(ax, 4.5, 3.2)
    _curve(ax, k_data(k_selection), "inertia", chosen)
    ax.set_ylabel("within-cluster sum of squares")
    title(ax, "Elbow", width=50)
    return ax


@styled
def plot_silhouette(k_selection: pd.DataFrame, *, chosen: int | None = None, ax: Axes | None = None) -> Axes:
    """Draw the mean silhouette against k (higher is better separated); undefined values leave a gap."""
    ax = axes_of(ax, 4.5, 3.2)
    _curve(ax, k_data(k_selection), "silhouette", chosen)
    ax.set_ylabel("mean silhouette")
    title(ax, "Silhouette", width=50)
    return ax


@styled
def plot_k_selection(
    k_selection: pd.DataFrame, *, chosen: int | None = None, origin: Origin = "real", signature: str = ""
) -> Figure:
    """Draw both panels side by side.

    Parameters
    ----------
    k_selection : DataFrame
        A ``k_selection`` table.
    chosen : int, optional
        The k of the run, marked with a dashed line.
    origin, signature
        As in :func:`miner.plots.plot_inventory`.
    """
    figure = new_figure(9, 3.6)
    left, right = figure.subplots(1, 2)
    plot_elbow(k_selection, chosen=chosen, ax=left)
    plot_silhouette(k_selection, chosen=chosen, ax=right)
    if origin != "real":
        title(left, "Elbow", origin=origin, width=50)
    mark = f"Dashed: k = {chosen} of this run." if chosen is not None else ""
    foot(
        left,
        f"{mark} Neither curve proves a number of clusters; the table has the share of starts per solution.",
        signature,
    )
    return figure


def _curve(ax: Axes, data: pd.DataFrame, column: str, chosen: int | None) -> None:
    if chosen is not None:
        ax.axvline(chosen, color=GREY, linewidth=0.9, linestyle=(0, (4, 3)))
    values = data[column].astype("float64").to_numpy(na_value=float("nan"))
    ax.plot(data["k"].astype(int).to_numpy(), values, marker="o", markersize=4, color=COLOURS[0], linewidth=1.2)
    ax.grid(visible=True, axis="y")
    ax.set_xlabel("number of clusters k")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
