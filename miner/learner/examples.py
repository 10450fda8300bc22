"""Examples for an inventory: a few matches with their context, each of another learner, within what the licence allows."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from miner.errors import InputError, OptionError, listed
from miner.learner.quoting import Terms
from miner.ledger import Ledger
from miner.tables import EXAMPLES, conform
from miner.text import n_words

CUT = "…"


@dataclass(frozen=True)
class Quoted:
    """Examples and their account.

    Parameters
    ----------
    table : DataFrame
        Table ``examples``.
    terms : tuple of Terms
        What may be quoted of each corpus; goes with the table wherever it is shown.
    used : dict of str to int
        Words quoted by corpus.
    ledger : Ledger
        Step ``examples``: inventory rows; kept if they have an example. Notes tell examples that a limit kept out.
    """

    table: pd.DataFrame
    terms: tuple[Terms, ...]
    used: dict[str, int]
    ledger: Ledger


@dataclass(frozen=True)
class _Candidate:
    # One match with context; `order` depends on the content alone.
    order: str
    learner: str
    corpus: str
    before: str
    found: str
    after: str
    words: int


@dataclass
class _Row:
    # One row of the inventory with its candidates (one per learner) and what was taken of them.
    facts: dict[str, object]
    candidates: list[_Candidate]
    taken: list[_Candidate] = field(default_factory=list)


def pick_examples(
    inventory: pd.DataFrame,
    matches: pd.DataFrame,
    texts: pd.DataFrame,
    terms: Sequence[Terms],
    *,
    per_feature: int = 3,
    width: int = 40,
) -> Quoted:
    """Pick examples for every over-used feature of an inventory.

    Parameters
    ----------
    inventory : DataFrame
        Table ``l1_inventory``; of a row only ``l1, cefr, rank, feature, label, direction`` are read. Under-used features get no
        example: what they lack cannot be shown.
    matches : DataFrame
        ``text_id, start, end`` (code points of ``texts.text``) and ``feature``: mapped matches or gold edits.
    texts : DataFrame
        Table ``texts`` (``text_id, corpus, l1, band, learner_id, text``); only texts whose L1 and band are those of a row are
        quoted for it. A text without a learner is a learner of its own.
    terms : sequence of Terms
        One for each corpus of the texts, from :func:`miner.learner.quoting.quotation_terms`.
    per_feature : int
        Examples of a row at most.
    width : int
        Code points of context on each side at most, cut between words.

    Returns
    -------
    Quoted

    Raises
    ------
    OptionError
        If ``per_feature`` or ``width`` is negative.
    InputError
        If a corpus has no terms.

    Notes
    -----
    The choice depends on content alone: of each learner the match with the smallest hash of feature and context, and the
    learners with the smallest hashes; the order of texts, their ids and the learners' ids do not matter (ids break ties
    between equal contexts, of which only one is shown). The words that a licence allows are given out in
    rounds: every row's first example by rank, then every row's second, until none fits.
    """
    if per_feature < 0 or width < 0:
        msg = f"Examples need a number and a width of 0 or more; got {per_feature} and {width}"
        raise OptionError(msg)
    missing = sorted(set(texts["corpus"]) - {t.corpus for t in terms})
    if missing:
        msg = f"The corpora {listed(missing)} have no terms; say what may be quoted of every corpus"
        raise InputError(msg)
    ledger = Ledger("examples", "inventory rows")
    by_row = _joined(inventory, matches, texts)
    rows = []
    for facts in inventory.sort_values(["rank", "l1", "cefr"], kind="stable").to_dict("records"):
        said = by_row.get((facts["l1"], facts["cefr"], facts["feature"])) if facts["direction"] == "over" else None
        found = [] if said is None else _candidates(str(facts["feature"]), said, width)
        rows.append(_Row({str(k): v for k, v in facts.items()}, found))
    used = _give_out(rows, {t.corpus: t.most_words for t in terms}, per_feature, ledger)
    for row in rows:
        _account(row, per_feature, ledger)
    cells = [_cells(row, i, c) for row in rows for i, c in enumerate(row.taken, 1)]
    return Quoted(conform(cells, EXAMPLES) if cells else EXAMPLES.empty(), tuple(terms), used, ledger)


def _joined(inventory: pd.DataFrame, matches: pd.DataFrame, texts: pd.DataFrame) -> dict[Any, pd.DataFrame]:
    # Matches of the over-used features with their text, by L1, band and feature.
    wanted = set(inventory.loc[inventory["direction"] == "over", "feature"])
    said = matches.loc[matches["feature"].isin(wanted), ["text_id", "start", "end", "feature"]]
    columns = ["text_id", "corpus", "l1", "band", "learner_id", "text"]
    return dict(iter(said.merge(texts[columns], on="text_id").groupby(["l1", "band", "feature"], sort=False)))


def _candidates(feature: str, said: pd.DataFrame, width: int) -> list[_Candidate]:
    every = []
    for match in said.to_dict("records"):
        learner = "" if pd.isna(match["learner_id"]) else str(match["learner_id"])
        before, found, after = context(str(match["text"]), int(match["start"]), int(match["end"]), width=width)
        key = "\x1f".join((feature, before, found, after))
        order = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        words = n_words(f"{before}{found}{after}")
        every.append(
            _Candidate(order, learner or f"text {match['text_id']}", str(match["corpus"]), before, found, after, words)
        )
    every.sort(key=lambda c: (c.order, c.corpus, c.learner))
    kept: list[_Candidate] = []
    learners: set[tuple[str, str]] = set()
    seen: set[str] = set()
    for candidate in every:
        if (candidate.corpus, candidate.learner) not in learners and candidate.order not in seen:
            learners.add((candidate.corpus, candidate.learner))
            seen.add(candidate.order)
            kept.append(candidate)
    return kept


def context(text: str, start: int, end: int, *, width: int) -> tuple[str, str, str]:
    """Return what stands before a match, the match, and what follows, blanks collapsed.

    Before and after have at most ``width`` code points, are cut between words and say so with an ellipsis. A blank at the
    edge of the match stays with its neighbour, so that the three joined read as the text does.
    """
    left, right = text[:start], text[end:]
    before, after = left[len(left) - min(width, len(left)) :], right[:width]
    if len(before) < len(left):
        if not left[: len(left) - len(before)][-1:].isspace() and not before[:1].isspace():
            before = _from_blank(before)
        before = f"{CUT} {_plain(before).lstrip()}"
    if len(after) < len(right):
        if not right[len(after)].isspace() and not after[-1:].isspace():
            after = _from_blank(after[::-1])[::-1]
        after = f"{_plain(after).rstrip()} {CUT}"
    return _plain(before), _plain(text[start:end]), _plain(after)


def _from_blank(piece: str) -> str:
    # A word that is cut at the edge goes, up to the first blank.
    at = next((i for i, c in enumerate(piece) if c.isspace()), len(piece))
    return piece[at:]


def _plain(piece: str) -> str:
    middle = " ".join(piece.split())
    if not middle:
        return " " if piece else ""
    return (" " if piece[0].isspace() else "") + middle + (" " if piece[-1].isspace() else "")


def _give_out(rows: list[_Row], limits: dict[str, int | None], per_feature: int, ledger: Ledger) -> dict[str, int]:
    used = dict.fromkeys(limits, 0)
    full = 0
    for _ in range(per_feature):
        for row in rows:
            while row.candidates:
                candidate = row.candidates.pop(0)
                limit = limits[candidate.corpus]
                if limit is None or used[candidate.corpus] + candidate.words <= limit:
                    used[candidate.corpus] += candidate.words
                    row.taken.append(candidate)
                    break
                full += 1
    ledger.note("examples that the licence's limit kept out", full)
    return used


def _account(row: _Row, per_feature: int, ledger: Ledger) -> None:
    place = f"{row.facts['l1']} {row.facts['cefr']} {row.facts['feature']}"
    if row.taken:
        ledger.keep()
        if len(row.taken) < per_feature:
            ledger.note("rows with fewer examples than asked for", place=place)
    elif row.facts["direction"] != "over":
        ledger.drop("under-used: no example", place=place)
    else:
        ledger.drop("no match that may be quoted", place=place)


def _cells(row: _Row, number: int, candidate: _Candidate) -> dict[str, object]:
    return {
        **{k: row.facts[k] for k in ("l1", "cefr", "feature", "label")},
        "example": number,
        "corpus": candidate.corpus,
        "before": candidate.before,
        "found": candidate.found,
        "after": candidate.after,
        "words": candidate.words,
    }
