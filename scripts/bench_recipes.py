"""How often recipes find what is not there, and what is: null and planted corpora, the figures as tables.

Null corpora, and planted ones with --planted-texts, go through the whole program: texts of `miner simulate`, a real checker, mapping,
counting, recipe. Other planted corpora are counts of simulated learners (2 errors per 1,000 words x gamma x prompt effect, 300 words,
each feature planted in one L1 at rate ratio 2). A finding is true if its direction is that of the L1's contrast with the
reference; of features planted nowhere, every finding is false. Nothing is asserted.

    .venv/bin/python scripts/bench_recipes.py [--null 200] [--planted 200] [--others 40] [--planted-texts 0] [--jobs 2]
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from miner.evaluate import Planted, compare_planted
from miner.learner import get_preset

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

RECIPES = ("robust", "trans-env")
L1S, FEATURES = 10, 40
#: The case that is asked for first; the others depart from it in one respect.
CASES: dict[str, dict[str, Any]] = {
    "shape 2, 100 learners per L1": {},
    "shape 1": {"shape": 1.0},
    "shape .5": {"shape": 0.5},
    "group sizes 10:1 (200 and 20)": {"learners": (200, 20)},
    "checker recall .1 to .5": {"recall": (0.1, 0.5)},
    "rate ratio 1.5": {"ratio": 1.5},
    "30 of 40 features planted nowhere": {"planted": 10},
    "1 of 40 planted, at ratio 4": {"planted": 1, "ratio": 4.0},
    "nothing planted": {"ratio": 1.0},
}
_HEAD = ("corpora", "power", "error", "false share", "error", "findings", "any", "strangers")


def null_corpora(number: int) -> None:
    """Print the share of null corpora in which a recipe selects anything."""
    from simulated_texts import null_selections

    started, recipes = time.perf_counter(), [get_preset(r) for r in RECIPES]
    found = np.array(list(null_selections(range(number), recipes)))
    error = np.sqrt(0.05 * 0.95 / number)
    print(f"{number} null corpora of 1,000 texts, simulated and checked, {time.perf_counter() - started:.0f} s")
    print(f"{'recipe':<12}{'select anything':>16}{'limit':>8}{'features a corpus':>20}")
    for recipe, selected in zip(RECIPES, found.T, strict=True):
        print(f"{recipe:<12}{(selected > 0).mean():>16.3f}{0.05 + 1.645 * error:>8.3f}{selected.mean():>20.2f}")
    print(flush=True)


def judged(seed: int, options: dict[str, Any], recipe: str) -> Planted:
    """Return what the recipe finds in one corpus of planted counts."""
    from simulated_counts import plan_of, simulate_counts

    plan = {"learners": 100, "ratio": 2.0, "shape": 2.0, "base": 2.0} | options
    counted, where = simulate_counts(seed, l1s=L1S, features=FEATURES, prompts=4, words=300, bands=("B",), **plan)
    planted = plan_of(counted, where, features=FEATURES, ratio=plan["ratio"], base=plan["base"])
    return compare_planted(counted, recipe, planted, seed=seed)


def told(case: str, recipe: str, found: Sequence[Planted]) -> None:
    """Print the means over corpora with their Monte Carlo errors."""
    n = len(found)
    power, false = (np.array([getattr(f, k) for f in found], dtype=float) for k in ("power", "false_share"))
    findings = np.array([f.findings for f in found])
    strangers = np.mean([f.strangers for f in found])

    def shown(values: np.ndarray, digits: int) -> tuple[str, str]:
        if np.isnan(values).any():
            return "", ""
        error = f"{values.std(ddof=1) / np.sqrt(n):.{digits}f}" if n > 1 else ""
        return f"{values.mean():.{digits}f}", error

    cells = (
        n,
        *shown(power, 3),
        *shown(false, 4),
        f"{findings.mean():.1f}",
        f"{(findings > 0).mean():.2f}",
        f"{strangers:.2f}",
    )
    print(f"{case:<36}{recipe:<12}" + "".join(f"{c:>12}" for c in cells), flush=True)


def planted_corpora(number: int, others: int, jobs: int) -> None:
    """Print power and false discoveries of each case of planted counts."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        for k, (name, options) in enumerate(CASES.items()):
            n = number if k == 0 else others
            for recipe in RECIPES if n else ():
                judge = partial(judged, options=options, recipe=recipe)
                told(name, recipe, list(pool.map(judge, range(10_000, 10_000 + n))))


def planted_texts(number: int) -> None:
    """Print power and false discoveries in texts with planted errors, simulated and checked."""
    from simulated_texts import planted_findings

    found = list(planted_findings(range(20_000, 20_000 + number), [get_preset(r) for r in RECIPES]))
    for recipe, own in zip(RECIPES, zip(*found, strict=True), strict=True):
        told("texts with 8 errors a checker sees", recipe, own)


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--null", type=int, default=200, metavar="N", help="null corpora (200; 0: none)")
    parser.add_argument("--planted", type=int, default=200, metavar="N", help="planted corpora of the first case (200)")
    parser.add_argument("--others", type=int, default=40, metavar="N", help="planted corpora of each other case (40)")
    parser.add_argument(
        "--planted-texts",
        type=int,
        default=0,
        metavar="N",
        help="planted corpora of texts, through the whole program (0)",
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes")
    args = parser.parse_args()
    if args.null:
        null_corpora(args.null)
    if args.planted or args.others or args.planted_texts:
        print(f"{'planted corpora':<36}{'recipe':<12}" + "".join(f"{h:>12}" for h in _HEAD))
    planted_corpora(args.planted, args.others, args.jobs)
    if args.planted_texts:
        planted_texts(args.planted_texts)


if __name__ == "__main__":
    main()
