"""Sufficient statistics of rates per group, from sparse counts, with zero variance decided in integers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from miner.errors import StatisticsError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Moments:
    """Number, mean and spread of the units of each group, for each feature.

    Attributes
    ----------
    n : int array, shape (groups, 1)
        Units of the group.
    mean, m2 : float array, shape (groups, features)
        Mean of the unit rates, and the sum of their squared deviations from it. ``mean`` is NaN in an empty group.
    constant : bool array, shape (groups, features)
        All units have exactly the same rate (decided by comparing fractions, so that 1/25 and 2/50 are equal).
        An empty group is constant.
    numerator, denominator : int array, shape (groups, features)
        That rate as a fraction in lowest terms (before scaling); -1 and -1 where not constant or the group is empty.
    """

    n: Ints
    mean: Floats
    m2: Floats
    constant: Bools
    numerator: Ints
    denominator: Ints

    @property
    def variance(self) -> Floats:
        """Sample variance (ddof 1), shape (groups, features); NaN under two units."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.where(self.n > 1, self.m2 / (self.n - 1), np.nan), dtype=np.float64)


def group_moments(
    counts: Any, exposure: ArrayLike, groups: ArrayLike, n_groups: int, *, scale: float = 1000.0
) -> Moments:
    """Return the moments of ``scale * counts / exposure`` per group and feature.

    Parameters
    ----------
    counts : scipy sparse array or matrix of int, shape (units, features)
        Occurrences. Order the units by a stable id first: float sums run in row order.
    exposure : array_like of int, shape (units,)
        Words (or opportunities) of each unit, > 0.
    groups : array_like of int, shape (units,)
        Group of each unit, 0 to ``n_groups - 1``; -1 for units in no group.
    n_groups : int
        Number of groups.
    scale : float
        Rates are per this many words.

    Raises
    ------
    StatisticsError
        If shapes disagree, an exposure is not a positive whole number, or a count is negative.

    Notes
    -----
    Two passes over the non-zero cells: m2 = sum over non-zero of (r - mean)^2 + (n - non-zero) * mean^2. Nothing of
    the size units x features is built.
    """
    table, words, label = _checked(counts, exposure, groups, n_groups)
    shape, size = (n_groups, table.shape[1]), n_groups * table.shape[1]
    n: Ints = np.bincount(label, minlength=n_groups).astype(np.int64)[:, None]
    # A corpus has millions of cells: arrays of that length are made anew as seldom as possible.
    lengths, number = np.diff(table.indptr), table.data
    cell = np.repeat(label * table.shape[1], lengths)
    cell += table.indices
    exposed = np.repeat(words, lengths)
    rate = float(scale) * number
    rate /= exposed
    nonzero = np.bincount(cell, minlength=size).reshape(shape)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = weighted_sums(cell, rate, size).reshape(shape) / n
    rate -= mean.ravel()[cell]
    np.square(rate, out=rate)
    spread = weighted_sums(cell, rate, size).reshape(shape)
    spread = spread + (n - nonzero) * np.nan_to_num(mean) ** 2
    constant, numerator, denominator = _constants(cell, number, exposed, n, nonzero)
    known = constant & (denominator > 0)
    mean = np.where(known, scale * numerator / np.where(known, denominator, 1), mean)
    return Moments(n, mean, np.where(constant, 0.0, spread), constant, numerator, denominator)


def weighted_sums(cell: Ints, weights: NDArray[Any], size: int) -> Floats:
    """Return the sums of the weights of each cell, added in the order given; shape (size,)."""
    return np.asarray(np.bincount(cell, weights=weights, minlength=size), dtype=np.float64)


def _checked(counts: Any, exposure: ArrayLike, groups: ArrayLike, n_groups: int) -> tuple[sparse.csr_array, Ints, Ints]:
    # The labelled units, with the cells above 0 only.
    table = sparse.csr_array(counts)
    if not table.has_canonical_format:
        table = table.copy()  # not the caller's
        table.sum_duplicates()
    words, label = np.asarray(exposure), np.asarray(groups, dtype=np.int64)
    if words.shape != (table.shape[0],) or label.shape != words.shape:
        msg = f"counts has {table.shape[0]} rows; expected as many exposures ({words.shape}) and groups ({label.shape})"
        raise StatisticsError(msg)
    if words.size and ((words <= 0).any() or (words != np.floor(words)).any()):
        msg = (
            "exposure must be a positive whole number of words for every unit; leave out units of 0 words and list them"
        )
        raise StatisticsError(msg)
    if label.size and (label.max() >= n_groups or label.min() < -1):
        msg = f"groups must lie between 0 and {n_groups - 1}, or be -1; got {label.min()} to {label.max()}"
        raise StatisticsError(msg)
    if table.nnz and (table.data.min() < 0 or not _whole(table.data)):
        msg = "counts must be whole numbers of 0 or more"
        raise StatisticsError(msg)
    if label.size and label.min() < 0:
        table, words, label = table[np.flatnonzero(label >= 0)], words[label >= 0], label[label >= 0]
    if table.nnz and table.data.min() == 0:
        table = table.copy()
        table.eliminate_zeros()
    return table.astype(np.int64, copy=False), words.astype(np.int64, copy=False), label


