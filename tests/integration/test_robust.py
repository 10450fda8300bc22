"""The robust recipe on simulated counts: quiet where nothing is, finds what is planted, the same whatever the order."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from miner.errors import OptionError
from miner.evaluate import (
    compare_corpora,
    compare_groups,
    compare_halves,
    compare_levels,
    compare_planted,
    held_out_auc,
    level_interaction,
    shuffle_labels,
    validate,
    verdict,
)
from miner.learner import Counts, compare_l1, get_preset, test_l1

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from simulated_counts import plan_of, simulate_counts


def test_null_corpora_select_nothing_beyond_chance():
    # 20 corpora without any effect. Control at .05 makes more than 3 selecting ones a matter of 1.6 % (binomial).
    recipe = get_preset("robust", permutations=199, stability_pairs=0)
    selecting = sum(
        len(compare_l1(simulate_counts(seed, learners=15, bands=("B",))[0], recipe, seed=seed)[2]) > 0
        for seed in range(20)
    )
    assert selecting <= 3


@pytest.mark.parametrize(
    ("planted", "ratio"),
    # Ten features planted among thirty true nulls; one strong effect alone.
    [(10, 2.0), (1, 4.0)],
)
def test_true_nulls_beside_what_is_planted_are_left_alone(planted, ratio):
    recipe = get_preset("robust", permutations=199, stability_pairs=10)
    found = []
    for seed in range(10):
        counted, where = simulate_counts(
            seed, l1s=10, learners=100, features=40, planted=planted, base=2.0, ratio=ratio, bands=("B",), prompts=4
        )
        plan = plan_of(counted, where, features=40, ratio=ratio, base=2.0)
        found.append(compare_planted(counted, recipe, plan, seed=seed))
    assert [f.planted for f in found] == 10 * [planted]
    assert np.mean([f.power for f in found]) >= 0.8
    # The mean over 200 corpora is .05 at most (scripts/bench_recipes.py); of these few, a false finding by chance.
    assert np.mean([f.false_share for f in found]) <= 0.1


def test_planted_features_are_found_in_the_right_direction():
    counted, planted = simulate_counts(1, learners=100, ratio=2.0)
    _, tests, inventory = compare_l1(counted, get_preset("robust", permutations=199, stability_pairs=10))
    over = inventory[inventory["direction"] == "over"]
    pairs = set(zip(over["l1"], over["feature"], strict=True))
    truth = {(l1, f) for f, l1 in planted.items()}
    assert len(pairs & truth) >= 0.8 * len(truth)
    assert pairs <= truth
    assert (inventory["stability"] >= 0.8).all()
    tested = tests[tests["status"] == "tested"]
    assert (tested["q"] >= tested["p"] * tested["null_share"]).all()
    assert tested["null_share"].nunique() == 1
    assert (tested.loc[tested["failed"] == "", "family_p"] <= 0.05).all()
    assert inventory["replication"].mean() >= 0.7
    assert (tested.loc[tested["failed"] == "", "replication_list"] >= 0.7).all()
    selected = tested[tested["failed"] == ""]
    assert len(selected) == len(inventory)
    assert (selected["fcr_low"] <= selected["log_ratio_low"]).all()
    assert selected["log_ratio"].between(selected["log_ratio_low"], selected["log_ratio_high"]).all()


def test_row_order_and_ids_order_change_no_byte():
    counted, _ = simulate_counts(2, ratio=3.0, bands=("B",))
    mixed = Counts(
        counted.counts.sample(frac=1, random_state=1), counted.units.sample(frac=1, random_state=2), counted.ledger
    )
    recipe = get_preset("robust", permutations=99, stability_pairs=3)
    one, two = compare_l1(counted, recipe), compare_l1(mixed, recipe)
    pd.testing.assert_frame_equal(one[1], two[1], check_exact=True)
    pd.testing.assert_frame_equal(one[2], two[2], check_exact=True)


@pytest.mark.parametrize(
    ("option", "value", "named"),
    [
        ("min_ratio", 5.0, "ratio"),
        ("max_top_share", 0.02, "spread"),
        ("direction", "under", "direction"),
        ("alpha", 1e-9, "q"),
        ("min_replication", 0.999999, "replication"),
    ],
)
def test_every_threshold_is_an_option_and_names_what_failed(option, value, named):
    counted, _ = simulate_counts(3, learners=60, ratio=2.5, bands=("B",))
    recipe = get_preset("robust", permutations=99, stability_pairs=0, **{option: value})
    tests = test_l1(counted.counts, counted.units, preset=recipe)
    strong = tests[tests["p"] < 1e-4]
    assert len(strong)
    assert strong["failed"].str.split().map(lambda names: named in names).any()


def test_support_leaves_rows_with_a_reason():
    counted, _ = simulate_counts(4, learners=8, bands=("B",))
    tests = test_l1(counted.counts, counted.units, preset=get_preset("robust", permutations=99))
    assert set(tests["reason"]) == {"learners_target < 10"}
    assert tests["p"].isna().all()
    assert set(tests["m"]) == {0}


def test_prompts_of_one_l1_carry_no_information():
    counted, _ = simulate_counts(5, learners=20, bands=("B",))
    units = counted.units.assign(prompt=counted.units["l1"])
    tests = test_l1(counted.counts, units, preset=get_preset("robust", permutations=99, strata="prompt"))
    assert set(tests["strata"]) == {"prompt"}
    assert set(tests["reason"]) == {"no stratum with another L1"}
    assert set(tests["informative_target"]) == {0}
    coarser = test_l1(counted.counts, units, preset=get_preset("robust", permutations=99))
    assert set(coarser["strata"]) == {"level"}
    assert set(coarser["status"]) == {"tested"}


def test_permutation_options_need_the_permutation_test():
    with pytest.raises(OptionError, match="test='permutation'"):
        get_preset("welch", gate=True)
    with pytest.raises(OptionError, match="two-sided"):
        get_preset("robust", alternative="greater")


def test_shuffles_show_the_published_recipe_for_what_it_is():
    counted, _ = simulate_counts(6, learners=20, bands=("B",))
    found = shuffle_labels(counted, "trans-env", shuffles=20)
    assert found.any_at_all > 0.5
    assert found.selected_shuffled == pytest.approx(found.selected_true, abs=1.0)  # nothing is planted
    assert (np.quantile(found.p_values, 0.5) - 0.5) < 0.1


def test_halves_agree_on_strong_effects():
    counted, _ = simulate_counts(7, learners=60, ratio=4.0, bands=("B",), features=10)
    found = compare_halves(counted, get_preset("robust", permutations=99, stability_pairs=0), splits=2)
    assert found.found > 1
    assert found.same_sign >= 0.95
    assert found.replicated >= 0.65
    assert found.jaccard > 0.5


def test_held_out_auc_sees_planted_effects_and_not_shuffled_ones():
    counted, _ = simulate_counts(8, learners=60, ratio=4.0, bands=("B",), features=10)
    recipe = get_preset("welch")
    real = held_out_auc(counted, recipe, folds=5, resamples=20)
    assert real.pooled > 0.65
    assert real.low <= real.pooled <= real.high
    shuffled = held_out_auc(counted, recipe, folds=5, resamples=0, shuffled=True)
    assert abs(shuffled.pooled - 0.5) < 0.08


def test_validation_table_and_verdict():
    counted, _ = simulate_counts(9, learners=20, bands=("B",))
    table = validate(counted, ["welch", "trans-env"], shuffles=20, splits=2, folds=0).figures
    assert set(table["preset"]) == {"welch", "trans-env"}
    claims = dict(verdict(table, "trans-env"))
    failed = [text for text, holds in claims.items() if holds is False]
    assert any("shuffled labels" in text for text in failed)


def test_max_t_is_a_correction_of_its_own():
    counted, _ = simulate_counts(10, learners=60, ratio=3.0, bands=("B",))
    recipe = get_preset("robust", permutations=99, stability_pairs=0, correction="max-t")
    tests = test_l1(counted.counts, counted.units, preset=recipe)
    tested = tests[tests["status"] == "tested"]
    assert tested["q"].min() == pytest.approx(0.01)  # 1 / (99 + 1), the least that 99 permutations can say
    assert tested["q"].min() == pytest.approx(tested["family_p"].iloc[0])
    with pytest.raises(OptionError, match="max-t"):
        get_preset("welch", correction="max-t")


def test_groups_levels_interaction_and_corpora():
    counted, planted = simulate_counts(11, learners=40, ratio=3.0)
    l1 = planted["f00"]
    other = "l0" if l1 != "l0" else "l1"
    recipe = get_preset("welch")
    two = compare_groups(counted, [l1], [other], preset=recipe)
    assert set(two["l1"]) == {l1}
    assert two.loc[two["feature"] == "f00", "q"].max() < 0.05
    assert set(two["m"]) == {12}
    group = compare_groups(counted, [l1, other], preset=recipe, name="both")
    assert (group["texts_target"] == 80).all()
    with pytest.raises(OptionError, match="unknown: 'l99'"):
        compare_groups(counted, ["l99"], preset=recipe)
    with pytest.raises(OptionError, match="one level only"):
        compare_levels(counted, preset=recipe)
    shared = Counts(counted.counts, counted.units.assign(prompt="p"), counted.ledger)
    levels = compare_levels(shared, preset=recipe)
    assert set(levels["cefr"]) == {"A-B"}
    assert (levels["q"] < 0.05).sum() <= 3  # they differ by the effects of prompts only
    change = level_interaction(counted, preset=recipe)
    assert len(change) == 60
    assert (change["q"] < 0.05).sum() <= 2  # planted alike at both levels
    runs = {name: test_l1(*_frames(seed), preset=recipe) for name, seed in (("x", 11), ("y", 11), ("z", 12), ("w", 13))}
    over = compare_corpora(runs)
    assert over["mean"].isna().all()  # Welch gives no log rate ratio
    assert set(over["corpora"]) == {4}
    with pytest.raises(OptionError, match="two or more"):
        compare_corpora({"x": runs["x"]})


def _frames(seed):
    counted, _ = simulate_counts(seed, learners=40, ratio=3.0)
    return counted.counts, counted.units


def test_corpora_agree_on_what_is_planted_in_both():
    recipe = get_preset("robust", permutations=99, stability_pairs=0)
    runs = {}
    for seed in range(4):
        counted, planted = simulate_counts(20, learners=30, ratio=3.0, bands=("B",))
        noise, _ = simulate_counts(30 + seed, learners=30, bands=("B",))
        units = pd.concat(
            [
                counted.units,
                noise.units.assign(text_id="n" + noise.units["text_id"], learner="n" + noise.units["learner"]),
            ]
        )
        cells = pd.concat([counted.counts, noise.counts.assign(text_id="n" + noise.counts["text_id"])])
        runs[str(seed)] = test_l1(cells, units, preset=recipe)
    over = compare_corpora(runs).set_index(["l1", "feature"])
    row = over.loc[(planted["f00"], "f00")]
    assert row["same_sign"]
    assert row["direction"] == "over"
    assert row["q"] < 0.05
    assert row["ci_low"] > 0
    assert row["predicted_low"] <= row["ci_low"]


@pytest.mark.engine
@pytest.mark.slow
def test_null_corpora_through_the_whole_program():
    # As above, with texts, checker and mapping; the published recipe selects something in every one of them.
    from simulated_texts import null_selections

    found = np.array(list(null_selections(range(20), [get_preset("robust"), get_preset("trans-env")])))
    robust, published = (found > 0).mean(axis=0)
    assert robust <= 0.15
    assert published > 0.9


@pytest.mark.engine
@pytest.mark.slow
def test_planted_corpora_through_the_whole_program():
    # Eight errors that the checker sees, in 3 corpora of 1,000 texts.
    from simulated_texts import planted_findings

    found = [f for (f,) in planted_findings(range(3), [get_preset("robust", permutations=199, stability_pairs=10)])]
    assert [f.planted for f in found] == [8, 8, 8]
    assert np.mean([f.power for f in found]) >= 0.8
    assert np.mean([f.false_share for f in found]) <= 0.1
    assert all(f.strangers == 0 for f in found)
