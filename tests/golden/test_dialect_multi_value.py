"""Multi-VALUE's coverage and ratings; eWAVE's own attestation and pervasiveness; the difference of two versions."""

from __future__ import annotations

import contextlib
import csv
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from miner.dialect import coverage, diff, feature_profile, read_ratings, variety_profile
from miner.dialect.coverage import functions
from miner.errors import EmptyInput

# Multi-VALUE, Table 6: abbreviation -> functions, per cent. Ratings unchanged since (all but KenE and IndE are).
TABLE_6 = {
    "AborE": (89, 83.2), "AppE": (65, 85.5), "AusE": (54, 90.0), "AusVE": (47, 83.9), "BahE": (107, 83.6),
    "CamE": (76, 87.4), "ChIsE": (47, 94.0), "ChcE": (30, 93.8), "CollAmE": (57, 83.8), "CollSgE": (67, 89.3),
    "EAAVE": (96, 89.7), "EA": (46, 85.2), "FlkE": (44, 89.8), "FijiE": (39, 88.6), "CollFijiE": (95, 85.6),
    "GhE": (58, 92.1), "HKE": (74, 91.4), "IndE": (90, 90.0), "InSAfE": (75, 83.3), "IrE": (75, 81.5),
    "JamE": (69, 88.5), "LibSE": (86, 84.3), "MalE": (68, 89.5), "MaltE": (72, 86.7), "ManxE": (55, 83.3),
    "NZE": (44, 88.0), "NfldE": (84, 85.7), "NigE": (45, 88.2), "North": (77, 85.6), "O&SE": (30, 81.1),
    "OzE": (56, 86.2), "PakE": (48, 87.3), "PhilE": (92, 85.2), "RAAVE": (136, 82.9), "ScE": (44, 80.0),
    "SEAmE": (108, 80.6), "SLkE": (29, 82.9), "StHE": (113, 85.0), "SE": (46, 93.9), "SW": (73, 89.0),
    "TznE": (41, 93.2), "TdCE": (92, 82.9), "UAAVE": (118, 83.7), "UgE": (65, 86.7), "WelE": (76, 80.9),
    "WhSAfE": (41, 83.7), "WhZimE": (61, 88.4),
}  # fmt: skip
#: With the older ratings, Kenyan English too.
KENYAN = (50, 90.9)


def wheel_of_value_nlp(folder):
    """The wheel named in MINER_VALUE_NLP_WHEEL, else downloaded without its dependencies; None where neither works."""
    named = Path(os.environ.get("MINER_VALUE_NLP_WHEEL", ""))
    if named.is_file():
        return named
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), "value-nlp==0.3"]
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        subprocess.run(command, check=True, timeout=120, capture_output=True)
    return next(folder.glob("value_nlp-0.3-*.whl"), None)


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    """Ratings of value-nlp 0.3, read out of its wheel, which is never imported."""
    folder = tmp_path_factory.mktemp("value")
    wheel = wheel_of_value_nlp(folder)
    if wheel is None:
        pytest.skip("the wheel value-nlp 0.3 is not here and could not be downloaded (MINER_VALUE_NLP_WHEEL names one)")
    with zipfile.ZipFile(wheel) as archive:
        (folder / "ewave.csv").write_bytes(archive.read("multivalue/resources/ewave.csv"))
    return read_ratings(folder / "ewave.csv")


def by_abbreviation(frame):
    return {r.abbr: (r.implemented_functions, round(r.implemented_pct, 1)) for r in frame.itertuples()}


def test_functions_are_those_of_tables_7_to_18():
    frame = functions()
    assert (len(frame), frame["function"].nunique(), frame["feature_id"].nunique()) == (190, 189, 188)


def test_table_6_from_todays_ratings_where_they_are_the_same():
    found = by_abbreviation(coverage(read_ratings()))
    assert {a: found[a] for a in TABLE_6} == TABLE_6


def test_table_6_from_the_older_ratings(snapshot):
    found = by_abbreviation(coverage(snapshot))
    assert len(found) == 50
    assert {a: found[a] for a in TABLE_6} == TABLE_6
    assert found["KenE"] == KENYAN


def test_older_and_todays_ratings_differ_in_73_cells(snapshot):
    frame, ledger = diff(snapshot, read_ratings())
    assert frame.groupby("variety").size().to_dict() == {"Indian English": 2, "Kenyan English": 71}
    assert ledger.noted == {"variety only in the second table": 27}
    ledger.check()


def test_diff_lists_the_changed_cell():
    ratings = read_ratings()
    frame, _ = diff(ratings, ratings.with_rating("ScE", "7", "?"))
    assert frame.to_dict("records") == [
        {
            "variety_id": "2",
            "variety": "Scottish English",
            "feature_id": "7",
            "feature": "Me instead of I in coordinate subjects",
            "rating_a": "A" if ratings.grid[1, 6] == 0 else "B",
            "rating_b": "?",
        }
    ]


def test_diff_of_unrelated_tables(cases):
    with pytest.raises(EmptyInput, match="share 0 varieties"):
        diff(read_ratings(), read_ratings(cases / "ewave" / "e01_values.csv"))


@pytest.mark.shared_data
def test_attestation_and_pervasiveness_are_ewaves(shared_data):
    # parameters.csv prints both, of the 76 varieties before Croker Island English, and before Kenyan English and two
    # ratings of Indian English were revised.
    ratings = read_ratings()
    frame = feature_profile(ratings.take([i for i in range(77) if i != ratings.variety_index("Croker Island English")]))
    with (shared_data / "ewave" / "parameters.csv").open(encoding="utf-8") as stream:
        printed = {r["ID"]: (float(r["Attestation"]), float(r["Pervasiveness"])) for r in csv.DictReader(stream)}
    attestation = np.array([printed[f][0] for f in frame["feature_id"]])
    pervasiveness = np.array([printed[f][1] for f in frame["feature_id"]])
    assert (np.abs(frame["attestation"] - attestation) < 1e-9).mean() > 0.9
    assert np.abs(frame["attestation"] - attestation).max() <= 1 / 76 + 1e-9
    assert (np.abs(frame["pervasiveness"] - pervasiveness) < 1e-9).mean() > 0.85


def test_profile_of_a_variety_by_hand():
    # Irish English: 24 A, 56 B, 12 C, 143 D.
    row = variety_profile(read_ratings()).set_index("variety").loc["Irish English"]
    assert row["attested"] == pytest.approx(92 / 235)
    assert row["attested_rated"] == pytest.approx(92 / 235)
    assert row["pervasiveness"] == pytest.approx((24 + 0.6 * 56 + 0.3 * 12) / 92)


def test_older_ratings_get_regions_and_areas_by_id_and_name(snapshot):
    assert set(snapshot.varieties["region"]) == set(read_ratings().varieties["region"])
    assert snapshot.features["area"].nunique() == 12
    assert snapshot.varieties["latitude"].notna().all()
