"""The README of a simulated corpus: what it is, how it was made, what may be read from it."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

_TEXT = """\
# {name}: a simulated corpus

**No learner wrote these texts.** They are made from sentence templates by `miner simulate`, for tests and
demonstrations. Which features are planted in which L1 is invented and says nothing about the people who speak it.
Licence: CC0 1.0 (public domain).

Made by:

    {command}

{n_texts:,} texts, {n_words:,} words (a text has {least} to {most}), {n_learners:,} learners, {n_prompts} prompts; L1s {l1s};
bands A (level A2) and B (level B1).

| file | what |
|---|---|
| `texts.csv` | one row per text: text_id, l1, cefr, learner, prompt, text |
| `corpus.toml` | the manifest: `miner` reads this folder without options |
| `planted.csv` | one row per L1, band and feature: what was planted, expected rates, calculated power |

## How it was made

The number of erroneous sentences of a feature in a text is Poisson with mean

    base rate x rate ratio (L1, band) x prompt factor x learner factor x words / 1,000

The learner factor is gamma distributed with mean 1 and shape {dispersion}, drawn for each learner and feature; the
prompt factors of a feature lie between 0.7 and 1.3 and have mean 1. Correct sentences, among them the correct variants
of the erroneous ones, fill the text up to its length. The order of sentences is random.

## What is planted

{planted_line}
Of the features, {seen} can be seen by a rule checker (`checker_sees`) and {unseen} cannot: {unseen_names}.

`power` is the probability that Student's two-sided t-test (p < .05; per-text rates; the L1 against all other L1s of the
band) finds the contrast in its direction; `power_welch_learners` is that of Welch's test over learners. Both are
calculated from the formula above (clustering of texts within learners, unequal variances and skewness included), not
counted in this corpus, and missing where a group would have fewer than 3 errors. They hold for a checker that sees every error and nothing else.
"""

_OPTIONS = ("texts", "seed", "learners", "words", "base", "ratio", "dispersion", "variety")


def command_line(parameters: Mapping[str, object], *, out: str = "DIR") -> str:
    """Return the command that makes the corpus."""
    options = [
        f"--{k} {parameters[k]:g}" if k == "dispersion" else f"--{k} {parameters[k]}"
        for k in _OPTIONS
        if k in parameters
    ]
    return " ".join(["miner simulate --out", out, *options, *(["--null"] if parameters.get("null") else [])])


def readme(name: str, parameters: Mapping[str, object], texts: pd.DataFrame, planted: pd.DataFrame) -> str:
    """Return the README of a simulated corpus.

    Parameters
    ----------
    name : str
    parameters : mapping
        Of :class:`miner.simulate.Simulated`.
    texts, planted : DataFrame
        Tables ``texts`` and ``planted``.
    """
    features = planted.drop_duplicates("feature")
    unseen = sorted(features.loc[~features["checker_sees"], "feature"])
    return _TEXT.format(
        name=name,
        command=command_line(parameters),
        n_texts=len(texts),
        n_words=int(texts["n_words"].sum()),
        least=texts["n_words"].min(),
        most=texts["n_words"].max(),
        n_learners=texts["learner_id"].nunique(),
        n_prompts=texts["prompt_id"].nunique(),
        l1s=", ".join(sorted(texts["l1"].unique())),
        dispersion=f"{parameters['dispersion']:g}",
        planted_line=_planted_line(planted),
        seen=len(features) - len(unseen),
        unseen=len(unseen),
        unseen_names=", ".join(unseen),
    )


def _planted_line(planted: pd.DataFrame) -> str:
    cells = planted[planted["planted"]]
    if cells.empty:
        return "Nothing: all L1s have the same rates (`--null`)."
    sure = cells[cells["checker_sees"] & (cells["direction"] == "over") & (cells["power"] >= 0.95)]
    return (
        f"{len(cells)} of {len(planted)} combinations of L1, band and feature have a rate ratio other than 1 "
        f"({cells['rate_ratio'].min():g} to {cells['rate_ratio'].max():g}).\n{len(sure)} of them are over-uses that a rule "
        "checker can see and whose power is at least .95."
    )
