"""A thousand generated documents in each format, columns and tags in another order: all come back, edits and all."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import NamedTuple

import pytest

from miner.corpora import Corpus, read_corpus
from miner.corpora.corrected import apply_edits

N = 1000
WORDS = [
    "the",
    "cat",
    "of",
    "my",
    "aunt",
    "sleeps",
    "near",
    "a",
    "warm",
    "window",
    "&",
    "sees",
    "3",
    "<",
    "4",
    "birds",
    "naïve",
    "“quoted”",
    "it's",
    "don’t",
    "éclair",
]
L1S = {"fr": "French", "de": "German", "zh": "Chinese", "tr": "Turkish", "es": "Spanish"}
ALPHA3 = {"fr": "FRA", "de": "DEU", "zh": "ZHO", "tr": "TUR", "es": "SPA"}
NATIONS = {"fr": "fr", "de": "de", "zh": "cn", "tr": "tr", "es": "mx"}
LEVELS = ["A1", "A2", "B1", "B2", "C1"]


class Part(NamedTuple):
    """A stretch of text: what the learner wrote, and its correction (None: marked only; the same: no edit)."""

    wrong: str
    right: str | None


class Doc(NamedTuple):
    """A generated document."""

    n: int
    parts: list[Part]
    l1: str
    level: str
    learner: str
    prompt: str

    @property
    def text(self) -> str:
        """The learner's side."""
        return "".join(p.wrong for p in self.parts)

    @property
    def corrected(self) -> str:
        """The corrected side."""
        return "".join(p.wrong if p.right is None else p.right for p in self.parts)

    @property
    def marks(self) -> int:
        """The number of edits."""
        return sum(p.right != p.wrong for p in self.parts)


def documents(seed: int, *, n: int = N) -> list[Doc]:
    rng = random.Random(seed)

    def phrase() -> str:
        return " ".join(rng.choices(WORDS, k=rng.randrange(1, 6)))

    def part() -> list[Part]:
        wrong, right = rng.choice([(phrase(), phrase() + "s"), ("", phrase()), (phrase(), ""), (phrase(), None)])
        return [Part(wrong, right)] if right != wrong else []

    docs = []
    for i in range(n):
        parts = [Part(p, p) for p in [f"Text {i}: {phrase()} "]]
        for _ in range(rng.randrange(4)):
            plain = f" {phrase()} "
            parts += [*part(), Part(plain, plain)]
        parts.append(Part("end.", "end."))
        docs.append(Doc(i, parts, rng.choice(list(L1S)), rng.choice(LEVELS), f"w{i // 2}", f"p{i % 7}"))
    rng.shuffle(docs)
    return docs


def shuffled(rng: random.Random, given: dict) -> dict:
    keys = list(given)
    rng.shuffle(keys)
    return {k: given[k] for k in keys}


def write_table(path: Path, rows: list[dict], *, seed: int, delimiter: str = ",") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    columns = list(rows[0])
    random.Random(seed).shuffle(columns)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)


def json_edits(doc: Doc, *, codes: bool) -> list:
    edits, at = [], 0
    for part in doc.parts:
        if part.right != part.wrong:
            edits.append([at, at + len(part.wrong), part.right, *(["RV"] if codes else [])])
        at += len(part.wrong)
    return [[0, edits]]


def change(part: Part, rng: random.Random) -> str:
    if part.right == part.wrong:
        return escape(escape(part.wrong, quote=False)) if rng.random() < 0.5 else escape(part.wrong)
    inner = [
        f"<symbol>{'HL' if part.right is None else 'XX'}</symbol>",
        f"<correct>{escape(part.right or '')}</correct>",
    ]
    rng.shuffle(inner)
    halves = [f"<selection>{escape(part.wrong)}</selection>", f"<tag>{''.join(inner)}</tag>"]
    rng.shuffle(halves)
    return f"<change>{''.join(halves)}</change>"


