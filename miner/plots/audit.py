"""What a checker finds and how often it is right: recall and precision with their intervals, by category or by L1."""

from __future__ import annotations

from typing import Literal

import pandas as pd
from matplotlib.axes import Axes

from miner.errors import InputError, listed, require_one_of
from miner.plots.style import COLOURS, GREY, PALE, Origin, axes_of, foot, styled, title

By = Literal["category", "l1"]
#: Row name, colour, marker and offset of the two shares.
_SHARES = (("recall", COLOURS[1], "s", 0.17), ("precision", COLOURS[0], "o", -0.17))
_ROW = 0.3


def audit_data(
    table: pd.DataFrame,
    *,
    by: By = "category",
    comparison: str = "overlap",
    scope: str = "errors",
    most: int = 25,
) -> pd.DataFrame:
    """Return the rows to draw: all first, then the categories with most gold edits, or every L1.

    Parameters
    ----------
    table : DataFrame
        An ``audit`` table.
    by : {"category", "l1"}
        Categories over all L1s, or L1s over all categories.
    comparison, scope : str
        As in the table.
    most : int
        Categories at most (``attrs["omitted"]`` counts the others).

    Raises
    ------
    InputError
        If the table has no such rows.
    """
    require_one_of(by, ("category", "l1"), what="The 'by' option")
    other = "l1" if by == "category" else "category"
    rows = table[(table["scope"] == scope) & (table["comparison"] == comparison) & (table[other] == "")]
    if rows.empty:
        known = sorted({f"{s}: {c}" for s, c in zip(table["scope"], table["comparison"], strict=True)})
        msg = f"The audit has no rows for scope {scope!r} and comparison {comparison!r}; it has {listed(known)}"
        raise InputError(msg)
    whole, parts = rows[rows[by] == ""], rows[rows[by] != ""]
    parts = (
        parts.sort_values(["edits", "matches", by], ascending=[False, False, True], kind="stable")
        if by == "category"
        else parts.sort_values(by, kind="stable")
    )
    shown = pd.concat([whole, parts.head(most)], ignore_index=True)
    shown.attrs["omitted"] = max(len(parts) - most, 0)
    return shown


@styled
def plot_audit(
    table: pd.DataFrame,
    *,
    by: By = "category",
    comparison: str = "overlap",
    scope: str = "errors",
    most: int = 25,
    origin: Origin = "real",
    signature: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw recall and precision with 95 % intervals, a row per category or per L1.

    Parameters
    ----------
    table : DataFrame
        An ``audit`` table.
    by, comparison, scope, most
        As in :func:`audit_data`.
    origin, signature, ax
        As in :func:`miner.plots.plot_inventory`.

    Returns
    -------
    Axes
        The drawn numbers are :func:`audit_data`. A share without edits or matches is not drawn; one without an interval is a
        mark alone.
    """
    rows = audit_data(table, by=by, comparison=comparison, scope=scope, most=most)
    new = ax is None
    ax = axes_of(ax, 7.2, 1.7 + _ROW * max(len(rows), 2))
    for name, colour, marker, offset in _SHARES:
        numbers = rows[[name, f"{name}_low", f"{name}_high"]].astype("float64").to_numpy().tolist()
        for i, (value, low, high) in enumerate(numbers):
            if value != value:
                continue
            if low == low:
                ax.plot([low, high], [i + offset] * 2, color=colour, linewidth=1.5, solid_capstyle="butt")
            ax.plot([value], [i + offset], marker=marker, color=colour, markersize=4.5, linestyle="none")
        ax.plot([], [], color=colour, marker=marker, markersize=4.5, linewidth=1.5, label=name)
    for i in range(len(rows)):
        ax.axhline(i + 0.5, color=PALE, linewidth=0.4, zorder=0)
    ax.axhline(0.5, color=GREY, linewidth=0.8, zorder=0)
    ax.set_yticks(range(len(rows)), [_name(row, by) for row in rows.to_dict("records")])
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xlim(-0.01, 1.01)
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel(f"share (95 % interval, bootstrap of learners); {comparison}")
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    title(ax, "The checker against gold annotation, by " + ("category" if by == "category" else "L1"), origin=origin)
    if new:
        omitted = rows.attrs["omitted"]
        foot(
            ax,
            "In brackets: gold edits, matches. Recall: share of edits that a match hits. Precision: share of matches that hit an "
            "edit; it depends on how frequent errors are.",
            f"Left out: {omitted} categories with fewer edits; the table has all." if omitted else "",
            signature,
            width=125,
        )
    return ax


def _name(row: dict[object, object], by: By) -> str:
    name = "all" if row[by] == "" else str(row["label"] if by == "category" else row["l1"])
    name = name if len(name) <= 46 else name[:45].rstrip() + "…"
    return f"{name} ({row['edits']:,}, {row['matches']:,})"
