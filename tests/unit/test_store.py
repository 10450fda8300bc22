"""The store on disk: several processes, kill -9, full disks, damage, older layouts, and what keeps it small."""

from __future__ import annotations

import os
import pickle
import random
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
import zlib
from pathlib import Path

import pytest

from miner.errors import OptionError, OutputError
from miner.store import MemoryStore, export_store, import_store, open_store, read_entries
from miner.store.sqlite import SqliteStore
from miner.store.upkeep import prune_store, verify_store


def _key(i: int) -> str:
    return f"{i:032x}"


def _filled(folder: Path, n: int = 20) -> SqliteStore:
    store = SqliteStore(folder)
    store.put_many("check/hand-1#f1", {_key(i): b"value %d" % i * 30 for i in range(n)})
    store.put_many("check/hand-1#f2", {_key(i): b"other %d" % i for i in range(n)})
    store.put_many("stage", {"not a content key": b"x", _key(3): b"\x00" * 5000})
    return store


def _raw(store: SqliteStore, statement: str, *values: object) -> list[tuple[object, ...]]:
    db = sqlite3.connect(store.path)
    try:
        with db:
            return db.execute(statement, values).fetchall()
    finally:
        db.close()


@pytest.mark.parametrize("kind", ["memory", "disk"])
def test_items_are_sorted_and_a_namespace_has_those_under_it(tmp_path, kind) -> None:
    with open_store(tmp_path if kind == "disk" else None) as store:
        store.put_many("check/b", {_key(2): b"2", _key(1): b"1", "zz": b"3"})
        store.put_many("check", {_key(1): b"4"})
        store.put_many("checks", {_key(1): b"5"})
        everything = list(store.items())
        assert everything == [
            ("check", _key(1), b"4"),
            ("check/b", "zz", b"3"),
            ("check/b", _key(1), b"1"),
            ("check/b", _key(2), b"2"),
            ("checks", _key(1), b"5"),
        ]
        assert list(store.items("check")) == everything[:4]
        assert list(store.items("check/b")) == everything[1:4]
        assert [(s.namespace, s.entries) for s in store.stats()] == [("check", 1), ("check/b", 3), ("checks", 1)]


@pytest.mark.parametrize("kind", ["memory", "disk"])
def test_a_key_keeps_its_value(tmp_path, kind) -> None:
    with open_store(tmp_path if kind == "disk" else None) as store:
        store.put_many("n", {"a": b"1"})
        store.put_many("n", {"a": b"2", "b": b"3"})
        assert store.get_many("n", ["a", "b", "c"]) == {"a": b"1", "b": b"3"}
        store.put_many("n", {})


def test_items_are_those_of_the_beginning_while_others_write(tmp_path) -> None:
    with SqliteStore(tmp_path) as store:
        store.put_many("n", {_key(i): b"v" for i in range(1000)})
        going = store.items()
        next(going)
        store.put_many("n", {_key(i): b"v" for i in range(1000, 2000)})
        assert sum(1 for _ in going) == 999


def test_a_store_goes_through_pickle_to_another_process(tmp_path) -> None:
    with _filled(tmp_path) as store, pickle.loads(pickle.dumps(store)) as again:
        assert list(again.items()) == list(store.items())


def test_values_lie_compressed_without_text_of_keys(tmp_path) -> None:
    with SqliteStore(tmp_path) as store:
        store.put_many("n", {_key(i): b"abc" * 1000 for i in range(1000)})
        assert store.stats()[0].bytes < 50_000


WRITER = """
import sys
from miner.store import open_store
number, folder = int(sys.argv[1]), sys.argv[2]
with open_store(folder) as store:
    for i in range(60):
        mine = {f"{number * 1000 + i:032x}": b"%d" % i * 100, f"{i:032x}": b"shared %d" % i}
        store.put_many("check", mine)
        assert store.get_many("check", list(mine)) == mine
"""


def test_four_processes_write_and_read_one_store(tmp_path) -> None:
    runs = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(n), str(tmp_path)], stderr=subprocess.PIPE)
        for n in range(1, 5)
    ]
    errors = [run.communicate(timeout=120)[1] for run in runs]
    assert [run.returncode for run in runs] == [0] * 4, errors
    with SqliteStore(tmp_path) as store:
        assert sum(s.entries for s in store.stats()) == 4 * 60 + 60
        assert verify_store(store).sound


