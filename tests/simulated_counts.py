"""Counts of simulated learners, without any text: gamma-Poisson errors with planted rate ratios."""

from __future__ import annotations

import numpy as np
import pandas as pd

from miner import tables
from miner.learner import Counts
from miner.ledger import Ledger


def simulate_counts(
    seed: int,
    *,
    learners: int | tuple[int, ...] = 30,
    l1s: int = 5,
    features: int = 12,
    bands: tuple[str, ...] = ("A", "B"),
    base: float = 4.0,
    ratio: float = 1.0,
    words: int = 300,
    shape: float = 2.0,
    prompts: int = 3,
    recall: tuple[float, float] | None = None,
    texts: int = 1,
):
    """Return counts and which L1 each feature is planted in.

    ``learners``: of each L1, or one number per L1 in turn. ``recall``: a checker sees each feature's errors with a probability
    between these two. ``texts``: of each learner, all with the learner's own rates.
    """
    rng = np.random.default_rng(seed)
    sizes = np.resize(learners, l1s)
    planted = rng.permutation(np.arange(features) % l1s)
    units, cells = [], []
    for band in bands:
        effect = np.exp(rng.normal(0, 0.3, (prompts, features)))
        for g in range(l1s):
            rate = rng.gamma(shape, 1 / shape, (sizes[g], features)) * base / 1000 * np.where(planted == g, ratio, 1.0)
            for k, t in np.ndindex(sizes[g], texts):
                learner, prompt = f"{band}{g}-{k:03}", int(rng.integers(prompts))
                name = f"{learner}-{t}" if texts > 1 else learner
                units.append((name, f"L{learner}", f"l{g}", band, f"{band}{prompt}", words))
                drawn = rng.poisson(rate[k] * effect[prompt] * words)
                cells += [(name, f"f{f:02}", int(drawn[f])) for f in np.flatnonzero(drawn)]
    if recall is not None:
        seen = rng.uniform(*recall, features)
        cells = [(t, f, k) for t, f, n in cells if (k := int(rng.binomial(n, seen[int(f[1:])])))]
    frame = pd.DataFrame(units, columns=["text_id", "learner", "l1", "band", "prompt", "words"])
    frame["opportunities"] = pd.NA
    counts = tables.conform(pd.DataFrame(cells, columns=["text_id", "feature", "n"]), tables.COUNTS)
    counted = Counts(counts, tables.conform(frame, tables.UNITS), Ledger("count", "texts"))
    return counted, {f"f{f:02}": f"l{planted[f]}" for f in range(features)}
