"""Scores by the DLIFLC difficulty category of the L1: box plots with every L1 as a point."""

from __future__ import annotations

import math
from collections.abc import Iterable
from importlib import resources
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from miner.errors import EmptyInput, InputError, listed
from miner.ledger import Ledger
from miner.plots.labels import place_labels
from miner.plots.ranks import spearman
from miner.plots.scatter import p_text, signed
from miner.plots.style import COLOURS, GREY, INK, Origin, axes_of, foot, styled, title

if TYPE_CHECKING:
    from typing import Any

CATEGORIES = (1, 2, 3, 4)


def read_difficulty() -> pd.DataFrame:
    """Return the DLIFLC category of ten L1s: ``l1`` (ISO 639), ``name``, ``category`` (1 to 4)."""
    with resources.files("miner.data").joinpath("dliflc.tsv").open(encoding="utf-8") as lines:
        return pd.read_csv(lines, sep="\t", comment="#", dtype={"l1": "str", "name": "str", "category": "Int64"})


def l1_codes(names: Iterable[str]) -> list[str | None]:
    """Return the code of each L1 that has a category, given as code or English name; None for others."""
    known = read_difficulty()
    ids = {n.casefold(): c for c, n in zip(known["l1"], known["name"], strict=True)}
    ids |= {c: c for c in known["l1"]} | {"chinese": "zh", "chinese-mandarin": "zh", "mandarin": "zh"}
    return [ids.get(name.strip().casefold()) for name in names]


def difficulty_points(scores: pd.DataFrame) -> tuple[pd.DataFrame, Ledger]:
    """Join scores to categories; the unit is the L1.

    Parameters
    ----------
    scores : DataFrame
        ``l1`` (or ``variety``): ISO 639 code or English name; ``score``.

    Returns
    -------
    points : DataFrame
        ``l1, name, category, score, n_scores``, by category and l1; several scores of an L1 become their mean.
    ledger : Ledger
        Scores used, and those whose L1 has no category, by name.

    Raises
    ------
    InputError
        If a column is missing.
    EmptyInput
        If no score is left.
    """
    column = "l1" if "l1" in scores else "variety"
    if column not in scores or "score" not in scores:
        msg = f"A table of scores needs the columns 'l1' and 'score'; got {listed([str(c) for c in scores.columns])}"
        raise InputError(msg)
    known = read_difficulty()
    names = scores[column].astype(str)
    ledger = Ledger("match scores", "scores")
    found: dict[str, list[float]] = {}
    for name, code, score in zip(names, l1_codes(names), scores["score"].astype("float64"), strict=True):
        if code is None or math.isnan(score):
            ledger.drop("score missing" if code else "L1 without a DLIFLC category", place=name)
        else:
            ledger.keep()
            found.setdefault(code, []).append(score)
    if not found:
        msg = f"None of the {ledger.read} scores belongs to an L1 with a DLIFLC category; the L1s are {listed(list(known['l1']))}"
        raise EmptyInput(msg)
    points = known[known["l1"].isin(found)].copy()
    points["score"] = [math.fsum(sorted(found[c])) / len(found[c]) for c in points["l1"]]
    points["n_scores"] = pd.array([len(found[c]) for c in points["l1"]], dtype="Int64")
    return points.sort_values(["category", "l1"]).reset_index(drop=True), ledger


def difficulty_data(points: pd.DataFrame) -> pd.DataFrame:
    """Return the boxes that :func:`plot_difficulty` draws, one row per category, empty ones included.

    Returns
    -------
    DataFrame
        ``category``, ``n`` (L1s), ``l1s``, ``minimum, q1, median, q3, maximum`` (quartiles by linear interpolation; the
        whiskers reach the extremes). Values are missing for an empty category.
    """
    rows: list[dict[str, Any]] = []
    for category in CATEGORIES:
        inside = points[points["category"] == category]
        five = np.quantile(inside["score"], [0, 0.25, 0.5, 0.75, 1]) if len(inside) else [math.nan] * 5
        names = ("minimum", "q1", "median", "q3", "maximum")
        l1s = " ".join(inside["l1"])
        rows.append(
            {"category": category, "n": len(inside), "l1s": l1s, **dict(zip(names, map(float, five), strict=True))}
        )
    return pd.DataFrame(rows)


