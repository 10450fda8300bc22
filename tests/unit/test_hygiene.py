"""Languages, duplicates, versions: flagged first, left out by policies that are recorded."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from miner.corpora import read_corpus
from miner.corpora.duplicates import duplicate_groups
from miner.corpora.hygiene import Policies, apply_policies, examine
from miner.corpora.language_check import language_of
from miner.errors import InputError, OptionError
from miner.tables import TEXTS


def flags_of(texts: pd.DataFrame) -> dict[str, str]:
    return dict(zip(texts["text_id"], texts["flags"].fillna(""), strict=True))


def test_other_languages_are_flagged_and_left_out(cases: Path) -> None:
    texts = read_corpus(cases / "text" / "t05_other_language.jsonl").texts
    flags = flags_of(examine(texts))
    assert [k[-1] for k, v in flags.items() if v.startswith("other_language")] == list("bcde")
    assert [v for k, v in flags.items() if k[-1] in "bcde"] == [f"other_language:{x}" for x in ("fr", "de", "ar", "zh")]
    assert flags["t05-f"] == "mixed_language:fr"
    assert flags["t05-g"] == "language_unclear"
    assert flags["t05-a"] == flags["t05-h"] == ""
    assert flags_of(examine(texts)) == flags
    kept, ledger = apply_policies(texts)
    assert [i[-1] for i in kept["text_id"]] == list("afgh")
    assert ledger.as_dict()["dropped"] == {"another language": 4}
    assert len(apply_policies(texts, Policies(other_language="keep"))[0]) == 8


@pytest.mark.parametrize("text", ["", "Ok.", "12345 67890 12345 67890", "Hotel Paris 2020"])
def test_short_texts_cannot_be_told(text: str) -> None:
    assert language_of(text).verdict == "cannot_tell"


def test_duplicates_by_sameness(cases: Path) -> None:
    texts = read_corpus(cases / "text" / "t06_duplicates.jsonl").texts

    def unique(sameness: str) -> int:
        groups = duplicate_groups(texts, sameness=sameness)
        return len(texts) - len(groups) + groups["group"].nunique()

    assert [unique(s) for s in ("exact", "whitespace", "case", "letters", "near")] == [5, 4, 3, 2, 2]
    exact = duplicate_groups(texts, sameness="exact")
    assert exact["text_id"].tolist() == ["t06-a", "t06-b", "t06-c"]
    assert exact["learner_id"].tolist() == ["P1", "P1", "P2"]
    assert set(exact["n_learners"]) == {2}


def test_policies_on_duplicates(cases: Path) -> None:
    texts = read_corpus(cases / "text" / "t06_duplicates.jsonl").texts

    def kept(**options: str) -> list[str]:
        return [i[-1] for i in apply_policies(texts, Policies(other_language="keep", **options))[0]["text_id"]]

    assert kept(duplicates="keep") == list("abcdefg")
    assert kept(duplicates="first_per_learner") == list("acdefg")
    assert kept(duplicates="first", sameness="case") == list("adg")
    assert kept(duplicates="first", sameness="letters") == list("ad")


def test_near_duplicates_need_not_be_the_same(tmp_path: Path) -> None:
    base = "the old house near the river was sold last year and nobody knows who lives there now because the windows are dark every night when we walk past it with our dog after dinner"
    other = " ".join(reversed(base.split()))
    rows = [base, base + " again", other, base.replace("dog", "cat") + "."]
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(json.dumps({"id": str(i), "text": t}) for i, t in enumerate(rows)), encoding="utf-8")
    groups = duplicate_groups(read_corpus(path).texts, sameness="near")
    assert "2" not in set(groups["text_id"])
    assert {"0", "1"} <= set(groups["text_id"])


def versions(tmp_path: Path) -> pd.DataFrame:
    rows = [
        {"id": "a", "text": "One two three.", "essay": "e1", "version": "1"},
        {"id": "b", "text": "One two three four.", "essay": "e1", "version": "10"},
        {"id": "c", "text": "One two three five.", "essay": "e1", "version": "9"},
        {"id": "d", "text": "Something else.", "essay": "e2", "version": "final"},
        {"id": "e", "text": "Something.", "essay": "e2", "version": "draft"},
        {"id": "f", "text": "No essay."},
    ]
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return read_corpus(path, roles={"text": "text", "id": "id"}).texts


@pytest.mark.parametrize(("wanted", "kept"), [("first", "aef"), ("final", "bdf"), ("all", "abcdef")])
def test_one_version_of_an_essay(tmp_path: Path, wanted: str, kept: str) -> None:
    texts, ledger = apply_policies(versions(tmp_path), Policies(other_language="keep", versions=wanted))
    assert texts["text_id"].tolist() == list(kept)
    assert ledger.as_dict()["read"] == 6


def test_sentences_of_essays_are_not_counted_twice(cases: Path) -> None:
    corpus = read_corpus(cases / "corpora" / "wi2024")
    kept, ledger = apply_policies(corpus.texts, Policies(other_language="keep"))
    assert sorted(kept["text_id"]) == ["essay9001", "essay9003", "essay9004", "essay9005"]
    assert ledger.as_dict()["dropped"] == {"another version than the first": 1, "part of a text that is there": 2}


def test_unknown_policy_is_refused() -> None:
    with pytest.raises(OptionError, match="The policy 'versions' must be one of 'first', 'final', 'all', 'fail'"):
        Policies(versions="latest")


def test_leftover_markup_is_flagged(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(
        '{"id": "a", "text": "I <b>like</b> it"}\n{"id": "b", "text": "2 < 3 and <3"}\n{"id": "c", "text": "a &amp; b"}\n',
        encoding="utf-8",
    )
    flags = flags_of(examine(read_corpus(path).texts, language=False))
    assert flags == {"a": "markup_left", "b": "", "c": "markup_left"}


@pytest.mark.parametrize(
    ("name", "policies", "message"),
    [
        (
            "t05_other_language",
            {"other_language": "fail"},
            "4 texts are 'another language' and the policy is to fail: 't05-b'",
        ),
        (
            "t06_duplicates",
            {"duplicates": "fail"},
            "3 texts are 'duplicate' and the policy is to fail: 't06-b', 't06-c', 't06-e'",
        ),
    ],
)
def test_policies_may_fail(cases: Path, name: str, policies: dict, message: str) -> None:
    texts = read_corpus(cases / "text" / f"{name}.jsonl").texts
    with pytest.raises(InputError, match=message):
        apply_policies(texts, Policies(**{"other_language": "keep", **policies}))


def test_no_texts_have_nothing_wrong() -> None:
    empty = TEXTS.empty()
    assert len(examine(empty)) == 0
    kept, ledger = apply_policies(empty)
    assert len(kept) == ledger.read == 0


def test_the_quick_look_at_languages_agrees(cases: Path) -> None:
    for row in (
        json.loads(x) for x in (cases / "text" / "t05_other_language.jsonl").read_text(encoding="utf-8").splitlines()
    ):
        slow, quick = language_of(row["text"]), language_of(row["text"], stretches=False)
        assert quick.verdict == ("english" if slow.verdict == "mixed" else slow.verdict)
    assert language_of("le pain et le vin sont the and of with that", stretches=False).verdict == "english"


@pytest.mark.parametrize(
    ("policy", "left"),
    [("no_words", "b"), ("characters", "c"), ("markup", "d")],
)
def test_each_kind_of_flag_has_its_policy(tmp_path, policy: str, left: str) -> None:
    rows = [
        {"id": "a", "text": "She walks home with her brother."},
        {"id": "b", "text": "?!"},
        {"id": "c", "text": "She walks\u0001 home with my sister."},
        {"id": "d", "text": "She walks <b>home</b> with your uncle."},
    ]
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    texts = read_corpus(path, roles={"text": "text", "id": "id"}).texts
    kept = apply_policies(texts, Policies(**{policy: "drop"}))[0]["text_id"].tolist()
    assert kept == [i for i in "abcd" if i != left]
    assert apply_policies(texts)[0]["text_id"].tolist() == list("abcd")
    with pytest.raises(InputError, match="the policy is to fail"):
        apply_policies(texts, Policies(**{policy: "fail"}))
