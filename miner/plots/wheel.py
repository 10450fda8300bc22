"""The feature wheel: all features of a variety in a ring by grammar area, coloured by how pervasive they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Wedge

from miner.errors import InputError, listed
from miner.plots.style import GREY, INK, new_figure, styled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

#: Dark for pervasive, pale for absent; hatching, not colour, for cells that say nothing.
STATE_COLOURS = {
    "A": "#08306b",
    "B": "#3f8fc4",
    "C": "#b3d3e8",
    "D": "#f3f3f3",
    "X": "#ffffff",
    "?": "#ffffff",
    "": "#ffffff",
}
_HATCH = {"X": "xxxxxx", "?": "......", "": "------"}
_WORDS = {
    "A": "A pervasive or obligatory",
    "B": "B neither pervasive nor extremely rare",
    "C": "C extremely rare",
    "D": "D attested absence",
    "X": "X not applicable",
    "?": "? no information",
    "": "absent (no cell)",
}
_GAP = 2.0


def wheel_data(
    ratings: pd.DataFrame, features: pd.DataFrame, varieties: pd.DataFrame, ids: Sequence[str]
) -> pd.DataFrame:
    """Return what :func:`plot_wheels` draws: variety, feature, area, rating, start and end angle in degrees.

    Parameters
    ----------
    ratings, features, varieties : DataFrame
        :data:`miner.tables.RATINGS`, :data:`~miner.tables.FEATURES`, :data:`~miner.tables.VARIETIES`.
    ids : sequence of str
        Varieties in the order of the wheels.

    Raises
    ------
    InputError
        If a variety is unknown.
    """
    if unknown := [i for i in ids if i not in set(varieties["variety_id"])]:
        msg = f"The ratings have no variety {listed(unknown)}; a wheel takes eWAVE ids of the table"
        raise InputError(msg)
    areas = list(dict.fromkeys(features["area"]))
    step = (360 - _GAP * len(areas)) / len(features)
    angles, at = {}, 90.0
    for area in areas:
        for feature in features.loc[features["area"] == area, "feature_id"]:
            angles[feature] = (at - step, at)
            at -= step
        at -= _GAP
    chosen = ratings[ratings["variety_id"].isin(ids)].merge(
        features[["feature_id", "feature", "area"]], on="feature_id"
    )
    chosen = chosen.merge(varieties[["variety_id", "variety"]], on="variety_id")
    chosen["start"] = [angles[f][0] for f in chosen["feature_id"]]
    chosen["end"] = [angles[f][1] for f in chosen["feature_id"]]
    place = {v: i for i, v in enumerate(ids)}
    order = np.lexsort((-chosen["end"].to_numpy(), chosen["variety_id"].map(place).to_numpy()))
    columns = ["variety_id", "variety", "feature_id", "feature", "area", "rating", "start", "end"]
    return chosen.iloc[order][columns].reset_index(drop=True)


@styled
def plot_wheels(data: pd.DataFrame, *, signature: str = "") -> Figure:
    """Draw one wheel per variety, side by side, at most four in a row.

    Parameters
    ----------
    data : DataFrame
        Of :func:`wheel_data`.
    signature : str
        Printed under the wheels.
    """
    names = list(dict.fromkeys(data["variety"]))
    if not names:
        msg = "There is nothing to draw: no variety was chosen"
        raise InputError(msg)
    columns = min(len(names), 4)
    rows = -(-len(names) // columns)
    figure = new_figure(4.2 * columns, 4.5 * rows + 0.9)
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for ax, name in zip(grid, names, strict=False):
        _wheel(ax, data[data["variety"] == name], name)
    for ax in grid[len(names) :]:
        ax.set_axis_off()
    used = [s for s in STATE_COLOURS if (data["rating"].fillna("") == s).any()]
    patches = [
        Patch(facecolor=STATE_COLOURS[s], edgecolor=GREY, linewidth=0.4, hatch=_HATCH.get(s, ""), label=_WORDS[s])
        for s in used
    ]
    figure.legend(handles=patches, loc="outside lower center", ncols=3, fontsize=7)
    if signature:
        figure.text(0.01, 0.002, signature, fontsize=5, color=GREY)
    return figure


def _wheel(ax: Axes, rows: pd.DataFrame, name: str) -> None:
    # Most features are absent: one pale band per area stands for them, the others are drawn on it.
    for _, part in rows.groupby("area", sort=False):
        low, high = part["start"].min(), part["end"].max()
        ax.add_patch(Wedge((0, 0), 1.0, low, high, width=0.42, facecolor=STATE_COLOURS["D"], linewidth=0))
    present = rows[rows["rating"].fillna("") != "D"]
    for state, start, end in zip(present["rating"].fillna(""), present["start"], present["end"], strict=True):
        colour, hatch = STATE_COLOURS[state], _HATCH.get(state, "")
        ax.add_patch(
            Wedge(
                (0, 0), 1.0, start, end, width=0.42, facecolor=colour, edgecolor="#c9c9c9", linewidth=0.15, hatch=hatch
            )
        )
    for area, part in rows.groupby("area", sort=False):
        low, high = part["start"].min(), part["end"].max()
        ax.add_patch(Wedge((0, 0), 1.04, low, high, width=0.025, facecolor=GREY, linewidth=0))
        middle = np.radians((low + high) / 2)
        turn = np.degrees(middle) % 360
        flip = 90 < turn < 270
        ax.text(
            1.08 * np.cos(middle),
            1.08 * np.sin(middle),
            str(area),
            fontsize=5.2,
            color=INK,
            rotation=turn + 180 * flip,
            rotation_mode="anchor",
            ha="right" if flip else "left",
            va="center",
        )
    pervasive = int((rows["rating"] == "A").sum())
    ax.text(0, 0, f"{pervasive}\nrated A", ha="center", va="center", fontsize=8)
    ax.set(xlim=(-1.85, 1.85), ylim=(-1.85, 1.85), aspect="equal")
    ax.set_axis_off()
    ax.set_title(name, loc="center", fontsize=8)
