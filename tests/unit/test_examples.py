"""Examples of an inventory: which, of whom, how many words, and how they are shown."""

from __future__ import annotations

import pandas as pd
import pytest

from miner.errors import InputError, OptionError
from miner.learner.examples import context, pick_examples
from miner.learner.quoting import quotation_terms
from miner.report.examples import examples_section
from miner.text import n_words

FREE = quotation_terms("c", "CC0", redistribute=True)
BODY = "Yesterday evening my old friend {0} have a new bicycle and we was very happy about it all the long way home."


def texts(*rows):
    """Rows of (text_id, learner, l1, band, text)."""
    return pd.DataFrame(rows, columns=["text_id", "learner_id", "l1", "band", "text"]).assign(corpus="c")


def inventory(*rows):
    """Rows of (l1, cefr, rank, feature, direction)."""
    frame = pd.DataFrame(rows, columns=["l1", "cefr", "rank", "feature", "direction"])
    return frame.assign(label="label of " + frame["feature"].astype(str))


def matches(frame, word, feature):
    at = [t.index(word) for t in frame["text"]]
    return pd.DataFrame(
        {"text_id": frame["text_id"], "start": at, "end": [i + len(word) for i in at], "feature": feature}
    )


NAMES = ["Ann", "Bob", "Cem", "Dora", "Eli", "Fay"]
TEXTS = texts(*[(f"t{i}", f"L{i // 2}", "fr", "B", BODY.format(n)) for i, n in enumerate(NAMES)])
MATCHES = pd.concat([matches(TEXTS, "have", "AGR"), matches(TEXTS, "was", "PAST")], ignore_index=True)
INVENTORY = inventory(("fr", "B", 1, "AGR", "over"), ("fr", "B", 2, "PAST", "over"))


def pick(inv=INVENTORY, m=MATCHES, t=TEXTS, terms=(FREE,), **options):
    return pick_examples(inv, m, t, terms, **options)


@pytest.mark.parametrize(
    ("start", "end", "width", "said"),
    [
        # one two three four five
        (8, 13, 5, ("… two ", "three", " four …")),
        (8, 13, 4, ("… two ", "three", " …")),  # four would be cut
        (8, 13, 3, ("… ", "three", " …")),
        (8, 13, 99, ("one two ", "three", " four five")),
        (0, 3, 4, ("", "one", " two …")),
        (19, 23, 5, ("… four ", "five", "")),
        (8, 8, 5, ("… two ", "", "three …")),
        (9, 9, 2, ("… t", "", " …")),  # inside a word
    ],
)
def test_context_is_cut_between_words(start, end, width, said):
    assert context("one two three four five", start, end, width=width) == said


def test_context_collapses_blanks():
    assert context("a b\n\n  c\td", 7, 8, width=40) == ("a b ", "c", " d")


def test_each_example_is_of_another_learner():
    got = pick(per_feature=5).table
    # Six texts of three learners.
    assert got.groupby("feature")["example"].max().to_dict() == {"AGR": 3, "PAST": 3}
    shown = got.loc[got["feature"] == "AGR", "before"].str.cat()
    assert sum(n in shown for n in NAMES) == 3
    for pair in (NAMES[:2], NAMES[2:4], NAMES[4:]):
        assert sum(n in shown for n in pair) == 1
    assert set(got["found"]) == {"have", "was"}


def test_order_of_texts_and_their_ids_change_nothing():
    mixed = TEXTS.iloc[::-1].assign(text_id=lambda f: "z" + f["text_id"], learner_id=lambda f: "x" + f["learner_id"])
    m = MATCHES.iloc[::-1].assign(text_id=lambda f: "z" + f["text_id"])
    pd.testing.assert_frame_equal(pick(per_feature=2).table, pick(t=mixed, m=m, per_feature=2).table)


