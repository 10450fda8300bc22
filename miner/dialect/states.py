"""The seven states of an eWAVE cell, and how a table's values and codes become them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from miner.errors import InputError
from miner.ledger import Ledger

#: The states in their fixed order. ``""`` is a cell that the table does not have (or has as a blank without a code).
STATES: tuple[str, ...] = ("A", "B", "C", "D", "X", "?", "")
#: A, B, C and D say how far a feature is used; the other three states say nothing about that.
RATED = ("A", "B", "C", "D")
ABSENT = STATES.index("")
#: Columns that count the states, in the order of :data:`STATES`.
COUNT_COLUMNS = tuple(f"n_{s}" for s in ("a", "b", "c", "d", "x", "unknown", "absent"))

#: Bad cells listed in an error message; the number is always complete.
MOST_LISTED = 40


def id_key(name: str) -> tuple[int, int, str]:
    """Return the sort key of an id: numbers by value (1, 2, 9, 10), then all other ids by code point."""
    return (0, int(name), name) if name.isascii() and name.isdecimal() else (1, 0, name)


def states_of(cells: pd.DataFrame, ledger: Ledger, *, place: str, fold_case: bool) -> pd.Series[Any]:
    """Return the state of each cell.

    Parameters
    ----------
    cells : DataFrame
        One row per cell: ``row`` (1 is the header), ``variety_id``, ``feature_id``, ``value``, ``code`` (strings as
        in the file, nothing interpreted).
    ledger : Ledger
        Gets a note for every repair.
    place : str
        The file's name, for messages.
    fold_case : bool
        Whether ``b`` is read as ``B``.

    Returns
    -------
    Series of str
        States of :data:`STATES`. A blank value takes its code's rating (``7-NA`` is ``?``); without a code it is
        absent. eWAVE's metadata declares both ``?`` and blank as null, so only the code tells them apart.

    Raises
    ------
    InputError
        Once, with all values that are no rating and all codes that contradict their value, each with its row.
    """
    value = cells["value"].str.strip()
    code = cells["code"].str.strip().str.replace(r"^.*-", "", regex=True).replace("NA", "?")
    _note(ledger, "rating with blanks around it, trimmed", cells, (value != cells["value"]) & (value != ""))
    if fold_case:
        _note(ledger, "lower-case rating read as upper case", cells, value.str.upper() != value)
        value = value.str.upper()
    blank, coded = value == "", code != ""
    unknown = (~blank & ~value.isin(STATES)) | (coded & ~code.isin(STATES))
    clash = ~blank & coded & ~unknown & (code != value)
    _refuse(cells, unknown, clash, place)
    _note(ledger, "blank value, rating taken from the code", cells, blank & coded)
    _note(ledger, "blank value without a code, taken as absent", cells, blank & ~coded)
    return value.where(~blank, code)


def _refuse(cells: pd.DataFrame, unknown: pd.Series[bool], clash: pd.Series[bool], place: str) -> None:
    parts = []
    for mask, what in ((unknown, "not a rating"), (clash, "a rating that its code contradicts")):
        bad = cells[mask]
        if len(bad):
            shown = [
                f"row {r}: {v!r}" + (f" (code {c!r})" if c else "")
                for r, v, c in zip(
                    bad["row"][:MOST_LISTED], bad["value"][:MOST_LISTED], bad["code"][:MOST_LISTED], strict=True
                )
            ]
            more = f" and {len(bad) - MOST_LISTED} more" if len(bad) > MOST_LISTED else ""
            parts.append(f"{len(bad)} {'cells are' if len(bad) > 1 else 'cell is'} {what}: {', '.join(shown)}{more}")
    if parts:
        msg = (
            f"{place}: {'; '.join(parts)}. Expected A, B, C, D, X or ?, or a blank for an absent cell (row 1 is the "
            "header). Correct them in the file; nothing was read"
        )
        raise InputError(msg)


def to_grid(cells: pd.DataFrame, varieties: list[str], features: list[str]) -> np.ndarray[Any, np.dtype[np.int8]]:
    """Return the states as an array of indices into :data:`STATES`, shape (n_varieties, n_features)."""
    grid = np.full((len(varieties), len(features)), ABSENT, dtype=np.int8)
    rows = pd.Index(varieties).get_indexer(pd.Index(cells["variety_id"]))
    columns = pd.Index(features).get_indexer(pd.Index(cells["feature_id"]))
    grid[rows, columns] = pd.Index(STATES).get_indexer(pd.Index(cells["state"])).astype(np.int8)
    return grid


def one_per_cell(cells: pd.DataFrame, ledger: Ledger, *, place: str) -> pd.DataFrame:
    """Return the cells without identical duplicates, which are counted.

    Raises
    ------
    InputError
        If a cell occurs with different ratings: variety, feature, both ratings and their rows. The last one never wins.
    """
    key = ["variety_id", "feature_id"]
    first = ~cells.duplicated(key)
    if first.all():
        ledger.keep(len(cells))
        return cells
    kept = cells[first]
    both = cells[~first].merge(kept, on=key, suffixes=("", "_first"), how="left")
    clash = both[both["state"] != both["state_first"]].sort_values("row")
    if len(clash):
        shown = "; ".join(
            f"variety '{c.variety_id}', feature '{c.feature_id}' is {_shown(str(c.state_first))} in row {c.row_first} and {_shown(str(c.state))} in row {c.row}"
            for c in clash.head(MOST_LISTED).itertuples()
        )
        msg = f"{place}: {len(clash)} contradicting duplicate{'s' if len(clash) > 1 else ''}: {shown} (row 1 is the header). Keep one row each"
        raise InputError(msg)
    ledger.keep(len(kept))
    for cell in _places(both):
        ledger.drop("identical duplicate of a cell", place=cell)
    return kept


def _shown(state: str) -> str:
    return state or "blank"


def _note(ledger: Ledger, what: str, cells: pd.DataFrame, mask: pd.Series[bool]) -> None:
    for cell in _places(cells[mask]):
        ledger.note(what, place=cell)


def _places(cells: pd.DataFrame) -> list[str]:
    # By id and not by row: the account of a table does not depend on the order of its rows.
    pairs = sorted(
        zip(cells["variety_id"], cells["feature_id"], strict=True), key=lambda p: (id_key(p[0]), id_key(p[1]))
    )
    return [f"variety '{v}', feature '{f}'" for v, f in pairs]
