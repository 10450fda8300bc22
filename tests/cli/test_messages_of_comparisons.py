"""What miner compare and explain say of options that cannot be."""

import re
from pathlib import Path

import pandas as pd
import pytest

from miner import tables
from miner.commands import explain, main
from miner.errors import nearest
from miner.learner import get_preset, select_l1, test_l1
from miner.run.folder import OutFolder
from miner.signature import Signature


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    rows = []
    for k in range(36):
        l1 = ("de", "fr", "ru")[k % 3]
        wrong = "I saw dog." if l1 == "ru" or k % 2 else "I saw the dog."
        rows.append((f"w{k}", f"{wrong} It was day {k}.", f"I saw the dog. It was day {k}.", l1, "B1"))
    file = tmp_path_factory.mktemp("corpus") / "c.csv"
    pd.DataFrame(rows, columns=["learner", "original", "corrected", "l1", "cefr"]).to_csv(file, index=False)
    roles = ["--l1", "l1", "--cefr", "cefr", "--learner", "learner"]
    return [str(file), "--format", "pairs", *roles, "--source", "gold", "--preset", "welch"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--target", "en"], "--target: 'en' is no L1 of the corpus. The corpus has 'de', 'fr', 'ru'; groups are"),
        (["--target", "slavik"], "'slavik' is no L1 of the corpus; did you mean 'slavic'? The corpus has"),
        (["--target", ","], "--target: a name is empty."),
        (["--target", ""], "--target is empty"),
        (["--levels", " "], "--levels is empty"),
        (["--only", "ru"], "--only belongs to --levels. Got it without --levels"),
        (["--reference", "ru"], "--reference belongs to --target. Got it without --target"),
        (["--reference", "ru", "--levels", "A,B"], "--reference belongs to --target. Got it with --levels"),
        (
            ["--target", "ru,de,fr"],
            "names every L1 of the corpus ('de', 'fr', 'ru'), so that nobody is left as reference",
        ),
        (["--target", "ru", "--reference", "ru"], "Got on both sides: 'ru'"),
    ],
)
def test_option_that_is_wrong_is_named(options, message, corpus, capsys):
    assert main(["compare", *corpus, *options]) == 1
    told = capsys.readouterr().err
    assert message in told
    assert not re.search(r"\?\.|\.\.|: none", told)


def test_codes_of_two_letters_that_share_one_are_not_suggested():
    assert nearest("en", ["de", "ja"]) == ""
    assert nearest("roman", ["romance", "de"]) == "; did you mean 'romance'?"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    rows = [(f"t{k}{b}", f"w{k}", ("de", "fr")[k % 2], b, "p", 100, None) for k in range(8) for b in "AB"]
    counts = [(row[0], "XX", 1 + k % 3) for k, row in enumerate(rows)]
    frames = [
        tables.conform(pd.DataFrame(counts, columns=tables.COUNTS.names), tables.COUNTS),
        tables.conform(pd.DataFrame(rows, columns=tables.UNITS.names), tables.UNITS),
    ]
    recipe = get_preset("welch")
    tests = test_l1(*frames, preset=recipe)
    with OutFolder(tmp_path_factory.mktemp("mined") / "run", command="mine", parameters={}) as folder:
        folder.facts(preset=recipe.as_dict())
        written = (tests, tables.L1_TESTS), (select_l1(tests, recipe), tables.L1_INVENTORY)
        for frame, table in (*written, (frames[0], tables.COUNTS), (frames[1], tables.UNITS)):
            folder.table(frame, table, Signature.of("l1", corpus="c", preset="welch", test="welch"))
    return folder.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--cefr", "Z"], "'Z' is no band (bands are 'A', 'B', 'C')"),
        (["--cefr", ""], "'' is no band"),
        (["--cefr", "C"], "'de' was not tested in band 'C', but in 'A', 'B'"),
        ([], "name one with --cefr"),
        (["--cefr", "A", "--units", ""], "--units takes the name of a CSV file"),
        (["--cefr", "A", "--units", "{tmp}"], "--units takes the name of a CSV file"),
        (["--cefr", "A", "--units", "{tmp}/no/units.csv"], "there is no folder {tmp}/no; make it first"),
    ],
)
def test_explain_says_what_is_wrong(options, message, run, tmp_path, capsys):
    given = [o.replace("{tmp}", str(tmp_path)) for o in options]
    assert main(["explain", str(run), "--l1", "de", "--feature", "XX", *given]) == 1
    assert message.replace("{tmp}", str(tmp_path)) in capsys.readouterr().err


def test_explain_of_another_l1_suggests_no_code_for_one_letter(run, capsys):
    assert main(["explain", str(run), "--l1", "en", "--feature", "XX"]) == 1
    assert "No test has l1 'en'. There are 'de', 'fr'" in capsys.readouterr().err


def test_a_run_given_twice_is_told(run, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(run.parent)
    for again in (str(run), "run", "./run/../run"):
        assert main(["compare", "--runs", str(run), again]) == 1
        assert f"the run {'run/../run' if '..' in again else again} is given twice" in capsys.readouterr().err
    assert main(["compare", "--runs", str(run)]) == 1
    assert "needs two or more. Got 1" in capsys.readouterr().err


def test_example_of_the_help_is_in_the_sample():
    example = explain.__doc__.split("miner explain outputs/sample")[1].split()
    asked = dict(zip(example[::2], example[1::2], strict=True))
    planted = pd.read_csv(
        Path(__file__).resolve().parents[2] / "corpora" / "sample" / "planted.csv", keep_default_na=False
    )
    here = planted[
        (planted[["l1", "cefr", "feature"]] == [asked[f"--{c}"] for c in ("l1", "cefr", "feature")]).all(axis=1)
    ]
    assert here[["checker_sees", "planted"]].to_numpy().tolist() == [[True, True]]


@pytest.mark.parametrize("options", [["--target", "ru"], ["--levels", "A,B"], ["--interaction", "A,B"]])
@pytest.mark.parametrize("preset", ["welch", "robust"])
def test_corpus_without_any_error_has_no_comparisons(options, preset, tmp_path, capsys):
    text = "I saw the dog and liked it."
    rows = [(f"w{k}", f"{text} {k}", f"{text} {k}", ("de", "ru")[k % 2], "AB"[k // 2 % 2] + "1") for k in range(24)]
    pd.DataFrame(rows, columns=["learner", "original", "corrected", "l1", "cefr"]).to_csv(
        tmp_path / "c.csv", index=False
    )
    roles = ["--l1", "l1", "--cefr", "cefr", "--learner", "learner", "--source", "gold", "--preset", preset]
    assert main(["compare", str(tmp_path / "c.csv"), "--format", "pairs", *roles, *options]) == 0
    assert "0 comparisons, 0 testable" in capsys.readouterr().err


def test_target_without_a_level_is_told(tmp_path, capsys):
    rows = [
        (f"w{k}", "I saw dog.", "I saw the dog.", ("de", "fr", "ru")[k % 3], ("B1", "B1", "")[k % 3]) for k in range(24)
    ]
    pd.DataFrame(rows, columns=["learner", "original", "corrected", "l1", "cefr"]).to_csv(
        tmp_path / "c.csv", index=False
    )
    roles = ["--l1", "l1", "--cefr", "cefr", "--learner", "learner", "--source", "gold", "--preset", "welch"]
    assert main(["compare", str(tmp_path / "c.csv"), "--format", "pairs", *roles, "--target", "ru"]) == 1
    assert "No text of ru can be compared" in capsys.readouterr().err
