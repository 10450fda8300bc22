"""Distance against performance as tables: the unit is the variety, what a transformer did to the texts is always shown.

The numbers of the tables ``performance``, ``influence``, ``difficulty`` and ``difficulty_points`` come from here, for every
command; p is from permutations of varieties. The line, band and intervals of a picture are of ``miner.plots.performance``.
"""

from __future__ import annotations

from itertools import permutations as arrangements
from math import factorial
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import rankdata

from miner import tables
from miner.dialect.names import hint
from miner.dialect.ratings import Ratings
from miner.dialect.states import STATES
from miner.errors import EmptyInput, InputError, OptionError, listed
from miner.ledger import Ledger
from miner.signature import DEFAULT_SEED

Floats = npt.NDArray[np.float64]

#: Below this number of arrangements all of them are gone through.
_EXACT = 50_000
ALL = "all"
MISSING, UNKNOWN = "score missing", "not a variety of the ratings"


def performance(
    ratings: Ratings,
    distances: pd.DataFrame,
    scores: pd.DataFrame,
    *,
    by: tuple[str, ...] = (),
    permutations: int = 9_999,
    seed: int = DEFAULT_SEED,
    place: str = "the performance table",
) -> tuple[pd.DataFrame, pd.DataFrame, Ledger]:
    """Return how performance goes with distance from the reference point.

    Parameters
    ----------
    ratings : Ratings
        For the covariates: features rated A (what a transformer applied) and unrated cells.
    distances : DataFrame
        :data:`miner.tables.DISTANCES` from one reference point.
    scores : DataFrame
        ``variety`` (id, name or abbreviation), ``score``, and the columns ``by`` (model, benchmark).
    by : tuple of str
        Columns that name a series; every series has at most one score per variety.
    permutations : int
        Of varieties. One permutation is applied to all series at once: their scores are of the same varieties, so
        they are not independent evidence.
    seed : int
    place : str
        What messages call the table of scores: its file.

    Returns
    -------
    tuple of DataFrame, DataFrame, Ledger
        :data:`miner.tables.PERFORMANCE` (a row per series, and ``all``: the mean rho over series),
        :data:`miner.tables.INFLUENCE` (leave one out), and the account of scores used and left out, by name (missing
        scores, unknown varieties, the reference point, varieties without a distance). A series that has no score left
        is a row with ``n`` 0.

    Raises
    ------
    InputError, OptionError
        If columns are missing, a variety has two scores in a series, or the distances have several reference points.
    EmptyInput
        If no score belongs to a variety with a distance; the message says why, with the nearest names.
    """
    if distances["from_id"].nunique() != 1 or distances["metric"].nunique() != 1:
        msg = "Performance needs distances from one reference point in one metric, not from all varieties; name one (--from)"
        raise InputError(msg)
    if absent := [c for c in ("variety", "score", *by) if c not in scores]:
        msg = f"The performance table lacks the columns {listed(absent)}; it has {listed([str(c) for c in scores])}"
        raise InputError(msg)
    ledger = Ledger("performance", "scores")
    if by and ALL in series_of(scores, by):
        msg = f"A series of {place} is called '{ALL}', which is the row for the mean over series; give it another name"
        raise InputError(msg)
    table = _wide(ratings, distances, scores, by, ledger)
    if not ledger.kept:
        raise EmptyInput(_nothing_left(ratings, scores, ledger, place))
    rng = np.random.default_rng([seed, 40])
    orders = _orders(len(table.rows), permutations, rng)
    results, influence = [], []
    joint: list[Floats] = []
    for name, score in table.series.items():
        row, null, parts = _series(table, name, score, orders)
        results.append(row)
        if len(parts):
            influence.append(parts)
        if null is not None:
            joint.append(null)
    if len(joint) > 1:
        results.append(_together(results, joint, orders))
    return (
        tables.conform(results, tables.PERFORMANCE),
        tables.conform(pd.concat(influence, ignore_index=True), tables.INFLUENCE),
        ledger,
    )


def series_of(scores: pd.DataFrame, by: tuple[str, ...]) -> list[str]:
    """Return the series of each row: its values of the columns ``by``, joined by commas; ``scores`` without any."""
    return [", ".join(str(record[c]) for c in by) or "scores" for record in scores.to_dict("records")]


