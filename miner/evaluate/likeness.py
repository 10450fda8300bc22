"""How alike selections of features are: overlap, and stability corrected for chance."""

from __future__ import annotations

import numpy as np
import pandas as pd


def _sets(selection: pd.DataFrame, l1: str) -> set[tuple[str, str]]:
    part = selection[selection["l1"] == l1]
    return set(zip(part["cefr"], part["feature"], strict=True))


def jaccard(selections: list[pd.DataFrame], l1s: list[str]) -> float:
    """Return the mean overlap of successive pairs of selections, over L1s for which either selects anything; NaN if none does."""
    values = []
    for a, b in zip(selections[::2], selections[1::2], strict=True):
        for l1 in l1s:
            one, two = _sets(a, l1), _sets(b, l1)
            if one | two:
                values.append(len(one & two) / len(one | two))
    return mean_known(values)


def stability_of(selections: list[pd.DataFrame], tests: list[pd.DataFrame], l1: str) -> float:
    """Return :func:`nogueira` of an L1's selections, over the features (in bands) that could be tested for it in any half."""
    able = set[tuple[str, str]]().union(*(_sets(t[t["p"].notna()], l1) for t in tests))
    place = {pair: k for k, pair in enumerate(sorted(able))}
    matrix = np.zeros((len(selections), len(place)))
    for row, selection in enumerate(selections):
        matrix[row, [place[pair] for pair in _sets(selection, l1)]] = 1
    return nogueira(matrix)


def nogueira(matrix: np.ndarray) -> float:
    """Return the chance-corrected stability of selections.

    Parameters
    ----------
    matrix : array of 0 and 1, shape (selections, features)

    Returns
    -------
    float
        1 - mean variance of the features / variance of random selections of the same mean size; NaN if nothing or everything is
        selected throughout.

    Notes
    -----
    Nogueira, Sechidis and Brown (2018), JMLR 18(174), definition 4.
    """
    m, d = matrix.shape
    share = matrix.mean(axis=0)
    size = matrix.sum(axis=1).mean()
    if m < 2 or d == 0 or size in (0, d):
        return float("nan")
    variance = m / (m - 1) * share * (1 - share)
    return float(1 - variance.mean() / (size / d * (1 - size / d)))


def mean_known(values: list[float]) -> float:
    """Return the mean of the values that are no NaN; NaN without any."""
    known = [v for v in values if not np.isnan(v)]
    return float(np.mean(known)) if known else float("nan")
