"""Inline corrections as annotators typed them."""

from __future__ import annotations

import pytest

from miner.corpora.correction_markup import resolve_inline


@pytest.mark.parametrize(
    ("markup", "text", "edits", "left"),
    [
        ("", "", [], 0),
        ("no tags, 2 < 3 and a<b", "no tags, 2 < 3 and a<b", [], 0),
        ("a <original=hous>house</original> b", "a hous b", [(2, 6, "house")], 0),
        ("<original = hous >house</orginal> b", "hous b", [(0, 4, "house")], 0),
        ("a <original=hous<house</original> b", "a hous b", [(2, 6, "house")], 0),
        ("a <original=hous>house</original b", "a hous b", [(2, 6, "house")], 0),
        ("a <original=hous</original> b", "a hous b", [(2, 6, None)], 0),
        ("<title>My <original=hous>house</original><title>\nIt is old.", "My hous\nIt is old.", [(3, 7, "house")], 0),
        ("as <in_text_reference>X (2020)</in-text-reference> says", "as X (2020) says", [], 0),
        ("a house</original> b", "a house b", [], 1),
        ("a <original=hous> b", "a hous b", [], 1),
        ("a <b>house</b>", "a <b>house</b>", [], 2),
    ],
)
def test_markup(markup: str, text: str, edits: list, left: int) -> None:
    found = resolve_inline(markup)
    assert found.text == text
    assert [e[:3] for e in found.edits] == edits
    assert found.left == left
