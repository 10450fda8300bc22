"""A study in shards, for clusters without a scheduler that talks to miner: each job does its partitions, then all are merged.

A shard is a folder with one file, ``stages.parquet``: the results of its partitions by content key. The merge takes
them as if they had been computed before, and so gives the same bytes as one run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from miner.errors import InputError, OptionError, listed
from miner.run.executor import NAMESPACE
from miner.run.folder import package_versions, read_run
from miner.run.stage import Partition
from miner.store import Store, read_entries, write_entries

COMMAND = "shard"
FILE = "stages.parquet"


@dataclass(frozen=True)
class Shard:
    """The i-th of n parts of a study's partitions; ``i`` counts from 1."""

    i: int
    n: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read ``i/n``.

        Raises
        ------
        OptionError
            If it is none.
        """
        i, _, n = text.partition("/")
        if not (i.isdecimal() and n.isdecimal() and 1 <= int(i) <= int(n)):
            msg = f"--shard takes I/N, the I-th of N shards counted from 1, e.g. 2/8. Got '{text}' instead"
            raise OptionError(msg)
        return cls(int(i), int(n))

    def of(self, parts: Sequence[Partition]) -> list[Partition]:
        """Return the partitions that belong to the shard: every n-th."""
        return list(parts[self.i - 1 :: self.n])


class RecordingStore:
    """A store that remembers which results of stages were asked of it and were there in the end."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._keys: set[str] = set()

    def get_many(self, namespace: str, keys: Sequence[str]) -> dict[str, bytes]:
        """Return the values that are there."""
        if namespace == NAMESPACE:
            self._keys.update(keys)
        return self._store.get_many(namespace, keys)

    def put_many(self, namespace: str, items: Mapping[str, bytes]) -> None:
        """Write all items."""
        if namespace == NAMESPACE:
            self._keys.update(items)
        self._store.put_many(namespace, items)

    def recorded(self) -> Iterator[tuple[str, str, bytes]]:
        """Yield the entries of all results that were asked for, by key."""
        for key in sorted(self._keys):
            found = self._store.get_many(NAMESPACE, [key])
            if key in found:
                yield NAMESPACE, key, found[key]

    def items(self, namespace: str | None = None) -> Iterator[tuple[str, str, bytes]]:
        """As the store's own."""
        return self._store.items(namespace)

    def stats(self) -> Any:
        """As the store's own."""
        return self._store.stats()

    def close(self) -> None:
        """As the store's own."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def write_shard(path: Path, store: RecordingStore) -> int:
    """Write the results that a shard computed or found; return how many."""
    return write_entries(path, store.recorded())


def take_shards(folders: Sequence[Path], store: Store) -> None:
    """Put the results of all shards of a study into a store.

    Raises
    ------
    InputError
        If a folder is no shard, the shards are not of one study, or some are missing.
    """
    seen: dict[int, Path] = {}
    facts: dict[str, Any] = {}
    for folder in folders:
        run = read_run(folder)
        if run.get("command") != COMMAND or not (folder / FILE).exists():
            msg = f"{folder} is not a shard; expected the --out folder of `miner run STUDY --shard I/N`"
            raise InputError(msg)
        own = {k: run[k] for k in ("parameters", "inputs", "miner", "versions")} | {
            "n": run["shard"]["n"],
            "seed": run.get("seed"),
        }
        if facts and own != facts:
            differ = [k for k in own if own[k] != facts[k]]
            msg = f"{folder} is a shard of something else than {folders[0]}: they differ in {listed(differ)}. Give the shards of one study"
            raise InputError(msg)
        facts = own
        seen[run["shard"]["i"]] = folder
    missing = [f"{i}/{facts['n']}" for i in range(1, facts["n"] + 1) if i not in seen]
    if missing:
        msg = f"Shards are missing: {listed(missing, most=20)}. Run them (`miner run STUDY --shard I/N --out DIR`), then merge again"
        raise InputError(msg)
    for _, folder in sorted(seen.items()):
        for namespace, key, value in read_entries(folder / FILE):
            store.put_many(namespace, {key: value})


def require_same_study(
    folder: Path, parameters: Mapping[str, Any], inputs: Mapping[str, str], seed: int | None
) -> None:
    """Raise InputError unless the shards are of this study and these corpora."""
    run = read_run(folder)
    given = {"parameters": parameters, "inputs": inputs, "seed": seed, "versions": package_versions()}
    differ = [k for k, v in given.items() if run.get(k) != v and k != "inputs"]
    if any(inputs.get(name) != value for name, value in run["inputs"].items()):
        differ.append("the content of the corpora")
    if differ:
        msg = f"The shards are not of this study: they differ in {listed(differ)}. Give the study file, options and corpora that the shards were made with, and use the same versions of packages"
        raise InputError(msg)
