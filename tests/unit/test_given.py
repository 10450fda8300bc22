"""Tables that do not keep their contract are refused with the column and the value, before a number is made of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from simulated_counts import simulate_counts

from miner.errors import InputError, MinerError, OptionError, StatisticsError
from miner.learner import test_l1


@pytest.fixture(scope="module")
def tables_given():
    counted, _ = simulate_counts(1, learners=8, bands=("B",), features=4)
    return counted.counts, counted.units


def changed(frame, **columns):
    return frame.assign(**columns)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda c: c.assign(n=0.9), r"'n'.*whole numbers.*Got (np\.float64\()?0\.9"),
        (lambda c: c.assign(n=10.0**18), r"2\^53"),
        (lambda c: c.assign(n=-1), "'n'.*-1"),
        (lambda c: c.assign(n=np.nan), "'n'.*nan"),
        (lambda c: c.assign(n=np.inf), "'n'.*inf"),
        (lambda c: c.assign(n="x"), "'n'.*'x'"),
        (
            lambda c: c.assign(text_id="x" + c["text_id"]),
            "None of the .* counts is of a text of the units.* first 'xB0-000'",
        ),
        (lambda c: pd.concat([c, c]), "stand twice"),
        (lambda c: c.assign(feature=None), "'feature'.*empty"),
        (lambda c: c.drop(columns="n"), "lack the columns 'n'"),
        (lambda c: None, "must be a DataFrame.*NoneType"),
    ],
)
def test_counts(tables_given, change, told):
    counts, units = tables_given
    with pytest.raises(MinerError, match=told):
        test_l1(change(counts), units, preset="welch")


@pytest.mark.parametrize(
    ("change", "told", "error"),
    [
        (lambda u: u.assign(words=10.5), "'words'.*10.5", StatisticsError),
        (lambda u: pd.concat([u, u]), "stand twice", InputError),
        (lambda u: u.drop(columns="l1"), "lack the columns 'l1'", InputError),
        (lambda u: {}, "must be a DataFrame", InputError),
    ],
)
def test_units(tables_given, change, told, error):
    counts, units = tables_given
    with pytest.raises(error, match=told):
        test_l1(counts, change(units), preset="welch")


@pytest.mark.parametrize("asked", ["l0", ["zz"], [3], []])
def test_asked(tables_given, asked):
    with pytest.raises(OptionError, match=r"asked must be a list of L1s that are compared: 'l0'"):
        test_l1(*tables_given, preset="welch", asked=asked)


@pytest.mark.parametrize("seed", [-1, "x", 1.5, None, float("nan"), True])
def test_seed(tables_given, seed):
    with pytest.raises(OptionError, match="seed must be a whole number of 0 or more"):
        test_l1(*tables_given, preset="robust", seed=seed)


def test_scope_is_of_tested_rows_alone(tables_given):
    counts, units = tables_given
    natives = units.head(12).assign(text_id=lambda u: "n" + u["text_id"], learner=lambda u: "n" + u["learner"], l1="en")
    tests = test_l1(counts, pd.concat([units, natives]), preset="welch", labels={"NEVER": "never"})
    assert tests["rate_native"].notna().any()
    assert tests.loc[tests["feature"] == "NEVER", "scope"].isna().all()
    assert tests.loc[tests["status"] == "tested", "scope"].notna().all()
