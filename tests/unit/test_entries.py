"""Entries of a store as a file: what goes in comes out, and damage is told."""

from __future__ import annotations

import hashlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from miner.errors import InputError, OutputError
from miner.store.entries import read_entries, write_entries
from miner.store.values import checksum, given_key, pack, stored_key, unpack

ENTRIES = [("check/hand-1#f1", f"{i:032x}", bytes([i]) * i) for i in range(50)] + [("stage", "k", b"x" * 10_000)]


def test_no_entries_make_an_empty_file(tmp_path) -> None:
    assert write_entries(tmp_path / "e.parquet", []) == 0
    assert list(read_entries(tmp_path / "e.parquet")) == []


def test_entries_come_back_in_their_order_and_the_bytes_repeat(tmp_path) -> None:
    assert write_entries(tmp_path / "a" / "e.parquet", iter(ENTRIES)) == 51
    write_entries(tmp_path / "b.parquet", ENTRIES)
    assert list(read_entries(tmp_path / "a" / "e.parquet")) == ENTRIES
    assert (tmp_path / "a" / "e.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "b.parquet"]


def test_entries_are_taken_in_groups(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("miner.store.entries._GROUP_ENTRIES", 7)
    monkeypatch.setattr("miner.store.entries._GROUP_BYTES", 200)
    held: list[int] = []

    def source():
        for i, entry in enumerate(ENTRIES):
            held.append(i)
            yield entry

    write_entries(tmp_path / "e.parquet", source())
    assert list(read_entries(tmp_path / "e.parquet")) == ENTRIES
    assert pq.ParquetFile(tmp_path / "e.parquet").num_row_groups > 7


def test_what_fails_on_the_way_leaves_the_old_file_and_no_other(tmp_path) -> None:
    path = tmp_path / "e.parquet"
    write_entries(path, ENTRIES[:3])

    def broken():
        yield ENTRIES[5]
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_entries(path, broken())
    assert list(read_entries(path)) == ENTRIES[:3]
    assert list(tmp_path.iterdir()) == [path]


def test_a_place_that_cannot_be_written_is_told(tmp_path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="elsewhere"):
        write_entries(tmp_path / "file" / "e.parquet", ENTRIES)


def test_damage_is_told(tmp_path) -> None:
    path = tmp_path / "e.parquet"
    write_entries(path, ENTRIES)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="cannot be read as a file of entries"):
        list(read_entries(path))
    with pytest.raises(InputError, match="cannot be read"):
        list(read_entries(tmp_path / "none.parquet"))


def test_an_entry_with_another_value_is_told(tmp_path) -> None:
    path = tmp_path / "e.parquet"
    write_entries(path, ENTRIES[:4])
    table = pq.read_table(path)
    values = table["value"].to_pylist()
    values[2] = b"other"
    changed = table.set_column(2, table.schema.field("value"), pa.array(values, pa.binary()))
    pq.write_table(changed, path)
    with pytest.raises(InputError, match=rf"{ENTRIES[2][1]} is damaged"):
        list(read_entries(path))


def test_another_parquet_file_is_refused(tmp_path) -> None:
    pq.write_table(pa.table({"a": [1]}), tmp_path / "other.parquet")
    with pytest.raises(InputError, match="not a file of entries"):
        list(read_entries(tmp_path / "other.parquet"))


def test_the_checksum_is_blake2b_of_lengths_and_parts() -> None:
    line = b"\x01" + bytes(7) + b"n" + b"\x02" + bytes(7) + b"kk" + b"\x03" + bytes(7) + b"abc"
    assert checksum("n", "kk", b"abc") == hashlib.blake2b(line, digest_size=8).digest()
    assert checksum("nk", "k", b"abc") != checksum("n", "kk", b"abc")


@given(st.binary(max_size=300), st.text(max_size=40) | st.binary(min_size=16, max_size=16).map(bytes.hex))
def test_values_and_keys_come_back(value: bytes, key: str) -> None:
    assert unpack(pack(value)) == value
    assert len(pack(value)) <= len(value) + 1
    assert given_key(stored_key(key)) == key


@pytest.mark.parametrize("packed", [b"", b"\x01", b"\x01abc", b"\x07abc"])
def test_bytes_that_were_not_packed_are_refused(packed: bytes) -> None:
    with pytest.raises(ValueError, match="not a packed value"):
        unpack(packed)
