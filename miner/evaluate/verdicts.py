"""The verdict on a recipe: what the figures of a validation come to, one sentence a claim."""

from __future__ import annotations

import numpy as np
import pandas as pd

from miner.evaluate.shuffles import QUOTABLE

#: What a claim asks for. Shuffled labels: selecting anything in 5 % of shuffles, plus Monte Carlo error (one-sided 95 %).
SHUFFLED = 0.05
#: p-values of one shuffle depend on each other, so that their share under .05 varies more than that of as many coins.
MOST_SMALL_P = 0.07
SAME_SIGN, REPLICATED, FALSE_SHARE = 0.95, 0.65, 0.05
#: Findings in halves (of the same learners, so not independent) that a share of them needs to be judged.
FEWEST_FINDINGS = 20
AGAIN = "findings of a half with one-sided p < .05 in the other"
BASELINE = "held-out AUC, baseline: "

Claim = tuple[str, bool | None]


def verdict(figures: pd.DataFrame, preset: str, *, source: str | None = None) -> list[Claim]:
    """Return the sentences of a verdict on one recipe with whether each holds; None where it cannot be told.

    Parameters
    ----------
    figures : DataFrame
        :data:`miner.tables.VALIDATION`.
    preset : str
        Name of the recipe.
    source : str, optional
        What was counted; the first source of the table by default.
    """
    own = figures[figures["source"] == (source or figures["source"].iloc[0])]
    rows = own[own["preset"] == preset].set_index("figure")
    claims = [*_shuffled(rows), *_halves(rows)]
    if "held-out AUC" in rows.index:
        claims += _held_out(rows)
    if "planted over-uses that are found" in rows.index:
        claims += _planted(rows)
    return [*claims, *_across(rows)]


def _value(rows: pd.DataFrame, figure: str, column: str = "value") -> float:
    return float(rows[column].astype("float64").get(figure, np.nan))


def _chance(expected: float, n: float) -> float:
    return expected + 1.645 * float(np.sqrt(expected * (1 - expected) / n)) if n else expected


def _shuffled(rows: pd.DataFrame) -> list[Claim]:
    share, n = (_value(rows, "share of shuffles that select anything", c) for c in ("value", "n"))
    limit = _chance(SHUFFLED, n)
    few = (
        "" if n >= QUOTABLE else f"; {n:.0f} shuffles are a first look, {QUOTABLE} are needed for figures to be quoted"
    )
    mean, median = (_value(rows, f"selected per L1, true labels{m}") for m in ("", ", median"))
    small = _value(rows, "share of p <= 0.05, shuffled labels")
    return [
        (
            f"With shuffled labels something is selected in {share:.1%} of {n:.0f} runs (at most {limit:.1%}{few})",
            bool(share <= limit),
        ),
        (
            f"With the true labels {mean:.3g} features per L1 are selected (median {median:.3g}; for half of the L1s or more at least one)",
            bool(median >= 0.5),
        ),
        (
            _told(f"of the p-values of shuffled labels are at or under .05 (at most {MOST_SMALL_P:.0%})", small),
            _at_most(small, MOST_SMALL_P),
        ),
    ]


def _halves(rows: pd.DataFrame) -> list[Claim]:
    sign = _value(rows, "findings of a half with the same sign in the other")
    again, n = (_value(rows, AGAIN, c) for c in ("value", "n"))
    expected = _value(rows, f"{AGAIN}, as the recipe itself expects")
    found = f"of {n:.0f} findings in halves" if n > 0 else f"of the findings in halves{' (none)' if n == 0 else ''}"
    few = f"; fewer than {FEWEST_FINDINGS} findings cannot tell" if 0 < n < FEWEST_FINDINGS else ""
    forecast = f"; the recipe itself expects {expected:.1%}" if expected == expected else ""
    return [
        (
            _told(f"{found} keep their sign in the other half (at least 95 %{few})", sign),
            None if few else _at_least(sign, SAME_SIGN),
        ),
        (
            _told(f"{found} reach one-sided p < .05 in the other half (at least 65 %{forecast}{few})", again),
            None if few else _at_least(again, REPLICATED),
        ),
    ]


def _held_out(rows: pd.DataFrame) -> list[Claim]:
    auc, low, high = (_value(rows, "held-out AUC", c) for c in ("value", "low", "high"))
    if auc != auc:
        return [
            ("Not to be told: whether inventories tell L1s apart on unseen learners (too few learners per L1)", None)
        ]
    shuffled = _value(rows, f"{BASELINE}shuffled labels")
    claims: list[Claim] = [
        (
            f"On unseen learners the inventories tell L1s apart with AUC {auc:.3f} ({low:.3f} to {high:.3f}); with shuffled "
            f"labels {shuffled:.3f}, by chance .5",
            bool(low > max(0.5, shuffled)),
        )
    ]
    for name in ("prompt only", "length and score only", "punctuation and layout only"):
        value = _value(rows, f"{BASELINE}{name}")
        if value == value:
            claims.append((f"AUC {auc:.3f} is more than that of {name}, {value:.3f}", bool(auc > value)))
    return claims


def _planted(rows: pd.DataFrame) -> list[Claim]:
    power, n = (_value(rows, "planted over-uses that are found", c) for c in ("value", "n"))
    false, findings = (_value(rows, "false discoveries among findings of planted features", c) for c in ("value", "n"))
    limit = _chance(FALSE_SHARE, findings)
    found = "Nothing was planted" if power != power else f"Of {n:.0f} planted over-uses {power:.1%} are found"
    return [
        (
            f"{found}; {false:.1%} of {findings:.0f} findings are false (at most {limit:.1%}: 5 % and chance)",
            bool(false <= limit) if findings else None,
        )
    ]


def _across(rows: pd.DataFrame) -> list[Claim]:
    claims: list[Claim] = []
    for figure in rows.index[rows.index.str.startswith("across corpora, AUC: ")]:
        value, low, high = (_value(rows, figure, c) for c in ("value", "low", "high"))
        title = figure.removeprefix("across corpora, AUC: ")
        if value != value:
            claims.append((f"Not to be told: AUC {title} ({rows.loc[figure, 'note']})", None))
        else:
            claims.append((f"Across corpora, {title}: AUC {value:.3f} ({low:.3f} to {high:.3f}; above .5)", low > 0.5))
    return claims


def _told(what: str, share: float) -> str:
    return f"{share:.1%} {what}" if share == share else f"Not to be told: what share {what}"


def _at_least(share: float, least: float) -> bool | None:
    return bool(share >= least) if share == share else None


def _at_most(share: float, most: float) -> bool | None:
    return bool(share <= most) if share == share else None