def efcamdat_xml(folder: Path, docs: list[Doc]) -> None:
    rng = random.Random(1)
    out = ["<selection><meta><title>x</title></meta><writings>"]
    for d in docs:
        level = 3 * LEVELS.index(d.level) + 1
        ends = [
            f'<learner nationality="{NATIONS[d.l1]}" id="{d.learner}"/>',
            f'<topic id="{d.prompt[1:]}">Topic {d.prompt}</topic>',
            "<grade>80</grade>",
        ]
        ends.append(f"<text>{''.join(change(p, rng) for p in d.parts)}</text>")
        rng.shuffle(ends)
        out.append(f'<writing unit="1" level="{level}" id="{700000 + d.n}">\n' + "\n".join(ends) + "</writing>")
    (folder / "x.xml").write_text("\n".join([*out, "</writings></selection>"]), encoding="utf-8")


def efcamdat_errorcoded(folder: Path, docs: list[Doc]) -> None:
    rng = random.Random(2)
    rows = [
        {
            "writingID": 700000 + d.n,
            "level": 3 * LEVELS.index(d.level) + 1,
            "learnerID": d.learner,
            "nationality": NATIONS[d.l1],
            "topic": f"Topic {d.prompt}",
            "grade": 1,
            "text": "".join(change(p, rng) for p in d.parts),
            "original": d.text,
            "corrected": d.corrected,
        }
        for d in docs
    ]
    write_table(folder / "x.csv", rows, seed=2)


def efcamdat_cleaned(folder: Path, docs: list[Doc]) -> None:
    rows = [
        {
            "Writing ID": 700000 + d.n,
            "learnerID": d.learner,
            "level": 3 * LEVELS.index(d.level) + 1,
            "cefr": d.level,
            "l1": L1S[d.l1],
            "topic": f"Topic {d.prompt}",
            "grade": 1,
            "text": f"\n   {escape(d.text)}",
            "text_corrected": d.corrected,
        }
        for d in docs
    ]
    write_table(folder / "x.csv", rows, seed=3)


def fce_xml(folder: Path, docs: list[Doc]) -> None:
    rng = random.Random(4)

    def marked(part: Part) -> str:
        if part.right == part.wrong:
            return escape(part.wrong)
        if part.right is None:
            return f'<NS type="CE">{escape(part.wrong)}</NS>'
        sides = ([f"<i>{escape(part.wrong)}</i>"] if part.wrong else []) + (
            [f"<c>{escape(part.right)}</c>"] if part.right else []
        )
        rng.shuffle(sides)
        return f'<NS type="RV">{"".join(sides)}</NS>'

    target = folder / "0100_2001_6"
    target.mkdir()
    for d in docs:
        head = [f"<language>{L1S[d.l1]}</language>", "<age>21-25</age>"]
        rng.shuffle(head)
        body = [
            f"<question_number>{d.prompt[1:]}</question_number>",
            f"<coded_answer><p>{''.join(map(marked, d.parts))}</p></coded_answer>",
            "<exam_score>3.1</exam_score>",
        ]
        rng.shuffle(body)
        (target / f"doc{d.n}.xml").write_text(
            f'<?xml version="1.0" encoding="UTF-8"?>\n<learner><head sortkey="TR{d.n}*0100*2001*01"><text><answer1>{"".join(body)}</answer1></text><candidate><score>20.0</score><personnel>{"".join(head)}</personnel></candidate></head></learner>',
            encoding="utf-8",
        )


def fce_json(folder: Path, docs: list[Doc]) -> None:
    rng = random.Random(5)
    rows = [
        shuffled(
            rng,
            {
                "text": d.text,
                "age": None,
                "q": d.prompt[1:],
                "l1": d.l1,
                "id": f"TR{d.n}*0100*2001*01",
                "edits": json_edits(d, codes=True),
            },
        )
        for d in docs
    ]
    (folder / "x.json").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def wi_json(folder: Path, docs: list[Doc]) -> None:
    rng = random.Random(6)
    rows = [
        shuffled(
            rng,
            {
                "text": f" \t{d.text}\n",
                "userid": d.learner,
                "cefr": f"{d.level}.ii",
                "id": f"1-{d.n}",
                "edits": [[0, [[a + 2, b + 2, c] for a, b, c in json_edits(d, codes=False)[0][1]]]],
            },
        )
        for d in docs
    ]
    (folder / "x.json").write_text("\n".join(json.dumps(r, ensure_ascii=False) for r in rows), encoding="utf-8")


