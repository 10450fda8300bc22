"""What a recipe finds when learners' L1s are shuffled: nothing is there to be found then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy import special

from miner import stats
from miner.errors import OptionError
from miner.evaluate.members import admit_learners, mined, movable, with_labels
from miner.learner import Counts, L1Preset, get_preset


@dataclass(frozen=True)
class Shuffled:
    """Shuffled-label figures of one recipe.

    Attributes
    ----------
    selected_true, selected_shuffled : float
        Mean number of features selected per L1 (all bands, before any cap), with the true labels and over shuffles.
    l1s, l1s_with_none : int
        L1s compared, and those for which the true labels select nothing.
    any_family : float
        Share of (shuffle, family) pairs in which the family selects anything.
    any_at_all : float
        Share of shuffles in which anything is selected in any family.
    error : float
        Monte Carlo standard error that ``any_at_all`` has if its expected value is .05.
    rate : float
        ``selected_shuffled / selected_true``; NaN if nothing is selected with the true labels.
    p_values : float array
        Deciding p-values of the first shuffles, for their uniformity.
    shuffles : int
    moved : float
        Share of learners (texts, without learner ids) in strata with another L1: the others keep their label in every shuffle.
    strata : {"prompt", "level"}
        As in :class:`miner.evaluate.members.Movable`.
    by_l1 : DataFrame
        Columns ``l1, selected_true, selected_shuffled`` (mean over shuffles).
    """

    selected_true: float
    selected_shuffled: float
    l1s: int
    l1s_with_none: int
    any_family: float
    any_at_all: float
    error: float
    rate: float
    p_values: np.ndarray
    shuffles: int
    moved: float
    strata: str
    by_l1: pd.DataFrame = field(repr=False)


#: Shuffles from which on figures may be quoted.
QUOTABLE = 200
#: Limits at which the distribution of p-values is told.
LIMITS = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.05, *(round(0.1 * k, 1) for k in range(1, 11)))


def shuffle_labels(
    counted: Counts,
    preset: str | L1Preset,
    *,
    labels: dict[str, str] | None = None,
    shuffles: int = 200,
    seed: int = 20250101,
    progress: Callable[[int], None] | None = None,
) -> Shuffled:
    """Run a recipe on the true labels and on shuffled ones.

    Parameters
    ----------
    counted : Counts
    preset : str or L1Preset
        Its cap on the length of inventories is not used.
    labels : dict, optional
        Features that are tested even if nobody has them.
    shuffles : int
        At least 20, for a first look; 200 or more (:data:`QUOTABLE`) for figures that are to be quoted.
    seed : int
    progress : callable, optional
        Called with the number of shuffles done.

    Notes
    -----
    A learner moves with all texts, whatever the recipe's unit, within the stratum of learners with the same set of bands
    and prompts (:func:`miner.evaluate.members.movable`). Under the complete null the false discovery rate equals the share of
    families that select anything.
    """
    if shuffles < 20:
        msg = f"Shuffled-label figures need at least 20 shuffles. Got {shuffles}; 200 are usual"
        raise OptionError(msg)
    recipe = get_preset(preset, cap=None)
    admitted = admit_learners(counted, recipe)
    names = sorted(admitted.texts["l1"].unique())
    l1s = len(names)
    true = mined(counted, admitted, recipe, labels, seed)
    learners = movable(admitted)
    families = true[0]["correction_family"].nunique()
    any_family, any_at_all, p_values = 0, 0, []
    selected = pd.Series(0, index=pd.Index(names))
    rng, draw = np.random.default_rng(seed), stats.permuter(learners.label, learners.strata)
    for k in range(shuffles):
        mixed = with_labels(admitted, learners.members, draw(rng))
        tests, inventory = mined(counted, mixed, recipe, labels, seed + k)
        selected = selected.add(inventory["l1"].value_counts(), fill_value=0)
        any_at_all += len(inventory) > 0
        found = inventory.merge(tests[["l1", "cefr", "feature", "correction_family"]], on=["l1", "cefr", "feature"])
        any_family += found["correction_family"].nunique()
        if k < 20:
            p_values.append(tests["p"].dropna().to_numpy(dtype=np.float64))
        if progress is not None:
            progress(k + 1)
    share = any_at_all / shuffles
    chosen_by_l1 = true[1]["l1"].nunique()
    mean_true, mean_shuffled = len(true[1]) / l1s, float(selected.sum()) / shuffles / l1s
    own = true[1]["l1"].value_counts().reindex(names, fill_value=0)

    return Shuffled(
        selected_true=mean_true,
        selected_shuffled=mean_shuffled,
        l1s=l1s,
        l1s_with_none=l1s - chosen_by_l1,
        any_family=any_family / shuffles / families if families else float("nan"),
        any_at_all=share,
        error=float(np.sqrt(0.05 * 0.95 / shuffles)),
        rate=mean_shuffled / mean_true if mean_true else float("nan"),
        p_values=np.concatenate(p_values) if p_values else np.zeros(0),
        shuffles=shuffles,
        moved=learners.moved,
        strata=learners.kind,
        by_l1=pd.DataFrame(
            {"l1": names, "selected_true": own.to_numpy(), "selected_shuffled": selected[names].to_numpy() / shuffles}
        ),
    )


def share_interval(share: float, n: int) -> tuple[float, float]:
    """Return the 95 % interval of a share of n draws (Wilson 1927, without continuity correction).

    Notes
    -----
    Families of one shuffle are not independent: with ``n`` the shuffles the interval of a share of families is on the safe side.

    Examples
    --------
    >>> [round(end, 3) for end in share_interval(0.05, 200)]
    [0.027, 0.09]
    """
    z2 = float(special.ndtri(0.975)) ** 2
    half = np.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n * n)))
    low, high = ((share + z2 / (2 * n) + side * half) / (1 + z2 / n) for side in (-1, 1))
    return max(0.0, float(low)), min(1.0, float(high))


def uniformity(p_values: np.ndarray, limits: Sequence[float] = (0.001, 0.01, 0.05, 0.1, 0.5)) -> dict[float, float]:
    """Return the shares of p-values at or under each limit, which are the limits themselves if p is uniform; NaN without any."""
    return {a: float((p_values <= a).mean()) if len(p_values) else float("nan") for a in limits}
