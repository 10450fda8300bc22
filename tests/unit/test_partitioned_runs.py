"""A run in partitions: what is kept and what is not, corpora of several kinds together, progress, and nothing private in the store."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Self

import pandas as pd
import pytest

from miner.categories import Retyped, load_exclusions, load_taxonomy
from miner.checkers import RawMatch, UnitResult
from miner.corpora import Corpus, read_corpus
from miner.errors import OptionError
from miner.learner import get_preset
from miner.ledger import Ledger
from miner.run.admitting import admitted_texts, ids_in_run
from miner.run.executor import LocalExecutor
from miner.run.learner import LearnerResult, run_learner
from miner.run.sources import CheckerSource, EditSource, edits_of
from miner.run.stage import split, with_rows
from miner.run.steps import TypePairs
from miner.run.tools import Tools
from miner.run.usage import mine_usage
from miner.store import MemoryStore
from miner.tables import EDITS, conform


class Colours:
    """Reports each 'colour'; while it is ill it gives up on texts that hold 'hard'."""

    name, version, engine, fingerprint, language = "hand", "1", "hand-1", "f1", "en-US"

    def __init__(self, *, ill: bool = False) -> None:
        self.ill = ill
        self.seen = 0

    def check_units(self, units: Sequence[str]) -> list[UnitResult]:
        self.seen += len(units)
        return [
            UnitResult((), "gave up")
            if self.ill and "hard" in unit
            else UnitResult(
                tuple(RawMatch(*m.span(), "COLOUR", "", "GRAMMAR", "") for m in re.finditer("colour", unit))
            )
            for unit in units
        ]

    def close(self) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None: ...


@pytest.fixture(autouse=True)
def _small_partitions(monkeypatch) -> None:
    monkeypatch.setattr("miner.run.stage.PARTITION_TEXTS", 4)


def corpus(folder: Path, texts: int = 12) -> Corpus:
    rows = [
        f'{k},ann{k}@example.org,{"fr" if k % 2 else "de"},B1,"The {"hard " if k == 5 else ""}wall number {k} has '
        f'a {"colour" if k % 2 else "shade"} that I like."'
        for k in range(texts)
    ]
    path = folder / "walls.csv"
    path.write_text("\n".join(["id,learner,l1,cefr,text", *rows]) + "\n", encoding="utf-8")
    return read_corpus(path)


def mined(read: Corpus, store: MemoryStore, checker: Colours, **more) -> LearnerResult:
    source = CheckerSource({read.name: checker}, load_taxonomy("rules"), load_exclusions("none"), "text", "all", {})
    with Tools(store) as tools:
        tools.use(checker)
        executor = LocalExecutor(store, tools)
        return run_learner([read], sources=[source], preset=get_preset("trans-env"), executor=executor, **more)


def test_what_an_ill_engine_left_out_is_in_the_tests_of_the_next_run(tmp_path: Path) -> None:
    read, store = corpus(tmp_path), MemoryStore()
    first = mined(read, store, Colours(ill=True))
    assert first.checked["status"].value_counts().to_dict() == {"checked": 11, "incomplete": 1}
    second = mined(read, store, Colours())
    undisturbed = mined(read, MemoryStore(), Colours())
    assert second.checked["status"].eq("checked").all()
    assert second.tests.equals(undisturbed.tests)


def test_progress_counts_each_text_once(tmp_path: Path) -> None:
    checker, told = Colours(), []

    @contextmanager
    def steps(_: str) -> Iterator[object]:
        yield lambda done, _: told.append((done, checker.seen))

    mined(corpus(tmp_path), MemoryStore(), checker, steps=steps)
    assert all(done <= seen for done, seen in told)
    assert told[-1] == (12, 12)


def test_results_that_are_kept_hold_no_text_and_no_learner(tmp_path: Path) -> None:
    store = MemoryStore()
    found = mined(corpus(tmp_path), store, Colours())
    kept = list(store.items())
    assert len(kept) > 10
    assert not [key for _, key, value in kept if b"example.org" in value or b"wall" in value]
    assert found.units["learner"].nunique() == 12


def test_corrections_that_are_typed_are_kept_without_their_text(monkeypatch) -> None:
    def retype(texts: pd.DataFrame, edits: pd.DataFrame, **_: object) -> Retyped:
        return Retyped(edits.assign(type="R:NOUN", scheme="errant"), Ledger("errant", "edits", 1, 1), "1")

    monkeypatch.setattr("miner.run.steps.retype", retype)
    texts = pd.DataFrame({"text_id": ["a"], "text": ["A wal."]})
    edit = {"text_id": "a", "annotator": "0", "start": 2, "end": 5, "token_start": None, "token_end": None}
    edit |= {"original": "wal", "correction": "wall", "type": "", "scheme": "none", "kind": "replace", "row": 0}
    frames, _ = TypePairs("1")({"texts": texts, "edits": conform([edit], EDITS)}, Tools())
    assert "wal" not in frames["edits"].to_csv()
    assert frames["edits"][["start", "end", "type"]].values.tolist() == [[2, 5, "R:NOUN"]]


def test_corpora_without_annotation_beside_one_that_has_some(tmp_path: Path) -> None:
    plain = corpus(tmp_path)
    rows = [
        f"{k},{'fr' if k % 2 else 'de'},B1,I like wall {k}.,I like {'the ' if k % 2 else ''}wall {k}." for k in range(6)
    ]
    path = tmp_path / "corrected.csv"
    path.write_text("\n".join(["id,l1,cefr,text,corrected", *rows]) + "\n", encoding="utf-8")
    edited = read_corpus(path, format="pairs")
    both = [plain, edited]
    edits, _ = edits_of(both, ids_in_run(both))
    source = EditSource(edits, load_taxonomy("miner-core"), load_exclusions("none"))
    executor = LocalExecutor(MemoryStore())
    found = run_learner(both, sources=[source], preset=get_preset("trans-env"), executor=executor)
    assert found.checked["reason"].eq("not annotated").sum() == 12
    assert len(found.units) == 6


def test_equal_ids_in_two_corpora_are_not_taken_for_the_same(tmp_path: Path) -> None:
    read = []
    for name, version in (("one", "2"), ("two", "1")):
        path = tmp_path / f"{name}.csv"
        rows = [f"{k},l{k},p1,e{k},{version},fr,B1,We like {name} and {k}." for k in range(3)]
        path.write_text("\n".join(["id,learner,prompt,essay,version,l1,cefr,text", *rows]) + "\n", encoding="utf-8")
        read.append(read_corpus(path))
    texts, skipped, _ = admitted_texts(read)
    assert skipped.empty
    assert len(texts) == texts["text_id"].nunique() == texts["learner_id"].nunique() == 6
    assert texts["prompt_id"].nunique() == 2


def test_parts_of_texts_are_left_out_in_each_of_several_corpora(tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    path.write_text("id,l1,cefr,text\n1,de,B1,We like other walls.\n", encoding="utf-8")
    one = corpus(tmp_path)
    parts = one.texts.assign(text_id="part-" + one.texts["text_id"], text="This is part " + one.texts["text_id"] + ".")
    parts = parts.assign(meta_part_of=one.texts["text_id"], flags="part_of_text")
    whole = replace(one, texts=pd.concat([one.texts, parts], ignore_index=True))
    for read in ([whole], [whole, read_corpus(path)]):
        _, skipped, _ = admitted_texts(read)
        assert skipped["reason"].tolist() == ["part of a text that is there"] * 12


def test_usage_of_errors_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="A family of usage features"):
        mine_usage([corpus(tmp_path)], families=["errors"])


def test_rows_of_another_table_go_with_their_texts() -> None:
    texts = pd.DataFrame({"text_id": ["1", "2", "10", "11", "b"], "corpus": "c"})
    parts = split(texts, 2)
    rows = pd.DataFrame({"text_id": ["b", "10", "1", "gone", "10", "1"], "row": [1, 2, 3, 4, 5, 6]})
    own = [p.frames["rows"]["row"].tolist() for p in with_rows(parts, "rows", rows)]
    assert [p.frames["texts"]["text_id"].tolist() for p in parts] == [["1", "2"], ["10", "11"], ["b"]]
    assert own == [[3, 6], [2, 5], [1]]


def test_edits_of_other_annotators_are_in_an_account(tmp_path: Path) -> None:
    rows = [f"{k},{'fr' if k % 2 else 'de'},B1,I like wall {k}.,I like the wall {k}." for k in range(6)]
    path = tmp_path / "corrected.csv"
    path.write_text("\n".join(["id,l1,cefr,text,corrected", *rows]) + "\n", encoding="utf-8")
    read = read_corpus(path, format="pairs")
    other = read.edits[:4].assign(annotator="9")
    both = replace(read, edits=conform(pd.concat([read.edits, other], ignore_index=True), EDITS))
    edits, ledger = edits_of([both], ids_in_run([both]))
    source = EditSource(edits, load_taxonomy("miner-core"), load_exclusions("none"), ledgers=(ledger,))
    found = run_learner([both], sources=[source], preset=get_preset("trans-env"), executor=LocalExecutor(MemoryStore()))
    (account,) = [lg for lg in found.ledgers if lg.step == "annotators"]
    assert (account.read, account.kept, dict(account.dropped)) == (10, 6, {"another annotator's": 4})
    assert sum(lg.read for lg in found.ledgers if lg.step == "categorise") == 6
