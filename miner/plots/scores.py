"""Performance tables: read them, and find out which score belongs to which variety."""

from __future__ import annotations

import itertools
import math
import unicodedata
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from miner.errors import InputError, listed, nearest
from miner.ledger import Ledger
from miner.plots.style import Origin
from miner.plots.varieties import reference_data


def read_scores(
    path: Path | str,
    *,
    variety: str = "variety",
    score: str = "score",
    where: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Read a performance table from CSV.

    Parameters
    ----------
    path : path
        CSV, UTF-8, with a header; lines above it that start with ``#`` are comments.
    variety, score : str
        Its columns with the variety (eWAVE id, name or abbreviation) or L1, and with the score.
    where : mapping of column to value, optional
        Rows to keep: ``{"benchmark": "CoQA synthetic dev", "model": "BERT Base"}``.

    Returns
    -------
    DataFrame
        ``variety`` and ``score`` (float) first, then all other columns as text.

    Raises
    ------
    InputError
        If the file cannot be read, a column is missing, a score is no number, or no row is left.
    """
    try:
        skip = len(_comments(path))
        frame = pd.read_csv(path, dtype="str", keep_default_na=False, encoding="utf-8", skiprows=skip)
    except (OSError, ValueError) as err:
        msg = f"The performance table {path} cannot be read ({err}); expected a CSV file with a header"
        raise InputError(msg) from err
    for column in (variety, score, *(where or {})):
        if column not in frame:
            names = [str(c) for c in frame.columns]
            msg = f"{path}: there is no column '{column}'; the columns are {listed(names)}{nearest(column, names)}"
            raise InputError(msg)
    for column, value in (where or {}).items():
        if value not in set(frame[column]):
            values = sorted(set(frame[column]))
            msg = f"{path}: no row has {column} = {value!r}; the values are {listed(values)}{nearest(value, values)}"
            raise InputError(msg)
        frame = frame[frame[column] == value]
    if frame.empty:
        msg = f"{path}: no row is left; expected at least one row with a variety and a score"
        raise InputError(msg)
    numbers = pd.to_numeric(frame[score], errors="coerce")
    bad_rows = ~np.isfinite(numbers.to_numpy(dtype="float64"))
    if bad_rows.any():
        bad = int(bad_rows.argmax())
        msg = f"{path}:{int(frame.index[bad]) + 2 + skip}: column '{score}' is {frame[score].iloc[bad]!r}; expected a number"
        raise InputError(msg)
    rest = frame.drop(columns=[variety, score])
    out = pd.DataFrame({"variety": frame[variety], "score": numbers.astype("float64")})
    return pd.concat([out, rest.drop(columns=["variety", "score"], errors="ignore")], axis=1).reset_index(drop=True)


def scores_origin(path: Path | str) -> Origin:
    """Return ``invented`` if the file's name or one of its first comment lines says so, else ``real``.

    Raises
    ------
    InputError
        If the file cannot be read.
    """
    try:
        said = " ".join([Path(path).stem, *_comments(path)]).casefold()
    except (OSError, ValueError) as err:
        msg = f"The performance table {path} cannot be read ({err}); expected a CSV file with a header"
        raise InputError(msg) from err
    return "invented" if "invented" in said else "real"


def _comments(path: Path | str) -> list[str]:
    with Path(path).open(encoding="utf-8") as lines:
        return list(itertools.takewhile(lambda line: line.startswith("#"), lines))


def match_scores(
    distances: pd.DataFrame,
    scores: pd.DataFrame,
    *,
    varieties: pd.DataFrame | None = None,
    from_id: str | None = None,
) -> tuple[pd.DataFrame, Ledger]:
    """Join scores to distances; the unit is the variety.

    Parameters
    ----------
    distances : DataFrame
        A ``distances`` table.
    scores : DataFrame
        ``variety`` (eWAVE id, name or abbreviation; case and apostrophes do not matter) and ``score``.
    varieties : DataFrame, optional
        The ``varieties`` table, for abbreviations.
    from_id : str, optional
        The reference point, where the distances have several.

    Returns
    -------
    points : DataFrame
        ``variety_id, variety, distance, score, n_scores``: several scores of a variety become their mean.
    ledger : Ledger
        Scores used and left out (variety not known, reference point itself, distance undefined), by name.

    Raises
    ------
    InputError
        If a column is missing.
    """
    if not {"variety", "score"} <= set(scores.columns):
        msg = f"A performance table needs the columns 'variety' and 'score'; got {listed([str(c) for c in scores.columns])}"
        raise InputError(msg)
    known = reference_data(distances, from_id=from_id)
    defined = known.dropna(subset=["distance"]).set_index("variety_id")
    ids = _names(known, distances, varieties)
    ledger = Ledger("match scores", "scores")
    found: dict[str, list[float]] = {}
    for name, score in zip(scores["variety"].astype(str), scores["score"].astype("float64"), strict=True):
        variety_id = ids.get(_plain(name))
        if variety_id is None:
            ledger.drop("variety not in the distances", place=name)
        elif variety_id not in set(known["variety_id"]):
            ledger.drop("the reference point itself", place=name)
        elif variety_id not in defined.index:
            ledger.drop("distance undefined", place=name)
        elif math.isnan(score):
            ledger.drop("score missing", place=name)
        else:
            ledger.keep()
            found.setdefault(variety_id, []).append(score)
    order = sorted(found, key=lambda i: (not i.isdecimal(), int(i) if i.isdecimal() else 0, i))
    rows = {
        "variety_id": order,
        "variety": defined["variety"].reindex(order).tolist(),
        "distance": defined["distance"].astype("float64").reindex(order).tolist(),
        "score": [math.fsum(sorted(found[i])) / len(found[i]) for i in order],
        "n_scores": [len(found[i]) for i in order],
    }
    return pd.DataFrame(rows), ledger


def _names(known: pd.DataFrame, distances: pd.DataFrame, varieties: pd.DataFrame | None) -> dict[str, str]:
    frames = [distances[["variety_id", "variety"]]]
    frames.append(distances[["from_id", "from_variety"]].set_axis(["variety_id", "variety"], axis=1))
    if varieties is not None and "abbr" in varieties:
        frames.append(varieties[["variety_id", "abbr"]].set_axis(["variety_id", "variety"], axis=1))
    both = pd.concat([known[["variety_id", "variety"]], *frames]).dropna()
    ids = {_plain(str(name)): str(i) for i, name in zip(both["variety_id"], both["variety"], strict=True)}
    return ids | {_plain(str(i)): str(i) for i in both["variety_id"]}


def _plain(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name.replace("\u2019", "'").replace("\u02bc", "'")).casefold()
    return " ".join("".join(c for c in letters if not unicodedata.combining(c)).split())
