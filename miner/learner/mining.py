"""The sum of the learner stages: matches in, inventory out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import pandas as pd

from miner.categories import Taxonomy, categorise, load_taxonomy
from miner.checkers import apply_overlap
from miner.learner.admission import Admitted, admit
from miner.learner.counting import Counts, count
from miner.learner.coverage import rank_by_coverage
from miner.learner.presets import DEFAULT_PRESET, L1Preset, get_preset
from miner.learner.selection import select_l1
from miner.learner.testing import DEFAULT_SEED, test_l1
from miner.ledger import Ledger
from miner.signature import Signature


class Named(Protocol):
    """What a signature says of a corpus; :class:`miner.corpora.Corpus` is one."""

    @property
    def name(self) -> str:
        """Name of the corpus."""

    @property
    def fingerprint(self) -> str:
        """Hash of its content."""


@dataclass(frozen=True, repr=False)
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

    def __repr__(self) -> str:
        # Tables hold the corpus's learner ids: they are shown when they are asked for.
        status = ", ".join(f"{n} {s}" for s, n in self.tests["status"].value_counts().sort_index().items())
        return f"L1Result({len(self.inventory)} features selected, tests: {status or 'none'}, unit={self.unit}, signature='{self.signature}')"


def mine_l1(
    texts: pd.DataFrame,
    checked: Any,
    *,
    taxonomy: Any = "trans-env",
    preset: str | L1Preset = DEFAULT_PRESET,
    corpus: Named | None = None,
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
    corpus : Corpus, optional
        The corpus of the texts: the signature names it with its fingerprint.
    signature : Signature, optional
        Signature of what came before, instead of that of ``checked``, the taxonomy and ``corpus``; the learner stages add their
        parts.
    seed : int
        Of permutations and half-samples; in the signature where the recipe draws any.
    **options
        Options of :class:`~miner.learner.presets.L1Preset` that depart from the preset.

    Raises
    ------
    OptionError, EmptyInput, MinerError
        As the stages do.
    """
    recipe = get_preset(preset, **options)
    if checked.mode != recipe.mode:
        # The texts are checked already: the recipe's name says that they were checked otherwise than it wants.
        recipe = get_preset(recipe, mode=checked.mode)
    scheme = load_taxonomy(taxonomy) if not hasattr(taxonomy, "categories") else taxonomy
    matches, overlap_ledger = apply_overlap(checked.matches, recipe.overlap)
    categorised = categorise(matches, scheme)
    counted = count(texts, checked.checked, categorised.matches)
    labels = scheme.labels(scheme.categories["id"])
    admitted, tests, inventory = compare_l1(counted, recipe, labels=labels, seed=seed)
    ledgers = [checked.ledger, overlap_ledger, categorised.ledger, counted.ledger, admitted.ledger]
    base = signature or sign_checked(checked.signature_parts, scheme, recipe, [corpus] if corpus is not None else [])
    return L1Result(
        tests,
        inventory,
        counted.counts,
        counted.units,
        categorised.summary,
        ledgers,
        recipe,
        admitted.unit,
        sign(base, recipe, unit=admitted.unit, n=admitted.ledger.kept, seed=seed).plus(overlap=recipe.overlap),
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


def sign_checked(
    checked: Mapping[str, str | None], taxonomy: Taxonomy, recipe: L1Preset, corpora: Sequence[Named] = ()
) -> Signature:
    """Return the signature of what comes before the learner stages.

    Parameters
    ----------
    checked : mapping
        Parts ``check``, ``mode`` and ``split``: :attr:`miner.checkers.Checked.signature_parts`.
    taxonomy : Taxonomy
    recipe : L1Preset
        Its ``overlap`` is used.
    corpora : sequence of Corpus
        In the order in which they were put together; none where they are not known.
    """
    corpus = "+".join(f"{c.name}#{c.fingerprint[:8]}" for c in corpora) or None
    return Signature.of("l1", corpus=corpus, overlap=recipe.overlap, map=taxonomy.signature, **checked)


def sign(base: Signature, recipe: L1Preset, *, unit: str, n: int, seed: int) -> Signature:
    """Return the signature with the parts that the learner stages decide (``n`` texts); the seed where the recipe draws random numbers."""
    correction = recipe.correction if recipe.correction == "none" else f"{recipe.correction}/{recipe.correction_family}"
    parts = {"preset": recipe.name, "unit": unit, "test": recipe.test, "corr": correction}
    return base.plus(**parts, n=n, seed=seed if recipe.draws else None)
