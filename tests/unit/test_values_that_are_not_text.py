"""Tables whose values are no text, files that are empty, binary or in UTF-16, and labels that are not understood."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from miner.corpora import read_corpus
from miner.corpora.reading import label_notes, require_l1
from miner.errors import EmptyInput, InputError
from miner.text import decode

GOOD = {"text": "We went home.", "l1": "fr", "cefr": "B1", "learner": 7, "prompt": 2, "id": 3}


def as_lines(folder: Path, *rows: object, name: str = "t.jsonl") -> Path:
    path = folder / name
    path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("role", "value"),
    [
        ("text", ["one", "two"]),
        ("text", {"a": "b"}),
        ("text", True),
        ("text", 12),
        ("l1", ["fr"]),
        ("l1", False),
        ("cefr", {"level": "B1"}),
        ("learner", [1]),
        ("prompt", True),
        ("id", [3]),
    ],
)
@pytest.mark.parametrize("kind", ["jsonl", "json"])
def test_a_role_that_is_no_text_is_a_bad_row(tmp_path: Path, role: str, value: object, kind: str) -> None:
    rows = [GOOD, {**GOOD, "id": 4, role: value}]
    path = tmp_path / f"t.{kind}"
    path.write_text(
        "\n".join(map(json.dumps, rows)) if kind == "jsonl" else "[" + ",\n".join(map(json.dumps, rows)) + "]",
        encoding="utf-8",
    )
    with pytest.raises(InputError, match=rf"t\.{kind}:2: a value that is not text \('{role}' is "):
        read_corpus(path)
    corpus = read_corpus(path, on_bad_row="skip")
    assert dict(corpus.ledger.dropped) == {"a value that is not text": 1}
    assert corpus.ledger.places["a value that is not text"] == [f"t.{kind}:2"]
    assert corpus.texts["text_id"].tolist() == ["3"]


def test_numbers_are_ids_and_null_is_missing(tmp_path: Path) -> None:
    row = {"text": "Rain again.", "l1": None, "cefr": None, "learner": None, "prompt": 1.5, "id": 10, "extra": [1, 2]}
    corpus = read_corpus(as_lines(tmp_path, GOOD, row))
    assert corpus.texts["text_id"].tolist() == ["3", "10"]
    assert corpus.texts["learner_id"].fillna("").tolist() == ["7", ""]
    assert corpus.texts["prompt_id"].tolist() == ["2", "1.5"]
    assert corpus.texts["l1"].fillna("").tolist() == ["fr", ""]
    assert corpus.texts["meta_extra"].fillna("").tolist() == ["", "[1, 2]"]


def test_lists_in_parquet_are_bad_rows(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pd.DataFrame({"text": ["We ran.", "It fell."], "l1": [["fr"], ["it"]]}).to_parquet(path)
    with pytest.raises(InputError, match=r"row 1: a value that is not text \('l1' is a list"):
        read_corpus(path)


def test_pairs_and_wide_tables_too(tmp_path: Path) -> None:
    pairs = as_lines(tmp_path, {"text": "He go.", "corrected": ["He goes."]})
    with pytest.raises(InputError, match="'corrected' is a list; expected a string"):
        read_corpus(pairs, format="pairs")
    wide = as_lines(tmp_path, {"Task 1": "He go.", "Task 2": 5, "Task 3": "x", "l1": "fr"}, name="w.jsonl")
    with pytest.raises(InputError, match="'Task 2' is a number; expected a string"):
        read_corpus(wide, format="wide")


@pytest.mark.parametrize(
    "twice", ['{"text": "a b", "l1": "fr", "text": "c d"}', '{"text": "a", "m": {"x": 1, "x": 2}}']
)
def test_a_key_twice_is_a_bad_row(tmp_path: Path, twice: str) -> None:
    path = as_lines(tmp_path, GOOD, twice + '{"text": "after it", "l1": "it"}')
    with pytest.raises(InputError, match=r"t\.jsonl:2: an object that names a key twice \('(text|x)'\)"):
        read_corpus(path)
    assert sorted(read_corpus(path, on_bad_row="skip").texts["text"]) == ["We went home.", "after it"]
    array = tmp_path / "t.json"
    array.write_text(f"[{json.dumps(GOOD)},\n{twice},\n{json.dumps({**GOOD, 'id': 9})}]", encoding="utf-8")
    corpus = read_corpus(array, on_bad_row="skip")
    assert (len(corpus.texts), dict(corpus.ledger.dropped)) == (2, {"an object that names a key twice": 1})


@pytest.mark.parametrize(
    ("line", "what"), [("[1, 2]", "a list"), ("7", "a number"), ('"x"', "a string"), ("null", "null")]
)
def test_a_line_that_is_no_object_is_told(tmp_path: Path, line: str, what: str) -> None:
    for rows in ((line,), (line, GOOD)):
        with pytest.raises(InputError, match=rf"t\.jsonl:1: a line that is not a JSON object \({what}\)"):
            read_corpus(as_lines(tmp_path, *rows))
    assert len(read_corpus(as_lines(tmp_path, line, GOOD), on_bad_row="skip").texts) == 1


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.jsonl", "t.ndjson"])
@pytest.mark.parametrize("content", ["", "\n", " \n\t\n\n", "\ufeff"])
def test_an_empty_file_is_called_empty(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=rf"{name}:1: the file is empty"):
        read_corpus(tmp_path / name)
    with pytest.raises(EmptyInput):
        read_corpus(tmp_path / name, on_bad_row="skip")


def test_blank_lines_before_a_header(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text("  \n\ntext\tl1\nWe ran.\tfr\n", encoding="utf-8")
    assert read_corpus(path).texts["l1"].tolist() == ["fr"]


@pytest.mark.parametrize(
    "data", [b"\x00\x01\x02,\x00\n", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", bytes(range(256)) * 4]
)
def test_a_binary_file_is_called_binary(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    for encoding in (None, "latin-1"):
        with pytest.raises(InputError, match="binary file"):
            read_corpus(path, encoding=encoding)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_utf_16_without_a_mark_is_recognised(tmp_path: Path, name: str, encoding: str) -> None:
    content = {"t.csv": "text,l1\nWe ran.,fr\n", "t.jsonl": '{"text": "We ran.", "l1": "fr"}\n'}[name]
    (tmp_path / name).write_bytes(content.encode(encoding))
    with pytest.raises(InputError, match=f"looks like UTF-16 without a byte order mark.*--encoding {encoding}"):
        read_corpus(tmp_path / name)
    assert read_corpus(tmp_path / name, encoding=encoding).texts["text"].tolist() == ["We ran."]


def test_utf_16_without_a_mark_is_recognised_in_texts_of_their_own() -> None:
    with pytest.raises(InputError, match=r"e\.txt: looks like UTF-16 .*--encoding utf-16-le"):
        decode("It rained all day.".encode("utf-16-le"), place="e.txt")
    assert decode(b"one null\0 is none", place="e.txt") == "one null\0 is none"


def test_labels_that_are_not_understood_are_named(tmp_path: Path) -> None:
    labels = [("fr", "B1"), ("Klingonish", "Z9"), ("Klingonish", "advanced"), ("it", ""), ("", "Z9"), ("xq zz", "B1")]
    rows = [{"id": i, "text": f"We ran {i} times.", "l1": l1, "cefr": c} for i, (l1, c) in enumerate(labels)]
    noted = read_corpus(as_lines(tmp_path, *rows)).ledger.noted
    assert {k: n for k, n in noted.items() if "not understood" in k} == {
        "level not understood: 'Z9'": 2,
        "level not understood: 'advanced'": 1,
        "L1 not understood: 'Klingonish'": 2,
        "L1 not understood: 'xq zz'": 1,
    }
    assert label_notes(read_corpus(as_lines(tmp_path, *rows)).ledger) == [
        "L1 not understood: 'Klingonish' (2 texts), 'xq zz' (1 texts)",
        "level not understood: 'Z9' (2 texts), 'advanced' (1 texts)",
    ]


def test_only_so_many_labels_are_named(tmp_path: Path) -> None:
    rows = [{"id": i, "text": "We ran.", "l1": "fr", "cefr": f"step {i % 25} " + "x" * 90} for i in range(100)]
    noted = read_corpus(as_lines(tmp_path, *rows)).ledger.noted
    found = {k: n for k, n in noted.items() if k.startswith("level not understood")}
    assert found.pop("level not understood: others") == 5 * 4
    assert len(found) == 20
    assert set(found.values()) == {4}
    assert max(map(len, found)) < 70


def test_a_table_without_level_or_l1_column_says_how_to_name_it(tmp_path: Path) -> None:
    corpus = read_corpus(as_lines(tmp_path, {"text": "We ran.", "tongue": "fr"}, {"text": "It fell.", "tongue": "it"}))
    assert corpus.ledger.noted["no level column; name it with --cefr COLUMN"] == 2
    assert corpus.ledger.noted["no L1 column; name it with --l1 COLUMN"] == 2
    with pytest.raises(
        InputError, match="no text has a known L1 .no column is known to hold it; name it with --l1 COLUMN"
    ):
        require_l1(corpus)
    odd = read_corpus(as_lines(tmp_path, {"text": "We ran.", "l1": "Klingonish"}, name="odd.jsonl"))
    with pytest.raises(InputError, match="no text has a known L1 .not understood: 'Klingonish'"):
        require_l1(odd)
