"""Varieties on a plane (the first two components) and in a row (distances from one reference point)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd
from matplotlib.axes import Axes

from miner.errors import InputError, listed
from miner.plots.labels import place_labels
from miner.plots.style import COLOURS, GREY, PALE, Origin, axes_of, cluster_look, foot, styled, title

if TYPE_CHECKING:
    from miner.plots.labels import Floats


def map_data(
    coordinates: Floats | Sequence[Sequence[float]], varieties: pd.DataFrame, clusters: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Return what :func:`plot_varieties` draws: one row per variety with its place and cluster.

    Parameters
    ----------
    coordinates : array_like of float, shape (n, k >= 2)
        SVD coordinates; the first two columns are used.
    varieties : DataFrame, shape (n, ...)
        ``variety_id`` and ``variety`` of the rows of ``coordinates``, in their order; ``abbr`` if there is one.
    clusters : DataFrame, optional
        ``dialect_clusters``, joined by ``variety_id``; without it, or for a variety it lacks, ``cluster`` is missing.

    Raises
    ------
    InputError
        If the lengths differ or there are fewer than two coordinates.
    """
    rows = [list(map(float, r[:2])) for r in coordinates]
    if len(rows) != len(varieties) or any(len(r) < 2 for r in rows):
        msg = f"{len(rows)} rows of coordinates for {len(varieties)} varieties; expected one row of at least 2 numbers each"
        raise InputError(msg)
    keep = [c for c in ("variety_id", "variety", "abbr") if c in varieties]
    out = varieties[keep].reset_index(drop=True)
    out[["x", "y"]] = pd.DataFrame(rows, columns=["x", "y"], dtype="float64")
    if clusters is None:
        out["cluster"] = pd.array([pd.NA] * len(out), dtype="Int64")
        return out
    known = clusters[["variety_id", "cluster"]].astype({"variety_id": out["variety_id"].dtype, "cluster": "Int64"})
    return out.merge(known, on="variety_id", how="left", validate="one_to_one")


