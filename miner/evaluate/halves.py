"""Does what one half of the learners shows hold in the other half, and do inventories of halves agree?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from miner import stats, tables
from miner.errors import StatisticsError
from miner.evaluate.likeness import jaccard, mean_known, stability_of
from miner.evaluate.members import admit_learners, mined, movable
from miner.learner import Admitted, Counts, L1Preset, get_preset

#: A finding is found again if its one-sided p in the other half is under this.
AGAIN = 0.05


@dataclass(frozen=True)
class Halves:
    """Figures of random halves.

    Attributes
    ----------
    found : float
        Mean number of features found in a half, per L1.
    same_sign, replicated : float
        Share of the features found in one half whose effect has the same sign in the other, and whose one-sided p there is
        under .05; over those testable in the other half. NaN if none is found.
    expected : float
        Mean over the same features of the probability of the latter that the recipe itself expects (column ``replication``); NaN if
        the recipe expects nothing (``min_replication`` is 0).
    tried, untestable : int
        Features found in one half, over all halves, that could be tested in the other, and that could not. The halves are of the same
        learners: they are not so many independent findings.
    jaccard : float
        Mean overlap of the two halves' selections, over L1s for which a half selects anything.
    stability : float
        Nogueira's chance-corrected stability of the selections of all halves, mean over L1s; 1 is perfect, 0 chance.
    splits : int
    """

    found: float
    same_sign: float
    replicated: float
    expected: float
    tried: int
    untestable: int
    jaccard: float
    stability: float
    splits: int


def compare_halves(
    counted: Counts,
    preset: str | L1Preset,
    *,
    labels: dict[str, str] | None = None,
    splits: int = 20,
    seed: int = 20250101,
    progress: Callable[[int], None] | None = None,
) -> Halves:
    """Run a recipe on random halves of the learners (split within L1 and set of bands and prompts; never a learner's texts).

    Parameters
    ----------
    counted : Counts
    preset : str or L1Preset
        Its cap is not used; ``min_units`` (2 at least), ``min_users`` and ``min_errors`` are halved for the halves, all other
        thresholds are as they are.
    labels : dict, optional
    splits : int
        Each gives two halves, each tried on the other.
    seed : int
    progress : callable, optional

    Raises
    ------
    StatisticsError
        If there are not two L1s with two learners (texts, without learner ids) each.
    """
    whole = get_preset(preset, cap=None)
    recipe = _halved(whole)
    admitted = admit_learners(counted, whole)
    learners = movable(admitted)
    members, label = learners.members, learners.label
    if (np.bincount(label) >= 2).sum() < 2:
        msg = f"Halves need two L1s with two {admitted.unit}s each; the largest L1s have {sorted(np.bincount(label).tolist())[-2:]}"
        raise StatisticsError(msg)
    cells = label * (10**7) + learners.strata
    rng = np.random.default_rng(seed)
    outcomes, selections, tested_in = [], [], []
    for k in range(splits):
        half = stats.half_samples(cells, rng)
        pair = [_run(counted, _part(admitted, members[chosen]), recipe, labels, seed + k) for chosen in (half, ~half)]
        for one, other in (pair, pair[::-1]):
            outcomes.append(tried(one[1], other[0], recipe))
            selections.append(one[1])
            tested_in.append(one[0])
        if progress is not None:
            progress(k + 1)
    l1s = sorted(admitted.texts["l1"].unique())
    together = pd.concat(outcomes, ignore_index=True)
    tested = together[together["p"].notna()]
    return Halves(
        found=len(together) / (2 * splits) / len(l1s),
        same_sign=float(tested["same"].mean()) if len(tested) else float("nan"),
        replicated=float((tested["p"] < AGAIN).mean()) if len(tested) else float("nan"),
        expected=float(tested["expected"].mean()) if len(tested) else float("nan"),
        tried=len(tested),
        untestable=int(together["p"].isna().sum()),
        jaccard=jaccard(selections, l1s),
        stability=mean_known([stability_of(selections, tested_in, l1) for l1 in l1s]),
        splits=splits,
    )


def _halved(whole: L1Preset) -> L1Preset:
    # A half has half of the learners, and so of what is counted in them.
    least = max(2, whole.min_units // 2)
    return get_preset(whole, min_units=least, min_users=whole.min_users // 2, min_errors=whole.min_errors // 2)


def _part(admitted: Admitted, members: pd.Index) -> Admitted:
    texts = admitted.texts[admitted.texts["member"].isin(members)].reset_index(drop=True)
    return Admitted(texts, admitted.unit, admitted.learners, admitted.ledger)


def _run(
    counted: Counts, admitted: Admitted, recipe: L1Preset, labels: dict[str, str] | None, seed: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    if admitted.texts["l1"].nunique() < 2:  # a half of very few learners
        return tables.L1_TESTS.empty(), tables.L1_INVENTORY.empty()
    return mined(counted, admitted, recipe, labels, seed)


def tried(found: pd.DataFrame, tests: pd.DataFrame, recipe: L1Preset) -> pd.DataFrame:
    """Try what one half shows on the other.

    Parameters
    ----------
    found : DataFrame
        :data:`miner.tables.L1_INVENTORY` of one half.
    tests : DataFrame
        :data:`miner.tables.L1_TESTS` of the other.
    recipe : L1Preset
        Of both; says whether p is two-sided.

    Returns
    -------
    DataFrame
        A row for each finding: ``l1, same`` (whether the effect has the same sign), ``p`` (one-sided, in the direction found; NaN where
        it could not be tested) and ``expected`` (of the finding: the probability that p is under .05).
    """
    key = ["l1", "cefr", "feature"]
    both = found[[*key, "direction", "replication"]].merge(tests[[*key, "effect", "p"]], on=key, how="left")
    effect, p = both["effect"].to_numpy(dtype=np.float64), both["p"].to_numpy(dtype=np.float64)
    over = (both["direction"] == "over").to_numpy()
    same = np.where(over, effect > 0, effect < 0)
    if recipe.alternative == "two-sided":
        one_sided = np.where(same, p / 2, 1 - p / 2)
    else:
        one_sided = np.where(over == (recipe.alternative == "greater"), p, 1 - p)
    expected = both["replication"].to_numpy(dtype=np.float64)
    return pd.DataFrame({"l1": both["l1"], "same": same, "p": one_sided, "expected": expected})