def test_only_texts_of_the_cell_and_only_over_use():
    other = texts(("u", "L9", "de", "B", BODY.format("Gus")), ("v", "L8", "fr", "A", BODY.format("Hal")))
    t = pd.concat([TEXTS, other], ignore_index=True)
    m = pd.concat([MATCHES, matches(other, "have", "AGR")], ignore_index=True)
    inv = inventory(("fr", "B", 1, "AGR", "over"), ("fr", "B", 2, "PAST", "under"), ("de", "B", 1, "PAST", "over"))
    got = pick(inv, m, t, per_feature=9)
    assert set(got.table["feature"]) == {"AGR"}
    assert not got.table["before"].str.contains("Gus|Hal").any()
    assert got.ledger.as_dict()["dropped"] == {"under-used: no example": 1, "no match that may be quoted": 1}


def test_the_same_words_are_shown_once():
    t = texts(*[(f"t{i}", f"L{i}", "fr", "B", BODY.format("Ann")) for i in range(4)])
    assert len(pick(m=matches(t, "have", "AGR"), t=t).table) == 1


def test_the_licence_limits_the_words():
    whole = pick(per_feature=3)
    assert whole.used == {"c": sum(whole.table["words"])}
    assert all(n_words(f"{r.before}{r.found}{r.after}") == r.words for r in whole.table.itertuples())
    tight = quotation_terms("c", "form; quotations below 50 words; do not redistribute", redistribute=False)
    assert tight.most_words == 49
    got = pick(terms=[tight], per_feature=3)
    assert 0 < got.used["c"] <= 49
    # Rounds: both features have an example before one has two.
    assert set(got.table["feature"]) == {"AGR", "PAST"}
    assert got.ledger.noted["examples that the licence's limit kept out"] > 0
    none = pick(terms=[quotation_terms("c", "", redistribute=True, most_words=0)])
    assert len(none.table) == 0
    assert none.ledger.dropped["no match that may be quoted"] == 2


@pytest.mark.parametrize(
    ("licence", "free", "own", "most"),
    [
        ("free after a form; quotations below 100 words; do not redistribute", False, None, 99),
        ("quotations of at most 100 words", False, None, 100),
        ("quotations below 100 words", False, 40, 40),
        ("quotations below 100 words", False, 400, 99),
        ("paid; do not redistribute", False, None, 99),
        ("no derivatives, do not redistribute extracts", False, None, 0),
        ("CC BY 4.0", True, None, None),
        ("CC BY 4.0", True, 10, 10),
    ],
)
def test_what_may_be_quoted(licence, free, own, most):
    assert quotation_terms("c", licence, redistribute=free, most_words=own).most_words == most


def test_the_licence_of_the_fce_is_understood():
    from miner.corpora.formats.fce import LICENCE

    assert quotation_terms("fce", LICENCE, redistribute=False).most_words == 99


def test_what_is_asked_for_must_make_sense():
    with pytest.raises(OptionError, match="0 or more"):
        pick(per_feature=-1)
    with pytest.raises(OptionError, match="0 or more"):
        quotation_terms("c", "", redistribute=True, most_words=-1)
    with pytest.raises(InputError, match="'c' have no terms"):
        pick(terms=[])
    empty = pick(inventory(), MATCHES, TEXTS)
    assert (len(empty.table), empty.ledger.read) == (0, 0)


def test_the_section_escapes_text_and_carries_the_licence():
    t = texts(("t", "L", "fr", "B", "I said <b>she have</b> & left"))
    terms = quotation_terms("c", "quotations below 100 words <form>", redistribute=False)
    got = pick(m=matches(t, "have", "AGR"), t=t, terms=[terms])
    html = examples_section(got.table, got.terms, got.used)
    assert "&lt;b&gt;she <mark>have</mark>&lt;/b&gt; &amp; left" in html
    assert "quotations below 100 words &lt;form&gt;" in html
    assert "At most 99 words in all (as the licence says); 5 are quoted here" in html
    assert "French (fr), band B" in html
    empty = examples_section(got.table.iloc[:0], got.terms, {"c": 0})
    assert "There is none" in empty
