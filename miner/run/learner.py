"""The learner half of a run: corpora in, L1 tests and inventory out, each step a stage with a content key."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from miner import tables
from miner.categories import Taxonomy, categorise
from miner.checkers import Checker, apply_overlap, check_texts
from miner.corpora import Corpus, Policies, left_out, policy_account
from miner.errors import EmptyInput
from miner.learner import Counts, L1Preset, compare_l1, count, sign, sign_checked
from miner.ledger import Ledger
from miner.run.pseudonyms import pseudonyms
from miner.run.stage import LocalExecutor, Stage, accounts, gathered, joined, split
from miner.signature import DEFAULT_SEED, Signature
from miner.store import Store

if TYPE_CHECKING:
    import pandas as pd

    Frames = dict[str, pd.DataFrame]

#: Called with (texts done, texts in all).
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class LearnerResult:
    """The tables of the learner half, its accounts in the order of the steps, and how it was made.

    ``units`` hold pseudonyms instead of learner ids. ``facts`` go to ``run.json`` (engine, unit, preset); ``timing`` is outside byte equality (stages reused).
    """

    matches: pd.DataFrame
    checked: pd.DataFrame
    match_summary: pd.DataFrame
    counts: pd.DataFrame
    units: pd.DataFrame
    tests: pd.DataFrame
    inventory: pd.DataFrame
    ledgers: tuple[Ledger, ...]
    signature: Signature
    facts: Mapping[str, Any]
    timing: Mapping[str, Any]


def run_learner(
    corpora: Sequence[Corpus],
    *,
    checker: Checker,
    taxonomy: Taxonomy,
    preset: L1Preset,
    store: Store,
    policies: Policies | None = None,
    seed: int = DEFAULT_SEED,
    progress: Progress | None = None,
) -> LearnerResult:
    """Check, categorise, count, test and select.

    Parameters
    ----------
    corpora : sequence of Corpus
        Texts of several corpora are mined together; their ids are then prefixed with the corpus.
    checker : Checker
        An open engine.
    taxonomy, preset : Taxonomy, L1Preset
        What rules mean, and the recipe (its ``mode`` and ``overlap`` decide how texts are checked).
    store : Store
        Where the stages' results are kept.
    policies : Policies, optional
        What happens to flagged texts (another language, duplicates, versions); texts left out are ``skipped``.
    seed : int
        Of the permutations and half-samples that a preset may draw.
    progress : callable, optional
        Called as texts are checked.

    Raises
    ------
    EmptyInput, MinerError
        If there is nothing to compare; the message says what was dropped and why.
    """
    texts, skipped, policy_ledgers = admitted_texts(corpora, policies)
    executor = LocalExecutor(store)
    parts = split(texts)
    checked = list(executor.map(_check_stage(checker, preset, store, progress, len(texts)), parts))
    pairs = [joined(t, c) for t, c in zip(parts, checked, strict=True)]
    counted = list(executor.map(_count_stage(taxonomy, preset), pairs))
    counts = Counts(gathered(counted, "counts"), gathered(counted, "units"), Ledger("count", "texts"))
    before = (*(c.ledger for c in corpora), *policy_ledgers, *accounts(checked), *accounts(counted))
    try:
        admitted, tests, inventory = compare_l1(counts, preset, labels=_labels(taxonomy), seed=seed)
    except EmptyInput as err:
        dropped = [
            f"{lg.step}: {n} {lg.unit} ({r})" for lg in before if lg.unit == "texts" for r, n in lg.dropped.items()
        ]
        msg = f"{err}. Left out before that: {'; '.join(dropped) or 'none'}"
        raise EmptyInput(msg) from err
    ledgers = (*before, admitted.ledger)
    return LearnerResult(
        matches=tables.conform(gathered(counted, "matches"), tables.MATCHES),
        checked=with_skipped(gathered(checked, "checked"), skipped),
        match_summary=_summed([p.frames["summary"] for p in counted]),
        counts=tables.conform(counts.counts, tables.COUNTS),
        units=_pseudonymous(counts.units, texts),
        tests=tests,
        inventory=inventory,
        ledgers=ledgers,
        signature=sign(_signature(corpora, checker, taxonomy, preset), preset, admitted, seed=seed),
        facts=_facts(corpora, checker, taxonomy, preset, admitted.unit),
        timing={"stages_computed": executor.computed, "stages_reused": executor.reused},
    )


def admitted_texts(
    corpora: Sequence[Corpus], policies: Policies | None = None
) -> tuple[pd.DataFrame, pd.DataFrame, list[Ledger]]:
    """Return the texts of all corpora that the policies keep, those they leave out (id, reason), and the account.

    Raises
    ------
    EmptyInput
        If no text is left.
    """
    import pandas as pd

    texts = put_together(corpora)
    reasons = left_out(texts, policies)
    kept = texts[reasons == ""].reset_index(drop=True)
    skipped = pd.DataFrame({"text_id": texts["text_id"], "reason": reasons})[reasons != ""]
    ledger = policy_account(texts, reasons)
    if kept.empty:
        why = {r: n for lg in (*(c.ledger for c in corpora), ledger) for r, n in lg.dropped.items()}
        msg = f"No text is left: {why or 'the corpus is empty'}. `miner corpora describe` says what is in it"
        raise EmptyInput(msg)
    return kept, skipped, [ledger]


def put_together(corpora: Sequence[Corpus]) -> pd.DataFrame:
    """Return the texts of all corpora; with several, ids of texts and learners are prefixed with the corpus's name."""
    import pandas as pd

    return pd.concat([_prefixed(c) for c in corpora], ignore_index=True) if len(corpora) > 1 else corpora[0].texts


