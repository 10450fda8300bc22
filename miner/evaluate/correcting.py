"""Rates of errors corrected for what the checker misses and flags without cause."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from miner.categories import Taxonomy, categorise, categorise_edits
from miner.evaluate.pairing import pair, related
from miner.evaluate.resampling import LearnerBootstrap
from miner.tables import CORRECTED_RATES, conform

#: Learners with gold edits that a cell needs for a correction of its own.
FEWEST_LEARNERS = 20
#: No correction where the lower end of recall's interval is below this.
LEAST_RECALL = 0.05

SAME, BAND, ALL = "same L1 and band", "all L1s of the band: assumes equal recall", "all texts: assumes equal recall"
Floats = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class _Sums:
    # One row per learner and band; columns are categories.
    rows: pd.DataFrame
    observed: Floats
    gold_matches: Floats
    gold_hits: Floats
    edits: Floats
    edits_hit: Floats


def corrected_rates(
    texts: pd.DataFrame,
    checked: pd.DataFrame,
    matches: pd.DataFrame,
    edits: pd.DataFrame,
    taxonomy: Taxonomy,
    *,
    exclude: str | Path = "default",
    annotator: str | None = None,
    resamples: int = 1000,
    seed: int = 20250101,
) -> pd.DataFrame:
    """Estimate each L1's error rates from a checker's matches, corrected by the annotated part of the same corpus.

    Parameters
    ----------
    texts, checked, matches, edits : DataFrame
        Tables of these names, of one corpus; texts without any edit row were not annotated.
    taxonomy, exclude, annotator :
        As in :func:`miner.evaluate.audit`.
    resamples, seed : int
        Of the bootstrap of learners (within L1s) that goes through all steps.

    Returns
    -------
    DataFrame
        Table ``corrected_rates``: one row per L1, band and category with matches or edits.

    Notes
    -----
    corrected = (observed - false alarms) / recall, where observed is the rate of matches in all checked texts of the cell;
    false alarms (matches that hit no edit of the category, per 1,000 words) and recall (edits that a match of the
    category hits) come from the annotated texts of the same L1 and band if at least 20 learners wrote them, else from
    all L1s of the band, else from all texts: then it is assumed that recall and false alarms per word do not differ
    between L1s, and the row says so. Precision is not carried over: it depends on how frequent the errors are. The
    correction is empty where the lower end of recall's interval is below .05.
    """
    categories, sums = _sums(texts, checked, matches, edits, taxonomy, exclude, annotator)
    learners, codes = np.unique(sums.rows["learner"].to_numpy(dtype=str), return_inverse=True)
    strata = sums.rows.groupby("learner", sort=True).agg(l1=("l1", "min"), gold=("gold_words", "sum"))
    groups: pd.Series = strata["l1"].astype(str) + np.where(strata["gold"] > 0, "+", "-")
    boot = LearnerBootstrap(groups, resamples=resamples, rng=np.random.default_rng(seed))
    weights = np.vstack([np.ones(len(learners)), boot.weights])[:, codes]
    cells = sums.rows[(sums.rows["l1"] != "") & (sums.rows["band"] != "")]
    rows = [
        row
        for l1, band in sorted(set(zip(cells["l1"], cells["band"], strict=True)))
        for row in _cell(l1, band, sums, weights, categories, taxonomy)
    ]
    return conform(pd.DataFrame(rows), CORRECTED_RATES) if rows else CORRECTED_RATES.empty()


def _sums(
    texts: pd.DataFrame,
    checked: pd.DataFrame,
    matches: pd.DataFrame,
    edits: pd.DataFrame,
    taxonomy: Taxonomy,
    exclude: str | Path,
    annotator: str | None,
) -> tuple[list[str], _Sums]:
    names = edits["annotator"].fillna("").astype(str)
    chosen = names.groupby(edits["text_id"]).transform("min") if annotator is None else annotator
    own = edits[names == chosen]
    good = texts["text_id"].map(checked.set_index("text_id")["status"]) == "checked"
    kept = texts[good].reset_index(drop=True)
    gold = kept["text_id"].isin(own["text_id"])
    unit = kept["learner_id"].fillna("").astype(str)
    unit = unit.where(unit != "", "text " + kept["text_id"].astype(str))
    frame = pd.DataFrame(
        {"learner": unit, "l1": kept["l1"].fillna("").astype(str), "band": kept["band"].fillna("").astype(str)}
    )
    frame["words"] = kept["n_words"].fillna(0).astype(float)
    frame["gold_words"] = frame["words"].where(gold, 0.0)
    rows = frame.groupby(["learner", "l1", "band"], sort=True).sum().reset_index()
    keys = frame[["learner", "l1", "band"]].agg("\x1f".join, axis=1)
    index = {k: i for i, k in enumerate(rows[["learner", "l1", "band"]].agg("\x1f".join, axis=1))}
    of_text = dict(zip(kept["text_id"], keys.map(index), strict=True))

    m = categorise(matches[matches["text_id"].isin(kept["text_id"])], taxonomy, exclude=exclude).matches
    m = m[m["status"] == "mapped"].reset_index(drop=True)
    e = own[own["kind"].isin(["replace", "insert", "delete"]) & own["text_id"].isin(kept["text_id"])]
    e = categorise_edits(e, taxonomy, exclude=exclude).edits
    e = e[e["status"] == "mapped"].reset_index(drop=True)
    pairs = pair(m, e)
    same = related(m["feature"].to_numpy()[pairs["match"]], e["feature"].to_numpy()[pairs["edit"]], taxonomy)
    pairs = pairs[same]
    categories = sorted(set(m["feature"]) | set(e["feature"]))
    in_gold = m["text_id"].isin(set(kept.loc[gold, "text_id"])).to_numpy()
    m_hit, e_hit = (np.isin(np.arange(len(f)), pairs[c]) for f, c in ((m, "match"), (e, "edit")))

    def table(items: pd.DataFrame, wanted: np.ndarray) -> Floats:
        out = np.zeros((len(rows), len(categories)))
        at = {c: i for i, c in enumerate(categories)}
        chosen = items[wanted]
        np.add.at(
            out,
            (chosen["text_id"].map(of_text).to_numpy(dtype=int), chosen["feature"].map(at).to_numpy(dtype=int)),
            1.0,
        )
        return out

    every = np.ones(len(m), bool)
    return categories, _Sums(
        rows,
        table(m, every),
        table(m, in_gold),
        table(m, in_gold & m_hit),
        table(e, np.ones(len(e), bool)),
        table(e, e_hit),
    )


def _cell(
    l1: str, band: str, sums: _Sums, weights: Floats, categories: list[str], taxonomy: Taxonomy
) -> list[dict[str, object]]:
    rows = sums.rows
    own = ((rows["l1"] == l1) & (rows["band"] == band)).to_numpy()
    annotated = (rows["gold_words"] > 0).to_numpy()
    level = (rows["band"] == band).to_numpy()
    choices = ((SAME, own & annotated), (BAND, level & annotated), (ALL, annotated))
    counted = [(name, k, rows.loc[k, "learner"].nunique()) for name, k in choices]
    source, part, n_gold = next((c for c in counted if c[2] >= FEWEST_LEARNERS), counted[-1])
    words, gold_words = (weights[:, k] @ rows.loc[k, c].to_numpy() for k, c in ((own, "words"), (part, "gold_words")))
    total = {
        name: weights[:, k] @ getattr(sums, name)[k]
        for name, k in (
            ("observed", own),
            ("gold_matches", part),
            ("gold_hits", part),
            ("edits", part),
            ("edits_hit", part),
        )
    }
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = 1000 * total["observed"] / words[:, None]
        alarms = 1000 * (total["gold_matches"] - total["gold_hits"]) / gold_words[:, None]
        recall = total["edits_hit"] / total["edits"]
        corrected = (observed - alarms) / recall
    out = []
    for i, category in enumerate(categories):
        if total["observed"][0, i] == total["edits"][0, i] == 0:
            continue
        low = _percentile(recall[1:, i], 2.5)
        reason = _reason(n_gold, total["edits"][0, i], low)
        ends = (np.nan, np.nan) if reason else (_percentile(corrected[1:, i], 2.5), _percentile(corrected[1:, i], 97.5))
        out.append(
            {
                "l1": l1, "cefr": band, "category": category, "label": taxonomy.label(category),
                "words": int(words[0]), "matches": int(total["observed"][0, i]), "observed": observed[0, i],
                "false_alarms": alarms[0, i], "recall": recall[0, i], "recall_low": low,
                "corrected": np.nan if reason else corrected[0, i], "corrected_low": ends[0], "corrected_high": ends[1],
                "gold": source, "gold_learners": int(n_gold), "gold_edits": int(total["edits"][0, i]), "reason": reason,
            }
        )  # fmt: skip
    return out


def _percentile(values: Floats, at: float) -> float:
    finite = values[np.isfinite(values)]
    return float(np.percentile(finite, at)) if len(finite) >= 0.8 * len(values) and len(finite) else np.nan


def _reason(n_gold: int, edits: float, low: float) -> str:
    if n_gold < FEWEST_LEARNERS:
        return f"fewer than {FEWEST_LEARNERS} learners with gold edits"
    if not edits:
        return "no gold edits of the category: recall unknown"
    return "" if low >= LEAST_RECALL else f"recall may be below {LEAST_RECALL}: nothing to divide by"
