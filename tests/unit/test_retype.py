"""Typing corrections: equal sentence pairs once, the store asked once, processes without influence."""

from __future__ import annotations

import pandas as pd
import pytest

from miner.categories import errant, retype
from miner.store import MemoryStore
from miner.tables import EDITS, conform

pytest.importorskip("errant", reason="typing corrections needs the extra errant")


def corrected(*bodies: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Texts in each of which the first 'go' should be 'goes'."""
    ids = [f"t{i:03}" for i in range(len(bodies))]
    rows = []
    for text_id, body in zip(ids, bodies, strict=True):
        at = body.index("go")
        place = {"start": at, "end": at + 2, "token_start": None, "token_end": None}
        what = {"original": "go", "correction": "goes", "type": "", "scheme": "none", "kind": "replace", "row": 0}
        rows.append({"text_id": text_id, "annotator": "0"} | place | what)
    return pd.DataFrame({"text_id": ids, "text": list(bodies)}), conform(rows, EDITS)


class CountingStore(MemoryStore):
    """Counts how often it is asked and written."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = self.written = 0

    def get_many(self, namespace, keys):
        self.asked += 1
        return super().get_many(namespace, keys)

    def put_many(self, namespace, items):
        self.written += 1
        super().put_many(namespace, items)


def test_equal_pairs_are_typed_once_and_the_store_is_asked_once(monkeypatch):
    seen = []
    plain = errant._annotate
    monkeypatch.setattr(errant, "_annotate", lambda one, two: seen.append(one) or plain(one, two))
    texts, edits = corrected("He go home.", "It rains. He go home.", "She go home.", "He go home.")
    store = CountingStore()
    got = retype(texts, edits, store=store)
    assert sorted(seen) == ["He go home.", "She go home."]
    assert (store.asked, store.written) == (1, 1)
    assert got.edits["type"].tolist() == ["R:VERB:SVA"] * 4
    assert got.edits["start"].tolist() == [3, 13, 4, 3]
    again = retype(texts, edits, store=store)
    pd.testing.assert_frame_equal(again.edits, got.edits)
    assert len(seen) == 2


@pytest.mark.slow
def test_processes_change_nothing():
    texts, edits = corrected(*(f"He go home with {n} dogs." for n in range(210)))
    pd.testing.assert_frame_equal(retype(texts, edits, jobs=2).edits, retype(texts, edits).edits)


def test_types_of_other_code_are_not_taken_from_the_store(monkeypatch):
    computed = []
    monkeypatch.setattr(errant, "_annotate_chunk", lambda chunk: computed.append(1) or {key: [] for key, _ in chunk})
    store = MemoryStore()
    for code in ("one", "one", "two"):
        monkeypatch.setattr(errant, "code_fingerprint", lambda rooms, code=code: code)
        retype(*corrected("She go home."), store=store)
    assert len(computed) == 2
