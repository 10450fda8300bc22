"""Every row of l1_tests that was not tested says why, and no tested row does."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from miner.learner import get_preset, test_l1

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "unit"))
from learner_frames import counts, units

TEXT = st.tuples(
    st.sampled_from(["p", "q", "r", "s", "t", "u", None]),
    st.sampled_from(["fr", "de", "zh", "en"]),
    st.sampled_from(["A", "B", None]),
    st.sampled_from([1, 10, 100, 1000]),
    st.sampled_from(["x", "y", None]),
    st.sampled_from([0, 0, 1, 2, 7]),
    st.sampled_from([0, 0, 0, 3]),
)
RECIPES = st.fixed_dictionaries(
    {},
    optional={
        "min_units": st.sampled_from([2, 3]),
        "min_users": st.sampled_from([0, 2, 5]),
        "min_errors": st.sampled_from([0, 3]),
        "unit": st.sampled_from(["auto", "text"]),
        "strata": st.sampled_from(["auto", "prompt", "level"]),
    },
)


@pytest.mark.parametrize("preset", ["student", "welch", "permutation"])
@given(drawn=st.lists(TEXT, max_size=12), options=RECIPES)
@settings(max_examples=20)
def test_reason_if_and_only_if_not_tested(preset, drawn, options):
    # Two L1s in a band are always there.
    ends = [("v", "fr", "A", 10, "x", 1, 0), ("w", "de", "A", 10, "x", 0, 0)]
    rows = [(f"t{k:02}", r[0], *r[1:5]) for k, r in enumerate([*drawn, *ends])]
    cells = [(f"t{k:02}", f, n) for k, r in enumerate([*drawn, *ends]) for f, n in (("X", r[5]), ("Y", r[6])) if n]
    base = {"student": "trans-env", "welch": "welch", "permutation": "robust"}[preset]
    few = {"permutations": 99, "stability_pairs": 1, "min_units": 2, "min_users": 0} if preset == "permutation" else {}
    tests = test_l1(counts(cells), units(rows), preset=get_preset(base, **few | options), labels={"Z": "nobody's"})
    tested = tests["status"] == "tested"
    assert tests["reason"].notna().all()
    assert (tested == (tests["reason"] == "")).all()
    assert tests.loc[tested, "p"].notna().all()
    assert tests.loc[~tested & (tests["status"] != "unresolved"), "p"].isna().all()
    assert (tests.loc[~tested, "reason"].str.len() > 5).all()
    assert not tests["reason"].str.contains(" or ").any()


def _permuted(rows, cells, **options):
    few = {"permutations": 99, "stability_pairs": 0, "min_units": 2, "min_users": 0, "strata": "prompt"}
    tests = test_l1(counts(cells), units(rows), preset=get_preset("robust", **few | options)).set_index("l1")
    return dict(tests.loc[tests["status"] == "untestable", "reason"])


def test_a_permutation_test_says_which_comparison_is_missing():
    def text(k, l1, prompt):
        return (f"t{k:02}", f"p{k}", l1, "A", 100, prompt)

    own = [text(k, *pair) for k, pair in enumerate([("fr", "x")] * 3 + [("de", "x")] * 3 + [("zh", "y")] * 3)]
    varied = [(f"t{k:02}", "X", 1 + k % 3) for k in range(9)]
    assert _permuted(own, varied) == {"zh": "no stratum with another L1"}
    same = [(f"t{k:02}", "X", 1 + k // 6) for k in range(9)]
    told = _permuted(own, same)
    assert told["fr"] == told["de"] == "no variation between units of a stratum"
    thin = [text(k, *pair) for k, pair in enumerate([("fr", "x")] * 3 + [("de", "x")] + [("de", "y")] * 3)]
    told = _permuted(thin, [(f"t{k:02}", "X", 1 + k % 3) for k in range(7)])
    assert told["fr"] == "no other L1 with 2 learners in strata shared by L1s"
