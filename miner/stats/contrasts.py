"""Each group against the others: a studentised contrast of stratum-centred unit rates, from sparse sums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from miner.errors import StatisticsError, require_one_of
from miner.stats.moments import Bools, Floats, Ints

Weighting = Literal["equal", "pooled"]
WEIGHTINGS = ("equal", "pooled")


@dataclass(frozen=True)
class Contrast:
    """One evaluation; arrays have shape (groups, columns).

    Attributes
    ----------
    difference : float
        Adjusted mean of the group minus that of its reference, per 1,000 words.
    statistic : float
        ``difference`` over its standard error; NaN where the standard error is 0 or there is no reference.
    log_ratio : float
        Logarithm of the ratio of the two adjusted means (each at least a twentieth of the column's mean rate).
    """

    difference: Floats
    statistic: Floats
    log_ratio: Floats

    def bound(self, z: float = 1.645) -> Floats:
        """Return a conservative bound of the absolute log ratio, by the test-based interval of Miettinen (1976).

        The standard error of the log ratio is taken to be the one that gives it the same z as the difference; the
        bound is negative where ``z`` standard errors reach beyond a ratio of 1.
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.abs(self.log_ratio) * (1 - z / np.abs(self.statistic)), dtype=np.float64)


class ContrastEngine:
    """Contrasts of every group for many labellings of the same units.

    Parameters
    ----------
    rates : scipy sparse array of float, shape (units, columns)
        Unit rates. A column is a feature (in a band).
    present : array_like of bool, shape (units, blocks)
        Which units have text in which block (band).
    block : array_like of int, shape (columns,)
        Block of each column.
    strata : array_like of int, shape (units,)
        Units are compared within strata only. Labels must be permuted within them, and all units of a stratum must be
        present in the same blocks.
    groups : array_like of int, shape (units,)
        The true labels, 0 to ``n_groups - 1``.
    n_groups : int
    weighting : {"equal", "pooled"}
        Whether every other group weighs the same in a group's reference, or every other unit.
    prior : float
        The variance of a group is drawn to the pooled variance as if the latter came from this many units more.
    least : int
        In ``equal`` weighting, groups with fewer units in a block are in no reference.

    Notes
    -----
    With e = rate - mean rate of the stratum (all groups), m = mean of e over a group's units and s2 = sum of (e - m)^2:
    v = (s2 + prior * v0) / (n - 1 + prior), v0 = the sum of all s2 over (units - groups). Difference = m - the
    reference's mean of m; its squared standard error = v/n plus the same of the reference. The strata's sums over a
    group do not depend on the labelling, so that a labelling costs two sums over the non-zero cells.
    """

    def __init__(
        self,
        rates: Any,
        present: ArrayLike,
        block: ArrayLike,
        strata: ArrayLike,
        groups: ArrayLike,
        n_groups: int,
        *,
        weighting: Weighting = "equal",
        prior: float = 20.0,
        least: int = 2,
    ) -> None:
        require_one_of(weighting, WEIGHTINGS, what="The 'weighting'")
        table = sparse.csr_array(rates)
        self._block, labels = np.asarray(block), np.asarray(groups)
        inside, stratum = np.asarray(present, dtype=bool), np.asarray(strata)
        if len({table.shape[0], len(inside), len(stratum), len(labels)}) > 1:
            msg = "rates, present, strata and groups must have one row for each unit"
            raise StatisticsError(msg)
        self.n_groups, self._n_columns, self._prior = n_groups, table.shape[1], prior
        self._unit = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
        self._column = table.indices.astype(np.int64)
        # Strata with one group carry no information: they would only add units with a deviation of about 0.
        self.informative = _informative(stratum, labels)
        use = self.informative[self._unit]
        self._unit, self._column, value = self._unit[use], self._column[use], table.data[use]
        _, s = np.unique(stratum, return_inverse=True)
        self._prepare(value, s, inside & self.informative[:, None], labels)
        self._weights = _weights(self.n_units, weighting, least)
        self._compared = ((self._weights.sum(axis=1) > 0) & (self.n_units > 0))[:, self._block]

    def _prepare(self, value: Floats, s: Ints, inside: Bools, labels: Ints) -> None:
        n_strata = int(s.max()) + 1 if s.size else 0
        size = np.zeros((n_strata, inside.shape[1]), dtype=np.int64)
        np.add.at(size, s, inside)
        sums = sparse.coo_array((value, (s[self._unit], self._column)), shape=(n_strata, self._n_columns)).tocsr()
        rows = np.repeat(np.arange(n_strata), np.diff(sums.indptr))
        sums.data = sums.data / size[rows, self._block[sums.indices]]
        mean = np.asarray(sums[s[self._unit], self._column]).ravel() if value.size else value
        self._value, self._square = value, value**2 - 2 * value * mean
        informative = self.informative.astype(np.int64)
        member = sparse.coo_array((informative, (labels, s)), shape=(self.n_groups, n_strata)).tocsr()
        self._expected = np.asarray((member @ sums).todense())
        self._expected_square = np.asarray((member @ sums.multiply(sums).tocsr()).todense())
        n = np.zeros((self.n_groups, inside.shape[1]), dtype=np.int64)
        np.add.at(n, labels, inside)
        #: Informative units of each group in each block, and the mean rate of each column over all of them.
        self.n_units = n
        total = np.bincount(self._column, weights=value, minlength=self._n_columns)
        self.level = total / np.maximum(n.sum(axis=0), 1)[self._block]

    def evaluate(self, groups: ArrayLike) -> Contrast:
        """Return the contrasts for a labelling.

        Parameters
        ----------
        groups : array_like of int, shape (units,)
            The true labels, or the true labels permuted within strata.
        """
        label = np.asarray(groups, dtype=np.int64)
        cell = label[self._unit] * self._n_columns + self._column
        shape, size = (self.n_groups, self._n_columns), self.n_groups * self._n_columns
        total = np.bincount(cell, weights=self._value, minlength=size).reshape(shape) - self._expected
        square = np.bincount(cell, weights=self._square, minlength=size).reshape(shape) + self._expected_square
        n = self.n_units[:, self._block]
        mean = total / np.maximum(n, 1)
        spread = np.maximum(square - n * mean**2, 0.0)
        groups_there = (n > 0).sum(axis=0)
        pooled = spread.sum(axis=0) / np.maximum(n.sum(axis=0) - groups_there, 1)
        # Rounding leaves about 1e-16 of the squares where there is no spread at all.
        scale = np.abs(square).sum(axis=0) / np.maximum(n.sum(axis=0), 1)
        pooled = np.where(pooled > 1e-12 * np.maximum(scale, 1e-300), pooled, 0.0)
        variance = (spread + self._prior * pooled) / np.maximum(n - 1 + self._prior, 1)
        return self._contrast(mean, np.where(pooled > 0, variance / np.maximum(n, 1), 0.0))

    def _contrast(self, mean: Floats, error: Floats) -> Contrast:
        difference, squared, reference = np.empty_like(mean), np.empty_like(mean), np.empty_like(mean)
        for g in range(self.n_groups):
            weight = self._weights[g][:, self._block]
            reference[g] = (weight * mean).sum(axis=0)
            difference[g] = mean[g] - reference[g]
            squared[g] = error[g] + (weight**2 * error).sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            statistic = np.where(self._compared & (squared > 0), difference / np.sqrt(squared), np.nan)
            least = self.level / 20
            ratio = np.log(np.maximum(self.level + mean, least) / np.maximum(self.level + reference, least))
        return Contrast(difference, statistic, ratio)

    def reference_weights(self) -> Floats:
        """Return the weight of each group in each group's reference; shape (groups, groups, blocks), sums of 1 or 0."""
        return self._weights


def _informative(strata: Ints, labels: Ints) -> Bools:
    _, s = np.unique(strata, return_inverse=True)
    if not s.size:
        return np.zeros(0, dtype=bool)
    low, high = np.full(s.max() + 1, labels.max()), np.full(s.max() + 1, labels.min())
    np.minimum.at(low, s, labels)
    np.maximum.at(high, s, labels)
    return np.asarray((low < high)[s], dtype=bool)


def _weights(n: Ints, weighting: Weighting, least: int) -> Floats:
    groups, blocks = n.shape
    weights = np.zeros((groups, groups, blocks))
    for g in range(groups):
        other = np.arange(groups) != g
        base = (n >= max(least, 1)).astype(np.float64) if weighting == "equal" else n.astype(np.float64)
        weights[g] = base * other[:, None]
        total = weights[g].sum(axis=0)
        weights[g] /= np.where(total > 0, total, 1.0)
    return weights
