"""The learner half of a run: corpora in, L1 tests and inventory out, each step a stage with a content key."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from miner import tables
from miner.corpora import Corpus, Policies
from miner.errors import EmptyInput
from miner.learner import L1Preset, sign
from miner.learner.examples import Quoted, pick_examples
from miner.learner.quoting import quotation_terms
from miner.ledger import Ledger
from miner.run.admitting import admitted_texts, with_skipped
from miner.run.comparing import CompareL1
from miner.run.executor import Executor
from miner.run.pseudonyms import pseudonyms
from miner.run.sources import ERRORS, FAMILIES, Source
from miner.run.stage import Partition, accounts, gathered, joined, split
from miner.run.tools import Progress
from miner.signature import DEFAULT_SEED, Signature

if TYPE_CHECKING:
    import pandas as pd

#: Gives a progress callback for a step of that name.
Steps = Callable[[str], AbstractContextManager["Progress | None"]]


@dataclass(frozen=True)
class LearnerResult:
    """The tables of the learner half, its accounts in the order of the steps, and how it was made.

    ``matches`` are handed over partition by partition while they are found (see :func:`run_learner`). ``units`` hold pseudonyms
    instead of learner ids. ``facts`` go to ``run.json`` (engine, unit, preset); ``timing`` is outside byte equality (stages reused).
    """

    checked: pd.DataFrame | None
    match_summary: pd.DataFrame | None
    counts: pd.DataFrame
    units: pd.DataFrame
    tests: pd.DataFrame
    inventory: pd.DataFrame
    rates: pd.DataFrame | None
    examples: Quoted | None
    ledgers: tuple[Ledger, ...]
    signature: Signature
    facts: Mapping[str, Any]
    timing: Mapping[str, Any]


def run_learner(
    corpora: Sequence[Corpus],
    *,
    sources: Sequence[Source],
    preset: L1Preset,
    executor: Executor,
    policies: Policies | None = None,
    seed: int = DEFAULT_SEED,
    examples: int = 0,
    matches: Callable[[pd.DataFrame], None] | None = None,
    steps: Steps = lambda _: nullcontext(),
    tell: Callable[[str], None] = lambda _: None,
) -> LearnerResult:
    """Count, test and select.

    Parameters
    ----------
    corpora : sequence of Corpus
        Texts of several corpora are mined together; their ids are then prefixed with the corpus.
    sources : sequence of Source
        What is counted (:mod:`miner.run.sources`). A text counts for all families or for none.
    preset : L1Preset
        The recipe.
    executor : Executor
        Runs the stages and keeps their results.
    policies : Policies, optional
        What happens to flagged texts (another language, duplicates, versions); texts left out are ``skipped``.
    seed : int
        Of the permutations and half-samples that a preset may draw.
    examples : int
        Examples wanted of each feature of the inventory: text of the corpus, within what its licence allows.
    matches : callable, optional
        Given the table ``matches`` of each partition, in the order of the texts.
    steps, tell : callable, optional
        For progress and messages.

    Raises
    ------
    EmptyInput, MinerError
        If there is nothing to compare; the message says what was dropped and why.
    """
    texts, skipped, policy_ledgers = admitted_texts(corpora, policies, executor)
    parts = split(texts)
    counted: dict[str, list[Partition]] = {}
    families: dict[str, Source] = {}
    for source in sources:
        tell(f"{source.called}: {len(texts)} texts")
        with steps(source.called.split()[0].lower()) as progress:
            executor.watch(progress, len(texts))
            counted[source.families[0]] = [_kept(p, matches) for p in source.counted(executor, parts)]
        families |= dict.fromkeys(source.families, source)
    executor.watch(None, 0)
    before = [*(c.ledger for c in corpora), *policy_ledgers, *(lg for s in sources for lg in s.ledgers)]
    before += [lg for ps in counted.values() for lg in accounts(ps)]
    units, agreed = _agreed([gathered(ps, "units") for ps in counted.values()])
    units = _named(units, texts)
    before += agreed
    wide = {f: counted[s.families[0]] for f, s in families.items()}
    try:
        compared = {
            f: executor.once(_comparison(families[f], f, preset, seed), _whole(wide, families[f], f, units, agreed))
            for f in FAMILIES
            if f in families
        }
    except EmptyInput as err:
        dropped = [
            f"{lg.step}: {n} {lg.unit} ({r})" for lg in before if lg.unit == "texts" for r, n in lg.dropped.items()
        ]
        msg = f"{err}. Left out before that: {'; '.join(dropped) or 'none'}"
        raise EmptyInput(msg) from err
    first = next(iter(compared.values()))
    unit, n = str(first.frames["admission"]["unit"].iloc[0]), int(first.frames["admission"]["texts"].iloc[0])
    errors = counted.get(ERRORS)
    rates = gathered(compared.values(), "rates")
    inventory = tables.conform(_ranked([p.frames["inventory"] for p in compared.values()]), tables.L1_INVENTORY)
    quoted = _examples(corpora, sources, executor, parts, inventory, examples) if examples else None
    return LearnerResult(
        checked=with_skipped(gathered(errors, "checked"), skipped) if errors else None,
        match_summary=_summed([p.frames["summary"] for p in errors]) if errors else None,
        counts=_counts(counted, units, agreed),
        units=_pseudonymous(units, texts),
        tests=tables.conform(gathered(compared.values(), "tests"), tables.L1_TESTS),
        inventory=inventory,
        rates=tables.conform(rates, tables.USAGE_RATES) if len(rates) else None,
        examples=quoted,
        ledgers=(*before, *first.ledgers, *([quoted.ledger] if quoted else [])),
        signature=sign(_signature(corpora, sources), preset, unit=unit, n=n, seed=seed),
        facts=_facts(corpora, sources, preset, unit),
        timing={"stages_computed": executor.computed, "stages_reused": executor.reused},
    )


def _examples(
    corpora: Sequence[Corpus],
    sources: Sequence[Source],
    executor: Executor,
    parts: Sequence[Partition],
    inventory: pd.DataFrame,
    number: int,
) -> Quoted:
    import pandas as pd

    wanted = set(inventory["feature"])
    found = [f[f["feature"].isin(wanted)] for source in sources for f in source.found(executor, parts)]
    none = pd.DataFrame({c: [] for c in ("text_id", "start", "end", "feature")})
    terms = [quotation_terms(c.name, c.licence, redistribute=c.redistribute) for c in corpora]
    texts = gathered(parts, "texts")
    return pick_examples(inventory, pd.concat([none, *found], ignore_index=True), texts, terms, per_feature=number)


def _kept(partition: Partition, matches: Callable[[pd.DataFrame], None] | None) -> Partition:
    # Matches are by far the largest table: they are passed on, not held.
    frames = dict(partition.frames)
    found = frames.pop("matches", None)
    if found is not None and matches is not None:
        matches(found)
    return Partition(partition.key, frames, partition.ledgers)


def _agreed(units: Sequence[pd.DataFrame]) -> tuple[pd.DataFrame, list[Ledger]]:
    """Return the texts that count for all families, and the account if there are several."""
    first, *others = units
    if not others:
        return first, []
    keep = first["text_id"].isin(others[0]["text_id"])
    for frame in others[1:]:
        keep &= first["text_id"].isin(frame["text_id"])
    everywhere = sorted({i for frame in units for i in frame["text_id"]} - set(first.loc[keep, "text_id"]))
    ledger = Ledger("families", "texts")
    ledger.keep(int(keep.sum()))
    for text_id in everywhere[:20]:
        ledger.drop("not countable for all families", place=text_id)
    ledger.drop("not countable for all families", max(0, len(everywhere) - 20))
    return first[keep].reset_index(drop=True), [ledger]


def _named(units: pd.DataFrame, texts: pd.DataFrame) -> pd.DataFrame:
    # Stages keep no learner ids: what is kept may be carried elsewhere.
    learners = texts.set_index("text_id")["learner_id"]
    return tables.conform(units.assign(learner=units["text_id"].map(learners)), tables.UNITS)


def _comparison(source: Source, family: str, preset: L1Preset, seed: int) -> CompareL1:
    return CompareL1(preset, family, source.labels(family), seed, source.per(family))


def _whole(
    counted: Mapping[str, Sequence[Partition]],
    source: Source,
    family: str,
    units: pd.DataFrame,
    agreed: Sequence[Ledger],
) -> Partition:
    """Return counts of one family and units of all texts as one partition; its key comes from the keys of the parts."""
    own = counted[family]
    counts = _within(gathered(own, "counts"), units, agreed)
    if len(source.families) > 1:
        counts = counts[counts["feature"].isin(source.labels(family).keys())].reset_index(drop=True)
    wanted = {"counts": counts, "units": units}
    usage = next((ps for ps in counted.values() if "opportunities" in ps[0].frames), None)
    if usage is not None:
        wanted["opportunities"] = _within(gathered(usage, "opportunities"), units, agreed)
    keys = [joined(*own).key, *(joined(*ps).key for f, ps in sorted(counted.items()))]
    return Partition(joined(*(Partition(k, {}) for k in keys)).key, wanted)


def _within(frame: pd.DataFrame, units: pd.DataFrame, agreed: Sequence[Ledger]) -> pd.DataFrame:
    return frame[frame["text_id"].isin(units["text_id"])].reset_index(drop=True) if agreed else frame


def _counts(counted: Mapping[str, Sequence[Partition]], units: pd.DataFrame, agreed: Sequence[Ledger]) -> pd.DataFrame:
    import pandas as pd

    whole = pd.concat([gathered(ps, "counts") for ps in counted.values()], ignore_index=True)
    return tables.conform(_within(whole, units, agreed), tables.COUNTS)


def _pseudonymous(units: pd.DataFrame, texts: pd.DataFrame) -> pd.DataFrame:
    names = pseudonyms(texts)
    return tables.conform(units.assign(learner=units["learner"].map(names)), tables.UNITS)


def _ranked(inventories: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return one inventory in which the families of a cell follow each other."""
    import numpy as np
    import pandas as pd

    whole = pd.concat(inventories, ignore_index=True)
    order = np.repeat(np.arange(len(inventories)), [len(i) for i in inventories])
    whole = whole.assign(order=order).sort_values(["l1", "cefr", "order", "rank"], kind="stable")
    return whole.assign(rank=whole.groupby(["l1", "cefr"]).cumcount() + 1).drop(columns="order")


