"""What a validation found, drawn: what is selected, p-values of shuffled labels, held-out AUC with its baselines."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from miner.errors import InputError
from miner.plots.style import COLOURS, GREY, MARKERS, PALE, Origin, axes_of, foot, new_figure, styled, title

#: Height of a row of a dot plot, in inches.
ROW = 0.24
_AUC = "held-out AUC"
_BASELINE = f"{_AUC}, baseline: "


@styled
def plot_shuffled_p(
    p_values: pd.DataFrame, *, origin: Origin = "real", signature: str = "", ax: Axes | None = None
) -> Axes:
    """Draw the share of p-values of shuffled labels at or under each limit; uniform p-values lie on the diagonal.

    Parameters
    ----------
    p_values : DataFrame
        Table ``validation_p``.
    origin, signature, ax
        As in :func:`miner.plots.plot_inventory`.

    Raises
    ------
    InputError
        If there is no p-value to draw.
    """
    require_rows(p_values, "p-value")
    new, ax = ax is None, axes_of(ax, 5.6, 5.2)
    least = float(p_values["limit"].min())
    ax.plot([least, 1], [least, 1], color=GREY, linewidth=0.8, zorder=1)
    ax.annotate("uniform", (0.3, 0.3), xytext=(4, -9), textcoords="offset points", color=GREY, fontsize=7.5)
    for i, (name, part) in enumerate(series_of(p_values)):
        shown = part[part["share"] > 0].sort_values("limit")
        colour, marker = COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)]
        label = f"{name} ({int(part['n'].iloc[0]):,} p-values)"
        ax.plot(shown["limit"], shown["share"], color=colour, marker=marker, markersize=4, linewidth=1.2, label=label)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.grid(visible=True, which="major")
    ax.set_xlabel("limit a")
    ax.set_ylabel("share of p-values at or under a")
    ax.legend(loc="upper left")
    title(ax, "p-values when the L1 labels are shuffled", origin=origin, width=60)
    if new:
        told = "Above the line: the test finds differences that are not there. Below: it is cautious."
        foot(ax, told, signature, width=95)
    return ax


@styled
def plot_selected(by_l1: pd.DataFrame, *, origin: Origin = "real", signature: str = "") -> Figure:
    """Draw how many features each L1 gets with its own labels and with shuffled ones, a panel per recipe.

    Parameters
    ----------
    by_l1 : DataFrame
        Table ``validation_l1``.
    origin, signature
        As in :func:`miner.plots.plot_inventory`.

    Raises
    ------
    InputError
        If there is no L1 to draw.
    """
    require_rows(by_l1, "L1")
    panels = series_of(by_l1)
    l1s = sorted(by_l1["l1"].unique())
    figure = new_figure(2.4 + 3.2 * len(panels), 1.4 + ROW * max(len(l1s), 3))
    grid = figure.subplots(1, len(panels), squeeze=False, sharey=True)[0]
    for ax, (name, part) in zip(grid, panels, strict=True):
        rows = part.set_index("l1").reindex(l1s)
        for at, (true, shuffled) in enumerate(
            zip(rows["selected_true"].astype("float64"), rows["selected_shuffled"], strict=True)
        ):
            ax.plot([true, shuffled], [at, at], color=PALE, linewidth=2, zorder=1)
        y = list(range(len(l1s)))
        ax.plot(rows["selected_true"].astype("float64"), y, "o", color=COLOURS[1], markersize=5, label="true labels")
        ax.plot(
            rows["selected_shuffled"], y, "s", color=COLOURS[0], markersize=5, fillstyle="none", label="shuffled (mean)"
        )
        ax.set_yticks(y, l1s)
        ax.tick_params(axis="y", length=0)
        ax.set_xlim(left=min(-0.3, ax.get_xlim()[0]))
        ax.set_xlabel("features selected")
        title(ax, name, origin=origin if ax is grid[0] else "real", width=38)
    grid[0].invert_yaxis()
    grid[-1].legend(loc="upper left", bbox_to_anchor=(1.01, 1))
    foot(
        grid[0],
        "All bands together, before any cap on the length of lists. Each panel has its own scale.",
        signature,
        width=45 * len(panels) + 15,
    )
    return figure


def auc_data(figures: pd.DataFrame) -> pd.DataFrame:
    """Return what :func:`plot_auc` draws: rows of ``validation`` that are held-out AUCs, with ``row`` (a short name)."""
    own = figures[figures["figure"].str.startswith(_AUC) & figures["value"].notna()]
    names = {
        _AUC: "inventories",
        f"{_AUC}, pairs of the same band and prompt": "inventories, same band and prompt",
        f"{_AUC}, learners": "inventories, learners",
    }
    base = own["figure"].str.startswith(_BASELINE)
    row = own["figure"].map(names).where(~base, "baseline: " + own["figure"].str.removeprefix(_BASELINE))
    return own.assign(row=row)[row.notna()]


@styled
def plot_auc(figures: pd.DataFrame, *, origin: Origin = "real", signature: str = "", ax: Axes | None = None) -> Axes:
    """Draw how well inventories tell L1s apart on unseen learners, beside what needs no language.

    Parameters
    ----------
    figures : DataFrame
        Table ``validation``.
    origin, signature, ax
        As in :func:`miner.plots.plot_inventory`.

    Raises
    ------
    InputError
        If no held-out AUC was computed.
    """
    data = auc_data(figures)
    require_rows(data, "held-out AUC")
    rows = list(dict.fromkeys(data["row"]))
    series = series_of(data)
    new, ax = ax is None, axes_of(ax, 7.2, 1.5 + 0.3 * len(rows))
    ax.axvline(0.5, color=GREY, linewidth=0.8)
    for i, (name, part) in enumerate(series):
        shift = (i - (len(series) - 1) / 2) * 0.22
        y = [rows.index(r) + shift for r in part["row"]]
        colour, marker = COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)]
        for at, low, high in zip(y, part["low"], part["high"], strict=True):
            if low == low:
                ax.plot([low, high], [at, at], color=colour, linewidth=1.6, solid_capstyle="butt")
        ax.plot(part["value"].tolist(), y, marker, color=colour, markersize=5, label=name)
    ax.set_yticks(range(len(rows)), rows)
    ax.tick_params(axis="y", length=0)
    ax.grid(visible=True, axis="x")
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xlabel("AUC of L1 against the rest, macro mean (.5: chance)")
    title(ax, "Telling L1s apart on unseen learners", origin=origin)
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1))
    if new:
        told = "Lines: 95 % interval by a bootstrap of learners, conditional on the fitted models."
        foot(ax, told, signature, width=125)
    return ax


def series_of(frame: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Return the rows of each recipe with its name, which says the source where there are several."""
    several = frame["source"].nunique() > 1
    groups = frame.groupby(["source", "preset"], sort=False)
    return [(f"{p}, {s}" if several else str(p), part) for (s, p), part in groups]


def require_rows(frame: pd.DataFrame, what: str) -> None:
    """Refuse an empty table, naming what is missing."""
    if frame.empty:
        msg = f"Nothing to draw: expected at least one {what}, got none"
        raise InputError(msg)
