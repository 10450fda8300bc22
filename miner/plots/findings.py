"""What becomes of findings, drawn: in another corpus, and against what was planted."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from miner.errors import InputError
from miner.plots.style import COLOURS, GREY, MARKERS, PALE, Origin, axes_of, foot, new_figure, styled, title
from miner.plots.validation import ROW, require_rows, series_of


@styled
def plot_across(
    effects: pd.DataFrame,
    *,
    here: str = "this corpus",
    there: str = "the other corpus",
    origin: Origin = "real",
    signature: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the effects of features in two corpora against each other.

    Parameters
    ----------
    effects : DataFrame
        Table ``across_effects``, rows of one source and recipe.
    here, there : str
        Names of the corpora.
    origin, signature, ax
        As in :func:`miner.plots.plot_inventory`.

    Raises
    ------
    InputError
        If no feature could be tested in both corpora, or the rows are of several recipes.
    """
    require_rows(effects, "feature that both corpora could test")
    if len(series_of(effects)) > 1:
        msg = f"Effects of one recipe are drawn; got {', '.join(n for n, _ in series_of(effects))}"
        raise InputError(msg)
    new, ax = ax is None, axes_of(ax, 5.8, 5.2)
    looks = {"neither": (PALE, "o", 3.0), "here": (COLOURS[0], "s", 5.0), "there": (COLOURS[4], "^", 5.0)}
    looks["both"] = (COLOURS[1], "D", 5.5)
    names = {"neither": "selected in neither", "here": f"in {here}", "there": f"in {there}", "both": "in both"}
    ax.axhline(0, color=GREY, linewidth=0.8)
    ax.axvline(0, color=GREY, linewidth=0.8)
    for kind, (colour, marker, size) in looks.items():
        part = effects[effects["selected"] == kind]
        if len(part):
            label = f"{names[kind]} ({len(part)})"
            ax.plot(part["effect_here"], part["effect_there"], marker, color=colour, markersize=size, label=label)
    log = effects["measure"].iloc[0] == "log_ratio"
    unit = "log rate ratio" if log else "difference of mean rates, per 1,000 words"
    ax.set_xlabel(f"{unit}, {here}")
    ax.set_ylabel(f"{unit}, {there}")
    ax.legend(loc="upper left")
    title(ax, f"{len(effects)} effects (features in L1s and bands) in two corpora", origin=origin, width=60)
    if new:
        foot(ax, "Upper right and lower left: the same direction in both corpora.", signature, width=95)
    return ax


@styled
def plot_planted(planted: pd.DataFrame, *, origin: Origin = "simulated", signature: str = "") -> Figure:
    """Draw the share of planted over-uses that were found, by what it may depend on.

    Parameters
    ----------
    planted : DataFrame
        Table ``validation_planted``.
    origin, signature
        As in :func:`miner.plots.plot_inventory`.

    Raises
    ------
    InputError
        If nothing was planted.
    """
    shown = planted[planted["power"].notna()]
    require_rows(shown, "planted over-use")
    rows = list(dict.fromkeys(zip(shown["by"], shown["group"], strict=True)))
    figure = new_figure(7.2, 1.5 + ROW * max(len(rows), 3))
    ax = figure.subplots()
    series = series_of(shown)
    for i, (name, part) in enumerate(series):
        shift = (i - (len(series) - 1) / 2) * 0.22
        y = [rows.index(r) + shift for r in zip(part["by"], part["group"], strict=True)]
        colour, marker = COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)]
        ax.plot(part["power"].tolist(), y, marker, color=colour, markersize=5, label=name, alpha=0.9)
    numbers = shown.drop_duplicates(["by", "group"])["planted"].tolist()
    labels = [
        f"{g} ({n})" if by in ("all", "sizes") else f"{by} {g} ({n})" for (by, g), n in zip(rows, numbers, strict=True)
    ]
    ax.set_yticks(range(len(rows)), labels)
    ax.tick_params(axis="y", length=0)
    ax.grid(visible=True)
    ax.set_xlim(-0.03, 1.03)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xlabel("share of planted over-uses that are found (power)")
    title(ax, "What was found of what was planted", origin=origin)
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1))
    foot(ax, "In brackets: planted over-uses (L1 x band x feature) that a checker can see.", signature, width=125)
    return figure
