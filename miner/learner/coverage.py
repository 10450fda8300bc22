"""Ranking by what each feature adds to those already chosen, instead of by its own effect."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd

from miner import tables
from miner.learner.admission import Admitted
from miner.learner.cells import band_cells
from miner.learner.presets import L1Preset
from miner.stats.moments import Floats, Ints

#: Share of each correlation that is given up, so that near-copies do not make the matrix singular.
SHRINKAGE = 0.3
#: Words of the average text that are added to each text, so that a short one does not have extreme rates.
PRIOR_WORDS = 100


def rank_by_coverage(
    inventory: pd.DataFrame, admitted: Admitted, counts: pd.DataFrame, recipe: L1Preset
) -> pd.DataFrame:
    """Return the inventory ranked anew, cut at the recipe's cap.

    Parameters
    ----------
    inventory : DataFrame
        :data:`miner.tables.L1_INVENTORY` before any cap.
    admitted : Admitted
    counts : DataFrame
        :data:`miner.tables.COUNTS`.
    recipe : L1Preset

    Notes
    -----
    Features are chosen one after the other, each time the one that adds most to the squared Mahalanobis distance between the
    L1's mean and that of the others, as the recipe's contrast weighs them: d' S^-1 d over the chosen features, d the difference of means of unit rates
    (:func:`stable_rates`), S the covariance of rates within L1s, its correlations shrunk by .3. Of two features that tell the
    same, one comes late: coverage is bought with stability, because which of the two comes first is close to chance. The matrix
    is solved in the order of choice by elimination, without BLAS, so that bytes repeat.
    """
    if inventory.empty:
        return inventory
    parts = []
    for (l1, band), part in inventory.groupby(["l1", "cefr"], sort=True):
        features = part["feature"].tolist()
        cells = band_cells(admitted, counts[counts["feature"].isin(features)], str(band), features)
        rates = stable_rates(np.asarray(cells.counts.todense()), cells.words)
        order = greedy_order(rates, cells.label, cells.l1s.index(str(l1)), contrast=recipe.contrast)
        parts.append(part.iloc[order].assign(rank=np.arange(1, len(part) + 1)))
    frame = pd.concat(parts, ignore_index=True)
    if recipe.cap is not None:
        frame = frame[frame["rank"] <= recipe.cap]
    return tables.conform(frame, tables.L1_INVENTORY)


def stable_rates(counts: np.ndarray, words: Ints, mean: Floats | None = None) -> Floats:
    """Return rates whose variance hardly depends on their size and on the length of the text.

    Parameters
    ----------
    counts : array, shape (units, features)
        Occurrences.
    words : int array, shape (units,)
        Above 0.
    mean : float array, shape (features,), optional
        Occurrences per word to which short texts are drawn; by default those of all units together.

    Notes
    -----
    sqrt(1000 (n + 100 m) / (words + 100)), m the mean: the square root of the rate per 1,000 words of the text with 100
    words of the average text added. A text without an occurrence stands near the average if it is short, lower if it is long.
    """
    if mean is None:
        mean = counts.sum(axis=0, dtype=np.float64) / max(float(words.sum()), 1.0)
    rates = 1000 * (counts + PRIOR_WORDS * mean) / (words[:, None] + PRIOR_WORDS)
    return np.asarray(np.sqrt(rates), dtype=np.float64)


def greedy_order(
    rates: Floats, label: Ints, target: int, *, contrast: Literal["pooled", "equal"] = "pooled"
) -> list[int]:
    """Return the columns in the order in which they add most to the distance of the target from the other groups.

    Parameters
    ----------
    rates : float array, shape (units, features)
    label : int array, shape (units,)
    target : int
    contrast : {"pooled", "equal"}
        Whether all other units, or all other groups, count the same.
    """
    groups = [np.flatnonzero(label == g) for g in range(int(label.max()) + 1)]
    means = np.stack([rates[g].mean(axis=0) for g in groups])
    size = np.bincount(label).astype(np.float64) if contrast == "pooled" else np.ones(len(means))
    size[target] = 0
    difference = means[target] - (size[:, None] * means).sum(axis=0) / size.sum()
    residual = rates - means[label]
    # One column at a time: units x features x features would not fit for a large corpus.
    products = [(residual[:, [k]] * residual).sum(axis=0) for k in range(residual.shape[1])]
    within = (1 - SHRINKAGE) * np.stack(products) / max(len(rates) - len(groups), 1)
    diagonal = np.arange(len(within))
    within[diagonal, diagonal] /= 1 - SHRINKAGE
    variance = np.where(within[diagonal, diagonal] > 0, within[diagonal, diagonal], np.inf)
    left, chosen = list(range(len(difference))), []
    d, s = difference.copy(), within.copy()
    while left:
        gains = [(d[k] ** 2 / variance[k] if np.isfinite(variance[k]) else 0.0) for k in left]
        best = left.pop(int(np.argmax(gains)))
        chosen.append(best)
        if not np.isfinite(variance[best]):
            continue
        # What is left of the others once the chosen one is known (elimination of one variable).
        slope = s[:, best] / variance[best]
        d = d - slope * d[best]
        s = s - slope[:, None] * s[best][None, :]
        rest = s[diagonal, diagonal]
        variance = np.where(rest > 1e-9 * within[diagonal, diagonal], rest, np.inf)
    return chosen