class _Matched:
    """Varieties with a distance and at least one score, in id order, and each series' scores (NaN where none)."""

    def __init__(self, rows: pd.DataFrame, series: dict[str, Floats]) -> None:
        self.rows, self.series = rows, series


def _wide(
    ratings: Ratings, distances: pd.DataFrame, scores: pd.DataFrame, by: tuple[str, ...], ledger: Ledger
) -> _Matched:
    known = distances[distances["distance"].notna() & (distances["variety_id"] != distances["from_id"])]
    place = {v: i for i, v in enumerate(known["variety_id"])}
    values: dict[str, Floats] = {}
    for series, record in zip(series_of(scores, by), scores.to_dict("records"), strict=True):
        column = values.setdefault(series, np.full(len(known), np.nan))
        if np.isnan(float(record["score"])):
            ledger.drop(MISSING, place=str(record["variety"]))
            continue
        try:
            variety = str(ratings.varieties["variety_id"][ratings.variety_index(str(record["variety"]))])
        except OptionError:
            ledger.drop(UNKNOWN, place=str(record["variety"]))
            continue
        if variety not in place:
            ledger.drop("the reference point, or without a distance", place=str(record["variety"]))
            continue
        if not np.isnan(column[place[variety]]):
            msg = f"'{record['variety']}' has two scores in the series '{series}'; name the columns that tell series apart (by)"
            raise InputError(msg)
        column[place[variety]] = float(record["score"])
        ledger.keep()
    used = np.zeros(len(known), bool)
    for column in values.values():
        used |= ~np.isnan(column)
    rows = known[used][["variety_id", "variety", "distance"]].reset_index(drop=True)
    index = [ratings.variety_index(v) for v in rows["variety_id"]]
    rows["n_a"] = (ratings.grid[index] == STATES.index("A")).sum(axis=1)
    rows["n_unrated"] = (~ratings.rated[index]).sum(axis=1)
    return _Matched(rows, {s: values[s][used] for s in sorted(values)})


def _nothing_left(ratings: Ratings, scores: pd.DataFrame, ledger: Ledger, place: str) -> str:
    names = list(dict.fromkeys(str(v) for v in scores["variety"]))
    if not names:
        return f"{place} has no scores; expected a row per variety, with its score"
    known = [str(v) for v in ratings.varieties["variety"]]
    if set(ledger.dropped) == {UNKNOWN}:
        nearest = next((h for h in (hint(n, known) for n in names) if h), "")
        return (
            f"None of the {len(names)} varieties of {place} is in the ratings: {listed(names, most=5)}{nearest or '.'} "
            f"Expected ids, abbreviations or names of the ratings table, such as {listed(known, most=2)}"
        )
    told = "; ".join(f"{n} {r} ({listed(ledger.places[r], most=5)})" for r, n in sorted(ledger.dropped.items()))
    return (
        f"None of the {ledger.read} scores of {place} can be used: {told}. Expected scores of varieties of the ratings "
        "that have a distance from the reference point; add some, or choose another reference point (--from)"
    )


def _orders(n: int, permutations: int, rng: np.random.Generator) -> npt.NDArray[np.intp]:
    # The first row is the data itself, which the exact set contains and which (b + 1) / (m + 1) counts.
    if n <= 9 and factorial(n) <= _EXACT:
        return np.array(list(arrangements(range(n))), dtype=np.intp).reshape(-1, n)
    drawn = rng.permuted(np.tile(np.arange(n), (permutations, 1)), axis=1)
    return np.vstack([np.arange(n), drawn]).astype(np.intp)


def spearman(x: Floats, y: Floats) -> float:
    """Return Spearman's rho with mean ranks; NaN where one does not vary or there are fewer than 3 points."""
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return _pearson(rankdata(x), rankdata(y))


def _pearson(x: Floats, y: Floats) -> float:
    a, b = x - x.mean(), y - y.mean()
    return float((a * b).sum() / np.sqrt((a**2).sum() * (b**2).sum()))


