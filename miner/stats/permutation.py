"""Permutation tests: exact for two small samples; Monte Carlo for many groups and features at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from miner.errors import StatisticsError, TooFew, require_one_of
from miner.stats.moments import Bools, Floats, Ints

TwoSided = Literal["absolute", "doubled"]

#: Fewest permutations at least as extreme for which the Monte Carlo count itself is the p-value.
FEW = 10
#: Skewness of the permutation distribution above which its tail is not extrapolated.
MOST_SKEW = 2.0


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


def permuter(groups: Ints, strata: Ints) -> Callable[[np.random.Generator], Ints]:
    """Return a function that draws the labels permuted within strata."""
    home = np.argsort(strata, kind="stable")
    own, label = np.unique(strata, return_inverse=True)[1][home].astype(np.float64), groups[home]

    def draw(rng: np.random.Generator) -> Ints:
        # Whole part: the stratum; fraction: chance. One sort of floats is several times as fast as a sort by two keys.
        order = np.argsort(own + rng.random(len(own)), kind="stable")
        result = np.empty_like(label)
        result[home] = label[order]
        return result

    return draw


def permuted_within(groups: Ints, strata: Ints, rng: np.random.Generator) -> Ints:
    """Return the labels permuted within strata once."""
    return permuter(groups, strata)(rng)


@dataclass(frozen=True)
class PermutedFamily:
    """Monte Carlo permutation tests of many hypotheses; arrays have shape (groups, columns).

    Attributes
    ----------
    z : float
        The statistic, standardised by its permutation mean, standard deviation and skewness; about normal under the null.
    p : float
        Two-sided p-value; NaN where the statistic is undefined.
    method : str
        ``monte carlo`` (at least 10 permutations as extreme: (c + 1) / (m + 1)), ``tail`` (fewer: by the Pearson type III
        approximation) or ``floor`` (fewer, and too skewed for it: (c + 1) / (m + 1), an upper bound).
    count : int
        Permutations at least as extreme.
    mean, sd, skew : float
        Of the statistic over permutations.
    adjusted : float
        Max-T adjusted p (Westfall and Young 1993, single step): share of permutations in which the largest absolute z of the
        family reaches this one's, (c + 1) / (m + 1).
    family_p : float
        The smallest of them: share of permutations in which the largest absolute z of the hypotheses in the family reaches the largest observed one,
        (c + 1) / (m + 1). It bounds the chance that anything is found where nothing is.
    permutations : int
    """

    z: Floats
    p: Floats
    method: NDArray[np.object_]
    count: Ints
    mean: Floats
    sd: Floats
    skew: Floats
    adjusted: Floats
    family_p: float
    permutations: int


def permute_family(
    evaluate: Callable[[Ints], Floats],
    groups: Ints,
    strata: Ints,
    *,
    family: Bools,
    permutations: int = 999,
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
    seed : int

    Notes
    -----
    Two passes over the same permutations would double the time, so all statistics are kept in single precision:
    permutations x groups x columns x 4 bytes (blocks of hypotheses are then worked on one after the other). To count,
    each labelling (the observed one too) is standardised by the moments of all others, so that counts are exact under
    the null. The approximation of the tail: Wilson and Hilferty's (1931) cube root of a gamma distribution with the permutation
    distribution's mean, variance and skewness (Pearson type III; Mielke and Berry 2007 use the same three moments).
    """
    observed = evaluate(groups)
    flat = np.flatnonzero(family.ravel() & np.isfinite(observed).ravel())
    drawn = np.empty((permutations, flat.size), dtype=np.float32)
    rng, draw = np.random.default_rng(seed), permuter(groups, strata)
    for b in range(permutations):
        drawn[b] = evaluate(draw(rng)).ravel()[flat]
    parts = _summaries(drawn, observed.ravel()[flat].astype(np.float32))
    family_p = float(np.min(parts["adjusted"])) if flat.size else np.nan

    def spread(name: str, fill: object, dtype: object) -> NDArray[np.object_]:
        full = np.full(observed.size, fill, dtype=dtype)  # type: ignore[call-overload]
        full[flat] = parts[name]
        return full.reshape(observed.shape)  # type: ignore[no-any-return]

    numbers = {n: spread(n, np.nan, np.float64) for n in ("z", "p", "mean", "sd", "skew", "adjusted")}
    return PermutedFamily(
        method=spread("method", "", object),
        count=spread("count", 0, np.int64),  # type: ignore[arg-type]
        family_p=float(family_p),
        permutations=permutations,
        **numbers,  # type: ignore[arg-type]
    )


