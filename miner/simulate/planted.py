"""The table of what was planted: for each L1, band and feature the expected rates and the power to find the contrast."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from miner.simulate.design import BANDS, L1S, Design
from miner.simulate.plan import Plan
from miner.simulate.power import learner_moments, student_power, text_moments, welch_power
from miner.simulate.templates import Grammar
from miner.simulate.writing import Floats, Ints, Written, expected_rates
from miner.tables import PLANTED, conform

#: Errors that each group must have by expectation; with fewer the means are far from normal, and so is the power formula
#: (against a simulation, it is within .06 of the power from here on, and off by any amount below).
LEAST_ERRORS = 3.0


def planted_table(grammar: Grammar, plan: Plan, design: Design, written: Written) -> pd.DataFrame:
    """Return the table ``planted``; powers are calculated, not counted, see :mod:`miner.simulate.power`.

    Powers are missing where a group has fewer than 2 units, or 3 errors by expectation.
    The power is that of the true errors: of features that no rule sees it says what a checker without gaps would find.
    """
    # Texts longer than aimed at (their errors alone exceed the length) have the lower rate that follows.
    rates = expected_rates(plan, design) * (design.words / written.words)[:, None]
    rows = [
        row
        for band in range(len(BANDS))
        for l1 in range(len(L1S))
        for row in _cell(grammar, plan, design, written.words, rates, l1, band)
    ]
    return conform(rows, PLANTED)


def _cell(
    grammar: Grammar, plan: Plan, design: Design, words: Ints, rates: Floats, l1: int, band: int
) -> Iterator[dict[str, object]]:
    in_band = design.band == band
    target = np.flatnonzero(in_band & (design.l1 == l1))
    rest = np.flatnonzero(in_band & (design.l1 != l1))
    groups = (target, rest)
    sizes: dict[str, object] = {}
    for name, group in zip(("target", "reference"), groups, strict=True):
        sizes |= {
            f"learners_{name}": len(np.unique(design.writer[group])),
            f"texts_{name}": len(group),
            f"words_{name}": int(words[group].sum()),
        }
    for i, feature in enumerate(grammar.features):
        text, learner = (
            [moments(rates[g, i], words[g], design.writer[g], plan.shape) for g in groups]
            for moments in (text_moments, learner_moments)
        )
        ratio = float(plan.ratio[l1, band, i])
        enough = all(float((rates[g, i] * words[g]).sum()) / 1000 >= LEAST_ERRORS for g in groups)
        yield {
            "l1": L1S[l1],
            "cefr": BANDS[band],
            "feature": feature.category,
            "error": feature.name,
            "checker_sees": feature.seen,
            "planted": ratio != 1,
            "base_rate": float(plan.base[i]),
            "rate_ratio": ratio,
            "rate_target": text[0].mean,
            "rate_reference": text[1].mean,
            "direction": _direction(ratio, plan.ratio[:, band, i], l1),
            **sizes,
            "power": student_power(*text) if enough else float("nan"),
            "power_welch_learners": welch_power(*learner) if enough else float("nan"),
        }


def _direction(ratio: float, all_ratios: Floats, l1: int) -> str:
    others = float(np.delete(all_ratios, l1).mean())
    return "none" if np.isclose(ratio, others) else "over" if ratio > others else "under"
