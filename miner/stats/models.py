"""Count models of one feature, as a slow check of the fast tests (statsmodels)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from miner.errors import StatisticsError, require_one_of

Family = Literal["quasi-poisson", "negative-binomial"]


@dataclass(frozen=True)
class ModelRatio:
    """Log rate ratio of a count model with its standard error, two-sided p and dispersion (or NB alpha)."""

    log_ratio: float
    se: float
    p: float
    dispersion: float


def model_log_ratio(
    counts: ArrayLike,
    exposure: ArrayLike,
    target: ArrayLike,
    *,
    strata: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    family: Family = "quasi-poisson",
) -> ModelRatio:
    """Fit log(rate) = stratum + b * target with the words as offset; return b.

    Parameters
    ----------
    counts, exposure : array_like of int, shape (texts,)
    target : array_like of bool, shape (texts,)
    strata : array_like, optional
        Level x prompt; one by default.
    clusters : array_like, optional
        Learners: the standard error is then cluster-robust.
    family : {"quasi-poisson", "negative-binomial"}
        Poisson with Pearson's dispersion, or NB2 with alpha by maximum likelihood.

    Raises
    ------
    StatisticsError
        If a side has no occurrence (b is infinite) or the model does not converge.
    """
    import statsmodels.api as sm

    require_one_of(family, ("quasi-poisson", "negative-binomial"), what="The 'family' of the model")
    y, words, side = np.asarray(counts, float), np.asarray(exposure, float), np.asarray(target, bool)
    if not y[side].sum() or not y[~side].sum():
        msg = "A count model needs an occurrence on each side; got none on one. Use a permutation test"
        raise StatisticsError(msg)
    codes = np.unique(np.zeros(len(y)) if strata is None else np.asarray(strata), return_inverse=True)[1]
    design = np.column_stack([side.astype(float), codes[:, None] == np.arange(codes.max() + 1)])
    # Its own first guess fails where all counts are equal.
    start = np.r_[0.0, np.log(np.maximum(design[:, 1:].T @ y, 0.5) / (design[:, 1:].T @ words))]
    cluster = {"cov_type": "cluster", "cov_kwds": {"groups": np.unique(np.asarray(clusters), return_inverse=True)[1]}}
    how = {} if clusters is None else cluster
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            if family == "quasi-poisson":
                fit = sm.GLM(y, design, family=sm.families.Poisson(), offset=np.log(words)).fit(
                    start_params=start, **({"scale": "X2"} if clusters is None else how)
                )
                spread = float(fit.pearson_chi2 / fit.df_resid)
            else:
                fit = sm.NegativeBinomial(y, design, offset=np.log(words)).fit(disp=0, maxiter=200, **how)
                spread = float(fit.params[-1])
        except (Warning, np.linalg.LinAlgError) as err:
            msg = f"The {family} model does not converge ({err}); expected enough occurrences in each stratum. Use fewer strata"
            raise StatisticsError(msg) from err
    return ModelRatio(float(fit.params[0]), float(fit.bse[0]), float(fit.pvalues[0]), spread)
