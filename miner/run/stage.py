"""Stages and partitions: what the pipeline is made of, whoever runs it.

A stage is a function of one partition and its parameters. Its content key decides where the result is kept, so a
result that is there is never computed again. Stages are plain values (they can be sent to another process); the open engine,
the store and the progress bar that they need are handed to them by who runs them (:mod:`miner.run.tools`).
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

from miner.ledger import Ledger
from miner.store import code_fingerprint, content_key, frame_from_bytes, frame_to_bytes
from miner.tables import codepoint_order

if TYPE_CHECKING:
    import pandas as pd

    from miner.run.tools import Tools

    Frames = Mapping[str, pd.DataFrame]
    Result = tuple[dict[str, pd.DataFrame], Sequence[Ledger]]

#: Texts in a partition: enough to keep the cores of a machine busy, few enough to share out a small corpus.
PARTITION_TEXTS = 500
#: How reasons begin that a later run may not meet again (the engine failed on a text): such results are not kept.
NOT_FINAL = "incomplete"


class Stage(Protocol):
    """One step of the pipeline; a frozen, picklable dataclass.

    If the code of its ``rooms`` changes, kept results are not used again. ``parameters`` are JSON-able.
    """

    @property
    def name(self) -> str:
        """Name of the step."""

    @property
    def rooms(self) -> tuple[str, ...]:
        """Rooms whose code decides the result."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """All else that decides the result."""

    def __call__(self, frames: Frames, tools: Tools) -> Result:
        """Return the result for one partition's frames, and the accounts."""


@dataclass(frozen=True)
class Partition:
    """Tables of a part of the corpus, the accounts of the step that made them, and their content key.

    ``again``: an earlier stage has told of these texts as done.
    """

    key: str
    frames: Frames
    ledgers: tuple[Ledger, ...] = ()
    again: bool = False

    @property
    def corpus(self) -> str:
        """Name of the corpus of its texts."""
        return str(self.frames["texts"]["corpus"].iloc[0])

    def __len__(self) -> int:
        return len(self.frames["texts"]) if "texts" in self.frames else 0

    @property
    def is_final(self) -> bool:
        """Whether another run would find the same; see :data:`NOT_FINAL`."""
        return not any(reason.startswith(NOT_FINAL) for ledger in self.ledgers for reason in ledger.dropped)

    def told_apart(self) -> Partition:
        """Return the result under a key of its content unless it is final: what is made of it holds for it alone."""
        if self.is_final:
            return self
        content = hashlib.blake2b(self.to_bytes(), digest_size=16).hexdigest()
        return replace(self, key=content_key(self.key, content))

    def to_bytes(self) -> bytes:
        """Return the partition as bytes for a store."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
            for name, frame in sorted(self.frames.items()):
                archive.writestr(_member(f"{name}.parquet"), frame_to_bytes(frame))
            archive.writestr(_member("ledgers.json"), json.dumps([ledger.as_dict() for ledger in self.ledgers]))
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, key: str, data: bytes) -> Partition:
        """Return the partition that :meth:`to_bytes` was given."""
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = [n for n in archive.namelist() if n.endswith(".parquet")]
            frames = {n.removesuffix(".parquet"): frame_from_bytes(archive.read(n)) for n in names}
            ledgers = tuple(Ledger.from_dict(d) for d in json.loads(archive.read("ledgers.json")))
        return cls(key, frames, ledgers)


def stage_key(stage: Stage, partition_key: str) -> str:
    """Return the content key of a stage's result for a partition."""
    return content_key("stage", stage.name, code_fingerprint(stage.rooms), dict(stage.parameters), partition_key)


def split(texts: pd.DataFrame, size: int | None = None) -> list[Partition]:
    """Cut a texts table, sorted by text_id as all tables are, into partitions whose key is the hash of their content.

    ``size`` is :data:`PARTITION_TEXTS` if not given. A partition holds texts of one corpus.
    """
    size = size or PARTITION_TEXTS
    ordered = texts.sort_values("text_id", kind="stable", key=codepoint_order).reset_index(drop=True)
    corpus = ordered["corpus"].fillna("").to_numpy(dtype=object)
    starts = [0, *(i for i in range(1, len(ordered)) if corpus[i] != corpus[i - 1]), len(ordered)]
    cuts = [(i, min(i + size, end)) for start, end in pairwise(starts) for i in range(start, end, size)]
    parts = [ordered.iloc[i:j].reset_index(drop=True) for i, j in cuts]
    return [Partition(content_key("texts", _digest(part)), {"texts": part}) for part in parts]


def _digest(frame: pd.DataFrame) -> str:
    # The rows have their order already, so the bytes of the frame tell it from all others; quicker than row by row.
    return hashlib.blake2b(frame_to_bytes(frame), digest_size=16).hexdigest()


def with_rows(partitions: Sequence[Partition], name: str, frame: pd.DataFrame) -> list[Partition]:
    """Return the partitions with the rows of another table that belong to their texts, under ``name``."""
    import numpy as np

    ids = [p.frames["texts"]["text_id"] for p in partitions]
    place = {text_id: i for i, own in enumerate(ids) for text_id in own}
    where = frame["text_id"].map(place).fillna(-1).to_numpy(dtype=np.int64)
    order = np.argsort(where, kind="stable")
    ends = np.searchsorted(where[order], np.arange(len(partitions)), side="right")
    starts = np.searchsorted(where[order], np.arange(len(partitions)), side="left")
    parts = []
    for partition, start, end in zip(partitions, starts, ends, strict=True):
        own = frame.iloc[order[start:end]].reset_index(drop=True)
        key = content_key(name, partition.key, _digest(own))
        parts.append(Partition(key, {**partition.frames, name: own}))
    return parts


def joined(*partitions: Partition) -> Partition:
    """Return the tables of several results for the same texts as one partition."""
    frames = {name: frame for p in partitions for name, frame in p.frames.items()}
    return Partition(content_key("joined", *(p.key for p in partitions)), frames, again=True)


def gathered(partitions: Iterable[Partition], name: str) -> pd.DataFrame:
    """Return one table of all partitions, in their order."""
    import pandas as pd

    return pd.concat([p.frames[name] for p in partitions], ignore_index=True)


def accounts(partitions: Iterable[Partition]) -> list[Ledger]:
    """Return the accounts of all partitions added up, one per step."""
    by_step: dict[tuple[str, str], list[Ledger]] = {}
    for partition in partitions:
        for ledger in partition.ledgers:
            by_step.setdefault((ledger.step, ledger.unit), []).append(ledger)
    return [Ledger.total(ledgers) for ledgers in by_step.values()]


def _member(name: str) -> zipfile.ZipInfo:
    return zipfile.ZipInfo(name)  # without the time of writing: the same partition, the same bytes
