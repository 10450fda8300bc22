"""Hard texts: offsets, invalid characters, empty texts, very long sentences, encodings."""

from __future__ import annotations

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from miner.errors import InputError, OptionError
from miner.text import (
    SPLITTER_ID,
    characters,
    decode,
    n_words,
    split_sentences,
    utf8_to_codepoints,
    utf16_to_codepoints,
    view,
    words,
)


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_engine_offsets_become_code_points_also_in_threads(cases: Path) -> None:
    given = rows(cases / "text" / "t01_offsets.jsonl")

    def check(row: dict) -> None:
        for unit, convert in (("utf16", utf16_to_codepoints), ("utf8", utf8_to_codepoints)):
            offset, length = row["offsets"][unit]
            start, end = convert(row["text"], [offset, offset + length]).tolist()
            assert [start, end - start] == row["offsets"]["codepoint"]
            assert row["text"][start:end] == row["target"]

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(check, given * 50))
    assert len(given) == 10


def test_no_offsets_give_no_offsets() -> None:
    assert utf16_to_codepoints("", []).tolist() == []
    assert utf8_to_codepoints("é", []).tolist() == []


@pytest.mark.parametrize("text", ["abc", "ab\U0001f600"])
@pytest.mark.parametrize("offset", [-1, 99])
def test_offset_outside_is_an_error(text: str, offset: int) -> None:
    with pytest.raises(InputError, match=f"Offset {offset} lies outside"):
        utf16_to_codepoints(text, [0, offset])


def test_offset_inside_a_character_is_its_start() -> None:
    assert utf16_to_codepoints("a\U0001f600b", [1, 2, 3]).tolist() == [1, 1, 2]
    assert utf8_to_codepoints("\ud800b", [0, 1, 3]).tolist() == [0, 0, 1]


def test_invalid_and_invisible_characters_are_named(cases: Path) -> None:
    total = 0
    for row in rows(cases / "text" / "t02_invalid_chars.jsonl"):
        found = characters(row["text"])
        assert found.n_xml_invalid == row["n_xml_invalid"]
        assert found.n_invisible == row["n_invisible_format"]
        assert list(found.xml_invalid) == row["invalid"]
        total += found.n_xml_invalid
    assert total == 6


def test_view_has_the_sentence_that_invalid_characters_hide(cases: Path) -> None:
    given = {row["id"]: row["text"] for row in rows(cases / "text" / "t02_invalid_chars.jsonl")}
    for name in "abdef":
        assert view(given[f"t02-{name}"]).text == "She have two dog."
    seen = view(given["t02-f"])
    start, end = seen.to_original(4, 8)
    assert given["t02-f"][start:end] == "ha\xadve"
    assert seen.to_original(13, 16) == (15, 18)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("", ""),
        (" \n ", ""),
        ("\u200b", ""),
        ("as it is", "as it is"),
        ("two  blanks\tand a tab", "two blanks and a tab"),
        ("one \n break", "one\nbreak"),
        ("a\r\nb", "a\nb"),
        ("a\n \n\n b", "a\n\nb"),
        ("missing before the stop .", "missing before the stop."),
        ('he said "yes ."', 'he said "yes."'),
        ("missing after ( the bracket)", "missing after (the bracket)"),
        ("smile :) and .5 and ...", "smile :) and .5 and ..."),
        ("x( y", "x( y"),
        ("family \U0001f468\u200d\U0001f469", "family \U0001f468\u200d\U0001f469"),
        ("La\u200dtin", "Latin"),
        ("\u0645\u06cc\u200c\u062e\u0648", "\u0645\u06cc\u200c\u062e\u0648"),
    ],
)
def test_view(text: str, seen: str) -> None:
    assert view(text).text == seen


def test_empty_texts_have_no_words(cases: Path) -> None:
    counts = {row["id"]: n_words(row["text"]) for row in rows(cases / "text" / "t03_empty.jsonl")}
    assert counts == {f"t03-{c}": 0 for c in "abcdef"} | {"t03-g": 1, "t03-h": 2}


def test_words_have_places() -> None:
    text = " It's 2 — e.g. (B1) \u2014 !"
    assert [text[a:b] for a, b in words(text)] == ["It's", "2", "e.g.", "(B1)"]


def test_a_sentence_of_ten_thousand_words() -> None:
    text = "I think that " + "the student has a book and " * 1666 + "so."
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert digest == "47b1e602f2680e0e957578c2f3b2f9c62976693869536bf7f9e599a54cbe7cc8"
    assert n_words(text) == 10_000
    assert split_sentences(text) == [(0, 44_998)]
    assert view(text).text == text


def test_long_odd_texts_cost_one_pass() -> None:
    # Each of these takes minutes if a pattern looks back over what it has seen.
    for text in ("!" * 300_000, " " * 300_000, "( " * 150_000, "\u200b" * 300_000, ".)" * 150_000):
        assert n_words(text) == len(list(words(text))) == 0
        assert len(view(text).text) <= len(text)
        characters(text)


def test_encodings_give_one_text(cases: Path) -> None:
    folder = cases / "text" / "t07_encodings"
    readable = ["lf_utf8", "crlf_utf8", "cr_utf8", "bom_utf8", "lf_utf16le_bom", "nbsp_utf8", "lf_cp1252"]
    for stem in readable:
        text = decode((folder / f"{stem}.txt").read_bytes(), encoding="cp1252" if "cp1252" in stem else "utf-8")
        digest = hashlib.sha256(text.encode()).hexdigest()
        assert digest == "7c95fedeb466f781415af14a8ff7b27b7b50cd0569caca8867722a8f49e46d9f"
        assert n_words(text) == 14
        assert len(split_sentences(text)) == 3


@pytest.mark.parametrize(("stem", "value"), [("broken_utf8", "0xE2"), ("lf_cp1252", "0x92")])
def test_a_broken_file_names_the_byte(cases: Path, stem: str, value: str) -> None:
    data = (cases / "text" / "t07_encodings" / f"{stem}.txt").read_bytes()
    with pytest.raises(InputError, match=rf"x\.txt: not UTF-8 at byte 5 \({value}\)"):
        decode(data, place="x.txt")
    with pytest.raises(InputError, match="at byte 8 "):
        decode(b"\xef\xbb\xbf" + data)


def test_odd_bytes_and_encodings() -> None:
    assert decode(b"") == ""
    assert decode("é\r\n".encode("utf-32")) == "é\n"
    with pytest.raises(InputError, match="not UTF-16-LE at byte 4"):
        decode(b"\xff\xfea\x00b")
    for name in ("klingon", "hex", ""):
        with pytest.raises(OptionError, match="Unknown text encoding"):
            decode(b"", encoding=name)


def test_splitter_is_named_with_its_version() -> None:
    assert SPLITTER_ID.startswith("sentencex-1.")
    assert "|" not in SPLITTER_ID
