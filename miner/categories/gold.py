"""Gold edits by category: an annotator's codes in a taxonomy's terms, with nothing dropped silently."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from miner.categories.exclusions import Exclusions, load_exclusions
from miner.categories.taxonomy import Taxonomy
from miner.ledger import Ledger

#: Kinds of edit that hold no code: the annotator saw no error.
NOOP = "noop"


@dataclass(frozen=True)
class CategorisedEdits:
    """Gold edits with their categories.

    Parameters
    ----------
    edits : DataFrame
        The edits given, in their order, with ``status`` (mapped, excluded, unmapped; empty for noop), ``feature``, ``reason``.
    summary : DataFrame
        ``scheme``, ``type``, ``kind``, ``status``, ``feature``, ``reason`` with ``edits`` and ``texts``.
    ledger : Ledger
        Step ``categorise``: mapped edits are kept, the others dropped with their reason; noop rows are noted.
    signature : str
        Value of ``map`` in signatures.
    """

    edits: pd.DataFrame
    summary: pd.DataFrame
    ledger: Ledger
    signature: str

    @property
    def counted(self) -> pd.DataFrame:
        """The table ``edits`` with the category as type.

        An edit without a category becomes a noop: its text stays annotated, and the edit is counted nowhere.
        """
        mapped = self.edits["status"] == "mapped"
        kind = self.edits["kind"].where(mapped, NOOP)
        out = self.edits.assign(type=self.edits["feature"].where(mapped, ""), kind=kind)
        return out.drop(columns=["status", "feature", "reason"])


def categorise_edits(
    edits: pd.DataFrame, taxonomy: Taxonomy, *, exclude: str | Path | Exclusions = "default"
) -> CategorisedEdits:
    """Assign every gold edit to a category, to a reason for its exclusion, or to the unmapped.

    Parameters
    ----------
    edits : DataFrame
        Table ``edits``; all annotators, none pooled.
    taxonomy : Taxonomy
        With a map of gold schemes (``miner-core``); ``rules`` takes each code as it stands.
    exclude : str, Path or Exclusions
        Its rows for families count (by default spelling and format are excluded).

    Returns
    -------
    CategorisedEdits
        Mapped, excluded and unmapped edits and noop rows add up to ``len(edits)``.
    """
    exclusions = load_exclusions(exclude)
    noop = edits["kind"] == NOOP
    columns = [list(edits[c].astype("object").fillna("").astype(str)) for c in ("type", "scheme", "kind")]
    got = taxonomy.assign_edits(*columns, exclude=exclusions)
    out = edits.assign(
        status=pd.Series(got.status, index=edits.index, dtype="str").where(~noop, ""),
        feature=pd.Series(got.feature, index=edits.index, dtype="str").where(~noop, ""),
        reason=pd.Series(got.reason, index=edits.index, dtype="str").where(~noop, ""),
    )
    ledger = Ledger("categorise", "edits")
    ledger.keep(int((out["status"] == "mapped").sum()))
    for reason, n in sorted(out.loc[out["status"] == "excluded", "reason"].value_counts().items()):
        ledger.drop(f"excluded: {reason}", int(n))
    unmapped = out[out["status"] == "unmapped"]
    names = unmapped["scheme"].astype(str) + " " + unmapped["type"].astype(str)
    for name, n in sorted(names.value_counts().items(), key=lambda pair: (-pair[1], str(pair[0]))):
        ledger.drop("unmapped", int(n), place=str(name))
    ledger.note("annotated places without an error", int(noop.sum()))
    return CategorisedEdits(out, _summary(out[~noop]), ledger, exclusions.signed(taxonomy.signature))


def _summary(edits: pd.DataFrame) -> pd.DataFrame:
    keys = ["scheme", "type", "kind", "status", "feature", "reason"]
    if edits.empty:
        return pd.DataFrame({**{k: pd.Series(dtype="str") for k in keys}, "edits": [], "texts": []})
    groups = edits.groupby(keys, sort=True, observed=True, dropna=False)
    return groups.agg(edits=("row", "size"), texts=("text_id", "nunique")).reset_index()
