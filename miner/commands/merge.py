"""Put the shards of a study together: the same tables, to the byte, as one run.

    miner merge my-study.toml outputs/shard-1 outputs/shard-2 --out outputs/my-study

Give the study and the options with which the shards were made (`miner run STUDY --shard I/N --out DIR`), and all of them.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from miner.commands.console import say
from miner.commands.options import add_out, add_work
from miner.commands.run import add_study, get_study
from miner.commands.working import add_examples, add_scale, open_work


def register(parser: argparse.ArgumentParser) -> None:
    """Add the study, the shards and where to write."""
    add_study(parser)
    parser.add_argument("shards", type=Path, nargs="+", metavar="SHARD", help="folders that the shards were written to")
    add_out(parser)
    add_examples(parser)
    add_scale(parser)
    add_work(parser)


def run(args: argparse.Namespace) -> int:
    """Take the shards' results and run the rest."""
    from miner.commands.summary import summarise
    from miner.run.sharing import merge_shards

    study = get_study(args)
    with open_work(args) as work:
        outcome = merge_shards(study, args.shards, args.out, work=work)
    for line in summarise(outcome):
        say(line)
    return 0
