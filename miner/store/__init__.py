"""Content-addressed storage of results: one interface, from memory to a file that many processes share."""

from miner.store.base import MemoryStore, Store, content_key, open_store
from miner.store.frames import frame_from_bytes, frame_to_bytes

__all__ = ["MemoryStore", "Store", "content_key", "frame_from_bytes", "frame_to_bytes", "open_store"]
