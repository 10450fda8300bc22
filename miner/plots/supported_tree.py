"""The dendrogram with the support of its branches in resamples of features."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from miner.errors import InputError
from miner.plots.style import GREY, INK, axes_of, cluster_ink, foot, styled, title

if TYPE_CHECKING:
    import pandas as pd


def supported_tree_data(tree: pd.DataFrame, varieties: pd.DataFrame) -> pd.DataFrame:
    """Return a row per node: ``node, label, x`` (height), ``y`` (position), ``left, right, support, size``.

    Parameters
    ----------
    tree : DataFrame
        :data:`miner.tables.TREE`; leaves are numbered in id order.
    varieties : DataFrame
        :data:`miner.tables.VARIETIES` in id order.
    """
    import pandas as pd

    n = len(tree) + 1
    if len(varieties) != n:
        msg = f"A tree of {n} leaves does not fit {len(varieties)} varieties"
        raise InputError(msg)
    joins = {int(r["join"]): r for r in tree.to_dict("records")}
    order: list[int] = []
    stack = [2 * n - 2]
    while stack:  # left part on top
        node = stack.pop()
        if node < n:
            order.append(node)
        else:
            stack += [int(joins[node]["right"]), int(joins[node]["left"])]
    y: dict[int, float] = {leaf: float(i) for i, leaf in enumerate(order)}
    rows = [
        {
            "node": leaf,
            "label": varieties["variety"].iloc[leaf],
            "variety_id": varieties["variety_id"].iloc[leaf],
            "x": 0.0,
            "y": y[leaf],
            "left": -1,
            "right": -1,
            "support": None,
            "size": 1,
        }
        for leaf in order
    ]
    for node in range(n, 2 * n - 1):
        record = joins[node]
        y[node] = (y[int(record["left"])] + y[int(record["right"])]) / 2
        rows.append(
            {
                "node": node,
                "label": "",
                "variety_id": "",
                "x": record["height"],
                "y": y[node],
                "left": int(record["left"]),
                "right": int(record["right"]),
                "support": record["support"],
                "size": int(record["size"]),
            }
        )
    return pd.DataFrame(rows).sort_values("node", kind="stable").reset_index(drop=True)


@styled
def plot_supported_tree(
    data: pd.DataFrame,
    *,
    clusters: pd.DataFrame | None = None,
    least: float = 0.5,
    label: str = "distance",
    signature: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the tree, leaves on the right; branches that at least ``least`` of the resampled trees have carry their per cent.

    Parameters
    ----------
    data : DataFrame
        Of :func:`supported_tree_data`.
    clusters : DataFrame, optional
        ``variety_id`` and ``cluster``: names in the cluster's colour.
    least : float
        Least support that is printed; branches with it are drawn strong.
    label : str
        What the heights are.
    signature, ax
        As in :func:`miner.plots.plot_inventory`.
    """
    leaves = data[data["left"] < 0]
    new = ax is None
    ax = axes_of(ax, 9, max(3.0, 0.155 * len(leaves) + 1.2))
    at = {int(r["node"]): r for r in data.to_dict("records")}
    cluster = {} if clusters is None else dict(zip(clusters["variety_id"], clusters["cluster"], strict=True))
    shown = 0
    for node in data.loc[data["left"] >= 0, "node"]:
        record = at[int(node)]
        strong = record["support"] is not None and record["support"] >= least
        for child in (at[int(record["left"])], at[int(record["right"])]):
            ax.plot(
                [child["x"], record["x"], record["x"]],
                [child["y"], child["y"], record["y"]],
                color=INK if strong else GREY,
                linewidth=1.1 if strong else 0.6,
                solid_capstyle="butt",
            )
        if strong and record["size"] < len(leaves):
            ax.text(
                record["x"],
                record["y"],
                f"{100 * record['support']:.0f} ",
                fontsize=5.2,
                ha="right",
                va="bottom",
                color=INK,
            )
            shown += 1
    for record in leaves.to_dict("records"):
        number = cluster.get(record["variety_id"])
        colour = INK if number is None or number != number else cluster_ink(int(number))
        ax.text(-0.005 * data["x"].max(), record["y"], f" {record['label']}", fontsize=6, va="center", color=colour)
    ax.invert_xaxis()
    ax.set(xlabel=label, ylim=(len(leaves) - 0.4, -0.6))
    ax.set_xlim(data["x"].max() * 1.04, -0.42 * data["x"].max())
    ax.set_xticks([t for t in ax.get_xticks() if 0 <= t <= data["x"].max() * 1.04])
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    title(ax, f"Tree of {len(leaves)} varieties (average linkage) with the support of its branches")
    if new:
        note = f"Numbers: per cent of the trees of feature resamples with a branch of exactly these leaves, from {100 * least:.0f} % ({shown} branches)."
        foot(ax, note, signature)
    return ax
