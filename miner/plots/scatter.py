"""Distance against performance, drawn: points with names, the regression line and its 95 % band."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from miner.errors import TooFew
from miner.plots.labels import place_labels
from miner.plots.performance import line_band, performance
from miner.plots.scores import match_scores
from miner.plots.style import COLOURS, Origin, axes_of, foot, styled, title

if TYPE_CHECKING:
    import pandas as pd


@styled
def plot_performance(
    distances: pd.DataFrame,
    scores: pd.DataFrame,
    *,
    varieties: pd.DataFrame | None = None,
    from_id: str | None = None,
    score_label: str = "score",
    origin: Origin = "real",
    signature: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw scores against distances with the least-squares line, its 95 % band, Pearson, Spearman and n.

    Parameters
    ----------
    distances, scores, varieties, from_id
        As in :func:`miner.plots.match_scores`; ``scores`` of one benchmark and model.
    score_label : str
        What the scores are, with their unit: ``"F1, CoQA"``.
    origin : {"real", "simulated", "invented"}
        A demonstration table is ``invented``, and the plot says so.
    signature, ax
        As in :func:`miner.plots.plot_inventory`.

    Returns
    -------
    Axes
        The drawn numbers are ``match_scores(...)[0]`` and :func:`miner.plots.performance`.

    Raises
    ------
    TooFew
        If no score belongs to a variety of the distances.
    """
    points, ledger = match_scores(distances, scores, varieties=varieties, from_id=from_id)
    if points.empty:
        msg = f"None of the {ledger.read} scores belongs to a variety of the distances: {dict(ledger.dropped)}"
        raise TooFew(msg)
    told = performance(distances, scores, varieties=varieties, from_id=from_id).iloc[0]
    new = ax is None
    ax = axes_of(ax, 7.2, 5.2)
    line: list[tuple[float, float]] = []
    if not told["reason"]:
        grid = np.linspace(points["distance"].min(), points["distance"].max(), 101)
        band = line_band(points, grid)
        ax.fill_between(band["distance"], band["low"], band["high"], color=COLOURS[0], alpha=0.13, linewidth=0)
        ax.plot(band["distance"], band["fit"], color=COLOURS[0], linewidth=1.3)
        line = list(zip(band["distance"], band["fit"], strict=True))
    ax.scatter(points["distance"], points["score"], s=26, c=COLOURS[1], linewidths=0, zorder=3)
    ax.margins(0.12, 0.1)
    used = distances[distances["from_id"] == from_id] if from_id is not None else distances
    first = used.iloc[0]
    ax.set_xlabel(f"distance from {first['from_variety']} ({first['metric']}, {first['encoding']} encoding)")
    ax.set_ylabel(score_label)
    title(ax, summary_line(told), origin=origin)
    if new:
        left = ", ".join(f"{n} {reason}" for reason, n in sorted(ledger.dropped.items()))
        foot(
            ax,
            "Line: least squares; band: 95 % for the mean. Varieties are related to each other, so p is descriptive.",
            f"Scores left out: {left}." if left else "",
            signature,
        )
    place_labels(ax, points["distance"].tolist(), points["score"].tolist(), points["variety"].tolist(), avoid=line)
    return ax


def summary_line(row: pd.Series) -> str:
    """Return the result of :func:`miner.plots.performance` (one row) as two lines of text."""
    if row["reason"]:
        return f"n = {row['n']} varieties: {row['reason']}"
    low, high = row["pearson_low"], row["pearson_high"]
    interval = f" [{signed(low)}, {signed(high)}]" if not math.isnan(low) else ""
    how = "exact " if row["spearman_p_method"] == "exact" else ""
    pearson = f"Pearson r = {signed(row['pearson_r'])}{interval}, p {p_text(row['pearson_p'])}"
    ranked = f"Spearman ρ = {signed(row['spearman_rho'])}, {how}p {p_text(row['spearman_p'])}"
    return f"{pearson}\n{ranked}; n = {row['n']} varieties"


def p_text(p: float) -> str:
    """Return a p-value as text with its sign: ``= 0.031``, ``< 0.001``."""
    return f"= {p:.3f}" if p >= 0.001 else "< 0.001"


def signed(value: float) -> str:
    """Return a coefficient with two decimals and a true minus sign."""
    return f"{value:.2f}".replace("-", "\u2212")
