"""Every corpus format on a made-up sample in its real layout: exactly the expected texts and edits."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

from miner.corpora import Corpus, read_corpus
from miner.corpora.corrected import apply_edits
from miner.errors import InputError

CASES = Path(__file__).resolve().parents[1] / "cases" / "corpora"
FORMATS = {
    "efcamdat_cleaned": "efcamdat-cleaned",
    "efcamdat_errorcoded": "efcamdat-errorcoded",
    "efcamdat_xml": "efcamdat-xml",
    "fce_json": "fce-json",
    "fce_m2": "fce-m2",
    "fce_xml": "fce-xml",
    "icle_v2": "icle",
    "icle_v3_unverified": "folder",
    "icnale": "icnale",
    "pelic": "pelic",
    "toefl11": "toefl11",
    "universalcefr": "universalcefr",
    "wi2024": "wi2024",
    "wi_locness_json": "wi-locness-json",
    "wi_locness_m2": "wi-locness-m2",
}


def sample(name: str, tmp_path: Path) -> Path:
    folder = tmp_path / "sample"
    shutil.copytree(CASES / name, folder, ignore=shutil.ignore_patterns("expected*"))
    return folder


def shown(text: str) -> str:
    return text[:20].replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")


def text_rows(corpus: Corpus) -> set[tuple[str, ...]]:
    frame = corpus.texts[["text_id", "l1", "level", "learner_id", "prompt_id", "text"]].fillna("")
    return {(*row[:5], str(len(row[5])), shown(row[5])) for row in frame.itertuples(index=False)}


def edit_rows(corpus: Corpus) -> list[tuple[str, ...]]:
    edits = corpus.edits.copy()
    tokens = edits["token_start"].notna()
    edits.loc[tokens, ["start", "end"]] = edits.loc[tokens, ["token_start", "token_end"]].to_numpy()
    names = ["text_id", "annotator", "start", "end", "original", "correction", "type", "kind"]
    return sorted(
        tuple("" if v != v else str(v) for v in row) for row in edits[names].astype("object").itertuples(index=False)
    )


def expected(name: str, file: str) -> list[tuple[str, ...]]:
    path = CASES / name / file
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as stream:
        return sorted(tuple(row.values()) for row in csv.DictReader(stream))


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_sample(name: str, tmp_path: Path) -> None:
    corpus = read_corpus(sample(name, tmp_path))
    assert corpus.format == FORMATS[name]
    wanted = set(expected(name, "expected.csv"))
    got = text_rows(corpus)
    # Sentences of essays that are in the corpus as well are texts of their own.
    parts = {row for row in got if ".m2#" in row[0]} if name == "wi2024" else set()
    assert got - parts == wanted
    assert len(parts) == (2 if name == "wi2024" else 0)
    if gold := expected(name, "expected_edits.csv"):
        assert edit_rows(corpus) == gold
    corpus.ledger.check()


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_a_zip_around_a_sample_is_no_matter(name: str, tmp_path: Path) -> None:
    folder = sample(name, tmp_path)
    packed = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", folder))
    assert read_corpus(packed, name="x").fingerprint == read_corpus(folder, name="x").fingerprint


def test_both_fce_formats_give_the_same(tmp_path: Path) -> None:
    xml, json = read_corpus(CASES / "fce_xml"), read_corpus(sample("fce_json", tmp_path))
    assert text_rows(xml) == text_rows(json)
    assert edit_rows(xml) == edit_rows(json)


def test_what_is_dropped_is_listed(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    efcamdat = read_corpus(sample("efcamdat_xml", tmp_path / "a")).ledger.as_dict()
    assert efcamdat["dropped"] == {"empty text": 1}
    assert efcamdat["places"]["empty text"][0].startswith("EF_sample.xml:")
    toefl = read_corpus(sample("toefl11", tmp_path)).ledger.as_dict()
    assert toefl["dropped"] == {"listed, but there is no file": 1}
    assert toefl["places"]["listed, but there is no file"] == ["data/text/index-test.csv:1"]


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_edits_stand_where_they_say(name: str, tmp_path: Path) -> None:
    corpus = read_corpus(sample(name, tmp_path))
    texts = dict(zip(corpus.texts["text_id"], corpus.texts["text"], strict=True))
    for row in corpus.edits.itertuples():
        if row.kind != "noop":
            assert texts[row.text_id][row.start : row.end] == row.original
        if row.kind in ("replace", "insert", "delete"):
            one = corpus.edits[
                (corpus.edits["text_id"] == row.text_id)
                & (corpus.edits["row"] == row.row)
                & (corpus.edits["annotator"] == row.annotator)
            ]
            changed = apply_edits(texts[row.text_id], one.to_dict("records"))
            assert len(changed) != len(texts[row.text_id]) or changed != texts[row.text_id]


@pytest.mark.parametrize(
    ("name", "text_id", "annotator", "corrected"),
    [
        # Written out by hand from the markup.
        ("fce_xml", "TE9003*0102*2001*03#q1", "0", "The hall was deco with flowers.\n\nPeople were dancing."),
        (
            "fce_json",
            "TR9001*0100*2000*02#q4",
            "0",
            "It was a very fun day, which I spend with my cousins.\n\nHe does there every summer. and  nature is beautiful.",
        ),
        ("fce_m2", "fce.sample.gold.bea19.m2#2", "0", "He has a lot of information about the city ."),
        ("fce_m2", "fce.sample.gold.bea19.m2#2", "1", "He has much information about the city ."),
        ("fce_m2", "fce.sample.gold.bea19.m2#4", "0", "The thing what do it is not so ."),
        ("fce_m2", "conll_style.m2#1", "1", "She suggested taking the train ."),
        (
            "efcamdat_xml",
            "C90007",
            "0",
            "Dear Mayor, I would like to apply for the job of guide. I attended many courses & I speak three languages. The museum opens at 9. Yours, XXX",
        ),
        (
            "efcamdat_xml",
            "900002",
            "0",
            "Yesterday I went to the market with my friends. We bought a lot of vegetables. The seller spoke very good English.",
        ),
        ("wi_locness_json", "1-900001", "0", "Hello Tom! I am very excited about the party, see you on Friday."),
        (
            "wi2024",
            "en-writeandimprove2024-final-versions-train-sentences.m2#1",
            "0",
            "I am twenty years old and I like music .",
        ),
        ("icnale", "W_THA_SMK0_906_B1_1", "0", "Everyone has the right to breathe fresh air in every restaurant."),
    ],
)
def test_applied_edits_give_the_corrected_text(
    name: str, text_id: str, annotator: str, corrected: str, tmp_path: Path
) -> None:
    corpus = read_corpus(sample(name, tmp_path))
    text = corpus.texts.set_index("text_id").loc[text_id, "text"]
    edits = corpus.edits[(corpus.edits["text_id"] == text_id) & (corpus.edits["annotator"] == annotator)]
    assert apply_edits(text, edits.to_dict("records")) == corrected


def test_other_tables_of_a_corpus_are_no_damaged_copies_of_the_main_one(tmp_path: Path) -> None:
    folder = sample("pelic", tmp_path)
    (folder / "corpus_files" / "answer.csv").write_text(
        "answer_id,question_id,anon_id,text\n90001,7001,zz1,x\n", encoding="utf-8"
    )
    corpus = read_corpus(folder)
    assert len(corpus.texts) == 5
    assert corpus.ledger.noted["files that gave no text"] == 2


def test_a_column_that_is_missing_is_named(tmp_path: Path) -> None:
    folder = sample("pelic", tmp_path)
    table = folder / "PELIC_compiled.csv"
    table.write_text(table.read_text(encoding="utf-8").replace("level_id", "level_ident", 1), encoding="utf-8")
    with pytest.raises(
        InputError, match=r"PELIC_compiled\.csv:1: a table without columns .* \(no 'levelid'; did you mean"
    ):
        read_corpus(folder)
