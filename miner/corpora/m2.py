"""M2 files (ERRANT, CoNLL): sentences with token edits of one or several annotators."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from miner.corpora.lines import read_lines
from miner.corpora.records import Drop, Edit
from miner.corpora.sources import Member
from miner.corpora.tabular import NOT_DECODED

DAMAGED = "a sentence with a line that is not M2"
_ANNOTATION = re.compile(r"A (-?\d+) (-?\d+)\|\|\|(.*?)\|\|\|(.*?)\|\|\|[^|]*\|\|\|.*\|\|\|([^|]*)")


class Sentence(NamedTuple):
    """One sentence: its number in the file (from 1), place, text (tokens joined by blanks) and edits."""

    number: int
    place: str
    text: str
    edits: list[Edit]


def sentences(member: Member, encoding: str) -> Iterator[Sentence | Drop]:
    """Yield the sentences of an M2 file; a damaged line costs its sentence."""
    block: list[str] = []
    number, start, trouble = 0, 1, ""
    for line in read_lines(member, encoding, keep_nbsp=True):
        text = line.text.rstrip("\n")
        # A new S line starts a sentence even where the blank line before it was lost.
        if (not text.strip() or text.startswith("S ")) and block:
            number += 1
            yield _sentence(number, f"{member.name}:{start}", block, trouble)
            block, trouble = [], ""
        if text.strip():
            if not block:
                start = line.number
            block.append(text)
            trouble = trouble or line.trouble
    if block:
        yield _sentence(number + 1, f"{member.name}:{start}", block, trouble)


def _sentence(number: int, place: str, block: list[str], trouble: str) -> Sentence | Drop:
    if trouble:
        return Drop(NOT_DECODED, place, detail=trouble)
    if not (block[0].startswith("S ") or block[0] == "S"):
        return Drop(DAMAGED, place, detail="no S line")
    raw = block[0][2:]
    tokens = raw.split(" ")
    starts = list(accumulate((len(t) + 1 for t in tokens), initial=0))
    # A no-break space inside a token becomes a blank in the text, and the token two.
    more = list(accumulate((t.count("\xa0") for t in tokens), initial=0))
    edits = []
    for i, line in enumerate(block[1:], 1):
        edit = _edit(line, tokens, starts, len(raw))
        if edit is None:
            return Drop(DAMAGED, place, detail=f"line {i + 1} of the sentence")
        if edit.token_start is not None and edit.token_end is not None and edit.start >= 0 and more[-1]:
            first, last = edit.token_start, edit.token_end
            edit = edit._replace(token_start=first + more[first], token_end=last + more[last])
        edits.append(edit)
    return Sentence(number, place, raw.replace("\xa0", " "), edits)


def _edit(line: str, tokens: list[str], starts: list[int], size: int) -> Edit | None:
    match = _ANNOTATION.fullmatch(line)
    if match is None:
        return None
    first, last, kind, correction, annotator = int(match[1]), int(match[2]), match[3], match[4], match[5].strip()
    if kind.casefold() == "noop" or first < 0:
        return Edit(-1, -1, "", kind or "noop", annotator, -1, -1) if first == last == -1 else None
    if not first <= last <= len(tokens):
        return None
    start = min(starts[first], size)
    end = starts[last - 1] + len(tokens[last - 1]) if last > first else start
    # Alternatives within one correction: the first.
    chosen = None if correction == "-NONE-" else correction.split("||")[0]
    if kind.casefold() == "unk" and chosen == "":
        chosen = None  # an error that is marked, not a deletion
    return Edit(start, end, chosen, kind, annotator, first, last)


def is_m2(head: bytes) -> bool:
    """Tell whether the content is M2."""
    lines = head.lstrip(b"\xef\xbb\xbf").splitlines()
    return any(x.startswith(b"S ") for x in lines) and any(b"|||" in x and x.startswith(b"A ") for x in lines)
