"""What a run would take: time and disk for all texts, from a sample of them, and what is there from earlier runs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from miner.corpora import Corpus, Policies
from miner.run.admitting import admitted_texts, put_together
from miner.run.executor import NAMESPACE, Executor, LocalExecutor
from miner.run.reducing import reduced
from miner.run.sources import Source
from miner.run.stage import Partition, split, stage_key
from miner.run.tools import Tools
from miner.store import MemoryStore

if TYPE_CHECKING:
    import pandas as pd

#: Texts of the sample that start the engine, and those that are timed.
WARM, TIMED = 10, 60
#: Up to so many texts the policies are applied first, which takes a look at each text.
_FEW = 20_000


@dataclass(frozen=True)
class Estimate:
    """What one source would take.

    Parameters
    ----------
    called : str
        What is done.
    texts, words : int
        All that would be done.
    known_words : int
        Words of partitions whose result is there from earlier runs.
    words_per_second : float
        Measured on the sample, engine warmed up.
    seconds : float
        For the words that are not known.
    bytes : float
        What the results would take in the store, uncompressed.
    """

    called: str
    texts: int
    words: int
    known_words: int
    words_per_second: float
    seconds: float
    bytes: float


def estimate(
    corpora: Sequence[Corpus],
    sources: Sequence[Source],
    executor: Executor,
    policies: Policies | None,
    *,
    jobs: int | None,
    seed: int,
) -> list[Estimate]:
    """Time each source on a sample of the texts and scale up; nothing is kept.

    Parameters
    ----------
    corpora : sequence of Corpus
    sources : sequence of Source
    executor : Executor
        Its store tells what is known already.
    policies : Policies, optional
        Applied to corpora of up to 20,000 texts; above, the figures are for all texts that were read.
    jobs : int, optional
    seed : int
        Of the sample.
    """
    some = reduced(corpora, limit=None, sample=WARM + TIMED, seed=seed)
    with Tools(jobs=jobs) as tools:
        here = LocalExecutor(MemoryStore(), tools)
        sample, _, _ = admitted_texts(some, policies, here)
        few = sum(len(c.texts) for c in corpora) <= _FEW
        parts = split(admitted_texts(corpora, policies, executor)[0] if few else put_together(corpora))
        return [_of(source, sample, parts, executor, tools) for source in sources]


def _of(source: Source, sample: pd.DataFrame, parts: list[Partition], executor: Executor, tools: Tools) -> Estimate:
    few = min(WARM, len(sample) // 2)
    store = MemoryStore()
    here = LocalExecutor(store, tools)
    _run(source, here, sample.iloc[:few])
    before = _stored(store)
    started = time.perf_counter()
    _run(source, here, sample.iloc[few:])
    seconds = time.perf_counter() - started
    timed = int(sample.iloc[few:]["n_words"].sum())
    words = [int(p.frames["texts"]["n_words"].sum()) for p in parts]
    keys = [stage_key(stage, p.key) for stage, own in source.first(parts) for p in own]
    known = sum(n for n, key in zip(words, keys, strict=True) if _is_known(executor, key))
    rate = timed / seconds if timed else float("nan")
    total = sum(words)
    return Estimate(
        source.called,
        sum(map(len, parts)),
        total,
        known,
        rate,
        (total - known) / rate,
        (_stored(store) - before) / max(timed, 1) * total,
    )


def _run(source: Source, executor: Executor, texts: pd.DataFrame) -> None:
    for _ in source.counted(executor, split(texts)):
        pass


def _is_known(executor: Executor, key: str) -> bool:
    return bool(executor.store.get_many(NAMESPACE, [key]))


def _stored(store: MemoryStore) -> int:
    return sum(s.bytes for s in store.stats())
