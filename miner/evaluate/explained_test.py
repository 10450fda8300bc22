"""Steps of the deciding test: effect, statistic, its permutation distribution and p."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

#: Quantity, its value on the side of the target and of the reference, and how it is made.
Step = tuple[str, Any, Any, str]


def shown(value: Any) -> str:
    """Return a number with 12 significant digits, and nothing for what is missing."""
    if value is None or (isinstance(value, float) and np.isnan(value)) or value is pd.NA:
        return ""
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def test_steps(row: pd.Series) -> list[Step]:
    """Return the steps from effect to p of a row of :data:`miner.tables.L1_TESTS`."""
    status = str(row["status"])
    steps: list[Step] = [
        ("status", f"{status}{': ' + str(row['reason']) if row['reason'] else ''}", "", "whether a test could be made")
    ]
    if status == "untestable":
        return steps
    steps += [
        ("effect", row["effect"], "", "difference of mean rates (permutation: within strata), per 1,000 words"),
        ("95 % interval", f"{shown(row['ci_low'])} to {shown(row['ci_high'])}", "", "of the effect"),
    ]
    if row["test"] == "permutation":
        steps += [
            ("log rate ratio", row["log_ratio"], "", "Mantel-Haenszel over prompts, natural logarithm"),
            (
                "95 % interval of it",
                f"{shown(row['log_ratio_low'])} to {shown(row['log_ratio_high'])}",
                "",
                f"log rate ratio -/+ t * se: jackknife se {shown(row.get('log_ratio_se'))} over learners (folds in the table of units), t with "
                f"{shown(row.get('log_ratio_df'))} degrees of freedom",
            ),
            ("bound", row["bound"], "", "end of that interval nearer to 0, as a size: features are ranked by it"),
            *_standardised(row),
            ("p", row["p"], "", f"permuting learners' L1s within strata: {_p_method(row)}"),
            ("family p", row["family_p"], "", "max-T: does the family hold anything?"),
        ]
    else:
        steps += [
            ("t", row["statistic"], "", f"{row['test']} t-test"),
            ("df", row["df"], "", "degrees of freedom"),
            ("p", row["p"], "", "of t"),
        ]
    return steps


def _standardised(row: pd.Series) -> list[Step]:
    # Runs of older versions have no moments.
    mean, sd, skew, raw = (float(row.get(c, np.nan)) for c in ("null_mean", "null_sd", "null_skew", "studentised"))
    steps: list[Step] = []
    if not np.isnan(sd):
        over = (
            f"over {row['permutations']} labellings" if row["p_method"] != "sequential" else "over the first labellings"
        )
        steps.append(
            ("studentised under permutation", f"mean {mean:.12g}, sd {sd:.12g}, skewness {skew:.12g}", "", over)
        )
    if sd > 0:
        x = (raw - mean) / sd
        how = "(studentised - mean) / sd; its normal score under skewness g is z: 6/g ((g x/2 + 1)^(1/3) - 1) + g/6 on the side of the long tail"
        steps.append(("x", x, "", f"{how}; else x - g (x^2 - 1)/6 where |x| > 1, x where not"))
    return [*steps, ("z", row["statistic"], "", "studentised contrast, standardised so")]


def _p_method(row: pd.Series) -> str:
    count, total = row["extreme"], row["permutations"]
    said = {
        "exact": f"exact, {count} / {total}",
        "monte carlo": f"({count} + 1) / ({total} + 1)",
        "tail": f"two-sided tail of z, as only {count} of {total} labellings are as extreme",
        "sequential": f"{count} of {total} further labellings as extreme, (c + 1) / (m + 1) unless they ended with the tenth",
        "floor": f"({count} + 1) / ({total} + 1), an upper bound",
    }
    return said.get(str(row["p_method"]), str(row["p_method"]))


# Steps of a test, not a unit test.
test_steps.__test__ = False  # type: ignore[attr-defined]
