"""From matches to categorised matches: every match is mapped, excluded with a reason, or counted as unmapped."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from miner.categories.exclusions import Exclusions, load_exclusions
from miner.categories.taxonomy import Taxonomy
from miner.ledger import Ledger
from miner.tables import MATCH_SUMMARY, conform

UNMAPPED = "unmapped"


@dataclass(frozen=True)
class Categorised:
    """Matches with their categories.

    Parameters
    ----------
    matches : DataFrame
        The matches given, in their order, with the columns ``status``, ``feature`` and ``reason`` (str).
    summary : DataFrame
        Table ``match_summary``: one row per status, category and rule with its matches and texts.
    ledger : Ledger
        Step ``categorise``: mapped matches are kept, all others dropped with their reason.
    signature : str
        Value of ``map`` in signatures.
    """

    matches: pd.DataFrame
    summary: pd.DataFrame
    ledger: Ledger
    signature: str

    @property
    def unmapped_rules(self) -> list[str]:
        """Rules that the taxonomy does not know, those with most matches first."""
        part = self.summary[self.summary["status"] == UNMAPPED]
        return list(part.sort_values(["matches", "rule_id"], ascending=[False, True], kind="stable")["rule_id"])

    def by_category(self) -> pd.Series:
        """Return matches per category id, then ``excluded (reason)`` and ``unmapped``; they add up to all matches."""
        names = self.matches["feature"].where(self.matches["status"] == "mapped", None)
        excluded = "excluded (" + self.matches["reason"] + ")"
        names = names.where(self.matches["status"] != "excluded", excluded)
        names = names.where(self.matches["status"] != UNMAPPED, UNMAPPED)
        return names.value_counts(sort=False).sort_index()


def categorise(
    matches: pd.DataFrame, taxonomy: Taxonomy, *, exclude: str | Path | Exclusions = "default"
) -> Categorised:
    """Assign every match to a category, to a reason for its exclusion, or to the unmapped.

    Parameters
    ----------
    matches : DataFrame
        Table ``matches`` (``text_id``, ``rule_id``, ``lt_category`` and ``issue_type`` are used), after the overlap
        policy.
    taxonomy : Taxonomy
        From :func:`miner.categories.load_taxonomy`.
    exclude : str, Path or Exclusions
        What is excluded by checker category or issue type: ``"default"``, ``"none"`` or the path of a table.

    Returns
    -------
    Categorised
        Its counts of mapped, excluded and unmapped matches add up to ``len(matches)``.
    """
    exclusions = load_exclusions(exclude)
    used = matches[["text_id", "rule_id", "lt_category", "issue_type"]].astype("object").fillna("")
    got = taxonomy.assign(
        list(used["rule_id"]), list(used["lt_category"]), list(used["issue_type"]), exclude=exclusions
    )
    out = matches.assign(
        status=pd.Series(got.status, index=matches.index, dtype="str"),
        feature=pd.Series(got.feature, index=matches.index, dtype="str"),
        reason=pd.Series(got.reason, index=matches.index, dtype="str"),
    )
    ledger = _account(out)
    return Categorised(out, _summary(out), ledger, exclusions.signed(taxonomy.signature))


def _account(out: pd.DataFrame) -> Ledger:
    ledger = Ledger("categorise", "matches")
    ledger.keep(int((out["status"] == "mapped").sum()))
    excluded = out.loc[out["status"] == "excluded", "reason"].value_counts()
    for reason, n in sorted(excluded.items()):
        ledger.drop(f"excluded: {reason}", int(n))
    unmapped = out.loc[out["status"] == UNMAPPED, "rule_id"].value_counts()
    for rule_id, n in sorted(unmapped.items(), key=lambda pair: (-pair[1], pair[0])):
        ledger.drop(UNMAPPED, int(n), place=str(rule_id))
    return ledger


def _summary(out: pd.DataFrame) -> pd.DataFrame:
    if out.empty:
        return MATCH_SUMMARY.empty()
    groups = out.groupby(["status", "feature", "rule_id"], sort=True, observed=True)
    frame = groups.agg(
        lt_category=("lt_category", "min"),
        reason=("reason", "min"),
        matches=("rule_id", "size"),
        texts=("text_id", "nunique"),
    ).reset_index()
    return conform(frame, MATCH_SUMMARY)