def _series(
    table: _Matched, name: str, score: Floats, orders: npt.NDArray[np.intp]
) -> tuple[dict[str, Any], Floats | None, pd.DataFrame]:
    has = ~np.isnan(score)
    rows, y = table.rows[has], score[has]
    x = rows["distance"].to_numpy(dtype=np.float64)
    row: dict[str, Any] = dict.fromkeys(tables.PERFORMANCE.names)
    row |= {"series": name, "n": len(y), "reason": ""}
    rho = spearman(x, y)
    without = np.array([spearman(np.delete(x, i), np.delete(y, i)) for i in range(len(x))])
    parts = rows.assign(series=name, score=y, spearman_without=without, change=without - rho)
    if np.isnan(rho):
        few = f"{len(y)} varieties with a distance and a score; a correlation needs 3"
        return row | {"reason": few if len(y) < 3 else _no_variation(x, "distances")}, None, parts
    a, unrated = (rows[c].to_numpy(dtype=np.float64) for c in ("n_a", "n_unrated"))
    null = _null(table.rows["distance"].to_numpy(dtype=np.float64), score, has, orders)
    row |= {
        "pearson": _pearson(x, y),
        "spearman": rho,
        "p": float((np.abs(null) >= abs(rho) - 1e-12).mean()),
        "permutations": len(orders) if len(orders) == factorial(len(table.rows)) else len(orders) - 1,
        "slope": float(((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum()),
        "rho_a_features_distance": spearman(a, x),
        "rho_a_features_score": spearman(a, y),
        "rho_unrated_distance": spearman(unrated, x),
        "rho_unrated_score": spearman(unrated, y),
        "partial": _partial(x, y, np.column_stack([a, unrated])),
    }
    if len(y) > 3 and not np.isnan(without).all():
        row |= {"loo_low": np.nanmin(without), "loo_high": np.nanmax(without)}
        row["loo_variety"] = rows["variety"].iloc[int(np.nanargmax(np.abs(without - rho)))]
    return row, null, parts


def _no_variation(x: Floats, what: str) -> str:
    return f"the {what} do not vary" if np.ptp(x) == 0 else "the scores do not vary"


def _null(distance: Floats, score: Floats, has: npt.NDArray[np.bool_], orders: npt.NDArray[np.intp]) -> Floats:
    # Varieties' distances change places, in all series alike; a series without some varieties correlates those it has.
    ranked = np.apply_along_axis(rankdata, 1, distance[orders][:, has])
    y = rankdata(score[has])
    a, b = ranked - ranked.mean(axis=1, keepdims=True), y - y.mean()
    norm = np.sqrt((a**2).sum(axis=1) * (b**2).sum())
    out: Floats = np.divide((a * b).sum(axis=1), norm, out=np.zeros(len(orders)), where=norm > 0)
    return out


def _partial(x: Floats, y: Floats, covariates: Floats) -> float | None:
    """Return the correlation of the ranks of x and y after both covariates' ranks are taken out; None if n < 6."""
    if len(x) < 6:
        return None
    ranks = np.column_stack([np.ones(len(x)), *(rankdata(c) for c in covariates.T)])
    rest = [r - ranks @ np.linalg.lstsq(ranks, r, rcond=None)[0] for r in (rankdata(x), rankdata(y))]
    if min(float((r**2).sum()) for r in rest) < 1e-9:
        return None
    return _pearson(*rest)


def _together(results: list[dict[str, Any]], nulls: list[Floats], orders: npt.NDArray[np.intp]) -> dict[str, Any]:
    told = [r for r in results if r["spearman"] is not None]
    mean = float(np.mean([r["spearman"] for r in told]))
    null = np.mean(nulls, axis=0)
    row: dict[str, Any] = dict.fromkeys(tables.PERFORMANCE.names)
    return row | {
        "series": ALL,
        "n": max(r["n"] for r in told),
        "spearman": mean,
        "p": float((np.abs(null) >= abs(mean) - 1e-12).mean()),
        "permutations": told[0]["permutations"],
        "reason": f"mean over {len(told)} series; other columns are per series",
    }


def difficulty(
    scores: pd.DataFrame,
    categories: pd.DataFrame,
    *,
    by: tuple[str, ...] = (),
    place: str = "the table of scores",
) -> tuple[pd.DataFrame, pd.DataFrame, Ledger]:
    """Return how scores go with the DLIFLC category of the L1.

    Parameters
    ----------
    scores : DataFrame
        ``l1``, ``score`` and the columns ``by``; a missing score is left out.
    categories : DataFrame
        ``l1`` and ``category`` (1 to 4).
    by : tuple of str
    place : str
        What messages call the table of scores: its file.

    Returns
    -------
    tuple of DataFrame, DataFrame, Ledger
        :data:`miner.tables.DIFFICULTY`: the unit is the L1; Spearman with the exact two-sided p over all
        arrangements of the scores, ties included. Categories are ordinal: no t-test.
        :data:`miner.tables.DIFFICULTY_POINTS`, the scores behind it; and the account of scores used and left out, by L1.

    Raises
    ------
    InputError
        If a column is missing, or a series has an L1 twice.
    EmptyInput
        If no score belongs to an L1 with a category.
    """
    if absent := [c for c in ("l1", "score", *by) if c not in scores]:
        msg = f"{place} lacks the columns {listed(absent)}; it has {listed([str(c) for c in scores])}"
        raise InputError(msg)
    ledger = Ledger("difficulty", "scores")
    category = dict(zip(categories["l1"], categories["category"], strict=True))
    points: dict[str, list[dict[str, Any]]] = {}
    for name, record in zip(series_of(scores, by), scores.to_dict("records"), strict=True):
        l1, value = str(record["l1"]), float(record["score"])
        inside = points.setdefault(name, [])
        if l1 not in category or np.isnan(value):
            ledger.drop(MISSING if l1 in category else "L1 without a DLIFLC category", place=l1)
            continue
        if any(p["l1"] == l1 for p in inside):
            msg = f"The series '{name}' has the L1 '{l1}' twice; name the columns that tell series apart (by)"
            raise InputError(msg)
        ledger.keep()
        inside.append({"series": name, "l1": l1, "category": category[l1], "score": value})
    if not ledger.kept:
        told = "; ".join(f"{n} {r} ({listed(ledger.places[r], most=5)})" for r, n in sorted(ledger.dropped.items()))
        msg = (
            f"None of the {ledger.read} scores of {place} can be used: {told or 'it is empty'}. "
            f"Expected scores of L1s with a category: {listed(list(category))}"
        )
        raise EmptyInput(msg)
    rows = [_by_category(name, sorted(points[name], key=lambda p: p["l1"])) for name in sorted(points)]
    flat = [p for name in sorted(points) for p in points[name]]
    return tables.conform(rows, tables.DIFFICULTY), tables.conform(flat, tables.DIFFICULTY_POINTS), ledger


def _by_category(name: str, points: list[dict[str, Any]]) -> dict[str, Any]:
    x, y = (np.array([p[c] for p in points], dtype=np.float64) for c in ("category", "score"))
    rho = spearman(x, y)
    row: dict[str, Any] = {"series": name, "n": len(x), "spearman": rho, "p": None, "arrangements": None, "reason": ""}
    if np.isnan(rho):
        few = f"{len(x)} L1s with a category and a score; a correlation needs 3"
        return row | {"reason": few if len(x) < 3 else _no_variation(x, "categories")}
    row["p"], row["arrangements"] = exact_p(x, y)
    return row


def exact_p(x: Floats, y: Floats) -> tuple[float, int]:
    """Return the exact two-sided p of Spearman's rho, and the number of arrangements n!.

    Counted over sums of products of ranks: dynamic programming over the groups of tied x, so that ten L1s in four
    categories need no ten! steps.
    """
    first, second = np.rint(2 * rankdata(x)).astype(int), np.rint(2 * rankdata(y)).astype(int)
    values, sizes = np.unique(first, return_counts=True)
    n = len(first)
    # State: which scores are used (bit mask) -> number of ways by sum of rank products.
    states: dict[int, dict[int, int]] = {0: {0: 1}}
    for value, size in zip(values, sizes, strict=True):
        for _ in range(size):
            following: dict[int, dict[int, int]] = {}
            for mask, sums in states.items():
                for item in range(n):
                    if not mask >> item & 1:
                        step = int(value) * int(second[item])
                        into = following.setdefault(mask | 1 << item, {})
                        for total, ways in sums.items():
                            into[total + step] = into.get(total + step, 0) + ways
            states = following
    counts = states[(1 << n) - 1]
    centre = int(first.sum()) * int(second.sum())
    observed = abs(n * int((first * second).sum()) - centre)
    hits = sum(ways for total, ways in counts.items() if abs(n * total - centre) >= observed)
    return hits / factorial(n), factorial(n)
