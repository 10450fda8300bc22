"""Labels of units permuted within strata: random ones, all of them where there are few, and how many there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations, product

import numpy as np
from scipy import special

from miner.stats.moments import Ints


def permuter(groups: Ints, strata: Ints) -> Callable[[np.random.Generator], Ints]:
    """Return a function that draws the labels permuted within strata.

    Parameters
    ----------
    groups, strata : int array, shape (units,)
    """
    home = np.argsort(strata, kind="stable")
    own, label = np.unique(strata, return_inverse=True)[1][home], groups[home]
    starts = np.flatnonzero(np.r_[True, own[1:] != own[:-1]]) if len(own) else np.zeros(0, dtype=np.int64)
    slices = list(zip(starts.tolist(), [*starts[1:].tolist(), len(own)], strict=True)) if len(own) else []
    mixed = [slice(a, b) for a, b in slices if (label[a:b] != label[a]).any()]
    if 16 * len(mixed) > len(label):
        return _by_sorting(home, own.astype(np.float64), label)

    def draw(rng: np.random.Generator) -> Ints:
        shuffled = label.copy()
        for part in mixed:
            rng.shuffle(shuffled[part])
        result = np.empty_like(label)
        result[home] = shuffled
        return result

    return draw


def _by_sorting(home: Ints, own: np.ndarray, label: Ints) -> Callable[[np.random.Generator], Ints]:
    def draw(rng: np.random.Generator) -> Ints:
        # Whole part: the stratum; fraction: chance. One sort is faster than a shuffle for each of many small strata.
        result = np.empty_like(label)
        result[home] = label[np.argsort(own + rng.random(len(own)), kind="stable")]
        return result

    return draw


def permuted_within(groups: Ints, strata: Ints, rng: np.random.Generator) -> Ints:
    """Return the labels permuted within strata once."""
    return permuter(groups, strata)(rng)


def log_labellings(groups: Ints, strata: Ints) -> float:
    """Return the natural logarithm of the number of different labellings within strata.

    Notes
    -----
    The product over strata of n! / (n_1! n_2! ...), n_g the units of the stratum with label g.
    """
    if not len(groups):
        return 0.0
    _, stratum = np.unique(strata, return_inverse=True)
    _, label = np.unique(groups, return_inverse=True)
    _, cells = np.unique(stratum * (int(label.max()) + 1) + label, return_counts=True)
    return float(special.gammaln(np.bincount(stratum) + 1.0).sum() - special.gammaln(cells + 1.0).sum())


def labellings(groups: Ints, strata: Ints) -> Iterator[Ints]:
    """Yield every different labelling within strata, in a fixed order; their number grows fast: see :func:`log_labellings`."""
    where = [np.flatnonzero(strata == s) for s in np.unique(strata)]
    choices = [list(_arrangements(groups[at].tolist())) for at in where]
    for chosen in product(*choices):
        result = np.empty_like(groups)
        for at, labels in zip(where, chosen, strict=True):
            result[at] = labels
        yield result


def _arrangements(labels: list[int]) -> Iterator[list[int]]:
    sizes = sorted(Counter(labels).items())

    def place(free: tuple[int, ...], left: list[tuple[int, int]], filled: list[int]) -> Iterator[list[int]]:
        if not left:
            yield filled
            return
        (label, size), *others = left
        for chosen in combinations(free, size):
            now = list(filled)
            for position in chosen:
                now[position] = label
            yield from place(tuple(p for p in free if p not in chosen), others, now)

    yield from place(tuple(range(len(labels))), sizes, [0] * len(labels))
