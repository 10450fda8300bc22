"""What stands beside each test: who is in the reference, prompts of a feature, levels together, what is not crossed."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from miner.learner import admit, get_preset, test_l1

sys.path.insert(0, str(Path(__file__).resolve().parent))
from learner_frames import counts, from_case, units

SMALL = {"permutations": 99, "stability_pairs": 0, "min_units": 3, "min_users": 0, "gate": False}


def _corpus(sizes, *, prompts=("x", "y"), band="A"):
    rows, cells = [], []
    for l1, size in sizes.items():
        for k in range(size):
            text = f"{l1}{band}{k:02}"
            rows.append((text, f"p{text}", l1, band, 100 + k, prompts[k % len(prompts)] if prompts else None))
            cells.append((text, "X", 1 + (k * 7 + len(l1)) % 5))
    return rows, cells


def _tests(rows, cells, **options):
    return test_l1(counts(cells), units(rows), preset=get_preset("robust", **SMALL | options))


def test_the_reference_names_only_l1s_that_are_in_it():
    rows, cells = _corpus({"de": 6, "fr": 5, "it": 2, "zh": 4})
    # A prompt that German learners alone wrote on: they tell nothing about German against others there.
    rows += [(f"de9{k}", f"pde9{k}", "de", "A", 100, "alone") for k in range(3)]
    tests = _tests(rows, cells, strata="prompt").set_index("l1")
    assert tests.loc["fr", "reference"] == "de:6 zh:4"
    assert tests.loc["de", "reference"] == "fr:5 zh:4"
    pooled = _tests(rows, cells, strata="prompt", contrast="pooled").set_index("l1")
    assert pooled.loc["fr", "reference"] == "de:6 it:2 zh:4"


def test_a_feature_of_one_prompt_lacks_support():
    rows, cells = _corpus({"de": 8, "fr": 8})
    cells += [(r[0], "ONE", 2) for r in rows if r[5] == "x"]
    tests = _tests(rows, cells, min_prompts=2).set_index(["l1", "feature"])
    assert tests.loc[("de", "ONE"), "status"] == "untestable"
    assert tests.loc[("de", "ONE"), "reason"] == "prompts with the feature < 2"
    assert tests.loc[("de", "X"), "status"] == "tested"
    assert tests["prompts"].to_dict() == {("de", "ONE"): 1, ("de", "X"): 2, ("fr", "ONE"): 1, ("fr", "X"): 2}
    assert set(_tests(rows, cells, min_prompts=1)["status"]) == {"tested"}
    assert get_preset("robust").min_prompts == 2


@pytest.mark.parametrize("prompts", [("x",), ()])
def test_prompts_are_no_matter_where_there_is_one_or_none_is_known(prompts):
    rows, cells = _corpus({"de": 6, "fr": 6}, prompts=prompts)
    tests = _tests(rows, cells, min_prompts=2)
    assert set(tests["status"]) == {"tested"}
    if not prompts:
        assert tests["prompts"].isna().all()


def test_levels_together_by_hand():
    # Learner rates over both bands (per 1,000 words): d1 (3 + 1) in 200 = 20, d2 2 in 100 = 20; f1 1 in 100, f2 1 in 50: 15;
    # z1 4 in 100 = 40. de: 20 against (15 + 40) / 2 where L1s weigh the same, against (10 + 20 + 40) / 3 pooled.
    rows = [
        ("t1", "d1", "de", "A", 100),
        ("t2", "d1", "de", "B", 100),
        ("t3", "d2", "de", "A", 100),
        ("t4", "f1", "fr", "A", 100),
        ("t5", "f2", "fr", "B", 50),
        ("t6", "z1", "zh", "B", 100),
    ]
    cells = [
        ("t1", "X", 3),
        ("t2", "X", 1),
        ("t3", "X", 2),
        ("t4", "X", 1),
        ("t5", "X", 1),
        ("t6", "X", 4),
        ("t6", "Y", 1),
    ]
    tests = test_l1(counts(cells), units(rows), preset="welch").set_index(["l1", "cefr", "feature"])
    assert tests.loc[("de", "A", "X"), "log_ratio_levels"] == pytest.approx(np.log(20 / (70 / 3)))
    assert tests.loc[("de", "B", "X"), "log_ratio_levels"] == pytest.approx(np.log(20 / (70 / 3)))
    assert np.isnan(tests.loc[("de", "A", "Y"), "log_ratio_levels"])
    few = get_preset("robust", **SMALL | {"min_units": 2})
    equal = test_l1(counts(cells), units([*rows, ("t7", "z2", "zh", "B", 100)]), preset=few)
    equal = equal.set_index(["l1", "cefr", "feature"])
    # z2 without occurrence: zh is 20 on average; de 20 against (15 + 20) / 2.
    assert equal.loc[("de", "A", "X"), "log_ratio_levels"] == pytest.approx(np.log(20 / 17.5))
    one = test_l1(counts(cells), units(rows), preset=get_preset("welch", bands=("B",)))
    assert one["log_ratio_levels"].isna().all()


def test_what_is_not_crossed_is_counted():
    rows, _ = _corpus({"de": 4, "fr": 4})
    more, _ = _corpus({"de": 3}, band="B")
    rows += [*more, ("z0", "pz0", "zh", "B", 90, "x"), ("z1", "pz1", "zh", "B", 90, "alone")]
    noted = admit(units(rows), get_preset("robust")).ledger.noted
    assert noted["on a prompt that no other L1 wrote on at that level"] == 2  # B: de's y, zh's alone
    assert noted["of an L1 that is not at every level"] == 6  # fr in A, zh in B


def test_intervals_need_ten_units_on_both_sides():
    rows, cells = _corpus({"de": 12, "fr": 6})
    tests = _tests(rows, cells).set_index("l1")
    assert tests[["log_ratio_low", "log_ratio_high", "bound"]].isna().all(axis=None)
    rows, cells = _corpus({"de": 12, "fr": 11})
    tests = _tests(rows, cells).set_index("l1")
    assert tests[["log_ratio_low", "log_ratio_high", "bound"]].notna().all(axis=None)


def test_s01_by_permutation_of_learners(cases):
    frame, unit, labels = from_case(cases / "stats" / "s01_degenerate.csv")
    recipe = get_preset("robust", **SMALL | {"min_units": 2})
    tests = test_l1(frame, unit, preset=recipe, labels=labels)
    rows = tests[tests["l1"] == "target"].set_index("feature")
    # All 70 labellings: 2 are as extreme (expected.json, exact_permutation_p).
    for name in ("SEPARATED", "ONE_SIDE_ZERO"):
        assert rows.loc[name, ["status", "p_method", "extreme", "permutations"]].tolist() == ["tested", "exact", 2, 70]
        assert rows.loc[name, "p"] == 2 / 70
    assert rows.loc["CONST_EQUAL", "reason"] == "zero variance, equal means"
    assert rows.loc["ALLZERO", "reason"] == "no occurrence"
