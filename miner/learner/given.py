"""Checks of the tables that the tests read, before a number is made of them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from miner.errors import InputError, StatisticsError, listed

_UNITS = ("text_id", "learner", "l1", "band", "prompt", "words")
_COUNTS = ("text_id", "feature", "n")
#: Sums of whole numbers are exact up to here.
_MOST = 2**53


def checked_units(units: pd.DataFrame) -> pd.DataFrame:
    """Return the units table if each text stands in it once, with a whole number of words (or none).

    Raises
    ------
    InputError, StatisticsError
        Otherwise; the message names the column and the first value.
    """
    _require_columns(units, _UNITS, "units")
    _require_keys(units, ["text_id"], "units")
    _require_whole(units["words"], "units", missing=True)
    return units


def checked_counts(counts: pd.DataFrame, text_ids: pd.Series | None = None) -> pd.DataFrame:
    """Return the counts table if each feature of a text stands in it once, with a whole number of 0 or more.

    Parameters
    ----------
    counts : DataFrame
    text_ids : Series of str, optional
        Texts that are compared; counts of others are not used, but some must be of these.

    Raises
    ------
    InputError, StatisticsError
        Otherwise; the message names the column and the first value.
    """
    _require_columns(counts, _COUNTS, "counts")
    _require_keys(counts, ["text_id", "feature"], "counts")
    _require_whole(counts["n"], "counts", missing=False)
    if text_ids is not None and len(counts) and not counts["text_id"].isin(text_ids).any():
        msg = (
            f"None of the {len(counts)} counts is of a text of the units: expected the same text_id in both, got first "
            f"'{counts['text_id'].iloc[0]}' and '{text_ids.iloc[0] if len(text_ids) else ''}'"
        )
        raise InputError(msg)
    return counts


def _require_columns(frame: object, names: tuple[str, ...], what: str) -> None:
    if not isinstance(frame, pd.DataFrame):
        msg = f"The {what} must be a DataFrame with columns {listed(list(names))}. Got {type(frame).__name__} instead"
        raise InputError(msg)
    missing = [n for n in names if n not in frame]
    if missing:
        msg = f"The {what} lack the columns {listed(missing)}; they have {listed([str(c) for c in frame.columns])}"
        raise InputError(msg)


def _require_keys(frame: pd.DataFrame, key: list[str], what: str) -> None:
    for name in key:
        if frame[name].isna().any():
            msg = f"Column '{name}' of the {what} has {int(frame[name].isna().sum())} empty values; each row needs one"
            raise InputError(msg)
    twice = frame.duplicated(key)
    if twice.any():
        first = ", ".join(f"{k} '{v}'" for k, v in frame.loc[twice, key].iloc[0].items())
        msg = f"In the {what} {int(twice.sum())} rows stand twice, first {first}. Expected one row for each {' and '.join(key)}"
        raise InputError(msg)


def _require_whole(column: pd.Series, what: str, *, missing: bool) -> None:
    numbers = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    absent = column.isna().to_numpy()
    wrong = ~np.isfinite(numbers) | (numbers < 0) | (numbers != np.floor(numbers))
    wrong = np.where(absent, not missing, wrong)
    if wrong.any():
        first = column[wrong].iloc[0]
        msg = f"Column '{column.name}' of the {what} must hold whole numbers of 0 or more. Got {first!r} instead"
        raise StatisticsError(msg)
    if numbers[~absent].sum() >= _MOST:
        msg = f"Column '{column.name}' of the {what} sums to more than 2^53, beyond which sums are not exact"
        raise StatisticsError(msg)
