"""What is counted: a checker's matches, the corpus's own edits, edits between pairs, or usage; each as a chain of stages."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any, Protocol

from miner.categories import Exclusions, Taxonomy, categorise, categorise_edits, errant_version
from miner.checkers import Checker, Mode, Overlap, apply_overlap
from miner.corpora import Corpus, select_annotator
from miner.errors import InputError, OptionError, require_one_of
from miner.features import load_usage, usage_fingerprint
from miner.ledger import Ledger
from miner.run.executor import Executor
from miner.run.opportunities import error_opportunities
from miner.run.stage import Partition, Stage, joined, with_rows
from miner.run.steps import CheckTexts, CountEdits, CountMatches, CountUsage, TypePairs, lean

if TYPE_CHECKING:
    import pandas as pd

#: What ``checker`` may name beside the engines: the corpus's own error codes, and its corrections typed anew.
GOLD, PAIRS = "gold", "pairs"
ERRORS = "errors"
USAGE_FAMILIES = ("usage", "topic", "format")
#: Families of features that a study may mine, in the order in which an inventory lists them.
FAMILIES = (ERRORS, *USAGE_FAMILIES)
_PLACES = ["text_id", "start", "end", "feature"]


class Source(Protocol):
    """Gives counts of each partition."""

    @property
    def families(self) -> tuple[str, ...]:
        """The families that it counts."""

    @property
    def called(self) -> str:
        """What is done with the texts, for messages."""

    @property
    def signed(self) -> Mapping[str, str | None]:
        """Parts for the signature."""

    @property
    def facts(self) -> Mapping[str, Any]:
        """Facts for ``run.json``."""

    @property
    def ledgers(self) -> Sequence[Ledger]:
        """Accounts of what was done before the first stage."""

    def labels(self, family: str) -> dict[str, str]:
        """Return the labels of a family's features."""

    def per(self, family: str) -> dict[str, str]:
        """Return, by feature, the opportunity that it is counted against; none where none is known."""

    def first(self, parts: Sequence[Partition]) -> list[tuple[Stage, Sequence[Partition]]]:
        """Return the first stage, where most of the time goes, with its partitions; one pair for each kind of it."""

    def counted(self, executor: Executor, parts: Sequence[Partition]) -> Iterator[Partition]:
        """Yield frames ``counts`` and ``units`` of each partition, and what else the source has to tell."""

    def found(self, executor: Executor, parts: Sequence[Partition]) -> Iterator[pd.DataFrame]:
        """Yield ``text_id, start, end, feature`` of all that was counted; nothing where a feature is no stretch of text."""


