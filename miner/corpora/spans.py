"""From a document's own text to ``texts.text``: normalised and stripped, with its edits moved along."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from miner.corpora.records import Edit
from miner.text import normalise, storable


class Placed(NamedTuple):
    """An edit in ``texts.text``: offsets, the text between them, and its kind."""

    annotator: str
    start: int
    end: int
    token_start: int | None
    token_end: int | None
    original: str
    correction: str | None
    type: str
    kind: str


_CRLF = re.compile("\r\n")


def clean(raw: str) -> tuple[str, int]:
    """Return ``texts.text`` (normalised, stripped, storable) and how many code points went at its start.

    The shift counts code points of the normalised text.
    """
    text = storable(normalise(raw))
    stripped = text.strip()
    return stripped, (len(text) - len(text.lstrip()) if stripped else 0)


def place(edits: Sequence[Edit], raw: str, text: str, shift: int) -> tuple[list[Placed], int]:
    """Move edits from ``raw`` to ``text``; return them, and how many say nothing there.

    An edit that only touches outer white space, or replaces nothing by nothing, says nothing. Offsets beyond the text
    are an error of the corpus; the caller checks :func:`fits` first.
    """
    gone = [m.start() for m in _CRLF.finditer(raw)] if "\r\n" in raw else []
    mark = 1 if raw[:1] == "\ufeff" else 0
    placed, empty = [], 0
    for e in edits:
        if e.start < 0:
            placed.append(Placed(e.annotator, -1, -1, e.token_start, e.token_end, "", "", e.type, "noop"))
            continue
        start, end = (min(max(p - mark - sum(g < p for g in gone) - shift, 0), len(text)) for p in (e.start, e.end))
        original = text[start:end]
        correction = storable(normalise(e.correction)) if e.correction is not None else None
        kind = kind_of(original, correction, start=start, end=end)
        if kind == "same" or (kind == "detect" and start == end and e.start != e.end):
            empty += 1
            continue
        if kind == "detect":
            correction = None
        names = (storable(e.annotator), start, end, e.token_start, e.token_end)
        placed.append(Placed(*names, original, correction, storable(e.type), kind))
    return placed, empty


def kind_of(original: str, correction: str | None, *, start: int, end: int) -> str:
    """Return replace, insert, delete or detect; ``same`` for an edit of nothing by nothing.

    A correction that repeats the original marks an error without correcting it (ERRANT's UNK).
    """
    if correction is None:
        return "detect"
    if start == end:
        return "insert" if correction else "same"
    if correction == original:
        return "detect"
    return "replace" if correction else "delete"


def fits(edits: Sequence[Edit], raw: str) -> bool:
    """Tell whether all offsets lie inside the text, start before end."""
    return all(e.start == e.end == -1 or 0 <= e.start <= e.end <= len(raw) for e in edits)
