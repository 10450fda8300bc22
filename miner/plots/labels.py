"""Labels beside points that overlap neither each other nor the points: a greedy search, the same on every run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.text import Text
from numpy.typing import NDArray

from miner.plots.style import GREY, INK, figure_of

Floats = NDArray[np.float64]

#: Distances from the point that are tried, in points (1/72 inch), nearest first.
_REACH = (5.0, 8.0, 12.0, 18.0, 26.0, 36.0, 48.0, 62.0, 80.0, 100.0, 125.0, 155.0)
#: Directions that are tried at each distance: right, left, then around.
_ANGLES = tuple(
    math.radians(a) for a in (0, 180, 90, 270, 45, 135, 315, 225, *(a + b for b in (15, 30) for a in range(0, 360, 45)))
)
_POINT = 4.0
_GAP = 1.0


@dataclass(frozen=True)
class _Box:
    x0: float
    y0: float
    x1: float
    y1: float

    def hits(self, boxes: Floats) -> bool:
        """Whether the box overlaps any of the boxes, shape (n, 4)."""
        if not len(boxes):
            return False
        apart = (boxes[:, 2] < self.x0) | (boxes[:, 0] > self.x1) | (boxes[:, 3] < self.y0) | (boxes[:, 1] > self.y1)
        return bool((~apart).any())


def place_labels(
    ax: Axes,
    x: Sequence[float],
    y: Sequence[float],
    labels: Sequence[str],
    *,
    avoid: Sequence[tuple[float, float]] = (),
    size: float = 7,
) -> list[str]:
    """Write labels near their points; far ones get a thin line.

    Call it last: it settles the layout and needs the final limits of the axes.

    Parameters
    ----------
    ax : Axes
    x, y : sequences of float, shape (n,)
        Points in data coordinates.
    labels : sequence of str, shape (n,)
        An empty label is left out.
    avoid : sequence of (x, y)
        Points along lines that labels keep off where they can.
    size : float
        Font size in points.

    Returns
    -------
    list of str
        Labels for which no free place was found; they are not drawn, so the caller should say so.

    Notes
    -----
    Points in the thickest crowd choose first. A place is free if the label overlaps no point, no other label and no
    line to another label, and its own line crosses no label; ties go to the nearest place.
    """
    figure = figure_of(ax)
    figure.draw_without_rendering()
    scale = figure.dpi / 72
    points = np.asarray(ax.transData.transform(np.column_stack([x, y])), dtype=float) / scale
    frame = ax.get_window_extent()
    inside = _Box(frame.x0 / scale, frame.y0 / scale, frame.x1 / scale, frame.y1 / scale)
    sizes = [_measured(ax, label, size, scale) for label in labels]
    radius = _POINT / 2 + _GAP
    taken = np.column_stack([points - radius, points + radius])
    shy = np.empty((0, 4))
    if len(avoid):
        ink = np.asarray(ax.transData.transform(np.asarray(avoid, dtype=float)), dtype=float) / scale
        shy = np.column_stack([ink - _GAP, ink + _GAP])
    lines: list[tuple[Floats, Floats]] = []
    unplaced: list[str] = []
    for i in _crowded_first(points):
        if not labels[i]:
            continue
        found = _free_place(points[i], sizes[i], taken, shy, lines, inside)
        if found is None and len(shy):
            found = _free_place(points[i], sizes[i], taken, np.empty((0, 4)), lines, inside)
        if found is None:
            unplaced.append(labels[i])
            continue
        box, anchor = found
        taken = np.vstack([taken, [box.x0 - _GAP, box.y0 - _GAP, box.x1 + _GAP, box.y1 + _GAP]])
        lines.append((points[i], anchor))
        _write(ax, (x[i], y[i]), points[i], box, anchor, labels[i], size)
    return sorted(unplaced)


def _measured(ax: Axes, label: str, size: float, scale: float) -> tuple[float, float]:
    text = Text(0, 0, label, fontsize=size, figure=figure_of(ax))
    extent = text.get_window_extent()
    return extent.width / scale, extent.height / scale


def _crowded_first(points: Floats) -> list[int]:
    # Mean distance to the five nearest points; ties by position, so the order of rows does not matter.
    gaps = np.sqrt(((points[:, None, :] - points[None, :, :]) ** 2).sum(axis=2))
    near = np.sort(gaps, axis=1)[:, 1:6]
    crowd = near.mean(axis=1) if near.shape[1] else np.zeros(len(points))
    return [int(i) for i in np.lexsort((points[:, 1].round(6), points[:, 0].round(6), crowd.round(6)))]


def _free_place(
    point: Floats,
    size: tuple[float, float],
    taken: Floats,
    shy: Floats,
    lines: list[tuple[Floats, Floats]],
    inside: _Box,
) -> tuple[_Box, Floats] | None:
    width, height = size
    for reach in _REACH:
        for angle in _ANGLES:
            # The label's nearest edge or corner lies on a circle around the point.
            cx = point[0] + math.cos(angle) * (reach + width / 2)
            cy = point[1] + math.sin(angle) * (reach + height / 2)
            box = _Box(cx - width / 2, cy - height / 2, cx + width / 2, cy + height / 2)
            if box.x0 < inside.x0 or box.x1 > inside.x1 or box.y0 < inside.y0 or box.y1 > inside.y1:
                continue
            if box.hits(taken) or box.hits(shy):
                continue
            anchor = np.array([min(max(point[0], box.x0), box.x1), min(max(point[1], box.y0), box.y1)])
            if any(_crosses(a, b, np.array([[box.x0, box.y0, box.x1, box.y1]])) for a, b in lines):
                continue
            if reach > _REACH[1] and _crosses(point, anchor, taken, skip=point):
                continue
            if any(_meet(point, anchor, a, b) for a, b in lines):
                continue
            return box, anchor
    return None


def _crosses(start: Floats, end: Floats, boxes: Floats, *, skip: Floats | None = None) -> bool:
    """Whether the segment runs through a box, sampled every point; boxes that hold ``skip`` do not count."""
    steps = max(int(np.hypot(*(end - start))), 1)
    path = start + (end - start) * np.linspace(0, 1, steps + 1)[:, None]
    if skip is not None:
        holds = (
            (boxes[:, 0] <= skip[0]) & (skip[0] <= boxes[:, 2]) & (boxes[:, 1] <= skip[1]) & (skip[1] <= boxes[:, 3])
        )
        boxes = boxes[~holds]
    x, y = path[:, 0][:, None], path[:, 1][:, None]
    return bool(((boxes[:, 0] < x) & (x < boxes[:, 2]) & (boxes[:, 1] < y) & (y < boxes[:, 3])).any())


def _meet(a: Floats, b: Floats, c: Floats, d: Floats) -> bool:
    """Whether the segments ab and cd cross."""

    def side(p: Floats, q: Floats, r: Floats) -> float:
        return float((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]))

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0


def _write(
    ax: Axes, at: tuple[float, float], point: Floats, box: _Box, anchor: Floats, label: str, size: float
) -> None:
    offset = ((box.x0 + box.x1) / 2 - point[0], (box.y0 + box.y1) / 2 - point[1])
    far = float(np.hypot(*(anchor - point))) > _REACH[1]
    if far:
        ax.annotate(
            "",
            xy=at,
            xytext=(anchor[0] - point[0], anchor[1] - point[1]),
            textcoords="offset points",
            arrowprops={"arrowstyle": "-", "color": GREY, "linewidth": 0.4, "shrinkA": 0, "shrinkB": 2},
            annotation_clip=False,
        ).set_in_layout(False)
    text = ax.annotate(
        label, xy=at, xytext=offset, textcoords="offset points", ha="center", va="center", fontsize=size, color=INK
    )
    text.set_in_layout(False)