def _whole(values: NDArray[Any]) -> bool:
    return values.dtype.kind in "iub" or bool((values == np.floor(values)).all())


def _constants(cell: Ints, number: Ints, words: Ints, n: Ints, nonzero: Ints) -> tuple[Bools, Ints, Ints]:
    full = (nonzero == n) & (nonzero > 0)  # only cells in which every unit has an occurrence can be constant above 0
    none = (nonzero == 0) & (n > 0)
    candidates = full.ravel()[cell] if full.any() else slice(0)
    at, top, bottom = cell[candidates], number[candidates], words[candidates]
    divisor = np.gcd(top, bottom)
    top, bottom = top // divisor, bottom // divisor
    size = n.shape[0] * nonzero.shape[1]
    first = np.full(size, -1, dtype=np.int64)
    first[at[::-1]] = np.arange(at.size)[::-1]
    same = (top == top[first[at]]) & (bottom == bottom[first[at]])
    differing = np.bincount(at[~same], minlength=size).reshape(nonzero.shape)
    constant_full = full & (differing == 0)
    pick = first.reshape(nonzero.shape)[constant_full]
    numerator = np.where(none, 0, -1).astype(np.int64)
    denominator = np.where(none, 1, -1).astype(np.int64)
    numerator[constant_full], denominator[constant_full] = top[pick], bottom[pick]
    return (constant_full | none | (n == 0)), numerator, denominator


def pool(moments: Moments, members: ArrayLike) -> Moments:
    """Return the moments of unions of groups.

    Parameters
    ----------
    moments : Moments
        Of single groups.
    members : array_like of bool, shape (unions, groups)
        Which groups each union holds.

    Notes
    -----
    m2 of a union = sum of m2 + sum of n (mean - union's mean)^2: only sums of non-negative terms, so nothing cancels.
    """
    inside = np.asarray(members, dtype=bool)
    parts = [_union(moments, row) for row in inside]
    return Moments(*(np.stack([getattr(p, name) for p in parts]) for name in Moments.__dataclass_fields__))


def rest(moments: Moments) -> Moments:
    """Return, for each group, the moments of all other groups pooled."""
    return pool(moments, ~np.eye(moments.n.shape[0], dtype=bool))


def _union(moments: Moments, inside: Bools) -> Moments:
    inside = inside & (moments.n[:, 0] > 0)
    n, mean, m2 = moments.n[inside], moments.mean[inside], moments.m2[inside]
    total = n.sum(axis=0)
    features = moments.mean.shape[1]
    if total[0] == 0:
        undefined = np.full(features, -1, dtype=np.int64)
        return Moments(total, np.full(features, np.nan), np.zeros(features), undefined < 0, undefined, undefined)
    centre = (n * mean).sum(axis=0) / total
    top, bottom = moments.numerator[inside], moments.denominator[inside]
    constant = moments.constant[inside].all(axis=0) & (top == top[0]).all(axis=0) & (bottom == bottom[0]).all(axis=0)
    centre = np.where(constant, mean[0], centre)
    spread = (m2 + n * (mean - centre) ** 2).sum(axis=0)
    return Moments(
        total,
        centre,
        np.where(constant, 0.0, spread),
        constant,
        np.where(constant, top[0], -1),
        np.where(constant, bottom[0], -1),
    )


def sample_moments(values: ArrayLike) -> Moments:
    """Return the moments of one sample of rates (one group, one feature); constant means exactly equal floats.

    Raises
    ------
    StatisticsError
        If a value is missing or infinite: dropping is the caller's decision.
    """
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1 or not np.isfinite(sample).all():
        msg = "A sample must be one-dimensional without missing or infinite values; leave them out and say how many"
        raise StatisticsError(msg)
    constant = bool(sample.size == 0 or (sample == sample[0]).all())
    mean = sample[0] if constant and sample.size else (sample.mean() if sample.size else np.nan)
    m2 = 0.0 if constant else float(((sample - mean) ** 2).sum())
    whole = np.array([[-1]], dtype=np.int64)
    return Moments(
        np.array([[sample.size]]), np.array([[mean]]), np.array([[m2]]), np.array([[constant]]), whole, whole
    )
