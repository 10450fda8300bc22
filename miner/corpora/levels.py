"""Proficiency labels to CEFR: fine level, band, and whether a label is missing, unknown or wider than one level."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

Status = Literal["known", "band", "missing", "unknown"]

_MISSING = {"", "nan", "n/a", "na", "none", "null", "-", "?", "unknown", "#n/a", "<na>", "xx"}
_FINE = re.compile(r"([abc])\s?([12])(?:\s?[+-]|[._ -]?(?:[0-9]|i{1,3}|iv|v))?")
_RANGE = re.compile(r"\s*(?:[/–—-]|\bto\b|\bor\b)\s*")


class Level(NamedTuple):
    """A level label read.

    ``cefr`` is A1..C2 or empty, ``band`` A, B, C or empty. ``status`` is ``band`` where the band is known and the fine
    level is not (``B1/B2``, ``b``).
    """

    cefr: str
    band: str
    status: Status


@lru_cache(maxsize=4096)
def parse_level(raw: str) -> Level:
    """Return what a label says about the CEFR level.

    ``A2+``, ``a2``, ``B1.2``, ``A1.ii``, ``B1_2`` and ``"C2 "`` are the level they start with; ``B1/B2`` and ``b`` give
    a band only; ``NaN``, ``N/A``, ``None`` and blanks are missing; anything else (``6``, ``Intermediate``, ``pre-A1``,
    a Cyrillic letter before ``B1``) is unknown.
    """
    label = raw.strip().casefold()
    if label in _MISSING:
        return Level("", "", "missing")
    if label in ("a", "b", "c"):
        return Level("", label.upper(), "band")
    if match := _FINE.fullmatch(label):
        return Level((match[1] + match[2]).upper(), match[1].upper(), "known")
    parts = [_FINE.fullmatch(p) for p in _RANGE.split(label)]
    if len(parts) == 2 and parts[0] and parts[1]:
        fine = {(p[1] + p[2]).upper() for p in parts if p}
        bands = {f[0] for f in fine}
        if len(fine) == 1:
            return Level(fine.pop(), bands.pop(), "known")
        if len(bands) == 1:
            return Level("", bands.pop(), "band")
    return Level("", "", "unknown")
