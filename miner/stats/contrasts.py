"""Each group against the others: a studentised contrast of stratum-centred unit rates, from sparse sums."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from miner.errors import StatisticsError, require_one_of
from miner.stats.moments import Bools, Floats, Ints, weighted_sums

Weighting = Literal["equal", "pooled"]
WEIGHTINGS = ("equal", "pooled")

#: Least variance of a group, as a share of the variance of all units about the means of their strata.
LEAST_SHARE = 1e-6


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
    v = (s2 + prior * v0) / (n - 1 + prior), v0 = the sum of all s2 over (units - groups); neither is taken to be under a
    millionth of the mean of e^2, so that separated groups have a statistic. Difference = m - the reference's mean of m; its squared standard error = v/n plus the same of the reference. The strata's sums over a
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
        self.n_groups, self._prior = n_groups, prior
        # Strata with one group carry no information: they would only add units with a deviation of about 0.
        self.informative = _informative(stratum, labels)
        # Column by column: the sums of a column are close together in memory, whatever its units' labels.
        columns = sparse.csc_array(table)
        self._unit = columns.indices.astype(np.int64)
        self._column = np.repeat(np.arange(table.shape[1]), np.diff(columns.indptr))
        value = columns.data.astype(np.float64)
        if not self.informative.all():
            use = self.informative[self._unit]
            self._unit, self._column, value = self._unit[use], self._column[use], value[use]
        self._first = self._column * n_groups
        _, s = np.unique(stratum, return_inverse=True)
        self._prepare(value, s, inside & self.informative[:, None], labels)
        self._weights = _weights(self.n_units, weighting, least)
        self._set_blocks()

    def _prepare(self, value: Floats, s: Ints, inside: Bools, labels: Ints) -> None:
        n_strata, n_columns = int(s.max()) + 1 if s.size else 0, len(self._block)
        size = np.zeros((n_strata, inside.shape[1]), dtype=np.int64)
        np.add.at(size, s, inside)
        # Mean of each column in each stratum, at each non-zero cell and summed over the units of a group.
        cell = self._column * n_strata + s[self._unit]
        at, place = _numbered(cell, n_columns * n_strata)
        column, stratum = at // max(n_strata, 1), at % max(n_strata, 1)
        mean = np.bincount(place, weights=value, minlength=len(at)) / size[stratum, self._block[column]]
        self._value, self._square = value, value**2 - 2 * value * mean[place]
        informative = self.informative.astype(np.int64)
        member = sparse.coo_array((informative, (labels, s)), shape=(self.n_groups, n_strata)).tocsr()
        sums = sparse.coo_array((mean, (stratum, column)), shape=(n_strata, n_columns)).tocsr()
        self._expected = np.asarray((member @ sums).todense())
        self._expected_square = np.asarray((member @ sums.multiply(sums).tocsr()).todense())
        n = np.zeros((self.n_groups, inside.shape[1]), dtype=np.int64)
        np.add.at(n, labels, inside)
        #: Informative units of each group in each block, and the mean rate of each column over all of them.
        self.n_units = n
        units = np.maximum(n.sum(axis=0), 1)[self._block]
        self.level = np.bincount(self._column, weights=value, minlength=n_columns) / units
        self._raw = np.bincount(self._column, weights=value**2, minlength=n_columns) / units

    def _set_blocks(self) -> None:
        self._compared = ((self._weights.sum(axis=1) > 0) & (self.n_units > 0))[:, self._block]
        self._columns_of = [(b, np.flatnonzero(self._block == b)) for b in range(self.n_units.shape[1])]

    @property
    def cells(self) -> int:
        """Non-zero cells that a labelling costs two sums over."""
        return len(self._value)

    def narrowed(self, columns: ArrayLike) -> ContrastEngine:
        """Return an engine of some of the columns, in the order given, with the same results for them.

        Parameters
        ----------
        columns : array_like of int, shape (chosen,)
            Different columns.
        """
        chosen = np.asarray(columns, dtype=np.int64)
        place = np.full(len(self._block), -1, dtype=np.int64)
        place[chosen] = np.arange(len(chosen))
        part = copy(self)
        use = place[self._column] >= 0
        part._unit, part._value, part._square = self._unit[use], self._value[use], self._square[use]
        part._column = place[self._column[use]]
        part._first, part._block = part._column * self.n_groups, self._block[chosen]
        part._expected, part._expected_square = self._expected[:, chosen], self._expected_square[:, chosen]
        part.level, part._raw = self.level[chosen], self._raw[chosen]
        part._set_blocks()
        return part

    def evaluate(self, groups: ArrayLike) -> Contrast:
        """Return the contrasts for a labelling.

        Parameters
        ----------
        groups : array_like of int, shape (units,)
            The true labels, or the true labels permuted within strata.
        """
        label = np.asarray(groups, dtype=np.int64)
        cell = label[self._unit]
        cell += self._first
        total = self._sums(cell, self._value) - self._expected
        square = self._sums(cell, self._square) + self._expected_square
        n = self.n_units[:, self._block]
        mean = total / np.maximum(n, 1)
        spread = np.maximum(square - n * mean**2, 0.0)
        units, groups_there = n.sum(axis=0), (n > 0).sum(axis=0)
        pooled = spread.sum(axis=0) / np.maximum(units - groups_there, 1)
        # About the strata's means, over all groups: no labelling changes it. Rounding leaves some 1e-16 of the raw squares.
        overall = np.abs(square.sum(axis=0)) / np.maximum(units, 1)
        varied = overall > 1e-12 * np.maximum(self._raw, 1e-300)
        # Groups without any spread of their own are far apart, but not infinitely many standard errors.
        pooled = np.where(varied, np.maximum(pooled, LEAST_SHARE * overall), 0.0)
        variance = (spread + self._prior * pooled) / np.maximum(n - 1 + self._prior, 1)
        variance = np.maximum(variance, LEAST_SHARE * np.where(varied, overall, 0.0))
        return self._contrast(mean, np.where(varied, variance / np.maximum(n, 1), 0.0))

    def _sums(self, cell: Ints, weights: Floats) -> Floats:
        shape = (len(self._block), self.n_groups)
        return weighted_sums(cell, weights, shape[0] * shape[1]).reshape(shape).T

    def _contrast(self, mean: Floats, error: Floats) -> Contrast:
        reference, squared = np.empty_like(mean), np.empty_like(mean)
        for b, columns in self._columns_of:
            weight = np.ascontiguousarray(self._weights[:, :, b])
            # Not BLAS, whose sums may depend on its threads.
            reference[:, columns] = np.einsum("gh,hc->gc", weight, mean[:, columns])
            squared[:, columns] = error[:, columns] + np.einsum("gh,hc->gc", weight**2, error[:, columns])
        difference = mean - reference
        with np.errstate(invalid="ignore", divide="ignore"):
            statistic = np.where(self._compared & (squared > 0), difference / np.sqrt(squared), np.nan)
            least = self.level / 20
            ratio = np.log(np.maximum(self.level + mean, least) / np.maximum(self.level + reference, least))
        return Contrast(difference, statistic, ratio)

    def reference_weights(self) -> Floats:
        """Return the weight of each group in each group's reference; shape (groups, groups, blocks), sums of 1 or 0."""
        return self._weights


def _numbered(cell: Ints, size: int) -> tuple[Ints, Ints]:
    # Which numbers under size there are, and each one's place among them.
    if size > max(4_000_000, 4 * len(cell)):
        at, place = np.unique(cell, return_inverse=True)
        return at, place
    there = np.zeros(size, dtype=bool)
    there[cell] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[cell]


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
