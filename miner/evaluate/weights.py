"""From an inventory to scores of texts: each feature of an L1 gets a weight, and a text the weighted sum of its rates."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import sparse
from threadpoolctl import threadpool_limits

from miner.learner import Admitted, L1Preset, get_preset, select_l1, test_l1
from miner.learner.coverage import SHRINKAGE, rank_by_coverage, stable_rates

#: Features of an L1 in a band that score a text.
MOST_FEATURES = 10
_KEY = ["l1", "cefr"]


def shortened(recipe: L1Preset) -> L1Preset:
    """Return the recipe with its inventories cut at ten features, or where it cuts them itself."""
    return get_preset(recipe, cap=MOST_FEATURES if recipe.cap is None else min(recipe.cap, MOST_FEATURES))


def fitted_inventory(
    counts: pd.DataFrame,
    admitted: Admitted,
    recipe: L1Preset,
    *,
    labels: dict[str, str] | None = None,
    seed: int = 20250101,
) -> pd.DataFrame:
    """Mine with a recipe and cut each inventory at ten features.

    Parameters
    ----------
    counts : DataFrame
        :data:`miner.tables.COUNTS`.
    admitted : Admitted
        The texts to learn from.
    recipe : L1Preset
        Its order ``coverage`` ranks the features by what each adds to those before it.
    labels, seed
        As in :func:`miner.learner.test_l1`.

    Returns
    -------
    DataFrame
        :data:`miner.tables.L1_INVENTORY`.
    """
    tests = test_l1(counts, admitted, preset=recipe, labels=labels, seed=seed)
    inventory = select_l1(tests, recipe)
    if recipe.order == "coverage":
        inventory = rank_by_coverage(inventory, admitted, counts, recipe)
    return inventory[inventory["rank"] <= MOST_FEATURES].reset_index(drop=True)


def fit_weights(counts: pd.DataFrame, texts: pd.DataFrame, inventory: pd.DataFrame) -> pd.DataFrame:
    """Give each feature of an inventory a weight, with what standardises its rates.

    Parameters
    ----------
    counts : DataFrame
        :data:`miner.tables.COUNTS`.
    texts : DataFrame
        Columns ``text_id, l1, band, words``: the texts to learn from.
    inventory : DataFrame
        Columns ``l1, cefr, feature``.

    Returns
    -------
    DataFrame
        ``l1, cefr, feature, rate`` (occurrences per word in the band), ``mean`` and ``sd`` of the rates of
        :func:`miner.learner.coverage.stable_rates`, ``weight``. A feature that does not vary has weight 0.

    Notes
    -----
    Weights are w = S^-1 d: d the difference of the mean standardised rates of the L1's texts and all others, S the
    correlation of the L1's features within L1s, shrunk by .3 (Fisher's discriminant). Features that tell the same share
    their weight. Every text counts the same.
    """
    parts = []
    for (l1, cefr), part in inventory.groupby(_KEY, sort=True):
        own = texts[texts["band"] == cefr]
        features = part["feature"].tolist()
        if own.empty or l1 not in set(own["l1"]) or own["l1"].nunique() < 2:
            continue
        table, words = text_counts(counts, own, features), own["words"].to_numpy(np.int64)
        rate = table.sum(axis=0) / words.sum()
        rates = stable_rates(table, words, rate)
        mean, sd = rates.mean(axis=0), rates.std(axis=0)
        z = (rates - mean) / np.where(sd > 0, sd, 1.0)
        weight = _discriminant(z, own["l1"].to_numpy(), str(l1)) * (sd > 0)
        row = {"l1": l1, "cefr": cefr, "feature": features, "rate": rate, "mean": mean, "sd": sd, "weight": weight}
        parts.append(pd.DataFrame(row))
    columns = [*_KEY, "feature", "rate", "mean", "sd", "weight"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


def scored(counts: pd.DataFrame, texts: pd.DataFrame, weights: pd.DataFrame, l1s: list[str]) -> np.ndarray:
    """Return the score of each text for each L1: the weighted sum of its standardised rates; 0 without a feature.

    Parameters
    ----------
    counts : DataFrame
        :data:`miner.tables.COUNTS`.
    texts : DataFrame
        Columns ``text_id, band, words``; texts that were not learnt from.
    weights : DataFrame
        What :func:`fit_weights` returned.
    l1s : list of str

    Returns
    -------
    array of float, shape (texts, l1s)
    """
    out = np.zeros((len(texts), len(l1s)))
    words, band = texts["words"].to_numpy(np.int64), texts["band"].to_numpy()
    for (l1, cefr), part in weights.groupby(_KEY, sort=True):
        rows = np.flatnonzero(band == cefr)
        table = text_counts(counts, texts.iloc[rows], part["feature"].tolist())
        rate, mean, sd, weight = (part[c].to_numpy(np.float64) for c in ("rate", "mean", "sd", "weight"))
        z = (stable_rates(table, words[rows], rate) - mean) / np.where(sd > 0, sd, 1.0)
        out[rows, l1s.index(str(l1))] = (z * weight).sum(axis=1)
    return out


def text_counts(counts: pd.DataFrame, texts: pd.DataFrame, features: list[str]) -> np.ndarray:
    """Return occurrences as an array, shape (texts, features)."""
    own = counts[counts["feature"].isin(features)]
    row = pd.Index(texts["text_id"]).get_indexer(pd.Index(own["text_id"]))
    own, row = own[row >= 0], row[row >= 0]
    column = pd.Index(features).get_indexer(pd.Index(own["feature"]))
    table = sparse.csr_array((own["n"].to_numpy(np.float64), (row, column)), shape=(len(texts), len(features)))
    return np.asarray(table.todense(), dtype=np.float64)


def _discriminant(z: np.ndarray, label: np.ndarray, target: str) -> np.ndarray:
    names = sorted(set(label))
    code = np.searchsorted(names, label)
    means = np.stack([z[code == g].mean(axis=0) for g in range(len(names))])
    at = names.index(target)
    difference = means[at] - z[code != at].mean(axis=0)
    residual = z - means[code]
    products = [(residual[:, [k]] * residual).sum(axis=0) for k in range(z.shape[1])]
    within = (1 - SHRINKAGE) * np.stack(products) / max(len(z) - len(names), 1)
    diagonal = np.arange(len(within))
    own = within[diagonal, diagonal] / (1 - SHRINKAGE)
    within[diagonal, diagonal] = np.where(own > 0, own, 1.0)
    with threadpool_limits(1):
        return np.asarray(np.linalg.solve(within, difference))
