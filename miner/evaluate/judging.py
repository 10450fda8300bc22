"""What a recipe is judged by, part by part."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from miner.errors import StatisticsError
from miner.evaluate.across import compare_across
from miner.evaluate.areas import HeldOut
from miner.evaluate.baselines import covariate_baseline, format_baseline, length_and_score, prompt_baseline, scores_of
from miner.evaluate.gathering import Gathering
from miner.evaluate.halves import compare_halves
from miner.evaluate.heldout import held_out_auc
from miner.evaluate.planted import compare_planted
from miner.evaluate.shuffles import LIMITS, QUOTABLE, share_interval, shuffle_labels, uniformity
from miner.evaluate.verdicts import AGAIN
from miner.learner import Counts


class Judge(Gathering):
    """Judges recipes on one source."""

    def shuffled(self, shuffles: int) -> None:
        """Add what is selected with true and with shuffled labels."""
        self._say(f"{shuffles} shuffles of the labels")
        found = shuffle_labels(self.counted, self.recipe, labels=self.labels, shuffles=shuffles, seed=self.seed)
        none = f"{found.l1s_with_none} L1s with none"
        few = "" if shuffles >= QUOTABLE else f"; fewer than {QUOTABLE} shuffles are a first look, not to be quoted"
        limit = f"at most .05 + Monte Carlo error (standard error {found.error:.3f}) if the recipe controls it{few}"
        undefined = "" if found.rate == found.rate else "undefined: nothing is selected with the true labels"
        within = "sets of bands and prompts" if found.strata == "prompt" else "sets of bands"
        alone = f"learners' labels move within {within}; the others are alone with their L1 there"
        median = float(found.by_l1["selected_true"].median())
        self._add("selected per L1, true labels", found.selected_true, found.l1s, none)
        self._add("selected per L1, true labels, median", median, found.l1s, none)
        self._add("selected per L1, shuffled labels", found.selected_shuffled, found.shuffles)
        for figure, share in (
            ("share of shuffles that select anything", found.any_at_all),
            ("share of families that select anything, shuffled labels", found.any_family),
        ):
            low, high = share_interval(share, found.shuffles)
            self._add(figure, share, found.shuffles, limit, low=low, high=high)
        self._add("rate: selected with shuffled over true labels", found.rate, found.shuffles, undefined)
        self._add("share of learners whose label moves", found.moved, None, alone)
        for a, share in uniformity(found.p_values).items():
            self._add(f"share of p <= {a:g}, shuffled labels", share, len(found.p_values), f"{a:g} if p is uniform")
        self._keep("by_l1", found.by_l1.assign(shuffles=found.shuffles))
        if len(found.p_values):
            shares = uniformity(found.p_values, LIMITS)
            frame = pd.DataFrame({"limit": list(shares), "share": list(shares.values()), "n": len(found.p_values)})
            self._keep("p_values", frame)

    def halves(self, splits: int) -> None:
        """Add what becomes of findings of a half in the other."""
        self._say(f"{splits} splits into halves")
        try:
            half = compare_halves(self.counted, self.recipe, labels=self.labels, splits=splits, seed=self.seed)
        except StatisticsError as err:
            self._add("selected per L1 in a half", np.nan, None, str(err))
            return
        note = f"findings of {2 * splits} halves; {half.untestable} more could not be tested in the other half"
        self._add("selected per L1 in a half", half.found, 2 * splits)
        self._add("findings of a half with the same sign in the other", half.same_sign, half.tried, note)
        self._add(AGAIN, half.replicated, half.tried, note)
        unknown = half.expected != half.expected
        blank = "nothing is found, or the recipe makes no forecast (min_replication is 0)" if unknown else ""
        self._add(f"{AGAIN}, as the recipe itself expects", half.expected, half.tried, blank)
        self._add("overlap of halves (Jaccard)", half.jaccard, splits)
        self._add("stability of halves (Nogueira)", half.stability, 2 * splits)

    def held_out(self, folds: int, fewest: int, texts: pd.DataFrame | None) -> None:
        """Add the held-out AUC with its baselines."""
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
        alone = "" if found.within == found.within else "no two texts are known to share a prompt"
        self._add("held-out AUC, pairs of the same band and prompt", found.within, n, alone)
        self._add("held-out AUC, learners", found.by_learner, n)
        if found.without == found.without:
            self._add(
                "held-out AUC: share of inventories without features",
                found.without,
                found.inventories,
                "score 0 throughout",
            )
        shuffled = held_out_auc(self.counted, self.recipe, resamples=0, shuffled=True, **mined)
        self._baseline("shuffled labels", shuffled, "one shuffle; by chance .5")
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
        """Add power and false discoveries."""
        self._say("what was planted")
        found = compare_planted(self.counted, self.recipe, planted, labels=self.labels, seed=self.seed)
        note = "" if found.planted else "nothing was planted that a checker can see"
        self._add("planted over-uses that are found", found.power, found.planted, note)
        self._add("false discoveries among findings of planted features", found.false_share, found.findings)
        self._add("findings of features that nobody planted", float(found.strangers), found.findings + found.strangers)
        self._keep("planted", found.groups)

    def across(self, other: Counts, name: str, fewest: int) -> None:
        """Add what holds in another corpus."""
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
