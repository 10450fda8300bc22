"""Agreement of two checkers: matches equal in rule, start and end, over the union."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from miner.categories import load_taxonomy
from miner.errors import EmptyInput
from miner.evaluate.agreement import checker_agreement
from miner.tables import MATCHES, conform


def matches(*rows):
    """Rows of (text_id, start, end, rule_id, lt_category)."""
    base = {"sub_id": "", "issue_type": "", "engine": "test", "n_same": 1}
    names = ("text_id", "start", "end", "rule_id", "lt_category")
    return conform([dict(zip(names, r, strict=True)) | base for r in rows], MATCHES) if rows else MATCHES.empty()


def checked(**status):
    return pd.DataFrame({"text_id": list(status), "status": list(status.values())})


ALL = checked(a="checked", b="checked")
ONE = matches(
    ("a", 0, 4, "HE_VERB_AGR", "GRAMMAR"),
    ("a", 9, 12, "MORFOLOGIK_RULE_EN_US", "TYPOS"),
    ("b", 0, 4, "HE_VERB_AGR", "GRAMMAR"),
    ("b", 7, 9, "EN_A_VS_AN", "MISC"),
)
TWO = matches(
    ("a", 0, 4, "HE_VERB_AGR", "GRAMMAR"),
    ("a", 9, 12, "MORFOLOGIK_RULE_EN_US", "TYPOS"),
    ("b", 0, 5, "HE_VERB_AGR", "GRAMMAR"),  # another end: not the same
    ("b", 20, 21, "COMMA_PERIOD", "PUNCTUATION"),
)
CORE = load_taxonomy("miner-core")


def compare(one=ONE, two=TWO, first=ALL, second=ALL):
    return checker_agreement(one, two, first, second, CORE)


def test_counts_by_hand():
    table = compare().table.set_index(["scope", "value"])
    columns = ["first", "second", "both", "only_first", "only_second", "union"]
    assert list(table.loc[("all", ""), columns]) == [4, 4, 2, 2, 2, 6]
    assert table.loc[("all", ""), "agreement"] == 2 / 6
    assert list(table.loc[("without spelling", ""), columns]) == [3, 3, 1, 2, 2, 5]
    assert list(table.loc[("spelling", ""), columns]) == [1, 1, 1, 0, 0, 1]
    assert list(table.loc[("lt_category", "GRAMMAR"), columns]) == [2, 2, 1, 1, 1, 3]
    assert list(table.loc[("category", "AGREEMENT_OR_TENSE"), columns]) == [2, 2, 1, 1, 1, 3]
    assert list(table.loc[("rule", "COMMA_PERIOD"), columns]) == [0, 1, 0, 0, 1, 1]


def test_rules_that_differ_come_most_first():
    assert list(compare().differing["value"]) == ["HE_VERB_AGR", "COMMA_PERIOD", "EN_A_VS_AN"]


def test_two_checkers_change_places():
    there, back = compare().table, compare(TWO, ONE).table
    swapped = back.rename(
        columns={"first": "second", "second": "first", "only_first": "only_second", "only_second": "only_first"}
    )[there.columns]
    pd.testing.assert_frame_equal(there, swapped)
    same = compare(ONE, ONE).table
    assert (same["agreement"].dropna() == 1).all()


def test_texts_that_one_did_not_check_are_left_out_and_told():
    got = compare(second=checked(a="checked", b="incomplete"))
    table = got.table.set_index(["scope", "value"])
    assert list(table.loc[("all", ""), ["both", "union"]]) == [2, 2]
    assert got.ledger.as_dict()["dropped"] == {"(wholly) checked by the first only": 1}
    with pytest.raises(EmptyInput, match="by both"):
        compare(first=checked(a="checked"), second=checked(b="checked"))


def test_no_matches_give_no_share():
    row = compare(MATCHES.empty(), MATCHES.empty()).table.set_index("scope").loc["all"]
    assert np.isnan(row["agreement"])
    assert row["reason"] == "no matches of either"


@pytest.mark.engine
def test_the_two_engines_agree_on_grammar():
    from miner.checkers import check_texts, open_checker

    texts = pd.DataFrame(
        {
            "text_id": ["a", "b", "c"],
            "text": [
                "She have two cats. We enjoy to swim in the lake.",
                "He can swims very well. There is many peoples here.",
                "\N{SLIGHTLY SMILING FACE} I am agree with you. It is a interesting informations.",
            ],
        }
    )
    found = []
    for name in ("lingotweaker", "languagetool"):
        with open_checker(name) as checker:
            found.append(check_texts(texts, checker))
    got = checker_agreement(found[0].matches, found[1].matches, found[0].checked, found[1].checked, CORE)
    table = got.table.set_index(["scope", "value"])
    assert table.loc[("lt_category", "GRAMMAR"), "union"] >= 4
    assert table.loc[("lt_category", "GRAMMAR"), "agreement"] == 1
