"""An L1's inventory as points with intervals: which features its texts use more or less than the reference's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from miner.errors import InputError, listed
from miner.plots.style import DIRECTIONS, GREY, PALE, Origin, axes_of, foot, new_figure, styled, title

if TYPE_CHECKING:
    import pandas as pd

_COLUMNS = ["l1", "cefr", "rank", "feature", "label", "direction", "effect", "ci_low", "ci_high"]
_ROW = 0.27


def inventory_data(inventory: pd.DataFrame, *, l1: str, cefr: str, most: int = 30) -> pd.DataFrame:
    """Return the rows that :func:`plot_inventory` draws: one cell of ``l1_inventory``, by rank.

    Parameters
    ----------
    inventory : DataFrame
        An ``l1_inventory`` table.
    l1, cefr : str
        The cell: ISO 639 code and CEFR band.
    most : int
        Rows at most, from rank 1.
    """
    rows = inventory[(inventory["l1"] == l1) & (inventory["cefr"] == cefr)].sort_values("rank")
    return rows[_COLUMNS].head(most).reset_index(drop=True)


def reference_name(tests: pd.DataFrame | None, *, l1: str, cefr: str) -> str:
    """Return what the cell is compared with, in words, from the ``reference`` column of ``l1_tests``.

    The composition (``"de:40 es:38"``) becomes ``"the other 2 L1s of band A (78 texts)"``; without a ``tests`` table or
    a composition the sizes are left out.
    """
    plain = f"the other L1s of band {cefr}"
    if tests is None:
        return plain
    rows = tests[(tests["l1"] == l1) & (tests["cefr"] == cefr)]
    compositions = [c for c in rows["reference"].dropna().unique() if c]
    if not compositions:
        return plain
    parts = [p.rpartition(":") for p in str(compositions[0]).split()]
    units = sum(int(n) for _, _, n in parts if n.isdecimal())
    unit = "learners" if (rows["unit"] == "learner").any() else "texts"
    names = "L1" if len(parts) == 1 else "L1s"
    return f"the other {len(parts)} {names} of band {cefr} ({units:,} {unit})"


@styled
def plot_inventory(
    inventory: pd.DataFrame,
    *,
    l1: str,
    cefr: str,
    tests: pd.DataFrame | None = None,
    name: str | None = None,
    most: int = 30,
    origin: Origin = "real",
    signature: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw one cell's inventory: the effect per 1,000 words with its 95 % interval, rank 1 on top.

    Parameters
    ----------
    inventory : DataFrame
        An ``l1_inventory`` table; a cell without rows gives axes that say so.
    l1, cefr : str
        The cell.
    tests : DataFrame, optional
        ``l1_tests``, for the size of the reference.
    name : str, optional
        Name of the L1 for the title; its code otherwise.
    most : int
        Features drawn at most; the title says if there are more.
    origin : {"real", "simulated", "invented"}
    signature : str
        Printed under the plot.
    ax : Axes, optional
        Drawn into; a new figure otherwise.

    Returns
    -------
    Axes
        The drawn numbers are :func:`inventory_data`.
    """
    rows = inventory_data(inventory, l1=l1, cefr=cefr, most=most)
    in_cell = int(((inventory["l1"] == l1) & (inventory["cefr"] == cefr)).sum())
    new = ax is None
    ax = axes_of(ax, 7.2, 1.5 + _ROW * max(len(rows), 2))
    _points(ax, rows)
    more = f", first {len(rows)} of {in_cell}" if in_cell > len(rows) else ""
    title(ax, f"L1 {name or l1}, band {cefr}{more}", origin=origin)
    ax.set_xlabel("difference of mean rates, matches per 1,000 words (95 % interval)")
    if new:
        against = (
            f"Reference: {reference_name(tests, l1=l1, cefr=cefr)}. Associated with the L1 in these texts; not a cause."
        )
        foot(ax, against, signature, width=125)
    return ax


@styled
def plot_inventories(
    inventory: pd.DataFrame,
    *,
    cells: list[tuple[str, str]] | None = None,
    most: int = 10,
    origin: Origin = "real",
    signature: str = "",
) -> Figure:
    """Draw several cells on one scale, a row per L1 and a column per band.

    Parameters
    ----------
    inventory : DataFrame
        An ``l1_inventory`` table.
    cells : list of (l1, cefr), optional
        All tested cells, so that empty ones show; the cells of the inventory by default.
    most : int
        Features drawn per cell at most.
    origin, signature
        As in :func:`plot_inventory`.

    Raises
    ------
    InputError
        If there is no cell to draw.
    """
    known = sorted(set(zip(inventory["l1"], inventory["cefr"], strict=True)))
    chosen = known if cells is None else sorted(set(cells))
    if not chosen:
        msg = f"No cell to draw: the inventory has {len(inventory)} rows and cells {listed([str(c) for c in known])}"
        raise InputError(msg)
    l1s, bands = sorted({c[0] for c in chosen}), sorted({c[1] for c in chosen})
    data = {c: inventory_data(inventory, l1=c[0], cefr=c[1], most=most) for c in chosen}
    tall = [max(max((len(data[x]) for x in chosen if x[0] == l1), default=1), 2) for l1 in l1s]
    figure = new_figure(6.4 * len(bands), 0.9 + sum(_ROW * n + 0.45 for n in tall))
    grid = figure.subplots(len(l1s), len(bands), squeeze=False, sharex=True, height_ratios=[n + 0.8 for n in tall])
    for i, l1 in enumerate(l1s):
        for j, band in enumerate(bands):
            ax = grid[i, j]
            if (l1, band) not in data:
                ax.set_axis_off()
                continue
            _points(ax, data[l1, band], room=tall[i])
            title(ax, f"L1 {l1}, band {band}", origin=origin if (i, j) == (0, 0) else "real")
    for ax in grid[-1]:
        ax.set_xlabel("difference of mean rates, matches per 1,000 words")
    foot(
        grid[0, 0], "Reference: the other L1s of the band. Lines are 95 % intervals.", signature, width=110 * len(bands)
    )
    return figure


def _points(ax: Axes, rows: pd.DataFrame, *, room: int = 0) -> None:
    ax.axvline(0, color=GREY, linewidth=0.8)
    if rows.empty:
        ax.text(0.02, 0.5, "no feature selected", transform=ax.transAxes, va="center", color=GREY, style="italic")
        ax.set_yticks([])
        return
    y = range(len(rows))
    numbers = rows[["effect", "ci_low", "ci_high"]].to_numpy(dtype="float64").tolist()
    for i, (effect, low, high), direction in zip(y, numbers, rows["direction"], strict=True):
        colour = DIRECTIONS[direction]
        ax.axhline(i, color=PALE, linewidth=0.4, zorder=0)
        ax.plot([low, high], [i, i], color=colour, linewidth=1.6, solid_capstyle="butt")
        ax.plot([effect], [i], marker="o" if direction == "over" else "s", color=colour, markersize=5)
    ax.set_yticks(list(y), [_short(str(label)) for label in rows["label"]])
    ax.set_ylim(max(len(rows), room) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)


def _short(label: str, most: int = 52) -> str:
    return label if len(label) <= most else label[: most - 1].rstrip() + "…"
