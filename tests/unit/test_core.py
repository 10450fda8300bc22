"""The core taxonomy: complete over the grammar-like rules and the gold schemes, with families and views."""

from __future__ import annotations

import csv
import itertools

import pandas as pd
import pytest

from miner.categories import coverage, errant_types, load_catalogue, load_taxonomy, view
from miner.categories.sources import FOLDER
from miner.errors import OptionError

GRAMMAR_LIKE = ("GRAMMAR", "COLLOCATIONS", "CONFUSED_WORDS", "MISC", "NONSTANDARD_PHRASES", "SEMANTICS")
#: Bryant, Felice & Briscoe (2017), table 2 and section 3: the 25 categories and where which operation is possible.
ALL_OPERATIONS = (
    "ADJ",
    "ADV",
    "CONJ",
    "CONTR",
    "DET",
    "NOUN",
    "NOUN:POSS",
    "OTHER",
    "PART",
    "PREP",
    "PRON",
    "PUNCT",
    "VERB",
    "VERB:FORM",
    "VERB:TENSE",
)
REPLACEMENT_ONLY = ("ADJ:FORM", "MORPH", "NOUN:INFL", "NOUN:NUM", "ORTH", "SPELL", "VERB:INFL", "VERB:SVA", "WO")
ERRANT = (
    {f"{o}:{t}" for o, t in itertools.product("MRU", ALL_OPERATIONS)} | {f"R:{t}" for t in REPLACEMENT_ONLY} | {"UNK"}
)


@pytest.fixture(scope="module")
def core():
    return load_taxonomy("miner-core")


def test_every_grammar_like_rule_is_mapped_or_excluded_with_a_reason(core):
    rules = load_catalogue().rules
    wanted = set(rules.loc[rules["lt_category"].isin(GRAMMAR_LIKE), "rule_id"])
    # LanguageTool 6.8: 1,769 ids in the six categories, mother-tongue rules included.
    assert len(wanted) == 1769
    assert wanted <= set(core.rules["rule_id"])


def test_no_category_is_a_catch_all(core):
    assert not core.categories["id"].str.contains("OTHER|MISC|UNKNOWN").any()
    groups = set(core.categories["parent"]) - {""}
    assert groups <= set(core.categories["id"])
    tops = set(core.categories.loc[core.categories["parent"] == "", "id"])
    assert tops.isdisjoint(core.rules["category"])
    assert set(core.fallback.values()) <= set(core.categories["id"])


def test_all_rules_that_are_not_spelling_or_style_are_covered(core):
    got = coverage(load_catalogue().rules, core)
    assert got.unmapped == {}
    assert got.mapped / got.considered > 0.98


def test_punctuation_is_a_family_of_its_own(core):
    assert set(core.families.values()) == {"errors", "spelling", "format"}
    default = core.assign(["COMMA_PERIOD", "NEW_RULE"], ["PUNCTUATION"] * 2, ["typographical"] * 2)
    assert list(default.status) == ["excluded", "excluded"]
    counted = core.assign(["COMMA_PERIOD", "NEW_RULE"], ["PUNCTUATION"] * 2, ["typographical"] * 2, exclude="none")
    assert list(counted.feature) == ["PUNCTUATION", "PUNCTUATION"]


def test_maps_of_gold_schemes_are_complete_and_name_what_exists(core):
    ids = set(core.categories["id"])
    assert set(core.edits["category"]) - {""} <= ids
    assert not core.edits.duplicated(["scheme", "type", "kind"]).any()
    assert (core.edits.loc[core.edits["category"] == "", "reason"] != "").all()
    by_scheme = {s: set(g["type"]) for s, g in core.edits.groupby("scheme")}
    assert by_scheme["errant"] == ERRANT
    assert len(ERRANT) == 55
    with (FOLDER / "clc.codes.csv").open(encoding="utf-8") as file:
        assert by_scheme["clc"] == {r["code"] for r in csv.DictReader(file)}
    # The symbols of EFCamDat's annotation, without the compound `x>>y`.
    symbols = "AG AR AS C CO D EX HL IS MW NS NSW PH PL PO PR PS PU RS SI SP VT WC WO XC"
    assert by_scheme["efcamdat"] == set(symbols.split())


