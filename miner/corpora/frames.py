"""Finished rows as frames that keep the contracts of the texts and edits tables."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd

from miner.corpora.assembly import FIELDS, Row
from miner.tables import EDITS, TEXTS, conform

_NUMBERS = ("n_words", "n_sentences")


def meta_names(columns: Sequence[str]) -> dict[str, str]:
    """Return the ``meta_*`` name of each column, different for different columns; the order of columns is no matter."""
    names: dict[str, str] = {}
    for column in sorted(columns):
        base = name = "meta_" + (re.sub(r"\W+", "_", column.strip().casefold()).strip("_") or "unnamed")
        n = 1
        while name in names.values():
            n += 1
            name = f"{base}_{n}"
        names[column] = name
    return names


def texts_frame(rows: Sequence[Row], *, corpus: str, columns: Sequence[str] | None = None) -> pd.DataFrame:
    """Return the texts table; unknown values are missing, the text itself never is.

    ``columns`` are the further columns of the whole corpus, where ``rows`` are a part of it.
    """
    data: dict[str, object] = {}
    for i, name in enumerate(FIELDS):
        values = [row.cells[i] for row in rows]
        if name not in _NUMBERS and name != "text":
            values = [v or None for v in values]
        data[name] = pd.array(values, dtype="Int64" if name in _NUMBERS else "str")
    data["corpus"] = pd.array([corpus] * len(rows), dtype="str")
    names = meta_names(sorted({k for row in rows for k in row.meta}) if columns is None else columns)
    for column, name in sorted(names.items(), key=lambda item: item[1]):
        data[name] = pd.array([row.meta.get(column) for row in rows], dtype="str")
    return conform(pd.DataFrame(data), TEXTS)


def edits_frame(rows: Sequence[Row]) -> pd.DataFrame:
    """Return the edits table."""
    found = []
    for row in rows:
        counters: dict[str, int] = {}
        for e in row.edits:
            n = counters[e.annotator] = counters.get(e.annotator, 0) + 1
            found.append((row.text_id, *e, row.scheme or "none", n))
    names = [
        "text_id",
        "annotator",
        "start",
        "end",
        "token_start",
        "token_end",
        "original",
        "correction",
        "type",
        "kind",
        "scheme",
        "row",
    ]
    frame = pd.DataFrame(found, columns=names)
    return conform(frame[EDITS.names], EDITS)
