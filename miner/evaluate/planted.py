"""With a simulated corpus: what a recipe finds of what was planted, and what it finds that is not so."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pandas as pd

from miner.evaluate.members import admit_learners
from miner.learner import Counts, L1Preset, admit, get_preset, select_l1, test_l1

_KEY = ["l1", "cefr", "feature"]


@dataclass(frozen=True)
class Planted:
    """What was found of the planted.

    Attributes
    ----------
    power : float
        Share of the planted over-uses that a checker can see which are selected as over-uses; NaN if none was planted.
    planted : int
    false_share : float
        Share of the findings whose direction is not that of the L1's expected contrast with the reference; 0 without findings.
    findings : int
    strangers : int
        Findings of features that nobody planted: errors of the checker's making.
    groups : DataFrame
        The same by rate ratio, base rate, overdispersion, learners, sizes and checker recall: :data:`miner.tables.VALIDATION_PLANTED` without
        source and preset.
    """

    power: float
    planted: int
    false_share: float
    findings: int
    strangers: int
    groups: pd.DataFrame = field(repr=False)


def compare_planted(
    counted: Counts,
    preset: str | L1Preset,
    planted: pd.DataFrame,
    *,
    labels: dict[str, str] | None = None,
    seed: int = 20250101,
) -> Planted:
    """Return power and false discoveries, in all and by what they may depend on.

    Parameters
    ----------
    counted : Counts
    preset : str or L1Preset
        Its cap is not used.
    planted : DataFrame
        :data:`miner.tables.PLANTED`.
    labels : dict, optional
    seed : int

    Notes
    -----
    A finding is true if its direction is that of the L1's expected contrast with the reference: an error planted in one L1 makes
    the other L1s under-users. Recall of the checker for a feature: its counts over the errors that were planted by
    expectation. Overdispersion of a feature in a band: :func:`overdispersion`.
    """
    recipe = get_preset(preset, cap=None)
    admitted = admit(counted.units, recipe)
    tests = test_l1(counted.counts, admitted, preset=recipe, labels=labels, seed=seed)
    inventory = select_l1(tests, recipe)
    cells = planted.assign(**_kinds(planted, counted, admit_learners(counted, recipe).texts))
    cells = cells[cells["cefr"].isin(admitted.texts["band"].unique())]
    cells = cells.merge(inventory[[*_KEY, "direction"]].rename(columns={"direction": "found"}), on=_KEY, how="left")
    cells["finding"] = cells["found"].notna()
    cells["false"] = cells["finding"] & (cells["found"] != cells["direction"])
    cells["target"] = (
        (cells["rate_ratio"] > 1)
        & cells["planted"].astype(bool)
        & cells["checker_sees"].astype(bool)
        & (cells["direction"] == "over")
    )
    cells["hit"] = cells["target"] & (cells["found"] == "over")
    groups = pd.DataFrame([row for by in _BY for row in _grouped(cells, by)])
    whole = groups.iloc[0]
    return Planted(
        float(whole["power"]),
        int(whole["planted"]),
        float(whole["false_share"]),
        int(whole["findings"]),
        len(inventory) - int(whole["findings"]),
        groups,
    )


_BY = ("all", "rate ratio", "base rate", "overdispersion", "learners", "sizes", "checker recall")


def _kinds(planted: pd.DataFrame, counted: Counts, texts: pd.DataFrame) -> dict[str, pd.Series]:
    """Return the groups of each row by what power may depend on, as names that sort in their order."""
    ratio = planted["rate_ratio"].astype("float64")
    learners = planted["learners_target"].astype("float64")
    others = planted.groupby(["cefr", "feature"])["learners_target"].transform("max").astype("float64")
    own = counted.counts[counted.counts["text_id"].isin(texts["text_id"])].groupby("feature")["n"].sum()
    expected = (planted["rate_target"] * planted["words_target"].astype("float64") / 1000).groupby(planted["feature"])
    recall = (planted["feature"].map(own).fillna(0) / expected.transform("sum")).astype("float64")
    phi = overdispersion(counted.counts, texts).reindex(pd.MultiIndex.from_frame(planted[["cefr", "feature"]]))
    return {
        "all": pd.Series("all", index=planted.index),
        "rate ratio": _binned(ratio, (1, 1.01, 1.5, 2, 3)).replace({"1 to 1.01": "1 (nothing planted)"}),
        "base rate": _binned(planted["base_rate"], (0.5, 1, 2, 4)),
        "overdispersion": _binned(pd.Series(phi.fillna(1.0).to_numpy(), index=planted.index), (1.2, 1.5, 2, 3)),
        "learners": _binned(learners, (10, 20, 40, 100, 400)),
        "sizes": _binned(others / learners, (2, 5, 10)).map("largest L1 over this one: {}".format),
        "checker recall": _binned(recall, (0.05, 0.3, 0.6, 0.9)),
    }


def overdispersion(counts: pd.DataFrame, texts: pd.DataFrame) -> pd.Series:
    """Return how much more learners of an L1 differ in a feature than by chance alone (1: Poisson).

    Parameters
    ----------
    counts : DataFrame
        :data:`miner.tables.COUNTS`.
    texts : DataFrame
        Columns ``text_id, member, l1, band, words``.

    Returns
    -------
    Series
        By band and feature, of features that occur in an L1 with two learners.

    Notes
    -----
    Pearson's statistic of learners' counts around their L1's rate in the band, over its degrees of freedom: sum of (n - r w)^2 / (r w)
    over L1s and learners / sum of (learners - 1) over L1s that have the feature. r: the L1's occurrences over its words.
    """
    who = ["band", "l1", "member"]
    words = texts.groupby(who)["words"].sum().astype("float64").rename("w").reset_index()
    per_learner = counts.merge(texts[["text_id", *who]], on="text_id").groupby([*who, "feature"])["n"].sum()
    cells = per_learner.astype("float64").reset_index().merge(words, on=who)
    # sum (n - r w)^2 / (r w) = sum n^2 / (r w) - sum n: learners without the feature need no row.
    own = cells.assign(square=cells["n"] ** 2 / cells["w"]).groupby(["band", "l1", "feature"])[["n", "square"]].sum()
    size = words.groupby(["band", "l1"])["w"].agg(["sum", "count"])
    own = own.reset_index().merge(size.reset_index(), on=["band", "l1"])
    own["chi"] = own["square"] * own["sum"] / own["n"] - own["n"]
    own["df"] = own["count"] - 1
    total = own.groupby(["band", "feature"])[["chi", "df"]].sum()
    total = total[total["df"] > 0]
    result: pd.Series = total["chi"] / total["df"]
    return result


def _binned(values: pd.Series, edges: tuple[float, ...]) -> pd.Series:
    bounds = [f"under {edges[0]:g}", *(f"{a:g} to {b:g}" for a, b in pairwise(edges))]
    names = np.array([*bounds, f"{edges[-1]:g} and more"], dtype=object)
    return pd.Series(names[np.digitize(values.astype("float64"), edges)], index=values.index)


def _grouped(cells: pd.DataFrame, by: str) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    order = {"rate ratio": "rate_ratio", "base rate": "base_rate", "learners": "learners_target"}.get(by)
    named = cells.sort_values(order, kind="stable") if order else cells.sort_values(by, kind="stable")
    for name, part in named.groupby(by, sort=False):
        n, found, findings, false = (int(part[c].sum()) for c in ("target", "hit", "finding", "false"))
        rows.append(
            {
                "by": by,
                "group": str(name),
                "planted": n,
                "found": found,
                "power": found / n if n else np.nan,
                "findings": findings,
                "false_findings": false,
                "false_share": false / findings if findings else 0.0,
            }
        )
    return rows
