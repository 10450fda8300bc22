"""How every plot looks: fonts, colours that colour-blind readers can tell apart, and axes made without pyplot."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from functools import wraps
from typing import Any, Literal, ParamSpec, TypeVar, cast

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

from miner.errors import require_one_of

P = ParamSpec("P")
R = TypeVar("R")

#: Where the plotted numbers come from; everything but ``real`` is printed into the plot.
Origin = Literal["real", "simulated", "invented"]

INK = "#1a1a1a"
GREY = "#6b6b6b"
PALE = "#d9d9d9"
#: Okabe and Ito (2008), without black and yellow (too pale on white).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")
#: More than the reference, less than the reference.
DIRECTIONS = {"over": "#D55E00", "under": "#0072B2"}
#: Sequential maps that are monotone in lightness, so they survive print and colour blindness.
RATES_MAP = "Blues"
DISTANCE_MAP = "viridis_r"

STYLE: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": GREY,
    "axes.grid": False,
    "axes.labelcolor": INK,
    "axes.labelsize": 8.5,
    "axes.linewidth": 0.6,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "figure.dpi": 100,
    "figure.facecolor": "white",
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans", "Bitstream Vera Sans", "Verdana", "Arial"],
    "font.size": 8.5,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "path.simplify": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "miner",
    "text.color": INK,
    "xtick.color": INK,
    "xtick.labelsize": 8,
    "ytick.color": INK,
    "ytick.labelsize": 8,
}


def styled(function: Callable[P, R]) -> Callable[P, R]:
    """Run a plot function under miner's style, whatever the user's own settings; they are back afterwards."""

    @wraps(function)
    def inner(*args: P.args, **kwargs: P.kwargs) -> R:
        with mpl.rc_context(cast("Any", STYLE)):
            return function(*args, **kwargs)

    return inner


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of that size in inches on an Agg canvas, known to no global registry."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def axes_of(ax: Axes | None, width: float, height: float) -> Axes:
    """Return ``ax``, or the axes of a new figure of that size."""
    return new_figure(width, height).subplots() if ax is None else ax


def figure_of(ax: Axes) -> Figure:
    """Return the figure that holds ``ax``."""
    return cast("Figure", ax.get_figure(root=True))


def title(ax: Axes, text: str, *, origin: Origin = "real", width: int = 90) -> None:
    """Set a left title, wrapped; numbers that are not real say so on a line of their own."""
    require_one_of(origin, ("real", "simulated", "invented"), what="The 'origin' of plotted numbers")
    stamp = {"real": "", "simulated": "SIMULATED corpus: no learner wrote these texts\n"}.get(
        origin, "INVENTED numbers, for demonstration only\n"
    )
    ax.set_title(stamp + "\n".join(textwrap.fill(line, width) for line in text.split("\n")))


def foot(ax: Axes, *lines: str, width: int = 120) -> None:
    """Print notes and the signature in small type under the plot."""
    text = "\n".join(wrapped(line, width) for line in lines if line)
    if text:
        figure_of(ax).supxlabel(text, x=0.01, ha="left", fontsize=6, color=GREY)


def wrapped(text: str, width: int) -> str:
    """Wrap at blanks and, in a signature, after its bars."""
    lines: list[str] = []
    for line in text.replace("|", "|\x00").split("\n"):
        pieces = line.replace("\x00", " ").split(" ") if "\x00" not in line else line.split("\x00")
        glue = "" if "\x00" in line else " "
        row = ""
        for piece in pieces:
            if row and len(row) + len(glue) + len(piece) > width:
                lines.append(row)
                row = piece
            else:
                row = row + glue + piece if row else piece
        lines.append(row)
    return "\n".join(lines)


def cluster_look(cluster: int) -> tuple[str, str]:
    """Return colour and marker of a cluster numbered from 1; neighbours differ in both."""
    i = cluster - 1
    return COLOURS[i % len(COLOURS)], MARKERS[(i + i // len(COLOURS)) % len(MARKERS)]


def cluster_ink(cluster: int) -> str:
    """Return the cluster's colour, darkened so that small type is readable on white."""
    red, green, blue = to_rgb(cluster_look(cluster)[0])
    return to_hex((0.7 * red, 0.7 * green, 0.7 * blue))
