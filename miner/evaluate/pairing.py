"""Which matches of a checker and which gold edits speak of the same place."""

from __future__ import annotations

import numpy as np
import pandas as pd

from miner.categories import Taxonomy


def pair(matches: pd.DataFrame, edits: pd.DataFrame) -> pd.DataFrame:
    """Pair matches and edits that overlap.

    Parameters
    ----------
    matches, edits : DataFrame
        With ``text_id``, ``start`` and ``end`` (code points of ``texts.text``, end exclusive); any other columns are left.

    Returns
    -------
    DataFrame
        ``match`` and ``edit`` (positions of rows), ``exact`` (equal start and end); sorted by both positions.

    Notes
    -----
    Two spans overlap if they share a code point; a span of no width overlaps what it lies in or touches, also another one
    at the same place.
    """
    found: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    groups = edits.groupby("text_id", sort=False).indices
    e_start, e_end = (edits[c].to_numpy(dtype=np.int64) for c in ("start", "end"))
    m_start, m_end = (matches[c].to_numpy(dtype=np.int64) for c in ("start", "end"))
    for text_id, place in matches.groupby("text_id", sort=False).indices.items():
        if text_id not in groups:
            continue
        at, own = np.asarray(place), np.asarray(groups[text_id])
        s, e = m_start[at][:, None], m_end[at][:, None]
        a, b = e_start[own][None, :], e_end[own][None, :]
        shared = np.minimum(e, b) - np.maximum(s, a)
        hit = (shared > 0) | ((shared == 0) & ((s == e) | (a == b)))
        i, j = np.nonzero(hit)
        exact = (s == a) & (e == b)
        found.append((at[i], own[j], exact[i, j]))
    if not found:
        return pd.DataFrame({"match": np.array([], int), "edit": np.array([], int), "exact": np.array([], bool)})
    columns = [np.concatenate(part) for part in zip(*found, strict=True)]
    frame = pd.DataFrame(dict(zip(("match", "edit", "exact"), columns, strict=True)))
    return frame.sort_values(["match", "edit"], ignore_index=True)


def related(one: np.ndarray, two: np.ndarray, taxonomy: Taxonomy) -> np.ndarray:
    """Return for each pair of category ids whether they are equal or one is above the other; never for an empty id."""
    above = _ancestors(taxonomy)
    known = {
        (a, b): bool(a) and bool(b) and (a == b or a in above.get(b, ()) or b in above.get(a, ()))
        for a, b in set(zip(one, two, strict=True))
    }
    return np.array([known[p] for p in zip(one, two, strict=True)], dtype=bool)


def _ancestors(taxonomy: Taxonomy) -> dict[str, frozenset[str]]:
    if "parent" not in taxonomy.categories:
        return {}
    parent = dict(zip(taxonomy.categories["id"], taxonomy.categories["parent"], strict=True))
    out = {}
    for child in parent:
        line, at = [], parent[child]
        while at:
            line.append(at)
            at = parent[at]
        out[child] = frozenset(line)
    return out
