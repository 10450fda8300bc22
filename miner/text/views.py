"""The view of a text that checkers and counters see; every place in it leads back to the text itself."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from miner.text.signs import INVISIBLE, JOINERS, TAGS, XML_INVALID, needed

# U+FFFD stands where a character was lost; glued to a word it would only look like a misspelling.
_GONE = f"{XML_INVALID}{INVISIBLE}{JOINERS}{TAGS}\ufffd"
# What may have to change: a run of two or more, one odd character, outer white space.
_RUN = re.compile(f"[\\s{_GONE}]{{2,}}|[^\\S \\n]|[{_GONE}]|\\A\\s|\\s\\Z")
_BREAK = re.compile("\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")
# A blank before closing marks that end a token (':)', '.5' and '...' stay), and after an opening bracket that starts one.
_QUOTES = "\"'\u2019\u201d"
_TIGHT = re.compile(
    f"(?<=\\S) (?=(?:[,.!?][{_QUOTES})\\]}}]*|[;:)\\]}}][{_QUOTES}]*|\u201d)(?:\\s|\\Z))|(?<=(?<!\\S)[(\\[{{\u201c]) "
)

_TIGHT_PAIRS = (*(f" {c}" for c in ",.;:!?)]}\u201d"), *(f"{c} " for c in "([{\u201c"))

#: A change: start and end in the text, and what stands there instead (at most one character).
Change = tuple[int, int, str]


@dataclass(frozen=True)
class _Map:
    """The way back over one round of changes."""

    # Pieces of the result: where each starts, where it starts and ends in the text, whether it is copied.
    starts: tuple[int, ...]
    pieces: tuple[tuple[int, int, bool], ...]

    def place(self, position: int, *, last: bool) -> int:
        i = bisect_right(self.starts, position) - 1
        if i < 0:
            return 0
        start, end, copied = self.pieces[i]
        if copied:
            return min(start + position - self.starts[i] + last, end)
        return end if last or position > self.starts[i] else start


@dataclass(frozen=True)
class View:
    """A text for checkers and counters, with the way back.

    Attributes
    ----------
    text : str
        The view.
    """

    text: str
    _maps: tuple[_Map, ...] = ()

    def to_original(self, start: int, end: int) -> tuple[int, int]:
        """Return where the view's code points ``start:end`` stand in the text.

        Characters that the view left out are inside the result only if they stand between two that are in it; a
        collapsed run of blanks is inside as a whole. An empty span gives an empty span.
        """
        for m in reversed(self._maps):
            first = m.place(start, last=False)
            start, end = first, (first if end <= start else m.place(end - 1, last=True))
        return start, end


def view(text: str) -> View:
    r"""Return the view of a text.

    - A run of white space becomes one blank; with one line break in it, one ``\n``; with two or more, ``\n\n``. Outer
      white space goes. So a blank that an annotator's mark left behind is not seen.
    - Characters that XML forbids, invisible format characters and U+FFFD go; those that are white space (vertical tab,
      form feed) count as white space. Joiners stay where emoji or a script need them.
    - A blank before closing punctuation and after an opening bracket goes: where a word is marked as missing there,
      the mark leaves such a blank.

    The view of a view is itself, and has as many words as the text. Linear in the text's length.
    """
    seen = View(text) if _plain(text) else _changed(View(text), list(_runs(text)))
    if not any(pair in seen.text for pair in _TIGHT_PAIRS):
        return seen
    return _changed(seen, [(*m.span(), "") for m in _TIGHT.finditer(seen.text)])


def _plain(text: str) -> bool:
    """Tell quickly that nothing is to be collapsed or left out; may say no where it could say yes."""
    lines = text.split("\n")
    if not "".join(lines).isprintable() or "\ufffd" in text or "\u034f" in text or "\n\n\n" in text:
        return False
    return bool(lines[0] and lines[-1]) and all(" ".join(line.split()) == line for line in lines)


def _changed(seen: View, changes: list[Change]) -> View:
    """Return the view with changes made to it."""
    if not changes:
        return seen
    out: list[str] = []
    starts: list[int] = []
    pieces: list[tuple[int, int, bool]] = []
    size = at = 0
    for start, end, instead in [*changes, (len(seen.text), len(seen.text), "")]:
        for part, begin, stop, copied in ((seen.text[at:start], at, start, True), (instead, start, end, False)):
            if part:
                starts.append(size)
                pieces.append((begin, stop, copied))
                out.append(part)
                size += len(part)
        at = end
    return View("".join(out), (*seen._maps, _Map(tuple(starts), tuple(pieces))))


def _runs(text: str) -> Iterator[Change]:
    """Yield what the first round does not copy."""
    for match in _RUN.finditer(text):
        for start, end in _without_needed(text, *match.span()):
            run = text[start:end]
            if start == 0 or end == len(text) or not any(map(str.isspace, run)):
                yield start, end, ""
                continue
            breaks = [m.end() for m in _BREAK.finditer(run)]
            if len(breaks) > 1:  # a blank line: two changes, one for each of its breaks
                yield start, start + breaks[0], "\n"
                start += breaks[0]
            yield start, end, "\n" if breaks else " "


def _without_needed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut a run at the joiners and tags that stay."""
    at = start
    for i in range(start, end):
        if text[i] >= "\u200c" and needed(text, i):
            if at < i:
                yield at, i
            at = i + 1
    if at < end:
        yield at, end
