"""How numbers are shown: rounded for people, a dash for what is missing; files keep 12 digits."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

DASH = "–"
#: Items of a list that are written out; run.json has all.
MOST_LISTED = 12


def missing(value: Any) -> bool:
    """Whether a cell is empty (None, NaN, NA or empty text)."""
    return value is None or value is pd.NA or value == "" or (isinstance(value, float) and math.isnan(value))


def count(value: Any) -> str:
    """Return a whole number with thousands separated."""
    return DASH if missing(value) else f"{int(value):,}"


def number(value: Any, digits: int = 2) -> str:
    """Return a number with that many decimals and a true minus sign."""
    return DASH if missing(value) else f"{float(value):,.{digits}f}".replace("-", "\u2212")


def probability(value: Any) -> str:
    """Return a p- or q-value: three decimals, or ``<.001``."""
    if missing(value):
        return DASH
    return "<.001" if float(value) < 0.001 else f"{float(value):.3f}".removeprefix("0")


def share(value: Any) -> str:
    """Return a share as a percentage with one decimal."""
    return DASH if missing(value) else f"{100 * float(value):.1f} %"


def plain(value: Any) -> str:
    """Return any plain value as text: lists joined, mappings as ``key: value``."""
    if isinstance(value, dict):
        return "; ".join(f"{k}: {plain(v)}" for k, v in value.items()) or DASH
    if isinstance(value, list | tuple):
        more = f" and {len(value) - MOST_LISTED} more" if len(value) > MOST_LISTED else ""
        return (", ".join(plain(v) for v in value[:MOST_LISTED]) + more) or DASH
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    return DASH if missing(value) else str(value)