@dataclass(frozen=True)
class CheckerSource:
    """Errors as a checker sees them.

    Parameters
    ----------
    checkers : mapping of corpus to Checker
        Each for the national variety of its corpus; opened by their first stage.
    options : mapping
        How another process opens the same checkers.
    """

    checkers: Mapping[str, Checker]
    taxonomy: Taxonomy
    exclude: Exclusions
    mode: Mode
    overlap: Overlap
    options: Mapping[str, Any]
    families: tuple[str, ...] = (ERRORS,)
    ledgers: tuple[Ledger, ...] = ()

    @property
    def _any(self) -> Checker:
        return next(iter(self.checkers.values()))

    @property
    def _languages(self) -> str:
        return "+".join(sorted({c.language for c in self.checkers.values()}))

    @property
    def called(self) -> str:
        return f"Checking with {self._any.engine} (rules {self._any.fingerprint}, {self._languages}), {self.mode} mode"

    @property
    def signed(self) -> Mapping[str, str | None]:
        from miner.text import SPLITTER_ID

        return {
            "check": f"{self._any.engine}#{self._any.fingerprint}:{self._languages}",
            "mode": self.mode,
            "split": SPLITTER_ID if self.mode == "sentence" else None,
            "overlap": self.overlap,
            "map": self.exclude.signed(self.taxonomy.signature),
        }

    @property
    def facts(self) -> Mapping[str, Any]:
        engine = {"engine": self._any.engine, "rules": self._any.fingerprint, "language": self._languages}
        return {"checker": engine, "taxonomy": self.exclude.signed(self.taxonomy.signature)}

    def labels(self, family: str) -> dict[str, str]:
        return self.taxonomy.labels(self.taxonomy.categories["id"])

    def per(self, family: str) -> dict[str, str]:
        return error_opportunities(self.taxonomy)

    def first(self, parts: Sequence[Partition]) -> list[tuple[Stage, Sequence[Partition]]]:
        groups = ((c, list(own)) for c, own in groupby(parts, key=lambda p: self.checkers[p.corpus]))
        return [(CheckTexts.by(c, self.mode, self.options), own) for c, own in groups]

    def counted(self, executor: Executor, parts: Sequence[Partition]) -> Iterator[Partition]:
        checked = _mapped(executor, self.first(parts))
        return _chained(executor, CountMatches(self.taxonomy, self.exclude, self.overlap), parts, checked)

    def found(self, executor: Executor, parts: Sequence[Partition]) -> Iterator[pd.DataFrame]:
        for result in _mapped(executor, self.first(parts)):
            matches, _ = apply_overlap(result.frames["matches"], self.overlap)
            rows = categorise(matches, self.taxonomy, exclude=self.exclude).matches
            yield rows.loc[rows["status"] == "mapped", _PLACES]


@dataclass(frozen=True)
class EditSource:
    """Errors as the corpus's annotators saw them; with ``pairs``, its corrections typed by ERRANT.

    Parameters
    ----------
    edits : DataFrame
        Table ``edits`` of all corpora; of each text's first annotator.
    """

    edits: pd.DataFrame
    taxonomy: Taxonomy
    exclude: Exclusions
    pairs: bool = False
    families: tuple[str, ...] = (ERRORS,)
    ledgers: tuple[Ledger, ...] = ()

    @property
    def called(self) -> str:
        return "Typing corrections with ERRANT" if self.pairs else "Counting the corpus's own annotation"

    @cached_property
    def _version(self) -> str:
        return errant_version() if self.pairs else "annotation"

    @property
    def signed(self) -> Mapping[str, str | None]:
        return {
            "check": f"{PAIRS if self.pairs else GOLD}#{self._version}",
            "map": self.exclude.signed(self.taxonomy.signature),
        }

    @property
    def facts(self) -> Mapping[str, Any]:
        engine = "errant" if self.pairs else "gold annotation"
        return {
            "checker": {"engine": engine, "rules": self._version, "language": ""},
            "taxonomy": self.exclude.signed(self.taxonomy.signature),
        }

    def labels(self, family: str) -> dict[str, str]:
        # "rules" lists a checker's rules; of annotation, the codes that occur are the features.
        return {} if self.taxonomy.name == "rules" else self.taxonomy.labels(self.taxonomy.categories["id"])

    def per(self, family: str) -> dict[str, str]:
        return error_opportunities(self.taxonomy)

    def first(self, parts: Sequence[Partition]) -> list[tuple[Stage, Sequence[Partition]]]:
        if self.pairs:
            return [(TypePairs(self._version), with_rows(parts, "edits", self.edits))]
        return [(CountEdits(self.taxonomy, self.exclude), with_rows([_lean(p) for p in parts], "edits", self.edits))]

    def counted(self, executor: Executor, parts: Sequence[Partition]) -> Iterator[Partition]:
        typed = _mapped(executor, self.first(parts))
        if not self.pairs:
            return typed
        return _chained(executor, CountEdits(self.taxonomy, self.exclude), parts, typed)

    def found(self, executor: Executor, parts: Sequence[Partition]) -> Iterator[pd.DataFrame]:
        typed = (r.frames["edits"] for r in _mapped(executor, self.first(parts))) if self.pairs else iter([self.edits])
        for edits in typed:
            rows = categorise_edits(edits, self.taxonomy, exclude=self.exclude).edits
            counted = (rows["status"] == "mapped") & (rows["kind"] != "detect")
            yield rows.loc[counted, _PLACES]


