"""Stages, partitions and the executor that runs them on this machine.

A stage is a function of one partition and its parameters. Its content key decides where the result is kept, so a
result that is there is never computed again; another executor or store changes nothing in the stages.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from miner.ledger import Ledger
from miner.store import Store, content_key, frame_from_bytes, frame_to_bytes

if TYPE_CHECKING:
    import pandas as pd

#: Texts in a partition: enough to keep all cores busy, few enough to hold in memory many times over.
PARTITION_TEXTS = 2_000


@dataclass(frozen=True)
class Partition:
    """Tables of a part of the corpus, the accounts of the step that made them, and their content key."""

    key: str
    frames: Mapping[str, pd.DataFrame]
    ledgers: tuple[Ledger, ...] = ()

    def to_bytes(self) -> bytes:
        """Return the partition as bytes for a store."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
            for name, frame in sorted(self.frames.items()):
                archive.writestr(f"{name}.parquet", frame_to_bytes(frame))
            archive.writestr("ledgers.json", json.dumps([ledger.as_dict() for ledger in self.ledgers]))
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, key: str, data: bytes) -> Partition:
        """Return the partition that :meth:`to_bytes` was given."""
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = [n for n in archive.namelist() if n.endswith(".parquet")]
            frames = {n.removesuffix(".parquet"): frame_from_bytes(archive.read(n)) for n in names}
            ledgers = tuple(Ledger.from_dict(d) for d in json.loads(archive.read("ledgers.json")))
        return cls(key, frames, ledgers)


@dataclass(frozen=True)
class Stage:
    """One step of the pipeline.

    Parameters
    ----------
    name : str
        Name of the step.
    version : int
        Raised whenever the function may give another result for the same input.
    function : callable
        From the partition's frames to the result's frames and accounts.
    parameters : mapping
        All, apart from the partition, that decides the result; JSON-able.
    """

    name: str
    version: int
    function: Callable[[Mapping[str, pd.DataFrame]], tuple[dict[str, pd.DataFrame], Sequence[Ledger]]]
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def key(self, partition_key: str) -> str:
        """Return the content key of this stage's result for a partition."""
        return content_key("stage", self.name, self.version, dict(self.parameters), partition_key)


class LocalExecutor:
    """Runs stages partition by partition in this process; a stage uses the cores as it likes."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.computed = 0
        self.reused = 0

    def map(self, stage: Stage, partitions: Iterable[Partition]) -> Iterator[Partition]:
        """Yield the stage's result for each partition, in order."""
        for partition in partitions:
            key = stage.key(partition.key)
            known = self.store.get_many("stage", [key]).get(key)
            if known is not None:
                self.reused += 1
                yield Partition.from_bytes(key, known)
                continue
            frames, ledgers = stage.function(partition.frames)
            result = Partition(key, frames, tuple(ledgers))
            if not any(reason.startswith(NOT_FINAL) for ledger in ledgers for reason in ledger.dropped):
                self.store.put_many("stage", {key: result.to_bytes()})
            self.computed += 1
            yield result


#: How reasons begin that a later run may not meet again (the engine failed on a text): such results are not kept.
NOT_FINAL = "incomplete"


def split(texts: pd.DataFrame, size: int = PARTITION_TEXTS) -> list[Partition]:
    """Cut a texts table, sorted by text_id, into partitions whose key is the hash of their content."""
    from miner.store.frames import content_hash

    ordered = texts.sort_values("text_id", kind="stable").reset_index(drop=True)
    parts = [ordered.iloc[i : i + size].reset_index(drop=True) for i in range(0, len(ordered), size)]
    return [Partition(content_key("texts", content_hash(part)), {"texts": part}) for part in parts]


def joined(*partitions: Partition) -> Partition:
    """Return the tables of several results for the same texts as one partition."""
    frames = {name: frame for p in partitions for name, frame in p.frames.items()}
    return Partition(content_key("joined", *(p.key for p in partitions)), frames)


def gathered(partitions: Sequence[Partition], name: str) -> pd.DataFrame:
    """Return one table of all partitions, in their order."""
    import pandas as pd

    return pd.concat([p.frames[name] for p in partitions], ignore_index=True)


def accounts(partitions: Sequence[Partition]) -> list[Ledger]:
    """Return the accounts of all partitions added up, one per step."""
    by_step: dict[tuple[str, str], list[Ledger]] = {}
    for partition in partitions:
        for ledger in partition.ledgers:
            by_step.setdefault((ledger.step, ledger.unit), []).append(ledger)
    return [Ledger.total(ledgers) for ledgers in by_step.values()]
