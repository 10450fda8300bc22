"""All bands of a corpus as one table of learners and features-in-bands, so that a learner's L1 can be permuted once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from scipy import sparse

from miner import stats
from miner.learner.admission import Admitted
from miner.learner.presets import L1Preset
from miner.stats.moments import Bools, Ints


@dataclass(frozen=True)
class Panel:
    """Members (learners, or texts) are rows in the order of their ids; columns are features, band after band.

    Attributes
    ----------
    l1s, bands, features : list of str
    counts : csr_array of int, shape (members, bands x features)
    words : int array, shape (members, bands)
        0 where the member has no text in the band.
    label, strata : int array, shape (members,)
        L1, and what the member's L1 may be exchanged within.
    strata_kind : str
        ``prompt`` or ``level``.
    texts : DataFrame
        Columns ``member`` (row), ``band``, ``prompt`` (codes), ``words``, one row per text, in the order of the members.
    text_counts : csr_array of int, shape (texts, features)
    """

    l1s: list[str]
    bands: list[str]
    features: list[str]
    counts: sparse.csr_array
    words: Ints
    label: Ints
    strata: Ints
    strata_kind: str
    texts: pd.DataFrame
    text_counts: sparse.csr_array

    @property
    def block(self) -> Ints:
        """Band of each column."""
        return np.repeat(np.arange(len(self.bands)), len(self.features))

    @cached_property
    def rates(self) -> sparse.csr_array:
        """Occurrences per 1,000 words of each member in each band."""
        table = self.counts.astype(np.float64)
        row = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
        table.data = 1000 * table.data / self.words[row, self.block[table.indices]]
        return table

    def engine(self, recipe: L1Preset, chosen: Bools | None = None) -> stats.ContrastEngine:
        """Return the engine of contrasts for all members, or for those chosen."""
        rows = slice(None) if chosen is None else np.flatnonzero(chosen)
        return stats.ContrastEngine(
            self.rates[rows],
            self.words[rows] > 0,
            self.block,
            self.strata[rows],
            self.label[rows],
            len(self.l1s),
            weighting=recipe.contrast,
            prior=recipe.prior_units,
            least=recipe.min_units if chosen is None else max(2, recipe.min_units // 2),
        )

    def ratios(self, recipe: L1Preset, band: int, *, folds: Ints | None = None) -> stats.RateRatios:
        """Return Mantel-Haenszel rate ratios over the band's prompts, members jackknifed (in the folds given, if any)."""
        rows = np.flatnonzero(self.texts["band"].to_numpy() == band)
        texts = self.texts.iloc[rows]
        member = texts["member"].to_numpy()
        strata = texts["prompt"].to_numpy() if recipe.strata != "level" else np.zeros(len(rows), dtype=np.int64)
        units = np.bincount(self.label[np.unique(member)], minlength=len(self.l1s))
        return stats.mantel_haenszel(
            self.text_counts[rows],
            texts["words"].to_numpy(),
            member,
            strata,
            self.label[member],
            len(self.l1s),
            weighting=recipe.contrast,
            members=units >= recipe.min_units if recipe.contrast == "equal" else None,
            folds=folds,
        )


def make_panel(admitted: Admitted, counts: pd.DataFrame, features: list[str], recipe: L1Preset) -> Panel:
    """Return the panel of the admitted texts."""
    texts = admitted.texts.sort_values(["member", "text_id"], kind="stable").reset_index(drop=True)
    members = pd.Index(texts["member"].unique())
    bands, l1s = sorted(texts["band"].unique()), sorted(texts["l1"].unique())
    row = members.get_indexer(pd.Index(texts["member"]))
    band = pd.Index(bands).get_indexer(pd.Index(texts["band"]))
    words = np.zeros((len(members), len(bands)), dtype=np.int64)
    np.add.at(words, (row, band), texts["words"].to_numpy(dtype=np.int64))
    label = np.zeros(len(members), dtype=np.int64)
    label[row] = pd.Index(l1s).get_indexer(pd.Index(texts["l1"]))
    prompt, _ = pd.factorize(texts["prompt"].fillna("").astype(str), sort=True)
    table = _text_counts(texts, counts, features)
    at = table.tocoo()
    column = band[at.row] * len(features) + at.col
    shape = (len(members), len(bands) * len(features))
    summed = sparse.csr_array((at.data, (row[at.row], column)), shape=shape)
    summed.sort_indices()
    plain = pd.DataFrame({"member": row, "band": band, "prompt": prompt, "words": texts["words"].to_numpy(np.int64)})
    strata, kind = _strata(plain, label, recipe)
    return Panel(l1s, bands, features, summed, words, label, strata, kind, plain, table)


def _text_counts(texts: pd.DataFrame, counts: pd.DataFrame, features: list[str]) -> sparse.csr_array:
    place = pd.Series(np.arange(len(texts)), index=pd.Index(texts["text_id"]))
    own = counts[counts["text_id"].isin(place.index)]
    column = pd.Index(features).get_indexer(pd.Index(own["feature"]))
    at = place.reindex(own["text_id"]).to_numpy(dtype=np.int64)
    table = sparse.csr_array((own["n"].to_numpy(np.int64), (at, column)), shape=(len(texts), len(features)))
    table.sort_indices()
    return table


def _strata(texts: pd.DataFrame, label: Ints, recipe: L1Preset) -> tuple[Ints, str]:
    member = texts["member"].to_numpy()
    by_level = _sets(member, texts[["band"]], len(label))
    if recipe.strata == "level":
        return by_level, "level"
    by_prompt = _sets(member, texts[["band", "prompt"]], len(label))
    kinds = pd.Series(label).groupby(by_prompt).transform("nunique")
    if recipe.strata == "auto" and (kinds > 1).mean() < 0.5:
        return by_level, "level"
    return by_prompt, "prompt"


def text_strata(texts: pd.DataFrame, members: pd.Index, label: Ints, recipe: L1Preset) -> tuple[Ints, str]:
    """Return the stratum of each member, as the recipe says, shape (members,), and its kind: ``prompt`` or ``level``.

    Parameters
    ----------
    texts : DataFrame
        Columns ``member, band, prompt``.
    members : Index
        The members in the order of the result.
    label : int array, shape (members,)
        Their L1s.
    recipe : L1Preset
    """
    kinds = texts[["band", "prompt"]].fillna("").astype(str)
    return _strata(kinds.assign(member=members.get_indexer(pd.Index(texts["member"]))), label, recipe)


def _sets(member: Ints, kinds: pd.DataFrame, n_members: int) -> Ints:
    code = kinds.groupby(list(kinds.columns), sort=True, dropna=False).ngroup().to_numpy(dtype=np.int64)
    width = int(code.max()) + 2 if len(code) else 1
    pairs = np.unique(member * width + code)
    owner, element = pairs // width, pairs % width
    place = np.arange(len(pairs)) - np.searchsorted(owner, owner)
    # Members' sets are told apart by their first element, then by their second, and so on: no loop over members.
    number = np.zeros(n_members, dtype=np.int64)
    for k in range(int(place.max()) + 1 if len(place) else 0):
        kth = np.zeros(n_members, dtype=np.int64)
        kth[owner[place == k]] = element[place == k] + 1
        number = np.unique(number * width + kth, return_inverse=True)[1]
    return number
