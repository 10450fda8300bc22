"""What sets varieties apart and what groups share: distinctive features, shared cores, areal and type-level inventories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from miner import tables
from miner.dialect.encoding import weights
from miner.dialect.ratings import Ratings
from miner.dialect.states import STATES
from miner.errors import InputError, OptionError, listed

#: Ratings at which a variety counts as having a feature: pervasive, or neither pervasive nor extremely rare.
HAVE = ("A", "B")
Groups = Mapping[str, Sequence[int]]
Bools = npt.NDArray[np.bool_]


def groups_by(ratings: Ratings, column: str) -> dict[str, list[int]]:
    """Return the rows of each region or type, by name in order; varieties without one are in none."""
    if column not in ("region", "type"):
        msg = f"Groups are by 'region' or 'type'. Got {column!r} instead"
        raise OptionError(msg)
    values = ratings.varieties[column].to_numpy(dtype=object)
    return {g: [int(i) for i in np.flatnonzero(values == g)] for g in sorted(set(values)) if g}


def groups_of(ratings: Ratings, clusters: pd.DataFrame, column: str = "cluster") -> dict[str, list[int]]:
    """Return the rows of each cluster of a table with ``variety_id`` and that column; missing values are in none."""
    known = {v: i for i, v in enumerate(ratings.varieties["variety_id"])}
    unknown = sorted(set(clusters["variety_id"]) - set(known))
    if unknown:
        msg = f"The table of clusters has varieties that the ratings lack: {listed(unknown)}"
        raise InputError(msg)
    rows: dict[str, list[int]] = {}
    for variety, cluster in zip(clusters["variety_id"], clusters[column], strict=True):
        if not pd.isna(cluster):
            rows.setdefault(f"cluster {cluster}", []).append(known[variety])
    return {g: sorted(r) for g, r in sorted(rows.items(), key=lambda x: (len(x[0]), x[0]))}


def inventory(
    ratings: Ratings, rows: Sequence[int], wanted: Sequence[str] = ("A",), encoding: str = "trans-env"
) -> pd.DataFrame:
    """Return the features of some varieties that have one of the wanted ratings.

    Parameters
    ----------
    ratings : Ratings
    rows : sequence of int
        Rows of ``ratings.grid``.
    wanted : sequence of str
        Ratings that count, of A, B, C, D.
    encoding : str
        For the ``weight`` column.

    Returns
    -------
    DataFrame
        :data:`miner.tables.DIALECT_INVENTORY`, one row per variety and feature.
    """
    unknown = sorted(set(wanted) - set("ABCD"))
    if unknown:
        msg = f"The inventory's ratings must be of 'A', 'B', 'C', 'D'. Got {listed(unknown)} instead"
        raise OptionError(msg)
    value = dict(zip("ABCD", weights(encoding), strict=True))
    take = np.zeros(ratings.grid.shape, dtype=bool)
    take[list(rows)] = np.isin(ratings.grid[list(rows)], [STATES.index(w) for w in wanted])
    i, j = np.nonzero(take)
    states = [STATES[s] for s in ratings.grid[i, j]]
    frame = pd.DataFrame({c: ratings.varieties[c].to_numpy()[i] for c in ("variety_id", "variety")})
    for c in ("feature_id", "feature", "area"):
        frame[c] = ratings.features[c].to_numpy()[j]
    return tables.conform(frame.assign(rating=states, weight=[value[s] for s in states]), tables.DIALECT_INVENTORY)


def distinctive(
    ratings: Ratings,
    varieties: Sequence[int] | None = None,
    *,
    groups: Groups | None = None,
    have: Sequence[str] = HAVE,
    most: int | None = None,
) -> pd.DataFrame:
    """Return features that are pervasive in a variety (or usual in a group) and rare among the others.

    Parameters
    ----------
    ratings : Ratings
    varieties : sequence of int, optional
        Rows; all by default. Candidates are the features that the variety rates A.
    groups : mapping of name to rows, optional
        Groups instead of varieties. Candidates are the features that at least half of the group's rated members
        have, and more of them than of the others.
    have : sequence of str
        Ratings that count as having the feature.
    most : int, optional
        Keep at most so many per variety or group.

    Returns
    -------
    DataFrame
        :data:`miner.tables.DISTINCTIVE`, most distinctive first. The log odds ratio has 0.5 added to each of its four
        counts; its interval is the normal approximation; its bounds let the open cells (X, ?, absent) be anything.
    """
    has, known = _masks(ratings, have)
    if groups is None:
        rows = range(len(ratings.grid)) if varieties is None else varieties
        cases = [
            (str(ratings.varieties["variety_id"][i]), str(ratings.varieties["variety"][i]), [int(i)]) for i in rows
        ]
    else:
        cases = [(name, f"{len(members)} varieties", list(members)) for name, members in groups.items()]
    frames = []
    for name, label, members in cases:
        inside = np.zeros(len(ratings.grid), bool)
        inside[members] = True
        frame = _contrast(ratings, has, known, inside)
        pervasive = ratings.grid[members] == STATES.index("A")
        chosen = (
            pervasive.all(axis=0)
            if groups is None
            else ((frame["share_group"] >= 0.5) & (frame["share_group"] > frame["share_others"])).to_numpy()
        )
        frame = frame[chosen & (frame["n_group"] > 0).to_numpy()]
        frame = frame.sort_values(["log_odds", "order"], ascending=[False, True], kind="stable").head(
            most or len(frame)
        )
        rating = [STATES[s] for s in ratings.grid[members[0]][frame["order"]]] if groups is None else ""
        frames.append(
            frame.drop(columns="order").assign(
                group=name, group_label=label, rank=range(1, len(frame) + 1), rating=rating
            )
        )
    return tables.conform(pd.concat(frames, ignore_index=True) if frames else [], tables.DISTINCTIVE)


def shared_core(
    ratings: Ratings, groups: Groups, *, have: Sequence[str] = HAVE, least: float = 0.8, least_rated: int = 2
) -> pd.DataFrame:
    """Return the features that a group's members share.

    Parameters
    ----------
    ratings : Ratings
    groups : mapping of name to rows
        Clusters, or the regions or types of :func:`groups_by` (areal and type-level inventories).
    have : sequence of str
        Ratings that count.
    least : float
        Least share of the rated members that have the feature.
    least_rated : int
        Least number of rated members.

    Returns
    -------
    DataFrame
        :data:`miner.tables.SHARED_CORE`, with the shares that the unrated members would allow.
    """
    if not 0 < least <= 1:
        msg = f"The least share must be above 0 and at most 1. Got {least!r} instead"
        raise OptionError(msg)
    has, known = _masks(ratings, have)
    frames = []
    for name, members in groups.items():
        n_have, n_rated, n = has[list(members)].sum(axis=0), known[list(members)].sum(axis=0), len(members)
        frame = ratings.features.assign(group=name, n_members=n, n_rated=n_rated, n_have=n_have)
        frame["share"] = np.divide(n_have, n_rated, out=np.full(len(n_have), np.nan), where=n_rated > 0)
        frame["share_low"], frame["share_high"] = n_have / n, (n_have + n - n_rated) / n
        frames.append(frame[(frame["share"] >= least - 1e-12) & (n_rated >= least_rated)])
    return tables.conform(pd.concat(frames, ignore_index=True) if frames else [], tables.SHARED_CORE)


def _masks(ratings: Ratings, have: Sequence[str]) -> tuple[Bools, Bools]:
    unknown = sorted(set(have) - set("ABC"))
    if unknown or not have:
        msg = f"'have' takes ratings of attested features: 'A', 'B', 'C'. Got {listed(list(have)) or 'none'} instead"
        raise OptionError(msg)
    return np.isin(ratings.grid, [STATES.index(r) for r in have]), ratings.rated


def _contrast(ratings: Ratings, has: Bools, known: Bools, inside: Bools) -> pd.DataFrame:
    a, n1 = has[inside].sum(axis=0), known[inside].sum(axis=0)
    c, n2 = has[~inside].sum(axis=0), known[~inside].sum(axis=0)
    open1, open2 = inside.sum() - n1, (~inside).sum() - n2
    value = _log_odds(a, n1 - a, c, n2 - c)
    error = np.sqrt(1 / (a + 0.5) + 1 / (n1 - a + 0.5) + 1 / (c + 0.5) + 1 / (n2 - c + 0.5))
    frame: pd.DataFrame = ratings.features.assign(
        order=np.arange(len(a)),
        share_group=_share(a, n1),
        share_others=_share(c, n2),
        log_odds=value,
        ci_low=value - 1.959963984540054 * error,
        ci_high=value + 1.959963984540054 * error,
        bound_low=_log_odds(a, n1 - a + open1, c + open2, n2 - c),
        bound_high=_log_odds(a + open1, n1 - a, c, n2 - c + open2),
        n_group=n1,
        n_others=n2,
        n_open=open1 + open2,
    )
    return frame


def _log_odds(a: Any, b: Any, c: Any, d: Any) -> npt.NDArray[np.float64]:
    return np.asarray(np.log((a + 0.5) * (d + 0.5) / ((b + 0.5) * (c + 0.5))), dtype=np.float64)


def _share(part: npt.NDArray[Any], whole: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    out: npt.NDArray[np.float64] = np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0)
    return out
