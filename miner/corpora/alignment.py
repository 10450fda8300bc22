"""Edits from a text and its corrected version: a word-level alignment that gives the corrected text back exactly."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from miner.corpora.records import Edit

_TOKEN = re.compile(r"\s+|\w+|[^\w\s]")


def aligned(original: str, corrected: str) -> list[Edit]:
    """Return the edits that turn one text into the other, in order, not overlapping; none if they are equal.

    Neighbouring changes with only white space between them are one edit. The alignment is difflib's (no junk); it
    carries no error types.
    """
    if original == corrected:
        return []
    a, b = _TOKEN.findall(original), _TOKEN.findall(corrected)
    at = _places(a)
    edits: list[Edit] = []
    blank = False
    for tag, a0, a1, b0, b1 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag == "equal":
            blank = all(t.isspace() for t in a[a0:a1])
            between = "".join(a[a0:a1])
            continue
        edit = Edit(at[a0], at[a1], "".join(b[b0:b1]))
        if edits and blank:
            last = edits.pop()
            edit = Edit(last.start, edit.end, f"{last.correction}{between}{edit.correction}")
        edits.append(edit)
        blank = False
    return edits


def _places(tokens: list[str]) -> list[int]:
    places = [0]
    for token in tokens:
        places.append(places[-1] + len(token))
    return places
