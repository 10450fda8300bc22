"""The corrected text: gold edits applied."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from miner.errors import InputError


def apply_edits(text: str, edits: Iterable[Mapping[str, Any]]) -> str:
    """Return the text with the edits of one annotator applied.

    Parameters
    ----------
    text : str
        ``texts.text``.
    edits : iterable of mapping
        Rows of the edits table (``edits.to_dict("records")``), one text, one annotator. Detections and noops change
        nothing. Where an edit has token offsets, tokens (at single blanks) are replaced and joined by blanks again.

    Raises
    ------
    InputError
        If edits of several annotators are mixed (they are alternatives), or two that correct overlap.
    """
    rows = [e for e in edits if e["kind"] in ("replace", "insert", "delete")]
    if len({e["annotator"] for e in rows}) > 1:
        msg = "Edits of several annotators are alternatives; apply those of one"
        raise InputError(msg)
    if rows and all(_given(e["token_start"]) for e in rows):
        return " ".join(
            _replaced(text.split(" "), rows, "token_start", "token_end", lambda c: c.split(" ") if c else [])
        )
    return "".join(_replaced(list(text), rows, "start", "end", lambda c: [c]))


def _replaced(units: list[str], rows: list[Mapping[str, Any]], first: str, last: str, split: Any) -> list[str]:
    end = len(units) + 1
    # From the end to the start; at one place insertions keep the order of the table.
    for edit in sorted(rows, key=lambda e: (e[first], e[last], e["row"]), reverse=True):
        if edit[last] > end:
            msg = f"Two corrections overlap in text {edit['text_id']!r}: they cannot both be applied"
            raise InputError(msg)
        units[edit[first] : edit[last]] = split(edit["correction"] if _given(edit["correction"]) else "")
        end = edit[first]
    return units


def _given(value: object) -> bool:
    return value is not None and value == value and str(value) != "<NA>"
