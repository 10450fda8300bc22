"""Mine L1 feature inventories from a learner corpus: what learners of an L1 over- and under-use at a level.

    miner mine corpora/sample --out outputs/sample
    miner mine essays.csv --text essay --l1 native --cefr level --learner id --out outputs/essays
    miner mine fce --checker gold --out outputs/fce-gold
    miner mine essays.csv --family errors --family usage --out outputs/both

--checker gold counts the corpus's own error codes, --checker pairs types its corrections anew with ERRANT.
Writes l1_tests, l1_inventory, match_summary, matches and checked (.csv and .parquet), figures, report.html and run.json.
"""

from __future__ import annotations

import argparse

from miner.commands.console import say
from miner.commands.options import (
    add_checker,
    add_corpus,
    add_out,
    add_policies,
    add_seed,
    add_work,
    get_corpus,
    get_pairs,
    get_policies,
)
from miner.commands.working import add_examples, add_scale, get_look


def register(parser: argparse.ArgumentParser) -> None:
    """Add corpus, checker, taxonomy and preset."""
    add_corpus(parser)
    add_policies(parser)
    add_out(parser)
    add_checker(parser, annotation="; gold or pairs: the corpus's own annotation")
    group = parser.add_argument_group("mining")
    group.add_argument(
        "--preset",
        default=None,
        metavar="NAME",
        help="recipe of tests and selection: robust, welch, trans-env or predictive (default: robust)",
    )
    group.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="change an option of the preset, e.g. --option test=welch (repeatable)",
    )
    group.add_argument(
        "--family",
        action="append",
        choices=("errors", "usage", "topic", "format"),
        default=None,
        help="what is mined (repeatable): errors (default); usage: grammar that is used, from parsed texts; topic: words that "
        "follow what is written about; format: punctuation, capitals, digits, layout",
    )
    group.add_argument(
        "--taxonomy",
        default=None,
        metavar="NAME",
        help="trans-env, miner-core, rules, or a file (default: trans-env; for annotation miner-core)",
    )
    group.add_argument(
        "--exclude", default="default", metavar="NAME", help="what is not counted: default, none, or a file (default)"
    )
    add_seed(parser)
    add_examples(parser)
    add_scale(parser)
    add_work(parser)


def run(args: argparse.Namespace) -> int:
    """Run the learner half as a study of one corpus."""
    from miner.commands.summary import summarise
    from miner.commands.working import open_work
    from miner.learner import DEFAULT_PRESET
    from miner.run.job import run_study
    from miner.run.study import CorpusSpec, Study

    study = Study(
        name=f"{args.corpus.resolve().stem} (mined)",
        corpora=(CorpusSpec(args.corpus, **get_corpus(args)),),
        seed=args.seed,
        checker=args.checker,
        language=args.language,
        server=args.server,
        mode=args.mode,
        overlap=args.overlap,
        families=tuple(args.family or ("errors",)),
        taxonomy=args.taxonomy,
        exclude=args.exclude,
        preset=args.preset or DEFAULT_PRESET,
        l1=get_pairs(args.option, "--option"),
        policies=get_policies(args),
        ratings="none",
        **get_look(args),
    )
    with open_work(args) as work:
        outcome = run_study(study, args.out, work=work, command="mine")
    for line in summarise(outcome):
        say(line)
    return 0