def _summaries(drawn: NDArray[np.float32], observed: NDArray[np.float32]) -> dict[str, NDArray[np.generic]]:
    m, n = drawn.shape
    out: dict[str, NDArray[np.generic]] = {k: np.full(n, np.nan) for k in ("z", "p", "mean", "sd", "skew")}
    out["count"], out["method"] = np.zeros(n, dtype=np.int64), np.full(n, "", dtype=object)
    largest, own = np.zeros(m), np.zeros(n)
    step = max(1, 4_000_000 // max(m, 1))
    for start in range(0, n, step):
        at = slice(start, start + step)
        block, value = drawn[:, at].astype(np.float64), observed[at].astype(np.float64)
        mean, sd, skew = _three_moments(block)
        usable = sd > 1e-9
        scores = np.abs(_left_out_scores(np.vstack([block, value])))
        here, size = _score(value, mean, sd, skew), scores[-1]
        count = (scores[:-1] >= size).sum(axis=0)
        scores = np.where(usable, scores, 0.0)
        own[at], largest = scores[-1], np.maximum(largest, scores[:-1].max(axis=1, initial=0.0))
        p, method = _p_values(here, count, skew, m)
        out["mean"][at], out["sd"][at], out["skew"][at], out["count"][at] = mean, sd, skew, count
        out["z"][at] = np.where(usable, here, 0.0)
        out["p"][at], out["method"][at] = np.where(usable, p, 1.0), np.where(usable, method, "monte carlo")
    reached = m - np.searchsorted(np.sort(largest), own, side="left")
    out["adjusted"] = (reached + 1) / (m + 1)
    return out


def _three_moments(block: Floats) -> tuple[Floats, Floats, Floats]:
    mean, sd = block.mean(axis=0), block.std(axis=0)
    skew = (((block - mean) / np.where(sd > 1e-9, sd, 1.0)) ** 3).mean(axis=0)
    return mean, sd, skew


def _left_out_scores(values: Floats) -> Floats:
    # Each row standardised by the moments of all other rows: under the null the observed one is like any other.
    n = len(values) - 1
    x = values - values.mean(axis=0)
    one, two, three = ((x**k).sum(axis=0) - x**k for k in (1, 2, 3))
    mean = one / n
    variance = np.maximum(two / n - mean**2, 0.0)
    third = three / n - 3 * mean * two / n + 2 * mean**3
    sd = np.sqrt(variance)
    safe = np.where(sd > 1e-9, sd, 1.0)
    # One very large value among the others must not make them look skewed without bounds.
    return normal_score((x - mean) / safe, np.clip(third / safe**3, -1.0, 1.0))


def _score(values: Floats, mean: Floats, sd: Floats, skew: Floats) -> Floats:
    return normal_score((values - mean) / np.where(sd > 1e-9, sd, 1.0), skew)


def _p_values(z: Floats, count: Ints, skew: Floats, m: int) -> tuple[Floats, NDArray[np.object_]]:
    counted = (count + 1) / (m + 1)
    tail = np.minimum(2 * special.ndtr(-np.abs(z)), counted)
    method = np.select([count >= FEW, np.abs(skew) <= MOST_SKEW], ["monte carlo", "tail"], default="floor")
    return np.where(method == "tail", tail, counted), method.astype(object)


def normal_score(z: Floats, skew: Floats) -> Floats:
    """Return the normal score of a standardised value of a distribution with that skewness.

    Notes
    -----
    On the side of the long tail Wilson and Hilferty's (1931) cube root, which is right for Pearson type III; on the other side
    the first term of Cornish and Fisher, z - skew (z^2 - 1) / 6: there the cube root runs away at the end of Pearson's
    bounded support, which a permutation distribution need not have.
    """
    small = np.abs(skew) < 1e-3
    g = np.where(small, 1.0, skew)
    long_tail = 6 / g * (np.cbrt(g * z / 2 + 1) - 1) + g / 6
    short_tail = z - g * (z**2 - 1) / 6
    return np.where(small, z, np.where(g * z >= 0, long_tail, np.where(np.abs(z) > 1, short_tail, z)))
