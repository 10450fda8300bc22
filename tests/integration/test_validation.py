"""Validation: baselines, another corpus, what was planted, the verdict with its page and pictures."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

from miner import plots, tables
from miner.commands import main
from miner.commands.validate import get_recipes
from miner.errors import InputError, OptionError, StatisticsError
from miner.evaluate import (
    Validation,
    auc,
    compare_across,
    compare_planted,
    covariate_baseline,
    format_baseline,
    format_counts,
    held_out_auc,
    length_and_score,
    scores_of,
    shuffle_labels,
    together,
    validate,
    verdict,
)
from miner.features import usage
from miner.learner import Counts, compare_l1, get_preset
from miner.ledger import Ledger
from miner.report.verdict import render_verdict, summary, verdict_text
from miner.run.validation import draw_validation

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from simulated_counts import plan_of, simulate_counts


def _texts(rows):
    frame = pd.DataFrame(rows)
    defaults = {c.name: None for c in tables.TEXTS.columns if c.name not in frame}
    words = frame["text"].str.split().str.len()
    return tables.conform(frame.assign(**defaults).assign(n_words=words, n_sentences=1, corpus="made"), tables.TEXTS)


@pytest.fixture(scope="module")
def written():
    # French writers like exclamation marks, German ones commas; lengths are alike.
    rng = np.random.default_rng(4)
    rows = []
    for k in range(80):
        l1 = ("fr", "de")[k % 2]
        mark = ("!", ",")[k % 2 if rng.random() < 0.95 else 1 - k % 2]
        text = " ".join(f"We saw the lake{mark} it was cold {n}." for n in range(int(rng.integers(3, 6))))
        rows.append(
            {"text_id": f"t{k:02}", "text": text, "l1": l1, "band": "B", "cefr": "B1", "learner_id": f"w{k:02}"}
        )
    return _texts(rows)


def test_layout_is_counted_as_the_parser_counts_it(written):
    few = written.head(3)
    counted, labels = format_counts(few)
    parsed = usage(few, families=("format",)).counts
    pd.testing.assert_frame_equal(counted.counts, parsed)
    assert set(parsed["feature"]) <= set(labels)


def test_layout_alone_tells_writers_apart(written):
    found = format_baseline(written, "welch", folds=4, fewest=10)
    assert found.pooled > 0.7
    assert found.l1s == ["de", "fr"]


def test_length_and_score_are_held_out(written):
    rng = np.random.default_rng(1)
    counted, _ = format_counts(written)
    score = np.where(written["l1"] == "fr", 3.0, 1.0) + rng.normal(0, 1, len(written))
    texts = written.assign(meta_exam_score=score.astype(str), meta_age="12", meta_remark="well marked")
    assert scores_of(texts) == ["meta_exam_score"]
    covariates = length_and_score(texts, scores_of(texts))
    found = covariate_baseline(counted, "welch", covariates, folds=4, fewest=10)
    # In sample, the score alone: an upper bound that held-out scores come near to.
    top = auc(score[texts["l1"] == "fr"], score[texts["l1"] == "de"])
    assert top - 0.1 < found.pooled <= top + 0.05
    noise = covariate_baseline(counted, "welch", length_and_score(written, []), folds=4, fewest=10)
    assert abs(noise.pooled - 0.5) < 0.2


def test_a_corpus_agrees_with_itself():
    counted, _ = simulate_counts(31, learners=40, ratio=3.0, bands=("B",))
    found = compare_across(counted, counted, "welch", fewest=20, resamples=10)
    assert (found.overlap, found.same_sign) == (1.0, 1.0)
    assert found.pearson == pytest.approx(1.0)
    assert found.notes == {}
    assert found.there is not None
    assert found.there.pooled > 0.6
    assert found.there.pooled == found.back.pooled
    assert set(found.effects["selected"]) == {"neither", "both"}


def test_effects_of_two_corpora_are_correlated_as_scipy_does():
    one, _ = simulate_counts(32, learners=30, ratio=3.0, bands=("B",))
    units = one.units.sort_values("text_id", ignore_index=True)
    first = units.groupby("l1").cumcount() < 15
    halves = []
    for rows in (first, ~first):
        own = units[rows]
        halves.append(Counts(one.counts[one.counts["text_id"].isin(own["text_id"])], own, Ledger("count", "texts")))
    found = compare_across(*halves, "welch", fewest=40)
    tests = [compare_l1(h, "welch")[1].set_index(["l1", "cefr", "feature"])["effect"] for h in halves]
    both = pd.concat(tests, axis=1).dropna()
    assert len(found.effects) == len(both)
    assert found.pearson == pytest.approx(scipy_stats.pearsonr(*both.to_numpy().T).statistic)
    assert found.spearman == pytest.approx(scipy_stats.spearmanr(*both.to_numpy().T).statistic)
    assert found.there is None
    assert found.notes["there"] == "no common L1 has 40 learners in the corpus that is scored"
    strangers = Counts(one.counts, one.units.assign(l1="x" + one.units["l1"]), one.ledger)
    with pytest.raises(InputError, match="no L1 in common"):
        compare_across(one, strangers, "welch")


def test_what_was_planted_is_told_by_what_power_depends_on():
    counted, planted = simulate_counts(33, learners=60, ratio=3.0, bands=("B",))
    found = compare_planted(counted, "welch", plan_of(counted, planted))
    inventory = compare_l1(counted, "welch")[2]
    over = inventory[inventory["direction"] == "over"]
    hits = sum(planted[f] == l1 for l1, f in zip(over["l1"], over["feature"], strict=True))
    wrong = sum(
        (planted[f] == l1) != (d == "over")
        for l1, f, d in zip(inventory["l1"], inventory["feature"], inventory["direction"], strict=True)
    )
    assert found.power == hits / len(planted)
    assert found.findings == len(inventory)
    assert found.false_share == pytest.approx(wrong / len(inventory))
    groups = found.groups
    assert set(groups["by"]) == {
        "all", "rate ratio", "base rate", "overdispersion", "learners", "sizes", "checker recall",
    }  # fmt: skip
    assert (groups.groupby("by")["findings"].sum() == found.findings).all()
    assert groups.loc[groups["by"] == "learners", "group"].tolist() == ["40 to 100"]
    # All errors that were planted are counted here: expected and counted ones differ by chance and prompts alone.
    assert "under 0.05" not in groups.loc[groups["by"] == "checker recall", "group"].tolist()
    half = counted.counts.assign(n=counted.counts["n"] // 4)
    blind = compare_planted(
        Counts(half[half["n"] > 0], counted.units, counted.ledger), "welch", plan_of(counted, planted)
    )
    recall = blind.groups[blind.groups["by"] == "checker recall"]
    assert set(recall["group"]) <= {"under 0.05", "0.05 to 0.3"}


@pytest.fixture(scope="module")
def found():
    counted, planted = simulate_counts(34, learners=30, ratio=3.0, bands=("B",))
    other, _ = simulate_counts(35, learners=30, ratio=3.0, bands=("B",))
    sizes = {"shuffles": 20, "splits": 1, "folds": 2, "fewest": 20}
    parts = [
        validate(counted, ["welch", "trans-env"], source=s, other=other, other_name="other", planted=p, **sizes)
        for s, p in (("checker", plan_of(counted, planted)), ("gold", None))
    ]
    return together(parts)


def test_validation_of_several_sources(found):
    figures = found.figures
    assert list(dict.fromkeys(figures["source"])) == ["checker", "gold"]
    own = figures[(figures["source"] == "checker") & (figures["preset"] == "welch")].set_index("figure")["value"]
    assert own["planted over-uses that are found"] > 0.5
    assert (
        own["across corpora, AUC: mined here, scored on other"]
        == own["across corpora, AUC: mined here, scored on other"]
    )
    assert own["share of p <= 0.05, shuffled labels"] < 0.12
    per_l1 = found.by_l1[(found.by_l1["source"] == "checker") & (found.by_l1["preset"] == "welch")]
    assert per_l1["selected_true"].mean() == pytest.approx(own["selected per L1, true labels"])
    assert per_l1["selected_shuffled"].mean() == pytest.approx(own["selected per L1, shuffled labels"])
    whole = found.p_values[found.p_values["limit"] == 1]
    assert (whole["share"] == 1).all()
    assert set(found.planted["source"]) == {"checker"}


def test_the_verdict_is_one_page(found):
    claims = {s: verdict(found.figures, "trans-env", source=s) for s in ("checker", "gold")}
    failed = [text for text, holds in claims["checker"] if holds is False]
    assert any("shuffled labels something is selected" in text for text in failed)
    assert len(claims["checker"]) > len(claims["gold"])  # nothing was planted in what annotators marked
    page = verdict_text(found.figures, claims, corpus="made")
    assert page.startswith("# Validation of welch, trans-env on made")
    assert "**fails**: With shuffled labels" in page
    pictures = draw_validation(found, simulated=True, here="made", there="other", signature="validation|seed:1")
    assert [p.name for p in pictures] == ["selected", "shuffled_p", "auc", "planted", "across_checker", "across_gold"]
    html = render_verdict(
        found.figures, claims, corpus="made", learners="150 learners", simulated=True, pictures=plots.inlined(pictures)
    )
    assert html.count("<figure ") == 6
    assert "SIMULATED corpus" in html
    assert "Errors that the corpus&#39;s annotators marked" in html
    assert not re.search(r'(?:src|href)="(?!#|data:)', html)
    assert summary([("a", True), ("b", None)]) == "1 of 2 claims hold, 0 fail, 1 cannot be told from this corpus."


def test_nothing_found_is_undefined_not_zero():
    counted, _ = simulate_counts(36, learners=12, bands=("B",))
    result = validate(counted, [get_preset("robust", permutations=99, alpha=1e-9)],
                      shuffles=20, splits=1, folds=3)  # fmt: skip
    claims = dict(verdict(result.figures, result.figures["preset"].iloc[0]))
    assert (
        claims[
            "With the true labels 0 features per L1 are selected (median 0; for half of the L1s or more at least one)"
        ]
        is False
    )
    assert sum(holds is None for holds in claims.values()) == 3
    auc_row = result.figures.set_index("figure").loc["held-out AUC"]
    assert np.isnan(auc_row["value"])
    assert "needs an L1 with 40 learners" in auc_row["note"]
    empty = tables.ACROSS_EFFECTS.empty()
    assert isinstance(result, Validation)
    with pytest.raises(InputError, match="Nothing to draw"):
        plots.plot_across(empty)


def test_recipes_are_named_with_their_options():
    one, two = get_recipes(["robust+min_ratio=1.5,alpha=.05", "trans-env"], ["cap=5"])
    assert (one.min_ratio, one.alpha, one.cap, two.cap) == (1.5, 0.05, 5, 10)
    assert get_recipes([one.name], [])[0] == one
    with pytest.raises(OptionError, match="welch twice"):
        get_recipes(["welch", "welch"], [])
    with pytest.raises(OptionError, match="Unknown preset options 'min_rato'"):
        get_recipes(["robust+min_rato=2"], [])


@pytest.mark.engine
def test_command_validates_with_the_checker_and_another_corpus(tmp_path, capsys):
    for seed in ("1", "2"):
        options = ["--texts", "120", "--seed", seed, "--ratio", "4", "--base", "6", "--words", "60"]
        assert main(["simulate", "--out", str(tmp_path / seed), *options]) == 0
    out = tmp_path / "out"
    sizes = ["--shuffles", "20", "--splits", "1", "--folds", "2", "--fewest", "4"]
    code = main(
        ["validate", str(tmp_path / "1"), "--against", str(tmp_path / "2"), "--preset", "welch", *sizes, "--out", str(out),
         "--cache", str(tmp_path / "cache"), "--show", "csv"]
    )  # fmt: skip
    told = capsys.readouterr()
    assert code in (0, 3)
    assert "Verdict, checker:" in told.err
    assert "punctuation and layout only" in told.out
    table = pd.read_csv(out / "validation.csv").set_index("figure")
    assert table.loc["across corpora, effects of the same sign as in simulated-120-2", "n"] > 5
    run = json.loads((out / "run.json").read_text(encoding="utf-8"))
    assert run["simulated"] is True
    assert (code == 3) == any(c["holds"] is False for c in run["verdict"])
    assert {p.name for p in (out / "figures").glob("*.svg")} >= {"auc.svg", "selected.svg", "planted.svg"}
    assert "SIMULATED" in (out / "verdict.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--shuffles", "3"], "--shuffles must be a whole number of at least 20. Got 3"),
        (["--splits", "-1"], "--splits must be a whole number of at least 0"),
        (["--folds", "1"], "--folds must be 2 or more"),
        (["--fewest", "0"], "--fewest must be a whole number of at least 2"),
        (["--preset", "robsut"], "did you mean 'robust'"),
        (["--source", "gold"], "no annotation to count"),
        (["--source", "pairs"], "no annotation to count"),
    ],
)
def test_bad_options_are_told(options, message, tmp_path, capsys):
    file = tmp_path / "corpus.csv"
    rows = [(f"A day {k} at the lake was nice.", ("fr", "de")[k % 2], "B1") for k in range(6)]
    pd.DataFrame(rows, columns=["text", "l1", "cefr"]).to_csv(file, index=False)
    assert main(["validate", str(file), *options]) == 1
    assert message in capsys.readouterr().err


def test_three_texts_are_no_defect():
    from miner.evaluate import compare_halves

    counted, _ = simulate_counts(40, learners=1, l1s=3, features=2, bands=("B",))
    with pytest.raises(StatisticsError, match="two L1s with two learners each"):
        compare_halves(counted, "welch")
    result = validate(counted, ["welch", "robust"], shuffles=20, splits=1, folds=2)
    claims = verdict(result.figures, "welch")
    assert sum(holds is None for _, holds in claims) >= 3
    told = result.figures.set_index(["preset", "figure"])["note"]
    assert "Halves need two L1s" in told["welch", "selected per L1 in a half"]


def test_command_with_annotation_and_grammar_side_by_side(tmp_path, capsys):
    rng, rows = np.random.default_rng(3), []
    for k in range(24):
        l1 = ("zh", "de")[k % 2]
        text = " ".join("I saw dog." if x else "I saw the dog." for x in rng.random(4) < (0.8 if l1 == "zh" else 0.2))
        rows.append((f"w{k}", f"{text} It was day {k}.", f"{'I saw the dog. ' * 4}It was day {k}.", l1, "B1"))
    file, out = tmp_path / "pairs.csv", tmp_path / "out"
    pd.DataFrame(rows, columns=["learner", "original", "corrected", "l1", "cefr"]).to_csv(file, index=False)
    roles = ["--format", "pairs", "--l1", "l1", "--cefr", "cefr", "--learner", "learner", "--jobs", "1", "--no-cache"]
    sizes = ["--shuffles", "20", "--splits", "0", "--folds", "0", "--preset", "welch"]
    options = ["--source", "gold", "--source", "usage", "--show", "csv", "--out", str(out)]
    assert main(["validate", str(file), *roles, *sizes, *options]) in (0, 3)
    table = pd.read_csv(out / "validation.csv")
    assert list(dict.fromkeys(table["source"])) == ["gold", "usage"]
    assert "Verdict, usage:" in capsys.readouterr().err
    assert "check:gold|" in json.loads((out / "validation.json").read_text(encoding="utf-8"))["signature"]


def test_a_corpus_in_which_nothing_can_be_tested_is_told(tmp_path):
    counted, _ = simulate_counts(37, learners=6, bands=("B",), features=3)
    nothing = Counts(counted.counts.head(0), counted.units, counted.ledger)
    found = shuffle_labels(nothing, "welch", shuffles=20)
    assert found.selected_true == 0
    assert np.isnan(found.any_family)


def test_there_are_no_more_folds_than_learners():
    counted, _ = simulate_counts(38, learners=6, l1s=2, bands=("B",), features=3, ratio=4.0)
    many, each = (held_out_auc(counted, "predictive", folds=k, fewest=2, resamples=20) for k in (1000, 12))
    assert (many.pooled, many.low, many.high) == (each.pooled, each.low, each.high)
