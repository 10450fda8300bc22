"""Rates of all L1s and features at a glance: a heat map with the selected cells marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import PowerNorm

from miner.errors import InputError, listed
from miner.plots.style import DIRECTIONS, RATES_MAP, Origin, axes_of, figure_of, foot, styled, title

if TYPE_CHECKING:
    import pandas as pd

#: Above this many cells the numbers are left to the table.
_MOST_NUMBERS = 450


def rates_data(tests: pd.DataFrame, *, cefr: str, most: int = 40) -> pd.DataFrame:
    """Return features × L1s of one band: mean matches per 1,000 words, the most frequent features first.

    Parameters
    ----------
    tests : DataFrame
        An ``l1_tests`` table.
    cefr : str
        The band.
    most : int
        Features at most, by their mean over L1s; ties by id.

    Returns
    -------
    DataFrame
        Index: feature id; columns: L1; values: ``rate_target``, missing where the cell has none.
        Features without any match in the band are left out (``attrs["empty"]`` counts them), and so are those beyond
        ``most`` (``attrs["omitted"]``).

    Raises
    ------
    InputError
        If the band is not in the table.
    """
    rows = tests[tests["cefr"] == cefr]
    if rows.empty:
        msg = f"No row of band {cefr!r} in the tests; they have {listed(sorted(set(tests['cefr'])))}"
        raise InputError(msg)
    wide = rows.pivot_table(index="feature", columns="l1", values="rate_target", aggfunc="first", dropna=False)
    wide = wide.loc[sorted(wide.index), sorted(wide.columns)].astype("float64")
    seen = (wide != 0).any(axis=1) & wide.notna().any(axis=1)
    empty = int((~seen).sum())
    wide = wide[seen]
    order = np.argsort(-wide.mean(axis=1).fillna(-1).round(12).to_numpy(), kind="stable")
    shown = wide.iloc[order[:most]]
    shown.attrs["omitted"] = len(wide) - len(shown)
    shown.attrs["empty"] = empty
    return shown


@styled
def plot_rates(
    tests: pd.DataFrame,
    *,
    cefr: str,
    inventory: pd.DataFrame | None = None,
    most: int = 40,
    origin: Origin = "real",
    signature: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the rates of one band, L1 by feature; a frame marks what the inventory selected.

    Parameters
    ----------
    tests : DataFrame
        An ``l1_tests`` table.
    cefr : str
        The band.
    inventory : DataFrame, optional
        ``l1_inventory``; its (L1, feature) pairs of the band are marked.
    most : int
        Features at most; the foot says how many are left out.
    origin, signature, ax
        As in :func:`miner.plots.plot_inventory`.

    Returns
    -------
    Axes
        The drawn numbers are :func:`rates_data`. Colours follow the square root of the rate, so that rare features show.
    """
    data = rates_data(tests, cefr=cefr, most=most)
    if data.empty:
        msg = f"No feature has a match in band {cefr!r}: there are no rates to draw"
        raise InputError(msg)
    new = ax is None
    wide = max(5.3 + 0.42 * data.shape[1], 7.0)
    ax = axes_of(ax, wide, 1.7 + 0.24 * data.shape[0])
    values = np.ma.masked_invalid(data.to_numpy())
    top = float(values.max()) if values.count() else 1.0
    norm = PowerNorm(0.5, vmin=0, vmax=top or 1.0)
    ax.set_facecolor("#f2f2f2")
    image = ax.imshow(values, cmap=RATES_MAP, norm=norm, aspect="auto", interpolation="nearest")
    labels = dict(zip(tests["feature"], tests["label"], strict=True))
    ax.set_yticks(range(len(data)), [_short(str(labels[f])) for f in data.index])
    ax.set_xticks(range(data.shape[1]), list(data.columns))
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    if data.size <= _MOST_NUMBERS:
        _numbers(ax, values, norm)
    marked = _mark(ax, data, inventory, cefr)
    title(ax, f"Matches per 1,000 words, band {cefr}", origin=origin)
    ax.set_xlabel("L1")
    bar = figure_of(ax).colorbar(image, ax=ax, shrink=min(1.0, 11 / (len(data) + 1)), anchor=(0, 1), pad=0.02)
    cast("Any", bar.outline).set_visible(False)
    bar.set_label("mean rate (square-root scale)")
    if new:
        omitted = data.attrs["omitted"]
        foot(
            ax,
            "Framed: in the L1's inventory, relative to the other L1s of the band." if marked else "",
            f"Left out: {data.attrs['empty']} features without a match, {omitted} rarer ones; the table has all."
            if omitted + data.attrs["empty"]
            else "",
            "Grey: no rate." if values.count() < values.size else "",
            signature,
            width=int(15 * wide),
        )
    return ax


def _numbers(ax: Axes, values: np.ma.MaskedArray, norm: PowerNorm) -> None:
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            if values[i, j] is np.ma.masked:
                continue
            v = float(values[i, j])
            ink = "white" if float(norm(v)) > 0.6 else "#1a1a1a"
            ax.text(
                j,
                i,
                "0" if v == 0 else f"{v:.1f}" if v < 9.95 else f"{v:.0f}",
                ha="center",
                va="center",
                fontsize=6,
                color=ink,
            )


def _mark(ax: Axes, data: pd.DataFrame, inventory: pd.DataFrame | None, cefr: str) -> bool:
    if inventory is None:
        return False
    rows = inventory[inventory["cefr"] == cefr]
    column = {l1: j for j, l1 in enumerate(data.columns)}
    line = {feature: i for i, feature in enumerate(data.index)}
    marked = False
    for l1, feature in zip(rows["l1"], rows["feature"], strict=True):
        if l1 in column and feature in line:
            j, i = column[l1], line[feature]
            x = [j - 0.46, j + 0.46, j + 0.46, j - 0.46, j - 0.46]
            y = [i - 0.42, i - 0.42, i + 0.42, i + 0.42, i - 0.42]
            ax.plot(x, y, color=DIRECTIONS["over"], linewidth=1.3, solid_joinstyle="miter")
            marked = True
    return marked


def _short(label: str, most: int = 58) -> str:
    return label if len(label) <= most else label[: most - 1].rstrip() + "…"
