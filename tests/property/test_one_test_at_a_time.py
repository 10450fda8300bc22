"""Vectorised results are those of SciPy, statsmodels and pingouin called one test at a time, to the digits that are shown."""

from __future__ import annotations

import gc
import hashlib
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pingouin
import pytest
import statsmodels.api as sm
from scipy import sparse
from scipy import stats as scipy_stats
from statsmodels.stats.contingency_tables import Table2x2
from statsmodels.stats.multitest import multipletests

from miner import stats
from miner.learner import get_preset, permuting, test_l1

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from simulated_counts import simulate_counts

SEEDS = range(200)


def _same(got, want) -> bool:
    """Equal in 12 significant digits; two numbers either side of a rounding boundary differ by 1e-12 of their size at most."""
    if math.isnan(got) or math.isnan(want):
        return math.isnan(got) and math.isnan(want)
    return f"{got:.12g}" == f"{want:.12g}" or math.isclose(got, want, rel_tol=2e-12, abs_tol=1e-13)


def _problem(seed: int):
    rng = np.random.default_rng(seed)
    n, features, groups = int(rng.integers(9, 45)), int(rng.integers(2, 6)), int(rng.integers(2, 5))
    words = rng.integers(15, 400, n)
    counts = rng.poisson(rng.gamma(0.6, 2.0, features) * words[:, None] / 100)
    counts[:, 0] = np.minimum(counts[:, 0], 1)  # many ties
    return rng, counts, words, rng.integers(0, groups, n), groups


@pytest.mark.parametrize("seed", SEEDS)
def test_rates(seed):
    _, counts, words, label, groups = _problem(seed)
    rates = 1000 * counts / words[:, None]
    moments = stats.group_moments(sparse.csr_array(counts), words, label, groups)
    rest = stats.rest(moments)
    found = {kind: stats.t_test(moments, rest, kind=kind) for kind in ("welch", "student")}
    ranks = stats.mann_whitney(sparse.csr_array(rates), label, groups)
    for g, f in np.ndindex(groups, counts.shape[1]):
        one, two = rates[label == g, f], rates[label != g, f]
        if min(len(one), len(two)) < 2 or np.ptp(rates[:, f]) == 0:
            continue
        if not found["welch"].reason[g, f]:
            for kind, got in found.items():
                want = scipy_stats.ttest_ind(one, two, equal_var=kind == "student")
                interval = want.confidence_interval()
                pairs = [(got.t, want.statistic), (got.df, want.df), (got.p, want.pvalue)]
                pairs += [(got.ci_low, interval.low), (got.ci_high, interval.high)]
                assert all(_same(values[g, f], number) for values, number in pairs)
            size = pingouin.compute_effsize(one, two, eftype="hedges")
            assert _same(found["welch"].hedges_g[g, f], size)
        want = scipy_stats.mannwhitneyu(one, two, method="asymptotic")
        assert _same(ranks.u[g, f], want.statistic)
        assert _same(ranks.p[g, f], want.pvalue)
        assert _same(ranks.delta[g, f], float(np.sign(one[:, None] - two[None, :]).mean()))


@pytest.mark.parametrize("seed", SEEDS)
def test_pooled_counts(seed):
    rng, counts, words, label, _ = _problem(seed)
    words = words + counts.sum(axis=1)  # no more occurrences than words
    side = label == 0
    if side.all() or not side.any():
        side = np.arange(len(label)) < len(label) // 2
    a, b = counts[side].sum(axis=0), counts[~side].sum(axis=0)
    n, m = int(words[side].sum()), int(words[~side].sum())
    got = stats.keyness(a, b, n, m)
    for f, (x, y) in enumerate(zip(a, b, strict=True)):
        table = np.array([[x, n - x], [y, m - y]])
        if x + y == 0:
            assert math.isnan(got.g2[f])
            continue
        pearson = scipy_stats.chi2_contingency(table, correction=False)
        likelihood = scipy_stats.chi2_contingency(table, correction=False, lambda_="log-likelihood")
        assert _same(got.chi2[f], pearson.statistic)
        # G2 is a small difference of large terms: SciPy's own last digits are lost where it is near 0.
        assert got.g2[f] == pytest.approx(likelihood.statistic, rel=1e-9, abs=1e-9)
        assert got.p_g2[f] == pytest.approx(likelihood.pvalue, rel=1e-7)
        assert _same(got.p_fisher[f], scipy_stats.fisher_exact(table).pvalue)
        assert _same(got.log_odds[f], Table2x2(table + 0.5).log_oddsratio)
    prior = rng.gamma(2, 3, counts.shape[1]) + 0.1
    shrunk = stats.log_odds_with_prior(a, b, prior)
    for f in range(counts.shape[1]):
        # Monroe et al. (2008), equations 15 and 16, one feature at a time.
        odds = [
            math.log((y[f] + prior[f]) / (y.sum() + prior.sum() - y[f] - prior[f]))
            for y in (a.astype(float), b.astype(float))
        ]
        spread = math.sqrt(1 / (a[f] + prior[f]) + 1 / (b[f] + prior[f]))
        assert _same(shrunk.delta[f], odds[0] - odds[1])
        assert _same(shrunk.z[f], (odds[0] - odds[1]) / spread)


