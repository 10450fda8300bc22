"""Simulated corpora: who writes what, what is planted, and that the same seed gives the same bytes."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from miner.categories import load_taxonomy
from miner.corpora import read_corpus
from miner.errors import OptionError
from miner.simulate import command_line, simulate, write_corpus
from miner.simulate.design import BANDS, CELLS, L1S, make_design
from miner.simulate.plan import PROMPT_FACTORS, make_plan
from miner.simulate.streams import _mixed, choices, gamma, keys, poisson, uniforms
from miner.simulate.templates import load_grammar
from miner.text import n_words, split_sentences

FILES = ("README.md", "corpus.toml", "planted.csv", "texts.csv")


def test_the_hash_is_splitmix64() -> None:
    # First two outputs of SplitMix64 for the seed 1234567, as listed on rosettacode.org (Pseudo-random numbers/Splitmix64).
    step = 0x9E3779B97F4A7C15
    states = np.array([1234567, 1234567 + step], dtype=np.uint64)
    assert _mixed(states).tolist() == [6457827717110365317, 3203168211198807973]


def test_numbers_belong_to_their_position_and_purpose() -> None:
    whole = uniforms(7, "a", np.arange(100)[:, None], np.arange(3))
    assert (whole[40:60] == uniforms(7, "a", np.arange(40, 60)[:, None], np.arange(3))).all()
    for other in (uniforms(8, "a", 5, 1), uniforms(7, "b", 5, 1), uniforms(7, "a", 1, 5)):
        assert other != whole[5, 1]
    assert keys(-3, "a", 0) != keys(3, "a", 0)


def test_uniform_numbers_are_uniform_and_independent() -> None:
    u = uniforms(3, "check", np.arange(20_000)[:, None], np.arange(4))
    assert 0 < u.min() < u.max() < 1
    assert stats.kstest(u.ravel(), "uniform").pvalue > 0.001
    assert abs(np.corrcoef(u.T)[np.triu_indices(4, 1)]).max() < 4 / np.sqrt(len(u))
    assert abs(np.corrcoef(u[:-1, 0], u[1:, 0])[0, 1]) < 4 / np.sqrt(len(u))
    assert np.bincount(choices(7, 3, "pick", np.arange(7000)), minlength=7).min() > 850


def test_inversions_agree_with_scipy() -> None:
    u = uniforms(5, "u", np.arange(4000))
    mean = 12 * uniforms(5, "mean", np.arange(4000)) ** 3
    mean[:5] = [0, 1e-12, 30, 60, 5]
    assert (poisson(u, mean) == stats.poisson.ppf(u, mean).clip(0)).all()
    assert poisson(np.array([1 - 1e-16, 1e-17]), np.array([2.0, 2.0]))[1] == 0
    for shape in (0.5, 1, 4):
        np.testing.assert_allclose(gamma(u, shape), stats.gamma.ppf(u, shape, scale=1 / shape), rtol=1e-9)


def test_every_slot_word_is_one_token_and_templates_know_their_length() -> None:
    grammar = load_grammar()
    text = place = np.arange(3)
    for words, fill in zip(grammar.words, grammar.fill, strict=True):
        own = [t for f in grammar.features for t in (f.wrong, f.short, f.right)]
        for template in (*own, *fill):
            for sentence in template.filled(words, 1, text, place):
                assert n_words(sentence) == len(sentence.split()) == template.words
                assert "{" not in sentence
                assert split_sentences(sentence) == [(0, len(sentence))]


def test_planted_features_are_categories_of_the_taxonomy() -> None:
    known = set(load_taxonomy("trans-env").categories["id"])
    features = load_grammar().features
    assert {f.category for f in features} <= known
    assert len(features) >= 12
    assert sum(f.seen for f in features) >= 8
    assert sum(not f.seen for f in features) >= 4


def test_a_second_word_differs_from_the_first() -> None:
    grammar = load_grammar()
    template = next(t for t in grammar.fill[0] if ("city", True, 0) in t.slots)
    cities = {w[0] for w in grammar.words[0].slots["city"]}
    many = template.filled(grammar.words[0], 1, np.arange(2000), np.zeros(2000, dtype=int))
    named = [[w for w in re.findall(r"\w+", s) if w in cities] for s in many]
    assert all(len(pair) == 2 and pair[0] != pair[1] for pair in named)


def test_texts_go_to_cells_in_turn_and_learners_write_several() -> None:
    design = make_design(1210, seed=1, words=100, prompts=6)
    sizes = np.bincount(design.cell, minlength=CELLS)
    assert (sizes.max() - sizes.min(), sizes.sum()) == (1, 1210)
    per_learner = np.array(sorted(Counter(design.writer.tolist()).values()))
    assert set(per_learner) <= {1, 2, 3, 4}
    assert per_learner.mean() > 2.8
    # Every L1 and band writes to every prompt, and no learner twice to one.
    assert len(set(zip(design.cell.tolist(), design.prompt.tolist(), strict=True))) == CELLS * 6
    assert len(set(zip(design.writer.tolist(), design.prompt.tolist(), strict=True))) == 1210
    assert (design.words.min() >= 65, design.words.max() <= 135, round(design.words.mean())) == (True, True, 100)


def test_learners_are_counted_per_l1_and_halved_between_the_bands() -> None:
    design = make_design(2000, seed=1, words=300, prompts=6, learners=100)
    for l1 in range(len(L1S)):
        for band in range(len(BANDS)):
            assert len(set(design.learner[(design.l1 == l1) & (design.band == band)])) == 50
    assert set(Counter(design.writer.tolist()).values()) == {2}


def test_a_longer_corpus_begins_with_the_shorter_one() -> None:
    short, long = simulate(300, seed=5), simulate(12_000, seed=5)
    columns = ["text_id", "l1", "cefr", "learner_id", "prompt_id", "text", "n_words"]
    pd.testing.assert_frame_equal(short.texts[columns], long.texts[columns].iloc[:300])
    pd.testing.assert_frame_equal(short.errors, long.errors.iloc[:300])
    assert (simulate(300, seed=6).texts["text"] != short.texts["text"]).all()


def test_the_table_of_texts_counts_as_the_text_room_does() -> None:
    made = simulate(200, seed=2, words=60)
    assert made.texts["n_words"].tolist() == [n_words(t) for t in made.texts["text"]]
    assert made.texts["n_sentences"].tolist() == [len(split_sentences(t)) for t in made.texts["text"]]


def test_a_written_corpus_is_read_back_without_options(tmp_path: Path) -> None:
    made = simulate(120, seed=3, null=True)
    write_corpus(made, tmp_path)
    corpus = read_corpus(tmp_path)
    pd.testing.assert_frame_equal(corpus.texts, made.texts)
    assert corpus.name.startswith("simulated")
    assert corpus.licence == "CC0-1.0"
    assert "No learner wrote these texts" in (tmp_path / "README.md").read_text(encoding="utf-8")


def test_all_errors_drawn_are_in_the_text() -> None:
    made = simulate(400, seed=4)
    for category, pattern in (
        ("GERUND_COMPLEMENT", r" enjoys to \w+"),
        ("DOUBLE_NEGATION", r"didn't \w+ nothing"),
        ("MUCH_WITH_COUNTABLE", r" much \w+s\b"),
        ("WRONG_PREPOSITION", r" lives at [A-Z]"),
        ("MISSING_OBJECT_PRONOUN", r" bought( in \w+)?\."),
    ):
        found = [len(re.findall(pattern, t)) for t in made.texts["text"]]
        assert found == made.errors[category].tolist(), category


def test_rates_are_the_planned_ones() -> None:
    made = simulate(20_000, seed=11)
    words = made.texts["n_words"].to_numpy(dtype=float)
    rates = 1000 * made.errors.to_numpy() / words[:, None]
    cell = made.texts["l1"] + made.texts["band"]
    learner = made.texts["learner_id"]
    for row in made.planted.itertuples():
        inside = (cell == row.l1 + row.cefr).to_numpy()
        values = rates[inside, made.errors.columns.get_loc(row.feature)]
        own = pd.Series(values).groupby(learner[inside].to_numpy()).mean()
        assert abs(values.mean() - row.rate_target) < 5 * own.std() / np.sqrt(len(own)), row


def test_null_plants_nothing() -> None:
    for options in ({}, {"base": 3.0, "ratio": 2.0}):
        planted = simulate(40, seed=1, null=True, **options).planted
        assert (planted["rate_ratio"] == 1).all()
        assert not planted["planted"].any()
        assert set(planted["direction"]) == {"none"}


def test_base_and_ratio_plant_each_feature_in_one_l1() -> None:
    planted = simulate(1000, seed=1, base=2, ratio=2, words=300, learners=100, dispersion=2).planted
    assert set(planted["base_rate"]) == {2.0}
    assert (planted.loc[planted["planted"]].groupby("feature")["l1"].nunique() == 1).all()
    assert (planted.loc[planted["planted"]].groupby("feature")["cefr"].nunique() == 2).all()
    assert planted["feature"].nunique() == planted.loc[planted["planted"], "feature"].nunique()
    assert set(planted["direction"]) == {"over", "under"}
    assert set(simulate(40, seed=1, ratio=1.5).planted["rate_ratio"]) == {1.0, 1.5}


def test_a_smaller_dispersion_makes_learners_differ_more() -> None:
    def spread(shape: float) -> float:
        made = simulate(4000, seed=1, null=True, dispersion=shape, learners=20)
        return float(made.errors["GERUND_COMPLEMENT"].groupby(made.texts["learner_id"]).sum().var())

    assert spread(0.5) > 2 * spread(4) > 2 * spread(50)


def test_prompt_factors_have_mean_one() -> None:
    plan = make_plan(load_grammar(), seed=9, dispersion=4)
    np.testing.assert_allclose(plan.prompt.mean(axis=0), 1)
    assert {tuple(sorted(c)) for c in plan.prompt.T.round(12).tolist()} == {PROMPT_FACTORS}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"texts": 0}, "--texts"),
        ({"words": 5}, "--words"),
        ({"base": -1}, "--base must be a number from 0.001 to 1000"),
        ({"base": 1e-300}, "--base must be a number from 0.001 to 1000"),
        ({"ratio": float("nan")}, "--ratio must be a number from"),
        ({"ratio": 1e308}, "--ratio must be a number from"),
        ({"dispersion": 0}, "--dispersion must be a number of 0.2 or more"),
        ({"dispersion": 1e-9}, "--dispersion must be a number of 0.2 or more"),
        ({"dispersion": 0.19}, "--dispersion must be a number of 0.2 or more"),
        ({"dispersion": float("inf")}, "--dispersion must be a number of 0.2 or more"),
        ({"base": 40}, "lower --base"),
        ({"learners": 100}, "1000 texts or more"),
        ({"learners": 1}, "--learners must be 2 or more: half .* Got 1$"),
    ],
)
def test_values_out_of_range_are_told(options: dict, told: str) -> None:
    with pytest.raises(OptionError, match=told):
        simulate(**{"texts": 40, "seed": 1, **options})


def test_cells_without_two_texts_have_no_power() -> None:
    planted = simulate(CELLS, seed=1).planted
    assert planted["power"].isna().all()
    assert planted["power_welch_learners"].isna().all()
    assert len(planted) == CELLS * len(load_grammar().features)


def test_groups_with_hardly_an_error_have_no_power() -> None:
    planted = simulate(400, seed=1, base=0.01).planted
    assert planted["power"].isna().all()
    assert planted["power_welch_learners"].isna().all()
    some = simulate(800, seed=1, base=1, ratio=0.5).planted
    expected = some["rate_target"] * some["words_target"] / 1000
    assert 0 < (expected < 2.8).sum() < len(some)
    assert some.loc[expected < 2.8, "power"].isna().all()
    assert some.loc[expected > 3.2, "power"].notna().all()
    assert some["power"].dropna().between(0, 1).all()


def test_the_command_that_made_a_corpus_is_told() -> None:
    made = simulate(40, seed=1, null=True, base=3.5)
    assert command_line(made.parameters, out="X") == (
        "miner simulate --out X --texts 40 --seed 1 --words 100 --base 3.5 --dispersion 4 --null"
    )


def test_the_bundled_corpus_is_what_its_command_makes(root: Path, tmp_path: Path) -> None:
    write_corpus(simulate(1200, seed=20250101), tmp_path)
    sample = root / "corpora" / "sample"
    for name in FILES:
        assert (tmp_path / name).read_bytes() == (sample / name).read_bytes(), name
    assert "--texts 1200 --seed 20250101" in (sample / "README.md").read_text(encoding="utf-8")


def test_the_bundled_corpus_is_as_large_and_as_short_as_it_says(root: Path) -> None:
    corpus = read_corpus(root / "corpora" / "sample")
    assert len(corpus.texts) >= 1200
    assert corpus.texts["n_words"].between(60, 150).all()
    assert sum((root / "corpora" / "sample" / name).stat().st_size for name in FILES) < 1_500_000


@pytest.mark.slow
def test_few_sentences_are_shared_in_a_large_corpus() -> None:
    texts = simulate(100_000, seed=1).texts["text"]
    seen = Counter(s for t in texts for s in t.split(". "))
    assert sum(n for n in seen.values() if n > 1) < 0.05 * seen.total()


def test_few_words_make_sentences_repeat():
    def sentences(seed, **options):
        texts = simulate(200, seed=seed, null=True, **options).texts["text"]
        return [t[a:b] for t in texts for a, b in split_sentences(t)]

    few, all_ = [sentences(1, variety=2), sentences(2, variety=2)], sentences(1)
    assert len(set(all_)) > 0.99 * len(all_)
    assert len(set(few[0])) < 0.8 * len(few[0])
    assert len(set(few[0]) & set(few[1])) > 0.3 * len(set(few[1]))
    made = simulate(200, seed=1, null=True, variety=2)
    assert "--variety 2" in command_line(made.parameters)
    assert made.errors.equals(simulate(200, seed=1, null=True).errors)
    with pytest.raises(OptionError, match="--variety must be a whole number of at least 2"):
        simulate(200, seed=1, variety=1)
