"""The same bytes whoever does the work: shards that are merged, a cluster whose worker dies, a run that is killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest

from miner.errors import InputError, OptionError
from miner.run.choosing import Work
from miner.run.executor import LocalExecutor
from miner.run.folder import read_run
from miner.run.job import run_study
from miner.run.shards import Shard
from miner.run.sharing import estimate_study, merge_shards, run_shard
from miner.run.study import CorpusSpec, Study
from miner.run.tools import Tools
from miner.store import MemoryStore

pytestmark = pytest.mark.engine

OUTSIDE = ("run.json", "report.html")


@pytest.fixture
def study(root: Path, monkeypatch) -> Study:
    """160 simulated texts in partitions of 20."""
    monkeypatch.setattr("miner.run.stage.PARTITION_TEXTS", 20)
    corpus = CorpusSpec(root / "corpora" / "sample")
    return Study("small", (corpus,), checker="lingotweaker", preset="trans-env", ratings="none", limit=160)


@contextmanager
def work() -> Iterator[Work]:
    store = MemoryStore()
    with Tools(store, jobs=2) as tools:
        yield Work(LocalExecutor(store, tools), tools, 2)


@pytest.fixture
def whole(study: Study, lingotweaker, tmp_path: Path) -> Path:
    out = tmp_path / "whole"
    with work() as w:
        run_study(study, out, work=w)
    return out


def different(one: Path, two: Path) -> list[str]:
    names = sorted(str(p.relative_to(one)) for p in one.rglob("*") if p.is_file())
    assert names == sorted(str(p.relative_to(two)) for p in two.rglob("*") if p.is_file())
    return [n for n in names if n not in OUTSIDE and (one / n).read_bytes() != (two / n).read_bytes()]


def test_shards_merge_into_the_bytes_of_one_run(study: Study, whole: Path, tmp_path: Path) -> None:
    shards = [tmp_path / f"shard-{i}" for i in (1, 2, 3)]
    texts = []
    for i, out in enumerate(shards, start=1):
        with work() as w:
            texts.append(run_shard(study, out, Shard(i, 3), work=w))
    assert sum(texts) == sum(a["kept"] for a in read_run(whole)["accounts"] if a["step"] == "policies")
    for out in shards:
        assert all(b"essay" not in p.read_bytes() for p in out.iterdir() if p.suffix == ".json")
    with work() as w:
        merged = merge_shards(study, list(reversed(shards)), tmp_path / "merged", work=w).out
        assert w.executor.computed == 1  # the tests; nothing is checked again
    assert different(whole, merged) == []
    with work() as w, pytest.raises(InputError, match="missing: '2/3'"):
        merge_shards(study, [shards[0], shards[2]], tmp_path / "no", work=w)
    with work() as w, pytest.raises(InputError, match="is not a shard"):
        merge_shards(study, [whole], tmp_path / "no", work=w)
    other = Study(**{**vars(study), "seed": 5})
    with work() as w, pytest.raises(InputError, match="not of this study: they differ in 'seed'"):
        merge_shards(other, shards, tmp_path / "no", work=w)
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize("given", ["0/3", "4/3", "2", "a/b", "1/0", "-1/2"])
def test_a_shard_is_one_of_several(given: str) -> None:
    with pytest.raises(OptionError, match="I/N"):
        Shard.parse(given)


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_gives_the_same_bytes_though_a_worker_dies(study: Study, whole: Path, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="needs the extra cluster")
    from miner.run.dask import DaskExecutor

    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as cluster:
        pids = [w.pid for w in cluster.workers.values()]

        @contextmanager
        def killing(_: str) -> Iterator[object]:
            yield lambda done, __: os.kill(pids.pop(), signal.SIGKILL) if done and len(pids) == 2 else None

        store = MemoryStore()
        with Tools(store) as tools, DaskExecutor(cluster.scheduler_address, store, tools) as executor:
            out = run_study(study, tmp_path / "cluster", work=Work(executor, tools, steps=killing)).out
            assert executor.computed > 8
    assert len(pids) == 1
    assert different(whole, out) == []


def test_no_scheduler_is_told(monkeypatch) -> None:
    pytest.importorskip("distributed", reason="needs the extra cluster")
    from miner.run import dask

    monkeypatch.setattr(dask, "_SECONDS", 1)
    with (
        Tools() as tools,
        pytest.raises(OptionError, match="No Dask scheduler with a worker answers at tcp://127.0.0.1:9"),
    ):
        dask.DaskExecutor("tcp://127.0.0.1:9", MemoryStore(), tools)


def test_a_scheduler_without_workers_is_told_and_left(monkeypatch) -> None:
    distributed = pytest.importorskip("distributed", reason="needs the extra cluster")
    from miner.run.dask import DaskExecutor

    class Client:
        closed = False

        def __init__(self, *_: object, **__: object) -> None: ...

        def wait_for_workers(self, *_: object, **__: object) -> None:
            raise TimeoutError

        def close(self) -> None:
            Client.closed = True

    monkeypatch.setattr(distributed, "Client", Client)
    with Tools() as tools, pytest.raises(OptionError, match="with a worker answers"):
        DaskExecutor("tcp://127.0.0.1:9", MemoryStore(), tools)
    assert Client.closed


def test_a_dry_run_tells_what_is_to_do_and_writes_nothing(study: Study, tmp_path: Path, lingotweaker) -> None:
    with work() as w:
        (first,) = estimate_study(study, w)
        run_study(study, tmp_path / "out", work=w)
        (again,) = estimate_study(study, w)
    texts = read_run(tmp_path / "out")
    kept = next(a["kept"] for a in texts["accounts"] if a["step"] == "policies")
    assert (first.texts, first.known_words) == (kept, 0)
    assert first.words == again.words == again.known_words > 0
    assert first.seconds > 0
    assert again.seconds == 0


def test_a_sample_depends_on_the_seed_alone(study: Study, lingotweaker, tmp_path: Path) -> None:
    from miner.run.job import read_corpora

    def ids(**change: object) -> list[str]:
        (corpus,) = read_corpora(Study(**{**vars(study), "limit": None, **change}), None, lambda _: None)
        return corpus.texts["text_id"].tolist()

    assert len(ids(sample=50)) == len(ids(limit=50)) == 50
    assert ids(sample=50) == ids(sample=50) != ids(sample=50, seed=1)
    assert set(ids(sample=50)) <= set(ids(sample=100)) <= set(ids())
    assert ids(limit=50) == ids()[:50]
    with pytest.raises(OptionError, match="exclude each other"):
        ids(limit=5, sample=5)


def test_each_corpus_is_checked_in_its_national_variety(root: Path, lingotweaker, tmp_path: Path) -> None:
    corpora = []
    for first, (name, language) in enumerate((("british", "en-GB"), ("american", "en-US"))):
        path = tmp_path / f"{name}.csv"
        numbers = range(4 * first, 4 * first + 4)
        rows = [f"My favourite colour number {k} is grey.,{'fr' if k % 2 else 'de'},B1" for k in numbers]
        path.write_text("\n".join(["text,l1,cefr", *rows]) + "\n", encoding="utf-8")
        corpora.append(CorpusSpec(path, language=language))
    study = Study("two", tuple(corpora), checker="lingotweaker", preset="trans-env", ratings="none", exclude="none")
    with work() as w:
        run_study(study, tmp_path / "out", work=w)
    checked = pd.read_csv(tmp_path / "out" / "checked.csv", index_col="text_id")["n_matches"]
    # By hand: "favourite" and "colour" are misspelt in American English alone.
    assert checked[checked.index.str.startswith("british/")].tolist() == [0] * 4
    assert (checked[checked.index.str.startswith("american/")] >= 2).all()
    assert ":en-GB+en-US|" in next(iter(read_run(tmp_path / "out")["signatures"].values()))