@pytest.mark.parametrize("seed", SEEDS)
def test_spread_and_strata(seed):
    rng, counts, words, label, groups = _problem(seed)
    spread = stats.dispersion(sparse.csr_array(counts), words)
    for f in range(counts.shape[1]):
        total = counts[:, f].sum()
        if not total:
            assert math.isnan(spread.dp[f])
            continue
        shares = [abs(o / total - w / words.sum()) for o, w in zip(counts[:, f], words, strict=True)]
        assert _same(spread.dp[f], sum(shares) / 2)
        assert _same(spread.top_share[f], counts[:, f].max() / total)
        assert spread.range[f] == sum(o > 0 for o in counts[:, f])
    strata = rng.integers(0, 3, len(words))
    got = stats.mantel_haenszel(sparse.csr_array(counts), words, np.arange(len(words)), strata, label, groups)
    for g, f in np.ndindex(groups, counts.shape[1]):
        above = below = 0.0
        for s in range(3):
            t, r = (label == g) & (strata == s), (label != g) & (strata == s)
            here = words[t].sum() + words[r].sum()
            if here:
                above += counts[t, f].sum() * words[r].sum() / here
                below += counts[r, f].sum() * words[t].sum() / here
        if above > 0 and below > 0:
            assert _same(got.log_ratio[g, f], math.log(above / below))
        else:
            assert got.halved[g, f] or math.isnan(got.log_ratio[g, f])


@pytest.mark.parametrize("seed", SEEDS)
def test_corrections(seed, monkeypatch):
    monkeypatch.setattr(gc, "collect", lambda: 0)  # statsmodels collects garbage in every Holm correction
    rng = np.random.default_rng(seed)
    p = np.round(rng.random(int(rng.integers(1, 40))) ** 4, int(rng.integers(1, 12)))
    family = rng.integers(0, 3, p.size)
    p[rng.random(p.size) < 0.2] = np.nan
    for method, theirs in (("bh", "fdr_bh"), ("by", "fdr_by"), ("holm", "holm")):
        q, m = stats.adjust_families(p, family, method)
        for k in range(3):
            inside = (family == k) & ~np.isnan(p)
            assert set(m[family == k]) <= {int(inside.sum())}
            assert np.isnan(q[(family == k) & np.isnan(p)]).all()
            if inside.any():
                want = multipletests(p[inside], method=theirs)[1]
                assert all(_same(x, y) for x, y in zip(q[inside], want, strict=True))
            if inside.any() and method != "by" and seed % 20 == 0:
                theirs_too = pingouin.multicomp(list(p[inside]), method=theirs)[1]
                assert all(_same(x, y) for x, y in zip(q[inside], theirs_too, strict=True))


@pytest.mark.parametrize("seed", range(60))
def test_count_models(seed):
    rng, counts, words, _, _ = _problem(seed)
    side, strata = np.arange(len(words)) % 2 == 0, rng.integers(0, 2, len(words))
    y = counts[:, -1] + 1
    got = stats.model_log_ratio(y, words, side, strata=strata)
    design = np.column_stack([np.ones(len(y)), side, strata == 1]).astype(float)
    if not (strata == 1).any() or (strata == 1).all():
        design = design[:, :2]
    want = sm.GLM(y, design, family=sm.families.Poisson(), exposure=words).fit(
        scale="X2", start_params=np.r_[np.log(y.sum() / words.sum()), np.zeros(design.shape[1] - 1)]
    )
    assert got.log_ratio == pytest.approx(want.params[1], rel=1e-5, abs=1e-6)
    assert got.se == pytest.approx(want.bse[1], rel=1e-5)
    assert got.p == pytest.approx(want.pvalues[1], rel=1e-4, abs=1e-12)
    assert got.dispersion == pytest.approx(want.pearson_chi2 / want.df_resid, rel=1e-5)


_RECIPE = {"permutations": 99, "further_permutations": 200, "stability_pairs": 2, "gate": False}


def _digest(seed: int) -> str:
    counted, _ = simulate_counts(seed, learners=12, features=8, ratio=3.0)
    tests = test_l1(counted.counts, counted.units, preset=get_preset("robust", **_RECIPE))
    return hashlib.sha256(tests.to_csv(float_format="%.17g").encode()).hexdigest()


def test_threads_of_the_pipeline_change_no_byte(monkeypatch):
    one = _digest(3)
    monkeypatch.setattr(permuting, "MANY_CELLS", 0)
    monkeypatch.setattr(permuting.stats, "usable_threads", lambda: 3)
    assert _digest(3) == one


def test_another_process_gives_the_same_bytes():
    script = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import test_one_test_at_a_time as t; print(t._digest(3))"
    seen = set()
    for seed, threads in (("0", "1"), ("12345", "2")):
        env = {**os.environ, "PYTHONHASHSEED": seed, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
        done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
        seen.add(done.stdout.strip())
    assert seen == {_digest(3)}


def test_order_of_rows_changes_no_byte():
    counted, _ = simulate_counts(5, learners=12, features=6, ratio=3.0)
    for preset in ("welch", "trans-env", get_preset("robust", **_RECIPE)):
        want = test_l1(counted.counts, counted.units, preset=preset)
        for seed in (1, 2):
            mixed = [frame.sample(frac=1, random_state=seed) for frame in (counted.counts, counted.units)]
            pd.testing.assert_frame_equal(test_l1(*mixed, preset=preset), want, check_exact=True)