def pelic(folder: Path, docs: list[Doc]) -> None:
    levels = {"A2": 2, "B1": 3, "B2": 4, "C1": 5}
    rows = [
        {
            "answer_id": 700000 + d.n,
            "anon_id": d.learner,
            "L1": L1S[d.l1],
            "level_id": levels.get(d.level, 2),
            "question_id": d.prompt,
            "version": 1,
            "text": d.text,
            "tokens": "[]",
        }
        for d in docs
    ]
    write_table(folder / "x.csv", rows, seed=7)


def icle(folder: Path, docs: list[Doc]) -> None:
    write_table(
        folder / "meta.csv",
        [
            {
                "file": f"XX{d.n}",
                "title": d.prompt,
                "country": "x",
                "llanguage": L1S[d.l1],
                "olang1": "",
                "monthseng": -1,
            }
            for d in docs
        ],
        seed=8,
    )
    for d in docs:
        (folder / f"XX{d.n}.txt").write_bytes(f"<ICLE-XX-{d.n}.1>\r\n{d.text}\r\n".replace("ï", "i").encode("cp1252"))


def plain_folder(folder: Path, docs: list[Doc]) -> None:
    write_table(
        folder / "about.tsv",
        [
            {
                "Text ID": f"XX{d.n}.txt",
                "Title": d.prompt,
                "Native language": L1S[d.l1],
                "CEFR": d.level,
                "Learner ID": d.learner,
            }
            for d in docs
        ],
        seed=9,
        delimiter="\t",
    )
    (folder / "texts").mkdir()
    for d in docs:
        (folder / "texts" / f"XX{d.n}.txt").write_text(d.text, encoding="utf-8-sig")


def icnale(folder: Path, docs: list[Doc]) -> None:
    for d in docs:
        (folder / f"WE_CHN_SMK0_{d.n:03d}_B1_1.txt").write_text(d.text, encoding="utf-8-sig")


def toefl11(folder: Path, docs: list[Doc]) -> None:
    (folder / "responses" / "original").mkdir(parents=True)
    for d in docs:
        (folder / "responses" / "original" / f"{d.n}.txt").write_text(d.text, encoding="utf-8")
    (folder / "index.csv").write_text(
        "Filename,Prompt,Language,Score Level\n" + "".join(f"{d.n}.txt,{d.prompt},{ALPHA3[d.l1]},low\n" for d in docs),
        encoding="utf-8",
    )


def universalcefr(folder: Path, docs: list[Doc]) -> None:
    rng = random.Random(10)
    items = [
        shuffled(
            rng,
            {
                "title": "na",
                "lang": "en",
                "source_name": "s",
                "format": "f",
                "category": "learner",
                "cefr_level": d.level,
                "license": "x",
                "text": d.text,
            },
        )
        for d in sorted(docs)
    ]
    (folder / "x.json").write_text(json.dumps(items), encoding="utf-8")


def wi2024(folder: Path, docs: list[Doc]) -> None:
    rows = [
        {
            "public_essay_id": f"e{d.n}",
            "public_user_id": d.learner,
            "public_prompt_id": d.prompt,
            "language": L1S[d.l1],
            "text": d.text,
            "automarker_cefr_level": "pre-A1",
            "humannotator_cefr_level": f"{d.level}+",
            "user_prompt": f"u{d.n}",
            "essay_version_num": 1,
            "is_final_version": "TRUE",
        }
        for d in docs
    ]
    write_table(folder / "c.tsv", rows, seed=11, delimiter="\t")


