"""Carry the entries of a store to another machine: out to one file, and in again."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import groupby, islice
from pathlib import Path
from typing import NamedTuple

from miner.errors import OptionError, listed
from miner.store.base import Store, in_namespace
from miner.store.entries import Entry, read_entries, write_entries

_BATCH = 500


class Imported(NamedTuple):
    """How many entries of a file were new to the store, and how many it had already."""

    new: int
    known: int


def export_store(store: Store, path: Path | str, *, namespaces: Collection[str] | None = None) -> int:
    """Write the entries of a store to one Parquet file; see :func:`miner.store.entries.write_entries`.

    Parameters
    ----------
    store : Store
        Others may write to it meanwhile: what was there when this began is written, sorted by namespace and key.
    path : Path
        Replaced in one step.
    namespaces : collection of str, optional
        Only these and those under them; default: all.

    Returns
    -------
    int
        Entries written.

    Raises
    ------
    OptionError
        If a namespace is not in the store.
    OutputError
        If the file cannot be written.
    """
    here = [s.namespace for s in store.stats()]
    for name in namespaces or ():
        if not any(in_namespace(n, name) for n in here):
            msg = f"The cache has no entries of '{name}'; it has {listed(here) or 'none at all'}. Nothing was written"
            raise OptionError(msg)

    chosen = [n for n in here if namespaces is None or any(in_namespace(n, parent) for parent in namespaces)]

    def entries() -> Iterator[Entry]:
        for name in chosen:
            yield from (entry for entry in store.items(name) if entry[0] == name)

    return write_entries(path, entries())


def import_store(store: Store, path: Path | str) -> Imported:
    """Put the entries of a file into a store; what is there already stays, so that repeating it changes nothing.

    Raises
    ------
    InputError
        If the file is damaged or is not one of entries; what came before the damage is in the store.
    OutputError
        If the store cannot be written.
    """
    new = known = 0
    for namespace, group in groupby(read_entries(path), key=lambda entry: entry[0]):
        while batch := {key: value for _, key, value in islice(group, _BATCH)}:
            here = len(store.get_many(namespace, list(batch)))
            store.put_many(namespace, batch)
            new, known = new + len(batch) - here, known + here
    return Imported(new, known)
