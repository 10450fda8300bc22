"""Permutation tests of two samples: exact where they are small."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from miner.errors import StatisticsError, TooFew, require_one_of
from miner.stats.moments import Floats

TwoSided = Literal["absolute", "doubled"]


@dataclass(frozen=True)
class PermutationResult:
    """A permutation test of two samples.

    Attributes
    ----------
    difference : float
        Mean of the target minus mean of the reference.
    p : float
        ``count / total`` when exact, ``(count + 1) / (total + 1)`` for random permutations.
    count, total : int
        Arrangements at least as extreme, and all of them. With rule ``doubled`` the count is twice that of the smaller tail.
    exact : bool
    """

    difference: float
    p: float
    count: int
    total: int
    exact: bool


def permutation_test(
    target: ArrayLike,
    reference: ArrayLike,
    *,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    rule: TwoSided = "absolute",
    most: int = 20_000,
    permutations: int = 9_999,
    rng: int | np.random.Generator = 20250101,
) -> PermutationResult:
    """Test the difference of means of two samples by permuting who belongs where.

    Parameters
    ----------
    target, reference : array_like of float, shape (n,)
        One value per learner (per text, where learners are not known). Values are taken as the decimal numbers they print as,
        so that ties are exact.
    alternative : {"two-sided", "greater", "less"}
    rule : {"absolute", "doubled"}
        Two-sided: arrangements with an absolute difference as large, or twice the smaller tail.
    most : int
        All arrangements are enumerated up to this number, else ``permutations`` random ones are drawn.
    permutations : int
    rng : int or Generator

    Raises
    ------
    TooFew
        If a sample is empty.
    """
    require_one_of(rule, ("absolute", "doubled"), what="The two-sided 'rule'")
    require_one_of(alternative, ("two-sided", "greater", "less"), what="The 'alternative'")
    one, two = np.asarray(target, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    if not len(one) or not len(two):
        msg = f"A permutation test needs a unit in each group; got {len(one)} and {len(two)}"
        raise TooFew(msg)
    whole = _as_integers(np.concatenate([one, two]))
    n, size, total_sum = len(one), len(whole), sum(whole)
    arrangements = comb(size, n)
    exact = arrangements <= most
    # n1 n2 (m1 - m2) = N * sum1 - n1 * total: an integer, so no tie is lost to rounding.
    observed = size * sum(whole[:n]) - n * total_sum
    if exact:
        drawn = [size * sum(chosen) - n * total_sum for chosen in combinations(whole, n)]
    else:
        generator = np.random.default_rng(rng)
        drawn = [
            size * sum(whole[i] for i in generator.permutation(size)[:n]) - n * total_sum for _ in range(permutations)
        ]
    count = _extreme(drawn, observed, alternative, rule)
    total = len(drawn)
    p = count / total if exact else _monte_carlo(drawn, observed, alternative, rule)
    return PermutationResult(float(one.mean() - two.mean()), min(p, 1.0), count, total, exact)


def _as_integers(values: Floats) -> list[int]:
    if not np.isfinite(values).all():
        msg = "A permutation test takes no missing or infinite values; leave them out and say how many"
        raise StatisticsError(msg)
    exact = [Fraction(repr(float(v))) for v in values]
    scale = 1
    for v in exact:
        scale = scale * v.denominator // np.gcd(scale, v.denominator) if scale < 2**31 else np.lcm(scale, v.denominator)
    return [int(v * int(scale)) for v in exact]


def _extreme(drawn: list[int], observed: int, alternative: str, rule: str) -> int:
    greater, less = sum(d >= observed for d in drawn), sum(d <= observed for d in drawn)
    if alternative != "two-sided":
        return greater if alternative == "greater" else less
    if rule == "doubled":
        return min(2 * min(greater, less), len(drawn))
    return sum(abs(d) >= abs(observed) for d in drawn)


def _monte_carlo(drawn: list[int], observed: int, alternative: str, rule: str) -> float:
    m = len(drawn)
    if alternative == "two-sided" and rule == "doubled":
        tails = (sum(d >= observed for d in drawn), sum(d <= observed for d in drawn))
        return min(1.0, 2 * (min(tails) + 1) / (m + 1))
    return (_extreme(drawn, observed, alternative, rule) + 1) / (m + 1)