def table(folder: Path, docs: list[Doc]) -> None:
    write_table(
        folder / "t.csv",
        [
            {
                "essay": d.text,
                "Native Language": L1S[d.l1],
                "CEFR level": d.level,
                "student_id": d.learner,
                "task": d.prompt,
                "id": f"x{d.n}",
            }
            for d in docs
        ],
        seed=12,
    )


def pairs(folder: Path, docs: list[Doc]) -> None:
    write_table(
        folder / "t.tsv",
        [
            {
                "original": d.text,
                "corrected": d.corrected,
                "l1": d.l1,
                "level": d.level,
                "learner": d.learner,
                "prompt": d.prompt,
                "id": f"x{d.n}",
            }
            for d in docs
        ],
        seed=13,
        delimiter="\t",
    )


def m2(folder: Path, docs: list[Doc]) -> None:
    blocks = []
    for d in sorted(docs):
        tokens: list[str] = []
        lines = []
        for part in d.parts:
            start, end = len(tokens), len(tokens) + len(part.wrong.split())
            tokens += part.wrong.split()
            if part.right != part.wrong:
                kind, right = ("UNK", part.wrong) if part.right is None else ("R:OTHER", part.right)
                lines.append(f"A {start} {end}|||{kind}|||{right}|||REQUIRED|||-NONE-|||0")
        blocks.append(
            "\n".join([f"S {' '.join(tokens)}", *(lines or ["A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0"])])
        )
    (folder / "x.m2").write_text("\n\n".join(blocks), encoding="utf-8", newline="\r\n")


def cefr_asag(folder: Path, docs: list[Doc]) -> None:
    for d in docs:
        (folder / f"{d.n}.xml").write_text(
            f'<TEI><text><body><div type="grading"><label type="level" subtype="majority-vote"><span>{d.level}</span></label></div><div type="answer"><p>{escape(d.text)}</p></div>'
            f'<div type="question"><label type="level"><span>A1</span></label><p>{d.prompt}</p></div></body></text><teiHeader><profileDesc><particDesc><person role="participant"><langKnowledge>'
            f'<langKnown tag="{d.l1}" level="native"/></langKnowledge></person></particDesc></profileDesc></teiHeader></TEI>',
            encoding="utf-8",
        )


#: writer, id of a document, whether there are edits, and which of l1, level, learner, prompt the format has.
FORMATS: dict[str, tuple[Callable[[Path, list[Doc]], None], str, bool, str]] = {
    "efcamdat-xml": (efcamdat_xml, "7{:05d}", True, "l1 level learner topic"),
    "efcamdat-errorcoded": (efcamdat_errorcoded, "7{:05d}", True, "l1 level learner topic"),
    "efcamdat-cleaned": (efcamdat_cleaned, "7{:05d}", False, "l1 level learner topic"),
    "fce-xml": (fce_xml, "TR{}*0100*2001*01", True, "l1"),
    "fce-json": (fce_json, "TR{}*0100*2001*01", True, "l1"),
    "wi-locness-json": (wi_json, "1-{}", True, "level learner"),
    "pelic": (pelic, "7{:05d}", False, "l1 learner prompt"),
    "icle": (icle, "XX{}", False, "l1 prompt"),
    "folder": (plain_folder, "XX{}", False, "l1 level prompt learner"),
    "icnale": (icnale, "WE_CHN_SMK0_{:03d}_B1_1", False, ""),
    "toefl11": (toefl11, "{}", False, "l1 prompt"),
    "universalcefr": (universalcefr, "x:{}", False, "level"),
    "wi2024": (wi2024, "e{}", False, "l1 level learner prompt"),
    "table": (table, "x{}", False, "l1 level learner prompt"),
    "pairs": (pairs, "x{}", True, "l1 level learner prompt"),
    "cefr-asag": (cefr_asag, "made/{}", False, "l1 level"),
}


