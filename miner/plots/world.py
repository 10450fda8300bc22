"""The world map of varieties, coloured by cluster; the land comes with miner, so it works offline."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection

from miner.errors import InputError, TooFew, listed
from miner.plots.labels import place_labels
from miner.plots.style import GREY, axes_of, cluster_look, foot, styled, title

if TYPE_CHECKING:
    import pandas as pd

_LAND, _SEA = "#e9e6df", "#ffffff"


@cache
def land() -> tuple[tuple[tuple[float, float], ...], ...]:
    """Return the outlines of land as (longitude, latitude) in degrees (Natural Earth 1:110m, public domain)."""
    text = (files("miner") / "data" / "world" / "land.txt").read_text(encoding="utf-8")
    rings = (line.split() for line in text.splitlines())
    return tuple(tuple((float(x), float(y)) for x, y in (p.split(",") for p in ring)) for ring in rings)


def world_data(varieties: pd.DataFrame, clusters: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return what :func:`plot_world` draws: one row per variety with coordinates and cluster.

    Parameters
    ----------
    varieties : DataFrame
        :data:`miner.tables.VARIETIES`; varieties without coordinates stay, and are named under the map.
    clusters : DataFrame, optional
        ``variety_id`` and ``cluster``.

    Raises
    ------
    InputError
        If columns are missing.
    """
    need = ["variety_id", "variety", "abbr", "latitude", "longitude"]
    if missing := [c for c in need if c not in varieties]:
        msg = f"The world map needs the columns {listed(missing)} of the table of varieties"
        raise InputError(msg)
    data = varieties[need].copy()
    if clusters is None:
        return data.assign(cluster=None).astype({"cluster": "Int64"})
    return data.merge(clusters[["variety_id", "cluster"]], on="variety_id", how="left", validate="one_to_one")


@styled
def plot_world(data: pd.DataFrame, *, signature: str = "", ax: Axes | None = None) -> Axes:
    """Draw the varieties on the globe (plate carrée), each with its abbreviation.

    Parameters
    ----------
    data : DataFrame
        Of :func:`world_data`.
    signature, ax
        As in :func:`miner.plots.plot_inventory`.

    Returns
    -------
    Axes
        Labels without a free place and varieties without coordinates are named under the map.

    Raises
    ------
    TooFew
        If no variety has coordinates.
    """
    placed = data[data["latitude"].notna() & data["longitude"].notna()]
    if placed.empty:
        msg = "No variety has coordinates; a world map needs latitude and longitude in the table of varieties"
        raise TooFew(msg)
    new = ax is None
    ax = axes_of(ax, 13, 6.6)
    ax.add_collection(PolyCollection(list(land()), facecolors=_LAND, edgecolors=_LAND, linewidths=0.3, zorder=0))
    for cluster in sorted(placed["cluster"].dropna().unique()):
        rows = placed[placed["cluster"] == cluster]
        colour, marker = cluster_look(int(cluster))
        ax.scatter(
            rows["longitude"],
            rows["latitude"],
            s=26,
            c=colour,
            marker=marker,
            linewidths=0,
            label=f"cluster {cluster} ({len(rows)})",
            zorder=3,
        )
    rest = placed[placed["cluster"].isna()]
    if len(rest):
        ax.scatter(
            rest["longitude"],
            rest["latitude"],
            s=26,
            c=GREY,
            linewidths=0,
            label=f"not clustered ({len(rest)})",
            zorder=3,
        )
    ax.set(
        xlim=(-180, 180),
        ylim=(-58, 84),
        xlabel="longitude (degrees east)",
        ylabel="latitude (degrees north)",
        facecolor=_SEA,
    )
    ax.set_aspect("equal")
    title(ax, f"{len(placed)} varieties of English where eWAVE places them")
    if placed["cluster"].notna().any():
        ax.legend(loc="lower left", ncols=2)
    unplaced = data.loc[data["latitude"].isna() | data["longitude"].isna(), "variety"].tolist()
    note = f"Without coordinates: {', '.join(unplaced)}." if unplaced else ""
    if new:
        foot(ax, note, signature, width=180)
    labels = [str(a) or str(v) for a, v in zip(placed["abbr"], placed["variety"], strict=True)]
    hidden = place_labels(ax, placed["longitude"].tolist(), placed["latitude"].tolist(), labels, size=6)
    if new and hidden:
        foot(ax, note, f"No free place for the labels {', '.join(hidden)}.", signature, width=180)
    return ax
