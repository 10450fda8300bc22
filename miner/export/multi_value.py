"""Dialects as Multi-VALUE reads them: one vector of 236 probabilities per variety, index = eWAVE id, index 0 unused."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from miner.errors import OptionError, listed
from miner.export.package import DATA, Export, Rows, csv_bytes, json_bytes

NAME = "multi-value"
#: Highest eWAVE id.
LAST_ID = 235
#: Probability of applying a feature, by rating; all other states are 0.
PROBABILITY = {"A": 1.0, "B": 0.6, "C": 0.3}
NO_FUNCTION = "the consumer has no function for it"
NO_PLACE = f"its id is no number from 1 to {LAST_ID}: the vector has no place for it"


def export_multi_value(
    ratings: pd.DataFrame,
    varieties: pd.DataFrame,
    features: pd.DataFrame,
    *,
    only: Sequence[str] | None = None,
    keys: Sequence[str] | None = None,
) -> Export:
    """Make the attestation vectors of Multi-VALUE.

    Parameters
    ----------
    ratings, varieties, features : DataFrame
        Tables ``ratings``, ``varieties`` and ``features``.
    only : sequence of str, optional
        Ids of the varieties to export; default all.
    keys : sequence of str, optional
        eWAVE ids for which the consumer has a function; default: those of the public repository.

    Returns
    -------
    Export
        ``attestation_vectors.csv`` (``feature_id``, then one column per variety by its eWAVE name, 236 rows) and
        ``vectors.json`` (variety → list of 236 numbers). Values are 1 (A), .6 (B), .3 (C), else 0. Every attested
        feature is in the vector; the report names those that the consumer has no function for.

    Raises
    ------
    OptionError
        If ``only`` names an id that is not among the varieties.
    """
    names = dict(zip(varieties["variety_id"].astype(str), varieties["variety"].astype(str), strict=True))
    chosen = list(names) if only is None else [str(v) for v in only]
    unknown = [v for v in chosen if v not in names]
    if unknown:
        msg = f"The ratings have no variety with the ids {listed(unknown)}. Give the ratings that the run was made from"
        raise OptionError(msg)
    known = set(keys) if keys is not None else set(_functions())
    labels = dict(zip(features["feature_id"].astype(str), features["feature"].astype(str), strict=True))
    rows = Rows()
    vectors = {}
    by_variety = dict(
        list(ratings.assign(variety_id=ratings["variety_id"].astype(str)).groupby("variety_id", sort=False))
    )
    for variety in chosen:
        vectors[names[variety]] = _vector(names[variety], by_variety[variety], labels, known, rows)
    table = pd.DataFrame({"feature_id": np.arange(LAST_ID + 1), **vectors})
    files = {
        "attestation_vectors.csv": csv_bytes(table),
        "vectors.json": json_bytes({n: v.tolist() for n, v in vectors.items()}),
    }
    return rows.finish(NAME, files, varieties=len(vectors))


def _vector(
    variety: str, part: pd.DataFrame, labels: dict[str, str], known: set[str], rows: Rows
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    vector = np.zeros(LAST_ID + 1)
    for feature, rating in zip(part["feature_id"].astype(str), part["rating"], strict=True):
        if rating not in PROBABILITY:
            continue
        placed = feature.isascii() and feature.isdecimal() and 1 <= int(feature) <= LAST_ID
        if placed:
            vector[int(feature)] = PROBABILITY[rating]
        reason = NO_PLACE if not placed else "" if feature in known else NO_FUNCTION
        rows.add(
            "dialect", variety, feature, labels.get(feature, feature), key=feature if not reason else "", reason=reason
        )
    return vector


def _functions() -> list[str]:
    table = pd.read_csv(DATA / "multi-value.features.csv", dtype=str, keep_default_na=False)
    return list(table["feature_id"])
