"""Sentences of the verdict: what a claim asks for, what the recipe itself expects, and when figures may not be quoted."""

from __future__ import annotations

import pandas as pd
import pytest

from miner import tables
from miner.evaluate import verdict
from miner.report.verdict import shown

AGAIN = "findings of a half with one-sided p < .05 in the other"


def figures(*, shuffles=200, anything=0.05, expected=0.71, tried=40, false=0.0, findings=40):
    rows = [
        ("selected per L1, true labels", 6.2, 14),
        ("selected per L1, true labels, median", 5.0, 14),
        ("share of shuffles that select anything", anything, shuffles),
        ("share of p <= 0.05, shuffled labels", 0.05, 1000),
        ("findings of a half with the same sign in the other", 0.97, tried),
        (AGAIN, 0.68, tried),
        (f"{AGAIN}, as the recipe itself expects", expected, tried),
        ("planted over-uses that are found", 0.9, 40),
        ("false discoveries among findings of planted features", false, findings),
    ]
    frame = pd.DataFrame(rows, columns=["figure", "value", "n"])
    return tables.conform(
        frame.assign(source="checker", preset="welch", low=None, high=None, note=""), tables.VALIDATION
    )


def told(wanted, **changed):
    claims = [(text, holds) for text, holds in verdict(figures(**changed), "welch") if wanted in text]
    assert len(claims) == 1
    return claims[0]


def test_the_forecast_of_the_recipe_stands_in_the_claim():
    text, holds = told("one-sided p < .05")
    assert text.startswith("68.0% of 40 findings in halves")
    assert "the recipe itself expects 71.0%" in text
    assert holds
    assert "expects" not in told("one-sided p < .05", expected=float("nan"))[0]


@pytest.mark.parametrize(("shuffles", "few"), [(20, True), (199, True), (200, False)])
def test_few_shuffles_are_no_figures_to_quote(shuffles, few):
    assert ("first look" in told("shuffled labels something", shuffles=shuffles)[0]) is few


def test_the_limit_has_its_monte_carlo_error():
    # 200 coins of .05: standard error sqrt(.05 * .95 / 200) = .0154; .05 + 1.645 * .0154 = .0754.
    assert told("shuffled labels something", anything=0.075) == (
        "With shuffled labels something is selected in 7.5% of 200 runs (at most 7.5%)",
        True,
    )
    assert told("shuffled labels something", anything=0.08)[1] is False


def test_a_false_finding_by_chance_is_no_failure():
    # 40 findings at .05: .05 + 1.645 * sqrt(.05 * .95 / 40) = .1067.
    assert told("findings are false", false=0.1)[1] is True
    assert told("findings are false", false=0.125)[1] is False
    assert told("findings are false", findings=0)[1] is None


def test_few_findings_of_halves_cannot_tell():
    text, holds = told("keep their sign", tried=4)
    assert (
        text
        == "97.0% of 4 findings in halves keep their sign in the other half (at least 95 %; fewer than 20 findings cannot tell)"
    )
    assert holds is None
    assert told("keep their sign", tried=20)[1] is True


def test_figures_are_shown_with_their_interval():
    assert shown(0.5604, 0.5432, 0.5721) == "0.56 (0.543 to 0.572)"
    assert shown(0.25, None, float("nan")) == "0.25"
    assert shown(float("nan"), 0.1, 0.2) == ""


def test_halves_that_were_not_made_are_not_told():
    own = figures()
    claims = verdict(own[~own["figure"].str.contains("half")], "welch")
    texts = [text for text, holds in claims if "halves" in text and holds is None]
    assert len(texts) == 2
    assert all(text.startswith("Not to be told: what share of the findings in halves") for text in texts)
