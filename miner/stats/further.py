"""Further labellings for hypotheses that the first ones leave at their floor (Besag and Clifford 1991)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np

from miner.stats.moments import Floats, Ints
from miner.stats.permuted import FEW, Parts
from miner.stats.scores import score

#: Takes labels, returns statistics of shape (groups, columns).
Evaluate = Callable[[Ints], Floats]


def draw_on(
    parts: Parts,
    coarse: Ints,
    observed: Floats,
    place: tuple[Ints, Ints],
    narrowed: Callable[[Ints], Evaluate],
    further: Iterator[Ints],
) -> None:
    """Replace p, count, total and method of the coarse hypotheses in ``parts`` by those of further labellings."""
    # Draw until the tenth as extreme. A round is long, so that few engines are made.
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
