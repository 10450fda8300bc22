"""Mine L1 feature inventories from a learner corpus: what learners of an L1 over- and under-use at a level.

    miner mine corpora/sample --out outputs/sample
    miner mine essays.csv --text essay --l1 native --cefr level --learner id --out outputs/essays

Writes l1_tests, l1_inventory, match_summary, matches and checked (.csv and .parquet), figures, report.html and run.json.
"""

from __future__ import annotations

import argparse
from typing import Any

from miner.commands.console import progress, say
from miner.commands.options import add_checker, add_corpus, add_out, add_seed, add_work, get_corpus


def register(parser: argparse.ArgumentParser) -> None:
    """Add corpus, checker, taxonomy and preset."""
    add_corpus(parser)
    add_out(parser)
    add_checker(parser)
    group = parser.add_argument_group("mining")
    group.add_argument("--preset", default=None, metavar="NAME", help="recipe of tests and selection (default: welch)")
    group.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="change an option of the preset, e.g. --option test=welch (repeatable)",
    )
    group.add_argument(
        "--taxonomy", default="trans-env", metavar="NAME", help="trans-env, rules, or a file (default trans-env)"
    )
    add_seed(parser)
    add_work(parser)


def run(args: argparse.Namespace) -> int:
    """Run the learner half as a study of one corpus."""
    from miner.commands.summary import summarise
    from miner.learner import DEFAULT_PRESET
    from miner.run.job import run_study
    from miner.run.study import CorpusSpec, Study
    from miner.store import open_store

    study = Study(
        name=f"{args.corpus.resolve().stem} (mined)",
        corpora=(CorpusSpec(args.corpus, **get_corpus(args)),),
        seed=args.seed,
        checker=args.checker,
        language=args.language,
        server=args.server,
        mode=args.mode,
        overlap=args.overlap,
        taxonomy=args.taxonomy,
        preset=args.preset or DEFAULT_PRESET,
        l1=_options(args.option),
        ratings="none",
    )
    with open_store(args.cache) as store:
        outcome = run_study(
            study,
            args.out,
            store=store,
            jobs=args.jobs,
            allow_remote=args.allow_remote,
            command="mine",
            tell=say,
            steps=progress,
        )
    for line in summarise(outcome):
        say(line)
    return 0


def _options(pairs: list[str]) -> dict[str, Any]:
    # KEY=VALUE as in a study file: numbers, true/false and lists are TOML; anything else is a string.
    import tomllib

    from miner.errors import OptionError

    options: dict[str, Any] = {}
    for pair in pairs:
        key, found, value = pair.partition("=")
        if not found:
            msg = f"--option {pair!r}: expected KEY=VALUE, e.g. --option test=welch"
            raise OptionError(msg)
        try:
            options[key.strip()] = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            options[key.strip()] = value.strip()
    return options
