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

    An edit that only touches outer white space, or replaces nothing by nothing, says nothing. What is inserted before or
    after outer white space takes along the white space between it and the text. Offsets beyond the text are an error of
    the corpus; the caller checks :func:`fits` first.
    """
    gone = [m.start() for m in _CRLF.finditer(raw)] if "\r\n" in raw else []
    mark = 1 if raw[:1] == "\ufeff" else 0
    placed, empty = [], 0
    outer = _Outer(raw, text, shift)
    spans = [tuple(max(p - mark - sum(g < p for g in gone), 0) for p in (e.start, e.end)) for e in edits]
    for i, (e, (first, last)) in enumerate(zip(edits, spans, strict=True)):
        if e.start < 0:
            placed.append(Placed(e.annotator, -1, -1, e.token_start, e.token_end, "", "", e.type, "noop"))
            continue
        start, end = (min(max(p - shift, 0), len(text)) for p in (first, last))
        original = text[start:end]
        correction = storable(normalise(e.correction)) if e.correction is not None else None
        tokens = outer.tokens(e)
        if correction and correction.strip() and e.token_start is None:
            others = [
                s
                for s, o in zip(spans[i + 1 :], edits[i + 1 :], strict=True)
                if o.correction and o.annotator == e.annotator
            ]
            correction = outer.joined(correction, first, last, others, e.annotator)
        kind = kind_of(original, correction, start=start, end=end)
        if kind == "same" or (kind == "detect" and start == end and e.start != e.end):
            empty += 1
            continue
        if kind == "detect":
            correction = None
        names = (storable(e.annotator), start, end, *tokens)
        placed.append(Placed(*names, original, correction, storable(e.type), kind))
    return placed, empty


class _Outer:
    """The white space that is stripped from a text, as far as edits meet it."""

    def __init__(self, raw: str, text: str, shift: int) -> None:
        self._raw, self._text, self._shift = raw, text, shift
        self._inserted: dict[str, int] = {}

    def tokens(self, edit: Edit) -> tuple[int | None, int | None]:
        """Return the token offsets in the stripped text: each blank stripped at the start took a token."""
        if edit.token_start is None or edit.token_end is None or len(self._raw) == len(self._text):
            return edit.token_start, edit.token_end
        lost, n = normalise(self._raw)[: self._shift].count(" "), self._text.count(" ") + 1
        return min(max(edit.token_start - lost, 0), n), min(max(edit.token_end - lost, 0), n)

    def joined(self, correction: str, first: int, last: int, after: Sequence[tuple[int, ...]], annotator: str) -> str:
        """Return the correction with the white space between it and the text, or the edit of its annotator beside it."""
        end = self._shift + len(self._text)
        if last < self._shift:
            until = min((s[0] for s in after if s[0] >= last), default=self._shift)
            return correction + storable(normalise(self._raw))[last : min(until, self._shift)]
        if first > end:
            begin = max(end, self._inserted.get(annotator, 0))
            self._inserted[annotator] = last
            return storable(normalise(self._raw))[begin:first] + correction
        return correction


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
