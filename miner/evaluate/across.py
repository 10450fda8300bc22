"""Do findings of one corpus hold in another? Mined on one and scored on the other; overlap; correlation of effects."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy import stats as scipy_stats

from miner.errors import InputError, listed
from miner.evaluate.areas import HeldOut, summary
from miner.evaluate.heldout import FEWEST, _scores
from miner.evaluate.members import admit_learners, units_of
from miner.evaluate.weights import fitted_inventory, shortened
from miner.learner import Admitted, Counts, L1Preset, get_preset, select_l1, test_l1

#: Features (in L1s and bands) that a correlation rests on at least.
FEWEST_EFFECTS = 5
_KEY = ["l1", "cefr", "feature"]


@dataclass(frozen=True)
class Across:
    """Two corpora under one recipe.

    Attributes
    ----------
    l1s : list of str
        In both corpora.
    there, back : HeldOut or None
        Mined on the first and scored on the second, and the other way round; None where no common L1 has enough learners.
    overlap : float
        Mean Jaccard overlap of the inventories over common L1s and bands for which either corpus selects anything; NaN if none does.
    compared : int
        L1s and bands that the mean is over.
    pearson, spearman, same_sign : float
        Over features (in common L1s and bands) that both corpora could test; NaN with fewer than five, or without variation.
    effects : DataFrame
        These features: :data:`miner.tables.ACROSS_EFFECTS` without source and preset.
    notes : dict of str to str
        Why a figure is undefined: keys ``there, back, overlap, correlation``; empty where it is not.
    """

    l1s: list[str]
    there: HeldOut | None
    back: HeldOut | None
    overlap: float
    compared: int
    pearson: float
    spearman: float
    same_sign: float
    effects: pd.DataFrame = field(repr=False)
    notes: dict[str, str] = field(default_factory=dict)


def compare_across(
    here: Counts,
    there: Counts,
    preset: str | L1Preset,
    *,
    labels: dict[str, str] | None = None,
    fewest: int = FEWEST,
    resamples: int = 200,
    seed: int = 20250101,
) -> Across:
    """Run a recipe on two corpora and hold the results against each other.

    Parameters
    ----------
    here, there : Counts
        Counted in the same way.
    preset : str or L1Preset
    labels : dict, optional
    fewest : int
        Learners that an L1 needs in the corpus that is scored.
    resamples : int
        Of the bootstrap of learners of the corpus that is scored; 0 for no interval.
    seed : int

    Raises
    ------
    InputError
        If the corpora have no L1 in common that could be compared.

    Notes
    -----
    A text is scored as by :func:`miner.evaluate.held_out_auc`: mean, standard deviation and weights are those of the corpus that
    was mined. The AUC is within the scored corpus, so that a difference in level between the corpora is no matter. Effects
    are log rate ratios where the recipe estimates them, else differences of mean rates.
    """
    recipe = get_preset(preset)
    admitted = [_marked(admit_learners(c, recipe), mark) for c, mark in ((here, "1 "), (there, "2 "))]
    l1s = sorted(set(admitted[0].texts["l1"]) & set(admitted[1].texts["l1"]))
    if not l1s:
        known = [listed(sorted(set(a.texts["l1"]))) for a in admitted]
        msg = f"The corpora have no L1 in common: {known[0]} and {known[1]}. Name a corpus with some of the same L1s"
        raise InputError(msg)
    counts = [c.counts.assign(text_id=mark + c.counts["text_id"]) for c, mark in ((here, "1 "), (there, "2 "))]
    mined = [units_of(a, recipe) for a in admitted]
    tests = [test_l1(c, a, preset=recipe, labels=labels, seed=seed) for c, a in zip(counts, mined, strict=True)]
    chosen = [select_l1(t, recipe) for t in tests]
    notes: dict[str, str] = {}
    every = pd.concat(counts, ignore_index=True)
    short = shortened(recipe)
    scored = []
    for a, b in ((0, 1), (1, 0)):
        inventory = fitted_inventory(counts[a], mined[a], short, labels=labels, seed=seed)
        scored.append(_scored(every, admitted[a], admitted[b], inventory, l1s, fewest, resamples, seed))
    for name, found in zip(("there", "back"), scored, strict=True):
        if found is None:
            notes[name] = f"no common L1 has {fewest} learners in the corpus that is scored"
    overlap, compared = _overlap(chosen, l1s)
    if not compared:
        notes["overlap"] = "neither corpus's inventory of a common L1 holds anything"
    effects = _effects(tests, chosen, l1s)
    pearson, spearman, note = _correlated(effects)
    if note:
        notes["correlation"] = note
    agree = np.sign(effects["effect_here"]) == np.sign(effects["effect_there"])
    same = float(agree.mean()) if len(effects) else float("nan")
    return Across(l1s, scored[0], scored[1], overlap, compared, pearson, spearman, same, effects, notes)


def _marked(admitted: Admitted, mark: str) -> Admitted:
    # The same id in two corpora is two texts, and two learners.
    texts = admitted.texts
    texts = texts.assign(text_id=mark + texts["text_id"], member=mark + texts["member"])
    return Admitted(texts, admitted.unit, admitted.learners, admitted.ledger)


def _scored(
    counts: pd.DataFrame, mined: Admitted, other: Admitted, inventory: pd.DataFrame, common: list[str], fewest: int,
    resamples: int, seed: int,
) -> HeldOut | None:  # fmt: skip
    sizes = other.texts.drop_duplicates("member")["l1"].value_counts()
    l1s = [l1 for l1 in common if sizes[l1] >= fewest]
    if not l1s:
        return None
    texts = pd.concat([mined.texts, other.texts], ignore_index=True)
    test = np.arange(len(texts)) >= len(mined.texts)
    scores = _scores(counts, texts, ~test, test, inventory, l1s)
    one_fold = np.zeros(len(other.texts), dtype=np.int64)
    return summary(other.texts, scores, one_fold, l1s, resamples, np.random.default_rng(seed))


def _overlap(chosen: list[pd.DataFrame], l1s: list[str]) -> tuple[float, int]:
    sets: list[dict[tuple[str, str], set[str]]] = []
    for frame in chosen:
        own = frame[frame["l1"].isin(l1s)]
        sets.append({(str(k[0]), str(k[1])): set(v) for k, v in own.groupby(["l1", "cefr"])["feature"]})
    cells = sorted(set(sets[0]) | set(sets[1]))
    values = []
    for cell in cells:
        one, two = (s.get(cell, set()) for s in sets)
        values.append(len(one & two) / len(one | two))
    return (float(np.mean(values)) if values else float("nan")), len(cells)


def _effects(tests: list[pd.DataFrame], chosen: list[pd.DataFrame], l1s: list[str]) -> pd.DataFrame:
    parts = [t[(t["status"] == "tested") & t["l1"].isin(l1s)] for t in tests]
    measure = "log_ratio" if all(p["log_ratio"].notna().any() for p in parts) else "effect"
    both = parts[0][[*_KEY, measure]].merge(parts[1][[*_KEY, measure]], on=_KEY, suffixes=("_one", "_two"))
    frame = both[_KEY].assign(
        effect_here=both[f"{measure}_one"].astype("float64"),
        effect_there=both[f"{measure}_two"].astype("float64"),
        measure=measure,
    )
    frame = frame[np.isfinite(frame["effect_here"]) & np.isfinite(frame["effect_there"])].reset_index(drop=True)
    inside = [pd.MultiIndex.from_frame(frame[_KEY]).isin(pd.MultiIndex.from_frame(c[_KEY])) for c in chosen]
    names = ("neither", "here", "there", "both")
    frame["selected"] = [names[int(a) + 2 * int(b)] for a, b in zip(*inside, strict=True)]
    ordered: pd.DataFrame = frame.sort_values(_KEY, kind="stable", ignore_index=True)
    return ordered


def _correlated(effects: pd.DataFrame) -> tuple[float, float, str]:
    if len(effects) < FEWEST_EFFECTS:
        return np.nan, np.nan, f"{len(effects)} features could be tested in both corpora; {FEWEST_EFFECTS} are needed"
    one, two = (effects[c].to_numpy(dtype=np.float64) for c in ("effect_here", "effect_there"))
    if one.std() == 0 or two.std() == 0:
        return np.nan, np.nan, "all effects of a corpus are equal"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nearly constant input: the coefficient is told with its n all the same
        return float(scipy_stats.pearsonr(one, two).statistic), float(scipy_stats.spearmanr(one, two).statistic), ""
