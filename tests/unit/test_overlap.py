"""Overlap policies on hand-made spans; the vectorised 'longest' against its plain definition."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from miner.checkers import apply_overlap
from miner.errors import OptionError
from miner.tables import MATCHES, conform

Row = tuple[str, int, int, str]


def _matches(rows: list[Row]) -> pd.DataFrame:
    seen: dict[Row, int] = {}
    out = []
    for row in rows:
        seen[row] = seen.get(row, 0) + 1
        text_id, start, end, rule = row
        out.append(
            {
                "text_id": text_id,
                "start": start,
                "end": end,
                "rule_id": rule,
                "sub_id": "",
                "lt_category": "GRAMMAR",
                "issue_type": "grammar",
                "engine": "hand",
                "n_same": seen[row],
            }
        )
    return conform(out, MATCHES)


def _rows(frame: pd.DataFrame) -> list[Row]:
    return list(frame[["text_id", "start", "end", "rule_id"]].itertuples(index=False, name=None))


def _longest_by_definition(rows: list[Row]) -> list[Row]:
    kept: list[Row] = []
    for row in sorted(rows, key=lambda r: (r[1] - r[2], r[1], r[3])):
        if not any(k[0] == row[0] and k[1] < row[2] and row[1] < k[2] for k in kept):
            kept.append(row)
    return sorted(kept)


@pytest.mark.parametrize("policy", ["all", "exact", "longest"])
def test_no_matches_give_no_matches(policy) -> None:
    kept, ledger = apply_overlap(MATCHES.empty(), policy)
    assert kept.empty
    assert list(kept.columns) == MATCHES.names
    assert ledger.as_dict()["read"] == 0


def test_ties_go_to_the_smaller_start_then_the_smaller_rule() -> None:
    kept, ledger = apply_overlap(
        _matches([("a", 0, 4, "B"), ("a", 2, 6, "A"), ("b", 5, 9, "B"), ("b", 5, 9, "A")]), "longest"
    )
    assert _rows(kept) == [("a", 0, 4, "B"), ("b", 5, 9, "A")]
    assert ledger.dropped == {"overlaps a longer (or earlier) match": 2}


def test_touching_matches_and_other_texts_do_not_overlap() -> None:
    rows = [("a", 0, 4, "A"), ("a", 4, 9, "A"), ("b", 0, 9, "A")]
    assert _rows(apply_overlap(_matches(rows), "longest")[0]) == rows


def test_a_match_that_overlaps_only_dropped_ones_stays() -> None:
    rows = [("a", 0, 10, "A"), ("a", 8, 14, "A"), ("a", 13, 16, "A")]
    assert _rows(apply_overlap(_matches(rows), "longest")[0]) == [rows[0], rows[2]]


def test_exact_keeps_one_of_identical_matches_only() -> None:
    kept, ledger = apply_overlap(
        _matches([("a", 0, 4, "A"), ("a", 0, 4, "A"), ("a", 0, 4, "B"), ("a", 0, 5, "A")]), "exact"
    )
    assert _rows(kept) == [("a", 0, 4, "A"), ("a", 0, 4, "B"), ("a", 0, 5, "A")]
    assert (ledger.read, ledger.kept) == (4, 3)


def test_unknown_policy_is_named_with_the_nearest() -> None:
    with pytest.raises(OptionError, match="'all', 'exact', 'longest'.*did you mean 'longest'"):
        apply_overlap(MATCHES.empty(), "longes")  # type: ignore[arg-type]


spans = st.tuples(st.sampled_from("ab"), st.integers(0, 12), st.integers(1, 8), st.sampled_from("RST"))


@given(st.lists(spans, max_size=25), st.randoms(use_true_random=False))
def test_longest_is_the_plain_definition_in_any_row_order(given_spans, random) -> None:
    rows = [(t, s, s + n, r) for t, s, n, r in given_spans]
    frame = _matches(rows)
    order = list(range(len(frame)))
    random.shuffle(order)
    kept, ledger = apply_overlap(frame.iloc[order], "longest")
    assert _rows(kept) == _longest_by_definition(rows)
    ledger.check()
