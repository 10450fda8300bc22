"""What is planted: a base rate for each feature, and a rate ratio for each L1, band and feature.

The bundled plan (``data/simulate/plan.tsv``) is invented, as is everything in a simulated corpus: that a feature is
planted in an L1 says nothing about the people who speak it.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from miner.errors import OptionError
from miner.simulate.design import BANDS, L1S
from miner.simulate.streams import uniforms
from miner.simulate.templates import Feature, Grammar

Floats = NDArray[np.float64]

DEFAULT_RATIO = 2.0
#: Limits of --base (per 1,000 words) and --ratio.
LEAST_RATE, MOST_RATE = 0.001, 1000.0
#: Below this shape the power formula says more power for fewer learners with errors, a simulation less.
LEAST_SHAPE = 0.2
#: Factors of a feature's rate by prompt, dealt out anew for each feature; their mean is 1.
PROMPT_FACTORS = (0.7, 0.85, 1.0, 1.0, 1.15, 1.3)
#: Erroneous sentences may fill this share of the words, by expectation: beyond it texts would have no room for others.
MOST_ERRORS = 0.9


@dataclass(frozen=True)
class Plan:
    """Rates of all features.

    Parameters
    ----------
    base : ndarray of float, shape (n_features,)
        Erroneous sentences per 1,000 words where nothing is planted.
    ratio : ndarray of float, shape (n_l1, n_bands, n_features)
        Factor of the base rate; 1 where nothing is planted.
    prompt : ndarray of float, shape (n_prompts, n_features)
        Factor by prompt, mean 1 over the prompts.
    shape : float
        Shape of the gamma distribution (mean 1) of the learners' own factors; smaller: learners differ more.
    """

    base: Floats
    ratio: Floats
    prompt: Floats
    shape: float


def make_plan(
    grammar: Grammar,
    *,
    seed: int,
    null: bool = False,
    base: float | None = None,
    ratio: float | None = None,
    dispersion: float,
) -> Plan:
    """Return the plan of a corpus.

    Parameters
    ----------
    grammar : Grammar
    seed : int
        Decides which prompt has which factor.
    null : bool
        Nothing is planted, whatever ``ratio`` says.
    base : float, optional
        Base rate of all features; by default each feature has its own.
    ratio : float, optional
        With ``base`` or ``ratio`` each feature is planted in exactly one L1, in both bands, at this rate ratio
        (default 2). With neither, the bundled plan holds.
    dispersion : float
        Shape of the gamma distribution of the learners' factors.

    Raises
    ------
    OptionError
        If a value is out of range, or errors would fill more than 90 % of the words.
    """
    for name, value in (("--base", base), ("--ratio", ratio)):
        if value is not None and not LEAST_RATE <= value <= MOST_RATE:
            msg = f"{name} must be a number from {LEAST_RATE:g} to {MOST_RATE:g}. Got {value:g}"
            raise OptionError(msg)
    if not (np.isfinite(dispersion) and dispersion >= LEAST_SHAPE):
        msg = (
            f"--dispersion must be a number of {LEAST_SHAPE:g} or more: learners who differ more have so rare and so many errors "
            f"that the calculated power is wrong. Got {dispersion:g}; 0.5 is very uneven, 4 the default"
        )
        raise OptionError(msg)
    bases = np.array([f.base if base is None else base for f in grammar.features])
    if null:
        ratios = np.ones((len(L1S), len(BANDS), len(bases)))
    elif base is None and ratio is None:
        ratios = bundled_ratios(grammar.features)
    else:
        ratios = _one_l1_each(len(bases), DEFAULT_RATIO if ratio is None else ratio)
    _refuse_crowded(grammar, bases * ratios)
    return Plan(bases, ratios, _prompt_factors(len(grammar.prompts), len(bases), seed), float(dispersion))


def bundled_ratios(features: tuple[Feature, ...]) -> Floats:
    """Return the rate ratios of the bundled plan, shape (n_l1, n_bands, n_features)."""
    ratios = np.ones((len(L1S), len(BANDS), len(features)))
    position = {f.category: i for i, f in enumerate(features)}
    text = resources.files("miner").joinpath("data/simulate/plan.tsv").read_text(encoding="utf-8")
    for row in csv.DictReader((line for line in text.splitlines() if not line.startswith("#")), delimiter="\t"):
        ratios[L1S.index(row["l1"]), BANDS.index(row["band"]), position[row["feature"]]] = float(row["ratio"])
    return ratios


def _one_l1_each(n: int, ratio: float) -> Floats:
    ratios = np.ones((len(L1S), len(BANDS), n))
    for feature in range(n):
        ratios[feature % len(L1S), :, feature] = ratio
    return ratios


def _prompt_factors(prompts: int, features: int, seed: int) -> Floats:
    factors = np.resize(PROMPT_FACTORS, prompts)
    order = np.argsort(uniforms(seed, "prompt", np.arange(prompts)[:, None], np.arange(features)), axis=0)
    return np.asarray(factors[order] / factors.mean())


def _refuse_crowded(grammar: Grammar, rates: Floats) -> None:
    share = float((rates * grammar.error_words[1]).sum(axis=-1).max()) / 1000
    if share > MOST_ERRORS:
        msg = (
            f"At these rates erroneous sentences would fill {share:.0%} of the words of some texts; at most "
            f"{MOST_ERRORS:.0%} leave room for others. Give a lower --base or --ratio"
        )
        raise OptionError(msg)
