"""Figures as files: SVG and PNG that are equal byte for byte when the numbers are."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, cast

import matplotlib as mpl
from matplotlib.figure import Figure

from miner.errors import OutputError
from miner.plots.style import STYLE

#: Neither date nor software nor address: the bytes depend on the picture alone.
_SVG_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}
_PNG_METADATA = {"Software": None}
PNG_DPI = 150


def svg_text(figure: Figure) -> str:
    """Return the figure as an SVG document; text stays text, ids are hashes with a fixed salt."""
    buffer = io.StringIO()
    with mpl.rc_context(cast("Any", STYLE)):
        figure.savefig(buffer, format="svg", metadata=cast("Any", _SVG_METADATA), dpi=PNG_DPI)
    return buffer.getvalue()


def png_bytes(figure: Figure) -> bytes:
    """Return the figure as a PNG of 150 dots per inch without metadata."""
    buffer = io.BytesIO()
    with mpl.rc_context(cast("Any", STYLE)):
        figure.savefig(buffer, format="png", metadata=cast("Any", _PNG_METADATA), dpi=PNG_DPI)
    return buffer.getvalue()


def save(figure: Figure, stem: Path | str) -> tuple[Path, Path]:
    """Write ``STEM.svg`` and ``STEM.png``.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        For axes: ``ax.figure``.
    stem : path
        Path without suffix; its folder must exist. A dot in the name is kept.

    Returns
    -------
    tuple of Path
        The SVG's and the PNG's path.

    Raises
    ------
    OutputError
        If a file cannot be written.
    """
    return write_both(svg_text(figure), png_bytes(figure), stem)


def write_both(svg_document: str, png_data: bytes, stem: Path | str) -> tuple[Path, Path]:
    """Write an SVG document and PNG bytes beside each other; OutputError if that fails."""
    stem = Path(stem)
    svg, png = stem.with_name(stem.name + ".svg"), stem.with_name(stem.name + ".png")
    try:
        svg.write_text(svg_document, encoding="utf-8", newline="\n")
        png.write_bytes(png_data)
    except OSError as err:
        msg = f"The figure {stem} could not be written ({err.strerror}); give a folder that exists and can be written"
        raise OutputError(msg) from err
    return svg, png
