"""What can be counted besides a checker's matches: a corpus's annotation, typed corrections, used grammar, layout."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from miner import tables
from miner.categories import categorise, categorise_edits, load_exclusions, load_taxonomy, retype
from miner.checkers import apply_overlap, check_texts, open_checker
from miner.corpora import Corpus, left_out
from miner.errors import InputError, require_one_of
from miner.features import load_usage, usage
from miner.learner import Counts, count, count_edits, count_given
from miner.ledger import Ledger
from miner.store import Store

#: What a validation or comparison may count.
SOURCES = ("checker", "gold", "pairs", "usage")
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Counting:
    """How texts become counts.

    Attributes
    ----------
    taxonomy : str, optional
        Name or file. By default ``trans-env`` for a checker's matches, and for annotation each code by itself.
    exclude : str or Path
        What of a taxonomy is not counted: ``default``, ``none`` or a table. (Codes by themselves are all counted.)
    mode, overlap : str
        With ``checker``: how texts are checked, and which of overlapping matches count.
    checker : mapping
        Arguments of :func:`miner.checkers.open_checker`.
    store : Store, optional
    jobs : int
    """

    taxonomy: str | None = None
    exclude: str | Path = "default"
    mode: Literal["text", "sentence"] = "text"
    overlap: Literal["all", "exact", "longest"] = "exact"
    checker: Mapping[str, Any] = field(default_factory=dict)
    store: Store | None = None
    jobs: int = 1


@dataclass(frozen=True)
class Counted:
    """A corpus counted from one source.

    Attributes
    ----------
    counts : Counts
    labels : dict of str to str
        Labels of the features; those named here are tested even if nobody has them.
    texts : DataFrame
        The texts that were counted: those that the policies keep.
    ledgers : tuple of Ledger
    signed : dict of str to str
        Parts for the signature.
    """

    counts: Counts = field(repr=False)
    labels: dict[str, str] = field(repr=False)
    texts: pd.DataFrame = field(repr=False)
    ledgers: tuple[Ledger, ...] = field(repr=False)
    signed: dict[str, str | None]


def count_source(
    corpus: Corpus, source: str, how: Counting | None = None, *, progress: Progress | None = None
) -> Counted:
    """Count a corpus from one source.

    Parameters
    ----------
    corpus : Corpus
        Texts that the default policies leave out (other languages, duplicates, versions) are not counted, as when it is mined.
    source : {"checker", "gold", "pairs", "usage"}
        A checker's matches; the corpus's own error codes; its corrections typed by ERRANT; grammar that is used.
    how : Counting, optional
    progress : callable, optional
        Called with (texts done, texts in all), where texts are checked or parsed.

    Raises
    ------
    InputError
        If the corpus has no annotation to count.
    """
    require_one_of(source, SOURCES, what="The source of counts")
    how = how or Counting()
    reason = left_out(corpus.texts)
    ledger = Ledger("admit texts", "texts")
    for why, number in reason.value_counts().sort_index().items():
        if why:
            ledger.drop(str(why), int(number))
        else:
            ledger.keep(int(number))
    texts = corpus.texts[reason == ""].reset_index(drop=True)
    if source == "checker":
        counts, labels, signed = _checked(texts, how, progress)
    elif source == "usage":
        counts, labels = usage_counts(texts, store=how.store, jobs=how.jobs, progress=progress)
        signed = {"usage": load_usage().fingerprint[:12]}
    else:
        counts, labels, signed = _annotated(texts, corpus.edits, how, pairs=source == "pairs")
    return Counted(counts, labels, texts, (corpus.ledger, ledger, counts.ledger), signed)


def _checked(
    texts: pd.DataFrame, how: Counting, progress: Progress | None
) -> tuple[Counts, dict[str, str], dict[str, str | None]]:
    taxonomy = load_taxonomy(how.taxonomy or "trans-env")
    exclude = load_exclusions(how.exclude)
    options = dict(how.checker)
    with open_checker(options.pop("name", "auto"), **options) as checker:
        checked = check_texts(texts, checker, mode=how.mode, store=how.store, progress=progress)
    matches, _ = apply_overlap(checked.matches, how.overlap)
    counted = count(texts, checked.checked, categorise(matches, taxonomy, exclude=exclude).matches)
    labels = taxonomy.labels(taxonomy.categories["id"])
    signed = {"overlap": how.overlap, "map": exclude.signed(taxonomy.signature)}
    return counted, labels, checked.signature_parts | signed


def _annotated(
    texts: pd.DataFrame, edits: pd.DataFrame, how: Counting, *, pairs: bool
) -> tuple[Counts, dict[str, str], dict[str, str | None]]:
    if edits.empty:
        msg = (
            "The corpus has no annotation to count: expected error codes or corrections by people. Count a checker's matches "
            "instead (--source checker), or read a format or columns that carry them"
        )
        raise InputError(msg)
    own = edits[edits["text_id"].isin(texts["text_id"])].reset_index(drop=True)
    if pairs:
        own = retype(texts, own, store=how.store, jobs=how.jobs).edits
    labels: dict[str, str] = {}
    signed: dict[str, str | None] = {"check": "pairs" if pairs else "gold"}
    if how.taxonomy is not None:
        taxonomy, exclude = load_taxonomy(how.taxonomy), load_exclusions(how.exclude)
        own = categorise_edits(own, taxonomy, exclude=exclude).counted
        # "rules" lists a checker's rules; of annotation, the codes that occur are the features.
        labels = {} if taxonomy.name == "rules" else taxonomy.labels(taxonomy.categories["id"])
        signed["map"] = exclude.signed(taxonomy.signature)
    return count_edits(texts, own), labels, signed


def usage_counts(
    texts: pd.DataFrame,
    *,
    families: Sequence[str] = ("usage",),
    store: Store | None = None,
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Counts, dict[str, str]]:
    """Return counts of named grammar features in parsed texts, and the features' labels.

    Parameters
    ----------
    texts : DataFrame
        :data:`miner.tables.TEXTS`.
    families, store, jobs, progress :
        As in :func:`miner.features.usage`.

    Raises
    ------
    EngineMissing
        If the parser is not installed.
    """
    used = usage(texts, families=families, store=store, jobs=jobs, progress=progress)
    return count_given(texts, used.counts), load_usage().column("label", families)


def format_counts(texts: pd.DataFrame) -> tuple[Counts, dict[str, str]]:
    """Return counts of punctuation, capitals, digits and layout, which need no parser, and the features' labels.

    Parameters
    ----------
    texts : DataFrame
        :data:`miner.tables.TEXTS`.

    Notes
    -----
    The same counts as the family ``format`` of :func:`miner.features.usage`: regular expressions over the text as written.
    """
    expressions = {i: re.compile(p) for i, p in load_usage().column("pattern", ("format",)).items()}
    rows = [
        {"text_id": text_id, "feature": name, "n": n}
        for text_id, text in zip(texts["text_id"], texts["text"].fillna(""), strict=True)
        for name, expression in expressions.items()
        if (n := len(expression.findall(text)))
    ]
    counts = tables.conform(rows, tables.COUNTS) if rows else tables.COUNTS.empty()
    return count_given(texts, counts), load_usage().column("label", ("format",))
