"""A checker against gold annotation: what it finds, misses and flags without cause, by category and by L1.

  miner audit fce.json --out outputs/audit

The corpus must carry gold edits; corrections without error codes are typed by ERRANT first. Writes audit.csv (precision, recall,
false alarms per 1,000 words, with intervals by a bootstrap of learners), audit_recall.csv (does recall differ between
L1s?), audit_confusion.csv, corrected_rates.csv (each L1's rates, corrected for misses and false alarms) and run.json. Exit code 3 if recall differs between L1s in some category: comparing L1s by
what the checker flags is biased there.
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
from miner.errors import EmptyInput

if TYPE_CHECKING:
    import pandas as pd

    from miner.corpora import Corpus
    from miner.evaluate import Audit
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
    group.add_argument("--resamples", type=int, default=1000, metavar="N", help="of the bootstrap (1000)")
    group.add_argument("--permutations", type=int, default=999, metavar="N", help="of the test of recall (999)")
    add_seed(parser)
    add_format(parser)
    add_work(parser)


def run(args: argparse.Namespace) -> int:
    """Read, check, compare, print, write."""
    from miner.categories import load_taxonomy
    from miner.checkers import apply_overlap, check_texts, open_checker
    from miner.commands.console import emit, progress, say
    from miner.corpora import read_corpus
    from miner.evaluate import audit
    from miner.store import open_store

    corpus = read_corpus(args.corpus, **get_corpus(args))
    if corpus.edits.empty:
        msg = f"{args.corpus} has no gold edits to audit against; give a corpus with corrections or error codes"
        raise EmptyInput(msg)
    with open_store(args.cache) as store, open_checker(**get_checker(args)) as checker:
        say(f"Checking {len(corpus.texts)} texts with {checker.engine}")
        with progress("check") as advance:
            result = check_texts(corpus.texts, checker, mode=args.mode or "text", store=store, progress=advance)
        edits = _typed(args, corpus, store)
        engine = f"{checker.engine}:{checker.language}"
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
        from miner.evaluate.correcting import corrected_rates

        rates = corrected_rates(
            corpus.texts, result.checked, matches, edits, load_taxonomy(args.taxonomy),
            exclude=args.exclude, annotator=args.annotator, resamples=args.resamples, seed=args.seed,
        )  # fmt: skip
        _write(args, corpus, found, rates, engine)
        say(f"Written: {args.out}")
    return 3 if found.recall_differs else 0


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
    if found.recall_differs:
        say(
            f"Recall differs between L1s (q < .05) in {listed(found.recall_differs)}: "
            "rates of matches cannot be compared between L1s there without correction"
        )


def _write(args: argparse.Namespace, corpus: Corpus, found: Audit, rates: pd.DataFrame, engine: str) -> None:
    from miner.categories import load_taxonomy
    from miner.run.folder import OutFolder
    from miner.signature import Signature
    from miner.tables import AUDIT, AUDIT_CONFUSION, AUDIT_RECALL, CORRECTED_RATES

    taxonomy = load_taxonomy(args.taxonomy)
    signature = Signature.of(
        "audit",
        corpus=f"{corpus.name}#{corpus.fingerprint[:8]}",
        check=engine,
        mode=args.mode or "text",
        overlap=args.overlap or "exact",
        map=taxonomy.signature,
        n=found.ledger.kept,
        seed=args.seed,
    )
    parameters = {
        "taxonomy": taxonomy.signature,
        "exclude": str(args.exclude),
        "annotator": args.annotator,
        "detections": args.detections,
        "errant": args.errant,
        "resamples": args.resamples,
        "permutations": args.permutations,
        "checker": engine,
    }
    with OutFolder(args.out, command="audit", parameters=parameters, seed=args.seed) as folder:
        folder.table(found.table, AUDIT, signature)
        folder.table(found.recall, AUDIT_RECALL, signature)
        folder.table(found.confusion, AUDIT_CONFUSION, signature)
        folder.table(rates, CORRECTED_RATES, signature)
        folder.account(corpus.ledger, found.ledger, *found.accounts)
        folder.input("corpus", corpus.fingerprint)
        folder.facts(recall_differs=found.recall_differs)
