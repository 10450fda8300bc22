"""Make a simulated learner corpus with errors planted at known rates.

    miner simulate --out outputs/simulated --texts 1200 --seed 7

Writes a corpus folder that miner reads without options: texts.csv, corpus.toml, README.md and planted.csv (also .parquet), which says
for each of 10 L1s x bands A and B x features what was planted and with what power it can be found. The texts are made
from templates: no learner wrote them. A corpus with more --texts begins with the same texts.
"""

from __future__ import annotations

import argparse

from miner.commands.console import say
from miner.commands.options import add_out, add_seed, positive


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of the simulation."""
    add_out(parser)
    add_seed(parser)
    parser.add_argument("--texts", type=positive, default=1200, metavar="N", help="texts in all (default 1200)")
    parser.add_argument(
        "--null", action="store_true", help="plant nothing, whatever --ratio says: all L1s have the same rates"
    )
    parser.add_argument(
        "--learners",
        type=positive,
        default=None,
        metavar="N",
        help="learners of each L1, half of them in each band (default: learners write 2, 3 and 4 texts in turn)",
    )
    parser.add_argument(
        "--words",
        type=positive,
        default=100,
        metavar="N",
        help="mean words of a text; texts are within 35%% of it (default 100)",
    )
    parser.add_argument(
        "--base",
        type=float,
        default=None,
        metavar="RATE",
        help="errors per 1,000 words of every feature where nothing is planted (default: each feature has its own)",
    )
    parser.add_argument(
        "--ratio",
        type=float,
        default=None,
        metavar="R",
        help="plant each feature in exactly one L1 at this rate ratio; with --base alone it is 2 "
        "(default with neither: the bundled plan of rate ratios by L1 and band)",
    )
    parser.add_argument(
        "--dispersion",
        type=float,
        default=4.0,
        metavar="SHAPE",
        help="shape of the gamma distribution of each learner's factor; smaller: learners differ more (default 4; at least 0.2)",
    )
    parser.add_argument(
        "--variety",
        type=positive,
        default=None,
        metavar="N",
        help="words that each place of a sentence may be filled with, so that sentences repeat (default: all; at least 2)",
    )


def run(args: argparse.Namespace) -> int:
    """Simulate and write the corpus folder."""
    from miner.ledger import Ledger
    from miner.run.folder import OutFolder
    from miner.simulate import simulate, write_corpus
    from miner.tables import PLANTED

    made = simulate(
        args.texts,
        seed=args.seed,
        null=args.null,
        learners=args.learners,
        words=args.words,
        base=args.base,
        ratio=args.ratio,
        dispersion=args.dispersion,
        variety=args.variety,
    )
    with OutFolder(args.out, command="simulate", parameters=made.parameters, seed=args.seed) as folder:
        write_corpus(made, folder.path("texts.csv").parent)
        folder.table(made.planted, PLANTED, made.signature, csv=True)
        ledger = Ledger("simulate", "texts")
        ledger.keep(len(made.texts))
        folder.account(ledger)
        folder.facts(corpus=made.name, simulated=True)
    cells = made.planted[made.planted["checker_sees"] & (made.planted["direction"] == "over")]
    say(f"{len(made.texts):,} simulated texts, {int(made.texts['n_words'].sum()):,} words, written to {args.out}")
    say(
        f"{len(cells)} over-uses that a rule checker can see, {(cells['power'] >= 0.95).sum()} with a power of .95 or more: planted.csv"
    )
    return 0
