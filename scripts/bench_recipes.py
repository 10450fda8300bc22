"""How often recipes find what is not there, and what is: null and planted corpora, the figures as tables.

Null corpora go through the whole program: texts of `miner simulate`, a real checker, mapping, counting, recipe. Planted corpora are
counts of simulated learners (2 errors per 1,000 words x gamma x prompt effect, 300 words, each feature planted in one L1 at rate
ratio 2); a finding is true if its direction is that of the L1's contrast with the reference. Nothing is asserted.

    .venv/bin/python scripts/bench_recipes.py [--null 200] [--planted 200] [--others 40] [--jobs 2]
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from miner.learner import compare_l1, get_preset

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
    "nothing planted": {"ratio": 1.0},
}


def null_corpora(number: int) -> None:
    """Print the share of null corpora in which a recipe selects anything."""
    from null_corpora import null_selections

    started, recipes = time.perf_counter(), [get_preset(r) for r in RECIPES]
    found = np.array(list(null_selections(range(number), recipes)))
    error = np.sqrt(0.05 * 0.95 / number)
    print(f"{number} null corpora of 1,000 texts, simulated and checked, {time.perf_counter() - started:.0f} s")
    print(f"{'recipe':<12}{'select anything':>16}{'limit':>8}{'features a corpus':>20}")
    for recipe, selected in zip(RECIPES, found.T, strict=True):
        print(f"{recipe:<12}{(selected > 0).mean():>16.3f}{0.05 + 1.645 * error:>8.3f}{selected.mean():>20.2f}")
    print(flush=True)


def judged(seed: int, options: dict[str, Any], recipe: str) -> tuple[int, int, int, int]:
    """Return the planted over-uses, those found, the findings, and the false ones of one corpus."""
    from simulated_counts import simulate_counts

    plan = {"learners": 100, "ratio": 2.0, "shape": 2.0, "base": 2.0} | options
    counted, where = simulate_counts(seed, l1s=L1S, features=FEATURES, prompts=4, words=300, bands=("B",), **plan)
    rows = compare_l1(counted, recipe, seed=seed)[2]
    if plan["ratio"] == 1.0:
        return 0, 0, len(rows), len(rows)
    here = [where[f] == l1 for f, l1 in zip(rows["feature"], rows["l1"], strict=True)]
    over = (rows["direction"] == "over").tolist()
    hits = sum(h and o for h, o in zip(here, over, strict=True))
    return FEATURES, hits, len(rows), sum(h != o for h, o in zip(here, over, strict=True))


def planted_corpora(number: int, others: int, jobs: int) -> None:
    """Print power and false discoveries of each case."""
    print(
        f"{'planted corpora':<32}{'recipe':<12}{'corpora':>8}{'power':>8}{'error':>8}{'false share':>13}{'findings':>10}{'any':>7}"
    )
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        for k, (name, options) in enumerate(CASES.items()):
            n = number if k == 0 else others
            for recipe in RECIPES if n else ():
                rows = np.array(
                    list(pool.map(partial(judged, options=options, recipe=recipe), range(10_000, 10_000 + n)))
                )
                planted, hits, findings, false = rows.T.astype(float)
                power = hits / np.maximum(planted, 1)
                share = false / np.maximum(findings, 1)
                shown = "" if not planted.any() else f"{power.mean():.3f}"
                error = "" if not planted.any() or n < 2 else f"{power.std(ddof=1) / np.sqrt(n):.3f}"
                print(
                    f"{name:<32}{recipe:<12}{n:>8}{shown:>8}{error:>8}{share.mean():>13.4f}{findings.mean():>10.1f}"
                    f"{(findings > 0).mean():>7.2f}",
                    flush=True,
                )


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--null", type=int, default=200, metavar="N", help="null corpora (200; 0: none)")
    parser.add_argument("--planted", type=int, default=200, metavar="N", help="planted corpora of the first case (200)")
    parser.add_argument("--others", type=int, default=40, metavar="N", help="planted corpora of each other case (40)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes")
    args = parser.parse_args()
    if args.null:
        null_corpora(args.null)
    planted_corpora(args.planted, args.others, args.jobs)


if __name__ == "__main__":
    main()
