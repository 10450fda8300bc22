"""A corpus at a glance: texts by L1 and level."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from miner.plots.style import RATES_MAP, new_figure, styled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

#: L1s shown; the others are one row.
MOST_ROWS = 30


def corpus_data(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the plotted numbers: texts, L1 in rows (largest first, then by name), levels in columns; absent is 0.

    L1s beyond the thirty largest are one row, ``(n others)``.
    """
    table = cells.pivot_table(index="l1", columns="level", values="texts", aggfunc="sum", fill_value=0, observed=True)
    sums = table.sum(axis=1)
    order = sorted(table.index, key=lambda name: (-float(sums[name]), str(name)))
    table = table.loc[order].astype("int64")
    if len(table) > MOST_ROWS:
        rest = table.iloc[MOST_ROWS - 1 :]
        table = table.iloc[: MOST_ROWS - 1].copy()
        table.loc[f"({len(rest)} others)"] = rest.sum()
    return table


@styled
def plot_corpus(cells: pd.DataFrame, *, title: str = "", ax: Axes | None = None) -> Axes:
    """Draw texts by L1 and level as a heat map with the numbers in it.

    Parameters
    ----------
    cells : DataFrame
        ``Description.cells`` of :func:`miner.corpora.describing.describe`.
    title : str
        Name of the corpus.
    ax : Axes, optional
        Where to draw; default: a new figure.
    """
    table = corpus_data(cells)
    if ax is None:
        ax = new_figure(2.2 + 0.55 * table.shape[1], 1.0 + 0.24 * len(table)).add_subplot()
    values = table.to_numpy(dtype=float)
    ax.imshow(np.log1p(values), cmap=RATES_MAP, aspect="auto", vmin=0)
    for i, row in enumerate(values):
        for j, value in enumerate(row):
            if value:
                dark = np.log1p(value) > 0.6 * np.log1p(values.max())
                ax.text(
                    j, i, f"{int(value)}", ha="center", va="center", fontsize=7.5, color="white" if dark else "black"
                )
    ax.set_xticks(range(table.shape[1]), [str(c) for c in table.columns])
    ax.set_yticks(range(len(table)), [str(r) for r in table.index])
    ax.set_xlabel("level")
    ax.set_ylabel("L1")
    ax.set_title(f"{title}: texts by L1 and level" if title else "Texts by L1 and level")
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    return ax
