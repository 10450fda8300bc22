"""One feature of one L1, step by step, so that a reader can redo it by hand."""

from __future__ import annotations

import pandas as pd

from miner import tables
from miner.errors import InputError, listed, nearest
from miner.evaluate.explained_contrast import contrast_steps, ratio_steps
from miner.evaluate.explained_test import Step, test_steps
from miner.evaluate.explained_test import shown as _shown
from miner.evaluate.explained_thresholds import correction_steps, threshold_steps
from miner.evaluate.explained_units import explained_texts, explained_units
from miner.learner.presets import BANDS, L1Preset, get_preset


def explain_units(
    tests: pd.DataFrame,
    counts: pd.DataFrame,
    units: pd.DataFrame,
    recipe: L1Preset,
    *,
    l1: str,
    feature: str,
    cefr: str | None = None,
) -> pd.DataFrame:
    """Return the units of one comparison (:data:`miner.tables.EXPLAINED_UNITS`); parameters and errors as :func:`explain`."""
    row = _row(tests, l1, feature, cefr)
    return explained_units(row, explained_texts(row, counts, units, recipe))


def explain(
    tests: pd.DataFrame,
    inventory: pd.DataFrame,
    *,
    l1: str,
    feature: str,
    cefr: str | None = None,
    counts: pd.DataFrame | None = None,
    units: pd.DataFrame | None = None,
    recipe: L1Preset | None = None,
) -> pd.DataFrame:
    """Return the steps from counts to rank.

    Parameters
    ----------
    tests, inventory : DataFrame
        :data:`miner.tables.L1_TESTS` and :data:`miner.tables.L1_INVENTORY`.
    l1, feature : str
        The L1's code and the feature's id.
    cefr : str, optional
        The band; needed if the L1 was tested in several.
    counts, units : DataFrame, optional
        :data:`miner.tables.COUNTS` and :data:`miner.tables.UNITS`: adds the mean and variance of the units' rates for each L1, and
        the prompts with the counts of both sides.
    recipe : L1Preset, optional
        That of the run: adds the strata, variances and weights behind the effect, and each threshold with its limit.

    Returns
    -------
    DataFrame
        :data:`miner.tables.EXPLANATION`.

    Raises
    ------
    InputError
        If the comparison is not in the table; the message names the nearest.
    """
    row = _row(tests, l1, feature, cefr)
    steps = [*_what(row), *_counts(row)]
    sides = None
    if counts is not None and units is not None:
        # Without the run's recipe its unit still says which texts are compared.
        texts = explained_texts(row, counts, units, recipe or get_preset("welch", unit=row["unit"]))
        table = explained_units(row, texts)
        own = int((table["l1"] == row["l1"]).sum())
        sides = (own, len(table) - own)
        steps += _spread(row, table)
        if recipe is not None and row["test"] == "permutation":
            steps += [*contrast_steps(row, table, recipe), *ratio_steps(row, texts, recipe)]
        else:
            steps += _prompts(row, texts)
    steps += [*test_steps(row), *correction_steps(row, tests), *_selection(row, inventory, recipe, sides)]
    rows = [
        {"step": k + 1, "quantity": q, "target": _shown(t), "reference": _shown(r), "how": how}
        for k, (q, t, r, how) in enumerate(steps)
    ]
    return tables.conform(rows, tables.EXPLANATION)


def _row(tests: pd.DataFrame, l1: str, feature: str, cefr: str | None) -> pd.Series:
    for column, value in (("l1", l1), ("feature", feature)):
        known = sorted(tests[column].dropna().unique())
        if value not in known:
            msg = f"No test has {column} '{value}'{nearest(value, known) or '.'} There are {listed(known)}"
            raise InputError(msg)
    rows = tests[(tests["l1"] == l1) & (tests["feature"] == feature)]
    bands = sorted(rows["cefr"].dropna().unique())
    if cefr is None and len(bands) > 1:
        msg = f"'{l1}' was tested in the bands {listed(bands)}: name one with --cefr"
        raise InputError(msg)
    band = (bands[0] if bands else "") if cefr is None else cefr
    rows = rows[rows["cefr"] == band]
    if rows.empty:
        why = "" if band in BANDS else f"'{band}' is no band (bands are {listed(BANDS)}): "
        msg = (
            f"{why}'{l1}' was not tested in it, but in {listed(bands)}"
            if why
            else f"'{l1}' was not tested in band '{band}', but in {listed(bands)}"
        )
        raise InputError(msg)
    found: pd.Series = rows.iloc[0]
    return found


