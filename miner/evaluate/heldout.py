"""Do inventories tell L1s apart on texts of learners that were not mined? Held-out AUC with its baselines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy import stats as scipy_stats

from miner.errors import StatisticsError
from miner.evaluate.shuffles import relabelled
from miner.evaluate.weights import MOST_FEATURES, fit_weights, fitted_inventory, scored
from miner.learner import Admitted, Counts, L1Preset, admit, get_preset

#: An L1 needs this many learners (texts, without learner ids) to be scored; all others stay in the rest.
FEWEST = 40


@dataclass(frozen=True)
class HeldOut:
    """Macro mean over L1s of the AUC of the L1 against the rest.

    Attributes
    ----------
    pooled : float
        All folds' scores together.
    folds : float
        Mean over folds.
    within : float
        Over pairs of texts of the same band and prompt only.
    by_learner : float
        As ``pooled``, with a learner's scores averaged.
    low, high : float
        95 % interval of ``pooled`` by a bootstrap of learners, conditional on the fitted models.
    l1s : list of str
        L1s that were scored.
    without : float
        Share of these L1s without any feature, mean over folds: their texts all score 0, which is an AUC of .5. NaN for baselines.
    features : float
        Features that score a text, mean over L1s and folds. NaN for baselines.
    """

    pooled: float
    folds: float
    within: float
    by_learner: float
    low: float
    high: float
    l1s: list[str]
    without: float = float("nan")
    features: float = float("nan")


def held_out_auc(
    counted: Counts,
    preset: str | L1Preset,
    *,
    labels: dict[str, str] | None = None,
    folds: int = 10,
    fewest: int = FEWEST,
    resamples: int = 200,
    shuffled: bool = False,
    seed: int = 20250101,
    progress: Callable[[int], None] | None = None,
) -> HeldOut:
    """Mine on nine tenths of the learners, score the texts of the last tenth.

    Parameters
    ----------
    counted : Counts
    preset : str or L1Preset
        The recipe; its inventories are cut at 10 features.
    labels : dict, optional
    folds : int
    fewest : int
        Learners that an L1 needs to be scored.
    resamples : int
        Of the bootstrap; 0 for no interval.
    shuffled : bool
        Baseline: shuffle the learners' L1s within strata first.
    seed : int
    progress : callable, optional

    Raises
    ------
    StatisticsError
        If no L1 has enough learners.

    Notes
    -----
    Score of a text for an L1: the weighted sum of the standardised rates of the L1's features in the text's band
    (:func:`miner.evaluate.weights.fit_weights`); texts of bands without a feature score 0.
    """
    recipe = get_preset(preset, cap=MOST_FEATURES)
    admitted = admit_learners(counted, recipe)
    rng = np.random.default_rng(seed)
    if shuffled:
        admitted = relabelled(admitted, recipe, rng)
    texts = admitted.texts
    sizes = texts.drop_duplicates("member")["l1"].value_counts()
    l1s = sorted(sizes.index[sizes >= fewest])
    if not l1s:
        msg = f"Held-out AUC needs an L1 with {fewest} learners; the largest has {sizes.max()}. Lower 'fewest', or add learners"
        raise StatisticsError(msg)
    fold = _folds(texts, folds, rng)
    scores, numbers = np.zeros((len(texts), len(l1s))), []
    for k in range(folds):
        train = _units_of(replace(admitted, texts=texts[fold != k].reset_index(drop=True)), recipe)
        inventory = fitted_inventory(counted.counts, train, recipe, labels=labels, seed=seed + k)
        numbers.append([len(set(inventory.loc[inventory["l1"] == l1, "feature"])) for l1 in l1s])
        scores[fold == k] = _scores(counted.counts, texts, fold != k, fold == k, inventory, l1s)
        if progress is not None:
            progress(k + 1)
    found = _summary(texts, scores, fold, l1s, resamples, rng)
    chosen = np.array(numbers, dtype=np.float64)
    return replace(found, without=float((chosen == 0).mean()), features=float(chosen.mean()))


def admit_learners(counted: Counts, recipe: L1Preset) -> Admitted:
    """Return the texts that the recipe compares, by learner where learners are known, also if the recipe's unit is the text.

    Folds are of learners, whatever the recipe compares: with a text of a learner in the training part, his habits would score
    his other texts.
    """
    return admit(counted.units, get_preset(recipe, unit="auto") if recipe.unit == "text" else recipe)


def _units_of(admitted: Admitted, recipe: L1Preset) -> Admitted:
    if recipe.unit != "text" or admitted.unit == "text":
        return admitted
    texts = admitted.texts.assign(member="text " + admitted.texts["text_id"].astype(str))
    texts = texts.sort_values(["band", "member", "text_id"], kind="stable").reset_index(drop=True)
    return replace(admitted, texts=texts, unit="text")


def prompt_baseline(
    counted: Counts, preset: str | L1Preset, *, folds: int = 10, fewest: int = FEWEST, seed: int = 20250101
) -> HeldOut:
    """Score texts by the share of the L1 among the training learners of the same band and prompt: no language at all."""
    recipe = get_preset(preset)
    texts = admit_learners(counted, recipe).texts
    sizes = texts.drop_duplicates("member")["l1"].value_counts()
    l1s = sorted(sizes.index[sizes >= fewest])
    rng = np.random.default_rng(seed)
    fold = _folds(texts, folds, rng)
    kind = texts["band"].astype(str) + "/" + texts["prompt"].fillna("").astype(str)
    scores = np.zeros((len(texts), len(l1s)))
    for k in range(folds):
        train, rest = fold != k, fold == k
        for j, l1 in enumerate(l1s):
            share = (texts.loc[train, "l1"] == l1).groupby(kind[train]).mean()
            scores[rest, j] = kind[rest].map(share).fillna(0.0)
    return _summary(texts, scores, fold, l1s, 0, rng)


def length_baseline(counted: Counts, preset: str | L1Preset, *, fewest: int = FEWEST, seed: int = 20250101) -> HeldOut:
    """Score texts by their length, in the direction that suits the L1 in all data (so it flatters the baseline)."""
    texts = admit_learners(counted, get_preset(preset)).texts
    sizes = texts.drop_duplicates("member")["l1"].value_counts()
    l1s = sorted(sizes.index[sizes >= fewest])
    words = texts["words"].to_numpy(dtype=np.float64)
    sign = [1.0 if words[texts["l1"] == l1].mean() >= words[texts["l1"] != l1].mean() else -1.0 for l1 in l1s]
    scores = np.column_stack([s * words for s in sign]) if l1s else np.zeros((len(texts), 0))
    rng = np.random.default_rng(seed)
    return _summary(texts, scores, np.zeros(len(texts), dtype=np.int64), l1s, 0, rng)


def _folds(texts: pd.DataFrame, folds: int, rng: np.random.Generator) -> np.ndarray:
    first = texts.drop_duplicates("member").sort_values(["l1", "member"], kind="stable")
    order = np.lexsort((rng.random(len(first)), pd.factorize(first["l1"], sort=True)[0]))
    place = pd.Series(np.arange(len(first)) % folds, index=pd.Index(first["member"].to_numpy()[order]))
    return place.reindex(texts["member"]).to_numpy(dtype=np.int64)


def _scores(
    counts: pd.DataFrame,
    texts: pd.DataFrame,
    train: np.ndarray,
    test: np.ndarray,
    inventory: pd.DataFrame,
    l1s: list[str],
) -> np.ndarray:
    own = inventory[inventory["l1"].isin(l1s)]
    return scored(counts, texts[test], fit_weights(counts, texts[train], own), l1s)


def _summary(
    texts: pd.DataFrame, scores: np.ndarray, fold: np.ndarray, l1s: list[str], resamples: int, rng: np.random.Generator
) -> HeldOut:
    label = texts["l1"].to_numpy()
    kind = (texts["band"].astype(str) + "/" + texts["prompt"].fillna("").astype(str)).to_numpy()
    pooled = [auc(scores[label == l1, j], scores[label != l1, j]) for j, l1 in enumerate(l1s)]
    by_fold = [
        _mean(
            [
                auc(scores[(fold == k) & (label == l1), j], scores[(fold == k) & (label != l1), j])
                for k in np.unique(fold)
            ]
        )
        for j, l1 in enumerate(l1s)
    ]
    within = [_within(scores[:, j], label == l1, kind) for j, l1 in enumerate(l1s)]
    mean = pd.DataFrame(scores).groupby(texts["member"].to_numpy()).mean()
    owner = texts.drop_duplicates("member").set_index("member")["l1"].reindex(mean.index).to_numpy()
    member = [auc(mean.loc[owner == l1, j], mean.loc[owner != l1, j]) for j, l1 in enumerate(l1s)]
    low, high = _bootstrap(texts, scores, l1s, resamples, rng)
    return HeldOut(_mean(pooled), _mean(by_fold), _mean(within), _mean(member), low, high, l1s)


def auc(target: object, reference: object) -> float:
    """Return the share of pairs in which the target's score is the higher one, ties as halves; NaN without pairs."""
    one, two = np.asarray(target, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    if not one.size or not two.size:
        return float("nan")
    ranks = scipy_stats.rankdata(np.concatenate([one, two]))
    return float((ranks[: one.size].sum() - one.size * (one.size + 1) / 2) / (one.size * two.size))


def _within(score: np.ndarray, target: np.ndarray, kind: np.ndarray) -> float:
    wins = pairs = 0.0
    for k in np.unique(kind):
        one, two = score[target & (kind == k)], score[~target & (kind == k)]
        if one.size and two.size:
            wins += auc(one, two) * one.size * two.size
            pairs += one.size * two.size
    return wins / pairs if pairs else float("nan")


def _bootstrap(
    texts: pd.DataFrame, scores: np.ndarray, l1s: list[str], resamples: int, rng: np.random.Generator
) -> tuple[float, float]:
    if not resamples:
        return float("nan"), float("nan")
    member, names = pd.factorize(texts["member"], sort=True)
    rows = [np.flatnonzero(member == k) for k in range(len(names))] if len(names) < 20_000 else None
    if rows is None:
        return float("nan"), float("nan")
    label, values = texts["l1"].to_numpy(), []
    for _ in range(resamples):
        chosen = np.concatenate([rows[k] for k in rng.integers(0, len(names), len(names))])
        own, part = label[chosen], scores[chosen]
        values.append(_mean([auc(part[own == l1, j], part[own != l1, j]) for j, l1 in enumerate(l1s)]))
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)


def _mean(values: list[float]) -> float:
    known = [v for v in values if not np.isnan(v)]
    return float(np.mean(known)) if known else float("nan")
