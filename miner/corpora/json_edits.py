"""The edits of the BEA-2019 JSON: ``[[annotator, [[start, end, correction or null, type?], ...]], ...]``."""

from __future__ import annotations

from typing import Any

from miner.corpora.records import Edit


def text_of(item: dict[str, Any]) -> str | None:
    """Return the ``text``, or None if there is none."""
    text = item.get("text")
    return text if isinstance(text, str) else None


def edits_of(item: dict[str, Any]) -> list[Edit] | None:
    """Return the edits of all annotators; None if they do not have the form above.

    An annotator with an empty list saw no error: one noop edit.
    """
    given = item.get("edits")
    if not isinstance(given, list):
        return None
    edits: list[Edit] = []
    for entry in given:
        if not (isinstance(entry, list) and len(entry) == 2 and isinstance(entry[1], list)):
            return None
        annotator = str(entry[0])
        if not entry[1]:
            edits.append(Edit(-1, -1, "", "noop", annotator))
        for edit in entry[1]:
            if not (isinstance(edit, list) and len(edit) in (3, 4) and _sound(edit)):
                return None
            edits.append(Edit(edit[0], edit[1], edit[2], edit[3] if len(edit) == 4 else "", annotator))
    return edits


def _sound(edit: list[Any]) -> bool:
    start, end, correction, *kind = edit
    numbers = type(start) is int and type(end) is int and 0 <= start <= end
    return numbers and isinstance(correction, str | None) and all(isinstance(k, str) for k in kind)
