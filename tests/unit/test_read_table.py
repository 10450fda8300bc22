"""Tables: kinds of files, roles, ids, defects, empty and odd texts."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path

import openpyxl
import pandas as pd
import pytest

from miner.corpora import read_corpus, write_manifest
from miner.errors import EmptyInput, InputError, MinerError, OptionError
from miner.tables import EDITS, TEXTS

ROWS = [
    {"Learner ID": "p1", "L1": "French", "level": "B1", "text": "We was in the garden.", "year": 2019},
    {"Learner ID": "p2", "L1": "nan", "level": "A2+", "text": "It rains,\nso we stay.", "year": 2020},
    {"Learner ID": "p3", "L1": "NA", "level": None, "text": 'She said "no", twice.', "year": 2020},
]


def written(folder: Path, kind: str, rows: list[dict] = ROWS) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / f"texts.{kind}"
    if kind in ("csv", "tsv"):
        pd.DataFrame(rows).to_csv(path, index=False, sep="\t" if kind == "tsv" else ",")
    elif kind == "semicolon.csv":
        pd.DataFrame(rows).to_csv(path, index=False, sep=";", encoding="utf-8-sig", lineterminator="\r\n")
    elif kind == "jsonl":
        path.write_text("\n".join(json.dumps(r) for r in rows) + "\n", encoding="utf-8")
    elif kind == "json":
        path.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    elif kind == "parquet":
        pd.DataFrame(rows).to_parquet(path)
    elif kind == "xlsx":
        book = openpyxl.Workbook()
        book.active.append(list(rows[0]))
        for row in rows:
            book.active.append(list(row.values()))
        book.save(path)
    elif kind == "csv.gz":
        path.write_bytes(gzip.compress(pd.DataFrame(rows).to_csv(index=False).encode()))
    elif kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("inside/t.csv", pd.DataFrame(rows).to_csv(index=False))
    return path


@pytest.mark.parametrize("kind", ["csv", "tsv", "semicolon.csv", "jsonl", "json", "parquet", "xlsx", "csv.gz", "zip"])
def test_every_kind_of_file_gives_the_same_texts(tmp_path: Path, kind: str) -> None:
    corpus = read_corpus(written(tmp_path, kind))
    texts = corpus.texts.set_index("learner_id")
    assert list(corpus.texts.columns) == [*TEXTS.names, "meta_year"]
    assert list(corpus.edits.columns) == EDITS.names
    assert texts["l1"].to_dict() == {"p1": "fr", "p2": "nan", "p3": "na"}
    assert texts["cefr"].fillna("").to_dict() == {"p1": "B1", "p2": "A2", "p3": ""}
    assert texts["text"].to_dict() == {r["Learner ID"]: r["text"] for r in ROWS}
    assert texts["n_words"].tolist() == [5, 5, 4] or sorted(texts["n_words"]) == [4, 5, 5]
    assert texts["meta_year"].to_dict() == {"p1": "2019", "p2": "2020", "p3": "2020"}
    assert corpus.roles == {"text": "text", "l1": "L1", "cefr": "level", "learner": "Learner ID"}
    assert corpus.ledger.as_dict()["kept"] == 3
    # The id is a hash of the content: the kind of file, the order of rows and of columns are no matter.
    shuffled = [dict(reversed(r.items())) for r in reversed(ROWS)]
    again = read_corpus(written(tmp_path / "other", kind, shuffled))
    assert again.fingerprint == corpus.fingerprint
    pd.testing.assert_frame_equal(again.texts, corpus.texts)


def test_identical_rows_get_a_counter(tmp_path: Path) -> None:
    corpus = read_corpus(written(tmp_path, "jsonl", [ROWS[0], ROWS[1], ROWS[0]]))
    first, second = sorted(corpus.texts.loc[corpus.texts["learner_id"] == "p1", "text_id"])
    assert second == f"{first}-2"


def test_given_roles_and_ids(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b,c,text,essay\n1,fr,B1,one two,x\n2,it,B2,three,y\n", encoding="utf-8")
    corpus = read_corpus(path, roles={"id": "a", "l1": "b", "cefr": "C", "text": "essay"}, name="mine")
    assert corpus.texts["text_id"].tolist() == ["1", "2"]
    assert corpus.texts["text"].tolist() == ["x", "y"]
    assert corpus.texts["l1"].tolist() == ["fr", "it"]
    assert corpus.texts["meta_text"].tolist() == ["one two", "three"]
    assert corpus.name == "mine"


@pytest.mark.parametrize(
    ("content", "options", "error", "message"),
    [
        ("l1,essay,response\nfr,a,b\n", {}, InputError, "'essay', 'response' could all be the role 'text'"),
        ("l1,words\nfr,a\n", {}, InputError, "no column is recognised as the text; columns are 'l1', 'words'"),
        (
            "l1,text\nfr,a\n",
            {"roles": {"l1": "L1x"}},
            InputError,
            "no column 'L1x' for the role 'l1'; did you mean 'l1'",
        ),
        ("l1,text\nfr,a\n", {"roles": {"lang": "l1"}}, OptionError, "Unknown column role 'lang'"),
        ("text,text\na,b\n", {}, InputError, "occur twice"),
        ("text,l1\na\n", {}, InputError, "t.csv:2: a row with another number of cells than the header"),
        ('text,l1\n"a,fr\nb,de\n', {}, InputError, "t.csv:2: quoting that is not CSV"),
        ("text,l1\n", {}, EmptyInput, "No text could be read"),
        ("", {}, InputError, ""),
        ("text\na\n", {"format": "tabel"}, OptionError, "did you mean 'table'"),
        ("text\na\n", {"encoding": "utf-88"}, OptionError, "Unknown text encoding"),
        ("text\na\n", {"on_bad_row": "stop"}, OptionError, "'fail', 'skip'"),
    ],
)
def test_bad_input_is_told(tmp_path: Path, content: str, options: dict, error: type, message: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(error) as caught:
        read_corpus(path, **options)
    assert message in str(caught.value)


def test_missing_path_has_the_nearest_name(tmp_path: Path) -> None:
    (tmp_path / "essays.csv").write_text("text\na\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"did you mean 'essays\.csv'"):
        read_corpus(tmp_path / "esays.csv")
    with pytest.raises(EmptyInput, match="holds no file"):
        read_corpus(written(tmp_path / "empty", "nothing").parent)


def test_bad_rows_are_listed_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b'text,l1\n"one\ntwo",fr\nthree,de,x\nfour \xff,it\nfive,es\n')
    with pytest.raises(InputError, match=r"t\.csv:4: a row with another number"):
        read_corpus(path)
    corpus = read_corpus(path, on_bad_row="skip")
    assert sorted(corpus.texts["text"]) == ["five", "one\ntwo"]
    account = corpus.ledger.as_dict()
    assert (account["read"], account["kept"]) == (4, 2)
    assert account["places"]["a row with another number of cells than the header"] == ["t.csv:4"]
    assert account["places"]["a byte that does not fit the encoding"] == ["t.csv:5"]


def test_undecodable_byte_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b'{"text": "ok"}\n{"text": "don\x92t"}\n')
    with pytest.raises(InputError, match=r"t\.jsonl: not UTF-8 at byte 28 \(0x92\)"):
        read_corpus(path)
    assert sorted(read_corpus(path, encoding="cp1252").texts["text"]) == ["don’t", "ok"]


@pytest.mark.parametrize("name", ["t02_invalid_chars", "t03_empty", "t05_other_language", "t06_duplicates"])
def test_odd_texts_are_all_kept_and_flagged(cases: Path, name: str) -> None:
    path = cases / "text" / f"{name}.jsonl"
    given = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    corpus = read_corpus(path)
    assert corpus.texts["text_id"].tolist() == [row["id"] for row in given]
    flags = dict(zip(corpus.texts["text_id"], corpus.texts["flags"].fillna(""), strict=True))
    if name == "t02_invalid_chars":
        assert [flags[f"t02-{c}"] for c in "abcdef"] == [
            *(f"xml_invalid:{n}" for n in (1, 1, 2, 1, 1)),
            "invisible:2",
        ]
        assert flags["t02-g"] == flags["t02-h"] == ""
        json.dumps(corpus.texts["text"].tolist()).encode()
    if name == "t03_empty":
        assert corpus.texts["n_words"].tolist() == [0, 0, 0, 0, 0, 0, 1, 2]
        assert [flags[f"t03-{c}"].split(";")[0] for c in "abcdefgh"] == ["empty"] * 4 + ["no_words"] * 2 + [""] * 2


def test_levels_missing_and_unknown_are_told_apart(cases: Path) -> None:
    corpus = read_corpus(cases / "stats" / "s06_levels.csv", roles={"text": "CAT"})
    texts = corpus.texts
    assert texts["band"].value_counts().to_dict() == {"B": 5, "A": 3, "C": 2}
    assert corpus.ledger.noted["texts flagged level_unknown"] == 4
    assert (texts["band"].isna() & ~texts["flags"].fillna("").str.contains("level_unknown")).sum() == 5


def test_a_folder_that_miner_wrote_needs_no_flags(tmp_path: Path) -> None:
    rows = [{"essay": "One two.", "response": "x", "l1": "fr"}]
    path = written(tmp_path / "made", "csv.gz", rows)
    write_manifest(
        path.parent,
        format="table",
        name="made up",
        licence="MIT",
        redistribute=True,
        simulated=True,
        files=["texts.csv.gz"],
        roles={"text": "essay", "l1": "l1"},
    )
    (path.parent / "planted.csv").write_text("feature\nX\n", encoding="utf-8")
    corpus = read_corpus(path.parent)
    assert (corpus.name, corpus.licence, corpus.simulated, corpus.redistribute) == ("made up", "MIT", True, True)
    assert corpus.texts["text"].tolist() == ["One two."]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("formt = 'table'", "unknown key 'formt'; did you mean 'format'"),
        ("simulated = 'yes'", "'simulated' has the value"),
        ("x = = 1", "is not TOML"),
        ("files = ['text.csv']", "files that are not there: 'text.csv'; did you mean 'texts.csv'"),
    ],
)
def test_bad_manifest(tmp_path: Path, line: str, message: str) -> None:
    path = written(tmp_path / "made", "csv")
    (path.parent / "corpus.toml").write_text(line, encoding="utf-8")
    with pytest.raises(MinerError) as caught:
        read_corpus(path.parent)
    assert message in str(caught.value)


def test_nationality_is_no_declared_l1(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("text,nationality\na,fr\nb,ch\nc,Japan\nd,zz\n", encoding="utf-8")
    texts = read_corpus(path).texts.set_index("text")
    assert texts["l1"].fillna("").to_dict() == {"a": "fr", "b": "", "c": "ja", "d": ""}
    assert set(texts["l1_source"].dropna()) == {"nationality"}
    assert texts["flags"].fillna("").to_dict() == {"a": "", "b": "l1_ambiguous", "c": "", "d": "nationality_unknown"}


def test_markup_in_one_line_is_read_in_pieces(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("miner.corpora.lines.PIECE", 64)
    writings = "".join(
        f'<writing id="{i}" level="1" unit="1"><learner id="x" nationality="fr"/><text>Naïve text número {i}, “{"é" * 200}”.</text></writing>'
        for i in range(50)
    )
    for name, text in (("one.xml", writings), ("lines.xml", writings.replace("><", ">\n<"))):
        (tmp_path / name).write_text(f"<selection><writings>{text}</writings></selection>", encoding="utf-8")
        corpus = read_corpus(tmp_path / name, name="x")
        assert corpus.texts["text"].tolist() == [f"Naïve text número {i}, “{'é' * 200}”." for i in range(50)]


def test_text_files_in_all_encodings(cases: Path) -> None:
    folder = cases / "text" / "t07_encodings"
    with pytest.raises(InputError, match=r"broken_utf8\.txt: not UTF-8 at byte 5 \(0xE2\)"):
        read_corpus(folder)
    corpus = read_corpus(folder, on_bad_row="skip")
    assert corpus.format == "texts"
    assert corpus.texts["text"].nunique() == 1
    assert len(corpus.texts) == 6
    assert set(corpus.texts["n_words"]) == {14}
    assert set(corpus.texts["n_sentences"]) == {3}
    assert sorted(d.place for d in corpus.dropped) == ["broken_utf8.txt:1", "lf_cp1252.txt:1"]
    assert read_corpus(folder / "lf_cp1252.txt", encoding="cp1252").texts["text"].tolist() == [
        corpus.texts["text"].iloc[0]
    ]
