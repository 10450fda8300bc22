"""Mantel-Haenszel rate ratio of each group against the others over strata, with a jackknife over clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse, special

from miner.errors import StatisticsError, require_one_of
from miner.stats.contrasts import WEIGHTINGS, Weighting
from miner.stats.moments import Bools, Floats, Ints, weighted_sums

#: Cells of groups x strata x features worked on at once.
_BLOCK = 2_000_000


@dataclass(frozen=True)
class RateRatios:
    """Stratified rate ratios; arrays have shape (groups, features).

    Attributes
    ----------
    log_ratio : float
        Natural logarithm of the Mantel-Haenszel rate ratio; NaN where neither side has an occurrence, or no stratum holds both.
    se : float
        Jackknife standard error over clusters.
    df : int
        Replicates - 1, for the t quantile of an interval.
    halved : bool
        Half an occurrence was added to each side, because one side has none. (The standard error is that of the halved estimate
        too where only a replicate has a side without.)
    replicates : float, shape (replicates, groups, features)
        The logarithm with one cluster (or group of clusters) left out.
    """

    log_ratio: Floats
    se: Floats
    df: int
    halved: Bools
    replicates: Floats

    def interval(self, confidence: float | Floats = 0.95) -> tuple[Floats, Floats]:
        """Return the ends of the interval of the logarithm."""
        half = special.stdtrit(self.df, 0.5 + np.asarray(confidence) / 2) * self.se if self.df > 0 else np.nan * self.se
        return self.log_ratio - half, self.log_ratio + half


def mantel_haenszel(
    counts: Any,
    exposure: ArrayLike,
    clusters: ArrayLike,
    strata: ArrayLike,
    groups: ArrayLike,
    n_groups: int,
    *,
    weighting: Weighting = "pooled",
    members: ArrayLike | None = None,
    replicates: int = 60,
    delete_one_up_to: int = 200,
    folds: ArrayLike | None = None,
) -> RateRatios:
    """Compare each group's rate with that of the other groups, stratum by stratum.

    Parameters
    ----------
    counts : scipy sparse array of int, shape (texts, features)
    exposure : array_like of int, shape (texts,)
        Words.
    clusters : array_like of int, shape (texts,)
        Learner of each text, numbered in the order of a stable id; a cluster lies in one group.
    strata : array_like of int, shape (texts,)
        Level x prompt of each text.
    groups : array_like of int, shape (texts,)
        0 to ``n_groups - 1``.
    n_groups : int
    weighting : {"pooled", "equal"}
        ``equal``: in the reference every group counts as if it had the same number of words.
    members : array_like of bool, shape (groups,), optional
        Groups that may be in a reference; all by default.
    replicates : int
        Clusters are deleted in this many groups of clusters (in turn by id within each group), or one by one when there are at
        most ``delete_one_up_to``.
    delete_one_up_to : int
    folds : array_like of int, shape (clusters,), optional
        Replicate from which each cluster number is left out, instead.

    Notes
    -----
    With O occurrences and W words of target (t) and reference (r) in a stratum: R = sum O_t W_r / (W_t + W_r),
    S = sum O_r W_t / (W_t + W_r), ratio = R / S (Rothman, Greenland and Lash 2008, ch. 15). Its Poisson variance does not hold
    for clustered counts; the jackknife is (J - 1)/J times the sum of squares of the replicates about their mean (deleting
    groups of clusters: Kott 2001).
    """
    require_one_of(weighting, WEIGHTINGS, what="The 'weighting'")
    table = sparse.csr_array(counts)
    words, cluster, stratum, label = (np.asarray(a, dtype=np.int64) for a in (exposure, clusters, strata, groups))
    if len({table.shape[0], len(words), len(cluster), len(stratum), len(label)}) > 1:
        msg = "counts, exposure, clusters, strata and groups must have one row for each text"
        raise StatisticsError(msg)
    allowed = np.ones(n_groups, dtype=bool) if members is None else np.asarray(members, dtype=bool)
    if folds is None:
        fold = jackknife_folds(cluster, label, replicates=replicates, delete_one_up_to=delete_one_up_to)
        n_folds = int(fold.max()) + 1 if fold.size else 0
    else:
        given = np.asarray(folds, dtype=np.int64)
        fold, n_folds = given[cluster], int(given.max()) + 1
    _, s = np.unique(stratum, return_inverse=True)
    n_strata = int(s.max()) + 1 if s.size else 0
    width = max(1, _BLOCK // max(1, n_groups * n_strata))
    columns = sparse.csc_array(table)
    parts = [
        _block(columns[:, at : at + width], words, s, label, fold, (n_groups, n_strata, n_folds), weighting, allowed)
        for at in range(0, table.shape[1], width)
    ]
    if not parts:
        none = np.zeros((n_groups, 0))
        parts = [(none, none, none.astype(bool), np.zeros((n_folds, n_groups, 0)))]
    ratio, se, halved, replicate = (np.concatenate(p, axis=-1) for p in zip(*parts, strict=True))
    return RateRatios(ratio, se, n_folds - 1, halved, replicate)


def jackknife_folds(
    clusters: ArrayLike, groups: ArrayLike, *, replicates: int = 60, delete_one_up_to: int = 200
) -> Ints:
    """Return the replicate from which each text's cluster is left out; shape (texts,).

    Parameters
    ----------
    clusters, groups : array_like of int, shape (texts,)
    replicates, delete_one_up_to : int
        As in :func:`mantel_haenszel`.
    """
    cluster, label = np.asarray(clusters, dtype=np.int64), np.asarray(groups, dtype=np.int64)
    ids, first, inverse = np.unique(cluster, return_index=True, return_inverse=True)
    if len(ids) <= delete_one_up_to:
        return inverse.astype(np.int64)
    # In turn within each group, so that every replicate deletes the same share of every group.
    order = np.lexsort((np.arange(len(ids)), label[first]))
    turn = np.empty(len(ids), dtype=np.int64)
    turn[order] = np.arange(len(ids)) % replicates
    return turn[inverse]


def _block(
    columns: Any,
    words: Ints,
    s: Ints,
    label: Ints,
    fold: Ints,
    sizes: tuple[int, int, int],
    weighting: Weighting,
    allowed: Bools,
) -> tuple[Floats, Floats, Bools, Floats]:
    n_groups, n_strata, n_folds = sizes
    table = sparse.csr_array(columns)
    features, cells = table.shape[1], n_groups * n_strata
    row = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    place = label * n_strata + s
    at = place[row] * features + table.indices
    order = np.argsort(fold[row], kind="stable")
    at, number, ends = (
        at[order],
        table.data[order].astype(np.float64),
        np.searchsorted(fold[row][order], np.arange(n_folds + 1)),
    )
    errors = weighted_sums(at, number, cells * features).reshape(n_groups, n_strata, features)
    total = weighted_sums(place, words, cells).reshape(n_groups, n_strata)
    by_fold = weighted_sums(fold * cells + place, words, n_folds * cells)
    by_fold = by_fold.reshape(n_folds, n_groups, n_strata)
    sums = [_sums(errors, total, weighting, allowed)]
    for j in range(n_folds):
        part = slice(ends[j], ends[j + 1])
        gone = weighted_sums(at[part], number[part], cells * features).reshape(errors.shape)
        sums.append(_sums(errors - gone, total - by_fold[j], weighting, allowed))
    above, below, half_above, half_below = (np.stack(x) for x in zip(*sums, strict=True))
    empty = (above <= 0) | (below <= 0)
    nothing = (errors.sum(axis=(0, 1)) == 0) | (half_above[0] <= 0)[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        plain = np.log(above / below)
        half = np.log((above + half_above[..., None]) / (below + half_below[..., None]))
    # The estimate needs the halves only if it has a side without occurrences; its replicates, if one of them has.
    replicate = np.where(empty.any(axis=0), half[1:], plain[1:])
    with np.errstate(invalid="ignore"):
        deviation = replicate - replicate.mean(axis=0)
        se = np.sqrt((n_folds - 1) / max(n_folds, 1) * (deviation**2).sum(axis=0))
    log = np.where(empty[0], half[0], plain[0])
    return np.where(nothing, np.nan, log), np.where(nothing, np.nan, se), empty[0] & ~nothing, replicate


def _sums(errors: Floats, words: Floats, weighting: Weighting, allowed: Bools) -> tuple[Floats, Floats, Floats, Floats]:
    n_groups = len(words)
    above, below = np.zeros((n_groups, errors.shape[2])), np.zeros((n_groups, errors.shape[2]))
    half_above, half_below = np.zeros(n_groups), np.zeros(n_groups)
    size = words.sum(axis=1)
    for g in range(n_groups):
        other = [h for h in range(n_groups) if h != g and allowed[h] and size[h] > 0]
        if not other or size[g] == 0:
            continue
        share = np.ones(len(other)) if weighting == "pooled" else size[other].sum() / len(other) / size[other]
        reference = np.zeros_like(words[g])
        occurrences = np.zeros_like(errors[g])
        for weight, h in zip(share, other, strict=True):
            reference += weight * words[h]
            occurrences += weight * errors[h]
        both = words[g] + reference
        to_reference = np.divide(reference, both, out=np.zeros_like(both), where=both > 0)
        to_target = np.divide(words[g], both, out=np.zeros_like(both), where=both > 0)
        above[g] = (errors[g] * to_reference[:, None]).sum(axis=0)
        below[g] = (occurrences * to_target[:, None]).sum(axis=0)
        common = float((words[g] * to_reference).sum())
        half_above[g], half_below[g] = 0.5 * common / size[g], 0.5 * common / float(reference.sum())
    return above, below, half_above, half_below