@styled
def plot_varieties(
    data: pd.DataFrame,
    *,
    explained: Sequence[float] | None = None,
    label: str = "variety",
    origin: Origin = "real",
    signature: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the two-dimensional map of varieties, coloured by cluster, each with its name.

    Parameters
    ----------
    data : DataFrame
        Of :func:`map_data`: variety, x, y, cluster.
    explained : sequence of float, optional
        Shares of variance of the components, for the axis labels.
    label : str
        Column with the labels: ``variety`` (eWAVE's names) or ``abbr`` (eWAVE's abbreviations).
    origin, signature, ax
        As in :func:`miner.plots.plot_inventory`.

    Returns
    -------
    Axes
        Labels for which there was no free place are named under the plot, never dropped silently.
    """
    if label not in data:
        msg = f"There is no column {label!r} to label with; the columns are {listed([str(c) for c in data.columns])}"
        raise InputError(msg)
    new = ax is None
    ax = axes_of(ax, 12, 9.2)
    ax.axhline(0, color=PALE, linewidth=0.6)
    ax.axvline(0, color=PALE, linewidth=0.6)
    for cluster in sorted(data["cluster"].dropna().unique()):
        rows = data[data["cluster"] == cluster]
        colour, marker = cluster_look(int(cluster))
        ax.scatter(
            rows["x"], rows["y"], s=22, c=colour, marker=marker, linewidths=0, label=f"cluster {cluster} ({len(rows)})"
        )
    rest = data[data["cluster"].isna()]
    if len(rest):
        name = f"not clustered ({len(rest)})" if len(rest) < len(data) else None
        ax.scatter(rest["x"], rest["y"], s=22, c=GREY, marker="o", linewidths=0, label=name)
    ax.margins(0.17, 0.06)
    ax.set_xlabel(_component(1, explained))
    ax.set_ylabel(_component(2, explained))
    title(ax, f"{len(data)} varieties on the first two components of their feature ratings", origin=origin)
    if data["cluster"].notna().any():
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.07), ncols=6, handletextpad=0.2, columnspacing=1.2)
    flat = "Near on this plane is not near in all components: the distances table has those."
    if new:
        foot(ax, flat, signature, width=170)
    texts = data[label].fillna("").astype(str).tolist()
    hidden = place_labels(ax, data["x"].tolist(), data["y"].tolist(), texts, size=6.5)
    if new and hidden:
        foot(ax, flat, f"No free place for the labels {', '.join(hidden)}.", signature, width=170)
    return ax


def _component(n: int, explained: Sequence[float] | None) -> str:
    share = (
        f" ({100 * float(explained[n - 1]):.1f} % of the variance)"
        if explained is not None and len(explained) >= n
        else ""
    )
    return f"component {n}{share}"


def reference_data(distances: pd.DataFrame, *, from_id: str | None = None) -> pd.DataFrame:
    """Return the distances from one reference point, nearest first (ties by id), undefined ones last.

    Parameters
    ----------
    distances : DataFrame
        A ``distances`` table.
    from_id : str, optional
        The reference point; needed if the table holds several.

    Raises
    ------
    InputError
        If the reference point is not in the table, or is not given and there are several; or if there are several metrics.
    """
    known = sorted(set(distances["from_id"]))
    if from_id is None and len(known) == 1:
        from_id = known[0]
    if from_id not in known:
        msg = f"The distances have {len(known)} reference points ({listed(known, most=5)}); 'from_id' must name one. Got {from_id!r}"
        raise InputError(msg)
    kinds = distances[["metric", "encoding"]].drop_duplicates()
    if len(kinds) > 1:
        msg = f"The distances hold {len(kinds)} metrics or encodings ({listed(sorted(set(kinds['metric'])))}); keep the rows of one"
        raise InputError(msg)
    rows = distances[(distances["from_id"] == from_id) & (distances["variety_id"] != from_id)]
    columns = ["from_variety", "variety_id", "variety", "distance", "n_shared", "n_unrated", "reason"]
    return rows.sort_values(["distance", "variety"], na_position="last", kind="stable")[columns].reset_index(drop=True)


@styled
def plot_from_reference(
    distances: pd.DataFrame,
    *,
    from_id: str | None = None,
    marked: Sequence[str] = (),
    origin: Origin = "real",
    signature: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the distance of each variety from one reference point, nearest on top; undefined ones are named in the foot.

    Parameters
    ----------
    distances : DataFrame
        A ``distances`` table.
    from_id : str, optional
        The reference point; needed if the table holds several.
    marked : sequence of str
        eWAVE ids drawn as filled points (the dialect set); all are filled if none is given.
    origin, signature, ax
        As in :func:`miner.plots.plot_inventory`.

    Returns
    -------
    Axes
        The drawn numbers are :func:`reference_data`.
    """
    everything = reference_data(distances, from_id=from_id)
    rows = everything.dropna(subset=["distance"]).reset_index(drop=True)
    new = ax is None
    ax = axes_of(ax, 7.5, 1.3 + 0.17 * max(len(rows), 2))
    y = range(len(rows))
    full = [not marked or v in set(marked) for v in rows["variety_id"]]
    ax.hlines(list(y), 0, rows["distance"], color=PALE, linewidth=0.8)
    face = [COLOURS[0] if f else "white" for f in full]
    ax.scatter(rows["distance"], list(y), s=24, c=face, edgecolors=COLOURS[0], linewidths=1, zorder=3)
    ax.set_yticks(list(y), rows["variety"].tolist(), fontsize=7)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xlim(left=0)
    ax.tick_params(axis="y", length=0)
    metric, encoding = str(distances["metric"].iloc[0]), str(distances["encoding"].iloc[0])
    ax.set_xlabel(f"{metric} distance ({encoding} encoding)")
    start = str(everything["from_variety"].iloc[0]) if len(everything) else str(from_id)
    title(ax, f"Distance from {start}\n(a reference point, not a norm)", origin=origin)
    if new:
        undefined = everything.loc[everything["distance"].isna(), "variety"].tolist()
        foot(
            ax,
            "Filled: in the dialect set." if marked else "",
            f"Undefined: {', '.join(undefined)}." if undefined else "",
            signature,
        )
    return ax
