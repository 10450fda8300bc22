"""Run a study: corpora and ratings in, a folder of inventories, figures, exports and a report out.

    miner run corpora/sample/study.toml
    miner run my-study.toml --out outputs/my-study --jobs 4
    miner run my-study.toml --dry-run
    miner run my-study.toml --shard 2/8 --out outputs/shard-2    (then: miner merge)

The study file names corpora, checker, taxonomy, preset, ratings, exports and seed; unknown keys are refused. A run that was
ended at any moment goes on where it was when it is started again.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from miner.commands.console import say
from miner.commands.options import add_out, add_work, natural
from miner.commands.working import add_examples, add_scale, get_look
from miner.errors import OptionError

if TYPE_CHECKING:
    from miner.run.estimating import Estimate
    from miner.run.study import Study


def register(parser: argparse.ArgumentParser) -> None:
    """Add the study and where to write."""
    add_study(parser)
    add_out(parser, required=False)
    add_examples(parser)
    add_scale(parser)
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument(
        "--dry-run", action="store_true", help="say how long it would take and what it would store, from a sample"
    )
    ways.add_argument(
        "--shard", default=None, metavar="I/N", help="do the I-th of N parts only, for `miner merge` (needs --out)"
    )
    add_work(parser)


def add_study(parser: argparse.ArgumentParser) -> None:
    """Add the study file and what replaces some of its keys."""
    parser.add_argument("study", type=Path, metavar="STUDY.toml", help="the study file")
    parser.add_argument("--checker", default=None, metavar="NAME", help="use this checker instead of the study's")
    parser.add_argument("--preset", default=None, metavar="NAME", help="use this recipe instead of the study's")
    parser.add_argument(
        "--mode", choices=("text", "sentence"), default=None, help="check so instead of as the study says"
    )
    parser.add_argument("--seed", type=natural, default=None, metavar="N", help="use this seed instead of the study's")
    parser.add_argument("--allow-remote", action="store_true", help="let texts go to a server on another machine")


def get_study(args: argparse.Namespace) -> Study:
    """Return the study with what the options replace."""
    from dataclasses import replace

    from miner.run.study import read_study

    given = {k: getattr(args, k) for k in ("checker", "preset", "mode", "seed") if getattr(args, k) is not None}
    return replace(read_study(args.study), **given, **get_look(args))


def run(args: argparse.Namespace) -> int:
    """Read the study, run it (or a part), say what was found and where it is."""
    from miner.commands.summary import summarise
    from miner.commands.working import open_work
    from miner.run.job import run_study

    study = get_study(args)
    if args.shard is not None and (args.out is None or args.scheduler is not None):
        msg = "--shard needs --out DIR, and no --scheduler: a shard is done on one machine"
        raise OptionError(msg)
    with open_work(args) as work:
        if args.dry_run:
            from miner.run.sharing import estimate_study

            _tell(estimate_study(study, work))
            return 0
        if args.shard is not None:
            from miner.run.shards import Shard
            from miner.run.sharing import run_shard

            n = run_shard(study, args.out, Shard.parse(args.shard), work=work)
            say(
                f"{n} texts are done. Written: {args.out}; when all shards are there: miner merge {args.study} SHARD... --out DIR"
            )
            return 0
        outcome = run_study(study, args.out or Path("outputs") / study.name, work=work)
    for line in summarise(outcome):
        say(line)
    return 0


def _tell(estimates: list[Estimate]) -> None:
    import pandas as pd

    from miner.commands.console import emit

    rows = [
        {
            "step": e.called.split(" (")[0],
            "texts": e.texts,
            "words": e.words,
            "known_words": e.known_words,
            "words_per_second": round(e.words_per_second) if e.words_per_second > 0 else None,
            "time": duration(e.seconds),
            "store_MB": round(e.bytes / 1e6, 1),
        }
        for e in estimates
    ]
    emit(pd.DataFrame(rows))
    say(
        f"About {duration(sum(e.seconds for e in estimates))} on this machine, from a sample of the texts; statistics, figures and "
        "report come on top (seconds to minutes). store_MB is before compression. Nothing was written"
    )


def duration(seconds: float) -> str:
    """Return a time as people say it."""
    if seconds != seconds:
        return "unknown"
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