KILLED = """
import os, sys
from miner.store import open_store
with open_store(sys.argv[1]) as store:
    for i in range(10**6):
        store.put_many("check", {f"{i * 20 + j:032x}": os.urandom(3000) for j in range(20)})
        print(i, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="kills by POSIX signals")
def test_kill_9_at_any_moment_loses_no_finished_write_and_leaves_no_half_one(tmp_path) -> None:
    rng = random.Random(7)
    for _ in range(6):
        run = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        assert run.stdout
        run.stdout.readline()
        time.sleep(rng.uniform(0, 0.3))
        run.send_signal(signal.SIGKILL)
        done = [0, *map(int, run.stdout.read().split())][-1] + 1
        run.wait()
        run.stdout.close()
        with SqliteStore(tmp_path) as store:
            verified = verify_store(store)
            assert verified.sound
            assert verified.entries >= done * 20
            assert verified.entries % 20 == 0


FULL = """
import os, resource, sys
from miner.errors import OutputError
from miner.store import open_store
with open_store(sys.argv[1]) as store:
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))
    for i in range(1000):
        try:
            store.put_many("check", {f"{i:032x}": os.urandom(50_000)})
        except OutputError as err:
            print(err)
            break
    print(i, len(store.get_many("check", [f"{j:032x}" for j in range(i + 1)])))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of file sizes")
def test_a_full_disk_is_told_and_what_was_written_is_whole(tmp_path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, timeout=120, check=True
    )
    told, counts = run.stdout.strip().splitlines()
    assert "could not be written" in told
    assert "free some disk space" in told
    done, there = map(int, counts.split())
    assert there == done > 5
    with SqliteStore(tmp_path) as store:
        store.put_many("check", {_key(5000): b"there is room again"})
        assert verify_store(store).sound
        assert store.stats()[0].entries == done + 1


