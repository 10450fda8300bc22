"""Ratings: every form is read into the same table; states stay apart; bad cells are told with their rows."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pandas as pd
import pytest

from miner.dialect import read_ratings
from miner.dialect.ratings import bundled_folder
from miner.dialect.states import STATES
from miner.errors import InputError, OptionError

# eWAVE 3.0's counts: CLDF values.csv, counted with `cut` and `sort | uniq -c`.
EWAVE_COUNTS = {"n_a": 1953, "n_b": 2299, "n_c": 1950, "n_d": 8939, "n_x": 1901, "n_unknown": 1053, "n_absent": 0}


def case_file(cases, name):
    return cases / "ewave" / name


def matrix(ratings):
    return {
        v: "".join(STATES[s] or "_" for s in row)
        for v, row in zip(ratings.varieties["variety_id"], ratings.grid, strict=True)
    }


def write(tmp_path, rows, name="values.csv"):
    lines = ["ID,Language_ID,Parameter_ID,Value,Code_ID", *(f"{i},{r}" for i, r in enumerate(rows))]
    (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path / name


def test_bundled_table_is_ewave():
    ratings = read_ratings()
    assert ratings.grid.shape == (77, 235)
    assert ratings.counts().sum(numeric_only=True).to_dict() == EWAVE_COUNTS
    assert ratings.counts("feature").sum(numeric_only=True).to_dict() == EWAVE_COUNTS
    assert ratings.features["area"].nunique() == 12
    assert list(ratings.varieties["variety_id"])[:3] == ["1", "2", "3"]
    assert list(ratings.features["feature_id"])[-1] == "235"
    assert ratings.varieties["latitude"].between(-90, 90).all()


def test_bundled_files_have_their_checksums():
    folder = bundled_folder()
    for line in (folder / "SHA256SUMS").read_text(encoding="utf-8").splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest


@pytest.mark.shared_data
def test_bundled_table_equals_the_cldf_it_was_made_from(shared_data, tmp_path, root):
    import importlib.util

    spec = importlib.util.spec_from_file_location("make_ewave_table", root / "scripts" / "make_ewave_table.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    cldf = read_ratings(shared_data / "ewave")
    script.write_table(cldf, tmp_path)
    for name in (*script.FILES, "SHA256SUMS"):
        assert (tmp_path / name).read_bytes() == (bundled_folder() / name).read_bytes()
    assert cldf.fingerprint == read_ratings().fingerprint


@pytest.mark.shared_data
def test_cldf_metadata_file_and_values_alone_give_the_same_table(shared_data):
    folder = shared_data / "ewave"
    by_metadata = read_ratings(folder / "StructureDataset-metadata.json")
    alone = read_ratings(folder / "values.csv")
    assert by_metadata.fingerprint == alone.fingerprint == read_ratings(folder).fingerprint


def test_values_alone_with_ewave_ids_get_ewave_names(tmp_path):
    ratings = read_ratings(write(tmp_path, ["14,7,A,7-A", "2,7,B,7-B"]))
    assert list(ratings.varieties["variety"]) == ["Scottish English", "Colloquial American English"]


def test_names_instead_of_ids_are_recognised(tmp_path):
    long = tmp_path / "ewave.csv"
    names = ["Me instead of I in coordinate subjects", "She/her used for inanimate referents"]
    rows = [
        f"{v},{f},{r}"
        for v, r in (("Scottish English", "A"), ("San Andres Creole", "D"), ("My own town", "B"))
        for f in names
    ]
    long.write_text("Language_ID,Parameter_ID,Value\n" + "\n".join(rows) + "\n", encoding="utf-8")
    ratings = read_ratings(long)
    assert list(ratings.varieties["variety_id"]) == ["2", "28", "My own town"]
    assert list(ratings.varieties["variety"]) == ["Scottish English", "San Andrés Creole", "My own town"]
    assert list(ratings.features["feature_id"]) == ["1", "7"]
    assert sum(ratings.ledger.noted.values()) == 1


def test_wide_table(tmp_path):
    file = tmp_path / "mine.tsv"
    file.write_text("variety\tf1\tf2\nnorth\tA\t?\nsouth\t\tX\n", encoding="utf-8")
    assert matrix(read_ratings(file)) == {"north": "A?", "south": "_X"}


@pytest.mark.parametrize("name", ["e03a_unsorted.csv", "e03b_identical_duplicate.csv"])
def test_rows_in_any_order_and_ids_by_number(cases, name):
    expected = json.loads(case_file(cases, "expected.json").read_text(encoding="utf-8"))["E03"]["matrix"]
    ratings = read_ratings(case_file(cases, name))
    assert list(ratings.features["feature_id"]) == ["1", "2", "9", "10"]
    assert matrix(ratings) == expected
    assert ratings.ledger.dropped.total() == (1 if "duplicate" in name else 0)


def test_conflicting_duplicate_is_an_error_with_both_rows(cases):
    with pytest.raises(InputError) as err:
        read_ratings(case_file(cases, "e03c_conflicting_duplicate.csv"))
    message = str(err.value)
    for part in ("'V10'", "'2'", "D in row 11", "B in row 15"):
        assert part in message


def test_absent_cell_is_a_state_of_its_own(cases):
    ratings = read_ratings(case_file(cases, "e03d_missing_cell.csv"))
    assert matrix(ratings)["V2"] == "DBA_"
    assert ratings.ledger.places["absent cell"] == ["variety 'V2', feature '10'"]


def test_unknown_ratings_are_told_at_once_with_rows(cases):
    with pytest.raises(InputError) as err:
        read_ratings(case_file(cases, "e04_unknown_ratings.csv"))
    message = str(err.value)
    assert "6 cells are not a rating" in message
    for part in ("row 3: 'b'", "row 5: 'E'", "row 6: 'A?'", "row 8: '-'", "row 9: '1'", "row 13: 'B/C'"):
        assert part in message


def test_trimmed_and_blank_cells(cases, tmp_path):
    kept = [
        line
        for line in case_file(cases, "e04_unknown_ratings.csv").read_text(encoding="utf-8").splitlines()
        if line.split(",")[3] not in ("b", "E", "A?", "-", "1", "B/C")
    ]
    (tmp_path / "v.csv").write_text("\n".join(kept) + "\n", encoding="utf-8")
    ratings = read_ratings(tmp_path / "v.csv")
    assert matrix(ratings) == {"V1": "AC_X?D"}
    assert ratings.ledger.noted == {
        "rating with blanks around it, trimmed": 1,
        "blank value without a code, taken as absent": 1,
        "absent cell": 1,
    }


def test_the_code_tells_unknown_from_absent(tmp_path):
    ratings = read_ratings(write(tmp_path, ["V1,1,,1-NA", "V1,2,?,2-NA", "V1,3,,", "V1,4,A,4-A"]))
    assert matrix(ratings) == {"V1": "??_A"}


def test_value_against_code_is_an_error(tmp_path):
    with pytest.raises(InputError, match=r"a rating that its code contradicts: row 2: 'A' \(code '1-B'\)"):
        read_ratings(write(tmp_path, ["V1,1,A,1-B"]))


def test_case_fold_is_an_option(tmp_path):
    file = write(tmp_path, ["V1,1,b,", "V1,2,A,"])
    assert matrix(read_ratings(file, fold_case=True)) == {"V1": "BA"}


def test_varieties_without_any_rating_are_named(cases):
    ratings = read_ratings(case_file(cases, "e02_values.csv"))
    noted = ratings.ledger.places
    assert noted["variety without any rating A, B, C or D (only ?)"] == ["V3"]
    assert noted["variety without any rating A, B, C or D (only X)"] == ["V4"]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "not a readable table"),
        ("a,b\n1,2\n", "expected Language_ID, Parameter_ID and Value"),
        ("Language_ID,Parameter_ID,Value\n", "no rows"),
        ("Language_ID,Parameter_ID,Value\n,1,A\n", "blank in row 2"),
        ("variety,f1,f1\nx,A,B\n", "'f1' occurs more than once"),
    ],
)
def test_bad_files(tmp_path, text, part):
    (tmp_path / "bad.csv").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=part):
        read_ratings(tmp_path / "bad.csv")


def test_missing_file_and_empty_folder(tmp_path):
    with pytest.raises(InputError, match="no ratings table at"):
        read_ratings(tmp_path / "none")
    with pytest.raises(InputError, match="holds no ratings"):
        read_ratings(tmp_path)


def test_bytes_that_are_not_utf8(tmp_path):
    (tmp_path / "v.csv").write_bytes(b"Language_ID,Parameter_ID,Value\nSan Andr\xe9s,1,A\n")
    with pytest.raises(InputError, match="not UTF-8"):
        read_ratings(tmp_path / "v.csv")


def test_varieties_are_found_by_id_abbreviation_and_name():
    ratings = read_ratings()
    assert {
        ratings.variety_index(q)
        for q in ("14", "CollAmE", "Colloquial American English", "colloquial american english")
    } == {13}
    with pytest.raises(OptionError, match="did you mean 'Scottish English'"):
        ratings.variety_index("Scotish English")


def test_shuffled_rows_give_the_same_table(cases, tmp_path):
    file = case_file(cases, "e01_values.csv")
    lines = file.read_text(encoding="utf-8").splitlines()
    order = np.random.default_rng(3).permutation(len(lines) - 1)
    (tmp_path / "e01_values.csv").write_text(
        "\n".join([lines[0], *(lines[1 + i] for i in order)]) + "\n", encoding="utf-8"
    )
    first, second = read_ratings(file), read_ratings(tmp_path / "e01_values.csv")
    assert first.fingerprint == second.fingerprint
    pd.testing.assert_frame_equal(first.ratings, second.ratings)
