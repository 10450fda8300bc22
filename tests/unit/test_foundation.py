"""Errors, ledgers, signatures, tables and the store."""

from __future__ import annotations

import sqlite3

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from miner.errors import InputError, MinerError, OptionError, OutputError, nearest, require_one_of
from miner.ledger import Ledger
from miner.signature import ORDER, Signature
from miner.store import MemoryStore, content_key, frame_from_bytes, frame_to_bytes, open_store
from miner.store.frames import read_csv, rounded, write_csv
from miner.tables import ALL, CHECKED, MATCHES, RATINGS, conform


def test_the_nearest_name_is_offered() -> None:
    assert nearest("fdr_hb", ["bh", "fdr_bh", "holm"]) == "; did you mean 'fdr_bh'?"
    assert nearest("zzz", ["bh"]) == ""
    with pytest.raises(OptionError, match=r"must be one of 'bh', 'holm'\. Got 'bhh' instead; did you mean 'bh'\?"):
        require_one_of("bhh", ["bh", "holm"], what="The 'correction' option")


def test_a_ledger_that_does_not_add_up_is_a_defect() -> None:
    ledger = Ledger("read", "texts")
    ledger.keep(3)
    ledger.drop("no words", 2, place="b.csv:2")
    assert ledger.as_dict() == {
        "step": "read",
        "unit": "texts",
        "read": 5,
        "kept": 3,
        "dropped": {"no words": 2},
        "places": {"no words": ["b.csv:2"]},
    }
    ledger.read += 1
    with pytest.raises(MinerError, match="does not add up"):
        ledger.check()


def test_ledgers_survive_storage_and_add_up() -> None:
    one, two = Ledger("check", "texts"), Ledger("check", "texts")
    one.keep(2)
    one.drop("no words", place="b")
    two.drop("no words", place="a")
    two.note("flag", 3)
    total = Ledger.total([Ledger.from_dict(one.as_dict()), Ledger.from_dict(two.as_dict())])
    assert total.as_dict()["dropped"] == {"no words": 2}
    assert total.as_dict()["places"] == {"no words": ["a", "b"]}
    assert total.read == 4


_VALUES = st.text(
    st.characters(exclude_characters="|\n\r", exclude_categories=("Cs", "Zl", "Zp", "Cc", "Zs")), min_size=1
)


@given(st.dictionaries(st.sampled_from([k for k in ORDER if k != "from"]), _VALUES))
def test_signatures_are_read_back(parts: dict[str, str]) -> None:
    signature = Signature.of("l1", **parts)
    assert Signature.parse(str(signature)) == signature


def test_a_signature_keeps_its_order_and_encodes_bars() -> None:
    line = str(Signature.of("l1", seed=3, corpus="a#1", from_=None, miner="0.1"))
    assert line == "l1|corpus:a#1|seed:3|miner:0.1"
    assert Signature.parse(str(Signature.of("l1", corpus="a|b%7C\nc"))).parts["corpus"] == "a|b%7C\nc"
    with pytest.raises(MinerError):
        Signature.of("l1", corpse="a")
    with pytest.raises(MinerError):
        Signature.parse("nothing")


def test_every_table_has_an_empty_frame_and_documented_columns() -> None:
    for table in ALL.values():
        frame = table.empty()
        assert list(frame.columns) == table.names
        assert len(frame) == 0
        assert set(table.key) <= set(table.names)
        assert all(c.meaning for c in table.columns)


def test_conform_orders_rows_and_refuses_what_the_contract_does_not_know() -> None:
    rows = [{"variety_id": v, "feature_id": f, "rating": "A"} for v, f in [("10", "2"), ("2", "10"), ("2", "9")]]
    frame = conform(rows, RATINGS)
    assert list(zip(frame["variety_id"], frame["feature_id"], strict=True)) == [("2", "9"), ("2", "10"), ("10", "2")]
    with pytest.raises(InputError, match="occurs twice"):
        conform(rows + rows[:1], RATINGS)
    with pytest.raises(InputError, match="missing columns 'rating'"):
        conform([{"variety_id": "1", "feature_id": "2"}], RATINGS)
    with pytest.raises(InputError, match="does not hold Int64"):
        conform([{"text_id": "a", "status": "", "reason": "", "n_matches": "many"}], CHECKED)


def test_matches_that_the_engine_gave_twice_stay_two_rows() -> None:
    row = dict.fromkeys(MATCHES.names, "") | {"text_id": "t", "start": 1, "end": 3, "rule_id": "R"}
    frame = conform([row | {"n_same": 2}, row | {"n_same": 1}], MATCHES)
    assert list(frame["n_same"]) == [1, 2]


@pytest.mark.parametrize("on_disk", [False, True])
def test_a_store_gives_back_what_it_was_given(tmp_path, on_disk: bool) -> None:
    path = tmp_path / "cache" if on_disk else None
    with open_store(path) as store:
        store.put_many("check", {"a": b"1", "b": b""})
        store.put_many("check", {"a": b"other"} if on_disk else {})
        assert store.get_many("check", ["a", "b", "c"]) == {"a": b"1", "b": b""}
        assert store.get_many("parse", ["a"]) == {}
        assert len(store.get_many("check", [f"k{i}" for i in range(3000)])) == 0
    if path:
        with open_store(path) as store:
            assert store.get_many("check", ["a"]) == {"a": b"1"}


def test_a_cache_that_is_no_database_is_told(tmp_path) -> None:
    (tmp_path / "cache.sqlite").write_bytes(b"not a database at all, but long enough to be read as one" * 20)
    with pytest.raises(OutputError, match="cannot be used"):
        open_store(tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match="cannot be used"):
        open_store(tmp_path / "file")


def test_several_connections_share_a_store(tmp_path) -> None:
    with open_store(tmp_path) as one, open_store(tmp_path) as two:
        one.put_many("n", {"a": b"1"})
        two.put_many("n", {"a": b"1", "b": b"2"})
        assert one.get_many("n", ["a", "b"]) == {"a": b"1", "b": b"2"}
    with sqlite3.connect(tmp_path / "cache.sqlite") as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    db.close()


def test_content_keys_tell_everything_apart() -> None:
    keys = {
        content_key(*p) for p in [("a", "b"), ("ab",), ("a", ["b"]), ({"a": "b"},), ("a", 1), ("a", "1"), ("\ud800",)]
    }
    assert len(keys) == 7
    assert content_key({"a": 1, "b": 2}) == content_key({"b": 2, "a": 1})
    assert MemoryStore().get_many("x", ["y"]) == {}


def test_frames_come_back_from_bytes_and_csv(tmp_path) -> None:
    frame = pd.DataFrame(
        {
            "s": ["NA", "nan", "", 'é\n,"'],
            "x": [0.1 + 0.2, float("nan"), -0.0, 1e-300],
            "n": pd.array([1, None, 3, 4], dtype="Int64"),
        }
    )
    pd.testing.assert_frame_equal(frame_from_bytes(frame_to_bytes(frame)), frame)
    write_csv(rounded(frame), tmp_path / "t.csv")
    back = read_csv(tmp_path / "t.csv")
    assert list(back["s"].fillna("")) == ["NA", "nan", "", 'é\n,"']
    assert back["x"][0] == 0.3
    assert (tmp_path / "t.csv").read_bytes().count(b"\r") == 0