@styled
def plot_difficulty(
    scores: pd.DataFrame,
    *,
    score_label: str = "score",
    origin: Origin = "real",
    signature: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw scores by DLIFLC category: a box per category, a named point per L1, Spearman with its p and n.

    Parameters
    ----------
    scores : DataFrame
        As in :func:`difficulty_points`.
    score_label, origin, signature, ax
        As in :func:`miner.plots.plot_performance`.

    Returns
    -------
    Axes
        The drawn numbers are :func:`difficulty_points` and :func:`difficulty_data`. A category with one L1 is a line.
    """
    points, ledger = difficulty_points(scores)
    boxes = difficulty_data(points)
    new = ax is None
    ax = axes_of(ax, 6.4, 4.6)
    drawn = boxes[boxes["n"] > 0]
    five = drawn[["minimum", "q1", "median", "q3", "maximum"]].to_numpy(dtype="float64").tolist()
    keys = ("whislo", "q1", "med", "q3", "whishi")
    told: list[dict[str, Any]] = [{**dict(zip(keys, f, strict=True)), "fliers": []} for f in five]
    line = {"color": GREY, "linewidth": 1.0}
    ax.bxp(
        told,
        positions=drawn["category"].tolist(),
        widths=0.5,
        showfliers=False,
        patch_artist=True,
        boxprops={"facecolor": "#eef3f8", "edgecolor": GREY, "linewidth": 1.0},
        whiskerprops=line,
        capprops=line,
        medianprops={"color": INK, "linewidth": 1.6},
    )
    ax.scatter(points["category"].astype(float), points["score"], s=24, c=COLOURS[1], linewidths=0, zorder=3)
    counts = dict(zip(boxes["category"], boxes["n"], strict=True))
    ax.set_xticks(CATEGORIES, [f"{c}\n(n = {counts[c]})" for c in CATEGORIES])
    ax.set_xlim(0.4, 4.6)
    ax.margins(y=0.1)
    ax.set_xlabel("DLIFLC category of the L1 (1 quickest to learn from English, 4 slowest)")
    ax.set_ylabel(score_label)
    title(ax, _line(points), origin=origin)
    if new:
        left = ", ".join(f"{n} {reason}" for reason, n in sorted(ledger.dropped.items()))
        foot(
            ax,
            "One point per L1; boxes: quartiles, whiskers: extremes.",
            f"Left out: {left}." if left else "",
            signature,
        )
    place_labels(
        ax,
        points["category"].astype(float).tolist(),
        points["score"].tolist(),
        points["name"].tolist(),
        avoid=_ink(drawn),
    )
    return ax


def _ink(boxes: pd.DataFrame) -> list[tuple[float, float]]:
    # Where lines of the boxes run, for labels to keep off.
    across, up = np.linspace(-0.25, 0.25, 26), np.linspace(0, 1, 41)
    points: list[tuple[float, float]] = []
    for k, *flat in boxes[["category", "minimum", "q1", "median", "q3", "maximum"]].to_numpy(dtype="float64").tolist():
        low, q1, _, q3, high = flat
        points += [(k + a * (0.5 if v in (low, high) else 1), v) for v in flat for a in across]
        points += [(k + a, q1 + u * (q3 - q1)) for a in (-0.25, 0.25) for u in up]
        points += [(k, low + u * (high - low)) for u in up]
    return points


def _line(points: pd.DataFrame) -> str:
    n = len(points)
    if n < 3 or points["category"].nunique() < 2 or points["score"].nunique() < 2:
        return f"Score by difficulty category, n = {n} L1s"
    rho, p, how = spearman(points["category"].astype(float).to_numpy(), points["score"].to_numpy())
    return f"Spearman ρ = {signed(rho)}, {'exact ' if how == 'exact' else ''}p {p_text(p)}; n = {n} L1s"
