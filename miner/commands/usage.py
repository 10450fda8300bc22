"""Mine what learners use: articles, prepositions, tenses, clauses and 220 more grammar features, from parsed text.

  miner usage answers.csv --text answer --l1 native --learner id --out outputs/usage

Texts are parsed by spaCy and counted by named patterns; each L1 is compared with the other L1s of its band as errors are.
Writes l1_tests, l1_inventory, usage_rates (the same per opportunity) and run.json. --list prints the features with their
patterns and needs no corpus.
"""

from __future__ import annotations

import argparse

from miner.commands.options import add_corpus, add_format, add_out, add_seed, add_work, get_corpus
from miner.errors import OptionError

_FAMILIES = ("usage", "topic", "format")


def register(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_corpus(parser)
    place = next(a for a in parser._actions if a.dest == "corpus")
    place.nargs, place.default = "?", None
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
    add_work(parser)


def run(args: argparse.Namespace) -> int:
    """Parse, count, compare, write."""
    import os

    from miner.commands.console import emit, progress, say
    from miner.features import load_usage

    families = tuple(dict.fromkeys(args.family or ("usage",)))
    if args.list:
        features = load_usage().features
        emit(features[features["family"].isin(families)].reset_index(drop=True), args.show)
        return 0
    if args.corpus is None or args.out is None:
        msg = "miner usage needs a CORPUS and --out DIR (or --list to see the features)"
        raise OptionError(msg)
    from miner.corpora import read_corpus
    from miner.learner import DEFAULT_PRESET
    from miner.run.folder import OutFolder
    from miner.run.usage import mine_usage
    from miner.store import open_store
    from miner.tables import L1_INVENTORY, L1_TESTS, USAGE_RATES

    corpus = read_corpus(args.corpus, **get_corpus(args))
    preset = args.preset or DEFAULT_PRESET
    say(f"Parsing {len(corpus.texts)} texts")
    parameters = {"preset": preset, "families": list(families)}
    with (
        OutFolder(args.out, command="usage", parameters=parameters, seed=args.seed) as folder,
        open_store(args.cache) as store,
        progress("parse") as advance,
    ):
        found = mine_usage(
            [corpus],
            preset=preset,
            families=families,
            store=store,
            jobs=args.jobs or os.cpu_count() or 1,
            seed=args.seed,
            progress=advance,
        )
        folder.table(found.tests, L1_TESTS, found.signature)
        folder.table(found.inventory, L1_INVENTORY, found.signature)
        folder.table(found.rates, USAGE_RATES, found.signature)
        folder.account(*found.ledgers)
        folder.input("corpus", corpus.fingerprint)
        folder.facts(**found.facts)
    cells = found.inventory.groupby(["l1", "cefr"]).size()
    say(f"{len(found.inventory)} features in {len(cells)} cells are over- or under-used relative to the other L1s")
    say(f"Written: {args.out}; signature: {found.signature}")
    return 0
