"""Recipes for L1 inventories: every choice is a named option, a preset is a set of them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal

from miner.errors import OptionError, listed, nearest, require_one_of

_CHOICES: dict[str, tuple[str, ...]] = {
    "test": ("student", "welch"),
    "alternative": ("two-sided", "greater", "less"),
    "unit": ("auto", "text", "learner"),
    "contrast": ("pooled",),
    "correction": ("none", "bh", "by", "holm"),
    "correction_family": ("l1-band", "band", "all"),
    "direction": ("over", "under", "both"),
    "order": ("statistic", "effect", "p"),
    "mode": ("text", "sentence"),
    "overlap": ("all", "exact", "longest"),
}


@dataclass(frozen=True, kw_only=True)
class L1Preset:
    """One recipe.

    Parameters
    ----------
    name : str
        Shown in signatures and tables; an option that departs from a preset adds ``+`` to it.
    test : {"student", "welch"}
        The deciding test.
    alternative : {"two-sided", "greater", "less"}
        Of the test; ``greater`` asks for over-use.
    unit : {"auto", "text", "learner"}
        ``auto``: the learner when any text names one, else the text. A learner's texts in a band are summed.
    contrast : {"pooled"}
        ``pooled``: every unit of another L1 in the band counts the same.
    alpha : float
        A feature is selected when its q is below.
    correction, correction_family : str
        Correction for many tests, and within what: the L1 in a band, the band, or everything.
    direction : {"over", "under", "both"}
        Which features enter the inventory.
    cap : int or None
        Longest inventory of an L1 in a band; None for no limit.
    order : {"statistic", "effect", "p"}
        By the size of the statistic or effect, or by p; ties by feature id.
    min_units : int
        Fewest units (texts or learners) of target and of reference; 2 at least.
    min_errors : int
        Fewest occurrences in target and reference together.
    bands : tuple of str
        CEFR bands that are tested, each by itself.
    mode, overlap : str
        How texts are checked and which of overlapping matches count; used by the stages before counting.
    """

    name: str
    test: Literal["student", "welch"] = "welch"
    alternative: Literal["two-sided", "greater", "less"] = "two-sided"
    unit: Literal["auto", "text", "learner"] = "auto"
    contrast: Literal["pooled"] = "pooled"
    alpha: float = 0.05
    correction: Literal["none", "bh", "by", "holm"] = "bh"
    correction_family: Literal["l1-band", "band", "all"] = "l1-band"
    direction: Literal["over", "under", "both"] = "both"
    cap: int | None = None
    order: Literal["statistic", "effect", "p"] = "statistic"
    min_units: int = 2
    min_errors: int = 0
    bands: tuple[str, ...] = ("A", "B", "C")
    mode: Literal["text", "sentence"] = "text"
    overlap: Literal["all", "exact", "longest"] = "exact"

    def __post_init__(self) -> None:
        for option, known in _CHOICES.items():
            require_one_of(getattr(self, option), known, what=f"The '{option}' option of preset '{self.name}'")
        if not 0 < self.alpha < 1:
            msg = f"The 'alpha' option must lie between 0 and 1. Got {self.alpha!r}; .05 is usual"
            raise OptionError(msg)
        if self.min_units < 2 or self.min_errors < 0 or (self.cap is not None and self.cap < 1):
            msg = (
                "'min_units' must be at least 2, 'min_errors' at least 0, 'cap' at least 1 or none. Got "
                f"{self.min_units}, {self.min_errors} and {self.cap}"
            )
            raise OptionError(msg)
        if not self.bands or set(self.bands) - {"A", "B", "C"}:
            msg = f"The 'bands' option must name one or more of 'A', 'B', 'C'. Got {self.bands!r}"
            raise OptionError(msg)

    def as_dict(self) -> dict[str, Any]:
        """Return all options as plain data."""
        return {**asdict(self), "bands": list(self.bands)}


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
}


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
    if isinstance(preset, str):
        preset = PRESETS[require_one_of(preset, tuple(PRESETS), what="The preset")]
    known = [f.name for f in fields(L1Preset) if f.name != "name"]
    unknown = sorted(set(options) - set(known))
    if unknown:
        msg = (
            f"Unknown preset options {listed(unknown)}; known are {listed(known, most=40)}{nearest(unknown[0], known)}"
        )
        raise OptionError(msg)
    if "bands" in options:
        options["bands"] = tuple(options["bands"])
    changed = {k: v for k, v in options.items() if v != getattr(preset, k)}
    if not changed:
        return preset
    shown = ",".join(f"{k}={''.join(v) if isinstance(v, tuple) else v}" for k, v in sorted(changed.items()))
    return replace(preset, name=f"{preset.name}+{shown}", **changed)
