"""Keyed pseudonyms for learner ids, so that tables can be grouped by learner without naming anybody."""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def pseudonyms(texts: pd.DataFrame) -> dict[str, str]:
    """Return a pseudonym for each learner id of a texts table.

    The key is a hash of all texts, sorted: who holds the corpus gets the same pseudonyms in every run, on every machine;
    who holds only the results cannot try out ids (BLAKE2b as key, HMAC-SHA-256, 12 hexadecimal digits).
    """
    digest = hashlib.blake2b(person=b"miner-pseudonym", digest_size=32)
    for text in sorted(texts["text"]):
        data = text.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    key = digest.digest()
    learners = sorted({v for v in texts["learner_id"].dropna() if v})
    return {v: "L" + hmac.new(key, v.encode("utf-8", "surrogatepass"), "sha256").hexdigest()[:12] for v in learners}
