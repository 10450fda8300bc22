"""What an export is: files by name, one report row per feature, and an account."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from miner.ledger import Ledger
from miner.tables import EXPORT_REPORT, conform

#: Cells with fewer learners (or texts, where learners are unknown) are left out unless asked for.
FEWEST_LEARNERS = 5
DATA = Path(__file__).resolve().parents[1] / "data" / "export"

SERVED, NOT_SERVED = "served", "not served"


@dataclass(frozen=True)
class Export:
    """Files for one consumer.

    Parameters
    ----------
    to : str
        The consumer.
    files : mapping of str to bytes
        Content by file name.
    report : DataFrame
        Table ``export_report``: each feature of each variety, served or not, and why.
    ledger : Ledger
        Step ``export``: features served are kept, the others dropped with their reason.
    facts : mapping
        What is told beside it: numbers of features and of pairs of a variety (or L1) and a feature, labels served and
        not served (some are both: not served in some pairs), near misses, choices.
    """

    to: str
    files: Mapping[str, bytes]
    report: pd.DataFrame
    ledger: Ledger
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class Rows:
    """Collects report rows and their account."""

    ledger: Ledger = field(default_factory=lambda: Ledger("export", "pairs"))
    rows: list[dict[str, object]] = field(default_factory=list)

    def add(
        self, section: str, group: str, item: str, label: str, *, key: str = "", reason: str = "", near: str = ""
    ) -> None:
        """Add a feature: served if there is no reason against it."""
        self.rows.append(
            {
                "section": section,
                "group": group,
                "item": item,
                "label": label,
                "label_json": json.dumps(label),
                "status": NOT_SERVED if reason else SERVED,
                "key": key,
                "reason": reason,
                "near_miss": near,
            }
        )
        if reason:
            self.ledger.drop(reason, place=f"{group}: {item}")
        else:
            self.ledger.keep()

    def finish(self, to: str, files: Mapping[str, bytes], **facts: Any) -> Export:
        """Return the export."""
        report = conform(self.rows, EXPORT_REPORT)
        missing = report[report["status"] == NOT_SERVED]
        near = missing[missing["near_miss"] != ""]
        served = report[report["status"] == SERVED]
        told = {
            "pairs": len(report),
            "pairs_served": len(served),
            "features": report["label"].nunique(),
            "features_served": served["label"].nunique(),
            "served": sorted(set(served["label"])),
            "not_served": sorted(set(missing["label"])),
            "near_misses": dict(sorted(zip(near["label"], near["near_miss"], strict=True))),
            **facts,
        }
        lines = jsonl_bytes([{str(k): v for k, v in r.items()} for r in report.to_dict("records")])
        return Export(to, {**files, "export_report.jsonl": lines}, report, self.ledger, told)


def summary(to: str, facts: Mapping[str, Any]) -> list[str]:
    """Return what an export served as lines for people, from its ``facts``: the same wherever it is told."""
    lines = [
        f"Export {to}: {facts['features_served']} of {facts['features']} different features are served "
        f"({facts['pairs_served']} of {facts['pairs']} pairs of a variety or L1 and a feature)"
    ]
    if unnamed := facts.get("l1_without_a_name_there"):
        lines.append(f"  L1s without a name in {to}, written by their code: {', '.join(unnamed)}")
    return lines


def json_bytes(data: Any) -> bytes:
    """Return JSON as UTF-8, one item a line."""
    return (json.dumps(data, ensure_ascii=False, indent=1) + "\n").encode()


def jsonl_bytes(rows: list[dict[str, Any]]) -> bytes:
    """Return JSONL as UTF-8; a line break inside a string is escaped, so a line is a row."""
    return "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows).encode()


def csv_bytes(frame: pd.DataFrame) -> bytes:
    """Return CSV as UTF-8 with LF; strings as they are, quoted where they hold a comma, a quote or a line break."""
    return frame.to_csv(index=False, float_format="%.12g", lineterminator="\n").encode()
