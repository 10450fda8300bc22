"""Tables whose columns, and archives whose members, stand elsewhere or have other names."""

from __future__ import annotations

import zipfile
from pathlib import Path

from miner.corpora import read_corpus


def test_a_toefl_index_is_read_by_its_header(tmp_path: Path) -> None:
    responses = tmp_path / "responses" / "original"
    responses.mkdir(parents=True)
    (responses / "31.txt").write_text("We plays outside.", encoding="utf-8")
    (responses / "32.txt").write_text("She go home.", encoding="utf-8")
    (tmp_path / "index.csv").write_text("Score Level,Language,Filename,Prompt\nlow,HIN,31.txt,P2\nhigh,TEL,32.txt,P3\n")
    (tmp_path / "index-dev.csv").write_text("31.txt,P2,HIN,low\n")

    corpus = read_corpus(tmp_path)

    columns = ["text_id", "l1", "level", "prompt_id", "meta_split"]
    rows = corpus.texts[columns].fillna("").to_numpy().tolist()
    assert rows == [["31", "hi", "low", "P2", "dev"], ["32", "te", "high", "P3", ""]]
    assert corpus.dropped == ()


def test_the_id_of_a_row_is_the_learner_in_a_wide_table(tmp_path: Path) -> None:
    (tmp_path / "w.csv").write_text(
        "ID,L1,Task 1,Task 2,Essay 3\nk1,Arabic,He go.,She go.,They goes.\nk2,Thai,It go.,,We goes.\n", encoding="utf-8"
    )

    texts = read_corpus(tmp_path).texts

    assert texts.groupby("learner_id").size().to_dict() == {"k1": 3, "k2": 2}


def test_a_member_that_points_out_of_its_archive_is_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.csv", "text,l1\nHe go home.,French\n")
        archive.writestr("../b.csv", "text,l1\nShe go home.,German\n")

    assert sorted(read_corpus(tmp_path / "a.zip").texts["l1"]) == ["de", "fr"]


def test_error_coded_texts_are_known_by_either_column_or_their_markup(tmp_path: Path) -> None:
    marked = "He <change><selection>go</selection><tag><symbol>VT</symbol><correct>went</correct></tag></change> home"
    for column in ("original", "corrected", "other"):
        folder = tmp_path / column
        folder.mkdir()
        (folder / "x.csv").write_text(
            f"writingID,learnerID,topic,grade,text,{column}\n8,b1,Games,90,{marked},z\n", encoding="utf-8"
        )
        corpus = read_corpus(folder)

        assert corpus.texts["text"].tolist() == ["He go home"]
        assert corpus.edits["correction"].tolist() == ["went"]
        assert set(corpus.ledger.noted) >= {"no column for the L1 or nationality", "no column for the level"}