def _summed(summaries: Sequence[pd.DataFrame]) -> pd.DataFrame:
    import pandas as pd

    names = [c for c in tables.MATCH_SUMMARY.names if c not in ("matches", "texts")]
    whole = pd.concat(summaries, ignore_index=True)
    whole[names] = whole[names].fillna("")
    key = list(tables.MATCH_SUMMARY.key)
    groups = whole.groupby(key, as_index=False, sort=True)
    rest = {c: (c, "min") for c in names if c not in key}
    return tables.conform(groups.agg(**rest, matches=("matches", "sum"), texts=("texts", "sum")), tables.MATCH_SUMMARY)


def _signature(corpora: Sequence[Corpus], sources: Sequence[Source]) -> Signature:
    corpus = "+".join(f"{c.name}#{c.fingerprint[:8]}" for c in corpora) or None
    parts = {k: v for source in sources for k, v in source.signed.items()}
    return Signature.of("l1", corpus=corpus, **parts)


def _facts(corpora: Sequence[Corpus], sources: Sequence[Source], preset: L1Preset, unit: str) -> dict[str, Any]:
    return {
        "corpora": [_corpus_facts(c) for c in corpora],
        **{k: v for source in sources for k, v in source.facts.items()},
        "preset": preset.as_dict(),
        "unit": unit,
    }


def _corpus_facts(corpus: Corpus) -> dict[str, Any]:
    texts = corpus.texts
    sources = texts["cefr_source"].fillna("none").replace("", "none").value_counts().sort_index()
    return {
        "name": corpus.name,
        "format": corpus.format,
        "licence": corpus.licence,
        "simulated": bool(getattr(corpus, "simulated", False)),
        "texts": len(texts),
        "words": int(texts["n_words"].sum()),
        "cefr_source": {str(k): int(v) for k, v in sources.items()},
    }
