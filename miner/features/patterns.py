"""A small language for grammar patterns over parsed tokens; a pattern finds its anchor token.

A pattern is clauses parted by blanks, all of which must hold. A clause is a condition ``attribute=value|value``
(``!=`` for none of them), or a relation with a pattern in brackets, ``child[dep=det lemma=the]``: some token in that
relation fits. ``!`` before a relation: none does. ``@name`` among the values stands for a word list.

Attributes: ``lower``, ``lemma``, ``pos``, ``tag`` and ``dep`` as spaCy gives them; ``ends`` (the word ends with one of
the values); ``first`` (1 for the first word of the sentence), ``q`` (1 in a sentence that ends with a question mark),
``alpha`` (1 for letters only), ``cap`` (1 if it begins with a capital).

Relations: ``head``, ``child``, ``left`` and ``right`` (children on that side), ``prev``, ``next``, ``prev2``, ``next2`` (neighbours
in the sentence), ``sub`` (descendants), ``anc`` (ancestors), ``before`` and ``after`` (words of the sentence on that side).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from miner.errors import InputError, listed, nearest

#: spaCy's token; its types are not imported, so that the room can be read without spaCy.
Token = Any
Test = Callable[[Token], bool]

ATTRIBUTES = ("lower", "lemma", "pos", "tag", "dep", "ends", "first", "q", "alpha", "cap")
#: Attributes by which tokens are looked up, the most telling first.
KEYS = ("lower", "lemma", "tag", "dep", "pos")

_CONDITION = re.compile(r"([a-z0-9]+)(!?=)([^\s\[\]]+)")
_OPEN = re.compile(r"(!?)([a-z0-9]+)\[")


def _is_first_word(token: Token) -> bool:
    if token.is_punct or token.is_space:
        return False
    at, doc = token, token.doc
    while not at.is_sent_start:
        at = doc[at.i - 1]
        if not (at.is_punct or at.is_space):
            return False
    return True


def _previous(token: Token, steps: int = 1) -> list[Token]:
    # Spans of sentences are costly: the marks of sentence starts do.
    doc = token.doc
    for _ in range(steps):
        if token.is_sent_start:
            return []
        token = doc[token.i - 1]
    return [token]


def _following(token: Token, steps: int = 1) -> list[Token]:
    doc = token.doc
    for _ in range(steps):
        if token.i + 1 == len(doc):
            return []
        token = doc[token.i + 1]
        if token.is_sent_start:
            return []
    return [token]


_RELATIONS: dict[str, Callable[[Token], Iterable[Token]]] = {
    "head": lambda t: [] if t.head is t or t.head.i == t.i else [t.head],
    "child": lambda t: t.children,
    "left": lambda t: t.lefts,
    "right": lambda t: t.rights,
    "prev": _previous,
    "next": _following,
    "prev2": lambda t: _previous(t, 2),
    "next2": lambda t: _following(t, 2),
    "sub": lambda t: (s for s in t.subtree if s.i != t.i),
    "anc": lambda t: t.ancestors,
    "before": lambda t: t.doc[t.sent.start : t.i],
    "after": lambda t: t.doc[t.i + 1 : t.sent.end],
}

_VALUES: dict[str, Callable[[Token], str]] = {
    "lower": lambda t: str(t.lower_).replace("\u2019", "'"),
    "lemma": lambda t: str(t.lemma_).lower(),
    "pos": lambda t: str(t.pos_),
    "tag": lambda t: str(t.tag_),
    "dep": lambda t: str(t.dep_),
    "first": lambda t: "1" if _is_first_word(t) else "0",
    "q": lambda t: "1" if str(t.sent.text).rstrip().endswith("?") else "0",
    "alpha": lambda t: "1" if t.is_alpha else "0",
    "cap": lambda t: "1" if t.text[:1].isupper() else "0",
}


class Pattern:
    """A compiled pattern.

    Parameters
    ----------
    source : str
        The pattern; see the module.
    lists : mapping of str to sequence of str
        Word lists by name.

    Attributes
    ----------
    key : tuple of str and frozenset of str
        An attribute of :data:`KEYS` and the values that the anchor must have in it.

    Raises
    ------
    InputError
        If the pattern cannot be read; the message names the place.
    """

    def __init__(self, source: str, lists: Mapping[str, Iterable[str]] | None = None) -> None:
        self.source = source
        self._lists = {k: frozenset(v) for k, v in (lists or {}).items()}
        self.key: tuple[str, frozenset[str]] = ("", frozenset())
        self._test, end = self._read(0, outermost=True)
        if source[end:].strip():
            self._fail(end, "a bracket closes that was not opened")

    def __call__(self, token: Token) -> bool:
        """Return whether the token is an anchor of the pattern."""
        return self._test(token)

    def _read(self, at: int, *, outermost: bool = False) -> tuple[Test, int]:
        tests: list[Test] = []
        keys: dict[str, frozenset[str]] = {}
        while at < len(self.source) and self.source[at] != "]":
            if self.source[at].isspace():
                at += 1
            elif found := _OPEN.match(self.source, at):
                test, at = self._relation(found)
                tests.append(test)
            elif found := _CONDITION.match(self.source, at):
                name, sign, values = found[1], found[2], self._values(found)
                tests.append(_condition(name, values, wanted=sign == "="))
                if sign == "=":
                    keys.setdefault(name, values)
                at = found.end()
            else:
                self._fail(at, "expected attribute=value or relation[pattern]")
        if not tests:
            self._fail(at, "expected at least one clause")
        if outermost:
            if not keys.keys() & set(KEYS):
                self._fail(0, f"the anchor needs one of the attributes {listed(KEYS)}")
            self.key = next((k, keys[k]) for k in KEYS if k in keys)
        return _all(tests), at

    def _relation(self, found: re.Match[str]) -> tuple[Test, int]:
        name = found[2]
        if name not in _RELATIONS:
            self._fail(found.start(), f"no relation '{name}'{nearest(name, _RELATIONS)}")
        inner, at = self._read(found.end())
        if self.source[at : at + 1] != "]":
            self._fail(at, "a bracket is not closed")
        related = _RELATIONS[name]
        if found[1]:
            return (lambda t: not any(inner(r) for r in related(t))), at + 1
        return (lambda t: any(inner(r) for r in related(t))), at + 1

    def _values(self, found: re.Match[str]) -> frozenset[str]:
        if found[1] not in ATTRIBUTES:
            self._fail(found.start(), f"no attribute '{found[1]}'{nearest(found[1], ATTRIBUTES)}")
        values: set[str] = set()
        for value in found[3].split("|"):
            if not value.startswith("@"):
                values.add(value)
            elif value[1:] in self._lists:
                values |= self._lists[value[1:]]
            else:
                self._fail(found.start(), f"no word list '{value[1:]}'{nearest(value[1:], self._lists)}")
        return frozenset(values)

    def _fail(self, at: int, why: str) -> None:
        msg = f"The pattern {self.source!r} cannot be read at character {at + 1}: {why}"
        raise InputError(msg)


def _condition(name: str, values: frozenset[str], *, wanted: bool) -> Test:
    if name == "ends":
        ends = tuple(sorted(values))
        return lambda t: t.lower_.endswith(ends) is wanted
    value = _VALUES[name]
    return lambda t: (value(t) in values) is wanted


def _all(tests: list[Test]) -> Test:
    if len(tests) == 1:
        return tests[0]
    return lambda t: all(test(t) for test in tests)
