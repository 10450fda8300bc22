"""Corpora through the whole program: simulated texts, a real checker, mapping, counting and a recipe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from miner.categories import categorise, load_taxonomy
from miner.checkers import apply_overlap, check_texts, open_checker
from miner.evaluate import Planted, compare_planted
from miner.learner import Counts, L1Preset, compare_l1, count
from miner.simulate import Simulated, simulate
from miner.store import MemoryStore

#: Two words a slot: sentences repeat between corpora, and each is checked once.
VARIETY = 2
#: A hundred learners of each L1 (half of those simulated are in each band, and one band is taken), 300 words, 2 errors per 1,000 words x
#: gamma of shape 2 x prompt effect, each feature planted in one L1 at rate ratio 2.
PLANTED: dict[str, Any] = {"learners": 200, "words": 300, "base": 2.0, "ratio": 2.0, "dispersion": 2.0}


def counted_corpora(
    seeds: Iterable[int], *, texts: int, band: str = "", **options: Any
) -> Iterator[tuple[int, Simulated, Counts]]:
    """Yield the seed, the corpus and its counts; of one band only, if it is named."""
    taxonomy, store = load_taxonomy("trans-env"), MemoryStore()
    with open_checker() as checker:
        for seed in seeds:
            made = simulate(texts, seed=seed, variety=VARIETY, **options)
            own = made.texts[made.texts["band"] == band].reset_index(drop=True) if band else made.texts
            checked = check_texts(own, checker, mode="sentence", store=store)
            matches, _ = apply_overlap(checked.matches, "exact")
            yield seed, made, count(own, checked.checked, categorise(matches, taxonomy).matches)


def null_selections(seeds: Iterable[int], recipes: Sequence[L1Preset], *, texts: int = 1000) -> Iterator[list[int]]:
    """Yield for each null corpus how many features each recipe selects."""
    for seed, _, counted in counted_corpora(seeds, texts=texts, null=True):
        yield [len(compare_l1(counted, r, labels=_labels(), seed=seed)[2]) for r in recipes]


def planted_findings(seeds: Iterable[int], recipes: Sequence[L1Preset], **options: Any) -> Iterator[list[Planted]]:
    """Yield for each planted corpus what each recipe finds of it; ``options`` depart from :data:`PLANTED`."""
    plan = PLANTED | options
    for seed, made, counted in counted_corpora(seeds, texts=10 * plan["learners"], band="B", **plan):
        yield [compare_planted(counted, r, made.planted, labels=_labels(), seed=seed) for r in recipes]


def _labels() -> dict[str, str]:
    categories = load_taxonomy("trans-env").categories
    return dict(zip(categories["id"], categories["label"], strict=True))
