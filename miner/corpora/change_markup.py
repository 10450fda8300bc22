"""EFCamDat's ``<change>`` markup: the learner's text and the teacher's edits, from markup that is often damaged."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from typing import NamedTuple

from miner.corpora.records import Edit

_TAG = re.compile(r"<(/?)(change|selection|tag|symbol|correct|code)\b[^<>]*>|<(br)\b[^<>]*>", re.IGNORECASE)
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
#: Symbols under which the correction may be a comment to the learner.
_COMMENTED = re.compile(r"IS|XC|I\(x\)", re.IGNORECASE)


class Marked(NamedTuple):
    """A text with its markup resolved; ``damaged`` says how many tags had no partner."""

    text: str
    edits: list[Edit]
    damaged: int
    comments: int


@dataclass
class _Node:
    tag: str
    parts: list[str | _Node] = field(default_factory=list)


def unescape(text: str) -> str:
    """Return text with entities resolved until nothing changes (``&amp;quot;`` gives a quotation mark), U+00A0 a blank."""
    for _ in range(10):
        again = html.unescape(text).replace("&quote;", '"')
        if again == text:
            break
        text = again
    return text.replace("\xa0", " ")


def resolve(markup: str) -> Marked:
    """Return the learner's text and the edits of a marked text.

    ``<br>`` becomes a line break, ``<code>`` goes. An edit with a correction absorbs the edits inside it; an edit
    without one (or with the symbol HL) is a detection, and the edits inside it count as well. Children of ``<change>``
    may stand in any order or be missing.
    """
    reader = _Reader()
    tree, damaged = _parse(_CDATA.sub(r"\1", markup))
    text = reader.learner(tree)
    return Marked(text, reader.edits, damaged, reader.comments)


def _parse(markup: str) -> tuple[_Node, int]:
    root = _Node("text")
    stack, damaged, at = [root], 0, 0
    for match in _TAG.finditer(markup):
        _add(stack[-1], markup[at : match.start()])
        at = match.end()
        if match[3]:
            stack[-1].parts.append("\n")
            continue
        tag = match[2].lower()
        if tag == "code" or match.group().endswith("/>"):
            continue
        if not match[1]:
            damaged += _before_open(stack, tag)
            node = _Node(tag)
            stack[-1].parts.append(node)
            stack.append(node)
        elif any(n.tag == tag for n in stack):
            while stack[-1].tag != tag:
                stack.pop()
                damaged += 1
            stack.pop()
        else:
            damaged += 1
    _add(stack[-1], markup[at:])
    return root, damaged + len(stack) - 1


def _before_open(stack: list[_Node], tag: str) -> int:
    """Close what cannot hold the tag: a selection ends where the tag of its own change begins, and so on."""
    closed = 0
    ends = {
        "tag": ("selection", "symbol", "correct"),
        "symbol": ("correct",),
        "correct": ("symbol",),
        "change": ("tag", "symbol", "correct"),
    }
    if tag == "change" and any(n.tag == "correct" for n in stack):
        return 0  # markup in a correction: read, and flattened with it
    while len(stack) > 1 and stack[-1].tag in ends.get(tag, ()):
        stack.pop()
        closed += 1
    return closed


def _add(node: _Node, raw: str) -> None:
    if raw:
        node.parts.append(_BREAK.sub("\n", unescape(raw)))


class _Reader:
    """Walks the tree and writes the learner's side, noting edits with their offsets."""

    def __init__(self) -> None:
        self.edits: list[Edit] = []
        self.comments = 0
        self._size = 0

    def learner(self, node: _Node) -> str:
        out = []
        for part in node.parts:
            if isinstance(part, str):
                out.append(part)
                self._size += len(part)
            elif part.tag == "change":
                out.append(self._change(part))
            elif part.tag not in ("tag", "symbol", "correct"):
                out.append(self.learner(part))
        return "".join(out)

    def _change(self, node: _Node) -> str:
        symbol = " ".join(_flat(_find(node, "symbol")).split())
        correct = _find(node, "correct")
        correction = None if correct is None or symbol.upper() == "HL" else _flat(correct)
        slot, start = len(self.edits), self._size
        text = self.learner(node)
        if correction is not None and _is_comment(symbol, text, correction):
            self.comments += 1
            correction = None
        if correction is None:
            self.edits.insert(slot, Edit(start, self._size, None, symbol))
        else:
            self.edits[slot:] = [Edit(start, self._size, correction, symbol)]
        return text


def _find(node: _Node, tag: str) -> _Node | None:
    for part in node.parts:
        if isinstance(part, _Node):
            if part.tag == tag:
                return part
            if part.tag == "tag" and (found := _find(part, tag)):
                return found
    return None


def _flat(node: _Node | None) -> str:
    """Return the text of a node; inside a change, the correction where there is one."""
    if node is None:
        return ""
    out = []
    for part in node.parts:
        if isinstance(part, str):
            out.append(part)
        elif part.tag == "change":
            out.append(_flat(_find(part, "correct") or _find(part, "selection")))
        else:
            out.append(_flat(part))
    return "".join(out)


def _is_comment(symbol: str, original: str, correction: str) -> bool:
    """Tell whether a correction is far longer than what it corrects, under a symbol where teachers wrote comments."""
    return bool(_COMMENTED.fullmatch(symbol)) and len(correction.split()) > 2 * len(original.split()) + 4
