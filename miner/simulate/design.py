"""Who writes what: the L1, band, learner, prompt and length of each text of a simulated corpus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from miner.errors import OptionError
from miner.simulate.streams import uniforms

L1S = ("ar", "de", "es", "fr", "it", "ja", "pt", "ru", "tr", "zh")
BANDS = ("A", "B")
#: The level that stands for a band in the table of texts.
LEVELS = {"A": "A2", "B": "B1"}
CELLS = len(L1S) * len(BANDS)
#: Texts of successive learners of a cell where the number of learners is not given: 3 on average.
PATTERN = (2, 3, 4)
#: Texts are this much shorter or longer than the mean at most (the sum of two uniforms: lengths near the mean prevail).
SPREAD = 0.35

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Design:
    """Arrays of shape (n_texts,): index of L1, of band, of learner in the cell, of prompt; words aimed at."""

    l1: Ints
    band: Ints
    learner: Ints
    prompt: Ints
    words: Ints

    @property
    def cell(self) -> Ints:
        """Index of the L1 x band cell, L1 first."""
        return self.l1 + len(L1S) * self.band

    @property
    def writer(self) -> Ints:
        """A number that tells all learners apart."""
        return self.learner * CELLS + self.cell


def make_design(texts: int, *, seed: int, words: int, prompts: int, learners: int | None = None) -> Design:
    """Return who writes what.

    Parameters
    ----------
    texts : int
        Texts in all; they go to the cells in turn, so cells differ by one text at most.
    seed : int
        Seed of the texts' lengths.
    words : int
        Mean number of words of a text; lengths lie within 35 % of it.
    prompts : int
        Number of prompts; every L1 and band writes to all of them, a learner to one after the other.
    learners : int, optional
        Learners of each L1, half of them in each band, writing in turn. By default learners write 2, 3 and 4 texts in
        turn, so that a longer corpus has more learners.

    Raises
    ------
    OptionError
        If an L1 has fewer learners than bands, or there are fewer texts than learners.
    """
    index = np.arange(texts, dtype=np.int64)
    cell, order = index % CELLS, index // CELLS
    l1, band = cell % len(L1S), cell // len(L1S)
    if learners is None:
        learner, prompt = _in_blocks(order), order % prompts
    else:
        need = learners * len(L1S)
        if learners < len(BANDS):
            msg = f"--learners must be {len(BANDS)} or more: half of the learners of an L1 are in each band. Got {learners}"
            raise OptionError(msg)
        if texts < need:
            msg = (
                f"{learners} learners of each of {len(L1S)} L1s write at least one text each: {need} texts or more. "
                f"Got {texts}; give more --texts or fewer --learners"
            )
            raise OptionError(msg)
        size = np.array([learners - learners // 2, learners // 2])[band]
        learner = order % size
        prompt = (learner + order // size) % prompts
    u = uniforms(seed, "length", index, 0) + uniforms(seed, "length", index, 1)
    aimed = np.rint(words * (1 + SPREAD * (u - 1))).astype(np.int64)
    return Design(l1, band, learner, prompt, aimed)


def _in_blocks(order: Any) -> Ints:
    owner = np.repeat(np.arange(len(PATTERN)), PATTERN)
    return np.asarray(order // len(owner) * len(PATTERN) + owner[order % len(owner)], dtype=np.int64)
