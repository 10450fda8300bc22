"""Whom a judgement moves as one: the learner with all texts, whatever the recipe compares."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from miner import stats
from miner.learner import Admitted, Counts, L1Preset, admit, get_preset, select_l1, test_l1
from miner.learner.panel import text_strata
from miner.stats.moments import Ints


def admit_learners(counted: Counts, recipe: L1Preset) -> Admitted:
    """Return the texts that the recipe compares, by learner where learners are known, also if the recipe's unit is the text.

    Shuffles, halves and folds are of learners, whatever the recipe compares: with a text of a learner in the other part, the learner's
    habits would be found again there. Learners with different native languages are left out, and counted in the ledger.
    """
    return admit(counted.units, get_preset(recipe, unit="auto") if recipe.unit == "text" else recipe)


def units_of(admitted: Admitted, recipe: L1Preset) -> Admitted:
    """Return learners' texts as the recipe compares them: each a unit of its own, if its unit is the text."""
    if recipe.unit != "text" or admitted.unit == "text":
        return admitted
    texts = admitted.texts.assign(member="text " + admitted.texts["text_id"].astype(str))
    texts = texts.sort_values(["band", "member", "text_id"], kind="stable").reset_index(drop=True)
    return replace(admitted, texts=texts, unit="text", natives=None)


@dataclass(frozen=True)
class Movable:
    """Learners (texts, without learner ids) and what their labels may be exchanged within.

    Attributes
    ----------
    members : Index of str
        Sorted.
    label : int array, shape (members,)
        L1, numbered in the order of their codes.
    strata : int array, shape (members,)
        The set of bands and prompts that the member wrote in.
    kind : {"prompt", "level"}
        ``level``: strata are sets of bands, because more than half of the members are alone with their L1 in their set of prompts.
    """

    members: pd.Index
    label: Ints
    strata: Ints
    kind: str

    @property
    def moved(self) -> float:
        """Share of members in strata with another L1: the others keep their label, however labels are shuffled."""
        return float((pd.Series(self.label).groupby(self.strata).transform("nunique") > 1).mean())


def movable(admitted: Admitted) -> Movable:
    """Return the members of admitted texts with their strata, which are the same whatever the recipe.

    Parameters
    ----------
    admitted : Admitted
        What :func:`admit_learners` returned.
    """
    first = admitted.texts.drop_duplicates("member").sort_values("member", kind="stable")
    members = pd.Index(first["member"])
    label = pd.factorize(first["l1"], sort=True)[0].astype(np.int64)
    strata, kind = text_strata(admitted.texts, members, label, L1Preset(name="strata", strata="auto"))
    return Movable(members, label, strata, kind)


def mined(
    counted: Counts, admitted: Admitted, recipe: L1Preset, labels: dict[str, str] | None, seed: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the tests and the inventory of learners' texts, compared as the recipe says."""
    tests = test_l1(counted.counts, units_of(admitted, recipe), preset=recipe, labels=labels, seed=seed)
    return tests, select_l1(tests, recipe)


def with_labels(admitted: Admitted, members: pd.Index, label: Ints) -> Admitted:
    """Return the texts with a label for each member, numbered as in :class:`Movable`."""
    names = np.array(sorted(admitted.texts["l1"].unique()), dtype=object)
    place = members.get_indexer(pd.Index(admitted.texts["member"]))
    return replace(admitted, texts=admitted.texts.assign(l1=names[label[place]]), natives=None)


def relabelled(admitted: Admitted, rng: np.random.Generator) -> Admitted:
    """Return the texts with the L1s of their members permuted within strata (sets of bands and prompts).

    Parameters
    ----------
    admitted : Admitted
        What :func:`admit_learners` returned.
    rng : Generator
    """
    found = movable(admitted)
    return with_labels(admitted, found.members, stats.permuted_within(found.label, found.strata, rng))
