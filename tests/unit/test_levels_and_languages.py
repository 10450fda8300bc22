"""Labels of levels and languages in the spellings that corpora have."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from miner.corpora import parse_languages, parse_level


def test_levels_of_the_case(cases: Path) -> None:
    with (cases / "stats" / "s06_levels.csv").open(encoding="utf-8", newline="") as file:
        labels = [row["level"] for row in csv.DictReader(file)]
    read = {label: parse_level(label) for label in labels}
    bands = {band: [label for label in labels if read[label].band == band] for band in "ABC"}
    assert bands == {"A": ["A1", "a2", "A2+"], "B": ["B1", "B1.2", "B1/B2", "B2", "b"], "C": ["C1", "C2 "]}
    assert [x for x in labels if read[x].status == "missing"] == ["", "NaN", "nan", "N/A", "None"]
    assert [x for x in labels if read[x].status == "unknown"] == ["Intermediate", "6", "Pass", "ПB1"]
    assert read["B1/B2"].cefr == read["b"].cefr == ""
    assert read["B1.2"].cefr == "B1"


@pytest.mark.parametrize(
    ("label", "cefr", "band", "status"),
    [
        ("A1.ii", "A1", "A", "known"),
        ("B1_2", "B1", "B", "known"),
        ("C2+", "C2", "C", "known"),
        ("B1-B1+", "B1", "B", "known"),
        ("A1-A2", "", "A", "band"),
        ("A2/B1", "", "", "unknown"),
        ("pre-A1", "", "", "unknown"),
        ("A3", "", "", "unknown"),
        ("B1 or better", "", "", "unknown"),
    ],
)
def test_level(label: str, cefr: str, band: str, status: str) -> None:
    assert parse_level(label) == (cefr, band, status)


@pytest.mark.parametrize(
    ("label", "code"),
    [
        ("fr", "fr"),
        ("FRA", "fr"),
        ("fre", "fr"),
        ("French", "fr"),
        ("FRENCH ", "fr"),
        ("Chinese-Mandarin", "zh"),
        ("Chinese-Cantonese", "zh"),
        ("ZHO", "zh"),
        ("CHN", "zh"),
        ("nan", "nan"),
        ("Min Nan Chinese", "nan"),
        ("NA", "na"),
        ("no", "no"),
        ("NO", "no"),
        ("ar_LB", "ar"),
        ("pt-BR", "pt"),
        ("kab", "kab"),
        ("Greek", "el"),
        ("Dutch; French", "nl;fr"),
        ("fr;", "fr"),
        ("Spanish and Catalan", "es;ca"),
        ("de/DE", "de"),
    ],
)
def test_language(label: str, code: str) -> None:
    found = parse_languages(label)
    assert (found.joined, found.status) == (code, "known")


@pytest.mark.parametrize(
    ("label", "status"),
    [("", "missing"), ("Unknown", "missing"), ("null", "unknown"), ("None", "unknown"), ("French; Martian", "unknown")],
)
def test_no_language(label: str, status: str) -> None:
    assert parse_languages(label) == ((), status)
