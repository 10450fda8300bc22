"""Student's and Welch's t-test from moments, for all groups and features at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from miner.errors import TooFew, require_one_of
from miner.stats.moments import Floats, Moments, sample_moments

Kind = Literal["student", "welch"]
Alternative = Literal["two-sided", "greater", "less"]
KINDS = ("student", "welch")
ALTERNATIVES = ("two-sided", "greater", "less")

#: Reasons for which a comparison has no p-value.
NO_OCCURRENCE = "no occurrence"
EQUAL = "zero variance, equal means"
SEPARATED = "zero variance in both groups, different means"
FEW_TARGET = "target under 2 units"
FEW_REFERENCE = "reference under 2 units"


@dataclass(frozen=True)
class TTest:
    """Results of t-tests; all arrays have shape (groups, features).

    Attributes
    ----------
    difference : float
        Mean of the target minus mean of the reference; defined whenever both have a unit.
    ci_low, ci_high : float
        Two-sided confidence interval of the difference, whatever the alternative.
    t, df, p : float
        Statistic, degrees of freedom and p-value; NaN where ``reason`` is not empty.
    hedges_g : float
        Difference over the pooled standard deviation, times 1 - 3 / (4 (n1 + n2) - 9); NaN where not tested.
    reason : str
        Empty when tested, else why not; :data:`SEPARATED` marks a degenerate comparison: never p = 0.
    """

    difference: Floats
    ci_low: Floats
    ci_high: Floats
    t: Floats
    df: Floats
    p: Floats
    hedges_g: Floats
    reason: NDArray[np.object_]


def t_test(
    target: Moments,
    reference: Moments,
    *,
    kind: Kind = "welch",
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
) -> TTest:
    """Compare each group of ``target`` with the same row of ``reference``.

    Parameters
    ----------
    target, reference : Moments
        Of equal shape; see :func:`~miner.stats.moments.group_moments` and :func:`~miner.stats.moments.rest`.
    kind : {"welch", "student"}
        Unequal or pooled variances.
    alternative : {"two-sided", "greater", "less"}
        ``greater``: the target's mean is the larger one.
    confidence : float
        Level of the interval.

    Notes
    -----
    Welch (1947), Biometrika 34, 28-35, with Satterthwaite's df. Agrees with ``scipy.stats.ttest_ind``. Hedges (1981)
    with the usual approximation of the correction factor.
    """
    require_one_of(kind, KINDS, what="The 'kind' of t-test")
    require_one_of(alternative, ALTERNATIVES, what="The 'alternative'")
    reason = _reasons(target, reference)
    n1, n2 = target.n.astype(np.float64), reference.n.astype(np.float64)
    difference = target.mean - reference.mean
    with np.errstate(invalid="ignore", divide="ignore"):
        pooled = (target.m2 + reference.m2) / (n1 + n2 - 2)
        if kind == "student":
            error, df = np.sqrt(pooled * (1 / n1 + 1 / n2)), np.broadcast_to(n1 + n2 - 2, difference.shape)
        else:
            a, b = target.m2 / (n1 - 1) / n1, reference.m2 / (n2 - 1) / n2
            error, df = np.sqrt(a + b), (a + b) ** 2 / (a**2 / (n1 - 1) + b**2 / (n2 - 1))
        t = difference / error
        g = difference / np.sqrt(pooled) * (1 - 3 / (4 * (n1 + n2) - 9))
        tested = reason == ""
        half = special.stdtrit(np.where(tested, df, 1.0), 0.5 + confidence / 2) * error
    p = t_p_value(t, df, alternative)
    low, high = difference - half, difference + half
    shown = {"ci_low": low, "ci_high": high, "t": t, "df": df, "p": p, "hedges_g": g}
    return TTest(difference=difference, reason=reason, **{k: np.where(tested, v, np.nan) for k, v in shown.items()})


def t_p_value(t: ArrayLike, df: ArrayLike, alternative: Alternative = "two-sided") -> Floats:
    """Return the p-value of Student's t distribution; NaN in, NaN out."""
    t = np.asarray(t, dtype=np.float64)
    if alternative == "two-sided":
        return np.asarray(2 * special.stdtr(df, -np.abs(t)), dtype=np.float64)
    return np.asarray(special.stdtr(df, -t if alternative == "greater" else t), dtype=np.float64)


def t_quantile(p: float, df: float) -> float:
    """Return the quantile of Student's t distribution."""
    return float(special.stdtrit(df, p))


def _reasons(target: Moments, reference: Moments) -> NDArray[np.object_]:
    exact = (target.numerator >= 0) & (reference.numerator >= 0)
    same_fraction = (target.numerator == reference.numerator) & (target.denominator == reference.denominator)
    equal = np.where(exact, same_fraction, target.mean == reference.mean)
    both = target.constant & reference.constant
    nothing = both & (np.nan_to_num(target.mean) == 0) & (np.nan_to_num(reference.mean) == 0)
    shape = target.mean.shape
    conditions = [
        np.broadcast_to(target.n < 2, shape),
        np.broadcast_to(reference.n < 2, shape),
        nothing,
        both & equal,
        both & ~equal,
    ]
    return np.select(conditions, [FEW_TARGET, FEW_REFERENCE, NO_OCCURRENCE, EQUAL, SEPARATED], default="").astype(
        object
    )


@dataclass(frozen=True)
class TestResult:
    """One t-test; fields as in :class:`TTest`, as plain floats."""

    __test__ = False  # not a class of tests

    difference: float
    ci_low: float
    ci_high: float
    t: float
    df: float
    p: float
    hedges_g: float
    reason: str


def welch(target: ArrayLike, reference: ArrayLike, *, alternative: Alternative = "two-sided") -> TestResult:
    """Welch's t-test of two samples of rates.

    Parameters
    ----------
    target, reference : array_like of float, shape (n,)
        One rate per text (per learner, where one learner wrote several). NaN is refused.
    alternative : {"two-sided", "greater", "less"}

    Returns
    -------
    TestResult
        ``p`` is NaN, with ``reason``, when both samples are constant.

    Raises
    ------
    TooFew
        If a sample has fewer than 2 values; there is no fall-back to a one-sample test.

    Examples
    --------
    >>> round(welch([1.0, 2.0, 4.0], [0.0, 1.0, 1.0]).p, 4)
    0.1908
    """
    return _of_samples(target, reference, "welch", alternative)


def student(target: ArrayLike, reference: ArrayLike, *, alternative: Alternative = "two-sided") -> TestResult:
    """Student's t-test (equal variances) of two samples of rates; as :func:`welch` otherwise."""
    return _of_samples(target, reference, "student", alternative)


def _of_samples(target: ArrayLike, reference: ArrayLike, kind: Kind, alternative: Alternative) -> TestResult:
    one, two = sample_moments(target), sample_moments(reference)
    if one.n[0, 0] < 2 or two.n[0, 0] < 2:
        msg = (
            f"A t-test needs at least 2 units in each group; got {one.n[0, 0]} in the target and {two.n[0, 0]} in the "
            "reference. Collect more, or leave the comparison out and say so"
        )
        raise TooFew(msg)
    result = t_test(one, two, kind=kind, alternative=alternative)
    fields = ("difference", "ci_low", "ci_high", "t", "df", "p", "hedges_g")
    numbers = {f: float(getattr(result, f)[0, 0]) for f in fields}
    return TestResult(reason=str(result.reason[0, 0]), **numbers)
