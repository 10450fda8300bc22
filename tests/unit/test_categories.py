"""Taxonomies, their maps and exclusions, and that every match is accounted for."""

from __future__ import annotations

import pandas as pd
import pytest

from miner.categories import categorise, load_catalogue, load_exclusions, load_taxonomy, taxonomy_names
from miner.errors import InputError, OptionError
from miner.tables import MATCHES, conform


def matches(rows):
    """Rows of (rule_id, lt_category, issue_type), one text each two rows."""
    return conform(
        [
            {
                "text_id": f"t{i // 2}",
                "start": i * 10,
                "end": i * 10 + 3,
                "rule_id": r,
                "sub_id": "",
                "lt_category": c,
                "issue_type": t,
                "engine": "test",
                "n_same": 1,
            }
            for i, (r, c, t) in enumerate(rows)
        ],
        MATCHES,
    )


MIXED = [
    ("HE_VERB_AGR", "GRAMMAR", "grammar"),
    ("HE_VERB_AGR", "GRAMMAR", "grammar"),
    ("MORFOLOGIK_RULE_EN_US", "TYPOS", "misspelling"),
    ("EN_A_VS_AN", "MISC", "misspelling"),
    ("COMMA_PERIOD", "PUNCTUATION", "typographical"),
    ("SOMETHING_NEW", "", "whitespace"),
    ("SOMETHING_ELSE", "", ""),
]


def test_no_matches_give_an_empty_account():
    got = categorise(MATCHES.empty(), load_taxonomy())
    assert got.ledger.as_dict()["read"] == 0
    assert len(got.summary) == len(got.by_category()) == 0


def test_every_match_is_mapped_excluded_or_unmapped():
    got = categorise(matches(MIXED), load_taxonomy())
    assert list(got.matches["status"]) == [
        "mapped",
        "mapped",
        "excluded",
        "unmapped",
        "excluded",
        "excluded",
        "unmapped",
    ]
    assert got.by_category().sum() == got.summary["matches"].sum() == got.ledger.read == len(MIXED)
    assert got.ledger.kept == 2
    assert got.unmapped_rules == ["EN_A_VS_AN", "SOMETHING_ELSE"]
    assert got.ledger.places["unmapped"] == got.unmapped_rules
    row = got.summary.set_index("rule_id").loc["HE_VERB_AGR"]
    assert (row["feature"], row["matches"], row["texts"]) == ("SUBJECT_VERB_MISMATCH", 2, 1)


def test_rules_counts_rule_ids_after_the_same_exclusions():
    got = categorise(matches(MIXED), load_taxonomy("rules"))
    assert list(got.matches["feature"]) == ["HE_VERB_AGR", "HE_VERB_AGR", "", "EN_A_VS_AN", "", "", "SOMETHING_ELSE"]
    assert got.unmapped_rules == []


def test_exclusions_can_be_changed(tmp_path):
    none = categorise(matches(MIXED), load_taxonomy("rules"), exclude="none")
    assert set(none.matches["status"]) == {"mapped"}
    table = tmp_path / "mine.tsv"
    table.write_text(
        "field\tvalue\taction\treason\nlt_category\tMISC\texclude\tnot wanted\nrule_id\tHE_VERB_AGR\texclude\tone by one\n"
    )
    own = categorise(matches(MIXED), load_taxonomy(), exclude=table)
    assert own.by_category().to_dict() == {"excluded (not wanted)": 1, "excluded (one by one)": 2, "unmapped": 4}
    signatures = {none.signature, own.signature, categorise(matches(MIXED), load_taxonomy()).signature}
    assert len(signatures) == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("field,value,action,reason\nlt_categry,MISC,exclude,x\n", "field must be one of"),
        ("field,value,action,reason\nlt_category,MISC,drop,x\n", "action one of"),
        ("field,value,action,reason\nlt_category,MISC,exclude,\n", "needs a reason"),
        ("field,value,action,reason\nrule_id,A,count,\nrule_id,A,exclude,x\n", "once"),
        ("field,value,reason\nrule_id,A,x\n", "Missing: 'action'"),
        ("", "cannot be read"),
    ],
)
def test_bad_exclusions_are_refused(tmp_path, text, said):
    table = tmp_path / "bad.csv"
    table.write_text(text)
    with pytest.raises(InputError, match=said):
        load_exclusions(table)


