"""The stages of a run as values: look at texts, check them, count matches, edits and usage. They hold no open engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import pandas as pd

from miner import tables
from miner.categories import Exclusions, Taxonomy, categorise, categorise_edits, retype
from miner.checkers import Checker, Mode, Overlap, apply_overlap, check_texts
from miner.checkers.base import cores
from miner.corpora import looked_at
from miner.features import load_usage, usage, usage_fingerprint
from miner.learner import NO_MATCHES, Counts, count, count_edits, count_given
from miner.run.tools import Tools

if TYPE_CHECKING:
    from miner.run.stage import Frames, Result

#: Columns of texts that counting needs; never the text itself.
_LEAN = ["text_id", "learner_id", "l1", "band", "prompt_id", "n_words"]


@dataclass(frozen=True)
class LookAtTexts:
    """Flags of each text: its language, stretches of other languages if asked, leftover markup. Frame: ``flags``."""

    language: bool
    stretches: bool
    name: ClassVar[str] = "look"
    rooms: ClassVar[tuple[str, ...]] = ("corpora", "run/steps")

    @property
    def parameters(self) -> Mapping[str, Any]:
        from importlib.metadata import version

        return {"language": self.language, "stretches": self.stretches, "py3langid": version("py3langid")}

    def __call__(self, frames: Frames, tools: Tools) -> Result:
        texts = frames["texts"]
        flags = looked_at(texts, language=self.language, stretches=self.stretches)
        return {"flags": pd.DataFrame({"text_id": texts["text_id"], "flags": flags})}, []


@dataclass(frozen=True)
class CheckTexts:
    """Matches of a checker. Frames: ``matches``, ``checked``.

    Parameters
    ----------
    engine, fingerprint, language, mode : str
        What decides the result.
    options : mapping
        How another process opens the same checker (no part of the key).
    """

    engine: str
    fingerprint: str
    language: str
    mode: Mode
    options: Mapping[str, Any] = field(default_factory=dict)
    name: ClassVar[str] = "check"
    rooms: ClassVar[tuple[str, ...]] = ("checkers", "text", "run/steps")

    @classmethod
    def by(cls, checker: Checker, mode: Mode, options: Mapping[str, Any]) -> CheckTexts:
        """Return the stage for a checker."""
        return cls(checker.engine, checker.fingerprint, checker.language, mode, dict(options))

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {"engine": self.engine, "rules": self.fingerprint, "language": self.language, "mode": self.mode}

    def __call__(self, frames: Frames, tools: Tools) -> Result:
        checker = tools.checker(self.fingerprint, {**self.options, "language": self.language})
        found = check_texts(frames["texts"], checker, mode=self.mode, store=tools.store, progress=tools.meter.within)
        return {"matches": found.matches, "checked": found.checked}, [found.ledger]


@dataclass(frozen=True)
class CountMatches:
    """Matches by category. Frames: ``matches`` (after the overlap policy), ``checked``, ``summary``, ``counts``, ``units``."""

    taxonomy: Taxonomy
    exclude: Exclusions
    overlap: Overlap
    name: ClassVar[str] = "count"
    rooms: ClassVar[tuple[str, ...]] = ("checkers", "categories", "learner/counting", "run/steps")

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {"taxonomy": self.taxonomy.fingerprint, "exclude": self.exclude.fingerprint, "overlap": self.overlap}

    def __call__(self, frames: Frames, tools: Tools) -> Result:
        matches, overlap = apply_overlap(frames["matches"], self.overlap)
        categorised = categorise(matches, self.taxonomy, exclude=self.exclude)
        counted = count(frames["texts"], frames["checked"], categorised.matches)
        kept = {
            "matches": matches,
            "checked": frames["checked"],
            "summary": categorised.summary,
            "counts": counted.counts,
            "units": _nameless(counted.units),
        }
        return kept, [overlap, categorised.ledger, counted.ledger]


@dataclass(frozen=True)
class TypePairs:
    """Corrections typed anew by ERRANT. Frame: ``edits``, without what was written and what it should be."""

    fingerprint: str
    name: ClassVar[str] = "errant"
    rooms: ClassVar[tuple[str, ...]] = ("categories", "text", "run/steps")

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {"errant": self.fingerprint}

    def __call__(self, frames: Frames, tools: Tools) -> Result:
        found = retype(frames["texts"], frames["edits"], store=tools.store, jobs=tools.jobs or cores())
        return {"edits": found.edits.assign(original="", correction="")}, [found.ledger]


@dataclass(frozen=True)
class CountEdits:
    """Gold edits of one annotator by category. Frames: ``checked``, ``summary``, ``counts``, ``units``."""

    taxonomy: Taxonomy
    exclude: Exclusions
    name: ClassVar[str] = "count-edits"
    rooms: ClassVar[tuple[str, ...]] = ("categories", "learner/counting", "run/steps")

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {"taxonomy": self.taxonomy.fingerprint, "exclude": self.exclude.fingerprint}

    def __call__(self, frames: Frames, tools: Tools) -> Result:
        texts, edits = frames["texts"], frames["edits"]
        categorised = categorise_edits(edits, self.taxonomy, exclude=self.exclude)
        counted = _counted_edits(texts, categorised.counted)
        kept = {
            "checked": _annotated(texts, edits),
            "summary": _summary_of_edits(categorised.edits),
            "counts": counted.counts,
            "units": _nameless(counted.units),
        }
        return kept, [categorised.ledger, counted.ledger]


@dataclass(frozen=True)
class CountUsage:
    """Usage features of parsed texts. Frames: ``counts``, ``units``, ``opportunities`` (text_id, per, n)."""

    families: tuple[str, ...]
    fingerprint: str
    name: ClassVar[str] = "usage"
    rooms: ClassVar[tuple[str, ...]] = ("features", "text", "learner/counting", "run/steps")

    @classmethod
    def of(cls, families: tuple[str, ...]) -> CountUsage:
        """Return the stage for families of usage features, with the model that is installed."""
        return cls(families, usage_fingerprint(load_usage()))

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {"families": list(self.families), "model": self.fingerprint}

    def __call__(self, frames: Frames, tools: Tools) -> Result:
        texts = frames["texts"]
        used = usage(
            texts, families=self.families, store=tools.store, jobs=tools.jobs or cores(), progress=tools.meter.within
        )
        counted = count_given(texts, used.counts)
        kept = {"counts": counted.counts, "units": _nameless(counted.units), "opportunities": used.opportunities}
        return kept, [counted.ledger]


def lean(texts: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of texts that counting needs: no text."""
    return texts[_LEAN]