def with_skipped(checked: pd.DataFrame, skipped: pd.DataFrame) -> pd.DataFrame:
    """Return the table ``checked`` with the texts that the policies left out, as skipped."""
    import pandas as pd

    rows = skipped.assign(status="skipped", reason="policy: " + skipped["reason"], n_matches=None)
    whole = pd.concat([checked, rows[checked.columns]], ignore_index=True) if len(rows) else checked
    return tables.conform(whole, tables.CHECKED)


def _prefixed(corpus: Corpus) -> pd.DataFrame:
    texts: pd.DataFrame = corpus.texts.assign(text_id=corpus.name + "/" + corpus.texts["text_id"])
    known = texts["learner_id"].notna() & (texts["learner_id"] != "")
    texts["learner_id"] = texts["learner_id"].where(~known, corpus.name + "/" + texts["learner_id"])
    return texts


def _check_stage(checker: Checker, preset: L1Preset, store: Store, progress: Progress | None, total: int) -> Stage:
    done = 0

    def check(frames: Mapping[str, pd.DataFrame]) -> tuple[Frames, list[Ledger]]:
        nonlocal done
        start, texts = done, frames["texts"]
        advance = (lambda n, _: progress(start + n, total)) if progress else None
        found = check_texts(texts, checker, mode=preset.mode, store=store, progress=advance)
        done = start + len(texts)
        return {"matches": found.matches, "checked": found.checked}, [found.ledger]

    engine = {"engine": checker.engine, "rules": checker.fingerprint, "language": checker.language}
    return Stage("check", 1, check, {**engine, "mode": preset.mode})


def _count_stage(taxonomy: Taxonomy, preset: L1Preset) -> Stage:
    def counting(frames: Mapping[str, pd.DataFrame]) -> tuple[Frames, list[Ledger]]:
        matches, overlap = apply_overlap(frames["matches"], preset.overlap)
        categorised = categorise(matches, taxonomy)
        counted = count(frames["texts"], frames["checked"], categorised.matches)
        kept = {"matches": matches, "summary": categorised.summary, "counts": counted.counts, "units": counted.units}
        return kept, [overlap, categorised.ledger, counted.ledger]

    return Stage("count", 1, counting, {"taxonomy": taxonomy.fingerprint, "overlap": preset.overlap})


def _pseudonymous(units: pd.DataFrame, texts: pd.DataFrame) -> pd.DataFrame:
    names = pseudonyms(texts)
    return tables.conform(units.assign(learner=units["learner"].map(names)), tables.UNITS)


def _summed(summaries: Sequence[pd.DataFrame]) -> pd.DataFrame:
    import pandas as pd

    names = [c for c in tables.MATCH_SUMMARY.names if c not in ("matches", "texts")]
    whole = pd.concat(summaries, ignore_index=True)
    whole[names] = whole[names].fillna("")
    return tables.conform(
        whole.groupby(names, as_index=False, sort=True)[["matches", "texts"]].sum(), tables.MATCH_SUMMARY
    )


def _labels(taxonomy: Taxonomy) -> dict[str, str]:
    return dict(zip(taxonomy.categories["id"], taxonomy.categories["label"], strict=True))


def _signature(corpora: Sequence[Corpus], checker: Checker, taxonomy: Taxonomy, preset: L1Preset) -> Signature:
    from miner.text import SPLITTER_ID

    parts = {
        "check": f"{checker.engine}#{checker.fingerprint}:{checker.language}",
        "mode": preset.mode,
        "split": SPLITTER_ID if preset.mode == "sentence" else None,
    }
    return sign_checked(parts, taxonomy, preset, corpora)


def _facts(
    corpora: Sequence[Corpus], checker: Checker, taxonomy: Taxonomy, preset: L1Preset, unit: str
) -> dict[str, Any]:
    return {
        "corpora": [_corpus_facts(c) for c in corpora],
        "checker": {"engine": checker.engine, "rules": checker.fingerprint, "language": checker.language},
        "taxonomy": taxonomy.signature,
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
