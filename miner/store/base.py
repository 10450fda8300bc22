"""The store interface, content keys and the store that lives in memory."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, Self


class Store(Protocol):
    """Bytes by content key, in namespaces; a context manager, safe for threads.

    Keys are hashes of everything that decides the value, so a value never changes: writing a key twice is harmless.
    Values never hold corpus text.
    """

    def get_many(self, namespace: str, keys: Sequence[str]) -> dict[str, bytes]:
        """Return the values that are there; absent keys are absent from the result."""
        ...

    def put_many(self, namespace: str, items: Mapping[str, bytes]) -> None:
        """Write all items in one transaction, or none."""
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


class MemoryStore:
    """A store that lasts as long as the process; the default of Python functions."""

    def __init__(self) -> None:
        self._items: dict[tuple[str, str], bytes] = {}

    def get_many(self, namespace: str, keys: Sequence[str]) -> dict[str, bytes]:
        """Return the values that are there."""
        return {k: self._items[namespace, k] for k in keys if (namespace, k) in self._items}

    def put_many(self, namespace: str, items: Mapping[str, bytes]) -> None:
        """Write all items."""
        self._items.update({(namespace, k): v for k, v in items.items()})

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