@pytest.mark.parametrize(
    ("scheme", "given", "kind", "feature"),
    [
        ("clc", "MD", "insert", "MISSING_DETERMINER"),
        ("clc", "AGV", "replace", "SUBJECT_VERB_AGREEMENT"),
        ("clc", "FFN", "replace", "WRONG_NOUN"),
        ("errant", "U:PREP", "delete", "UNNECESSARY_PREPOSITION"),
        ("errant", "R:VERB:TENSE", "replace", "VERB_TENSE"),
        ("efcamdat", "AR", "insert", "MISSING_DETERMINER"),
        ("efcamdat", "AR", "delete", "UNNECESSARY_DETERMINER"),
        ("efcamdat", "AR", "replace", "WRONG_DETERMINER"),
        ("efcamdat", "HL and PL", "replace", "SINGULAR_FOR_PLURAL"),
    ],
)
def test_gold_edits_find_their_category(core, scheme, given, kind, feature):
    got = core.assign_edits([given], [scheme], [kind])
    assert (got.status[0], got.feature[0]) == ("mapped", feature)


def test_gold_edits_that_are_not_counted_say_why(core):
    got = core.assign_edits(
        ["UNK", "R:PUNCT", "S", "R", "NEW", "PL"], ["errant", "errant", "clc", "clc", "clc", "clc"], ["replace"] * 6
    )
    assert list(got.status) == ["excluded", "excluded", "excluded", "excluded", "unmapped", "unmapped"]
    assert (got.reason[:4] != "").all()
    counted = core.assign_edits(["R:PUNCT"], ["errant"], ["replace"], exclude="none")
    assert counted.feature[0] == "WRONG_PUNCTUATION"


def test_views_name_what_exists(core):
    assert {t for types in errant_types().values() for t in types} <= ERRANT
    published = load_taxonomy("trans-env").categories
    labels = view("trans-env")
    assert list(dict.fromkeys(labels["label"])) == list(published["label"])
    assert set(labels["category"]) - {""} <= set(core.categories["id"])
    # Only the passive for the active has no rule of the checker.
    assert list(labels.loc[labels["rules"] == 0, "label"]) == ["Usage of passive voice when active voice is required"]
    assert labels["rules"].sum() == len(load_taxonomy("trans-env").rules)
    assert view("trans-env-keys")["key"].nunique() == 49
    assert (view("errant").query("rank == 1")["category"] == core.categories["id"].to_numpy()).all()
    assert set(core.categories["trans_env"]) - {""} <= set(published["id"])
    with pytest.raises(OptionError, match="did you mean 'errant'"):
        view("erant")  # type: ignore[arg-type]


def test_the_evidence_of_rule_and_examples_mostly_agrees_with_errant(core):
    # The proposals come from ERRANT on LanguageTool's own examples; settled rows may differ, but not most of them.
    rules = core.rules[(core.rules["category"] != "") & (core.rules["errant_proposal"] != "")]
    types = errant_types()
    main = [{t.split(":")[1] for t in types[c]} for c in rules["category"]]
    proposed = [t.split(":")[1] for t in rules["errant_proposal"]]
    agree = pd.Series([p in m for p, m in zip(proposed, main, strict=True)])
    assert agree[[p != "OTHER" for p in proposed]].mean() > 0.8


@pytest.mark.parametrize(
    ("rule", "category"),
    [
        # The rule's own message asks for the third person or the past: which, only the context tells.
        ("HE_VERB_AGR", "AGREEMENT_OR_TENSE"),
        ("HE_NEED", "AGREEMENT_OR_TENSE"),
        # Offers the form that agrees, and nothing else.
        ("IT_VBZ", "SUBJECT_VERB_AGREEMENT"),
        # Offers the plural of the noun, not another form of be.
        ("THERE_RE_MANY", "SINGULAR_FOR_PLURAL"),
        ("THERE_S_MANY", "EXISTENTIAL_AGREEMENT"),
        # Offers participles after be.
        ("MD_BE_NON_VBP", "PARTICIPLE_NEEDED"),
    ],
)
def test_a_rule_stands_where_what_it_suggests_belongs(core, rule, category):
    assert core.rules.set_index("rule_id").loc[rule, "category"] == category


def test_agreement_or_tense_is_a_kind_of_agreement_with_two_types(core):
    assert errant_types()["AGREEMENT_OR_TENSE"] == ("R:VERB:SVA", "R:VERB:TENSE")
    row = core.categories.set_index("id").loc["AGREEMENT_OR_TENSE"]
    assert (row["parent"], row["trans_env"]) == ("SUBJECT_VERB_AGREEMENT", "SUBJECT_VERB_MISMATCH")
