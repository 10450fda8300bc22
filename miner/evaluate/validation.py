"""The figures that say how far a recipe can be trusted on a corpus, as one table, with the tables behind its pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from miner import tables
from miner.errors import StatisticsError
from miner.evaluate.across import compare_across
from miner.evaluate.baselines import covariate_baseline, format_baseline, length_and_score, scores_of
from miner.evaluate.halves import compare_halves
from miner.evaluate.heldout import FEWEST, HeldOut, held_out_auc, prompt_baseline
from miner.evaluate.planted import compare_planted
from miner.evaluate.shuffles import LIMITS, shuffle_labels, uniformity
from miner.learner import DEFAULT_PRESET, Counts, L1Preset, get_preset

#: Called with what is being done.
Tell = Callable[[str], None]
Row = dict[str, Any]


@dataclass(frozen=True)
class Validation:
    """What a validation found; each attribute is a table of that name in :mod:`miner.tables`.

    Attributes
    ----------
    figures : DataFrame
        ``validation``.
    by_l1, p_values : DataFrame
        ``validation_l1`` and ``validation_p``: what is selected per L1; the distribution of p-values of shuffled labels.
    planted : DataFrame
        ``validation_planted``; empty unless the corpus is simulated.
    effects : DataFrame
        ``across_effects``; empty unless there is another corpus.
    """

    figures: pd.DataFrame
    by_l1: pd.DataFrame = field(repr=False)
    p_values: pd.DataFrame = field(repr=False)
    planted: pd.DataFrame = field(repr=False)
    effects: pd.DataFrame = field(repr=False)


def validate(
    counted: Counts,
    presets: Sequence[str | L1Preset] = (DEFAULT_PRESET, "trans-env"),
    *,
    source: str = "checker",
    labels: dict[str, str] | None = None,
    shuffles: int = 200,
    splits: int = 20,
    folds: int = 10,
    fewest: int = FEWEST,
    texts: pd.DataFrame | None = None,
    planted: pd.DataFrame | None = None,
    other: Counts | None = None,
    other_name: str = "the other corpus",
    seed: int = 20250101,
    tell: Tell = lambda _: None,
) -> Validation:
    """Return shuffled-label figures, halves, held-out AUC with baselines, and what holds of the planted and in another corpus.

    Parameters
    ----------
    counted : Counts
    presets : sequence of str or L1Preset
        Recipes, judged side by side in one run with the same seed.
    source : str
        What was counted; a column of the tables.
    labels : dict, optional
        Features that are tested even if nobody has them.
    shuffles, splits, folds : int
        Shuffles of the labels, splits into halves, folds of the held-out AUC (0: not done).
    fewest : int
        Learners that an L1 needs to be scored held out.
    texts : DataFrame, optional
        :data:`miner.tables.TEXTS`: adds the baselines of length with the corpus's own marks, and of punctuation and layout.
    planted : DataFrame, optional
        :data:`miner.tables.PLANTED` of a simulated corpus.
    other : Counts, optional
        Another corpus, counted in the same way: mined on one, scored on the other.
    other_name : str
    seed : int
    tell : callable
    """
    judge = _Judge(counted, source, labels, seed, tell)
    for preset in presets:
        judge.begin(get_preset(preset))
        judge.shuffled(shuffles)
        if splits:
            judge.halves(splits)
        if folds:
            judge.held_out(folds, fewest, texts)
        if planted is not None:
            judge.planted(planted)
        if other is not None:
            judge.across(other, other_name, fewest)
    return judge.result()


def together(parts: Sequence[Validation]) -> Validation:
    """Return several sources' validations as one."""
    kinds = {
        "figures": tables.VALIDATION,
        "by_l1": tables.VALIDATION_L1,
        "p_values": tables.VALIDATION_P,
        "planted": tables.VALIDATION_PLANTED,
        "effects": tables.ACROSS_EFFECTS,
    }
    return Validation(**{k: _joined([getattr(p, k) for p in parts], t) for k, t in kinds.items()})


def _joined(parts: Sequence[pd.DataFrame], table: tables.Table) -> pd.DataFrame:
    filled = [p for p in parts if len(p)]
    return tables.conform(pd.concat(filled, ignore_index=True), table) if filled else table.empty()


