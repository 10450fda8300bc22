"""Mining a corpus's own annotation: rates by hand, texts that nobody annotated, corrections typed by ERRANT, examples."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from scipy import stats as scipy_stats

from miner.commands import main
from miner.corpora import read_corpus
from miner.evaluate.sources import Counting, count_source
from miner.run.folder import read_run

#: Of each L1 the answers (learners): how many articles are missing (code MD) and how many verbs disagree (AGV).
PLAN = {
    "ru": [(3, 0), (2, 1), (3, 0), (2, 0)],
    "de": [(0, 1), (1, 0), (0, 2), (0, 1)],
    "fr": [(1, 0), (0, 0), (0, 1), (1, 1)],
}
WORDS = 40


def answer(l1: str, k: int, articles: int, verbs: int) -> dict[str, object]:
    text, edits = "", []
    for _ in range(articles):
        text += "We saw  cat. "  # the corpus leaves two blanks where a word is missing
        edits.append([len(text) - 6, len(text) - 6, "the", "MD"])
    for _ in range(verbs):
        text += "He like it. "
        edits.append([len(text) - 9, len(text) - 5, "likes", "AGV"])
    text += "We like it. " * ((WORDS - len(text.split())) // 3)
    text += "Yes. " * (WORDS - len(text.split()))
    found = [[0, edits]]
    return {
        "text": text,
        "id": f"TX{k}*{l1}*2001*01",
        "q": "1",
        "l1": l1,
        "age": "21-25",
        "answer-s": "3",
        "script-s": "20",
        "edits": found,
    }


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("gold") / "answers.json"
    lines = [answer(l1, k, *numbers) for l1, rows in PLAN.items() for k, numbers in enumerate(rows)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def mined(corpus: Path, out: Path, *options: object) -> pd.DataFrame:
    fixed = ["--format", "fce-json", "--preset", "welch", "--no-cache", "--out", out]
    assert main([str(a) for a in ["mine", corpus, *fixed, *options]]) == 0
    return pd.read_csv(out / "l1_tests.csv", keep_default_na=False).set_index(["l1", "feature"])


def test_error_codes_are_compared_as_scipy_does_by_hand(corpus: Path, tmp_path: Path) -> None:
    tests = mined(corpus, tmp_path / "o", "--checker", "gold", "--option", "min_units=2", "--option", "min_errors=1")
    for column, feature in enumerate(("MISSING_DETERMINER", "SUBJECT_VERB_AGREEMENT")):
        rates = {l1: [1000 * r[column] / WORDS for r in rows] for l1, rows in PLAN.items()}
        for l1 in PLAN:
            others = [v for other, rows in rates.items() if other != l1 for v in rows]
            row = tests.loc[(l1, feature)]
            assert float(row["errors_target"]) == sum(r[column] for r in PLAN[l1])
            assert float(row["rate_target"]) == pytest.approx(sum(rates[l1]) / 4)
            expected = scipy_stats.ttest_ind(rates[l1], others, equal_var=False)
            assert float(row["p"]) == pytest.approx(expected.pvalue, rel=1e-9)
    raw = mined(corpus, tmp_path / "raw", "--checker", "gold", "--taxonomy", "rules")
    assert set(raw.index.get_level_values("feature")) == {"MD", "AGV"}
    assert read_run(tmp_path / "o")["checker"]["engine"] == "gold annotation"
    assert not (tmp_path / "o" / "matches.csv").exists()  # edits hold text


def test_a_text_that_nobody_annotated_is_not_free_of_errors(corpus: Path, tmp_path: Path) -> None:
    lines = corpus.read_text(encoding="utf-8").splitlines()
    bare = {**json.loads(lines[0]), "id": "TX9*ru*2001*01", "text": "We saw bird. " * 10, "edits": []}
    path = tmp_path / "answers.json"
    path.write_text("\n".join([*lines, json.dumps(bare)]) + "\n", encoding="utf-8")
    tests = mined(path, tmp_path / "o", "--checker", "gold")
    assert int(tests.loc[("ru", "MISSING_DETERMINER"), "texts_target"]) == 4
    checked = pd.read_csv(tmp_path / "o" / "checked.csv", keep_default_na=False).set_index("reason")
    assert checked.loc["not annotated", "status"] == "skipped"
    (account,) = [a for a in read_run(tmp_path / "o")["accounts"] if a["step"] == "count"]
    assert account["dropped"] == {"not annotated": 1}


def test_corrections_typed_by_errant_give_the_same_categories(corpus: Path, tmp_path: Path) -> None:
    pytest.importorskip("errant", reason="needs the extra errant")
    tests = mined(corpus, tmp_path / "o", "--checker", "pairs")
    for l1, rows in PLAN.items():
        assert int(tests.loc[(l1, "MISSING_DETERMINER"), "errors_target"]) == sum(a for a, _ in rows)
        assert int(tests.loc[(l1, "SUBJECT_VERB_AGREEMENT"), "errors_target"]) == sum(v for _, v in rows)


def test_a_corpus_without_annotation_says_what_to_do(tmp_path: Path, capsys) -> None:
    path = tmp_path / "plain.csv"
    path.write_text("text,l1,cefr\nA short text.,fr,A1\nAnother text.,de,A1\n", encoding="utf-8")
    for checker in ("gold", "pairs"):
        assert main(["mine", str(path), "--checker", checker, "--out", str(tmp_path / "o"), "--no-cache"]) == 1
        assert "no annotation" in capsys.readouterr().err
    assert not (tmp_path / "o").exists()


def test_examples_are_quoted_only_when_they_are_asked_for(corpus: Path, tmp_path: Path) -> None:
    options = ["--checker", "gold", "--option", "min_units=2", "--option", "min_errors=1", "--option", "alpha=0.2"]
    mined(corpus, tmp_path / "without", *options)
    assert "saw" not in "".join(p.read_text(errors="ignore") for p in (tmp_path / "without").rglob("*") if p.is_file())
    mined(corpus, tmp_path / "with", *options, "--examples", "2")
    shown = pd.read_csv(tmp_path / "with" / "examples.csv", keep_default_na=False)
    missing = shown[(shown["l1"] == "ru") & (shown["feature"] == "MISSING_DETERMINER")]
    assert 1 <= len(missing) <= 2
    assert missing["before"].str.endswith(("We saw", "We saw ")).all()
    assert shown["words"].sum() <= 99  # the FCE allows quotations below 100 words
    report = (tmp_path / "with" / "report.html").read_text(encoding="utf-8")
    assert "At most 99 words in all" in report


@pytest.mark.parametrize("taxonomy", ["miner-core", "rules"])
def test_what_is_judged_is_what_is_mined(corpus, tmp_path, taxonomy):
    mined(corpus, tmp_path / "run", "--checker", "gold", "--taxonomy", taxonomy)
    run = pd.read_csv(tmp_path / "run" / "counts.csv")
    judged = count_source(read_corpus(corpus, format="fce-json"), "gold", Counting(taxonomy=taxonomy)).counts.counts
    key = ["text_id", "feature"]
    both = [frame.sort_values(key).reset_index(drop=True)[[*key, "n"]] for frame in (run, judged)]
    pd.testing.assert_frame_equal(*both, check_dtype=False)
    assert len(run)


def test_exclusions_are_an_option_of_what_is_judged(corpus, tmp_path):
    table = tmp_path / "no_grammar.csv"
    table.write_text("field,value,action,reason\nfamily,errors,exclude,grammar apart\n", encoding="utf-8")
    found = {
        exclude: count_source(
            read_corpus(corpus, format="fce-json"), "gold", Counting(taxonomy="miner-core", exclude=exclude)
        )
        for exclude in ("default", table)
    }
    assert set(found["default"].counts.counts["feature"]) == {"MISSING_DETERMINER", "SUBJECT_VERB_AGREEMENT"}
    assert found[table].counts.counts.empty
    assert len(found[table].counts.units) == len(found["default"].counts.units)
    assert found["default"].signed["map"] != found[table].signed["map"]
