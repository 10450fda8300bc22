"""How much of a checker a taxonomy covers: rules, or the matches on a corpus."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from miner.categories.exclusions import Exclusions, load_exclusions
from miner.categories.taxonomy import Taxonomy

#: Reasons that take a match out of the share: what the taxonomy is not about.
_APART = ("spelling", "style", "national variant", "false friends")


@dataclass(frozen=True)
class Coverage:
    """What a taxonomy covers.

    Parameters
    ----------
    table : DataFrame
        ``lt_category``, ``status``, ``family``, ``reason`` and the count ``n``; sorted by these.
    considered : int
        Rows that are neither spelling nor style nor a national variant nor a false friend.
    mapped : int
        Those of them that have a category, whatever its family; excluded ones without a category do not count.
    unmapped : dict of str to int
        Rules without an entry, those with most rows first.
    """

    table: pd.DataFrame
    considered: int
    mapped: int
    unmapped: dict[str, int]


def coverage(frame: pd.DataFrame, taxonomy: Taxonomy, *, exclude: str | Path | Exclusions = "default") -> Coverage:
    """Count what a taxonomy maps, excludes and leaves.

    Parameters
    ----------
    frame : DataFrame
        With ``rule_id``, ``lt_category`` and ``issue_type``: a matches table, or a checker's rules.
    taxonomy : Taxonomy
        A rule is mapped if it has an entry with a category; the category's family is told beside it.
    exclude : str, Path or Exclusions
        As in :func:`miner.categories.categorise`; decides ``reason``.

    Returns
    -------
    Coverage

    Notes
    -----
    A rule whose reason begins with spelling, style, national variant or false friends, or whose category is of the
    family spelling, is not considered. Punctuation, capitals and hyphens are.
    """
    columns = [list(frame[c].astype("object").fillna("").astype(str)) for c in ("rule_id", "lt_category", "issue_type")]
    exclusions = load_exclusions(exclude)
    got = taxonomy.assign(*columns, exclude=exclusions)
    plain = taxonomy.assign(*columns, exclude="none")
    families = taxonomy.families
    table = pd.DataFrame(
        {
            "rule_id": columns[0],
            "lt_category": columns[1],
            "status": got.status,
            "family": [families.get(f, "errors") if f else "" for f in plain.feature],
            "reason": got.reason,
            "entry": plain.status == "mapped",
        }
    )
    apart = table["reason"].str.startswith(_APART) | (table["family"] == "spelling")
    left = table.loc[table["status"] == "unmapped", "rule_id"].value_counts()
    counts = table.groupby(["lt_category", "status", "family", "reason"], sort=True).size().rename("n").reset_index()
    ranked = sorted(left.items(), key=lambda pair: (-pair[1], str(pair[0])))
    return Coverage(
        counts, int((~apart).sum()), int((~apart & table["entry"]).sum()), {str(r): int(n) for r, n in ranked}
    )
