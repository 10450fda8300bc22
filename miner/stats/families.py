"""Permutation tests of many groups and features at once: exact, Monte Carlo, continued where that is too coarse, or by the tail."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from miner.stats.further import Evaluate, draw_on
from miner.stats.labellings import labellings, log_labellings, permuter
from miner.stats.moments import Bools, Floats, Ints
from miner.stats.permuted import Parts, all_labellings, summaries


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
        permutations, parts = len(drawn), all_labellings(drawn, value)
    else:
        kept = np.empty((permutations, flat.size), dtype=np.float32)
        draws = (draw(rng) for _ in range(permutations))
        for b, statistics in enumerate(_in_turn(evaluate, draws, threads)):
            kept[b] = statistics.ravel()[flat]
        parts = summaries(kept, value.astype(np.float32), least=float(np.exp(-size)))
    family_p = float(np.min(parts["adjusted"])) if flat.size else np.nan
    coarse = np.flatnonzero(parts["method"] == "floor")
    if most > 0 and coarse.size and family_p <= level:
        follow = narrowed or (lambda columns: lambda labels: evaluate(labels)[:, columns])
        further = (draw(rng) for _ in range(most))
        draw_on(parts, coarse, value, np.divmod(flat, observed.shape[1]), follow, further)
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