@pytest.mark.parametrize("name", list(FORMATS))
def test_a_thousand_documents(name: str, tmp_path: Path) -> None:
    write, form, gold, has = FORMATS[name]
    docs = documents(sorted(FORMATS).index(name))
    folder = tmp_path / "made"
    folder.mkdir()
    write(folder, docs)
    corpus = read_corpus(folder)
    assert corpus.format == name
    assert corpus.ledger.as_dict()["kept"] == len(corpus.texts) == N
    rows = {r["text_id"].split("#")[0]: r for r in corpus.texts.fillna("").to_dict("records")}
    for d in docs:
        row = rows[form.format(d.n)]
        text = d.text.replace("ï", "i") if name == "icle" else d.text
        assert row["text"] == text.strip()
        if "l1" in has:
            assert row["l1"] == d.l1
        if "level" in has:
            assert row["cefr"] == d.level
        if "learner" in has:
            assert row["learner_id"] == d.learner
        if "prompt" in has or "topic" in has:
            assert row["prompt_id"] == (f"Topic {d.prompt}" if "topic" in has else d.prompt)
    if gold:
        _check_edits(corpus, docs, form, exact=name != "pairs")


def _check_edits(corpus: Corpus, docs: list[Doc], form: str, *, exact: bool) -> None:
    by_text = {k.split("#")[0]: v for k, v in corpus.edits.groupby("text_id")}
    for d in docs:
        edits = by_text.get(form.format(d.n))
        given = [] if edits is None else edits.to_dict("records")
        assert apply_edits(d.text, given) == d.corrected
        if exact:
            assert sum(e["kind"] != "noop" for e in given) == d.marks


def test_a_thousand_sentences_of_m2(tmp_path: Path) -> None:
    docs = documents(99)
    m2(tmp_path, docs)
    corpus = read_corpus(tmp_path)
    assert corpus.format == "m2"
    assert len(corpus.texts) == N
    edits = {k: v.to_dict("records") for k, v in corpus.edits.groupby("text_id")}
    for d, row in zip(
        sorted(docs),
        corpus.texts.set_index("text_id").loc[[f"x.m2#{i + 1}" for i in range(N)]].itertuples(),
        strict=True,
    ):
        assert row.text.split() == d.text.split()
        assert apply_edits(row.text, edits[row.Index]).split() == d.corrected.split()


def test_a_thousand_texts_in_a_wide_table(tmp_path: Path) -> None:
    # A '<' of the learner's own inside a correction cannot be told from the markup.
    plain = str.maketrans("<", "+")
    docs = [
        d._replace(parts=[Part(p.wrong.translate(plain), p.right and p.right.translate(plain)) for p in d.parts])
        for d in sorted(documents(7))
    ]
    rows = []
    for start in range(0, N, 4):
        cells = {"Student": f"s{start}", "mother tongue": L1S[docs[start].l1], "Group": "x"}
        for task, d in zip(("Essay 1.1.1", "Essay 1.1.2", "Essay 2.1", "Task 3"), docs[start : start + 4], strict=True):
            cells[task] = "".join(
                p.wrong
                if p.right in (None, p.wrong) or not p.wrong or not p.right
                else f"<original={p.wrong}>{p.right}</original>"
                for p in d.parts
            )
        rows.append(cells)
    write_table(tmp_path / "t.csv", rows, seed=14)
    corpus = read_corpus(tmp_path, roles={"learner": "Student", "l1": "mother tongue"}, format="wide")
    texts = {(r.learner_id, r.text_id.split("#")[1]): r for r in corpus.texts.itertuples()}
    assert len(texts) == N
    for start in range(0, N, 4):
        for task, d in zip(("Essay 1.1.1", "Essay 1.1.2", "Essay 2.1", "Task 3"), docs[start : start + 4], strict=True):
            row = texts[f"s{start}", task]
            assert row.text.replace(" ", "") == d.text.strip().replace(" ", "")
            assert row.l1 == docs[start].l1
            assert row.prompt_id == ("Essay 1.1" if task.startswith("Essay 1") else task)
    assert corpus.texts["meta_version"].value_counts().to_dict() == {"draft": N // 4, "final": N // 4}