def _nameless(units: pd.DataFrame) -> pd.DataFrame:
    # Results are kept, and may be carried elsewhere: they hold no learner ids.
    return tables.conform(units.assign(learner=None), tables.UNITS)


def _counted_edits(texts: pd.DataFrame, edits: pd.DataFrame) -> Counts:
    if len(edits):
        return count_edits(texts, edits)
    nobody = pd.DataFrame({"text_id": texts["text_id"], "status": "not annotated", "reason": ""})
    return count(texts, nobody, NO_MATCHES)  # other partitions have annotation


def _annotated(texts: pd.DataFrame, edits: pd.DataFrame) -> pd.DataFrame:
    # A text without any edit row was not annotated: that is not the same as free of errors.
    numbers = edits["kind"].ne("noop").groupby(edits["text_id"]).sum()
    n = texts["text_id"].map(numbers)
    frame = pd.DataFrame({"text_id": texts["text_id"], "status": "checked", "reason": "", "n_matches": n})
    frame.loc[n.isna(), ["status", "reason"]] = ["skipped", "not annotated"]
    return tables.conform(frame, tables.CHECKED)


def _summary_of_edits(edits: pd.DataFrame) -> pd.DataFrame:
    rows = edits[edits["status"] != ""]
    if rows.empty:
        return tables.MATCH_SUMMARY.empty()
    code = rows["type"].fillna("") + rows["kind"].map(lambda k: " (no correction)" if k == "detect" else "")
    groups = rows.assign(rule_id=code).groupby(["status", "feature", "rule_id"], sort=True)
    frame = groups.agg(
        lt_category=("scheme", "min"),
        reason=("reason", "min"),
        matches=("text_id", "size"),
        texts=("text_id", "nunique"),
    )
    return tables.conform(frame.reset_index(), tables.MATCH_SUMMARY)
