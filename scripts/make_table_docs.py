"""Write docs/tables.md from the table contracts in miner/tables.py; a test keeps the two equal."""

from __future__ import annotations

from pathlib import Path

from miner.tables import ALL

ROOT = Path(__file__).resolve().parents[1]
HEAD = """\
# Tables

Made by `scripts/make_table_docs.py` from `miner/tables.py`. Every table is written as `NAME.parquet`, as `NAME.csv`
(up to 1,000,000 rows), and with a sidecar `NAME.json`: signature, columns, versions, parameters, input hashes and what
each step read, kept and dropped. A missing value is an empty cell. Floats in files have 12 significant digits.
"""


def render() -> str:
    """Return the page."""
    parts = [HEAD]
    for table in ALL.values():
        order = "rows are ranked" if table.ranked else "rows are sorted by it"
        more = " Further columns `meta_*` may follow." if table.open_ended else ""
        parts.append(f"\n## {table.name}\n\nKey: {', '.join(f'`{k}`' for k in table.key)} ({order}).{more}\n")
        parts.append("| column | type | unit | meaning | formula or origin |\n|---|---|---|---|---|")
        parts += [
            f"| {c.name} | {c.dtype} | {c.unit} | {_cell(c.meaning)} | {_cell(c.source)} |" for c in table.columns
        ]
    return "\n".join(parts) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    (ROOT / "docs" / "tables.md").write_text(render(), encoding="utf-8")
