"""Stability selection in complementary half-samples (Shah and Samworth 2013)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from miner.errors import OptionError
from miner.stats.moments import Bools, Floats, Ints


@dataclass(frozen=True)
class Stability:
    """How often each hypothesis is among the best of its block; arrays have shape (groups, columns).

    Attributes
    ----------
    share : float
        Share of the half-samples in which it is among the ``q`` best of its group and block, with the sign it has in all data.
    rank_low, rank_high : float
        5 % and 95 % quantiles of its rank over the half-samples (1 is best).
    q : int array, shape (groups, blocks)
        Number counted as best.
    pairs : int
    """

    share: Floats
    rank_low: Floats
    rank_high: Floats
    q: Ints
    pairs: int


def half_samples(cells: ArrayLike, rng: np.random.Generator) -> Bools:
    """Return which units are in the first half: half of each cell, at random; of an odd unit chance decides.

    Parameters
    ----------
    cells : array_like of int, shape (units,)
        Group x stratum of each unit.
    rng : Generator
    """
    code = np.asarray(cells)
    order = np.lexsort((rng.random(len(code)), code))
    sorted_code = code[order]
    starts = (
        np.flatnonzero(np.r_[True, sorted_code[1:] != sorted_code[:-1]]) if len(code) else np.zeros(0, dtype=np.int64)
    )
    lengths = np.diff(np.r_[starts, len(code)])
    # A random start in each cell makes odd units fall on either side; single ones alternate by chance alike.
    offset = np.repeat(rng.integers(0, 2, len(starts)), lengths)
    within = np.arange(len(code)) - np.repeat(starts, lengths)
    first = np.empty(len(code), dtype=bool)
    first[order] = (within + offset) % 2 == 0
    return first


def stability_selection(
    bounds: Callable[[Bools], Floats],
    cells: ArrayLike,
    sign: Floats,
    block: ArrayLike,
    family: Bools,
    q: Ints,
    *,
    pairs: int = 50,
    seed: int = 20250101,
) -> Stability:
    """Count how often hypotheses are among the best in half-samples.

    Parameters
    ----------
    bounds : callable
        Takes which units are in the half; returns the sign of each effect and a conservative bound of its size (which may be
        negative; NaN where undefined), stacked: shape (2, groups, columns).
    cells : array_like of int, shape (units,)
        Halves are drawn within these.
    sign : float array, shape (groups, columns)
        Sign of the effect in all data.
    block, family, q
        Block of each column; hypotheses of the family, shape (groups, columns); number counted as best, (groups, blocks).
    pairs : int
    seed : int

    Notes
    -----
    Ties are broken by column order.
    """
    if pairs < 1:
        msg = f"Stability selection needs at least one pair of half-samples. Got {pairs}; 50 or more are usual"
        raise OptionError(msg)
    rng = np.random.default_rng(seed)
    columns_of = [np.flatnonzero(np.asarray(block) == b) for b in range(q.shape[1])]
    hits = np.zeros(sign.shape)
    ranks = np.full((2 * pairs, *sign.shape), np.nan, dtype=np.float32)
    for k in range(pairs):
        first = half_samples(cells, rng)
        for j, half in enumerate((first, ~first)):
            direction, bound = bounds(half)
            rank = _ranks(np.where(family & (direction == sign), bound, -np.inf), columns_of)
            ranks[2 * k + j] = rank
            hits += rank <= q[:, np.asarray(block)]
    low, high = np.quantile(ranks, [0.05, 0.95], axis=0, method="inverted_cdf")
    undefined = ~family
    share = np.where(undefined, np.nan, hits / (2 * pairs))
    return Stability(share, np.where(undefined, np.nan, low), np.where(undefined, np.nan, high), q, pairs)


def _ranks(bound: Floats, columns_of: list[Ints]) -> Floats:
    rank = np.full(bound.shape, np.inf)
    for columns in columns_of:
        part = np.nan_to_num(bound[:, columns], nan=-np.inf, posinf=np.inf, neginf=-np.inf)
        order = np.argsort(-part, axis=1, kind="stable")
        place = np.empty_like(order)
        np.put_along_axis(place, order, np.broadcast_to(np.arange(1, part.shape[1] + 1), part.shape), axis=1)
        rank[:, columns] = np.where(np.isneginf(part), part.shape[1] + 1, place)
    return rank


def shah_samworth_bound(q: float, p: int, threshold: float, pairs: int) -> float:
    """Return the bound of the expected number of wrongly stable features in one block.

    Parameters
    ----------
    q : float
        Features counted as best in a half-sample.
    p : int
        Features of the block.
    threshold : float
        Share from which a feature is called stable, above 1/2.
    pairs : int
        Pairs of half-samples.

    Notes
    -----
    Shah and Samworth (2013), J. R. Statist. Soc. B 75, 55-80, Theorem 2: under unimodality the expected number of features
    with a selection probability of at most q/p that are called stable is at most C q^2 / p (and p), with
    C = 4 (1 - threshold + 1/(2 pairs)) / (1 + 1/pairs) above 3/4, and 1 / (2 (2 threshold - 1 - 1/(2 pairs))) up to 3/4.
    """
    if p < 1 or not 0.5 < threshold <= 1:
        return float("nan")
    if threshold > 0.75:
        factor = 4 * (1 - threshold + 1 / (2 * pairs)) / (1 + 1 / pairs)
    else:
        gap = 2 * threshold - 1 - 1 / (2 * pairs)
        factor = 1 / (2 * gap) if gap > 0 else float("inf")
    # There are no more than p.
    return min(factor * q**2 / p, float(p))
