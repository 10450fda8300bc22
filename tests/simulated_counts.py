"""Counts of simulated learners, without any text: gamma-Poisson errors with planted rate ratios, and the plan of them."""

from __future__ import annotations

from collections.abc import Mapping

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
    planted: int | None = None,
    bands: tuple[str, ...] = ("A", "B"),
    base: float = 4.0,
    ratio: float = 1.0,
    words: int = 300,
    shape: float = 2.0,
    prompts: int = 3,
    recall: tuple[float, float] | None = None,
    texts: int = 1,
):
    """Return counts and which L1 each planted feature is planted in.

    ``learners``: of each L1, or one number per L1 in turn. ``planted``: features that are planted in one L1, the first ones; the
    others are true nulls (default: all are planted). ``recall``: a checker sees each feature's errors with a probability between these
    two. ``texts``: of each learner, all with the learner's own rates.
    """
    rng = np.random.default_rng(seed)
    sizes = np.resize(learners, l1s)
    own = rng.permutation(np.arange(features) % l1s)
    own[features if planted is None else planted :] = -1
    units, cells = [], []
    for band in bands:
        effect = np.exp(rng.normal(0, 0.3, (prompts, features)))
        for g in range(l1s):
            rate = rng.gamma(shape, 1 / shape, (sizes[g], features)) * base / 1000 * np.where(own == g, ratio, 1.0)
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
    return counted, {f"f{f:02}": f"l{own[f]}" for f in np.flatnonzero(own >= 0)}


def plan_of(
    counted: Counts, planted: Mapping[str, str], *, features: int = 12, ratio: float = 3.0, base: float = 4.0
) -> pd.DataFrame:
    """Return what was planted in counts, as the table of a simulated corpus."""
    rows = []
    for (band, l1), units in counted.units.groupby(["band", "l1"]):
        rest = counted.units[(counted.units["band"] == band) & (counted.units["l1"] != l1)]
        groups = (("target", units), ("reference", rest))
        sizes = {f"learners_{k}": u["learner"].nunique() for k, u in groups}
        sizes |= {f"texts_{k}": len(u) for k, u in groups} | {f"words_{k}": int(u["words"].sum()) for k, u in groups}
        for feature in (f"f{f:02}" for f in range(features)):
            own = planted.get(feature) if ratio != 1 else None
            here, r = own == l1, ratio if own == l1 else 1.0
            direction = "none" if own is None else "over" if here == (ratio > 1) else "under"
            rows.append(
                {
                    "l1": l1, "cefr": band, "feature": feature, "error": feature, "checker_sees": True, "planted": here,
                    "base_rate": base, "rate_ratio": r, "rate_target": base * r, "rate_reference": base,
                    "direction": direction, "power": np.nan, "power_welch_learners": np.nan,
                } | sizes
            )  # fmt: skip
    return tables.conform(rows, tables.PLANTED)
