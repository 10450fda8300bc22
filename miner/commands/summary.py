"""The short summary at the end of a run: what was read, what was found, where to look next."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from miner.run.job import Outcome


def summarise(outcome: Outcome) -> list[str]:
    """Return the summary as lines."""
    lines = [""]
    lines += _learner(outcome)
    if outcome.dialects is not None:
        from miner.commands.dialects import summary

        lines += summary(outcome.dialects)
    for consumer, told in outcome.exports.items():
        from miner.export import summary as export_summary

        lines += export_summary(consumer, told)
        if told["not_served"]:
            lines.append(f"  what is not served, and why: exports/{consumer}/export_report.csv")
    lines.append(f"Open {outcome.out / 'report.html'}; the tables are beside it, run.json accounts for every text")
    return lines


def _learner(outcome: Outcome) -> list[str]:
    result = outcome.learner
    if result is None:
        return []
    facts, tests, inventory = result.facts, result.tests, result.inventory
    lines = []
    for corpus in facts["corpora"]:
        simulated = " (SIMULATED: made by a program, no learner wrote it)" if corpus["simulated"] else ""
        lines.append(f"{corpus['name']}: {corpus['texts']} texts, {corpus['words']} words{simulated}")
    dropped = {
        f"{ledger.step}: {r}": n
        for ledger in result.ledgers
        if ledger.unit == "texts"
        for r, n in ledger.dropped.items()
    }
    lines += [f"  left out at {reason}: {n} texts" for reason, n in dropped.items()]
    if result.match_summary is not None:
        statuses = result.match_summary.groupby("status")["matches"].sum()
        told = ", ".join(f"{int(statuses.get(s, 0))} {s}" for s in ("mapped", "excluded", "unmapped"))
        lines.append(f"{int(statuses.sum())} matches by {facts['checker']['engine']}: {told} (match_summary)")
    tested = int((tests["status"] == "tested").sum())
    cells = inventory.groupby(["l1", "cefr"]).size()
    lines.append(
        f"{tested} of {len(tests)} rows tested (preset {facts['preset']['name']}, unit {facts['unit']}); "
        f"{len(inventory)} features in {len(cells)} inventories"
    )
    untested = tests.loc[tests["status"] != "tested", "reason"].value_counts()
    lines += [f"  not tested: {n} rows: {reason}" for reason, n in untested.head(3).items()]
    lines += _nearly(tests)
    lines += [f"  {' '.join(map(str, cell))}: {n}" for cell, n in cells.items()]  # type: ignore[call-overload]
    return lines


def _nearly(tests: pd.DataFrame) -> list[str]:
    # What q alone would have selected, and why it was not.
    failed = tests.loc[tests["status"] == "tested", "failed"].fillna("").str.split()
    stopped = [names for names in failed if names and "q" not in names]
    why = Counter(name for names in stopped for name in names)
    told = ", ".join(f"{name} {n}" for name, n in sorted(why.items(), key=lambda item: (-item[1], item[0])))
    return [f"  not selected though q is below alpha: {len(stopped)} rows fail {told}"] if stopped else []