def test_a_locked_store_is_told(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("miner.store.sqlite._WAIT", 0.1)
    with SqliteStore(tmp_path) as store:
        other = sqlite3.connect(store.path)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(OutputError, match="locked by another process"):
            store.put_many("n", {"a": b"1"})
        other.close()
        store.put_many("n", {"a": b"1"})


def test_a_damaged_file_is_told_with_the_next_step(tmp_path) -> None:
    with _filled(tmp_path, 2000) as store:
        path = store.path
    data = bytearray(path.read_bytes())
    data[4096:] = os.urandom(len(data) - 4096)
    path.write_bytes(data)
    with (
        pytest.raises(OutputError, match=r"cache verify.*delete the files cache\.sqlite"),
        SqliteStore(tmp_path) as broken,
    ):
        list(broken.items())


def test_a_damaged_value_is_never_returned_and_is_computed_again(tmp_path) -> None:
    with _filled(tmp_path) as store:
        _raw(store, "UPDATE entry SET value = ? WHERE id = 2", b"\x01garbage")
        _raw(store, "UPDATE entry SET value = ? WHERE id = 3", b"\x00another value")
        found = verify_store(store)
        assert not found.sound
        assert found.damaged == (("check/hand-1#f1", _key(1)), ("check/hand-1#f1", _key(2)))
        assert found.problems == ()
        assert _key(1) not in {key for n, key, _ in store.items() if n.endswith("f1")}
        assert set(store.get_many("check/hand-1#f1", [_key(0), _key(1)])) == {_key(0)}
        store.put_many("check/hand-1#f1", {_key(1): b"computed again"})
        assert store.get_many("check/hand-1#f1", [_key(1)]) == {_key(1): b"computed again"}
        assert len(verify_store(store, repair=True).damaged) == 1
        assert verify_store(store).sound


def test_a_store_of_an_older_layout_is_emptied(tmp_path) -> None:
    db = sqlite3.connect(tmp_path / "cache.sqlite")
    db.execute("CREATE TABLE item (namespace TEXT, key TEXT, value BLOB, PRIMARY KEY (namespace, key)) WITHOUT ROWID")
    db.executemany(
        "INSERT INTO item VALUES ('check', ?, ?)", [(_key(i), zlib.compress(os.urandom(999))) for i in range(500)]
    )
    db.commit()
    db.close()
    before = (tmp_path / "cache.sqlite").stat().st_size
    with SqliteStore(tmp_path) as store:
        assert store.stats() == []
        store.put_many("n", {"a": b"1"})
        assert store.get_many("n", ["a"]) == {"a": b"1"}
    assert (tmp_path / "cache.sqlite").stat().st_size < before / 2


def test_a_store_of_a_newer_layout_or_another_program_is_left_alone(tmp_path) -> None:
    for name, statement, words in (
        ("newer", "PRAGMA user_version = 99", "newer version of miner"),
        ("other", "CREATE TABLE bookmarks (a)", "another program"),
    ):
        (tmp_path / name).mkdir()
        db = sqlite3.connect(tmp_path / name / "cache.sqlite")
        db.execute(statement)
        db.commit()
        db.close()
        with pytest.raises(OutputError, match=words):
            SqliteStore(tmp_path / name)
        db = sqlite3.connect(tmp_path / name / "cache.sqlite")
        assert [r[0] for r in db.execute("SELECT name FROM sqlite_master")] == (
            ["bookmarks"] if name == "other" else []
        )
        db.close()


def test_pruning_by_namespace_age_and_size(tmp_path) -> None:
    with _filled(tmp_path) as store:
        _raw(store, "UPDATE entry SET added = added - 1000 WHERE key = ?", bytes.fromhex(_key(7)))
        would = prune_store(store, older_than=500, dry_run=True)
        assert [(s.namespace, s.entries) for s in would] == [("check/hand-1#f1", 1), ("check/hand-1#f2", 1)]
        assert sum(s.entries for s in store.stats()) == 42
        assert prune_store(store, older_than=500) == would
        assert _key(7) not in store.get_many("check/hand-1#f1", [_key(7)])
        assert [s.entries for s in prune_store(store, namespaces=["check/hand-1#f1"])] == [19]
        kept = sum(s.bytes for s in store.stats())
        prune_store(store, keep_bytes=kept)
        assert sum(s.entries for s in store.stats()) == 21
        prune_store(store, keep_bytes=100, namespaces=["check"])
        assert {s.namespace: s.bytes <= 100 for s in store.stats()} == {"check/hand-1#f2": True, "stage": True}
        prune_store(store, keep_bytes=0)
        assert store.stats() == []
        assert verify_store(store).sound


def test_pruning_gives_the_space_back(tmp_path) -> None:
    with SqliteStore(tmp_path) as store:
        store.put_many("n", {_key(i): os.urandom(2000) for i in range(1000)})
        prune_store(store, namespaces=["n"])
        assert sum(p.stat().st_size for p in tmp_path.iterdir()) < 100_000


@pytest.mark.parametrize(
    "options",
    [{}, {"older_than": -1.0}, {"older_than": float("nan")}, {"older_than": float("inf")}, {"keep_bytes": -1}],
)
def test_pruning_nothing_in_particular_is_refused(tmp_path, options) -> None:
    with _filled(tmp_path) as store, pytest.raises(OptionError):
        prune_store(store, **options)


def test_entries_go_to_another_store_and_repeating_it_changes_nothing(tmp_path) -> None:
    with _filled(tmp_path / "a") as store, SqliteStore(tmp_path / "b") as other, MemoryStore() as third:
        assert export_store(store, tmp_path / "e.parquet") == 42
        assert import_store(other, tmp_path / "e.parquet") == (42, 0)
        assert import_store(other, tmp_path / "e.parquet") == (0, 42)
        assert list(other.items()) == list(store.items())
        export_store(other, tmp_path / "again.parquet")
        assert (tmp_path / "again.parquet").read_bytes() == (tmp_path / "e.parquet").read_bytes()
        assert export_store(store, tmp_path / "part.parquet", namespaces=["check"]) == 40
        assert {n for n, _, _ in read_entries(tmp_path / "part.parquet")} == {"check/hand-1#f1", "check/hand-1#f2"}
        import_store(third, tmp_path / "e.parquet")
        assert list(third.items()) == list(store.items())
        with pytest.raises(OptionError, match="no entries of 'chek'"):
            export_store(store, tmp_path / "none.parquet", namespaces=["chek"])


def test_an_import_that_is_killed_can_be_repeated(tmp_path) -> None:
    with _filled(tmp_path / "a", 2000) as store:
        export_store(store, tmp_path / "e.parquet")
        code = textwrap.dedent(f"""
            import os, signal
            from miner.store import import_store, open_store
            store = open_store({str(tmp_path / "b")!r})
            put, n = store.put_many, []
            def counted(*args):
                n.append(1)
                if len(n) > 3:
                    os.kill(os.getpid(), signal.SIGKILL)
                put(*args)
            store.put_many = counted
            import_store(store, {str(tmp_path / "e.parquet")!r})
        """)
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -signal.SIGKILL
        with SqliteStore(tmp_path / "b") as other:
            assert sum(s.entries for s in other.stats()) == 1500
            assert import_store(other, tmp_path / "e.parquet").known == 1500
            assert list(other.items()) == list(store.items())
