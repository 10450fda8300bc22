"""SVG documents made fit to stand inside a page: no outside address, no clash of ids, a text for screen readers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from markupsafe import Markup

from miner.errors import InputError

_ROOT = re.compile(r"<svg\b[^>]*>", re.DOTALL)
_SIZE = re.compile(r'viewBox="\s*([-\d.]+)\s+([-\d.]+)\s+([-\d.]+)\s+([-\d.]+)\s*"')
_UNSAFE = re.compile(r"<\s*(script|foreignObject|iframe|object|embed)\b|\son\w+\s*=", re.IGNORECASE)


@dataclass(frozen=True)
class Figure:
    """A figure of the page: name, caption, text alternative, markup, and its natural width in pixels."""

    name: str
    heading: str
    alt: str
    markup: Markup
    width: int


def figures_of(figures: Mapping[str, str | Mapping[str, str]]) -> dict[str, Figure]:
    """Return the figures by name, ready for the page.

    Parameters
    ----------
    figures : mapping
        Name to SVG document, or to a mapping with ``svg``, ``heading`` and ``alt``.

    Raises
    ------
    InputError
        If a figure is no SVG document, or holds scripts or foreign content.
    """
    out = {}
    for name, given in figures.items():
        svg, heading, alt = (
            (given, name.replace("_", " "), f"Figure {name.replace('_', ' ')}")
            if isinstance(given, str)
            else (given["svg"], given["heading"], given["alt"])
        )
        out[name] = Figure(name, heading, alt, *_inline(svg, name, alt))
    return out


def _inline(svg: str, name: str, alt: str) -> tuple[Markup, int]:
    root = _ROOT.search(svg)
    size = _SIZE.search(root.group()) if root else None
    end = svg.rfind("</svg>")
    if root is None or size is None or end < 0 or _UNSAFE.search(svg):
        msg = f"Figure '{name}' cannot stand in the report: expected an SVG document with a viewBox and without scripts"
        raise InputError(msg)
    body = svg[root.end() : end]
    body = re.sub(r"<metadata>.*?</metadata>|<style\b.*?</style>|<!--.*?-->", "", body, flags=re.DOTALL)
    body = re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", body).replace("xlink:href=", "href=")
    # All ids of all figures live in one page: each figure's get its name in front.
    mark = re.sub(r"\W", "-", name)
    body = re.sub(r'\bid="([^"]+)"', rf'id="{mark}-\1"', body)
    body = re.sub(r'href="#([^"]+)"', rf'href="#{mark}-\1"', body)
    body = re.sub(r"url\(#([^)]+)\)", rf"url(#{mark}-\1)", body)
    if re.search(r'(?:href|src)="(?!#|data:)', body) or re.search(r"url\((?!#)", body):
        msg = f"Figure '{name}' refers to something outside the page, which must work offline"
        raise InputError(msg)
    height, pixels = float(size[4]), round(float(size[3]) * 4 / 3)  # SVG user units are points here
    head = (
        f'<svg viewBox="{size[1]} {size[2]} {size[3]} {size[4]}" role="img" aria-label="{escape(alt, quote=True)}" '
        f'width="{pixels}" height="{round(height * 4 / 3)}" style="min-width:min({pixels}px,40rem);stroke-linejoin:round;'
        'stroke-linecap:butt">'
    )
    return Markup(head + body.strip() + "</svg>"), pixels
