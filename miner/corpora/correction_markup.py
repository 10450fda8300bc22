"""Inline corrections ``<original=wrong>right</original>`` and layout tags, in spellings as annotators typed them."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import NamedTuple

from miner.corpora.records import Edit
from miner.text import normalise

# The wrong side ends at '>', or where that was forgotten at the next '<'.
_OPEN = re.compile(r"<[.<;/]*([A-Za-z]+)\s*[.;]*\s*=([^<>]*)(?:>|<(?!/)|(?=</))")
_CLOSING = re.compile(r"</+\s*([A-Za-z]{2,12})(?:\s*=?>)?|<[.]?(original)>", re.IGNORECASE)
_LAYOUT = re.compile(r"</*\s*([A-Za-z][A-Za-z_/+-]*)[|\s]*(?:\[\d+\])?>")
# A closing tag that was never finished.
_STRAY = re.compile(r"</+\s*([A-Za-z]{5,12})(?![\w>])")
_NAMES = ("original", "title", "in_text_reference", "reference_list", "transliteration")
_LEFT = re.compile(r"</?[A-Za-z][^<>\n]{0,40}>|</[A-Za-z]+")
#: A right side longer than this has lost its closing tag.
_LONGEST = 60


class Inline(NamedTuple):
    """The learner's text, the corrections, and how many tags could not be read (they stay in the text)."""

    text: str
    edits: list[Edit]
    left: int


def name_of(tag: str) -> str:
    """Return the tag name that a spelling stands for, or an empty string."""
    plain = re.sub(r"[^a-z_]", "", tag.casefold().replace("-", "_").replace("+", "_"))
    best = max(_NAMES, key=lambda n: SequenceMatcher(None, plain, n).ratio())
    return best if SequenceMatcher(None, plain, best).ratio() >= 0.7 else ""


def resolve_inline(markup: str) -> Inline:
    """Return the learner's side of a text with inline corrections.

    ``<original=wrong>right</original>`` becomes ``wrong`` with an edit to ``right``. Layout tags (title, references,
    transliteration) go, their content stays: the learner wrote it. A correction whose closing tag cannot be found
    stays as its wrong side without an edit; what is left of tags stays in the text and is counted.
    """
    markup = normalise(markup)
    out: list[str] = []
    edits: list[Edit] = []
    size = at = left = 0

    def without(tag: re.Match[str]) -> str:
        nonlocal left
        name = name_of(tag[1])
        left += name == "original"  # a partner that was lost
        return "" if name else tag[0]

    def write(part: str) -> None:
        nonlocal size
        part = _STRAY.sub(without, _LAYOUT.sub(without, part))
        out.append(part)
        size += len(part)

    for opening in _OPEN.finditer(markup):
        if opening.start() < at or name_of(opening[1]) != "original":
            continue
        write(markup[at : opening.start()])
        closing = _CLOSING.search(markup, opening.end(), opening.end() + _LONGEST + 16)
        wrong = opening[2].strip()
        right = markup[opening.end() : closing.start()] if closing else ""
        if closing and name_of(closing[1] or closing[2]) == "original" and "<" not in right and len(right) <= _LONGEST:
            edits.append(Edit(size, size + len(wrong), right.strip() or None, "spelling"))
            at = closing.end()
        else:
            left += 1
            at = opening.end()
        out.append(wrong)
        size += len(wrong)
    write(markup[at:])
    text = "".join(out)
    return Inline(text, edits, left + len(_LEFT.findall(text)))
