"""Exports: the consumer's forms, its keys, and what it does not serve."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest

from miner.categories import load_taxonomy
from miner.dialect import mine_dialects, read_ratings
from miner.errors import InputError, OptionError
from miner.export import export_multi_value, export_trans_env, match_keys, read_keys, summary
from miner.tables import DIALECT_INVENTORY, L1_INVENTORY, conform


def l1_rows(*rows):
    """Inventory from (l1, cefr, rank, feature, learners, direction)."""
    taxonomy = load_taxonomy()
    base = dict.fromkeys(L1_INVENTORY.names) | dict.fromkeys(
        ["effect", "ci_low", "ci_high", "statistic", "p", "q"], 1.0
    )
    return conform(
        [
            base
            | {
                "l1": l1,
                "cefr": cefr,
                "rank": rank,
                "feature": f,
                "label": taxonomy.label(f),
                "family": "errors",
                "direction": direction,
                "texts_target": 40,
                "learners_target": learners,
                "errors_target": 9,
                "preset": "trans-env",
            }
            for l1, cefr, rank, f, learners, direction in rows
        ],
        L1_INVENTORY,
    )


def dialect_rows(variety, features, rating="A"):
    return conform(
        [
            {
                "variety_id": "900",
                "variety": variety,
                "feature_id": str(i),
                "feature": f,
                "area": "",
                "rating": rating,
                "weight": 1.0,
            }
            for i, f in enumerate(features, 1)
        ],
        DIALECT_INVENTORY,
    )


def test_empty_inventories_give_empty_files():
    got = export_trans_env(L1_INVENTORY.empty(), DIALECT_INVENTORY.empty())
    assert json.loads(got.files["l1_grammarerror.json"]) == {}
    assert got.files["ewave.csv"] == b"Language_ID,Parameter_ID,Value\n"
    assert got.ledger.as_dict()["read"] == len(got.report) == 0


def test_learner_dictionary_as_the_consumer_reads_it():
    inventory = l1_rows(
        ("zh", "A", 1, "MISSING_SUBJECT", 40, "over"),
        ("zh", "A", 2, "ARTICLE_NOUN_MISMATCH", 40, "over"),
        ("zh", "B", 1, "ARTICLE_NOUN_MISMATCH", 40, "over"),
        ("zh", "B", 2, "MISSING_VERB", 40, "over"),
        ("ru", "A", 1, "WRONG_PREPOSITION", 40, "over"),
        ("tr", "A", 1, "EITHER_OF_NUMBER", 40, "over"),
        ("ko", "A", 1, "MISSING_VERB", 40, "over"),
    )
    got = export_trans_env(inventory, signature="export|preset:trans-env")
    scope: dict[str, dict[str, list[str]]] = {}
    exec(got.files["l1_grammarerror.py"].decode(), scope)
    # Repository: the two keys of one label; WRONG PREPOSITION has a guideline, the published misspelling has none;
    # EITHER_OF_THE_NN has none under any name.
    expected = {
        "Chinese-Mandarin": ["ARTICLE NOUN AGREEMENT", "DETERMINER NOUN AGREEMENT", "MISSING SUBJECT", "MISSING VERB"],
        "Russian": ["WRONG PREPOSITION"],
        "Turkish": [],
        "ko": ["MISSING VERB"],
    }
    assert {k: sorted(v) for k, v in scope["L1_GRAMMARERROR"].items()} == expected
    assert scope["L1_GRAMMARERROR"]["Chinese-Mandarin"][:2] == ["MISSING SUBJECT", "ARTICLE NOUN AGREEMENT"]
    assert scope["L1_GRAMMARERROR"] == json.loads(got.files["l1_grammarerror.json"])
    assert b"# export|preset:trans-env\n" in got.files["l1_grammarerror.py"]
    assert got.facts["l1_without_a_name_there"] == ["ko"]
    assert summary(got.to, got.facts) == [
        "Export trans-env: 4 of 5 different features are served (6 of 7 pairs of a variety or L1 and a feature)",
        "  L1s without a name in trans-env, written by their code: ko",
    ]
    assert got.facts["not_served"] == ["Incorrect pluralization after 'either of'"]
    one = export_trans_env(inventory, band="B")
    assert json.loads(one.files["l1_grammarerror.json"]) == {
        "Chinese-Mandarin": ["ARTICLE NOUN AGREEMENT", "DETERMINER NOUN AGREEMENT", "MISSING VERB"]
    }


def test_small_cells_under_use_and_other_families_are_left_out_and_counted():
    inventory = l1_rows(
        ("it", "A", 1, "MISSING_VERB", 4, "over"),
        ("it", "B", 1, "MISSING_SUBJECT", 5, "over"),
        ("it", "B", 2, "MISSING_ARTICLE", 5, "under"),
        ("it", "B", 3, "DOUBLE_NEGATION", 5, "over"),
    )
    inventory.loc[3, "family"] = "format"
    got = export_trans_env(inventory)
    assert json.loads(got.files["l1_grammarerror.json"]) == {"Italian": ["MISSING SUBJECT"]}
    assert got.ledger.as_dict()["dropped"] == {
        "fewer than 5 learners": 1,
        "not of the family errors": 1,
        "under-used: the consumer can only add a feature": 1,
    }
    kept = export_trans_env(inventory, small_cells=True)
    assert json.loads(kept.files["l1_grammarerror.json"]) == {"Italian": ["MISSING VERB", "MISSING SUBJECT"]}


def test_unknown_learners_are_judged_by_texts():
    inventory = l1_rows(("fr", "A", 1, "MISSING_VERB", None, "over"))
    assert export_trans_env(inventory).ledger.kept == 1
    inventory["texts_target"] = 4
    assert export_trans_env(inventory).ledger.kept == 0


def test_every_label_of_the_learner_lists_is_served_or_named():
    # Notes on the repository: 11 of its 49 keys have no guideline under that name; five of these errors have one under
    # another name, so six labels stay without.
    categories = load_taxonomy().categories
    rows = [("ar", "A", i, c, 9, "over") for i, c in enumerate(categories["id"], 1)]
    got = export_trans_env(l1_rows(*rows))
    assert got.facts["not_served"] == sorted(
        [
            "Incorrect existential agreement with plural noun",
            "Incorrect passive voice usage",
            "Inappropriate formulaic closing",
            "Incorrect pluralization after 'either of'",
            "Redundant verb in question form",
            "Usage of passive voice when active voice is required",
        ]
    )


def test_e08_labels_come_back_and_the_unserved_are_named(cases, tmp_path):
    case = json.loads((cases / "ewave" / "e08_export.json").read_text())
    expected = json.loads((cases / "ewave" / "expected.json").read_text())["E08"]
    labels, variety = case["inventory"]["features"], case["inventory"]["variety"]
    file = tmp_path / "keys.json"
    file.write_text(json.dumps(case["client_labels"]))
    got = export_trans_env(dialect_inventory=dialect_rows(variety, labels), keys=read_keys(file))
    assert len(labels) == expected["n_features"]
    assert got.facts["not_served"] == sorted(expected["not_served"])
    assert got.facts["near_misses"] == expected["near_miss"]
    table = list(csv.reader(io.StringIO(got.files["ewave.csv"].decode(), newline="")))
    assert [r[1] for r in table[1:]] == expected["served_exactly"]
    assert json.loads(got.files["dialect_features.json"]) == {variety: expected["served_exactly"]}
    # All eight, byte for byte, in all three forms; through pandas' default missing values too.
    lines = [json.loads(line) for line in got.files["export_report.jsonl"].decode().splitlines()]
    assert sorted(r["label"] for r in lines) == sorted(labels)
    assert sorted(json.loads(json.dumps(got.report.to_dict("list")))["label"]) == sorted(labels)
    path = tmp_path / "report.csv"
    path.write_bytes(got.report.to_csv(index=False, lineterminator="\n").encode())
    assert sorted(pd.read_csv(path, keep_default_na=False)["label"]) == sorted(labels)
    assert sorted(json.loads(v) for v in pd.read_csv(path)["label_json"]) == sorted(labels)


def test_ratings_other_than_a_are_told():
    got = export_trans_env(dialect_inventory=dialect_rows("V", ["Like as a focussing device"], rating="B"))
    assert got.ledger.dropped == {"not rated A: the consumer reads rows rated A": 1}


def test_dialects_of_the_paper_are_all_served():
    result = mine_dialects(preset="trans-env")
    got = export_trans_env(dialect_inventory=result.inventory)
    table = pd.read_csv(io.BytesIO(got.files["ewave.csv"]))
    # Paper C.1.2 and eWAVE: 18 dialects, 329 pairs, 104 different features, all names with a guideline.
    assert (table["Language_ID"].nunique(), len(table), table["Parameter_ID"].nunique()) == (18, 329, 104)
    assert got.facts["not_served"] == []


def test_vectors_of_multi_value():
    ratings = read_ratings()
    got = export_multi_value(ratings.ratings, ratings.varieties, ratings.features)
    table = pd.read_csv(io.BytesIO(got.files["attestation_vectors.csv"]))
    assert table.shape == (236, 78)
    assert list(table["feature_id"]) == list(range(236))
    assert (table.iloc[0] == 0).all()
    # eWAVE: rating counts A 1953, B 2299, C 1950.
    cells = table.drop(columns="feature_id").to_numpy()
    assert [int((cells == p).sum()) for p in (1.0, 0.6, 0.3)] == [1953, 2299, 1950]
    vectors = {k: np.array(v) for k, v in json.loads(got.files["vectors.json"]).items()}
    base = vectors["Colloquial American English"]
    # Normalised Manhattan over 235 features, published beside Multi-VALUE's data.
    for name, distance in (
        ("Chicano English", 0.1409),
        ("Colloquial Singapore English (Singlish)", 0.2855),
        ("Indian English", 0.2745),
        ("Urban African American Vernacular English", 0.2438),
    ):
        assert round(np.abs(vectors[name] - base).sum() / 235, 4) == distance
    # 188 of 235 ids have a function in the repository.
    assert len(set(got.report.loc[got.report["status"] == "served", "item"])) <= 188
    assert got.ledger.dropped["the consumer has no function for it"] > 0
    assert got.ledger.read == 1953 + 2299 + 1950


def test_vectors_need_known_varieties_and_numbered_features():
    ratings = read_ratings()
    with pytest.raises(OptionError, match="'999'"):
        export_multi_value(ratings.ratings, ratings.varieties, ratings.features, only=["999"])
    odd = pd.DataFrame({"variety_id": ["1", "1"], "feature_id": ["236", "x"], "rating": ["A", "A"]})
    got = export_multi_value(odd, ratings.varieties, ratings.features, only=["1"])
    assert list(got.ledger.dropped) == ["its id is no number from 1 to 235: the vector has no place for it"]


@pytest.mark.parametrize(
    ("name", "text", "keys"),
    [
        ("k.json", '["NA", "a\\nb", "NA"]', ["NA", "a\nb"]),
        ("k.json", '[{"grammar_error": "X", "guideline": "..."}]', ["X"]),
        ("k.json", "[{\"feature\": \"'['She/her']'\"}]", ["She/her"]),
        ("k.jsonl", '"a"\n{"label": " b "}\n', ["a", " b "]),
        ("k.csv", 'key,n\n"a,b",1\n"c\nd",2\n', ["a,b", "c\nd"]),
        ("k.csv", "one\ntwo\n", ["one", "two"]),
        ("k.tsv", "name\nNA\n", ["NA"]),
        ("k.txt", "a\r\nb \n\n", ["a", "b "]),
    ],
)
def test_key_lists_in_all_forms(tmp_path, name, text, keys):
    (tmp_path / name).write_bytes(text.encode())
    assert read_keys(tmp_path / name) == keys


@pytest.mark.parametrize(
    ("name", "text"),
    [("k.json", "{}"), ("k.json", "[1]"), ("k.json", "["), ("k.csv", "a,b\n1,2\n"), ("k.txt", ""), ("k.json", "[]")],
)
def test_bad_key_lists_are_refused(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match="key list"):
        read_keys(tmp_path / name)
    with pytest.raises(InputError, match="cannot be read"):
        read_keys(tmp_path / "absent.json")


def test_a_near_miss_with_two_keys_is_none():
    got = match_keys(["a  b"], ["a b", "A b"])
    assert (got.served, got.not_served, got.near) == ((), ("a  b",), {})
