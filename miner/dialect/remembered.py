"""Searches for the best partition, each computed once: the same points, starts and seed give the same result."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from miner.dialect.kmeans import Floats, Search, search
from miner.store import Store, code_fingerprint, content_key

NAMESPACE = "kmeans"


def searched(
    points: Floats,
    k: int,
    *,
    starts: int,
    seed: Sequence[int],
    bound: npt.NDArray[np.intp] | None = None,
    store: Store | None = None,
) -> Search:
    """Return :func:`miner.dialect.kmeans.search` with the generator of that seed, from the store if it is there."""
    rng = np.random.default_rng(list(seed))
    if store is None:
        return search(points, k, starts=starts, rng=rng, bound=bound)
    own = hashlib.blake2b(np.ascontiguousarray(points).tobytes(), digest_size=16).hexdigest()
    together = None if bound is None else [int(b) for b in bound]
    code = code_fingerprint(("dialect/kmeans", "dialect/blas"))
    key = content_key(code, np.__version__, own, list(points.shape), k, starts, list(seed), together)
    known = store.get_many(NAMESPACE, [key]).get(key)
    if known is not None:
        return _from_bytes(known)
    found = search(points, k, starts=starts, rng=rng, bound=bound)
    store.put_many(NAMESPACE, {key: _to_bytes(found, k)})
    return found


def _to_bytes(found: Search, k: int) -> bytes:
    small = np.uint8 if k <= 256 else np.int64
    buffer = io.BytesIO()
    np.savez(
        buffer,
        labels=found.labels,
        plain=found.plain.astype(small),
        plain_inertia=found.plain_inertia,
        refined_inertia=found.refined_inertia,
        inertia=np.array(found.inertia),
        ties=np.array(found.ties),
    )
    return buffer.getvalue()


def _from_bytes(data: bytes) -> Search:
    with np.load(io.BytesIO(data), allow_pickle=False) as found:
        return Search(
            found["labels"],
            float(found["inertia"]),
            found["plain"].astype(np.int64),
            found["plain_inertia"],
            found["refined_inertia"],
            int(found["ties"]),
        )
