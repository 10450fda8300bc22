"""Several annotators are alternatives: edits of one are used at a time."""

from __future__ import annotations

import pandas as pd

from miner.errors import OptionError, listed, nearest


def annotators(edits: pd.DataFrame) -> list[str]:
    """Return the annotators of an edits table; numbers in order, then names."""
    return sorted(edits["annotator"].dropna().unique().tolist(), key=_order)


def select_annotator(edits: pd.DataFrame, annotator: str = "first") -> pd.DataFrame:
    """Return the edits of one annotator for each text.

    Parameters
    ----------
    edits : DataFrame
        The edits table.
    annotator : str
        ``first``: for each text the first who annotated it (a noop edit says that someone did); or the name of one.

    Returns
    -------
    DataFrame
        Rows of ``edits``. A text without a row there was not annotated by the one chosen; a text whose row is a noop was,
        without an error found.

    Raises
    ------
    OptionError
        If nobody has that name.
    """
    if annotator == "first":
        order = edits["annotator"].map({a: i for i, a in enumerate(annotators(edits))})
        return edits[order == order.groupby(edits["text_id"]).transform("min")].reset_index(drop=True)
    known = annotators(edits)
    if annotator not in known:
        msg = f"There is no annotator '{annotator}'{nearest(annotator, known)}; annotators are 'first', {listed(known)}"
        raise OptionError(msg)
    return edits[edits["annotator"] == annotator].reset_index(drop=True)


def _order(name: str) -> tuple[int, int, str]:
    return (0, int(name), "") if name.isdecimal() and name.isascii() else (1, 0, name)
