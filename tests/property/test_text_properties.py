"""Properties of the text room that hold for any text."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from miner.text import (
    characters,
    n_words,
    normalise,
    split_sentences,
    storable,
    utf8_to_codepoints,
    utf16_to_codepoints,
    view,
    words,
)

# Many blanks, marks, invisible and joined characters, and now and then anything at all.
ODD = [*"\u200b\xad\u200d\u200c\x01\x0b\x1c\x85\u2028\ufeff\ufffd\ud800👩👍🏽من\U000e0067🏴"]
SIGNS = st.sampled_from([*"ab é.,:!?()[]{}“”\"'’ \n\t\r", *ODD])
TEXTS = st.lists(SIGNS | st.characters(), max_size=40).map("".join)


@given(TEXTS)
def test_offset_maps_round_trip(text: str) -> None:
    places = np.arange(len(text) + 1)
    in_utf16 = [len(text[:i].encode("utf-16-le", "surrogatepass")) // 2 for i in places]
    in_utf8 = [len(text[:i].encode("utf-8", "surrogatepass")) for i in places]
    if not re.search("[\ud800-\udbff][\udc00-\udfff]", text):
        assert utf16_to_codepoints(text, in_utf16).tolist() == places.tolist()
    assert utf8_to_codepoints(text, in_utf8).tolist() == places.tolist()
    assert utf8_to_codepoints(text, in_utf8[::-1]).tolist() == places[::-1].tolist()


@given(TEXTS)
def test_every_character_of_the_view_leads_back_to_itself(text: str) -> None:
    seen = view(text)
    end_before = 0
    for i, sign in enumerate(seen.text):
        start, end = seen.to_original(i, i + 1)
        assert end_before <= start < end <= len(text)
        assert text[start:end] == sign or (sign.isspace() and any(c.isspace() for c in text[start:end]))
        assert seen.to_original(i, i) == (start, start)
        end_before = end
    if seen.text:
        start, end = seen.to_original(0, len(seen.text))
        assert view(text[start:end]).text == seen.text


@given(TEXTS)
def test_view_is_clean_and_stable_and_keeps_the_words(text: str) -> None:
    seen = view(text).text
    assert view(seen).text == seen
    assert seen == seen.strip()
    assert not re.search("  | \n|\n |\n\n\n|\t|\r", seen)
    assert not characters(seen).xml_invalid
    assert not characters(seen).invisible
    assert n_words(seen) == n_words(text) == len(list(words(text)))


@given(TEXTS)
def test_sentences_hold_all_but_white_space(text: str) -> None:
    end_before, between = 0, ""
    for start, end in split_sentences(text):
        assert end_before <= start < end
        assert text[start:end] == text[start:end].strip()
        between += text[end_before:start]
        end_before = end
    assert not (between + text[end_before:]).strip()


@given(TEXTS)
def test_normalise_and_storable_are_stable(text: str) -> None:
    once = normalise(text.lstrip("\ufeff"))
    assert normalise(once) == once
    assert len(storable(text)) == len(text)
    storable(text).encode("utf-8")
