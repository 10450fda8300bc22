"""Pictures, each drawn once: the same tables and texts in them give the same documents."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
import pandas as pd

from miner.plots import Drawn
from miner.store import Store, code_fingerprint, content_key, frame_to_bytes

NAMESPACE = "pictures"


@dataclass(frozen=True)
class Kept:
    """A picture as its documents; see :class:`miner.plots.Drawn`."""

    name: str
    heading: str
    alt: str
    svg: str
    png: bytes


def remembered(store: Store | None, shows: Sequence[Any], draw: Callable[[], Sequence[Drawn]]) -> list[Drawn]:
    """Return the pictures from the store, or draw and keep them.

    Parameters
    ----------
    store : Store, optional
        None: draw.
    shows : sequence
        All that decides the pictures beside the code: frames, mappings of frames, JSON-able values.
    draw : callable
        Draws them.
    """
    if store is None:
        return list(draw())
    key = content_key(code_fingerprint(("plots", "tables")), mpl.__version__, [_told(s) for s in shows])
    known = store.get_many(NAMESPACE, [key]).get(key)
    if known is not None:
        return [Kept(**{**p, "png": base64.b64decode(p["png"])}) for p in json.loads(known)]
    pictures = [Kept(p.name, p.heading, p.alt, p.svg, p.png) for p in draw()]
    items = [{**vars(p), "png": base64.b64encode(p.png).decode("ascii")} for p in pictures]
    store.put_many(NAMESPACE, {key: json.dumps(items).encode()})
    return list(pictures)


def _told(value: Any) -> Any:
    if isinstance(value, pd.DataFrame):
        return [len(value), hashlib.blake2b(frame_to_bytes(value), digest_size=16).hexdigest()]
    if isinstance(value, Mapping):
        return {str(k): _told(v) for k, v in sorted(value.items())}
    return value
