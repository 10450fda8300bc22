"""Steps of the permutation test's effect: strata, deviations, variances, weights; and of the ratio over prompts."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import special

from miner.evaluate.explained_test import Step
from miner.learner.presets import L1Preset

#: Strata times L1s that are shown as steps; longer lists are in the table of units alone.
SHOWN_CELLS = 60


def contrast_steps(row: pd.Series, frame: pd.DataFrame, recipe: L1Preset) -> list[Step]:
    """Return the steps from strata to the studentised statistic; formulas as in :class:`miner.stats.ContrastEngine`.

    Parameters
    ----------
    row : Series
        A row of :data:`miner.tables.L1_TESTS`.
    frame : DataFrame
        :data:`miner.tables.EXPLAINED_UNITS`.
    recipe : L1Preset
    """
    use = frame[frame["informative"].astype(bool)]
    steps = _strata_steps(row, frame, use)
    by_l1 = use.groupby("l1", sort=True)["deviation"]
    groups = pd.DataFrame({"n": by_l1.size(), "m": by_l1.mean(), "s2": by_l1.var(ddof=0) * by_l1.size()})
    if row["l1"] not in groups.index or len(groups) < 2:
        return steps
    pooled = groups["s2"].sum() / max(groups["n"].sum() - len(groups), 1)
    prior = recipe.prior_units
    groups["v"] = (groups["s2"] + prior * pooled) / np.maximum(groups["n"] - 1 + prior, 1)
    others = groups.index != row["l1"]
    base = (groups["n"] >= recipe.min_units).astype(float) if recipe.contrast == "equal" else groups["n"].astype(float)
    base = base * others
    groups["w"] = base / base.sum() if base.sum() > 0 else base
    steps.append(
        (
            "pooled variance v0",
            float(pooled),
            "",
            f"sum of s2 of all L1s / (units - L1s) = {groups['s2'].sum():.12g} / ({groups['n'].sum()} - {len(groups)})",
        )
    )
    how = f"n units, m mean deviation, s2 sum of (deviation - m)^2, v = (s2 + {prior:g} * v0) / (n - 1 + {prior:g}), weight in the reference"
    for l1, g in groups.iterrows():
        text = f"n {g['n']:.0f}, m {g['m']:.12g}, s2 {g['s2']:.12g}, v {g['v']:.12g}"
        steps.append(
            (f"deviations of {l1}", text, "", how)
            if l1 == row["l1"]
            else (f"deviations of {l1}", "", f"{text}, weight {g['w']:.12g}", how)
        )
    own, error = groups.loc[row["l1"]], groups["v"] / groups["n"]
    reference, squared = float((groups["w"] * groups["m"]).sum()), float((groups["w"] ** 2 * error).sum())
    effect, se = float(own["m"] - reference), float(np.sqrt(error[row["l1"]] + squared))
    t = float(special.stdtrit(max(own["n"] - 1, 1), 0.975))
    steps += [
        ("mean deviation", float(own["m"]), reference, "m of the L1; sum of weight * m over the reference's L1s"),
        ("squared standard error", float(error[row["l1"]]), squared, "v / n of the L1; sum of weight^2 * v / n"),
        ("effect by these steps", effect, "", "difference of the two mean deviations; the run wrote it as 'effect'"),
        ("standard error", se, "", "square root of the sum of the two squared standard errors"),
        (
            "t quantile",
            t,
            "",
            f".975 quantile of t with {max(own['n'] - 1, 1):.0f} degrees of freedom, n of the L1 - 1",
        ),
        ("studentised statistic", effect / se if se > 0 else np.nan, "", "effect / standard error; z standardises it"),
    ]
    return steps


def _strata_steps(row: pd.Series, frame: pd.DataFrame, use: pd.DataFrame) -> list[Step]:
    total, kept = frame["stratum"].nunique(), use["stratum"].nunique()
    target = frame["l1"] == row["l1"]
    alone = ~frame["informative"].astype(bool)
    what = "prompts (with their bands)" if row["strata"] == "prompt" else "bands"
    steps: list[Step] = [
        ("strata", kept, total - kept, f"sets of {what} with units of two L1s or more; with one L1 (no information)"),
        (
            "units in strata with one L1",
            int((alone & target).sum()),
            int((alone & ~target).sum()),
            "they enter the rates, not the effect",
        ),
    ]
    if kept * use["l1"].nunique() > SHOWN_CELLS:
        name = "strata one by one"
        return [*steps, (name, "in the table of units", "", "too many for steps; write the table with --units FILE")]
    for stratum, part in use.groupby("stratum", sort=True):
        sides = [
            ", ".join(f"{l1}: {len(r)} units, rates sum {r.sum():.12g}" for l1, r in p.groupby("l1", sort=True)["rate"])
            for p in (part[part["l1"] == row["l1"]], part[part["l1"] != row["l1"]])
        ]
        how = f"mean rate of its {len(part)} units: {part['rate'].mean():.12g}; deviation = rate - this mean"
        steps.append((f"stratum {stratum}", sides[0] or "none", sides[1] or "none", how))
    return steps


def ratio_steps(row: pd.Series, texts: pd.DataFrame, recipe: L1Preset) -> list[Step]:
    """Return the steps to the Mantel-Haenszel ratio over the band's prompts (:func:`miner.stats.mantel_haenszel`)."""
    here = texts[texts["band"] == row["cefr"]]
    here = here.assign(prompt="all") if recipe.strata == "level" else here
    l1s = here.groupby("l1", sort=True).agg(units=("member", "nunique"), words=("words", "sum"))
    others = l1s[l1s.index != row["l1"]]
    if recipe.contrast == "equal":
        others = others[others["units"] >= recipe.min_units]
    if others.empty:
        return []
    equal = recipe.contrast == "equal"
    weight = others["words"].mean() / others["words"] if equal else others["words"] * 0.0 + 1.0
    steps: list[Step] = [
        (
            f"ratio weight of {l1}",
            "",
            float(w),
            "mean words of the reference's L1s / words of this one" if equal else "",
        )
        for l1, w in weight.items()
    ]
    sums = here.groupby(["prompt", "l1"])[["occurrences", "words"]].sum().reset_index()
    factor = sums["l1"].map(weight).fillna(0.0)
    above = below = 0.0
    for prompt, part in sums.groupby("prompt", sort=True):
        own, f = part[part["l1"] == row["l1"]], factor[part.index]
        o_t, w_t = float(own["occurrences"].sum()), float(own["words"].sum())
        o_r, w_r = float((f * part["occurrences"]).sum()), float((f * part["words"]).sum())
        if w_t + w_r <= 0:
            continue
        r, s = o_t * w_r / (w_t + w_r), o_r * w_t / (w_t + w_r)
        above, below = above + r, below + s
        how = f"weighted sums; O_t W_r / (W_t + W_r) = {r:.12g}, O_r W_t / (W_t + W_r) = {s:.12g}"
        name = f"ratio in prompt {prompt or '(unknown)'}"
        steps.append((name, f"O {o_t:.12g}, W {w_t:.12g}", f"O {o_r:.12g}, W {w_r:.12g}", how))
    steps.append(
        ("sums over prompts", above, below, "log rate ratio = ln(first / second); if one is 0, halves are added")
    )
    return steps
