"""Permutation tests of many groups and features at once: exact, Monte Carlo, continued where that is too coarse, or by the tail."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from scipy import special

from miner.stats.labellings import labellings, log_labellings, permuter
from miner.stats.moments import Bools, Floats, Ints
from miner.stats.scores import LEAST_SD, left_out_scores, score, three_moments

#: Fewest permutations at least as extreme for which the Monte Carlo count itself is the p-value.
FEW = 10
#: Skewness of the permutation distribution above which its tail is not extrapolated.
MOST_SKEW = 2.0

Evaluate = Callable[[Ints], Floats]


@dataclass(frozen=True)
class PermutedFamily:
    """Permutation tests of many hypotheses; arrays have shape (groups, columns).

    Attributes
    ----------
    z : float
        The statistic, standardised by its permutation mean, standard deviation and skewness; about normal under the null.
    p : float
        Two-sided p-value; NaN where the statistic is undefined.
    method : str
        ``exact`` (all labellings: count / total), ``monte carlo`` (at least 10 permutations as extreme: (count + 1) / (total + 1)),
        ``tail`` (fewer: by the Pearson type III approximation), ``sequential`` (fewer, and too skewed for it: further
        permutations until the tenth as extreme, count / total, or to their end, (count + 1) / (total + 1)) or ``floor``
        (the same, without further permutations or with none as extreme among them: (count + 1) / (total + 1), an upper bound).
    count, total : int
        Labellings at least as extreme, and those they are among.
    mean, sd, skew : float
        Of the statistic over permutations.
    adjusted : float
        Max-T adjusted p (Westfall and Young 1993, single step): share of permutations in which the largest absolute z of the
        family reaches this one's, (c + 1) / (m + 1), or c / m when exact.
    family_p : float
        The smallest of them. It bounds the chance that anything is found where nothing is.
    permutations : int
        Labellings of the first pass.
    exact : bool
        Whether these are all that there are.
    """

    z: Floats
    p: Floats
    method: NDArray[np.object_]
    count: Ints
    total: Ints
    mean: Floats
    sd: Floats
    skew: Floats
    adjusted: Floats
    family_p: float
    permutations: int
    exact: bool


def permute_family(
    evaluate: Evaluate,
    groups: Ints,
    strata: Ints,
    *,
    family: Bools,
    permutations: int = 999,
    most: int = 0,
    narrowed: Callable[[Ints], Evaluate] | None = None,
    level: float = 1.0,
    threads: int = 1,
    seed: int = 20250101,
) -> PermutedFamily:
    """Test a family of hypotheses by permuting labels within strata.

    Parameters
    ----------
    evaluate : callable
        Takes labels, returns statistics of shape (groups, columns).
    groups, strata : int array, shape (units,)
        Units sorted by a stable id.
    family : bool array, shape (groups, columns)
        Hypotheses that belong to the family (those with enough support).
    permutations : int
        Random labellings; all labellings instead if there are no more than that.
    most : int
        Further labellings at most for hypotheses that these leave at their floor; 0 for none.
    narrowed : callable, optional
        Takes columns, returns ``evaluate`` for them alone; the further labellings are then much cheaper.
    level : float
        No further labellings if ``family_p`` is above.
    threads : int
        Labellings are evaluated on so many at a time; no result depends on it.
    seed : int

    Notes
    -----
    Two passes over the same permutations would double the time, so all statistics are kept in single precision:
    permutations x groups x columns x 4 bytes (blocks of hypotheses are then worked on one after the other). To count,
    each labelling (the observed one too) is standardised by the moments of all others, so that counts are exact under
    the null. The approximation of the tail: Wilson and Hilferty's (1931) cube root of a gamma distribution with the permutation
    distribution's mean, variance and skewness (Pearson type III; Mielke and Berry 2007 use the same three moments); it is
    never under one over the number of labellings. Further permutations: Besag and Clifford (1991), Biometrika 78, 301-304,
    each hypothesis by itself, standardised by the moments of the first pass, and counted without it.
    """
    observed = evaluate(groups)
    flat = np.flatnonzero(family.ravel() & np.isfinite(observed).ravel())
    value, size = observed.ravel()[flat], log_labellings(groups, strata)
    exact = size <= np.log(permutations) + 1e-9
    rng, draw = np.random.default_rng(seed), permuter(groups, strata)
    if exact:
        drawn = np.stack([evaluate(labels).ravel()[flat] for labels in labellings(groups, strata)])
        permutations, parts = len(drawn), _all_labellings(drawn, value)
    else:
        kept = np.empty((permutations, flat.size), dtype=np.float32)
        draws = (draw(rng) for _ in range(permutations))
        for b, statistics in enumerate(_in_turn(evaluate, draws, threads)):
            kept[b] = statistics.ravel()[flat]
        parts = _summaries(kept, value.astype(np.float32), least=float(np.exp(-size)))
    family_p = float(np.min(parts["adjusted"])) if flat.size else np.nan
    coarse = np.flatnonzero(parts["method"] == "floor")
    if most > 0 and coarse.size and family_p <= level:
        follow = narrowed or (lambda columns: lambda labels: evaluate(labels)[:, columns])
        further = (draw(rng) for _ in range(most))
        _continue(parts, coarse, value, np.divmod(flat, observed.shape[1]), follow, further)
    return _spread(parts, flat, observed.shape, family_p, exact=exact, permutations=permutations)


def usable_threads(most: int = 4) -> int:
    """Return how many threads this process may run at once, at most ``most``."""
    here = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    return max(1, min(most, len(here)))


def _in_turn(work: Evaluate, items: Iterable[Ints], threads: int) -> Iterator[Floats]:
    # In the order of the items, few of them at a time.
    if threads <= 1:
        yield from map(work, items)
        return
    waiting: deque[Future[Floats]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) > 2 * threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


Parts = dict[str, NDArray[np.generic]]


def _spread(
    parts: Parts, flat: Ints, shape: tuple[int, ...], family_p: float, *, exact: bool, permutations: int
) -> PermutedFamily:
    def full(name: str, fill: object, dtype: object) -> NDArray[np.object_]:
        values = np.full(int(np.prod(shape)), fill, dtype=dtype)  # type: ignore[call-overload]
        values[flat] = parts[name]
        return values.reshape(shape)  # type: ignore[no-any-return]

    numbers = {n: full(n, np.nan, np.float64) for n in ("z", "p", "mean", "sd", "skew", "adjusted")}
    whole = {n: full(n, 0, np.int64) for n in ("count", "total")}
    return PermutedFamily(
        method=full("method", "", object),
        family_p=family_p,
        permutations=permutations,
        exact=exact,
        **numbers,  # type: ignore[arg-type]
        **whole,  # type: ignore[arg-type]
    )


def _all_labellings(drawn: Floats, observed: Floats) -> Parts:
    m, n = drawn.shape
    mean, sd, skew = three_moments(drawn)
    usable = sd > LEAST_SD
    bounded = np.clip(skew, -1.0, 1.0)
    scores = np.where(usable, np.abs(score(drawn, mean, sd, bounded)), 0.0)
    # Labellings that differ by the order of a sum alone are ties.
    size = np.where(usable, np.abs(score(observed, mean, sd, bounded)), 0.0) * (1 - 1e-9)
    count = (scores >= size).sum(axis=0)
    reached = m - np.searchsorted(np.sort(scores.max(axis=1, initial=0.0)), size, side="left")
    z = np.where(usable, score(observed, mean, sd, skew), 0.0)
    method, total = np.full(n, "exact", dtype=object), np.full(n, m, dtype=np.int64)
    numbers = {"mean": mean, "sd": sd, "skew": skew, "z": z, "p": count / m, "adjusted": reached / m}
    return {"count": count, "total": total, "method": method, **numbers}


def _summaries(drawn: NDArray[np.float32], observed: NDArray[np.float32], *, least: float) -> Parts:
    m, n = drawn.shape
    out: Parts = {k: np.full(n, np.nan) for k in ("z", "p", "mean", "sd", "skew")}
    out["count"], out["method"] = np.zeros(n, dtype=np.int64), np.full(n, "", dtype=object)
    out["total"] = np.full(n, m, dtype=np.int64)
    largest, own = np.zeros(m), np.zeros(n)
    step = max(1, 4_000_000 // max(m, 1))
    for start in range(0, n, step):
        at = slice(start, start + step)
        block, value = drawn[:, at].astype(np.float64), observed[at].astype(np.float64)
        mean, sd, skew = three_moments(block)
        usable = sd > LEAST_SD
        scores = np.abs(left_out_scores(np.vstack([block, value])))
        here, size = score(value, mean, sd, skew), scores[-1]
        count = (scores[:-1] >= size).sum(axis=0)
        scores = np.where(usable, scores, 0.0)
        own[at], largest = scores[-1], np.maximum(largest, scores[:-1].max(axis=1, initial=0.0))
        p, method = _p_values(here, count, skew, m, least)
        out["mean"][at], out["sd"][at], out["skew"][at], out["count"][at] = mean, sd, skew, count
        out["z"][at] = np.where(usable, here, 0.0)
        out["p"][at], out["method"][at] = np.where(usable, p, 1.0), np.where(usable, method, "monte carlo")
    reached = m - np.searchsorted(np.sort(largest), own, side="left")
    out["adjusted"] = (reached + 1) / (m + 1)
    return out


def _p_values(z: Floats, count: Ints, skew: Floats, m: int, least: float) -> tuple[Floats, NDArray[np.object_]]:
    counted = (count + 1) / (m + 1)
    # Never under what enumerating every labelling could give, and never 0.
    tail = np.clip(2 * special.ndtr(-np.abs(z)), max(least, np.finfo(np.float64).tiny), counted)
    method = np.select([count >= FEW, np.abs(skew) <= MOST_SKEW], ["monte carlo", "tail"], default="floor")
    return np.where(method == "tail", tail, counted), method.astype(object)


def _continue(
    parts: Parts,
    coarse: Ints,
    observed: Floats,
    place: tuple[Ints, Ints],
    narrowed: Callable[[Ints], Evaluate],
    further: Iterator[Ints],
) -> None:
    # Besag and Clifford: draw until the tenth as extreme. A round is long, so that few engines are made.
    moments = tuple(parts[k][coarse].astype(np.float64) for k in ("mean", "sd", "skew"))
    moments = (*moments[:2], np.clip(moments[2], -1.0, 1.0))
    # Single precision in the first pass: what differs by rounding is a tie.
    size = np.abs(score(observed[coarse], *moments)) * (1 - 1e-6)
    count, total = np.zeros(len(coarse), dtype=np.int64), np.zeros(len(coarse), dtype=np.int64)
    group, column = place[0][coarse], place[1][coarse]
    open_, length = np.arange(len(coarse)), 1000
    while open_.size:
        columns, own = np.unique(column[open_], return_inverse=True)
        rows = [statistics[group[open_], own] for statistics in map(narrowed(columns), islice(further, length))]
        if not rows:
            break
        here = tuple(m[open_] for m in moments)
        reached = np.cumsum(np.abs(score(np.stack(rows), *here)) >= size[open_], axis=0) + count[open_]
        done = reached[-1] >= FEW
        total[open_] += np.where(done, (reached < FEW).sum(axis=0) + 1, len(rows))
        count[open_] = np.minimum(reached[-1], FEW)
        open_, length = open_[~done], min(2 * length, 4000)
    _finish(parts, coarse, count, total)


def _finish(parts: Parts, coarse: Ints, count: Ints, total: Ints) -> None:
    stopped = count >= FEW
    p = np.where(stopped, count / np.maximum(total, 1), (count + 1) / (total + 1))
    parts["p"][coarse], parts["count"][coarse], parts["total"][coarse] = p, count, total
    # None as extreme among the further ones: the p-value is still an upper bound.
    parts["method"][coarse] = np.where(count > 0, "sequential", "floor")
