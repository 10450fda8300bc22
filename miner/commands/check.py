"""Check the texts of a corpus and write every match.

    miner check answers.csv --text answer --out outputs/answers-checked

Writes matches.csv and .parquet (offsets in code points of the text), checked.csv (what became of each text) and
run.json. No text of the corpus is written unless --with-text asks for the words under each match.
"""

from __future__ import annotations

import argparse

from miner.commands.console import progress, say
from miner.commands.options import (
    add_checker,
    add_corpus,
    add_out,
    add_policies,
    add_work,
    get_checker,
    get_corpus,
    get_policies,
)


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of checking."""
    add_corpus(parser)
    add_policies(parser)
    add_out(parser)
    add_checker(parser)
    add_work(parser)
    parser.add_argument(
        "--with-text", action="store_true", help="add a column with the words under each match (corpus text!)"
    )


def run(args: argparse.Namespace) -> int:
    """Read, check, keep by the overlap policy, write."""
    from dataclasses import asdict

    from miner.checkers import Mode, Overlap, apply_overlap, check_texts, open_checker
    from miner.corpora import policies_of, read_corpus
    from miner.run.admitting import admitted_texts, with_skipped
    from miner.run.folder import OutFolder
    from miner.signature import Signature
    from miner.store import open_store
    from miner.tables import CHECKED, MATCHES

    mode: Mode = args.mode or "text"
    overlap: Overlap = args.overlap or "exact"
    corpus = read_corpus(args.corpus, **get_corpus(args))
    policies = policies_of(get_policies(args))
    texts, skipped, policy_ledgers = admitted_texts([corpus], policies)
    parameters = {
        "checker": args.checker,
        "language": args.language,
        "mode": mode,
        "overlap": overlap,
        "with_text": args.with_text,
        "policies": asdict(policies),
    }
    with (
        OutFolder(args.out, command="check", parameters=parameters) as folder,
        open_store(args.cache) as store,
        open_checker(**get_checker(args)) as checker,
    ):
        say(f"Checking {len(texts)} texts with {checker.engine} (rules {checker.fingerprint}), {mode} mode")
        with progress("check") as advance:
            result = check_texts(texts, checker, mode=mode, store=store, with_text=args.with_text, progress=advance)
        matches, overlap_ledger = apply_overlap(result.matches, overlap)
        parts = {"corpus": f"{corpus.name}#{corpus.fingerprint[:8]}", **result.signature_parts}
        folder.input(corpus.name, corpus.fingerprint)
        folder.account(corpus.ledger, *policy_ledgers, result.ledger, overlap_ledger)
        folder.facts(engine=result.engine, rules=result.fingerprint)
        folder.table(matches, MATCHES, Signature.of("matches", **parts, overlap=overlap))
        checked = with_skipped(result.checked, skipped)
        folder.table(checked, CHECKED, Signature.of("checked", **parts))
    statuses = checked["status"].value_counts()
    told = ", ".join(f"{statuses[s]} {s}" for s in ("checked", "incomplete", "skipped") if s in statuses)
    say(f"{len(matches)} matches; texts: {told} (checked.csv says why). Written to {args.out}")
    return 0
