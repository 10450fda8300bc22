"""What to keep where matches overlap: all, each once, or the longest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from miner.errors import require_one_of
from miner.ledger import Ledger

if TYPE_CHECKING:
    import pandas as pd

Overlap = Literal["all", "exact", "longest"]
_IDENTITY = ["text_id", "start", "end", "rule_id"]


def apply_overlap(matches: pd.DataFrame, policy: Overlap) -> tuple[pd.DataFrame, Ledger]:
    """Keep matches by an overlap policy.

    Parameters
    ----------
    matches : DataFrame
        The table ``matches``; several texts, any row order.
    policy : {"all", "exact", "longest"}
        ``all`` keeps everything. ``exact`` keeps matches with the same rule, start and end once (the first by
        ``sub_id``). ``longest`` keeps of matches that share a character the longest span; ties go to the smaller
        start, then to the smaller rule id. A match that overlaps only dropped ones is kept.

    Returns
    -------
    (DataFrame, Ledger)
        The kept rows, sorted by the table's key, and the account in matches.
    """
    require_one_of(policy, get_args(Overlap), what="The overlap policy")
    ledger = Ledger("overlap", "matches")
    frame = matches.sort_values([*_IDENTITY, "sub_id", "n_same"], kind="stable", ignore_index=True)
    keep = np.ones(len(frame), dtype=bool)
    if policy == "exact":
        keep = ~frame.duplicated(_IDENTITY).to_numpy()
        ledger.drop("same rule, start and end as another match", int((~keep).sum()))
    elif policy == "longest":
        keep = _longest(frame)
        ledger.drop("overlaps a longer (or earlier) match", int((~keep).sum()))
    ledger.keep(int(keep.sum()))
    return frame[keep].reset_index(drop=True), ledger


def _longest(frame: pd.DataFrame) -> NDArray[np.bool_]:
    # Greedy by rank, in rounds on all texts at once: whoever outranks all living rivals is kept, and its rivals go.
    start, end = frame["start"].to_numpy(np.int64), frame["end"].to_numpy(np.int64)
    rank = _ranks(start, end, frame["rule_id"].tolist())
    left, right = _overlapping(frame["text_id"].to_numpy(), start, end)
    better = np.where(rank[left] < rank[right], left, right)
    worse = np.where(rank[left] < rank[right], right, left)
    alive = np.ones(len(frame), dtype=bool)
    while better.size:
        beaten = np.zeros(len(frame), dtype=bool)
        beaten[worse] = True
        alive[worse[~beaten[better]]] = False
        living = alive[better] & alive[worse]
        better, worse = better[living], worse[living]
    return alive


def _ranks(start: NDArray[np.int64], end: NDArray[np.int64], rules: Sequence[str]) -> NDArray[np.int64]:
    order = sorted(range(len(rules)), key=lambda i: (start[i] - end[i], start[i], rules[i], i))
    rank = np.empty(len(rules), dtype=np.int64)
    rank[order] = np.arange(len(rules))
    return rank


def _overlapping(
    text: NDArray[np.object_], start: NDArray[np.int64], end: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    # Rows are sorted by text and start, so the rivals to the right of a match are the rows up to its end.
    if not len(start):
        return start, start
    number = np.concatenate(([0], np.cumsum(text[1:] != text[:-1])))
    width = int(end.max()) + 1
    places = number * width + start
    after = np.searchsorted(places, number * width + end, side="left")
    first = np.arange(len(start)) + 1
    n = np.maximum(after - first, 0)
    left = np.repeat(first - 1, n)
    right = np.arange(n.sum()) - np.repeat(np.cumsum(n) - n, n) + left + 1
    return left, right
