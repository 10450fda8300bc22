"""A checker against gold annotation: what it finds, misses and flags without cause, by category and by L1.

  miner audit fce.json --out outputs/audit
  miner audit answers.csv --text answer --checker lingotweaker --against languagetool

The corpus must carry gold edits; corrections without error codes are typed by ERRANT first. Writes audit.csv (precision, recall,
false alarms per 1,000 words, with intervals by a bootstrap of learners) and its pictures, audit_recall.csv (does recall differ
between L1s?), audit_confusion.csv, audit_types.csv (do match and edit name the same type? where the edits are ERRANT's),
corrected_rates.csv (each L1's rates, corrected for misses and false alarms), prediction_powered.csv (rates from the annotated
learners and the matches of the others, only with --gold-sample random) and run.json. Exit code 3 if recall differs between L1s
in some category: comparing L1s by what the checker flags is biased there.

With --against the same texts are checked by a second engine instead, gold or no gold, and checker_agreement.csv tells how many
matches are equal in rule, start and end, over those of either.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from miner.commands.options import (
    add_checker,
    add_corpus,
    add_format,
    add_out,
    add_seed,
    add_work,
    get_checker,
    get_corpus,
)
from miner.errors import EmptyInput, OptionError

if TYPE_CHECKING:
    import pandas as pd

    from miner.checkers.texts import Checked
    from miner.corpora import Corpus
    from miner.evaluate import Audit
    from miner.signature import Signature
    from miner.store import Store

_SHOWN = ["label", "edits", "recall", "recall_low", "recall_high", "matches", "precision", "false_alarms"]


def register(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_corpus(parser)
    add_out(parser, required=False)
    add_checker(parser)
    group = parser.add_argument_group("audit")
    group.add_argument("--taxonomy", default="miner-core", metavar="NAME", help="maps both sides (default miner-core)")
    group.add_argument("--exclude", default="default", metavar="NAME", help="exclusions: default, none or a table")
    group.add_argument("--annotator", default=None, metavar="ID", help="whose edits (default: each text's first)")
    group.add_argument("--detections", action="store_true", help="edits without a correction count too")
    group.add_argument(
        "--errant", action="store_true", help="type all corrections with ERRANT, also those that have codes"
    )
    group.add_argument(
        "--gold-sample",
        choices=("undeclared", "random"),
        default="undeclared",
        help="random: in every cell of L1 and band the annotated learners are a random sample; prediction-powered rates need that",
    )
    group.add_argument(
        "--against",
        default=None,
        metavar="NAME",
        help="a second engine to compare the first with, instead of gold edits",
    )
    group.add_argument("--resamples", type=int, default=1000, metavar="N", help="of the bootstrap (1000)")
    group.add_argument("--permutations", type=int, default=999, metavar="N", help="of the test of recall (999)")
    add_seed(parser)
    add_format(parser)
    add_work(parser)


def run(args: argparse.Namespace) -> int:
    """Read, check, compare, print, write."""
    from miner.corpora import read_corpus

    corpus = read_corpus(args.corpus, **get_corpus(args))
    return _compare(args, corpus) if args.against is not None else _audit(args, corpus)


def _audit(args: argparse.Namespace, corpus: Corpus) -> int:
    from miner.categories import load_taxonomy
    from miner.checkers import apply_overlap
    from miner.commands.console import emit, say
    from miner.evaluate import audit
    from miner.store import open_store

    if corpus.edits.empty:
        msg = (
            f"{args.corpus} has no gold edits to audit against; give a corpus with corrections or error codes, "
            "or compare two engines with --against"
        )
        raise EmptyInput(msg)
    with open_store(args.cache) as store:
        result = _check(args, corpus, args.checker, store)
        edits = _typed(args, corpus, store)
    matches, _ = apply_overlap(result.matches, args.overlap or "exact")
    found = audit(
        corpus.texts,
        result.checked,
        matches,
        edits,
        load_taxonomy(args.taxonomy),
        exclude=args.exclude,
        annotator=args.annotator,
        include_detections=args.detections,
        resamples=args.resamples,
        permutations=args.permutations,
        seed=args.seed,
    )
    shown = found.table.query("l1 == '' and scope == 'errors' and comparison == 'overlap'")
    emit(shown.sort_values("edits", ascending=False, kind="stable")[_SHOWN].head(30).reset_index(drop=True), args.show)
    _tell(found)
    if args.out is not None:
        _write(args, corpus, found, _rates(args, corpus, result, matches, edits), result)
        say(f"Written: {args.out}")
    return 3 if found.recall_differs else 0


def _check(args: argparse.Namespace, corpus: Corpus, name: str, store: Store) -> Checked:
    from miner.checkers import check_texts, open_checker
    from miner.commands.console import progress, say

    with open_checker(**{**get_checker(args), "name": name}) as checker:
        say(f"Checking {len(corpus.texts)} texts with {checker.engine}")
        with progress("check") as advance:
            return check_texts(corpus.texts, checker, mode=args.mode or "text", store=store, progress=advance)


def _compare(args: argparse.Namespace, corpus: Corpus) -> int:
    from miner.categories import load_taxonomy
    from miner.checkers import apply_overlap
    from miner.commands.console import emit, say
    from miner.evaluate.agreement import checker_agreement
    from miner.store import open_store
    from miner.tables import CHECKER_AGREEMENT

    with open_store(args.cache) as store:
        one, two = (_check(args, corpus, name, store) for name in (args.checker, args.against))
    if one.fingerprint == two.fingerprint and one.engine == two.engine:
        msg = f"--checker and --against are the same engine ({one.engine}); give two"
        raise OptionError(msg)
    first, second = (apply_overlap(r.matches, args.overlap or "exact")[0] for r in (one, two))
    taxonomy = load_taxonomy(args.taxonomy)
    found = checker_agreement(first, second, one.checked, two.checked, taxonomy, exclude=args.exclude)
    columns = ["scope", "label", "first", "second", "both", "union", "agreement"]
    emit(found.table[~found.table["scope"].isin(["rule", "category"])][columns].reset_index(drop=True), args.show)
    say(f"first: {one.engine}; second: {two.engine}; {found.ledger.kept} of {found.ledger.read} texts checked by both")
    for row in found.differing.head(10).to_dict("records"):
        say(f"  {row['value']}: {row['only_first']} of the first alone, {row['only_second']} of the second alone")
    if args.out is not None:
        from miner.run.folder import OutFolder

        signature = _signature(args, corpus, f"{_engine(one)} against {_engine(two)}", found.ledger.kept)
        with OutFolder(args.out, command="audit", parameters=_parameters(args, one, two)) as folder:
            folder.table(found.table, CHECKER_AGREEMENT, signature)
            folder.account(corpus.ledger, found.ledger)
            folder.input("corpus", corpus.fingerprint)
        say(f"Written: {args.out}")
    return 0


def _rates(
    args: argparse.Namespace, corpus: Corpus, result: Checked, matches: pd.DataFrame, edits: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    from miner.categories import load_taxonomy
    from miner.evaluate.correcting import corrected_rates
    from miner.evaluate.powered import prediction_powered_rates

    tables = (corpus.texts, result.checked, matches, edits, load_taxonomy(args.taxonomy))
    return (
        corrected_rates(
            *tables, exclude=args.exclude, annotator=args.annotator, resamples=args.resamples, seed=args.seed
        ),
        prediction_powered_rates(*tables, exclude=args.exclude, annotator=args.annotator, gold_sample=args.gold_sample),
    )


def _typed(args: argparse.Namespace, corpus: Corpus, store: Store) -> pd.DataFrame:
    from miner.categories import retype
    from miner.commands.console import say

    plain = bool((corpus.edits["scheme"] == "none").all())
    if not (args.errant or plain):
        return corpus.edits
    say("Typing corrections with ERRANT" + (" (they carry no codes)" if plain else ""))
    return retype(corpus.texts, corpus.edits, annotator=args.annotator, store=store).edits


def _tell(found: Audit) -> None:
    from miner.commands.console import say
    from miner.errors import listed

    for account in (found.ledger, *found.accounts):
        facts = account.as_dict()
        say(f"{facts['step']}: {facts['kept']} of {facts['read']} {facts['unit']} kept {dict(facts['dropped']) or ''}")
    rows = found.table.query("l1 == '' and category != '' and scope == 'errors' and comparison == 'overlap'")
    missed = (rows["edits"] - rows["edits_hit"]).astype(int)
    most = rows.assign(missed=missed).sort_values(["missed", "category"], ascending=[False, True]).head(5)
    say("Missed most: " + "; ".join(f"{r['label']} ({r['missed']} of {r['edits']})" for r in most.to_dict("records")))
    if found.types is not None and found.types["typed"].iloc[0] > 0:
        one = found.types.iloc[0]
        say(
            f"Type agrees with ERRANT's in {one['share_type']:.1%} of {one['typed']} matches on edits with a type "
            f"({one['share_full']:.1%} with the operation), {one['share_of_paired']:.1%} of {one['paired']} if OTHER and UNK disagree"
        )
    if found.recall_differs:
        say(
            f"Recall differs between L1s (q < .05) in {listed(found.recall_differs)}: "
            "rates of matches cannot be compared between L1s there without correction"
        )


def _engine(result: Checked) -> str:
    return f"{result.engine}:{result.language}"


def _signature(args: argparse.Namespace, corpus: Corpus, engine: str, n: int) -> Signature:
    from miner.categories import load_taxonomy
    from miner.signature import Signature

    return Signature.of(
        "audit",
        corpus=f"{corpus.name}#{corpus.fingerprint[:8]}",
        check=engine,
        mode=args.mode or "text",
        overlap=args.overlap or "exact",
        map=load_taxonomy(args.taxonomy).signature,
        n=n,
        seed=args.seed if args.against is None else None,
    )


def _parameters(args: argparse.Namespace, *results: Checked) -> dict[str, object]:
    from miner.categories import load_taxonomy

    shared = {"taxonomy": load_taxonomy(args.taxonomy).signature, "exclude": str(args.exclude)}
    if len(results) > 1:
        return {**shared, "checker": _engine(results[0]), "against": _engine(results[1])}
    return {
        **shared,
        "annotator": args.annotator,
        "detections": args.detections,
        "errant": args.errant,
        "gold_sample": args.gold_sample,
        "resamples": args.resamples,
        "permutations": args.permutations,
        "checker": _engine(results[0]),
    }


def _write(
    args: argparse.Namespace,
    corpus: Corpus,
    found: Audit,
    rates: tuple[pd.DataFrame, pd.DataFrame],
    result: Checked,
) -> None:
    from miner.plots.audit import plot_audit
    from miner.plots.saving import save
    from miner.plots.style import figure_of
    from miner.run.folder import OutFolder
    from miner.tables import AUDIT, AUDIT_CONFUSION, AUDIT_RECALL, AUDIT_TYPES, CORRECTED_RATES, PREDICTION_POWERED

    signature = _signature(args, corpus, _engine(result), found.ledger.kept)
    with OutFolder(args.out, command="audit", parameters=_parameters(args, result), seed=args.seed) as folder:
        folder.table(found.table, AUDIT, signature)
        folder.table(found.recall, AUDIT_RECALL, signature)
        folder.table(found.confusion, AUDIT_CONFUSION, signature)
        if found.types is not None:
            folder.table(found.types, AUDIT_TYPES, signature)
        folder.table(rates[0], CORRECTED_RATES, signature)
        folder.table(rates[1], PREDICTION_POWERED, signature)
        origin = "simulated" if corpus.simulated else "real"
        for by in ("category", *(["l1"] if (found.table["l1"] != "").any() else [])):
            picture = plot_audit(found.table, by=by, origin=origin, signature=str(signature))  # type: ignore[arg-type]
            save(figure_of(picture), folder.path(f"figures/audit_{by}"))
        folder.account(corpus.ledger, found.ledger, *found.accounts)
        folder.input("corpus", corpus.fingerprint)
        folder.facts(recall_differs=found.recall_differs)