def _what(row: pd.Series) -> list[Step]:
    return [
        ("comparison", f"{row['l1']}, band {row['cefr']}", row["reference"], "the reference's L1s with their units"),
        ("feature", f"{row['feature']}: {row['label']}", "", "what is counted"),
        ("unit", row["unit"], "", "what a rate belongs to; a learner's texts of the band are summed"),
    ]


def _counts(row: pd.Series) -> list[Step]:
    def pair(name: str, how: str) -> Step:
        return name, row[f"{name}_target"], row[f"{name}_reference"], how

    return [
        pair("texts", "texts that were checked, have words, one known L1 and the band"),
        pair("learners", "different learners among them; empty when the corpus does not tell"),
        pair("errors", "numerator: occurrences of the feature"),
        pair("words", "denominator: words"),
        pair("users", "units with at least one occurrence"),
        pair("ratio_of_sums", "1000 * errors / words"),
        pair("rate", "mean over units of 1000 * errors / words of the unit (reference weighted as the preset says)"),
        (
            "top share",
            row["top_share"],
            "",
            "largest share of one unit in the occurrences of the side with the higher rate",
        ),
    ]


def _spread(row: pd.Series, table: pd.DataFrame) -> list[Step]:
    rates = table.set_index("l1")["rate"].astype("float64")
    target = rates.index == row["l1"]
    steps: list[Step] = [
        (
            "variance of rates",
            float(rates[target].var()),
            float(rates[~target].var()),
            "of the units' rates, over n - 1 (reference pooled)",
        )
    ]
    for l1, own in rates[~target].groupby(level=0, sort=True):
        how = "mean rate and number of units of a reference L1; variance of the units' rates"
        steps.append((f"rate of {l1}", "", f"{own.mean():.12g}, n = {len(own)}, variance {own.var():.12g}", how))
    return steps


def _prompts(row: pd.Series, texts: pd.DataFrame) -> list[Step]:
    frame = texts[texts["band"] == row["cefr"]].assign(target=lambda here: here["l1"] == row["l1"])
    sums = frame.groupby(["prompt", "target"])[["occurrences", "words"]].sum()
    steps: list[Step] = []
    for prompt in sorted(frame["prompt"].unique()):
        one, two = (_side(sums, prompt, target) for target in (True, False))
        steps.append((f"prompt {prompt or '(unknown)'}", one, two, "errors in words (reference pooled)"))
    return steps


def _side(sums: pd.DataFrame, prompt: str, target: bool) -> str:  # noqa: FBT001
    if (prompt, target) not in sums.index:
        return "none"
    errors, words = (sums[column].to_dict()[(prompt, target)] for column in ("occurrences", "words"))
    return f"{errors} in {words}"


def _selection(
    row: pd.Series, inventory: pd.DataFrame, recipe: L1Preset | None, sides: tuple[int, int] | None
) -> list[Step]:
    steps: list[Step] = [] if recipe is None else threshold_steps(row, recipe, sides)
    if pd.notna(row.get("replication")):
        how = "expected probability that a new sample of this size shows the direction with one-sided p < .05"
        steps.append(("replication", row["replication"], "", how))
    if pd.notna(row.get("replication_list")):
        how = "mean of that over the candidates of the family that are at least as probable"
        steps.append(("replication of the list", row["replication_list"], "", how))
    if pd.notna(row["stability"]):
        how = f"share of half-samples in which it is among the {row['stability_best']} best of its cell"
        steps.append(("stability", row["stability"], "", how))
    steps.append(("failed", row["failed"] or "none", "", "thresholds of the preset that it fails"))
    key = (inventory["l1"] == row["l1"]) & (inventory["cefr"] == row["cefr"]) & (inventory["feature"] == row["feature"])
    chosen = inventory[key]
    if chosen.empty:
        return [*steps, ("rank", "not in the inventory", "", "")]
    first = chosen.iloc[0]
    return [
        *steps,
        ("rank", f"{first['rank']} ({first['direction']}-use)", "", "place in the inventory of the L1 and band"),
    ]