class _Judge:
    """Gathers the rows of one source, recipe by recipe."""

    def __init__(self, counted: Counts, source: str, labels: dict[str, str] | None, seed: int, tell: Tell) -> None:
        self.counted, self.source, self.labels, self.seed, self.tell = counted, source, labels, seed, tell
        self.rows: list[Row] = []
        self.frames: dict[str, list[pd.DataFrame]] = {"by_l1": [], "p_values": [], "planted": [], "effects": []}

    def begin(self, recipe: L1Preset) -> None:
        self.recipe = recipe

    def _say(self, what: str) -> None:
        self.tell(f"{self.source}, {self.recipe.name}: {what}")

    def _add(self, figure: str, value: float, n: int | None = None, note: str = "", **ends: float) -> None:
        blank: Row = {"source": self.source, "preset": self.recipe.name, "low": None, "high": None}
        self.rows.append(blank | {"figure": figure, "value": value, "n": n, "note": note} | ends)

    def _keep(self, name: str, frame: pd.DataFrame) -> None:
        self.frames[name].append(frame.assign(source=self.source, preset=self.recipe.name))

    def shuffled(self, shuffles: int) -> None:
        self._say(f"{shuffles} shuffles of the labels")
        found = shuffle_labels(self.counted, self.recipe, labels=self.labels, shuffles=shuffles, seed=self.seed)
        none = f"{found.l1s_with_none} L1s with none"
        limit = f"at most .05 + Monte Carlo error ({found.error:.3f}) if the recipe controls it"
        undefined = "" if found.rate == found.rate else "undefined: nothing is selected with the true labels"
        alone = "the others are alone with their L1 in their stratum"
        median = float(found.by_l1["selected_true"].median())
        self._add("selected per L1, true labels", found.selected_true, found.l1s, none)
        self._add("selected per L1, true labels, median", median, found.l1s, none)
        self._add("selected per L1, shuffled labels", found.selected_shuffled, found.shuffles)
        self._add("share of shuffles that select anything", found.any_at_all, found.shuffles, limit)
        self._add("share of families that select anything, shuffled labels", found.any_family, found.shuffles)
        self._add("rate: selected with shuffled over true labels", found.rate, found.shuffles, undefined)
        self._add("share of units whose label moves", found.moved, None, alone)
        for a, share in uniformity(found.p_values).items():
            self._add(f"share of p <= {a:g}, shuffled labels", share, len(found.p_values), f"{a:g} if p is uniform")
        self._keep("by_l1", found.by_l1.assign(shuffles=found.shuffles))
        if len(found.p_values):
            shares = uniformity(found.p_values, LIMITS)
            frame = pd.DataFrame({"limit": list(shares), "share": list(shares.values()), "n": len(found.p_values)})
            self._keep("p_values", frame)

    def halves(self, splits: int) -> None:
        self._say(f"{splits} splits into halves")
        try:
            half = compare_halves(self.counted, self.recipe, labels=self.labels, splits=splits, seed=self.seed)
        except StatisticsError as err:
            self._add("selected per L1 in a half", np.nan, None, str(err))
            return
        note = f"{half.untestable} findings were not testable in the other half"
        self._add("selected per L1 in a half", half.found, 2 * splits)
        self._add("findings of a half with the same sign in the other", half.same_sign, 2 * splits, note)
        self._add("findings of a half with one-sided p < .05 in the other", half.replicated, 2 * splits, note)
        self._add("overlap of halves (Jaccard)", half.jaccard, splits)
        self._add("stability of halves (Nogueira)", half.stability, 2 * splits)

    def held_out(self, folds: int, fewest: int, texts: pd.DataFrame | None) -> None:
        self._say(f"{folds} folds of held-out AUC")
        options: dict[str, Any] = {"folds": folds, "fewest": fewest, "seed": self.seed}
        mined: dict[str, Any] = {"labels": self.labels, **options}
        try:
            found = held_out_auc(self.counted, self.recipe, **mined)
        except StatisticsError as err:
            self._add("held-out AUC", np.nan, None, str(err))
            return
        n = len(found.l1s)
        note = f"macro mean over {' '.join(found.l1s)}; interval by learner bootstrap, conditional on the fitted models"
        self._add("held-out AUC", found.pooled, n, note, low=found.low, high=found.high)
        self._add("held-out AUC, mean over folds", found.folds, n)
        self._add("held-out AUC, pairs of the same band and prompt", found.within, n)
        self._add("held-out AUC, learners", found.by_learner, n)
        if found.without == found.without:
            self._add(
                "held-out AUC: share of inventories without features", found.without, n * folds, "score 0 throughout"
            )
        shuffled = held_out_auc(self.counted, self.recipe, resamples=0, shuffled=True, **mined)
        self._baseline("shuffled labels", shuffled)
        self._baseline("prompt only", prompt_baseline(self.counted, self.recipe, **options))
        if texts is not None:
            columns = scores_of(texts)
            told = f"log words, {', '.join(c.removeprefix('meta_') for c in columns)}" if columns else "log words"
            note = told + ("" if columns else "; the corpus holds no marks")
            covariates = length_and_score(texts, columns)
            found = covariate_baseline(self.counted, self.recipe, covariates, **options)
            self._baseline("length and score only", found, note)
            note = "ten features of layout, chosen for what they add, whatever the recipe"
            self._baseline("punctuation and layout only", format_baseline(texts, self.recipe, **options), note)

    def _baseline(self, name: str, found: HeldOut, note: str = "") -> None:
        # Within a prompt the prompt says nothing; what is left is that a held-out learner is missing from the shares.
        told = name != "prompt only" and found.within == found.within
        within = "" if not told else f"{found.within:.3f} in pairs of the same band and prompt"
        if name == "prompt only" and found.pooled < 0.5:
            note = (
                "under .5 where L1s are spread evenly over prompts: a held-out text is missing from its prompt's share"
            )
        note = "; ".join(n for n in (note, within) if n)
        self._add(f"held-out AUC, baseline: {name}", found.pooled, len(found.l1s), note)

    def planted(self, planted: pd.DataFrame) -> None:
        self._say("what was planted")
        found = compare_planted(self.counted, self.recipe, planted, labels=self.labels, seed=self.seed)
        note = "" if found.planted else "nothing was planted that a checker can see"
        self._add("planted over-uses that are found", found.power, found.planted, note)
        self._add("false discoveries among findings of planted features", found.false_share, found.findings)
        self._add("findings of features that nobody planted", float(found.strangers), found.findings + found.strangers)
        self._keep("planted", found.groups)

    def across(self, other: Counts, name: str, fewest: int) -> None:
        self._say(f"against {name}")
        found = compare_across(self.counted, other, self.recipe, labels=self.labels, fewest=fewest, seed=self.seed)
        pairs = ((f"mined here, scored on {name}", "there"), (f"mined on {name}, scored here", "back"))
        for title, key in pairs:
            auc: HeldOut | None = getattr(found, key)
            if auc is None:
                self._add(f"across corpora, AUC: {title}", np.nan, None, found.notes[key])
                continue
            note = f"macro mean over {' '.join(auc.l1s)}"
            self._add(f"across corpora, AUC: {title}", auc.pooled, len(auc.l1s), note, low=auc.low, high=auc.high)
        n, note = len(found.effects), found.notes.get("correlation", "features in L1s and bands that both could test")
        told = found.notes.get("overlap", "L1s and bands in which either selects anything")
        self._add(f"across corpora, overlap of inventories (Jaccard) with {name}", found.overlap, found.compared, told)
        self._add(f"across corpora, correlation of effects (Pearson) with {name}", found.pearson, n, note)
        self._add(f"across corpora, correlation of effects (Spearman) with {name}", found.spearman, n, note)
        self._add(f"across corpora, effects of the same sign as in {name}", found.same_sign, n)
        self._keep("effects", found.effects)

    def result(self) -> Validation:
        frames = self.frames
        return Validation(
            tables.conform(self.rows, tables.VALIDATION),
            _joined(frames["by_l1"], tables.VALIDATION_L1),
            _joined(frames["p_values"], tables.VALIDATION_P),
            _joined(frames["planted"], tables.VALIDATION_PLANTED),
            _joined(frames["effects"], tables.ACROSS_EFFECTS),
        )
