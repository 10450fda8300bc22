"""Usage features through the learner stages: planted differences of use are found, per opportunity too."""

from __future__ import annotations

import csv

import pandas as pd
import pytest

from miner.commands import main
from miner.corpora import read_corpus
from miner.errors import OptionError
from miner.run.usage import mine_usage

pytest.importorskip("spacy", reason="usage features need the extra errant")

NOUNS = ("dog", "car", "boat", "house", "tree", "book", "shop", "bridge")


def sentence(i, *, the):
    noun = NOUNS[i % len(NOUNS)]
    return f"I saw {'the' if the else 'a'} {noun} near {NOUNS[(i * 3 + 1) % len(NOUNS)]}s and went home."


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Learners of fr write the where those of de write a; both as often as they could."""
    path = tmp_path_factory.mktemp("usage") / "texts.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(["text", "l1", "cefr", "learner"])
        for l1 in ("fr", "de"):
            for k in range(12):
                body = [sentence(k * 5 + i, the=(i >= k % 3) == (l1 == "fr")) for i in range(6)]
                out.writerow([" ".join(body), l1, "A2", f"{l1}{k}"])
    roles = {"text": "text", "l1": "l1", "cefr": "cefr", "learner": "learner"}
    return read_corpus(path, roles=roles)


def test_what_differs_is_found_and_what_does_not_is_not(corpus):
    got = mine_usage([corpus], preset="welch")
    found = got.inventory.set_index(["l1", "feature"])["direction"]
    assert found["fr", "DEFINITE_ARTICLE"] == "over"
    assert found["fr", "INDEFINITE_ARTICLE"] == "under"
    assert ("fr", "PREPOSITION_PLACE_COMPLEX") not in found.index
    assert set(got.tests["family"]) == {"usage"}
    rates = got.rates.set_index(["l1", "feature"]).loc[("fr", "DEFINITE_ARTICLE")]
    # By hand: six sentences with two nouns each; four to six of the six articles are the.
    assert rates["per"] == "noun"
    assert rates["rate_target"] == pytest.approx(
        1000 * rates["occurrences_target"] / rates["opportunities_target"], rel=0.05
    )
    assert rates["rate_target"] > rates["rate_reference"]


def test_families_follow_each_other(corpus):
    got = mine_usage([corpus], preset="trans-env", families=("usage", "format"))
    assert list(dict.fromkeys(got.tests["family"])) in (["usage", "format"], ["format", "usage"])
    ranks = got.inventory.groupby(["l1", "cefr"])["rank"].apply(list)
    assert all(r == list(range(1, len(r) + 1)) for r in ranks)
    assert ":usage+format|" in str(got.signature)


def test_unknown_families_are_refused(corpus):
    with pytest.raises(OptionError, match="did you mean 'usage'"):
        mine_usage([corpus], families=("usages",))


def test_command_lists_features_without_a_corpus(capsys):
    assert main(["usage", "--list", "--show", "csv"]) == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert len(rows) >= 150
    assert main(["usage"]) == 1
    assert "--list" in capsys.readouterr().err


def test_command_writes_tables_without_text(corpus, tmp_path, capsys):
    source = tmp_path / "texts.csv"
    frame = corpus.texts[["text", "l1", "cefr", "learner_id"]]
    frame.to_csv(source, index=False)
    out = tmp_path / "out"
    options = ["--learner", "learner_id", "--preset", "welch", "--jobs", "1", "--cache", str(tmp_path / "cache")]
    assert main(["usage", str(source), "--out", str(out), *options]) == 0
    assert "rows tested (preset welch, unit learner)" in capsys.readouterr().err
    tests = pd.read_csv(out / "l1_tests.csv")
    assert (tests["opportunities_target"] > 0).any()
    assert "bridge" not in (out / "l1_tests.csv").read_text() + (out / "run.json").read_text()
