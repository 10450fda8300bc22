"""Counts of one band as a sparse table of units and features, with the totals that stand beside each test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import sparse

from miner.errors import InputError, listed
from miner.learner.admission import Admitted
from miner.stats.moments import Ints


@dataclass(frozen=True)
class BandCells:
    """One band; units are rows in the order of their ids.

    Attributes
    ----------
    band : str
    l1s : list of str
        Sorted.
    counts : csr_array of int, shape (units, features)
    words : int array, shape (units,)
    label : int array, shape (units,)
        Index into ``l1s``.
    texts, learners : int array, shape (l1s,)
        Totals per L1; ``learners`` is None when learner ids do not exist.
    prompts : int array, shape (features,)
        Known prompts with the feature.
    n_prompts : int
        Known prompts.
    """

    band: str
    l1s: list[str]
    counts: sparse.csr_array
    words: Ints
    label: Ints
    texts: Ints
    learners: Ints | None
    prompts: Ints
    n_prompts: int

    def totals(self) -> tuple[Ints, Ints, Ints]:
        """Return units (l1s,), words (l1s,) and occurrences (l1s, features) of each L1."""
        n = len(self.l1s)
        member = sparse.csr_array(
            (np.ones(len(self.label), dtype=np.int64), (self.label, np.arange(len(self.label)))),
            shape=(n, len(self.label)),
        )
        errors = np.asarray((member @ self.counts).todense(), dtype=np.int64)
        words = np.zeros(n, dtype=np.int64)
        np.add.at(words, self.label, self.words)
        return np.bincount(self.label, minlength=n).astype(np.int64), words, errors


def feature_ids(counts: pd.DataFrame, labels: dict[str, str]) -> list[str]:
    """Return the features of the labels and of the counts, sorted by code point."""
    return sorted(set(labels) | set(counts["feature"].unique()))


def band_cells(admitted: Admitted, counts: pd.DataFrame, band: str, features: list[str]) -> BandCells:
    """Sum each unit's texts in the band.

    Parameters
    ----------
    admitted : Admitted
    counts : DataFrame
        :data:`miner.tables.COUNTS`; counts of texts that are not admitted are not used.
    band : str
    features : list of str
        Columns of the result.

    Raises
    ------
    InputError
        If a count is not of a known feature.
    """
    texts = admitted.texts[admitted.texts["band"] == band]
    members, l1s = pd.Index(texts["member"].unique()), sorted(texts["l1"].unique())
    row = members.get_indexer(pd.Index(texts["member"]))
    place = pd.Series(row, index=pd.Index(texts["text_id"]))
    own = counts[counts["text_id"].isin(place.index)]
    column = pd.Index(features).get_indexer(pd.Index(own["feature"]))
    if (column < 0).any():
        msg = f"Counts of unknown features: {listed(sorted(own.loc[column < 0, 'feature'].unique()))}"
        raise InputError(msg)
    # Integer sums: repeated cells are added exactly.
    numbers = own["n"].to_numpy(dtype=np.int64)
    at = place.reindex(own["text_id"]).to_numpy(dtype=np.int64)
    table = sparse.csr_array((numbers, (at, column)), shape=(len(members), len(features)))
    table.sort_indices()
    words = np.zeros(len(members), dtype=np.int64)
    np.add.at(words, row, texts["words"].to_numpy(dtype=np.int64))
    label = np.zeros(len(members), dtype=np.int64)
    code = pd.Index(l1s).get_indexer(pd.Index(texts["l1"]))
    label[row] = code
    n_texts = np.bincount(code, minlength=len(l1s)).astype(np.int64)
    learners = _learners(texts, code, len(l1s), known=admitted.learners)
    prompts, n_prompts = _prompts(texts, own["text_id"], column, len(features))
    return BandCells(band, l1s, table, words, label, n_texts, learners, prompts, n_prompts)


def _prompts(texts: pd.DataFrame, text_id: pd.Series, column: Ints, n_features: int) -> tuple[Ints, int]:
    code, known = pd.factorize(texts["prompt"], sort=True)  # -1: unknown
    prompt = pd.Series(code, index=pd.Index(texts["text_id"])).reindex(text_id).to_numpy(dtype=np.int64)
    seen = np.zeros((len(known), n_features), dtype=bool)
    seen[prompt[prompt >= 0], column[prompt >= 0]] = True
    return seen.sum(axis=0).astype(np.int64), len(known)


def _learners(texts: pd.DataFrame, code: Ints, n_l1s: int, *, known: bool) -> Ints | None:
    if not known:
        return None
    who = pd.DataFrame({"learner": texts["learner"].to_numpy(), "code": code})
    who = who[who["learner"] != ""].drop_duplicates()
    return np.bincount(who["code"], minlength=n_l1s).astype(np.int64)
