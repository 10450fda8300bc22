"""From categorised matches to counts per text and feature: the two tables that all statistics read."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from miner import tables
from miner.errors import InputError, listed
from miner.ledger import Ledger

#: Categorised matches of texts in which nothing was found.
NO_MATCHES = pd.DataFrame({c: pd.Series(dtype="str") for c in ("text_id", "status", "feature")})


@dataclass(frozen=True)
class Counts:
    """Counts of checked texts.

    Attributes
    ----------
    counts : DataFrame
        :data:`miner.tables.COUNTS`; only cells above 0.
    units : DataFrame
        :data:`miner.tables.UNITS`; every text that can be counted on, those without any match included.
    ledger : Ledger
        What was done with each text.
    """

    counts: pd.DataFrame = field(repr=False)
    units: pd.DataFrame = field(repr=False)
    ledger: Ledger


def count(texts: pd.DataFrame, checked: pd.DataFrame, categorised: pd.DataFrame) -> Counts:
    """Count the mapped matches of each checked text.

    Parameters
    ----------
    texts : DataFrame
        :data:`miner.tables.TEXTS`.
    checked : DataFrame
        :data:`miner.tables.CHECKED`; only texts with status ``checked`` are counted on.
    categorised : DataFrame
        Matches with the columns ``text_id, status, feature``; rows with status ``mapped`` are counted.

    Returns
    -------
    Counts
        Texts that are not (wholly) checked, or have 0 words (no rate exists), are left out and in the ledger. Texts
        without an L1 or level stay: the test leaves them out, with reasons of its own.

    Raises
    ------
    InputError
        If matches belong to texts that are not there.
    """
    ledger = Ledger("count", "texts")
    status = checked.set_index("text_id")
    reason = texts["text_id"].map(_shortfalls(status)).astype(object)
    reason = reason.where(texts["text_id"].isin(status.index), "not checked")
    no_words = (reason == "") & (texts["n_words"].fillna(0) <= 0)
    reason = reason.where(~no_words, "no words")
    for why, ids in texts["text_id"].groupby(reason, sort=True):
        if why == "":
            ledger.keep(len(ids))
            continue
        places = sorted(ids)[:20]
        for place in places:
            ledger.drop(str(why), place=place)
        ledger.drop(str(why), len(ids) - len(places))
    kept = texts[reason == ""]
    units = pd.DataFrame(
        {
            "text_id": kept["text_id"],
            "learner": kept["learner_id"],
            "l1": kept["l1"],
            "band": kept["band"],
            "prompt": kept["prompt_id"],
            "words": kept["n_words"],
            "opportunities": pd.array([pd.NA] * len(kept), dtype="Int64"),
        }
    )
    return Counts(_counted(categorised, texts, kept), tables.conform(units, tables.UNITS), ledger)


def count_given(texts: pd.DataFrame, counts: pd.DataFrame) -> Counts:
    """Return counts that were found otherwise than by matches (used grammar, layout), of the texts that can be counted on.

    Parameters
    ----------
    texts : DataFrame
        :data:`miner.tables.TEXTS`; all were looked at.
    counts : DataFrame
        :data:`miner.tables.COUNTS`.
    """
    looked_at = pd.DataFrame({"text_id": texts["text_id"], "status": "checked", "reason": ""})
    counted = count(texts, looked_at, NO_MATCHES)
    countable = counts["text_id"].isin(counted.units["text_id"])
    return replace(counted, counts=counts[countable].reset_index(drop=True))


def count_edits(
    texts: pd.DataFrame, edits: pd.DataFrame, *, annotator: str | None = None, include_detections: bool = False
) -> Counts:
    """Count a corpus's own (gold) error codes instead of a checker's matches.

    Parameters
    ----------
    texts, edits : DataFrame
        :data:`miner.tables.TEXTS` and :data:`miner.tables.EDITS`.
    annotator : str, optional
        Whose edits count; by default those of each text's first annotator (alternatives are never pooled).
    include_detections : bool
        Whether edits without a correction (kind ``detect``) count too.

    Returns
    -------
    Counts
        Features are the edits' types. A text without any edit row was not annotated: it is left out, in the ledger
        (a ``noop`` row says that it was and holds no error).

    Raises
    ------
    InputError
        If the corpus has no edits.
    """
    if edits.empty:
        msg = "The corpus has no annotation to count; use the checker's matches, or a format that carries error codes"
        raise InputError(msg)
    names = edits["annotator"].fillna("").astype(str)
    chosen = names.groupby(edits["text_id"]).transform("min") if annotator is None else annotator
    own = edits[names == chosen]
    dropped = {"noop"} if include_detections else {"noop", "detect"}
    rows = own[~own["kind"].isin(dropped)]
    annotated = texts["text_id"].isin(own["text_id"])
    checked = pd.DataFrame(
        {
            "text_id": texts["text_id"],
            "status": np.where(annotated, "checked", "not annotated"),
            "reason": "",
        }
    )
    matches = pd.DataFrame({"text_id": rows["text_id"], "status": "mapped", "feature": rows["type"]})
    result = count(texts, checked, matches)
    result.ledger.note(
        "edits without a correction, not counted", int((own["kind"] == "detect").sum()) * (not include_detections)
    )
    return result


def _shortfalls(status: pd.DataFrame) -> pd.Series:
    why = status["reason"].fillna("").astype(str)
    shown = status["status"].astype(str) + why.map(lambda w: f": {w}" if w else "")
    return shown.where(status["status"] != "checked", "").astype(object)


def _counted(categorised: pd.DataFrame, texts: pd.DataFrame, kept: pd.DataFrame) -> pd.DataFrame:
    mapped = categorised[categorised["status"] == "mapped"]
    text, ids = pd.factorize(mapped["text_id"])
    feature, names = pd.factorize(mapped["feature"])
    ids, names = pd.Index(ids), pd.Index(names)
    strangers = sorted(ids[~ids.isin(texts["text_id"])])
    if strangers:
        msg = (
            f"{len(strangers)} texts have matches but are not among the texts: {listed(strangers, most=5)}. "
            "Give the texts that were checked"
        )
        raise InputError(msg)
    # Numbers of text and feature are counted, not their names: a corpus has millions of matches.
    use = (feature >= 0) & ids.isin(kept["text_id"])[text]
    if not use.any():
        return tables.COUNTS.empty()
    cell, n = np.unique(text[use].astype(np.int64) * len(names) + feature[use], return_counts=True)
    frame = pd.DataFrame({"text_id": ids[cell // len(names)], "feature": names[cell % len(names)], "n": n})
    return tables.conform(frame, tables.COUNTS)