def test_own_taxonomy(tmp_path):
    table = tmp_path / "mine.csv"
    table.write_text(
        "rule_id,category,label\nHE_VERB_AGR,AGREEMENT,Agreement\nSHE_VERB,AGREEMENT,\nSOME*,NEW,\n"
        "SOMETHING_ELSE,,\nMORFOLOGIK_RULE_EN_US,SPELLING,Spelling\n"
    )
    taxonomy = load_taxonomy(table)
    assert taxonomy.labels(["AGREEMENT", "NEW", "X"]) == {"AGREEMENT": "Agreement", "NEW": "NEW", "X": "X"}
    got = categorise(matches(MIXED), taxonomy)
    assert got.by_category().to_dict() == {
        "AGREEMENT": 2,
        "NEW": 1,
        "SPELLING": 1,
        "excluded (mapped to null)": 1,
        "excluded (punctuation)": 1,
        "unmapped": 1,
    }
    assert taxonomy.signature.startswith("mine-#")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rule_id,category\nA,X\nA,Y\n", "twice: 'A'"),
        ("rule_id,category\n,X\n", "lines \\[2\\]"),
        ("rule_id,category,label\nA,X,one\nB,X,two\n", "several have 'X'"),
        ("rule,category\nA,X\n", "did you mean 'rule_id'"),
    ],
)
def test_bad_taxonomies_are_refused(tmp_path, text, said):
    table = tmp_path / "bad.csv"
    table.write_text(text)
    with pytest.raises(InputError, match=said):
        load_taxonomy(table)


def test_unknown_taxonomy_names_the_nearest():
    with pytest.raises(OptionError, match="did you mean 'trans-env'"):
        load_taxonomy("transenv")


def test_suffixed_ids_match_the_longest_prefix(tmp_path):
    table = tmp_path / "mine.csv"
    table.write_text("rule_id,category\nEN_COMPOUNDS,A\nEN_COMPOUNDS_TIME*,B\nEN_A_VS_AN,C\n")
    ids = ["EN_COMPOUNDS", "EN_COMPOUNDS_FIRE_MAN", "EN_COMPOUNDS_TIME_TABLE", "EN_COMPOUNDSX", "EN_A_VS_AN_2"]
    got = load_taxonomy(table).assign(ids, [""] * 5, [""] * 5)
    assert list(got.feature) == ["A", "A", "B", "", ""]


def test_order_of_matches_changes_nothing():
    frame = matches(MIXED)
    one = categorise(frame, load_taxonomy())
    two = categorise(frame.iloc[::-1].reset_index(drop=True), load_taxonomy())
    pd.testing.assert_frame_equal(one.summary, two.summary)
    assert one.ledger == two.ledger


@pytest.mark.parametrize("name", [n for n in taxonomy_names() if n != "rules"])
def test_bundled_maps_name_what_exists(name):
    taxonomy, catalogue = load_taxonomy(name), load_catalogue()
    assert set(taxonomy.rules["rule_id"]) <= catalogue.ids
    assert taxonomy.rules["rule_id"].is_unique
    assert taxonomy.categories["id"].is_unique
    assert taxonomy.categories["label"].is_unique
    assert set(taxonomy.rules["category"]) - {""} <= set(taxonomy.categories["id"])
    assert (taxonomy.categories[["id", "label", "definition"]] != "").all().all()
    assert taxonomy.categories["id"].str.fullmatch(r"[A-Z][A-Z0-9_]*").all()
    unexplained = taxonomy.rules[(taxonomy.rules["category"] == "") & (taxonomy.rules["reason"] == "")]
    assert len(unexplained) == 0
    assert (taxonomy.rules["evidence"] != "").all()


def test_trans_env_has_the_48_labels_and_49_keys():
    # Paper, appendix C.2.3 (42) and C.2.4 (6 more); repository, L1_GRAMMARERROR: 49 different keys.
    categories = load_taxonomy("trans-env").categories
    assert len(categories) == 48
    keys = " | ".join(categories["repo_keys"]).split(" | ")
    assert len(keys) == len(set(keys)) == 49


def test_rules_that_the_paper_or_the_repository_names():
    # Paper C.2.2 names five merged rules; the repository's keys that are rule ids map to the category of that key.
    got = load_taxonomy("trans-env").rules.set_index("rule_id")["category"]
    assert {got[r] for r in ("A_NNS_AND", "A_CD_NNS", "A_NNS")} == {"ARTICLE_NOUN_MISMATCH"}
    assert {got[r] for r in ("TELL_X_TO_DO", "WOULD_BE_JJ_VB")} == {"MISSING_PREPOSITION"}
    categories, ids = load_taxonomy("trans-env").categories, load_catalogue().ids
    own = [(k, c) for keys, c in zip(categories["repo_keys"], categories["id"], strict=True) for k in keys.split(" | ")]
    assert {k: got[k] for k, _ in own if k in ids} == {k: c for k, c in own if k in ids}
    assert sum(k in ids for k, _ in own) == 24
