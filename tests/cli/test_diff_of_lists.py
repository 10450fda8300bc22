"""miner diff of lists with odd values: the message names the file, the row and the column."""

import pandas as pd
import pytest

from miner.commands import main

GOOD = "l1,feature,rank,cefr\nru,X,1,A\nde,Y,1,A\n"


def diff(tmp_path, text):
    own, other = tmp_path / "list.csv", tmp_path / "own.csv"
    own.write_text(text, encoding="utf-8")
    other.write_text(GOOD, encoding="utf-8")
    return main(["diff", str(own), str(other), "--show", "csv"])


@pytest.mark.parametrize("rank", ["inf", "-inf", "1e30", "one", "1.5", "-1", "0", "", "nan", "9" * 400])
def test_rank_that_is_none_is_told_with_its_row(rank, tmp_path, capsys):
    assert diff(tmp_path, f"l1,feature,rank,cefr\nru,X,1,A\nru,Y,{rank},A\n") == 1
    told = capsys.readouterr().err
    assert f"{tmp_path / 'list.csv'}, row 2 without the header: the rank should be a whole number of 1 or more" in told


@pytest.mark.parametrize("level", ["Q9", "D", "A3", "a", "A-B", "1"])
@pytest.mark.parametrize("column", ["level", "cefr"])
def test_unknown_level_is_told_with_its_row(level, column, tmp_path, capsys):
    assert diff(tmp_path, f"l1,feature,rank,{column}\nru,X,1,{level}\n") == 1
    told = capsys.readouterr().err
    assert "list.csv, row 1 without the header: the cefr should be a level" in told
    assert repr(level) in told


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "l1,feature,rank,level,cefr\nru,X,1,A,B\n",
            "row 1 without the header: the level should be the same as cefr, 'B'",
        ),
        ("l1,feature,rank\n,X,1\n", "row 1 without the header: the l1 should be an L1. Got nothing"),
        ("l1,feature,rank\nru,X,1\nru,,2\n", "row 2 without the header: the feature should be a feature. Got nothing"),
        ("l1,feature,rank,direction\nru,X,1,up\n", "the direction should be over or under. Got 'up'"),
        ("l1,feature\nru,X\n", "missing 'rank'."),
    ],
)
def test_what_a_row_lacks_is_told(text, message, tmp_path, capsys):
    assert diff(tmp_path, text) == 1
    told = capsys.readouterr().err
    assert "list.csv" in told
    assert message in told


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (GOOD, 0),
        ("l1,feature,rank,cefr,level\nru,X,1,A,A\nde,Y,1,A,A\n", 0),
        ("l1,feature,rank,cefr\nru,X,1.0,A\nde,Y,1,A\n", 0),
        ("l1,feature,rank,level\nRussian,X,1,A\nGerman,Y,1,A\n", 0),
        ("l1,feature,rank,level\nru,X,1,AB\nde,Y,1,AB\n", 0),
        ("l1,feature,rank\nru,X,1\n", 3),
        ("l1,feature,rank\n", 3),
    ],
)
def test_lists_in_order_are_compared(text, code, tmp_path, capsys):
    assert diff(tmp_path, text) == code
    capsys.readouterr()


def test_a_parquet_list_is_told_likewise(tmp_path, capsys):
    frame = pd.DataFrame({"l1": ["ru", "ru"], "feature": ["X", "Y"], "rank": [1.0, float("inf")]})
    frame.to_parquet(tmp_path / "list.parquet")
    (tmp_path / "own.csv").write_text(GOOD, encoding="utf-8")
    assert main(["diff", str(tmp_path / "own.csv"), str(tmp_path / "list.parquet")]) == 1
    assert "list.parquet, row 2 without the header: the rank" in capsys.readouterr().err
