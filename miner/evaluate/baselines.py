"""What tells L1s apart without any language: prompt, length, score and layout, held out like the inventories beside them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from miner.evaluate.areas import HeldOut, summary
from miner.evaluate.heldout import FEWEST, folds_of, held_out_auc
from miner.evaluate.members import admit_learners
from miner.evaluate.sources import format_counts
from miner.learner import Counts, L1Preset, get_preset

#: Ridge penalty on standardised columns, in units of the training texts' number.
_RIDGE = 0.01


def prompt_baseline(
    counted: Counts, preset: str | L1Preset, *, folds: int = 10, fewest: int = FEWEST, seed: int = 20250101
) -> HeldOut:
    """Score texts by the share of the L1 among the training learners of the same band and prompt: no language at all."""
    recipe = get_preset(preset)
    texts = admit_learners(counted, recipe).texts
    sizes = texts.drop_duplicates("member")["l1"].value_counts()
    l1s = sorted(sizes.index[sizes >= fewest])
    rng = np.random.default_rng(seed)
    fold = folds_of(texts, folds, rng)
    kind = texts["band"].astype(str) + "/" + texts["prompt"].fillna("").astype(str)
    scores = np.zeros((len(texts), len(l1s)))
    for k in range(int(fold.max()) + 1):
        train, rest = fold != k, fold == k
        for j, l1 in enumerate(l1s):
            share = (texts.loc[train, "l1"] == l1).groupby(kind[train]).mean()
            scores[rest, j] = kind[rest].map(share).fillna(0.0)
    return summary(texts, scores, fold, l1s, 0, rng)


def covariate_baseline(
    counted: Counts,
    preset: str | L1Preset,
    covariates: pd.DataFrame,
    *,
    folds: int = 10,
    fewest: int = FEWEST,
    seed: int = 20250101,
) -> HeldOut:
    """Score texts by numbers that say nothing of their language, such as their length and mark.

    Parameters
    ----------
    counted : Counts
    preset : str or L1Preset
        Decides which texts are admitted.
    covariates : DataFrame, indexed by text_id
        Float columns; a missing value stands at the training texts' mean. A learner's texts are scored one by one.
    folds, fewest, seed
        As in :func:`miner.evaluate.held_out_auc`; the same folds.

    Notes
    -----
    For each L1 a ridge regression (penalty .01 on standardised columns) of being of the L1, on nine tenths of the
    learners, scores the texts of the last tenth. Squares are added, so that an L1 whose texts are all of middle length shows.
    """
    texts = admit_learners(counted, get_preset(preset)).texts
    sizes = texts.drop_duplicates("member")["l1"].value_counts()
    l1s = sorted(sizes.index[sizes >= fewest])
    rng = np.random.default_rng(seed)
    fold = folds_of(texts, folds, rng)
    values = covariates.reindex(texts["text_id"]).to_numpy(dtype=np.float64)
    label = texts["l1"].to_numpy()
    target = np.column_stack([label == l1 for l1 in l1s]).astype(np.float64) if l1s else np.zeros((len(texts), 0))
    scores = np.zeros(target.shape)
    for k in range(int(fold.max()) + 1):
        train = fold != k
        if train.any() and not train.all():
            scores[~train] = _ridge(values, target, train)[~train]
    return summary(texts, scores, fold, l1s, 0, rng)


def _ridge(values: np.ndarray, target: np.ndarray, train: np.ndarray) -> np.ndarray:
    filled = values.copy()
    for j in range(values.shape[1]):
        own = values[train, j]
        mean = own[np.isfinite(own)].mean() if np.isfinite(own).any() else 0.0
        filled[~np.isfinite(values[:, j]), j] = mean
    design = _standardised(filled, train)
    design = _standardised(np.column_stack([design, design**2]), train)
    inside = design[train]
    penalty = _RIDGE * len(inside) * np.eye(inside.shape[1])
    centred = target[train] - target[train].mean(axis=0)
    return np.asarray(design @ np.linalg.solve(inside.T @ inside + penalty, inside.T @ centred))


def _standardised(values: np.ndarray, train: np.ndarray) -> np.ndarray:
    sd = values[train].std(axis=0)
    return np.asarray((values - values[train].mean(axis=0)) / np.where(sd > 0, sd, 1.0))


def scores_of(texts: pd.DataFrame, *, least: float = 0.5) -> list[str]:
    """Return the corpus's own columns (``meta_*``) that hold a mark: named score, mark or grade, with numbers in most texts.

    Parameters
    ----------
    texts : DataFrame
        :data:`miner.tables.TEXTS`.
    least : float
        Share of the texts in which the column must hold a number.
    """
    named = [
        c
        for c in map(str, texts.columns)
        if c.startswith("meta_") and any(w in c.lower() for w in ("score", "mark", "grade"))
    ]
    return sorted(c for c in named if pd.to_numeric(texts[c], errors="coerce").notna().mean() >= least)


def length_and_score(texts: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Return the covariates of a corpus: logarithm of the number of words, and the named columns as numbers."""
    frame = pd.DataFrame({"log_words": np.log(np.maximum(texts["n_words"].fillna(1).to_numpy(dtype=np.float64), 1))})
    for column in columns:
        frame[column] = pd.to_numeric(texts[column], errors="coerce").to_numpy(dtype=np.float64)
    return frame.set_index(pd.Index(texts["text_id"]))


def format_baseline(
    texts: pd.DataFrame, preset: str | L1Preset, *, folds: int = 10, fewest: int = FEWEST, seed: int = 20250101
) -> HeldOut:
    """Score texts by punctuation, capitals, digits and layout, by the ten features that tell an L1 best in training.

    Parameters
    ----------
    texts : DataFrame
        :data:`miner.tables.TEXTS`.
    preset : str or L1Preset
        Decides unit and bands. The features are chosen by Welch's test at .05 without any correction, each for what it adds to
        those before it, so that the baseline is as strong as ten features can make it.
    """
    recipe = get_preset(preset)
    plain = L1Preset(
        name="format", test="welch", unit=recipe.unit, bands=recipe.bands, correction="none", order="coverage"
    )
    counted, labels = format_counts(texts)
    return held_out_auc(counted, plain, labels=labels, folds=folds, fewest=fewest, resamples=0, seed=seed)
