"""Small frames for tests of the learner room."""

from __future__ import annotations

import pandas as pd

from miner import tables


def units(rows: list[tuple]) -> pd.DataFrame:
    """Rows (text_id, learner, l1, band, words[, prompt]) as a units table."""
    frame = pd.DataFrame(
        [
            {
                "text_id": r[0],
                "learner": r[1],
                "l1": r[2],
                "band": r[3],
                "words": r[4],
                "prompt": r[5] if len(r) > 5 else None,
            }
            for r in rows
        ]
    )
    frame["opportunities"] = pd.NA
    return tables.conform(frame, tables.UNITS)


def counts(rows: list[tuple]) -> pd.DataFrame:
    """Rows (text_id, feature, n) as a counts table."""
    if not rows:
        return tables.COUNTS.empty()
    return tables.conform(pd.DataFrame(rows, columns=["text_id", "feature", "n"]), tables.COUNTS)


def from_case(path, features: list[str] | None = None, *, with_learner: bool = True):
    """A case file (doc, learner, L1, level, n_words, features...) as counts and units."""
    table = pd.read_csv(path)
    features = features or list(table.columns[5:])
    unit = units(
        [
            (r.doc, r.learner if with_learner else None, r.L1, r.level, r.n_words)
            for r in table.itertuples()
            if r.n_words > 0
        ]
    )
    rows = [(doc, f, int(n)) for f in features for doc, n in zip(table["doc"], table[f], strict=True) if n > 0]
    return counts(rows), unit, {f: f for f in features}
