"""Properties of the corpora room that hold for any text, label or row order."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from miner.corpora import parse_languages, parse_level, read_corpus
from miner.corpora.alignment import aligned
from miner.corpora.change_markup import resolve
from miner.corpora.correction_markup import resolve_inline
from miner.corpora.records import Edit
from miner.corpora.spans import clean, fits, place
from miner.text import normalise, storable

_TAGS = (
    "<change> </change> <selection> </selection> <tag> </tag> <symbol>XC</symbol> <correct> </correct> <br> <code> &amp;lt; "
    "&nbsp; <original= > </original> <title> < = word é 😀 \ud800"
)
BITS = st.sampled_from([*_TAGS.split(), " ", "\r\n"])
MARKUP = st.lists(BITS | st.text(max_size=5), max_size=20).map("".join)
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "text": MARKUP,
            "l1": st.sampled_from(["fr", "nan", "NA", "null", ""]),
            "cefr": st.sampled_from(["B1", "b", "None", "6"]),
        },
        optional={"learner": st.text(max_size=3)},
    ),
    min_size=1,
    max_size=6,
)


@given(MARKUP)
def test_damaged_markup_gives_a_text_and_edits_inside_it(markup: str) -> None:
    for found in (resolve(markup), resolve_inline(markup)):
        assert fits(found.edits, found.text)
        text, shift = clean(found.text)
        placed, void = place(found.edits, found.text, text, shift)
        assert len(placed) + void == len(found.edits)
        for edit in placed:
            assert text[edit.start : edit.end] == edit.original


@given(
    st.text(max_size=30),
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), st.none() | st.text(max_size=3)), max_size=5),
)
def test_edits_keep_the_words_under_them_when_a_text_is_cleaned(raw: str, spans: list) -> None:
    edits = [Edit(min(a, b, len(raw)), min(max(a, b), len(raw)), c) for a, b, c in spans]
    text, shift = clean(raw)
    for edit, made in ((e, place([e], raw, text, shift)[0]) for e in edits):
        under = storable(normalise(raw[edit.start : edit.end])).strip()
        if made and "\r" not in raw and not raw.startswith("\ufeff"):
            assert made[0].original.strip() == under


@given(st.text(max_size=40), st.text(max_size=40))
def test_alignment_gives_the_corrected_text_back(original: str, corrected: str) -> None:
    out, at = [], 0
    for edit in aligned(original, corrected):
        assert at <= edit.start <= edit.end
        out += [original[at : edit.start], edit.correction or ""]
        at = edit.end
    assert "".join([*out, original[at:]]) == corrected


@settings(deadline=None)  # the first call reads the table of languages
@given(st.text(max_size=20))
def test_any_label_is_read(label: str) -> None:
    assert parse_level(label).status in ("known", "band", "missing", "unknown")
    languages = parse_languages(label)
    assert bool(languages.codes) == (languages.status == "known")


@settings(max_examples=40, deadline=None)
@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_rows_and_columns_changes_nothing(rows: list[dict], rng) -> None:
    with tempfile.TemporaryDirectory() as folder:
        made = []
        for n in range(2):
            path = Path(folder) / f"{n}.jsonl"
            order = rng.sample(rows, len(rows))
            path.write_text(
                "\n".join(json.dumps(dict(rng.sample(list(r.items()), len(r)))) for r in order), encoding="utf-8"
            )
            made.append(read_corpus(path, name="x"))
    assert made[0].fingerprint == made[1].fingerprint
    pd.testing.assert_frame_equal(made[0].texts, made[1].texts)
    assert sorted(made[0].texts["text"]) == sorted(storable(normalise(r["text"])).strip() for r in rows)
