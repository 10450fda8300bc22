"""The handed statistical cases, through stats and through the pipeline. Numbers: SciPy, statsmodels, by hand."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from miner import stats
from miner.errors import TooFew
from miner.learner import get_preset, select_l1, test_l1

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "unit"))
from learner_frames import from_case


@pytest.fixture(scope="module")
def folder(cases):
    return cases / "stats"


@pytest.fixture(scope="module")
def expected(folder):
    return json.loads((folder / "expected.json").read_text(encoding="utf-8"))


def _target(tests: pd.DataFrame, l1: str = "target") -> pd.DataFrame:
    return tests[tests["l1"] == l1].set_index("feature")


def test_s01_degenerate_categories(folder, expected):
    counts, units, labels = from_case(folder / "s01_degenerate.csv")
    tests = _target(test_l1(counts, units, preset="welch", labels=labels))
    want = expected["S01"]
    assert tests.loc["ALLZERO", ["status", "reason"]].tolist() == ["untestable", "no occurrence"]
    assert tests.loc["CONST_EQUAL", ["status", "reason"]].tolist() == ["untestable", "zero variance, equal means"]
    assert tests.loc["SEPARATED", "status"] == "degenerate"
    assert tests.loc[["ALLZERO", "CONST_EQUAL", "SEPARATED"], ["p", "q", "statistic"]].isna().all(axis=None)
    for name in ("ONE_SIDE_ZERO", "NORMAL"):
        assert tests.loc[name, ["statistic", "df", "p"]].astype(float).tolist() == pytest.approx(
            [want[name]["welch"][k] for k in ("t", "df", "p")], rel=1e-12
        )
        assert tests.loc[name, "q"] == pytest.approx(want["fdr_bh_over_the_two_testable"][name], rel=1e-12)
    assert set(tests["m"]) == {want["family_size"]}


def test_s01_separated_is_never_selected(folder):
    counts, units, labels = from_case(folder / "s01_degenerate.csv")
    inventory = select_l1(test_l1(counts, units, preset="welch", labels=labels), "welch")
    assert "SEPARATED" not in set(inventory["feature"])
    assert set(inventory["feature"]) == {"ONE_SIDE_ZERO", "NORMAL"}


def test_s02_constant_rate_is_untestable(folder):
    counts, units, labels = from_case(folder / "s02_constant_rate.csv")
    for preset in ("welch", "trans-env"):
        row = _target(test_l1(counts, units, preset=preset, labels=labels)).loc["CAT"]
        assert (row["status"], row["reason"]) == ("untestable", "zero variance, equal means")
        assert np.isnan(row["p"])
        assert row["effect"] == 0
        assert row["rate_target"] == 40.0


def test_s03_single_text(folder):
    counts, units, labels = from_case(folder / "s03_single_document.csv")
    row = _target(test_l1(counts, units, preset="trans-env", labels=labels), "mt").loc["CAT"]
    assert (row["status"], row["reason"], row["texts_target"]) == ("untestable", "texts_target < 2", 1)
    assert np.isnan(row["p"])
    with pytest.raises(TooFew, match="at least 2"):
        stats.student([5.0], [1.0, 2.0, 3.0])


def test_s04_missing_p_values(folder, expected):
    p = pd.read_csv(folder / "s04_pvalues_with_missing.csv")["p"].to_numpy()
    for key, method, m in (("BH_m5", "bh", None), ("BH_m7", "bh", 7), ("holm_m5", "holm", None)):
        q, size = stats.adjust(p, method, m=m)
        want = [np.nan if v is None else v for v in expected["S04"][key]]
        np.testing.assert_allclose(q, want, rtol=1e-12)
        assert size == (m or 5)


def test_s05_repeated_learners(folder, expected):
    counts, units, labels = from_case(folder / "s05_repeated_learner.csv")
    for unit, key in (("text", "document_level"), ("learner", "learner_level")):
        row = _target(test_l1(counts, units, preset=get_preset("welch", unit=unit), labels=labels)).loc["CAT"]
        assert row[["statistic", "df", "p"]].astype(float).tolist() == pytest.approx(
            [expected["S05"][key][k] for k in ("t", "df", "p")], rel=1e-12
        )
    default = _target(test_l1(counts, units, preset="welch", labels=labels)).loc["CAT"]
    assert default["unit"] == "learner"
    assert (default["learners_target"], default["texts_target"]) == (3, 15)


def test_s07_mean_of_rates_and_ratio_of_sums(folder, expected):
    counts, units, labels = from_case(folder / "s07_rates.csv")
    table = pd.read_csv(folder / "s07_rates.csv")
    used = table[table["n_words"] > 0]
    moments = stats.group_moments(
        used[["CAT"]].to_numpy(), used["n_words"].to_numpy(), np.zeros(len(used), dtype=int), 1, scale=100
    )
    want = expected["S07"]
    assert moments.n[0, 0] == want["n_documents_used"]
    assert moments.mean[0, 0] == pytest.approx(want["mean_of_rates"], rel=1e-12)
    assert np.sqrt(moments.variance[0, 0]) == pytest.approx(want["sd_ddof1"], rel=1e-12)
    units = pd.concat([units, units.iloc[:1].assign(text_id="x1", learner="X1", l1="fr")], ignore_index=True)
    row = _target(test_l1(counts, units, preset="welch", labels=labels), "it").loc["CAT"]
    assert row["rate_target"] == pytest.approx(10 * want["mean_of_rates"], rel=1e-12)
    assert row["ratio_of_sums_target"] == pytest.approx(10 * want["ratio_of_sums"], rel=1e-12)


def test_s08_effect_sizes(folder, expected):
    table = pd.read_csv(folder / "s08_effect.csv")
    one, two = (table.loc[table["L1"] == g, "rate"].to_numpy() for g in ("ja", "rest"))
    want = expected["S08"]
    result = stats.welch(one, two)
    assert (result.t, result.df, result.p) == pytest.approx([want["welch"][k] for k in ("t", "df", "p")], rel=1e-12)
    assert [result.ci_low, result.ci_high] == pytest.approx(want["ci95_of_difference"], rel=1e-12)
    assert result.hedges_g == pytest.approx(want["hedges_g"], rel=1e-12)
    assert stats.student(one, two).p == pytest.approx(want["student_p_for_contrast"], rel=1e-12)
    swapped = stats.welch(two, one)
    assert (swapped.t, swapped.difference, swapped.hedges_g) == (-result.t, -result.difference, -result.hedges_g)
    assert (swapped.p, swapped.df) == (result.p, result.df)
