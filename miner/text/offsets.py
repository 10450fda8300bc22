"""Offsets in UTF-16 units or UTF-8 bytes to code points: exact, vectorised, without state (safe for threads)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from miner.errors import InputError

Offsets = Sequence[int] | NDArray[np.int64]


def utf16_to_codepoints(text: str, offsets: Offsets) -> NDArray[np.int64]:
    """Convert offsets that count UTF-16 units (Java, JavaScript) to code points.

    Parameters
    ----------
    text : str
        The text that the offsets are of. A lone surrogate is one unit.
    offsets : sequence of int
        Any order and number; an offset inside a character becomes the start of that character.

    Returns
    -------
    ndarray of int64
        As many, in the same order.

    Raises
    ------
    InputError
        If an offset is negative or beyond the end of the text.
    """
    return _convert(text, offsets, (0x10000,), "UTF-16 units")


def utf8_to_codepoints(text: str, offsets: Offsets) -> NDArray[np.int64]:
    """Convert offsets that count UTF-8 bytes (Rust, Go) to code points; see :func:`utf16_to_codepoints`.

    A lone surrogate, which UTF-8 proper cannot hold, counts as three bytes.
    """
    return _convert(text, offsets, (0x80, 0x800, 0x10000), "UTF-8 bytes")


def _convert(text: str, offsets: Offsets, steps: tuple[int, ...], unit: str) -> NDArray[np.int64]:
    given = np.asarray(offsets, dtype=np.int64).reshape(-1)
    if text.isascii():
        starts = None
        last = len(text)
    else:
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        widths = np.ones(len(codes), dtype=np.int64)
        for step in steps:
            widths += codes >= step
        starts = np.concatenate(([0], np.cumsum(widths)))
        last = int(starts[-1])
    if given.size and (given.min() < 0 or given.max() > last):
        worst = int(given.min() if given.min() < 0 else given.max())
        msg = f"Offset {worst} lies outside a text of {last} {unit}; the engine was given another text, or counts in another unit"
        raise InputError(msg)
    if starts is None:
        return given.copy()
    return np.searchsorted(starts, given, side="right") - 1
