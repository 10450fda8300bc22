"""How many learners per L1 find a rate ratio, by a closed form with a simulation beside it.

miner plan --ratio 1.5 --ratio 2 --base 2 --words 300 --l1s 10
"""

from __future__ import annotations

import argparse
from pathlib import Path

from miner.commands.options import add_format, add_out, add_seed


def register(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--ratio",
        type=float,
        action="append",
        metavar="R",
        help="rate ratio to be found (repeatable; default 1.5 and 2)",
    )
    parser.add_argument(
        "--base", type=float, default=2.0, metavar="RATE", help="rate per 1,000 words of the other L1s (2)"
    )
    parser.add_argument("--words", type=float, default=300.0, metavar="N", help="words of a learner in the band (300)")
    parser.add_argument("--shape", type=float, default=2.0, metavar="S", help="gamma shape of learners' rates (2)")
    parser.add_argument("--l1s", type=int, default=10, metavar="N", help="L1s of the corpus (10)")
    parser.add_argument(
        "--alpha",
        type=float,
        default=0.005,
        metavar="P",
        help="threshold of one test (.005: q < .05 where a tenth of the family is found and all others are taken for true nulls)",
    )
    parser.add_argument("--power", type=float, default=0.8, metavar="P", help="power asked for (.8)")
    parser.add_argument("--simulations", type=int, default=1000, metavar="N", help="simulated corpora per row (1000)")
    add_seed(parser)
    add_format(parser)
    add_out(parser, required=False)


def run(args: argparse.Namespace) -> int:
    """Print the plan, and write it if a folder is named."""
    from miner.commands.console import emit, say
    from miner.evaluate import plan_learners, replication_power
    from miner.learner import get_preset
    from miner.run.folder import OutFolder
    from miner.signature import Signature
    from miner.tables import SAMPLE_PLAN

    options = {
        "base_rate": args.base,
        "words": args.words,
        "shape": args.shape,
        "l1s": args.l1s,
        "alpha": args.alpha,
        "power": args.power,
        "simulations": args.simulations,
    }
    ratios = tuple(args.ratio or (1.5, 2.0))
    table = plan_learners(ratios, **options, seed=args.seed)
    emit(table, args.show)
    recipe, sizes = get_preset("robust"), (args.base, args.words, args.shape, args.l1s)
    for row in table[table["needed"]].to_dict("records"):
        again = replication_power(row["learners"], row["ratio"], *sizes)
        say(
            f"Rate ratio {row['ratio']:g}: {row['learners']} learners per L1 (power {row['power_closed']:.2f} by the closed form; found again, with "
            f"one-sided p < .05, in {again:.2f} of new samples of the same size)"
        )
    say(
        f"Assumed: one two-sided test at {args.alpha:g}. Preset {recipe.name} decides by q < {recipe.alpha:g} ({recipe.correction}), so that a test's "
        f"own threshold is {recipe.alpha:g} x share found / share of true nulls; it also asks for {recipe.min_units} learners, a rate ratio of "
        f"{recipe.min_ratio:g} as estimated, expected replication of {recipe.min_replication:g} and stability, which are not in these numbers."
    )
    if args.out is not None:
        out: Path = args.out
        with OutFolder(out, command="plan", parameters={"ratios": list(ratios), **options}, seed=args.seed) as folder:
            folder.table(table, SAMPLE_PLAN, Signature.of("plan", seed=args.seed))
        say(f"Written: {out}")
    return 0
