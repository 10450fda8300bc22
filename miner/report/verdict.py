"""The one-page verdict of a validation: claims, pictures and figures, for readers who are no statisticians."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from miner.report.figures import figures_of
from miner.report.page import _environment, _source

if TYPE_CHECKING:
    import pandas as pd

#: What was counted, for people.
SOURCES = {
    "checker": "Errors that the checker found",
    "gold": "Errors that the corpus's annotators marked",
    "pairs": "Corrections of the corpus, typed automatically",
    "usage": "Grammar that is used, right or wrong",
}
_WORDS = {True: "holds", False: "fails", None: "undefined"}
_MARKS = {True: "✓", False: "✗", None: "–"}
_STYLE = (
    ".claims{list-style:none;padding:0;max-width:54rem}.claims li{margin:.45rem 0;padding-left:7.2rem;text-indent:-7.2rem}"
    ".claims strong{display:inline-block;width:7.2rem;text-indent:0}.claims .fails{color:var(--over)}"
    ".pictures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(28rem,100%),1fr));gap:0 1.2rem}"
    ".pictures figure:first-child{grid-column:1/-1}"
    ".pictures svg{min-width:0!important;max-width:100%;height:auto}"
    ".claims .holds{color:var(--under)}.claims .undefined{color:var(--soft)}"
)
Claims = Sequence[tuple[str, bool | None]]


def render_verdict(
    figures: pd.DataFrame,
    claims: Mapping[str, Claims],
    *,
    corpus: str,
    learners: str,
    simulated: bool = False,
    pictures: Mapping[str, Mapping[str, str]] | None = None,
    signature: str = "",
) -> str:
    """Return the verdict as one HTML document that works offline: no script, no outside address, no corpus text.

    Parameters
    ----------
    figures : DataFrame
        Table ``validation``.
    claims : mapping of source to claims
        Of :func:`miner.evaluate.verdict` on the first recipe.
    corpus : str
        Its name.
    learners : str
        How large it is, in words.
    simulated : bool
        A banner says so.
    pictures : mapping, optional
        Name to ``{svg, heading, alt}``.
    signature : str
    """
    recipes = list(dict.fromkeys(figures["preset"]))
    names = set(figures["figure"])
    return (
        _environment()
        .get_template("verdict.html")
        .render(
            corpus=corpus,
            learners=learners,
            simulated=simulated,
            recipes=recipes,
            sources=[_part(s, c, figures, recipes) for s, c in claims.items()],
            figures=list(figures_of(pictures or {}).values()),
            across=any(n.startswith("across corpora") for n in names),
            planted=any(n.startswith("planted") for n in names),
            signature=signature,
            style=_source("style.css") + _STYLE,
        )
    )


def _part(source: str, claims: Claims, figures: pd.DataFrame, recipes: list[str]) -> dict[str, Any]:
    rows = figures[figures["source"] == source]
    columns = (rows[c] for c in ("preset", "figure", "value", "low", "high"))
    values = {(p, f): shown(value, low, high) for p, f, value, low, high in zip(*columns, strict=True)}
    return {
        "heading": SOURCES.get(source, source),
        "summary": summary(claims),
        "claims": [{"word": _WORDS[holds], "mark": _MARKS[holds], "text": text} for text, holds in claims],
        "rows": [
            {"figure": f, "cells": [values.get((r, f), "") for r in recipes]} for f in dict.fromkeys(rows["figure"])
        ],
    }


def summary(claims: Claims) -> str:
    """Return in a sentence how many claims hold, fail and cannot be told."""
    numbers = {k: sum(h is k for _, h in claims) for k in (True, False, None)}
    if numbers[False] == 0 and numbers[None] == 0:
        return f"All {len(claims)} claims hold."
    told = [f"{numbers[True]} of {len(claims)} claims hold", f"{numbers[False]} fail"]
    if numbers[None]:
        told.append(f"{numbers[None]} cannot be told from this corpus")
    return ", ".join(told) + "."


def shown(value: Any, low: Any = None, high: Any = None) -> str:
    """Return a figure with three significant digits and its interval, if there is one; blank where it is undefined."""
    if _unknown(value):
        return ""
    return f"{value:.3g}" if _unknown(low) or _unknown(high) else f"{value:.3g} ({low:.3g} to {high:.3g})"


def _unknown(value: Any) -> bool:
    return value is None or bool(value != value)


def verdict_text(figures: pd.DataFrame, claims: Mapping[str, Claims], *, corpus: str) -> str:
    """Return the verdict as Markdown: the claims about the first recipe, then all recipes side by side."""
    recipes = list(dict.fromkeys(figures["preset"]))
    lines = [f"# Validation of {', '.join(recipes)} on {corpus}", ""]
    for source, own in claims.items():
        part = _part(source, own, figures, recipes)
        lines += [f"## {part['heading']}", "", part["summary"], ""]
        lines += [f"- **{c['word']}**: {c['text']}" for c in part["claims"]]
        lines += ["", "| figure | " + " | ".join(recipes) + " |", "|---" * (len(recipes) + 1) + "|"]
        lines += [f"| {row['figure']} | " + " | ".join(row["cells"]) + " |" for row in part["rows"]]
        lines.append("")
    lines += [
        "Shuffled labels: learners' L1s permuted within strata of bands and prompts, before any cap on list length. "
        "An inventory that selects nothing also passes; the yield with true labels stands beside. "
        "Inventories describe sampled texts, not people; an L1 always carries country, school and exam with it.",
        "",
    ]
    return "\n".join(lines)