@dataclass(frozen=True)
class UsageSource:
    """What is used, from parsed texts."""

    families: tuple[str, ...]
    ledgers: tuple[Ledger, ...] = ()

    @property
    def called(self) -> str:
        return "Parsing with spaCy"

    @property
    def signed(self) -> Mapping[str, str | None]:
        return {"usage": f"{usage_fingerprint(load_usage())}:{'+'.join(self.families)}"}

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"usage": {"model": usage_fingerprint(load_usage()), "families": list(self.families)}}

    def labels(self, family: str) -> dict[str, str]:
        return load_usage().column("label", [family])

    def per(self, family: str) -> dict[str, str]:
        return load_usage().column("per", [family])

    def first(self, parts: Sequence[Partition]) -> list[tuple[Stage, Sequence[Partition]]]:
        return [(CountUsage.of(self.families), parts)]

    def counted(self, executor: Executor, parts: Sequence[Partition]) -> Iterator[Partition]:
        return _mapped(executor, self.first(parts))

    def found(self, executor: Executor, parts: Sequence[Partition]) -> Iterator[pd.DataFrame]:
        return iter(())


def edits_of(corpora: Sequence[Corpus], ids: Sequence[pd.Series]) -> tuple[pd.DataFrame, Ledger]:
    """Return the edits of all corpora, of each text's first annotator, under the ids that the texts have in the run, and the account.

    Parameters
    ----------
    corpora : sequence of Corpus
    ids : sequence of Series
        For each corpus, the run's text id by the corpus's own.

    Raises
    ------
    InputError
        If no corpus has edits.
    """
    import pandas as pd

    def own(corpus: Corpus, run_ids: pd.Series) -> pd.DataFrame:
        edits = select_annotator(corpus.edits)
        return edits.assign(text_id=edits["text_id"].map(run_ids))

    found = [own(c, i) for c, i in zip(corpora, ids, strict=True)]
    edits = pd.concat(found, ignore_index=True)
    if edits.empty:
        msg = (
            "The corpus has no annotation (no edits): expected error codes or corrections by people. "
            "Mine with a checker instead, or give the format or the roles that carry them (docs/corpora.md)"
        )
        raise InputError(msg)
    ledger = Ledger("annotators", "edits")
    ledger.keep(len(edits))
    ledger.drop("another annotator's", sum(len(c.edits) for c in corpora) - len(edits))
    return edits, ledger


def require_families(families: Sequence[str]) -> tuple[str, ...]:
    """Return the families in their order.

    Raises
    ------
    OptionError
        For a family that is not known, given twice, or none at all.
    """
    for family in families:
        require_one_of(family, FAMILIES, what="A family of features")
    if not families or len(set(families)) < len(families):
        msg = f"'families' must name some of {', '.join(FAMILIES)}, each once. Got {list(families)} instead"
        raise OptionError(msg)
    return tuple(f for f in FAMILIES if f in families)


def _mapped(executor: Executor, chosen: Sequence[tuple[Stage, Sequence[Partition]]]) -> Iterator[Partition]:
    for stage, parts in chosen:
        yield from executor.map(stage, parts)


def _chained(
    executor: Executor, stage: Stage, parts: Sequence[Partition], found: Iterator[Partition]
) -> Iterator[Partition]:
    """Run a stage on the texts (without their text) and what an earlier stage found in them; the accounts of both are kept."""
    waiting: deque[Partition] = deque()

    def pairs() -> Iterator[Partition]:
        for texts, before in zip(parts, found, strict=True):
            waiting.append(before)
            yield joined(_lean(texts), before)

    for result in executor.map(stage, pairs()):
        yield Partition(result.key, result.frames, (*waiting.popleft().ledgers, *result.ledgers))


def _lean(partition: Partition) -> Partition:
    return Partition(partition.key, {"texts": lean(partition.frames["texts"])})
