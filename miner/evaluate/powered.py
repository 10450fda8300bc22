"""Rates of errors from a few annotated learners and many checked ones: prediction-powered inference."""

from __future__ import annotations

from collections.abc import Iterator
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
_NUMBERS = ("gold", "gold_low", "gold_high", "observed", "rectifier", "estimate", "se", "low", "high")


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
    known = kept[(kept["l1"] != "") & (kept["band"] != "")]
    cells = {t: (x, b) for t, x, b in zip(known["text_id"], known["l1"], known["band"], strict=True)}
    by_cell = [dict(iter(f.groupby(f["text_id"].map(cells)))) for f in (found, given)]
    rows = [
        {"l1": cell[0], "cefr": cell[1], "category": category, "label": taxonomy.label(category)} | numbers
        for cell, part in known.groupby(["l1", "band"], sort=True)
        for category, numbers in _estimates(part, [f.get(cell, found.iloc[:0]) for f in by_cell], gold_sample)
    ]
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


def _estimates(
    cell: pd.DataFrame, items: list[pd.DataFrame], gold_sample: str
) -> Iterator[tuple[str, dict[str, object]]]:
    # Of annotated learners only the annotated texts count.
    annotated = cell["unit"].isin(set(cell.loc[cell["gold"], "unit"]))
    texts = cell[cell["gold"] | ~annotated]
    units, codes = np.unique(texts["unit"].to_numpy(dtype=str), return_inverse=True)
    words = np.bincount(codes, weights=texts["n_words"].to_numpy(dtype=np.float64))
    gold = np.bincount(codes, weights=texts["gold"].to_numpy(dtype=np.float64)) > 0
    of_text = dict(zip(texts["text_id"], codes, strict=True))
    categories = sorted(set().union(*(set(f["feature"]) for f in items)))
    at = {c: i for i, c in enumerate(categories)}
    rates = []
    for frame in items:
        n = np.zeros((len(units), len(categories)))
        used = frame[frame["text_id"].isin(texts["text_id"])]
        np.add.at(n, ([of_text[t] for t in used["text_id"]], [at[f] for f in used["feature"]]), 1.0)
        rates.append(1000 * n / words[:, None])
    sizes = {"gold_learners": int(gold.sum()), "other_learners": int((~gold).sum())}
    reason = _reason(sizes["gold_learners"], sizes["other_learners"], gold_sample)
    for category, i in at.items():
        f, y = (r[:, i] for r in rates)
        got = dict.fromkeys(_NUMBERS, np.nan) if reason else prediction_powered_mean(y[gold], f[gold], f[~gold])
        yield category, {**sizes, **got, "reason": reason}


def _reason(gold: int, others: int, gold_sample: str) -> str:
    if gold_sample != "random":
        return "the annotated learners were not declared to be a random sample of the cell"
    if gold < FEWEST_LEARNERS:
        return f"fewer than {FEWEST_LEARNERS} learners with gold edits"
    if not others:
        return "every learner is annotated: the gold rate needs no predictions"
    return "" if others >= FEWEST_LEARNERS else f"fewer than {FEWEST_LEARNERS} learners without gold edits"
