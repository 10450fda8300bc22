"""Validation of recipes on a corpus: counted, judged, drawn and written with a one-page verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from miner import plots, tables
from miner.corpora import Corpus
from miner.evaluate import Validation, together, validate, verdict
from miner.evaluate.sources import Counted, Counting, count_source
from miner.learner import L1Preset
from miner.report.verdict import render_verdict, verdict_text
from miner.run.folder import OutFolder
from miner.signature import Signature

Claims = dict[str, list[tuple[str, bool | None]]]


@dataclass(frozen=True)
class Validated:
    """A validation with what it is about.

    Attributes
    ----------
    found : Validation
    claims : dict of str to list
        By source, the verdict on the first recipe.
    counted : dict of str to Counted
        By source.
    signature : Signature
    """

    found: Validation
    claims: Claims
    counted: dict[str, Counted]
    signature: Signature

    @property
    def fails(self) -> bool:
        """Whether any claim fails."""
        return any(holds is False for claims in self.claims.values() for _, holds in claims)


def run_validation(
    corpus: Corpus,
    recipes: Sequence[L1Preset],
    sources: Sequence[str],
    how: Counting,
    *,
    planted: pd.DataFrame | None = None,
    other: Corpus | None = None,
    seed: int,
    tell: Callable[[str], None] = lambda _: None,
    **sizes: int,
) -> Validated:
    """Count the corpus from each source and judge the recipes.

    Parameters
    ----------
    corpus : Corpus
    recipes : sequence of L1Preset
        The first is what the verdict is about.
    sources : sequence of str
        As in :func:`miner.evaluate.sources.count_source`.
    how : Counting
    planted : DataFrame, optional
        What was planted in a simulated corpus; used with the checker's matches.
    other : Corpus, optional
        Another corpus: mined on one, scored on the other.
    seed : int
    tell : callable
    **sizes
        ``shuffles, splits, folds, fewest`` of :func:`miner.evaluate.validate`.
    """
    parts, counted = [], {}
    parts_of_signature: dict[str, str | None] = {}
    for source in sources:
        tell(f"Counting: {source}")
        own = counted[source] = count_source(corpus, source, how)
        for key, value in own.signed.items():
            before = parts_of_signature.get(key)
            parts_of_signature[key] = value if before in (None, value) else f"{before}+{value}"
        there = None if other is None else count_source(other, source, how)
        parts.append(
            validate(
                own.counts,
                recipes,
                source=source,
                labels=own.labels | (there.labels if there else {}),
                texts=own.texts,
                planted=planted if source == "checker" else None,
                other=there.counts if there else None,
                other_name=other.name if other else "",
                seed=seed,
                tell=tell,
                **sizes,
            )
        )
    found = together(parts)
    claims = {s: verdict(found.figures, recipes[0].name, source=s) for s in sources}
    names = [f"{c.name}#{c.fingerprint[:8]}" for c in (corpus, other) if c is not None]
    signature = Signature.of("validation", corpus="+".join(names), **parts_of_signature)
    preset = "+".join(r.name.replace("+", " ") for r in recipes)
    return Validated(found, claims, counted, signature.plus(preset=preset, seed=seed))


def write_validation(
    out: Path, result: Validated, corpus: Corpus, parameters: Mapping[str, Any], *, other: str = "", seed: int
) -> None:
    """Write tables, figures, ``verdict.html`` and ``verdict.md``."""
    with OutFolder(out, command="validate", parameters=parameters, seed=seed) as folder:
        folder.input(corpus.name, corpus.fingerprint)
        for counted in result.counted.values():
            folder.account(*counted.ledgers)
        found = result.found
        for frame, table in (
            (found.figures, tables.VALIDATION),
            (found.by_l1, tables.VALIDATION_L1),
            (found.p_values, tables.VALIDATION_P),
            (found.planted, tables.VALIDATION_PLANTED),
            (found.effects, tables.ACROSS_EFFECTS),
        ):
            if len(frame):
                folder.table(frame, table, result.signature)
        pictures = draw_validation(
            found, simulated=corpus.simulated, here=corpus.name, there=other, signature=str(result.signature)
        )
        for picture in pictures:
            picture.save(folder.path(f"figures/{picture.name}.svg").with_suffix(""))
        page = render_verdict(
            found.figures,
            result.claims,
            corpus=corpus.name,
            learners=_size(next(iter(result.counted.values()))),
            simulated=corpus.simulated,
            pictures=plots.inlined(pictures),
            signature=str(result.signature),
        )
        folder.path("verdict.html").write_text(page, encoding="utf-8", newline="\n")
        text = verdict_text(found.figures, result.claims, corpus=corpus.name)
        folder.path("verdict.md").write_text(text, encoding="utf-8", newline="\n")
        folder.facts(
            verdict=[
                {"source": s, "claim": text, "holds": holds}
                for s, claims in result.claims.items()
                for text, holds in claims
            ],
            simulated=corpus.simulated,
        )


def _size(counted: Counted) -> str:
    units = counted.counts.units
    known = units["l1"].notna() & units["band"].notna()
    learners = units.loc[known, "learner"].nunique()
    told = f"{int(known.sum()):,} texts with L1 and level"
    return f"{told}, {learners:,} learners" if learners else f"{told}; learners are not told apart"


def draw_validation(
    found: Validation, *, simulated: bool, here: str, there: str, signature: str = ""
) -> list[plots.Picture]:
    """Draw what a validation found; tables that are empty are passed over."""
    look: dict[str, Any] = {"origin": "simulated" if simulated else "real", "signature": signature}
    pictures = []

    def add(name: str, drawn: Any, heading: str, alt: str) -> None:
        pictures.append(plots.Picture(name, plots.figure_of(drawn), heading, alt))

    alt = "Dot plot: features selected per L1 with true and with shuffled labels. Numbers: validation_l1."
    add("selected", plots.plot_selected(found.by_l1, **look), "What is selected, and what by chance alone", alt)
    if len(found.p_values):
        alt = "Curve of the share of p-values at or under each limit, with the diagonal of uniform p-values. Numbers: validation_p."
        add("shuffled_p", plots.plot_shuffled_p(found.p_values, **look), "p-values of shuffled labels", alt)
    if len(plots.auc_data(found.figures)):
        alt = "Dot plot of held-out AUC with its baselines. Numbers: validation."
        add("auc", plots.plot_auc(found.figures, **look), "Unseen learners", alt)
    if found.planted["power"].notna().any():
        alt = "Dot plot of power by rate ratio, base rate, learners and checker recall. Numbers: validation_planted."
        add("planted", plots.plot_planted(found.planted, **look), "What was found of what was planted", alt)
    for source in dict.fromkeys(found.effects["source"]):
        own = found.effects[found.effects["source"] == source]
        own = own[own["preset"] == found.figures["preset"].iloc[0]]
        if len(own):
            drawn = plots.plot_across(own, here=here, there=there, **look)
            alt = "Scatter plot of the effects of features in two corpora. Numbers: across_effects."
            add(f"across_{source}", drawn, f"Effects in two corpora, {source}", alt)
    return pictures
