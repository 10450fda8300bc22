"""A checker against gold annotation: precision, recall, false alarms, by category and by L1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import sparse

from miner.categories import Taxonomy, categorise, categorise_edits
from miner.errors import EmptyInput
from miner.evaluate.pairing import pair, related
from miner.evaluate.recall import recall_tests
from miner.evaluate.resampling import LearnerBootstrap
from miner.evaluate.type_agreement import type_agreement
from miner.ledger import Ledger
from miner.tables import AUDIT, AUDIT_CONFUSION, conform

COMPARISONS = ("overlap", "exact", "overlap, same category", "exact, same category")


@dataclass(frozen=True)
class Audit:
    """What a checker finds and misses.

    Parameters
    ----------
    table, recall, confusion : DataFrame
        Tables ``audit``, ``audit_recall`` and ``audit_confusion``.
    ledger : Ledger
        Step ``audit``: texts that were both checked and annotated are kept.
    accounts : tuple of Ledger
        Of the categorised matches and edits.
    types : DataFrame or None
        Table ``audit_types`` where the gold edits carry ERRANT types.
    """

    table: pd.DataFrame
    recall: pd.DataFrame
    confusion: pd.DataFrame
    ledger: Ledger
    accounts: tuple[Ledger, ...]
    types: pd.DataFrame | None = None

    @property
    def recall_differs(self) -> list[str]:
        """Categories in which recall differs between L1s (q < .05): raw comparisons of L1s are biased there."""
        return list(self.recall.loc[self.recall["q"] < 0.05, "category"])


@dataclass(frozen=True)
class _Items:
    # What the rows of the table are sums of: matches and edits with their learner, category and hits by comparison.
    matches: pd.DataFrame
    edits: pd.DataFrame
    learners: pd.DataFrame


def audit(
    texts: pd.DataFrame,
    checked: pd.DataFrame,
    matches: pd.DataFrame,
    edits: pd.DataFrame,
    taxonomy: Taxonomy,
    *,
    exclude: str | Path = "default",
    annotator: str | None = None,
    include_detections: bool = False,
    resamples: int = 1000,
    permutations: int = 999,
    seed: int = 20250101,
) -> Audit:
    """Compare a checker's matches with gold edits.

    Parameters
    ----------
    texts, checked, matches, edits : DataFrame
        Tables of these names; matches after the overlap policy.
    taxonomy : Taxonomy
        Maps both (``miner-core``).
    exclude : str or Path
        Families and rules that are left out on both sides (by default spelling and format).
    annotator : str, optional
        Whose edits; by default those of each text's first annotator.
    include_detections : bool
        Whether edits without a correction count.
    resamples, permutations, seed : int
        Of the bootstrap of learners (within L1s) and of the test of recall.

    Returns
    -------
    Audit
        Rows for all, each category, each L1, and each category in each L1. Scope ``errors``: mapped matches against
        the edits of the same families, edits without a category among them (they have no row of their own but
        count in all). Scope ``errors against everything``: the same matches and edits, but a match of the counted
        families may hit any edit, and an edit of them may be hit by any match. Scope ``everything``: all matches against
        all edits, without categories.

    Raises
    ------
    EmptyInput
        If no text was both checked and annotated.

    Notes
    -----
    Overlap: see :func:`miner.evaluate.pairing.pair`. Same category: equal, or one above the other in the taxonomy. Precision
    = matches that hit an edit / matches; recall = edits that are hit / edits; false alarms = matches that hit none,
    per 1,000 words. Each is a ratio of sums over learners; intervals are 95 % percentiles of a bootstrap of learners.
    A match that overlaps an edit is not always right about it, and an annotator misses errors too: precision is of
    agreement with this annotation.
    """
    names = edits["annotator"].fillna("").astype(str)
    chosen = names.groupby(edits["text_id"]).transform("min") if annotator is None else annotator
    own = edits[names == chosen]
    ledger, kept = _admit(texts, checked, own)
    wanted = ("replace", "insert", "delete", *(("detect",) if include_detections else ()))
    gold = own[own["kind"].isin(wanted) & own["text_id"].isin(kept["text_id"])].reset_index(drop=True)
    ledger.note(
        "edits without a correction, not counted", int((own["kind"] == "detect").sum()) * (not include_detections)
    )
    said = matches[matches["text_id"].isin(kept["text_id"])].reset_index(drop=True)
    found, given = categorise(said, taxonomy, exclude=exclude), categorise_edits(gold, taxonomy, exclude=exclude)
    bare = categorise_edits(gold, taxonomy, exclude="none")
    # An edit whose family is left out is no error here; one without any category is.
    apart = (given.edits["status"] == "excluded") & (bare.edits["status"] == "mapped")
    learners = _learners(kept)
    rng = np.random.default_rng(seed)
    boot = LearnerBootstrap(learners["l1"], resamples=resamples, rng=rng)
    mapped = (found.matches["status"] == "mapped").to_numpy()
    items = _items(found.matches[mapped], given.edits[~apart], kept, learners, taxonomy)
    wide = _items(found.matches.assign(feature=""), given.edits.assign(feature=""), kept, learners, taxonomy)
    lenient = _lenient(items, wide)
    rows = [
        *_rows("errors", items, boot, taxonomy, COMPARISONS),
        *_rows("errors against everything", lenient, boot, taxonomy, COMPARISONS[:2]),
        *_rows("everything", wide, boot, taxonomy, COMPARISONS[:2]),
    ]
    return Audit(
        conform(pd.DataFrame(rows), AUDIT),
        recall_tests(items.edits, items.learners["l1"].to_numpy(), taxonomy, permutations=permutations, rng=rng),
        _confusion(items, taxonomy),
        ledger,
        (found.ledger, given.ledger),
        _types(said, own[own["text_id"].isin(kept["text_id"])], taxonomy, exclude),
    )


def _types(matches: pd.DataFrame, edits: pd.DataFrame, taxonomy: Taxonomy, exclude: str | Path) -> pd.DataFrame | None:
    if "errant" not in taxonomy.categories or set(edits.loc[edits["kind"] != "noop", "scheme"]) != {"errant"}:
        return None
    return type_agreement(matches, edits, taxonomy, exclude=exclude)


def _admit(texts: pd.DataFrame, checked: pd.DataFrame, own: pd.DataFrame) -> tuple[Ledger, pd.DataFrame]:
    ledger = Ledger("audit", "texts")
    status = texts["text_id"].map(checked.set_index("text_id")["status"])
    good, annotated = status == "checked", texts["text_id"].isin(own["text_id"])
    for reason, lost in (("not (wholly) checked", ~good), ("not annotated", good & ~annotated)):
        for place in list(texts.loc[lost, "text_id"])[:20]:
            ledger.drop(reason, place=str(place))
        ledger.drop(reason, max(int(lost.sum()) - 20, 0))
    kept = texts[good & annotated].reset_index(drop=True)
    ledger.keep(len(kept))
    if kept.empty:
        msg = f"No text was both checked and annotated ({len(texts)} read; {dict(ledger.dropped)}); an audit needs gold edits"
        raise EmptyInput(msg)
    return ledger, kept


def _learners(kept: pd.DataFrame) -> pd.DataFrame:
    # A text without a known learner is a learner of its own.
    unit = kept["learner_id"].fillna("").astype(str)
    unit = unit.where(unit != "", "text " + kept["text_id"].astype(str))
    frame = pd.DataFrame(
        {"unit": unit, "l1": kept["l1"].fillna("").astype(str), "words": kept["n_words"].fillna(0), "texts": 1}
    )
    out = frame.groupby("unit", sort=True).agg(l1=("l1", "min"), words=("words", "sum"), texts=("texts", "sum"))
    return out.reset_index()


def _items(
    matches: pd.DataFrame, edits: pd.DataFrame, kept: pd.DataFrame, learners: pd.DataFrame, taxonomy: Taxonomy
) -> _Items:
    unit = kept["learner_id"].fillna("").astype(str)
    unit = unit.where(unit != "", "text " + kept["text_id"].astype(str))
    of_text = dict(zip(kept["text_id"], unit.map({u: i for i, u in enumerate(learners["unit"])}), strict=True))
    m, e = (f[["text_id", "start", "end", "feature"]].reset_index(drop=True) for f in (matches, edits))
    pairs = pair(m, e)
    same = related(m["feature"].to_numpy()[pairs["match"]], e["feature"].to_numpy()[pairs["edit"]], taxonomy)
    hits = (np.ones(len(pairs), bool), pairs["exact"].to_numpy(), same, same & pairs["exact"].to_numpy())
    for frame, side in ((m, "match"), (e, "edit")):
        frame["learner"] = frame["text_id"].map(of_text).astype(int)
        for name, hit in zip(COMPARISONS, hits, strict=True):
            frame[name] = np.isin(np.arange(len(frame)), pairs.loc[hit, side])
    return _Items(m, e, learners)


def _lenient(items: _Items, wide: _Items) -> _Items:
    # The same matches and edits; what they may hit is everything.
    m, e = items.matches.copy(), items.edits.copy()
    for frame, pairs, side in (
        (m, pair(m, wide.edits), "match"),
        (e, pair(wide.matches, e), "edit"),
    ):
        for name, hit in zip(COMPARISONS[:2], (pairs[side], pairs.loc[pairs["exact"], side]), strict=True):
            frame[name] = np.isin(np.arange(len(frame)), hit)
    return _Items(m, e, items.learners)


Slice = tuple[str, str]


def _rows(
    scope: str, items: _Items, boot: LearnerBootstrap, taxonomy: Taxonomy, comparisons: Sequence[str]
) -> list[dict[str, object]]:
    l1_of = items.learners["l1"].to_numpy()
    l1s = sorted(set(l1_of) - {""})
    categories = sorted((set(items.matches["feature"]) | set(items.edits["feature"])) - {""})
    slices: list[Slice] = [(c, x) for c in ["", *categories] for x in ["", *l1s]]
    at = {s: i for i, s in enumerate(slices)}
    words = sparse.csr_array(
        np.array(
            [
                [w if x in ("", own) else 0 for _, x in slices]
                for own, w in zip(l1_of, items.learners["words"], strict=True)
            ],
            dtype=float,
        )
    )
    m, e = _sums(items.matches, None, l1_of, at), _sums(items.edits, None, l1_of, at)
    rows: list[dict[str, object]] = []
    texts = items.learners["texts"].to_numpy()
    sizes = {x: (int(texts[own].sum()), int(own.sum())) for x in ["", *l1s] for own in [(l1_of == x) | (x == "")]}
    for comparison in comparisons:
        mh, eh = _sums(items.matches, comparison, l1_of, at), _sums(items.edits, comparison, l1_of, at)
        precision, recall, alarms = (
            boot.interval(boot.totals(mh), boot.totals(m)),
            boot.interval(boot.totals(eh), boot.totals(e)),
            boot.interval(1000 * boot.totals(sparse.csr_array(m - mh)), boot.totals(words)),
        )
        totals = [np.asarray(x.sum(axis=0)).ravel() for x in (m, mh, e, eh, words)]
        for i, (category, l1) in enumerate(slices):
            n_m, n_mh, n_e, n_eh, n_w = (float(t[i]) for t in totals)
            if category and n_m == n_e == 0:
                continue
            n_texts, n_learners = sizes[l1]
            rows.append(
                {
                    "scope": scope, "category": category, "label": taxonomy.label(category) if category else "all",
                    "l1": l1, "comparison": comparison,
                    "matches": int(n_m), "matches_hit": int(n_mh), "precision": n_mh / n_m if n_m else np.nan,
                    "precision_low": precision[0][i], "precision_high": precision[1][i],
                    "false_alarms": (n_m - n_mh) * 1000 / n_w if n_w else np.nan,
                    "false_alarms_low": alarms[0][i], "false_alarms_high": alarms[1][i],
                    "edits": int(n_e), "edits_hit": int(n_eh), "recall": n_eh / n_e if n_e else np.nan,
                    "recall_low": recall[0][i], "recall_high": recall[1][i],
                    "words": int(n_w), "texts": n_texts, "learners": n_learners,
                    "reason": _reason(n_m, n_e, n_learners),
                }
            )  # fmt: skip
    return rows


def _sums(items: pd.DataFrame, comparison: str | None, l1_of: np.ndarray, at: dict[Slice, int]) -> sparse.csr_array:
    chosen = items if comparison is None else items[items[comparison]]
    learner, feature = chosen["learner"].to_numpy(), chosen["feature"].to_numpy(dtype=object)
    l1 = l1_of[learner]
    rows, columns = [], []
    for by_category in (False, True):
        for by_l1 in (False, True):
            # An item without a category (or an L1) is in the rows for all only.
            kept = np.flatnonzero(feature != "") if by_category else np.arange(len(chosen))
            kept = kept[l1[kept] != ""] if by_l1 else kept
            rows.append(learner[kept])
            columns.append([at[feature[i] if by_category else "", l1[i] if by_l1 else ""] for i in kept])
    r, c = np.concatenate(rows), np.concatenate([np.array(x, dtype=int) for x in columns])
    return sparse.csr_array((np.ones(len(r)), (r, c)), shape=(len(l1_of), len(at)))


def _reason(matches: float, edits: float, learners: int) -> str:
    reasons = [
        "no matches: no precision" if not matches else "",
        "no edits: no recall" if not edits else "",
        "one learner: no interval" if learners < 2 else "",
    ]
    return "; ".join(r for r in reasons if r)


def _confusion(items: _Items, taxonomy: Taxonomy) -> pd.DataFrame:
    pairs = pair(items.matches, items.edits)
    if pairs.empty:
        return AUDIT_CONFUSION.empty()
    frame = pd.DataFrame(
        {
            "match_category": items.matches["feature"].to_numpy()[pairs["match"]],
            "edit_category": items.edits["feature"].to_numpy()[pairs["edit"]],
        }
    )
    counts = frame.value_counts().rename("pairs").reset_index()
    same = related(counts["match_category"].to_numpy(), counts["edit_category"].to_numpy(), taxonomy)
    return conform(counts.assign(same=same), AUDIT_CONFUSION)
