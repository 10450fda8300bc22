"""Names resolve across quotes, dashes, blanks, case and accents; output keeps the official spelling."""

from __future__ import annotations

import json

import pytest

from miner.dialect.names import NameIndex, require
from miner.errors import OptionError


@pytest.fixture(scope="module")
def case(cases):
    return json.loads((cases / "ewave" / "e05_names.json").read_text(encoding="utf-8"))


def test_queries_resolve_as_the_table_says(case):
    index = NameIndex(case["names"])
    assert [index.find(q) for q in case["queries"]] == [0, 0, 1, 2, 3, 4, 5, 0, None]


def test_the_exact_form_wins_and_the_clash_is_told(case):
    index = NameIndex(case["names"])
    assert index.find("Relativizer  what") == 6
    assert index.clashes() == [("Relativizer what", "Relativizer  what")]


def test_an_ambiguous_fold_finds_nothing_and_says_why(case):
    index = NameIndex(case["names"])
    assert index.find("RELATIVIZER WHAT") is None
    with pytest.raises(OptionError, match="could be 'Relativizer  what', 'Relativizer what'"):
        require("RELATIVIZER WHAT", [index], what="The feature")


def test_accents_may_be_left_out():
    index = NameIndex(["San Andrés Creole", "Hawaiʼi Creole", "Norfolk Island/ Pitcairn English"])
    assert [index.find(q) for q in ("San Andres Creole", "hawaii creole", "Norfolk Island/Pitcairn English")] == [
        0,
        1,
        2,
    ]


def test_no_names():
    assert NameIndex([]).find("x") is None
