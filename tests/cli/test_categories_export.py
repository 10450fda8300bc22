"""miner categories and miner export from the command line."""

from __future__ import annotations

import csv
import json
import re

import pandas as pd
import pytest

from miner.commands import main
from miner.run.folder import OutFolder
from miner.signature import Signature
from miner.tables import DIALECT_INVENTORY, MATCHES, conform


def dialect_run(out, variety, features, **signature):
    rows = [
        {
            "variety_id": "38",
            "variety": variety,
            "feature_id": str(i),
            "feature": f,
            "area": "",
            "rating": "A",
            "weight": 1.0,
        }
        for i, f in enumerate(features, 1)
    ]
    with OutFolder(out, command="dialects", parameters={}) as folder:
        folder.table(conform(rows, DIALECT_INVENTORY), DIALECT_INVENTORY, Signature.of("dialect", **signature))
    return out


def test_list_shows_all_categories(capsys):
    assert main(["categories", "list", "--show", "json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 48


def test_map_names_unknown_rules(capsys):
    assert main(["categories", "map", "HE_VERB_AGR", "HE_VERB_AGRR", "--show", "csv"]) == 0
    out, err = capsys.readouterr()
    assert "did you mean 'HE_VERB_AGR'" in err
    assert [r["status"] for r in csv.DictReader(out.splitlines())] == ["mapped", "unmapped"]


def test_coverage_adds_up(capsys, tmp_path):
    assert main(["categories", "coverage", "--show", "csv"]) == 0
    # LanguageTool 6.8: 3,445 English rule ids.
    assert sum(int(r["rules"]) for r in csv.DictReader(capsys.readouterr().out.splitlines())) == 3445
    row = {"text_id": "t", "start": 0, "end": 1, "sub_id": "", "lt_category": "GRAMMAR", "issue_type": "grammar"}
    row |= {"engine": "test", "n_same": 1}
    frame = conform([row | {"rule_id": r} for r in ("HE_VERB_AGR", "NEW_RULE")], MATCHES)
    frame.to_parquet(tmp_path / "matches.parquet")
    assert main(["categories", "coverage", str(tmp_path)]) == 0
    assert "1 of 2 matches" in (err := capsys.readouterr().err)
    assert "'NEW_RULE (1)'" in err


@pytest.mark.parametrize("what", ["absent", "empty"])
def test_coverage_without_a_corpus_says_what_to_give(capsys, tmp_path, what):
    (tmp_path / "empty").mkdir()
    assert main(["categories", "coverage", str(tmp_path / what)]) == 1
    assert "give" in capsys.readouterr().err


def test_views_are_shown(capsys):
    assert main(["categories", "list", "--view", "trans-env", "--show", "csv"]) == 0
    assert len({r["label"] for r in csv.DictReader(capsys.readouterr().out.splitlines())}) == 48


@pytest.mark.engine
@pytest.mark.shared_data
@pytest.mark.slow
def test_core_covers_real_text(capsys, shared_data, tmp_path):
    corpus = str(shared_data / "cefr-asag")
    options = ["--taxonomy", "miner-core", "--cache", str(tmp_path), "--checker", "auto"]
    assert main(["categories", "coverage", corpus, *options]) == 0
    said = capsys.readouterr().err
    share = float(re.search(r"\(([\d.]+)%\)", said).group(1))
    assert share >= 98


def test_e08_with_the_key_list_as_a_file(capsys, cases, tmp_path):
    case = json.loads((cases / "ewave" / "e08_export.json").read_text())
    expected = json.loads((cases / "ewave" / "expected.json").read_text())["E08"]
    run = dialect_run(tmp_path / "run", case["inventory"]["variety"], case["inventory"]["features"], preset="trans-env")
    keys = tmp_path / "keys.json"
    keys.write_text(json.dumps(case["client_labels"]), encoding="utf-8")
    out = tmp_path / "out"
    assert main(["export", str(run), "--to", "trans-env", "--keys", str(keys), "--out", str(out)]) == 0
    err = capsys.readouterr().err
    assert "5 of 8 different features" in err
    assert "signature: export|preset:trans-env|" in err
    with (out / "ewave.csv").open(encoding="utf-8", newline="") as file:
        assert [r["Parameter_ID"] for r in csv.DictReader(file)] == expected["served_exactly"]
    with (out / "export_report.csv").open(encoding="utf-8", newline="") as file:
        report = list(csv.DictReader(file))
    assert sorted(r["label"] for r in report) == sorted(case["inventory"]["features"])
    again = pd.read_csv(out / "export_report.csv")["label_json"]
    assert sorted(map(json.loads, again)) == sorted(case["inventory"]["features"])
    facts = json.loads((out / "export_report.json").read_text())["export"]
    assert facts["not_served"] == sorted(expected["not_served"])
    assert facts["near_misses"] == expected["near_miss"]
    account = json.loads((out / "run.json").read_text())["accounts"][0]
    assert (account["read"], account["kept"]) == (8, 5)


def test_multi_value_takes_the_varieties_of_the_run(capsys, tmp_path):
    run = dialect_run(tmp_path / "run", "any", ["any"])
    assert main(["export", str(run), "--to", "multi-value"]) == 0
    table = pd.read_csv(tmp_path / "run-multi-value" / "attestation_vectors.csv")
    assert table.shape == (236, 2)
    assert main(["export", str(run), "--to", "multi-value", "--all-varieties"]) == 0
    assert pd.read_csv(tmp_path / "run-multi-value" / "attestation_vectors.csv").shape == (236, 78)


def test_multi_value_refuses_other_ratings(capsys, tmp_path):
    run = dialect_run(tmp_path / "run", "any", ["any"], ratings="mine#000000000000")
    assert main(["export", str(run), "--to", "multi-value"]) == 1
    assert "--ratings" in capsys.readouterr().err


@pytest.mark.parametrize(("name", "said"), [("absent", "not a folder"), ("empty", "neither l1_inventory")])
def test_export_says_what_a_run_is(capsys, tmp_path, name, said):
    (tmp_path / "empty").mkdir()
    assert main(["export", str(tmp_path / name), "--to", "trans-env"]) == 1
    assert said in capsys.readouterr().err
