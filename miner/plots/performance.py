"""Distance against performance: the line, the band and the line of numbers that a scatter plot shows.

For pictures alone: intervals, and p from SciPy (exact or from t). The tables of a run are of ``miner.dialect.performance``,
which permutes varieties and shows covariates; both give the same correlations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from miner.errors import InputError, StatisticsError, listed
from miner.plots.ranks import spearman
from miner.plots.scores import match_scores


def performance(
    distances: pd.DataFrame,
    scores: pd.DataFrame,
    *,
    by: Sequence[str] = (),
    varieties: pd.DataFrame | None = None,
    from_id: str | None = None,
) -> pd.DataFrame:
    """Return how distance and performance go together: Pearson, Spearman and the least-squares line.

    Parameters
    ----------
    distances, scores, varieties, from_id
        As in :func:`match_scores`.
    by : sequence of str
        Columns of ``scores``; one row per combination of their values. One row for all without it.

    Returns
    -------
    DataFrame
        ``by`` columns, then ``n`` (varieties), ``pearson_r``, ``pearson_low``, ``pearson_high`` (95 %, Fisher's z, n >= 4),
        ``pearson_p``, ``spearman_rho``, ``spearman_p``, ``spearman_p_method`` (exact or t), ``slope``, ``slope_low``,
        ``slope_high``, ``intercept``, ``r_squared``, ``unmatched`` (names left out, joined by ``;``) and ``reason`` (why
        values are missing: fewer than 3 varieties, or one of the two does not vary).

    Notes
    -----
    Varieties are related to each other, so they are not independent draws: p-values of this table are descriptive.
    Line: ordinary least squares of score on distance (statsmodels). Correlations: SciPy; Spearman's p is exact (all
    arrangements) for small n, else from the t approximation.
    """
    missing = [c for c in by if c not in scores]
    if missing:
        msg = (
            f"The performance table has no column {listed(missing)}; it has {listed([str(c) for c in scores.columns])}"
        )
        raise InputError(msg)
    groups = [((), scores)] if not by else [(k, g) for k, g in scores.groupby(list(by), sort=True, dropna=False)]
    rows = []
    for key, group in groups:
        points, ledger = match_scores(distances, group, varieties=varieties, from_id=from_id)
        names = dict(zip(by, key if isinstance(key, tuple) else (key,), strict=True))
        unmatched = ";".join(sorted(set(ledger.places.get("variety not in the distances", []))))
        rows.append({**names, **_together(points), "unmatched": unmatched})
    frame = pd.DataFrame(rows)
    return frame[[c for c in frame.columns if c != "reason"] + ["reason"]]


def line_band(points: pd.DataFrame, at: ArrayLike, *, level: float = 0.95) -> pd.DataFrame:
    """Return the least-squares line of score on distance with the confidence band of the mean.

    Parameters
    ----------
    points : DataFrame
        ``distance`` and ``score``, at least 3 rows with different distances.
    at : array_like of float
        Distances at which the line is wanted.
    level : float
        Confidence level of the band (pointwise).

    Returns
    -------
    DataFrame
        ``distance, fit, low, high``.

    Raises
    ------
    StatisticsError
        If there are too few points or all distances are equal.
    """
    if len(points) < 3 or points["distance"].nunique() < 2:
        msg = f"A regression line with a band needs 3 points with different distances; got {len(points)}"
        raise StatisticsError(msg)
    grid = np.asarray(at, dtype="float64")
    import statsmodels.api as sm  # takes half a second: only those who draw a line pay for it

    fitted = sm.OLS(points["score"].to_numpy(), sm.add_constant(points["distance"].to_numpy())).fit()
    told = fitted.get_prediction(sm.add_constant(grid, has_constant="add")).summary_frame(alpha=1 - level)
    return pd.DataFrame(
        {"distance": grid, "fit": told["mean"], "low": told["mean_ci_lower"], "high": told["mean_ci_upper"]}
    )


def _together(points: pd.DataFrame) -> dict[str, Any]:
    names = ("pearson_r", "pearson_low", "pearson_high", "pearson_p", "spearman_rho", "spearman_p")
    out: dict[str, Any] = {"n": len(points), **dict.fromkeys(names, math.nan), "spearman_p_method": ""}
    out |= dict.fromkeys(("slope", "slope_low", "slope_high", "intercept", "r_squared"), math.nan) | {"reason": ""}
    if len(points) < 3:
        return out | {"reason": "fewer than 3 varieties"}
    x, y = points["distance"].to_numpy(), points["score"].to_numpy()
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return out | {"reason": f"{'distance' if np.ptp(x) == 0 else 'score'} does not vary"}
    r = stats.pearsonr(x, y)
    rho, p, how = spearman(x, y)
    import statsmodels.api as sm

    fitted = sm.OLS(y, sm.add_constant(x)).fit()
    ends = fitted.conf_int(alpha=0.05)
    out |= {"pearson_r": float(r.statistic), "pearson_p": float(r.pvalue)}
    if len(points) > 3:
        interval = r.confidence_interval(0.95)
        out |= {"pearson_low": float(interval.low), "pearson_high": float(interval.high)}
    out |= {"spearman_rho": rho, "spearman_p": p, "spearman_p_method": how}
    out |= {"slope": float(fitted.params[1]), "slope_low": float(ends[1][0]), "slope_high": float(ends[1][1])}
    return out | {"intercept": float(fitted.params[0]), "r_squared": float(fitted.rsquared)}
