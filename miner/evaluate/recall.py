"""Whether a checker's recall differs between L1s: learners' L1s permuted within each category."""

from __future__ import annotations

import numpy as np
import pandas as pd

from miner import stats
from miner.categories import Taxonomy
from miner.tables import AUDIT_RECALL, conform

#: Recall of an L1 in a category is compared from this number of gold edits on.
FEWEST_EDITS = 5


def recall_tests(
    edits: pd.DataFrame, l1_of: np.ndarray, taxonomy: Taxonomy, *, permutations: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Test within each category whether recall differs between L1s.

    Parameters
    ----------
    edits : DataFrame
        ``learner`` (position in ``l1_of``), ``feature`` (empty: left out) and ``overlap`` (whether a match hits it).
    l1_of : array of str, shape (learners,)
        Learners without a known L1 (empty) are left out.
    taxonomy : Taxonomy
        For labels.
    permutations : int
        Random relabellings of the learners; one learner's edits stay together.
    rng : Generator

    Returns
    -------
    DataFrame
        Table ``audit_recall``.

    Notes
    -----
    Statistic: chi-square of hits over L1s around the common recall. p = (1 + labellings that reach it) / (1 + permutations);
    q by Benjamini and Hochberg over the tested categories.
    """
    known = np.flatnonzero(l1_of != "")
    l1s, codes = np.unique(l1_of[known], return_inverse=True)
    edits = edits[edits["feature"] != ""]
    categories = sorted(set(edits["feature"]))
    column = edits["feature"].map({c: i for i, c in enumerate(categories)}).to_numpy(dtype=int)
    shape = (len(l1_of), len(categories))
    e, h = np.zeros(shape), np.zeros(shape)
    np.add.at(e, (edits["learner"].to_numpy(), column), 1.0)
    np.add.at(h, (edits["learner"].to_numpy(), column), edits["overlap"].to_numpy(dtype=float))
    e, h = e[known], h[known]
    observed, recalls, enough = _spread(e, h, codes, len(l1s))
    beaten = np.zeros(len(categories))
    for _ in range(permutations if len(l1s) > 1 else 0):
        beaten += _spread(e, h, rng.permutation(codes), len(l1s))[0] >= observed * (1 - 1e-12)
    p = np.where(enough, (1 + beaten) / (1 + permutations), np.nan)
    q, m = stats.adjust(p, "bh") if len(p) else (p, 0)
    rows = [
        {
            "category": c, "label": taxonomy.label(c), "l1s": int((e[:, i] > 0).any() and len(set(codes[e[:, i] > 0]))),
            "edits": int(e[:, i].sum()), "recall": h[:, i].sum() / e[:, i].sum() if e[:, i].sum() else np.nan,
            "lowest": _extreme(recalls[:, i], l1s, np.nanargmin), "highest": _extreme(recalls[:, i], l1s, np.nanargmax),
            "statistic": observed[i] if enough[i] else np.nan, "p": p[i], "q": q[i], "m": int(m),
            "reason": "" if enough[i] else f"fewer than two L1s with {FEWEST_EDITS} edits, or recall 0 or 1 in all",
        }
        for i, c in enumerate(categories)
    ]  # fmt: skip
    return conform(pd.DataFrame(rows), AUDIT_RECALL) if rows else AUDIT_RECALL.empty()


def _spread(e: np.ndarray, h: np.ndarray, codes: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    # Chi-square of recall over L1s; an L1 with few edits adds little, since its expected hits are few.
    group = np.zeros((n, len(codes)))
    group[codes, np.arange(len(codes))] = 1.0
    edits, hits = group @ e, group @ h
    with np.errstate(divide="ignore", invalid="ignore"):
        overall = h.sum(axis=0) / e.sum(axis=0)
        terms = np.where(edits > 0, (hits - edits * overall) ** 2 / (edits * overall * (1 - overall)), 0.0)
        recalls = np.where(edits >= FEWEST_EDITS, hits / edits, np.nan)
    between = (overall > 0) & (overall < 1)
    enough = ((edits >= FEWEST_EDITS).sum(axis=0) >= 2) & between
    # The statistic is the same function of every labelling, whatever L1s have few edits in it.
    return np.where(between, terms.sum(axis=0), 0.0), recalls, enough


def _extreme(recalls: np.ndarray, l1s: np.ndarray, pick: object) -> str:
    if not np.isfinite(recalls).any():
        return ""
    i = int(pick(recalls))  # type: ignore[operator]
    return f"{l1s[i]}:{recalls[i]:.3f}"
