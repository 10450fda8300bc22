"""Content-addressed storage of results: one interface, from memory to a file that many processes share."""

from miner.store.base import MemoryStore, NamespaceStats, Store, content_key, open_store
from miner.store.code import code_fingerprint
from miner.store.entries import read_entries, write_entries
from miner.store.exchange import Imported, export_store, import_store
from miner.store.frames import frame_from_bytes, frame_to_bytes

__all__ = [
    "Imported",
    "MemoryStore",
    "NamespaceStats",
    "Store",
    "code_fingerprint",
    "content_key",
    "export_store",
    "frame_from_bytes",
    "frame_to_bytes",
    "import_store",
    "open_store",
    "read_entries",
    "write_entries",
]
