"""The sum of the learner stages: matches in, inventory out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from miner.categories import categorise, load_taxonomy
from miner.checkers import apply_overlap
from miner.learner.admission import Admitted, admit
from miner.learner.counting import Counts, count
from miner.learner.coverage import rank_by_coverage
from miner.learner.presets import DEFAULT_PRESET, L1Preset, get_preset
from miner.learner.selection import select_l1
from miner.learner.testing import DEFAULT_SEED, test_l1
from miner.ledger import Ledger
from miner.signature import Signature


@dataclass(frozen=True)
class L1Result:
    """Everything a mining run found.

    Attributes
    ----------
    tests, inventory : DataFrame
        :data:`miner.tables.L1_TESTS` and :data:`miner.tables.L1_INVENTORY`.
    counts, units : DataFrame
        :data:`miner.tables.COUNTS` and :data:`miner.tables.UNITS`.
    match_summary : DataFrame
        :data:`miner.tables.MATCH_SUMMARY`.
    ledgers : list of Ledger
        Accounts of the steps, in order.
    preset : L1Preset
    unit : str
        ``text`` or ``learner``: what was compared.
    signature : Signature
    """

    tests: pd.DataFrame
    inventory: pd.DataFrame
    counts: pd.DataFrame
    units: pd.DataFrame
    match_summary: pd.DataFrame
    ledgers: list[Ledger]
    preset: L1Preset
    unit: str
    signature: Signature


def mine_l1(
    texts: pd.DataFrame,
    checked: Any,
    *,
    taxonomy: Any = "trans-env",
    preset: str | L1Preset = DEFAULT_PRESET,
    signature: Signature | None = None,
    seed: int = DEFAULT_SEED,
    **options: Any,
) -> L1Result:
    """Mine an L1 inventory from checked texts.

    Parameters
    ----------
    texts : DataFrame
        :data:`miner.tables.TEXTS`.
    checked : Checked
        What :func:`miner.checkers.check_texts` returned for these texts.
    taxonomy : str, path or Taxonomy
        Name or file of a taxonomy, or one already loaded.
    preset : str or L1Preset
    signature : Signature, optional
        Signature of what came before; the learner stages add their parts.
    seed : int
        Of permutations and half-samples.
    **options
        Options of :class:`~miner.learner.presets.L1Preset` that depart from the preset.

    Raises
    ------
    OptionError, EmptyInput, MinerError
        As the stages do.
    """
    recipe = get_preset(preset, **options)
    scheme = load_taxonomy(taxonomy) if not hasattr(taxonomy, "categories") else taxonomy
    matches, overlap_ledger = apply_overlap(checked.matches, recipe.overlap)
    categorised = categorise(matches, scheme)
    counted = count(texts, checked.checked, categorised.matches)
    labels = dict(zip(scheme.categories["id"], scheme.categories["label"], strict=True))
    admitted, tests, inventory = compare_l1(counted, recipe, labels=labels, seed=seed)
    ledgers = [checked.ledger, overlap_ledger, categorised.ledger, counted.ledger, admitted.ledger]
    base = signature or Signature.of(
        "l1", check=checked.engine, mode=checked.mode, map=f"{scheme.name}-{scheme.version}"
    )
    return L1Result(
        tests,
        inventory,
        counted.counts,
        counted.units,
        categorised.summary,
        ledgers,
        recipe,
        admitted.unit,
        sign(base, recipe, admitted).plus(overlap=recipe.overlap),
    )


def compare_l1(
    counted: Counts,
    preset: str | L1Preset = DEFAULT_PRESET,
    *,
    labels: dict[str, str] | None = None,
    family: str = "errors",
    seed: int = DEFAULT_SEED,
) -> tuple[Admitted, pd.DataFrame, pd.DataFrame]:
    """Admit, test and select; return what was admitted, the tests and the inventory."""
    recipe = get_preset(preset)
    admitted = admit(counted.units, recipe)
    tests = test_l1(counted.counts, admitted, preset=recipe, labels=labels, family=family, seed=seed)
    inventory = select_l1(tests, recipe)
    if recipe.order == "coverage":
        inventory = rank_by_coverage(inventory, admitted, counted.counts, recipe)
    return admitted, tests, inventory


def sign(base: Signature, recipe: L1Preset, admitted: Admitted) -> Signature:
    """Return the signature with the parts that the learner stages decide."""
    correction = recipe.correction if recipe.correction == "none" else f"{recipe.correction}/{recipe.correction_family}"
    return base.plus(preset=recipe.name, unit=admitted.unit, test=recipe.test, corr=correction, n=admitted.ledger.kept)
