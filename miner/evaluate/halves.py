"""Does what one half of the learners shows hold in the other half, and do inventories of halves agree?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from miner import stats, tables
from miner.errors import StatisticsError
from miner.evaluate.members import admit_learners, movable, units_of
from miner.learner import Admitted, Counts, L1Preset, get_preset, select_l1, test_l1


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
    untestable : int
        Features found in one half that could not be tested in the other.
    jaccard : float
        Mean overlap of the two halves' selections, over L1s for which a half selects anything.
    stability : float
        Nogueira's chance-corrected stability of the selections of all halves, mean over L1s; 1 is perfect, 0 chance.
    splits : int
    """

    found: float
    same_sign: float
    replicated: float
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
        Its cap is not used; ``min_units`` is halved for the halves (2 at least).
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
    recipe = get_preset(whole, min_units=max(2, whole.min_units // 2), min_users=whole.min_users // 2)
    admitted = admit_learners(counted, whole)
    learners = movable(admitted)
    members, label = learners.members, learners.label
    if (np.bincount(label) >= 2).sum() < 2:
        msg = f"Halves need two L1s with two {admitted.unit}s each; the largest L1s have {sorted(np.bincount(label).tolist())[-2:]}"
        raise StatisticsError(msg)
    cells = label * (10**7) + learners.strata
    rng = np.random.default_rng(seed)
    outcomes, selections = [], []
    for k in range(splits):
        half = stats.half_samples(cells, rng)
        pair = [_run(counted, _part(admitted, members[chosen]), recipe, labels, seed + k) for chosen in (half, ~half)]
        for one, other in (pair, pair[::-1]):
            outcomes.append(_tried(one[1], other[0]))
            selections.append(one[1])
        if progress is not None:
            progress(k + 1)
    l1s = sorted(admitted.texts["l1"].unique())
    together = pd.concat(outcomes, ignore_index=True)
    tested = together[together["p"].notna()]
    universe = pd.concat([t[0][["cefr", "feature"]] for t in pair]).drop_duplicates()
    return Halves(
        found=len(together) / (2 * splits) / len(l1s),
        same_sign=float(tested["same"].mean()) if len(tested) else float("nan"),
        replicated=float((tested["p"] < 0.05).mean()) if len(tested) else float("nan"),
        untestable=int(together["p"].isna().sum()),
        jaccard=_jaccard(selections, l1s),
        stability=_mean([nogueira(_matrix(selections, l1, universe)) for l1 in l1s]),
        splits=splits,
    )


def _part(admitted: Admitted, members: pd.Index) -> Admitted:
    texts = admitted.texts[admitted.texts["member"].isin(members)].reset_index(drop=True)
    return Admitted(texts, admitted.unit, admitted.learners, admitted.ledger)


def _run(
    counted: Counts, admitted: Admitted, recipe: L1Preset, labels: dict[str, str] | None, seed: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    if admitted.texts["l1"].nunique() < 2:  # a half of very few learners
        return tables.L1_TESTS.empty(), tables.L1_INVENTORY.empty()
    tests = test_l1(counted.counts, units_of(admitted, recipe), preset=recipe, labels=labels, seed=seed)
    return tests, select_l1(tests, recipe)


def _tried(found: pd.DataFrame, tests: pd.DataFrame) -> pd.DataFrame:
    key = ["l1", "cefr", "feature"]
    both = found[[*key, "direction"]].merge(tests[[*key, "effect", "p", "status"]], on=key, how="left")
    effect, p = both["effect"].to_numpy(dtype=np.float64), both["p"].to_numpy(dtype=np.float64)
    same = np.where(both["direction"] == "over", effect > 0, effect < 0)
    one_sided = np.where(same, p / 2, 1 - p / 2)
    return pd.DataFrame({"l1": both["l1"], "same": same, "p": np.where(both["status"] == "tested", one_sided, np.nan)})


def _sets(selection: pd.DataFrame, l1: str) -> set[tuple[str, str]]:
    part = selection[selection["l1"] == l1]
    return set(zip(part["cefr"], part["feature"], strict=True))


def _jaccard(selections: list[pd.DataFrame], l1s: list[str]) -> float:
    values = []
    for a, b in zip(selections[::2], selections[1::2], strict=True):
        for l1 in l1s:
            one, two = _sets(a, l1), _sets(b, l1)
            if one | two:
                values.append(len(one & two) / len(one | two))
    return _mean(values)


def _matrix(selections: list[pd.DataFrame], l1: str, universe: pd.DataFrame) -> np.ndarray:
    place = {pair: k for k, pair in enumerate(zip(universe["cefr"], universe["feature"], strict=True))}
    matrix = np.zeros((len(selections), len(place)))
    for row, selection in enumerate(selections):
        for pair in _sets(selection, l1):
            if pair in place:
                matrix[row, place[pair]] = 1
    return matrix


def nogueira(matrix: np.ndarray) -> float:
    """Return the chance-corrected stability of selections.

    Parameters
    ----------
    matrix : array of 0 and 1, shape (selections, features)

    Returns
    -------
    float
        1 - mean variance of the features / variance of random selections of the same mean size; NaN if nothing or everything is
        selected throughout.

    Notes
    -----
    Nogueira, Sechidis and Brown (2018), JMLR 18(174), definition 4.
    """
    m, d = matrix.shape
    share = matrix.mean(axis=0)
    size = matrix.sum(axis=1).mean()
    if m < 2 or d == 0 or size in (0, d):
        return float("nan")
    variance = m / (m - 1) * share * (1 - share)
    return float(1 - variance.mean() / (size / d * (1 - size / d)))


def _mean(values: list[float]) -> float:
    known = [v for v in values if not np.isnan(v)]
    return float(np.mean(known)) if known else float("nan")
