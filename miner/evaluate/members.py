"""Whom a judgement moves as one: the learner with all texts, whatever the recipe compares."""

from __future__ import annotations

from dataclasses import replace

from miner.learner import Admitted, Counts, L1Preset, admit, get_preset


def admit_learners(counted: Counts, recipe: L1Preset) -> Admitted:
    """Return the texts that the recipe compares, by learner where learners are known, also if the recipe's unit is the text.

    Folds are of learners, whatever the recipe compares: with a text of a learner in the training part, his habits would score
    his other texts.
    """
    return admit(counted.units, get_preset(recipe, unit="auto") if recipe.unit == "text" else recipe)


def units_of(admitted: Admitted, recipe: L1Preset) -> Admitted:
    """Return learners' texts as the recipe compares them: each a unit of its own, if its unit is the text."""
    if recipe.unit != "text" or admitted.unit == "text":
        return admitted
    texts = admitted.texts.assign(member="text " + admitted.texts["text_id"].astype(str))
    texts = texts.sort_values(["band", "member", "text_id"], kind="stable").reset_index(drop=True)
    return replace(admitted, texts=texts, unit="text")
