"""Time the statistics at the size of the largest corpora: 715,000 texts x 1,000 features (5 non-zero each), 20 cells.

Prints seconds by the clock and of processors, and the ratios to SciPy loops on dense columns in the same process. Nothing is
asserted: machines differ, and so does what else they do (the load is printed). Ratios hardly depend on it.

    .venv/bin/python scripts/bench_statistics.py [--permutations 1000]
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from scipy import stats as scipy_stats

from miner import stats

TEXTS, FEATURES, CELLS, PER_LEARNER = 715_000, 1_000, 20, 4


def timed(name: str, work: Callable[[], Any], *, times: int = 1) -> float:
    """Run so many times, print and return the seconds of the quickest."""
    runs = []
    for _ in range(times):
        start, used = time.perf_counter(), time.process_time()
        work()
        runs.append((time.perf_counter() - start, time.process_time() - used))
    seconds, used = min(runs)
    print(f"{name:<44}{seconds:9.2f} s by the clock {used:9.2f} s of processors", flush=True)
    return seconds


def load() -> str:
    """Return how many processes wanted to run in the last minute, where the system tells."""
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"


def fast_paths(permutations: int) -> None:
    """Time each test."""
    rng = np.random.default_rng(0)
    learner = np.arange(TEXTS) // PER_LEARNER
    n = int(learner.max()) + 1
    cell = rng.integers(0, CELLS, n)
    column = rng.integers(0, FEATURES, 5 * TEXTS)
    counts = sparse.csr_array(
        (np.ones(5 * TEXTS, dtype=np.int64), (np.repeat(np.arange(TEXTS), 5), column)), shape=(TEXTS, FEATURES)
    )
    words, prompt = rng.integers(60, 200, TEXTS), rng.integers(0, 10, TEXTS)
    adder = sparse.csr_array((np.ones(TEXTS, dtype=np.int64), (learner, np.arange(TEXTS))), shape=(n, TEXTS))
    summed = sparse.csr_array(adder @ counts)
    summed.sort_indices()
    total = np.bincount(learner, weights=words, minlength=n).astype(np.int64)
    rates = summed.astype(np.float64)
    rates.data = 1000 * rates.data / total[np.repeat(np.arange(n), np.diff(rates.indptr))]

    def welch() -> Any:
        moments = stats.group_moments(counts, words, cell[learner], CELLS)
        return stats.t_test(moments, stats.rest(moments))

    print(f"load average {load()} on {os.cpu_count()} processors")
    fast = timed("Welch, 20 cells x 1,000 features", welch, times=3)
    jobs: dict[str, Callable[[], Any]] = {
        "clustered log rate ratio": lambda: stats.clustered_log_ratio(summed, total, cell, CELLS),
        "Mantel-Haenszel with jackknife": lambda: stats.mantel_haenszel(
            counts, words, learner, prompt, cell[learner], CELLS
        ),
        "Mann-Whitney": lambda: stats.mann_whitney(rates, cell, CELLS),
    }
    seconds = {name: timed(name, job, times=3) for name, job in jobs.items()}
    print(f"{'all four':<44}{fast + sum(seconds.values()):9.2f} s by the clock")
    strata = rng.integers(0, 8, n)
    engine = stats.ContrastEngine(rates, np.ones((n, 1)), np.zeros(FEATURES, int), strata, cell, CELLS)
    permuted = timed(
        f"{permutations} permutations of learners within strata",
        lambda: stats.permute_family(
            lambda labels: engine.evaluate(labels).statistic,
            cell,
            strata,
            family=np.ones((CELLS, FEATURES), bool),
            permutations=permutations,
            threads=stats.usable_threads(),
        ),
    )
    ours = {"Welch": fast, "Mann-Whitney": seconds["Mann-Whitney"], "permutations": permuted / permutations}
    compare(counts, words, summed, total, cell, learner, ours)
    print(f"load average {load()}; largest memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")


def compare(counts: Any, words: Any, summed: Any, total: Any, cell: Any, learner: Any, ours: dict[str, float]) -> None:
    """Print how many times as long SciPy takes, one test at a time: for each test, and for all of them together.

    ``ours`` has seconds for all cells and features; of permutations, for one.
    """

    def rates(table: Any, exposure: Any, columns: int) -> Any:
        return 1000 * np.asarray(table[:, :columns].todense()).T / exposure

    by_text, by_learner = rates(counts, words, 20), rates(summed, total, 20)
    inside, learners = cell[learner] == 0, cell == 0

    def welch(values: Any, target: Any) -> None:
        for column in values:
            scipy_stats.ttest_ind(column[target], column[~target], equal_var=False)

    def ranks() -> None:
        for column in by_learner[:5]:
            scipy_stats.mannwhitneyu(column[learners], column[~learners], method="asymptotic")

    def per_test(what: str, work: Callable[[], None], columns: int) -> float:
        return timed(f"SciPy's {what}, 1 cell x {columns} features", work, times=3) / columns

    loop = {
        "Welch": per_test("Welch of texts", lambda: welch(by_text, inside), 20),
        "Mann-Whitney": per_test("Mann-Whitney of learners", ranks, 5),
        # What a labelling costs: a studentised difference for each cell and feature.
        "permutations": per_test("Welch of learners, a labelling", lambda: welch(by_learner, learners), 20),
    }
    for name, seconds in loop.items():
        print(f"{name}: SciPy's loop takes {seconds * FEATURES * CELLS / ours[name]:,.0f} times as long")
    both = sum(loop.values()) * FEATURES * CELLS / sum(ours.values())
    print(f"Welch, Mann-Whitney and one permutation together: {both:,.0f} times as long")


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--permutations", type=int, default=1000)
    fast_paths(parser.parse_args().permutations)


if __name__ == "__main__":
    main()
