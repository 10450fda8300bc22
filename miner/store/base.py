"""The store interface, content keys and the store that lives in memory."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Self

from miner.store.values import stored_key


class NamespaceStats(NamedTuple):
    """What a store holds of a namespace: entries, bytes as stored, and when the first and last were written (Unix time)."""

    namespace: str
    entries: int
    bytes: int
    oldest: int
    newest: int


class Store(Protocol):
    """Bytes by content key, in namespaces; a context manager, safe for threads.

    Keys are hashes of everything that decides the value, so a value never changes: writing a key twice is harmless.
    Values never hold corpus text.
    """

    def get_many(self, namespace: str, keys: Sequence[str]) -> dict[str, bytes]:
        """Return the values that are there; absent keys are absent from the result."""
        ...

    def put_many(self, namespace: str, items: Mapping[str, bytes]) -> None:
        """Write all items in one transaction, or none; a key that is there already keeps its value."""
        ...

    def items(self, namespace: str | None = None) -> Iterator[tuple[str, str, bytes]]:
        """Yield (namespace, key, value) sorted by namespace and key (content keys last), of one namespace and those under it."""
        ...

    def stats(self) -> list[NamespaceStats]:
        """Return what is held of each namespace that has any entry, by name."""
        ...

    def close(self) -> None:
        """Release files and connections."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *exc: object) -> None: ...


def content_key(*parts: Any) -> str:
    """Return a 32-digit hexadecimal key of JSON-able parts (BLAKE2b, 16 bytes; keys sorted, UTF-8).

    Lone surrogates, which JSON text may carry, are allowed.
    """
    line = json.dumps(parts, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(line.encode("ascii"), digest_size=16).hexdigest()


def in_namespace(name: str, parent: str) -> bool:
    """Tell whether a namespace is another or lies under it: ``check/x`` lies under ``check``."""
    return name == parent or name.startswith(parent + "/")


class MemoryStore:
    """A store that lasts as long as the process; the default of Python functions."""

    def __init__(self) -> None:
        self._items: dict[tuple[str, str], bytes] = {}
        self._added: dict[tuple[str, str], int] = {}

    def get_many(self, namespace: str, keys: Sequence[str]) -> dict[str, bytes]:
        """Return the values that are there."""
        return {k: self._items[namespace, k] for k in keys if (namespace, k) in self._items}

    def put_many(self, namespace: str, items: Mapping[str, bytes]) -> None:
        """Write all items; a key that is there already keeps its value."""
        now = int(time.time())
        for key, value in items.items():
            self._items.setdefault((namespace, key), value)
            self._added.setdefault((namespace, key), now)

    def items(self, namespace: str | None = None) -> Iterator[tuple[str, str, bytes]]:
        """Yield (namespace, key, value) sorted by namespace and key."""
        for name, key in sorted(self._items, key=lambda k: (k[0], isinstance(stored_key(k[1]), bytes), k[1])):
            if namespace is None or in_namespace(name, namespace):
                yield name, key, self._items[name, key]

    def stats(self) -> list[NamespaceStats]:
        """Return what is held of each namespace."""
        found = []
        for name in sorted({n for n, _ in self._items}):
            times = [t for (n, _), t in self._added.items() if n == name]
            values = [v for (n, _), v in self._items.items() if n == name]
            found.append(NamespaceStats(name, len(values), sum(map(len, values)), min(times), max(times)))
        return found

    def close(self) -> None:
        """Nothing to release."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def open_store(path: Path | str | None) -> Store:
    """Return the store at ``path`` (a folder, made if absent), or one in memory for ``None``."""
    if path is None:
        return MemoryStore()
    from miner.store.sqlite import SqliteStore  # only those who cache to disk pay for it

    return SqliteStore(Path(path))
