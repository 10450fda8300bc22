"""Mine what learners use: articles, prepositions, tenses, clauses and 340 more grammar features, from parsed text.

  miner usage answers.csv --text answer --l1 native --learner id --out outputs/usage

Texts are parsed by spaCy and counted by named patterns; each L1 is compared with the other L1s of its band as errors are.
Writes l1_tests, l1_inventory, usage_rates (the same per opportunity) and run.json. --list prints the features with their
patterns and needs no corpus.
"""

from __future__ import annotations

import argparse

from miner.commands.options import (
    add_corpus,
    add_format,
    add_out,
    add_policies,
    add_seed,
    add_work,
    get_corpus,
    get_policies,
)
from miner.commands.working import add_scale, get_look
from miner.errors import OptionError

_FAMILIES = ("usage", "topic", "format")


def register(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_corpus(parser)
    place = next(a for a in parser._actions if a.dest == "corpus")
    place.nargs, place.default = "?", None
    add_policies(parser)
    add_out(parser, required=False)
    group = parser.add_argument_group("usage")
    group.add_argument("--list", action="store_true", help="print the features and stop")
    group.add_argument("--preset", default=None, metavar="NAME", help="recipe of tests and selection")
    group.add_argument(
        "--family",
        action="append",
        choices=_FAMILIES,
        default=None,
        help="usage: grammar (default); topic: follows what is written about; format: punctuation, capitals, digits "
        "and layout (repeatable)",
    )
    add_seed(parser)
    add_format(parser)
    add_scale(parser)
    add_work(parser)


def run(args: argparse.Namespace) -> int:
    """Parse, count, compare, write."""
    from miner.commands.console import emit, say
    from miner.features import load_usage

    families = tuple(dict.fromkeys(args.family or ("usage",)))
    if args.list:
        features = load_usage().features
        emit(features[features["family"].isin(families)].reset_index(drop=True), args.show)
        return 0
    if args.corpus is None or args.out is None:
        msg = "miner usage needs a CORPUS and --out DIR (or --list to see the features)"
        raise OptionError(msg)
    from miner.commands.summary import summarise
    from miner.commands.working import open_work
    from miner.learner import DEFAULT_PRESET
    from miner.run.job import run_study
    from miner.run.study import CorpusSpec, Study

    study = Study(
        name=f"{args.corpus.resolve().stem} (usage)",
        corpora=(CorpusSpec(args.corpus, **get_corpus(args)),),
        seed=args.seed,
        families=families,
        preset=args.preset or DEFAULT_PRESET,
        policies=get_policies(args),
        ratings="none",
        **get_look(args),
    )
    with open_work(args) as work:
        outcome = run_study(study, args.out, work=work, command="usage")
    for line in summarise(outcome):
        say(line)
    return 0
