"""Plans, explanations, differences and the small formulas of evaluation."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from learner_frames import counts, units
from scipy import stats as scipy_stats

from miner import tables
from miner.commands import main
from miner.errors import InputError, OptionError
from miner.evaluate import (
    as_inventory,
    auc,
    closed_power,
    diff_inventories,
    explain,
    learners_needed,
    nogueira,
    overlap,
    plan_learners,
)
from miner.learner import select_l1, test_l1
from miner.stats.power import gamma_poisson_moments


def test_nogueira_by_hand():
    assert nogueira(np.array([[1, 0, 0, 1], [1, 0, 0, 1]])) == pytest.approx(1.0)
    # Two disjoint selections of 2 of 4: variances all 1/2, over 1/4: 1 - 2 = -1.
    assert nogueira(np.array([[1, 1, 0, 0], [0, 0, 1, 1]])) == pytest.approx(-1.0)
    assert np.isnan(nogueira(np.zeros((3, 4))))


def test_auc_counts_ties_as_halves():
    assert auc([1.0, 2.0], [1.0, 0.0]) == pytest.approx(3.5 / 4)
    assert np.isnan(auc([], [1.0]))


# Share of 1,000 corpora in which scipy.stats.ttest_ind(equal_var=False) has p < .005 in the right direction; 10 L1s, 300 words
# each, 2 per 1,000 words in the others, counts by NumPy (seed 1): learners, ratio, shape, share.
SCIPY = (
    (103, 1.5, 2.0, 0.349),
    (206, 1.5, 2.0, 0.819),
    (412, 1.5, 2.0, 0.996),
    (75, 2.0, 2.0, 0.845),
    (80, 0.5, 2.0, 0.844),
    (206, 1.5, 0.5, 0.411),
    (412, 1.5, 0.5, 0.883),
    (75, 2.0, 0.5, 0.299),
)


@pytest.mark.parametrize(("learners", "ratio", "shape", "share"), SCIPY)
def test_power_in_closed_form_agrees_with_simulation(learners, ratio, shape, share):
    assert closed_power(learners, ratio, 2.0, 300, shape, 10, 0.005) == pytest.approx(share, abs=0.045)


def test_moments_of_gamma_poisson_counts_are_those_of_the_negative_binomial():
    mean, shape = 0.9, 1.7
    known = scipy_stats.nbinom(shape, shape / (shape + mean))
    found = gamma_poisson_moments(10, mean, shape)
    variance, skew, kurtosis = (float(v) for v in known.stats("vsk"))
    assert found.variance == pytest.approx(variance)
    assert found.third == pytest.approx(skew * variance**1.5)
    assert found.fourth == pytest.approx((kurtosis + 3) * variance**2)
    assert found.variance_of_mean == pytest.approx(variance / 10)


@pytest.mark.parametrize("ratio", [0.5, 1.3, 2.0, 20.0])
def test_learners_needed_is_the_smallest_number(ratio):
    n = learners_needed(ratio, 2.0, 300, 2.0, 10, 0.005, 0.8)
    assert closed_power(n, ratio, 2.0, 300, 2.0, 10, 0.005) >= 0.8
    assert n == 2 or closed_power(n - 1, ratio, 2.0, 300, 2.0, 10, 0.005) < 0.8


def test_plan_simulation_agrees_with_the_closed_form():
    table = plan_learners([1.5], simulations=400, around=[1.0])
    row = table.iloc[0]
    assert row["needed"]
    assert row["power_simulated"] == pytest.approx(row["power_closed"], abs=0.08)  # 4 standard errors of .02


def test_plan_of_more_learners_than_can_be_simulated_is_the_closed_form_alone():
    table = plan_learners([1.5], base_rate=1e-5)
    assert (table["learners"] * table["l1s"]).min() > 2_000_000
    assert table["power_simulated"].isna().all()
    assert (table["simulations"] == 0).all()
    assert table.loc[table["needed"], "power_closed"].item() == pytest.approx(0.8, abs=1e-4)


@pytest.mark.parametrize(
    "bad",
    [
        {"ratios": [1.0]},
        {"ratios": []},
        {"ratios": [float("nan")]},
        {"base_rate": 0},
        {"base_rate": float("nan")},
        {"shape": float("nan")},
        {"words": float("inf")},
        {"l1s": 1},
        {"power": 0.001},
        {"simulations": -5},
        {"ratios": [1.0000001]},
    ],
)
def test_plan_refuses_the_impossible(bad):
    with pytest.raises(OptionError):
        plan_learners(**{"ratios": [2.0], **bad})


@pytest.fixture
def tested():
    rows, cells = [], []
    for k in range(16):
        l1 = "fr" if k % 2 else "de"
        rows.append((f"t{k:02}", f"w{k}", l1, "B", 100, f"p{k % 4 // 2}"))
        cells.append((f"t{k:02}", "X", (5 if l1 == "fr" else 1) + k % 3))
    c, u = counts(cells), units(rows)
    tests = test_l1(c, u, preset="welch")
    return tests, select_l1(tests, "welch"), c, u


def test_explanation_gives_the_numbers_to_redo_it(tested):
    tests, inventory, c, u = tested
    steps = explain(tests, inventory, l1="fr", feature="X", counts=c, units=u).set_index("quantity")
    assert steps.loc["errors", ["target", "reference"]].tolist() == ["47", "16"]
    assert steps.loc["words", ["target", "reference"]].tolist() == ["800", "800"]
    assert steps.loc["prompt p0", ["target", "reference"]].tolist() == ["24 in 400", "7 in 400"]
    by_hand = scipy_stats.ttest_ind(
        [10 * (5 + k % 3) for k in range(16) if k % 2],
        [10 * (1 + k % 3) for k in range(16) if not k % 2],
        equal_var=False,
    )
    assert float(steps.loc["t", "target"]) == pytest.approx(by_hand.statistic, rel=1e-11)
    assert steps.loc["rank", "target"] == "1 (over-use)"
    # 16 writers of a text each: t by hand from what is shown, (58.75 - 20) / sqrt(variance / 8 + variance / 8).
    spread = [float(steps.loc["variance of rates", side]) for side in ("target", "reference")]
    means = [float(steps.loc["rate", side]) for side in ("target", "reference")]
    assert (means[0] - means[1]) / np.sqrt(sum(spread) / 8) == pytest.approx(by_hand.statistic, rel=1e-10)
    assert steps.loc["rate of de", "reference"].startswith("20, n = 8, variance ")


def test_explanation_names_the_nearest(tested):
    tests, inventory, *_ = tested
    with pytest.raises(InputError, match=r"No test has feature 'Y'\. There are 'X'"):
        explain(tests, inventory, l1="fr", feature="Y")
    with pytest.raises(InputError, match=r"No test has l1 'fe'\. There are"):
        explain(tests, inventory, l1="fe", feature="X")
    with pytest.raises(InputError, match="was not tested in band 'A'"):
        explain(tests, inventory, l1="fr", feature="X", cefr="A")


def _list(rows):
    return as_inventory(pd.DataFrame(rows, columns=["l1", "cefr", "rank", "feature"]), place="list")


def test_differences():
    a = _list([("fr", "A", 1, "x"), ("fr", "A", 2, "y"), ("fr", "A", 3, "z")])
    b = _list([("fr", "A", 1, "x"), ("fr", "A", 2, "z"), ("de", "A", 1, "x")])
    diff = diff_inventories(a, b)
    assert dict(zip(diff["l1"] + diff["feature"], diff["change"], strict=True)) == {
        "dex": "gained",
        "frx": "kept",
        "fry": "lost",
        "frz": "moved",
    }
    table = overlap(diff).set_index("l1")
    assert table.loc["fr", "jaccard"] == pytest.approx(2 / 3)
    assert diff_inventories(a, a)["change"].eq("kept").all()
    assert diff_inventories(a.iloc[:0], a.iloc[:0]).empty


def test_one_list_for_both_bands_is_compared_with_merged_bands():
    a = _list([("fr", "AB", 1, "x"), ("fr", "AB", 2, "y")])
    b = _list([("fr", "A", 1, "x"), ("fr", "B", 1, "y"), ("fr", "B", 2, "x")])
    assert diff_inventories(a, b)["change"].tolist() == ["kept", "kept"]


def test_bad_inventories_are_refused():
    with pytest.raises(InputError, match=r"missing 'rank'"):
        as_inventory(pd.DataFrame({"l1": ["fr"], "feature": ["x"]}), place="list.csv")
    with pytest.raises(InputError, match="occurs twice"):
        _list([("fr", "A", 1, "x"), ("fr", "A", 2, "x")])


def test_commands_explain_and_diff(tested, tmp_path, capsys):
    tests, inventory, *_ = tested
    run, other = tmp_path / "run", tmp_path / "other.csv"
    run.mkdir()
    tables.conform(tests, tables.L1_TESTS).to_parquet(run / "l1_tests.parquet")
    tables.conform(inventory, tables.L1_INVENTORY).to_parquet(run / "l1_inventory.parquet")
    assert main(["explain", str(run), "--l1", "fr", "--feature", "X"]) == 0
    out = capsys.readouterr()
    assert "ratio_of_sums" in out.out
    assert "prompts are not shown" in out.err
    assert main(["diff", str(run), str(run)]) == 0
    pd.DataFrame({"l1": ["fr"], "cefr": ["B"], "rank": [1], "feature": ["Z"]}).to_csv(other, index=False)
    assert main(["diff", str(run), str(other), "--show", "csv"]) == 3
    assert "lost" in capsys.readouterr().out
    assert main(["diff", str(run), str(tmp_path / "nowhere.csv")]) == 1


def test_command_plan(tmp_path, capsys):
    assert main(["plan", "--ratio", "2", "--simulations", "20", "--out", str(tmp_path / "plan")]) == 0
    needed = learners_needed(2.0, 2.0, 300, 2.0, 10, 0.005, 0.8)
    assert f"Rate ratio 2: {needed} learners per L1" in capsys.readouterr().err
    assert (tmp_path / "plan" / "sample_plan.csv").is_file()
