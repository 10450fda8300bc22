"""Rates of errors from a few annotated learners and many checked ones: prediction-powered inference."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from miner.categories import Taxonomy, categorise, categorise_edits
from miner.errors import InputError, listed, require_one_of
from miner.tables import PREDICTION_POWERED, conform

GoldSample = Literal["undeclared", "random"]
#: Learners of a cell with gold edits, and without, from which an estimate is given: its interval is a normal one.
FEWEST_LEARNERS = 20
_Z = 1.959963984540054
Floats = np.ndarray[Any, np.dtype[np.float64]]


def prediction_powered_mean(gold: Floats, predicted: Floats, others: Floats) -> dict[str, float]:
    """Return the prediction-powered mean of a quantity, with its classical 95 % interval.

    Parameters
    ----------
    gold, predicted : array_like of float, shape (n,)
        The quantity and its prediction for the units of the random sample.
    others : array_like of float, shape (N,)
        The prediction for further units of the same population.

    Returns
    -------
    dict
        ``observed`` (mean of ``others``), ``rectifier`` (mean of gold less predicted), ``estimate`` (their sum), ``se``, ``low``,
        ``high``, and the classical ``gold``, ``gold_low``, ``gold_high`` from the sample alone.

    Raises
    ------
    InputError
        If lengths differ, or there are fewer than two units on either side.

    Notes
    -----
    estimate = mean(others) + mean(gold - predicted); se² = var(others) / N + var(gold - predicted) / n, sample variances; the
    interval is estimate ± 1.96 se. Angelopoulos, Bates, Fannjiang, Jordan and Zrnic (2023), Science 382, 669–674. It
    holds, however bad the predictions are, if the sample is a random one of the population that ``others`` come from.
    """
    y, f, rest = (np.asarray(a, dtype=np.float64) for a in (gold, predicted, others))
    if len(y) != len(f) or min(len(y), len(rest)) < 2:
        msg = f"Expected as many predictions as gold values, and at least 2 units on each side; got {len(y)}, {len(f)} and {len(rest)}"
        raise InputError(msg)
    error = y - f
    se = float(np.sqrt(rest.var(ddof=1) / len(rest) + error.var(ddof=1) / len(error)))
    alone = float(np.sqrt(y.var(ddof=1) / len(y)))
    estimate, mean = float(rest.mean() + error.mean()), float(y.mean())
    return {
        "gold": mean,
        "gold_low": mean - _Z * alone,
        "gold_high": mean + _Z * alone,
        "observed": float(rest.mean()),
        "rectifier": float(error.mean()),
        "estimate": estimate,
        "se": se,
        "low": estimate - _Z * se,
        "high": estimate + _Z * se,
    }


def prediction_powered_rates(
    texts: pd.DataFrame,
    checked: pd.DataFrame,
    matches: pd.DataFrame,
    edits: pd.DataFrame,
    taxonomy: Taxonomy,
    *,
    gold_sample: GoldSample = "undeclared",
    exclude: str | Path = "default",
    annotator: str | None = None,
) -> pd.DataFrame:
    """Estimate each cell's error rates from its annotated learners and from the matches in the texts of the others.

    Parameters
    ----------
    texts, checked, matches, edits : DataFrame
        Tables of these names, of one corpus; texts without any edit row were not annotated.
    taxonomy, exclude, annotator :
        As in :func:`miner.evaluate.audit`.
    gold_sample : {"undeclared", "random"}
        ``random`` is the user's word that in every cell of L1 and band the annotated learners were drawn at random. Nothing in
        the data can show it, so without it nothing is estimated.

    Returns
    -------
    DataFrame
        Table ``prediction_powered``: one row per L1, band and category with matches or edits; without an estimate where
        ``reason`` says why.

    Raises
    ------
    InputError
        If annotated texts are of another corpus than the others, or edits belong to no text of the table.

    Notes
    -----
    The unit is the learner: rates per 1,000 words over the learner's texts of the cell, for annotated learners over the
    annotated texts alone. A text without a learner is a learner of its own. See :func:`prediction_powered_mean`.
    """
    require_one_of(gold_sample, ("undeclared", "random"), what="The 'gold_sample' option")
    kept, gold = _one_corpus(texts, checked, edits, annotator)
    found, given = _categorised(kept, gold, matches, edits, taxonomy, exclude, annotator)
    kept = kept.assign(gold=kept["text_id"].isin(gold))
    rows = []
    known = kept[(kept["l1"] != "") & (kept["band"] != "")]
    for (l1, band), cell in known.groupby(["l1", "band"], sort=True):
        said = found[found["text_id"].isin(cell["text_id"])]
        real = given[given["text_id"].isin(cell["text_id"])]
        for category in sorted(set(said["feature"]) | set(real["feature"])):
            own = [f.loc[f["feature"] == category, "text_id"] for f in (said, real)]
            rows.append(
                {"l1": l1, "cefr": band, "category": category, "label": taxonomy.label(category)}
                | _estimate(cell, own[0], own[1], gold_sample)
            )
    return conform(rows, PREDICTION_POWERED) if rows else PREDICTION_POWERED.empty()


def _one_corpus(
    texts: pd.DataFrame, checked: pd.DataFrame, edits: pd.DataFrame, annotator: str | None
) -> tuple[pd.DataFrame, set[str]]:
    stray = sorted(set(edits["text_id"]) - set(texts["text_id"]))
    if stray:
        msg = (
            f"{len(stray)} annotated texts are none of the texts given ({listed(stray, most=3)}): gold from another corpus "
            "cannot stand for this one's learners; annotate a random sample of them"
        )
        raise InputError(msg)
    own = edits if annotator is None else edits[edits["annotator"].fillna("").astype(str) == annotator]
    gold = set(own["text_id"])
    good = texts["text_id"].map(checked.set_index("text_id")["status"]) == "checked"
    kept = texts[good & (texts["n_words"].fillna(0) > 0)]
    kept = kept[["text_id", "corpus", "learner_id", "l1", "band", "n_words"]].fillna(
        {"l1": "", "band": "", "learner_id": ""}
    )
    named = kept["learner_id"].astype(str)
    kept = kept.assign(unit=named.where(named != "", "text " + kept["text_id"].astype(str)))
    inside, outside = (set(kept.loc[k, "corpus"]) for k in (kept["text_id"].isin(gold), ~kept["text_id"].isin(gold)))
    if outside and inside and inside != outside:
        msg = (
            f"The annotated texts are of {listed(sorted(inside))}, the others of {listed(sorted(outside))}: gold from another "
            "corpus is no random sample of this one's learners"
        )
        raise InputError(msg)
    return kept, gold


def _categorised(
    kept: pd.DataFrame,
    gold: set[str],
    matches: pd.DataFrame,
    edits: pd.DataFrame,
    taxonomy: Taxonomy,
    exclude: str | Path,
    annotator: str | None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    names = edits["annotator"].fillna("").astype(str)
    chosen = names.groupby(edits["text_id"]).transform("min") if annotator is None else annotator
    real = edits[(names == chosen) & edits["kind"].isin(["replace", "insert", "delete"])]
    real = real[real["text_id"].isin(set(kept["text_id"]))]
    found = categorise(matches[matches["text_id"].isin(set(kept["text_id"]))], taxonomy, exclude=exclude).matches
    given = categorise_edits(real, taxonomy, exclude=exclude).edits
    return tuple(f.loc[f["status"] == "mapped", ["text_id", "feature"]] for f in (found, given))  # type: ignore[return-value]


def _estimate(cell: pd.DataFrame, said: pd.Series, real: pd.Series, gold_sample: str) -> dict[str, object]:
    counts = cell.assign(f=cell["text_id"].map(said.value_counts()), y=cell["text_id"].map(real.value_counts()))
    counts = counts.fillna({"f": 0, "y": 0})
    annotated = set(counts.loc[counts["gold"], "unit"])
    mine, rest = (
        part.groupby("unit", sort=True)[["f", "y", "n_words"]].sum()
        for part in (counts[counts["gold"]], counts[~counts["unit"].isin(annotated)])
    )
    f, y, others = (
        1000 * part[column].to_numpy(dtype=np.float64) / part["n_words"].to_numpy(dtype=np.float64)
        for part, column in ((mine, "f"), (mine, "y"), (rest, "f"))
    )
    empty = dict.fromkeys(
        ("gold", "gold_low", "gold_high", "observed", "rectifier", "estimate", "se", "low", "high"), np.nan
    )
    reason = _reason(len(f), len(others), gold_sample)
    got = empty if reason else prediction_powered_mean(y, f, others)
    return {"gold_learners": len(f), "other_learners": len(others), **got, "reason": reason}


def _reason(gold: int, others: int, gold_sample: str) -> str:
    if gold_sample != "random":
        return "the annotated learners were not declared to be a random sample of the cell"
    if gold < FEWEST_LEARNERS:
        return f"fewer than {FEWEST_LEARNERS} learners with gold edits"
    if not others:
        return "every learner is annotated: the gold rate needs no predictions"
    return "" if others >= FEWEST_LEARNERS else f"fewer than {FEWEST_LEARNERS} learners without gold edits"
