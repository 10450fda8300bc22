"""Recipes for L1 inventories: every choice is a named option, a preset is a set of them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from typing import Any, Literal, get_type_hints

from miner.errors import OptionError, listed, nearest
from miner.learner.options import Range, checked_option, shown

BANDS = ("A", "B", "C")

_MANY = 1_000_000_000
_RANGES = {
    "alpha": Range(0, 1, above=True, below=True),
    "cap": Range(1, _MANY),
    "min_units": Range(2, _MANY),
    "min_errors": Range(0, _MANY),
    "min_users": Range(0, _MANY),
    "min_prompts": Range(0, _MANY),
    "min_ratio": Range(1, _MANY),
    "max_top_share": Range(0, 1, above=True),
    "min_replication": Range(0, 1, below=True),
    "permutations": Range(99, 1_000_000),
    "further_permutations": Range(0, 10_000_000),
    "prior_units": Range(0, _MANY),
    "stability_pairs": Range(0, 10_000),
    "stability_best": Range(1, _MANY),
    "stability_share": Range(0.5, 1, above=True),
}


@dataclass(frozen=True, kw_only=True)
class L1Preset:
    """One recipe.

    Parameters
    ----------
    name : str
        Shown in signatures and tables; an option that departs from a preset adds ``+`` to it.
    test : {"student", "welch", "permutation"}
        The deciding test. ``permutation``: learners' L1s are permuted within strata; see
        :mod:`miner.stats.contrasts` and :mod:`miner.stats.permutation`. It is two-sided, by learner where ids exist.
    alternative : {"two-sided", "greater", "less"}
        Of the test; ``greater`` asks for over-use.
    unit : {"auto", "text", "learner"}
        ``auto``: the learner when any text names one, else the text. A learner's texts in a band are summed.
    contrast : {"pooled", "equal"}
        ``pooled``: every unit of another L1 in the band counts the same. ``equal``: every other L1 with at least
        ``min_units`` units counts the same (with ``permutation`` only).
    strata : {"auto", "prompt", "level"}
        Within what ``permutation`` compares and permutes: units that wrote in the same set of bands and prompts, or in
        the same set of bands. ``auto``: by prompts, unless more than half of the units are then in strata
        with one L1 only, as where every learner has a set of prompts of his own.
    alpha : float
        A feature is selected when its q is below.
    correction, correction_family : str
        Correction for many tests, and within what: the L1 in a band, the band, or everything. ``storey``: ``bh`` times the
        estimated share of true nulls (:func:`miner.stats.null_share`). ``max-t`` (with
        ``permutation``): over everything, by the largest statistic of each permutation.
    direction : {"over", "under", "both"}
        Which features enter the inventory.
    cap : int or None
        Longest inventory of an L1 in a band; None for no limit.
    order : {"statistic", "effect", "p", "bound", "coverage"}
        By the size of the statistic or effect, by p, or by the end of the effect's interval that is nearer to no effect; ties by
        feature id. ``coverage``: by what each adds to those before it (:mod:`miner.learner.coverage`), which costs stability.
    min_units : int
        Fewest units (texts or learners) of target and of reference; 2 at least.
    min_errors : int
        Fewest occurrences in target and reference together.
    min_users : int
        Fewest units with the feature in target and reference together.
    min_prompts : int
        Fewest prompts of the band with the feature in target and reference together; all of them, where the band has fewer (unknown
        prompts are none).
    gate : bool
        Whether a max-T test of the whole family must reject before anything is selected (with ``permutation`` only).
    min_ratio : float
        Effect floor: rate ratio (or one over it, for under-use) that the estimate must reach; 1 for none.
    max_top_share : float
        Dispersion: largest share of the occurrences of the side that uses the feature more that one unit may have.
    min_replication : float
        Least share of the list that is expected to be found again in a new sample of the same size (the same direction with one-sided
        p < .05): of what passes the other thresholds, the longest list of a correction family, most probable first, whose mean
        probability is no less (:func:`miner.stats.expected_replication`; two-sided tests only); 0 for none.
    permutations : int
        Random labellings; all of them, where there are no more.
    further_permutations : int
        Labellings at most for features that the first ones leave at their floor because the distribution is too skewed for its tail; they
        end with the tenth that is as extreme (Besag and Clifford 1991). None are drawn where the gate rejects nothing.
    prior_units : float
        Units by which the variance of an L1 is drawn to the pooled one (:class:`miner.stats.ContrastEngine`).
    stability_pairs : int
        Complementary pairs of half-samples; 0 for no stability selection.
    stability_best : int or None
        Features counted as best in a half-sample of an L1 in a band; None: half of the tested features, at least 5.
    stability_share : float
        Share of the half-samples in which a selected feature must be among the best.
    bands : tuple of str
        CEFR bands that are tested, each by itself.
    mode, overlap : str
        How texts are checked and which of overlapping matches count; used by the stages before counting.
    """

    name: str
    test: Literal["student", "welch", "permutation"] = "welch"
    alternative: Literal["two-sided", "greater", "less"] = "two-sided"
    unit: Literal["auto", "text", "learner"] = "auto"
    contrast: Literal["pooled", "equal"] = "pooled"
    strata: Literal["auto", "prompt", "level"] = "auto"
    alpha: float = 0.05
    correction: Literal["none", "bh", "by", "holm", "storey", "max-t"] = "bh"
    correction_family: Literal["l1-band", "band", "all"] = "l1-band"
    direction: Literal["over", "under", "both"] = "both"
    cap: int | None = None
    order: Literal["statistic", "effect", "p", "bound", "coverage"] = "statistic"
    min_units: int = 2
    min_errors: int = 0
    min_users: int = 0
    min_prompts: int = 0
    gate: bool = False
    min_ratio: float = 1.0
    max_top_share: float = 1.0
    min_replication: float = 0.0
    permutations: int = 999
    further_permutations: int = 0
    prior_units: float = 20.0
    stability_pairs: int = 0
    stability_best: int | None = None
    stability_share: float = 0.8
    bands: tuple[str, ...] = ("A", "B", "C")
    mode: Literal["text", "sentence"] = "text"
    overlap: Literal["all", "exact", "longest"] = "exact"

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name or set(self.name) & set("|\r\n"):
            msg = f"The name of a preset must be a string without '|' and line breaks. Got {shown(self.name)}"
            raise OptionError(msg)
        for option in _kinds():
            object.__setattr__(self, option, _checked(option, getattr(self, option), self.plain_name))
        self._require_test("contrast='equal'", needed=self.contrast == "equal", instead="contrast='pooled'")
        self._require_test("gate=true", needed=self.gate, instead="gate=false")
        self._require_test("stability_pairs", needed=self.stability_pairs > 0, instead="stability_pairs=0")
        self._require_test("order='bound'", needed=self.order == "bound", instead="order='statistic'")
        self._require_test("correction='max-t'", needed=self.correction == "max-t", instead="correction='holm'")
        if self.correction == "max-t" and self.correction_family != "all":
            msg = (
                f"In preset '{self.plain_name}' correction='max-t' needs correction_family='all'. Got "
                f"correction_family='{self.correction_family}'"
            )
            raise OptionError(msg)
        if self.test == "permutation" and self.alternative != "two-sided":
            msg = (
                f"In preset '{self.plain_name}' test='permutation' is two-sided. Got alternative='{self.alternative}'; "
                "choose with 'direction' instead"
            )
            raise OptionError(msg)
        if self.min_replication > 0 and self.alternative != "two-sided":
            msg = (
                f"In preset '{self.plain_name}' min_replication needs alternative='two-sided'. Got "
                f"alternative='{self.alternative}'; use min_replication=0 with it"
            )
            raise OptionError(msg)

    def _require_test(self, option: str, *, needed: bool, instead: str) -> None:
        if needed and self.test != "permutation":
            msg = (
                f"In preset '{self.plain_name}' {option} needs test='permutation'. Got test='{self.test}'; "
                f"use {instead} with it"
            )
            raise OptionError(msg)

    @property
    def plain_name(self) -> str:
        """Name of the preset without the options that depart from it."""
        return self.name.partition("+")[0] or self.name

    @property
    def draws(self) -> bool:
        """Whether the recipe draws random numbers (permutations, half-samples), so that a seed decides its result."""
        return self.test == "permutation"

    def as_dict(self) -> dict[str, Any]:
        """Return all options as plain data."""
        return {**asdict(self), "bands": list(self.bands)}


@cache
def _kinds() -> dict[str, Any]:
    return {k: v for k, v in get_type_hints(L1Preset).items() if k != "name"}


def _checked(option: str, value: object, preset: str) -> Any:
    what = f"The '{option}' option of preset '{preset}'"
    return checked_option(what, value, _kinds()[option], _RANGES.get(option), BANDS)


PRESETS: dict[str, L1Preset] = {
    # The published recipe. What the paper does not say is chosen so: Student (SciPy's default), unit text, sentence by
    # sentence, all matches counted, the other L1s pooled, over-use only, no correction, ordered by t.
    "trans-env": L1Preset(
        name="trans-env",
        test="student",
        unit="text",
        correction="none",
        direction="over",
        cap=10,
        bands=("A", "B"),
        mode="sentence",
        overlap="all",
    ),
    "welch": L1Preset(name="welch"),
    # Ten features per L1 that together tell its texts from the others. For scoring unseen texts, so learnt from single texts;
    # without any control of errors, so no list of findings.
    "predictive": L1Preset(name="predictive", unit="text", correction="none", order="coverage", cap=10),
    # Findings that hold on unseen learners; every threshold is an option above.
    "robust": L1Preset(
        name="robust",
        test="permutation",
        contrast="equal",
        # Where L1s differ in most features, as learners' do, many hypotheses are no nulls.
        correction="storey",
        correction_family="all",
        gate=True,
        order="bound",
        min_units=10,
        min_users=10,
        min_prompts=2,
        min_ratio=1.2,
        max_top_share=0.5,
        # Seven of ten findings are expected in as many new learners; q alone promises less the smaller a corpus is.
        min_replication=0.7,
        further_permutations=19_000,
        stability_pairs=50,
    ),
}

#: The recipe that is used when none is named.
DEFAULT_PRESET = "robust"


def get_preset(preset: str | L1Preset, **options: Any) -> L1Preset:
    """Return a preset by name (or as it is), with options changed.

    Raises
    ------
    OptionError
        If the name, an option or a value is not known.

    Examples
    --------
    >>> get_preset("trans-env", test="welch").name
    'trans-env+test=welch'
    """
    if not isinstance(preset, L1Preset):
        if not isinstance(preset, str) or preset not in PRESETS:
            close = nearest(preset[:80], PRESETS) if isinstance(preset, str) else ""
            msg = f"The preset must be one of {listed(list(PRESETS))}. Got {shown(preset)} instead{close}"
            raise OptionError(msg)
        preset = PRESETS[preset]
    known = [f.name for f in fields(L1Preset) if f.name != "name"]
    unknown = sorted(set(options) - set(known))
    if unknown:
        msg = (
            f"Unknown preset options {listed(unknown)}; known are {listed(known, most=40)}{nearest(unknown[0], known)}"
        )
        raise OptionError(msg)
    values = {k: _checked(k, v, preset.plain_name) for k, v in options.items()}
    changed = {k: v for k, v in values.items() if v != getattr(preset, k)}
    if not changed:
        return preset
    departures = ",".join(f"{k}={_written(v)}" for k, v in sorted(changed.items()))
    return replace(preset, name=f"{preset.name}+{departures}", **changed)


def _written(value: object) -> str:
    # 2 and 2.0 are one recipe, with one name.
    return "".join(value) if isinstance(value, tuple) else str(value).removesuffix(".0")
