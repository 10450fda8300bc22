"""Null corpora through the whole program: simulated texts, a real checker, mapping, counting and a recipe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from miner.categories import categorise, load_taxonomy
from miner.checkers import apply_overlap, check_texts, open_checker
from miner.learner import L1Preset, compare_l1, count
from miner.simulate import simulate
from miner.store import MemoryStore

#: Two words a slot: sentences repeat between corpora, and each is checked once.
VARIETY = 2


def null_selections(seeds: Iterable[int], recipes: Sequence[L1Preset], *, texts: int = 1000) -> Iterator[list[int]]:
    """Yield for each null corpus how many features each recipe selects."""
    taxonomy, store = load_taxonomy("trans-env"), MemoryStore()
    labels = dict(zip(taxonomy.categories["id"], taxonomy.categories["label"], strict=True))
    with open_checker() as checker:
        for seed in seeds:
            made = simulate(texts, seed=seed, null=True, variety=VARIETY).texts
            checked = check_texts(made, checker, mode="sentence", store=store)
            matches, _ = apply_overlap(checked.matches, "exact")
            counted = count(made, checked.checked, categorise(matches, taxonomy).matches)
            yield [len(compare_l1(counted, r, labels=labels, seed=seed)[2]) for r in recipes]
