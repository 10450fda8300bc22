"""Agreement of two checkers on the same texts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from miner.categories import Taxonomy, categorise
from miner.errors import EmptyInput
from miner.ledger import Ledger
from miner.tables import CHECKER_AGREEMENT, conform

#: The checker's categories that are about the spelling of words.
SPELLING = ("TYPOS", "MULTITOKEN_SPELLING")
_SAME = ["text_id", "start", "end", "rule_id"]


@dataclass(frozen=True)
class Agreement:
    """How far two checkers find the same.

    Parameters
    ----------
    table : DataFrame
        Table ``checker_agreement``.
    ledger : Ledger
        Step ``compare checkers``: texts that both checked wholly are kept.
    """

    table: pd.DataFrame
    ledger: Ledger

    @property
    def differing(self) -> pd.DataFrame:
        """Rows of rules that the checkers do not share wholly, those that differ most first."""
        rules = self.table[self.table["scope"] == "rule"]
        apart = (rules["only_first"] + rules["only_second"]).astype(int)
        order = np.lexsort((rules["value"].to_numpy(dtype=str), -apart.to_numpy()))
        return rules.iloc[order][apart.iloc[order] > 0].reset_index(drop=True)


def checker_agreement(
    first: pd.DataFrame,
    second: pd.DataFrame,
    checked_first: pd.DataFrame,
    checked_second: pd.DataFrame,
    taxonomy: Taxonomy,
    *,
    exclude: str | Path = "default",
) -> Agreement:
    """Compare the matches of two checkers on the same texts; no gold annotation is needed.

    Parameters
    ----------
    first, second : DataFrame
        Tables ``matches`` of the two checkers.
    checked_first, checked_second : DataFrame
        Tables ``checked``: only texts that both checked wholly count.
    taxonomy : Taxonomy
        Maps the matches to categories.
    exclude : str or Path
        As in :func:`miner.categories.categorise`; decides which matches have a category.

    Returns
    -------
    Agreement

    Raises
    ------
    EmptyInput
        If no text was wholly checked by both.

    Notes
    -----
    Matches are the same if rule id, start and end (code points) are equal; several of one checker at one place count once.
    Agreement = matches of both / matches of either. Spelling: the checker's categories TYPOS and MULTITOKEN_SPELLING.
    """
    ledger, shared = _admit(checked_first, checked_second)
    sides = [frame[frame["text_id"].isin(shared)].drop_duplicates(_SAME) for frame in (first, second)]
    columns = [*_SAME, "lt_category", "issue_type"]
    union = sides[0][columns].merge(sides[1][columns], on=_SAME, how="outer", suffixes=("", "_2"), indicator="side")
    for column in ("lt_category", "issue_type"):
        union[column] = union[column].fillna(union[f"{column}_2"]).fillna("").astype(str)
    got = categorise(union[columns], taxonomy, exclude=exclude).matches
    frame = pd.DataFrame(
        {
            "side": union["side"].astype(str).to_numpy(),
            "lt_category": got["lt_category"].to_numpy(),
            "category": got["feature"].to_numpy(),
            "rule": got["rule_id"].to_numpy(),
        }
    )
    spelling = frame["lt_category"].isin(SPELLING)
    rows = [_row("all", "", "all matches", frame)]
    rows.append(_row("without spelling", "", "without spelling", frame[~spelling]))
    rows.append(_row("spelling", "", "spelling", frame[spelling]))
    for scope in ("lt_category", "category", "rule"):
        named = frame[frame[scope] != ""]
        for value, part in named.groupby(scope, sort=True):
            label = taxonomy.label(str(value)) if scope == "category" else str(value)
            rows.append(_row(scope, str(value), label, part))
    return Agreement(conform(rows, CHECKER_AGREEMENT), ledger)


def _admit(one: pd.DataFrame, two: pd.DataFrame) -> tuple[Ledger, set[str]]:
    ledger = Ledger("compare checkers", "texts")
    good = [set(c.loc[c["status"] == "checked", "text_id"]) for c in (one, two)]
    every = set(one["text_id"]) | set(two["text_id"])
    shared = good[0] & good[1]
    ledger.keep(len(shared))
    for text_id in sorted(every - shared):
        by = [name for name, own in zip(("first", "second"), good, strict=True) if text_id in own]
        ledger.drop(f"(wholly) checked by {f'the {by[0]} only' if by else 'neither'}", place=str(text_id))
    if not shared:
        msg = f"No text was wholly checked by both checkers ({dict(ledger.dropped)}); give them the same texts"
        raise EmptyInput(msg)
    return ledger, shared


def _row(scope: str, value: str, label: str, part: pd.DataFrame) -> dict[str, object]:
    both, left, right = (int((part["side"] == s).sum()) for s in ("both", "left_only", "right_only"))
    return {
        "scope": scope,
        "value": value,
        "label": label,
        "first": both + left,
        "second": both + right,
        "both": both,
        "only_first": left,
        "only_second": right,
        "union": len(part),
        "agreement": both / len(part) if len(part) else np.nan,
        "reason": "" if len(part) else "no matches of either",
    }
