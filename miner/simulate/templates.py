"""Sentence templates: read from ``data/simulate/templates.toml``, checked, and filled in many at a time."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from miner.errors import InputError
from miner.simulate.streams import choices

_SLOT = re.compile(r"\{([a-z]+)(2?)(?::([a-z]+))?\}")


@dataclass(frozen=True)
class Template:
    """A sentence with slots.

    Parameters
    ----------
    pattern : str
        With one ``%s`` per slot.
    slots : tuple of (str, bool, int)
        Slot, whether it is the second different word of it, and the form.
    words : int
        Words of the sentence, whatever fills the slots.
    """

    pattern: str
    slots: tuple[tuple[str, bool, int], ...]
    words: int

    def filled(self, words: Words, seed: int, text: NDArray[Any], place: NDArray[Any]) -> list[str]:
        """Return one sentence for each (text, place), the same for the same seed, text and place."""
        columns = [
            words.column(slot, form, _picked(words.size(slot), slot, second, seed, text, place))
            for slot, second, form in self.slots
        ]
        return [self.pattern % row for row in zip(*columns, strict=True)] if columns else [self.pattern] * len(text)

    def combinations(self, words: Words) -> int:
        """Return how many different sentences the template can give."""
        sizes = {(slot, second): words.size(slot) - second for slot, second, _ in self.slots}
        return int(np.prod([float(n) for n in sizes.values()]))


@dataclass(frozen=True)
class Words:
    """The words of all slots for one prompt: slot -> words -> forms."""

    slots: dict[str, tuple[tuple[str, ...], ...]]

    def size(self, slot: str) -> int:
        """Return the number of words of a slot."""
        return len(self.slots[slot])

    def column(self, slot: str, form: int, picked: NDArray[np.int64]) -> list[str]:
        """Return the chosen words in one of their forms."""
        table = [word[form] for word in self.slots[slot]]
        return [table[i] for i in picked.tolist()]


@dataclass(frozen=True)
class Feature:
    """A feature that can be planted.

    Parameters
    ----------
    name : str
        What learners do, in words.
    category : str
        Category id of taxonomy ``trans-env``.
    seen : bool
        Whether a rule checker can see it.
    rules : tuple of str
        LanguageTool's rules that see it; empty if none does.
    base : float
        Erroneous sentences per 1,000 words where nothing is planted.
    wrong, right : Template
        The erroneous and the correct sentence.
    short : Template
        Erroneous, for very dense texts.
    """

    name: str
    category: str
    seen: bool
    rules: tuple[str, ...]
    base: float
    wrong: Template
    right: Template
    short: Template


@dataclass(frozen=True)
class Grammar:
    """Features, prompts with their words, and correct sentences to fill texts with (the features' included)."""

    features: tuple[Feature, ...]
    prompts: tuple[str, ...]
    words: tuple[Words, ...]
    fill: tuple[tuple[Template, ...], ...]

    @property
    def error_words(self) -> NDArray[np.int64]:
        """Words of each feature's erroneous sentence, long (row 0) and short (row 1)."""
        return np.array([[f.wrong.words for f in self.features], [f.short.words for f in self.features]])

    def with_variety(self, most: int) -> Grammar:
        """Return the same grammar with the first words of each slot only, ``most`` of them, so that sentences repeat."""
        words = tuple(Words({slot: entries[:most] for slot, entries in w.slots.items()}) for w in self.words)
        return replace(self, words=words)


@cache
def load_grammar() -> Grammar:
    """Read the bundled templates.

    Raises
    ------
    InputError
        If a template names a slot or form that is not there, or the words of a slot differ in their number of tokens.
    """
    data = tomllib.loads(resources.files("miner").joinpath("data/simulate/templates.toml").read_text(encoding="utf-8"))
    prompts = tuple(data["prompts"])
    words = tuple(_words({**data["slots"], **_slots_of(data["prompts"][p])}) for p in prompts)
    forms = {slot: tuple(names) for slot, names in data["forms"].items()}
    features = tuple(_feature(f, words, forms) for f in data["features"])
    right = [f.right for f in features]
    common = [_template(t, words, forms) for t in data["common"]["fill"]]
    fill = tuple((*common, *(_template(t, words, forms) for t in data["prompts"][p]["fill"]), *right) for p in prompts)
    return Grammar(features, prompts, words, fill)


def _feature(data: dict[str, Any], words: Sequence[Words], forms: dict[str, tuple[str, ...]]) -> Feature:
    def made(text: str) -> Template:
        return _template(text, words, forms)

    templates = {k: made(data[k]) for k in ("wrong", "right", "short")}
    return Feature(data["name"], data["category"], data["seen"], tuple(data["rules"]), float(data["base"]), **templates)


def _template(text: str, words: Sequence[Words], forms: dict[str, tuple[str, ...]]) -> Template:
    slots = []
    for slot, second, form in _SLOT.findall(text):
        known = forms.get(slot, ())
        if any(slot not in w.slots for w in words) or (form and form not in known):
            msg = f"Template '{text}': slot '{slot}' with form '{form}' is not known; expected one of the slots listed"
            raise InputError(msg)
        slots.append((slot, bool(second), known.index(form) if form else 0))
    # Every slot's word is one token: checked where the words are read.
    return Template(_SLOT.sub("%s", text.replace("%", "%%")), tuple(slots), len(text.split()))


def _words(slots: dict[str, str]) -> Words:
    found = {slot: tuple(tuple(word.split("/")) for word in text.split()) for slot, text in slots.items()}
    for slot, entries in found.items():
        if len(set(entries)) != len(entries) or len({len(e) for e in entries}) != 1:
            msg = f"Slot '{slot}': a word occurs twice, or words differ in their number of forms"
            raise InputError(msg)
    return Words(found)


def _slots_of(prompt: dict[str, Any]) -> dict[str, str]:
    return {k: v for k, v in prompt.items() if k != "fill"}


def _picked(n: int, slot: str, second: object, seed: int, text: NDArray[Any], place: NDArray[Any]) -> NDArray[np.int64]:
    first = choices(n, seed, f"slot {slot}", text, place)
    if not second:
        return first
    # A second word differs from the first: any of the n - 1 others.
    return (first + 1 + choices(n - 1, seed, f"slot {slot} 2", text, place)) % n
