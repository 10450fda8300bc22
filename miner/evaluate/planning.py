"""How many learners per L1 find a rate ratio: a closed form, and simulation beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from scipy import special

from miner import stats, tables
from miner.errors import OptionError
from miner.stats.power import gamma_poisson_moments, welch_power

#: Learners that are simulated at once.
_MOST_LEARNERS = 2_000_000
#: Rate ratios nearer to 1 are no differences that anybody plans for.
LEAST_CONTRAST = 0.001

#: What each number may be: its name in messages, the least, the most, and a usual value.
_RANGES = {
    "base_rate": ("base rate per 1,000 words", 1e-6, 1000, "2"),
    "words": ("number of words of a learner", 1, 1e7, "300"),
    "shape": ("gamma shape", 0.01, 1e6, "2"),
    "l1s": ("number of L1s", 2, 10_000, "10"),
    "alpha": ("threshold alpha", 1e-10, 0.5, ".005"),
    "power": ("power", 1e-10, 0.999999, ".8"),
    "simulations": ("number of simulations", 0, 1_000_000, "1000 (0: the closed form alone)"),
}
_LEAST_RATIO, _MOST_RATIO = 0.001, 1000


def _require_ranges(ratios: Sequence[float], given: Mapping[str, float]) -> None:
    for name, value in given.items():
        told, least, most, usual = _RANGES[name]
        if not least <= value <= most:
            msg = f"The {told} must be from {least:g} to {most:,g}. Got {value:g}; usual is {usual}"
            raise OptionError(msg)
    if not given["alpha"] < given["power"]:
        msg = f"The power must be above the threshold alpha, {given['alpha']:g}. Got {given['power']:g}; usual is .8"
        raise OptionError(msg)
    if not ratios:
        msg = "A plan needs a rate ratio; 1.5 and 2 are usual"
        raise OptionError(msg)
    for k, ratio in enumerate(ratios):
        if not _LEAST_RATIO <= ratio <= _MOST_RATIO or abs(ratio - 1) < LEAST_CONTRAST:
            span = f"from {_LEAST_RATIO:g} to {_MOST_RATIO:,g}, and {LEAST_CONTRAST:g} or more from 1"
            msg = f"A rate ratio must be {span}. Got {ratio:.9g}; 1.5 and 2 are usual"
            raise OptionError(msg)
        if ratio in ratios[:k]:
            msg = f"The rate ratio {ratio:g} is given twice; give each once"
            raise OptionError(msg)


def plan_learners(
    ratios: Sequence[float] = (1.5, 2.0),
    *,
    base_rate: float = 2.0,
    words: float = 300.0,
    shape: float = 2.0,
    l1s: int = 10,
    alpha: float = 0.005,
    power: float = 0.8,
    around: Sequence[float] = (0.5, 1.0, 2.0),
    simulations: int = 1000,
    seed: int = 20250101,
) -> pd.DataFrame:
    """Return the learners that each L1 of a band needs.

    Parameters
    ----------
    ratios : sequence of float
        Rate ratios of the L1 to each other L1; from .001 to 1,000, .001 or more from 1, each once.
    base_rate : float
        Occurrences per 1,000 words in the other L1s; from 1e-6 to 1,000.
    words : float
        Words of a learner (all texts of the band together); from 1 to 1e7.
    shape : float
        Shape of the gamma distribution of learners' rates; from .01 to 1e6; 2 is usual, .5 very uneven.
    l1s : int
        L1s of the corpus, with equally many learners; from 2 to 10,000.
    alpha : float
        Threshold of one two-sided test; from 1e-10 to .5. A correction that keeps the false discovery rate at .05 comes to .05 s / w in one
        test, with s the share of the family that is selected and w the share of true nulls that it takes (1 for
        Benjamini-Hochberg, estimated by ``storey``). The default holds for a tenth selected and w = 1; with w under 1 fewer
        learners do.
    power : float
        Power asked for; above alpha, at most .999999.
    around : sequence of float
        Multiples of the number needed that are shown beside it.
    simulations : int
        Corpora per row; 0 for the closed form alone, which also is all where a corpus has over two million learners.
    seed : int

    Returns
    -------
    DataFrame
        :data:`miner.tables.SAMPLE_PLAN`.

    Raises
    ------
    OptionError
        If a number is outside its range; the message says which.

    Notes
    -----
    Occurrences of a learner: Poisson with mean m = words * rate / 1000 times a gamma of mean 1, so the variance is
    m + m^2 / shape. The test is Welch's by learner, against l1s - 1 other L1s of n learners each taken together. Closed form:
    :mod:`miner.stats.power`, which holds that such rates are skewed; within about .03 of the simulated power, beside the simulation's own error.
    Not in it: thresholds of a recipe other than that of q (fewest learners, effect floor, expected replication, stability).
    :func:`replication_power` tells how often what is there would be found again.
    """
    given = {"base_rate": base_rate, "words": words, "shape": shape, "l1s": l1s, "alpha": alpha, "power": power}
    _require_ranges(ratios, {**given, "simulations": simulations})
    rng = np.random.default_rng(seed)
    rows: list[dict[str, object]] = []
    for ratio in ratios:
        needed = learners_needed(ratio, base_rate, words, shape, l1s, alpha, power)
        for n in sorted({max(2, round(needed * a)) for a in (*around, 1.0)}):
            rows.append(
                {
                    "ratio": ratio,
                    "base_rate": base_rate,
                    "words": words,
                    "shape": shape,
                    "l1s": l1s,
                    "alpha": alpha,
                    "learners": n,
                    "needed": n == needed,
                    "power_closed": closed_power(n, ratio, base_rate, words, shape, l1s, alpha),
                    "power_simulated": _simulated(rng, n, ratio, base_rate, words, shape, l1s, alpha, simulations),
                    "simulations": simulations if n * l1s <= _MOST_LEARNERS else 0,
                }
            )
    return tables.conform(rows, tables.SAMPLE_PLAN)


def learners_needed(ratio: float, base: float, words: float, shape: float, l1s: int, alpha: float, power: float) -> int:
    """Return the smallest number of learners per L1 for the power, by the closed form; 2 at least."""
    target, reference = ratio * base * words / 1000, base * words / 1000
    spread = target + target**2 / shape + (reference + reference**2 / shape) / (l1s - 1)
    z = special.ndtri(1 - alpha / 2) + special.ndtri(power)
    # What normal data would need: the number sought is not far from it.
    normal = z**2 * spread / (target - reference) ** 2
    low, high = 1, max(4, int(np.ceil(4 * normal)))

    def enough(n: int) -> bool:
        return closed_power(n, ratio, base, words, shape, l1s, alpha) >= power

    while not enough(high):
        high *= 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def closed_power(n: int, ratio: float, base: float, words: float, shape: float, l1s: int, alpha: float) -> float:
    """Return the power to find the contrast in its direction with ``n`` learners per L1; n is 2 at least."""
    target = gamma_poisson_moments(n, ratio * base * words / 1000, shape)
    reference = gamma_poisson_moments(n * (l1s - 1), base * words / 1000, shape)
    return welch_power(target, reference, alpha=alpha)


def replication_power(n: int, ratio: float, base: float, words: float, shape: float, l1s: int) -> float:
    """Return how often a new sample of the same size shows the contrast in its direction with one-sided p < .05; n is 2 at least."""
    # In its direction alone: a two-sided test at .1 is a one-sided one at .05.
    return closed_power(n, ratio, base, words, shape, l1s, 0.1)


def _simulated(
    rng: np.random.Generator,
    n: int,
    ratio: float,
    base: float,
    words: float,
    shape: float,
    l1s: int,
    alpha: float,
    simulations: int,
) -> float:
    if not simulations or n * l1s > _MOST_LEARNERS:
        return float("nan")
    found, step = 0, max(1, _MOST_LEARNERS // (n * l1s))
    for start in range(0, simulations, step):
        columns = min(step, simulations - start)
        mean = np.where(np.arange(n * l1s) < n, ratio, 1.0)[:, None] * base * words / 1000
        counts = rng.poisson(mean * rng.gamma(shape, 1 / shape, (n * l1s, columns)))
        groups = (np.arange(n * l1s) >= n).astype(np.int64)
        moments = stats.group_moments(counts, np.full(n * l1s, 1000), groups, 2)
        result = stats.t_test(moments, stats.rest(moments), kind="welch")
        right = (result.difference[0] > 0) == (ratio > 1)
        found += int(((result.p[0] < alpha) & right).sum())
    return found / simulations
