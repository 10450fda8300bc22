"""Run a study: corpora and ratings in, a folder of inventories, figures, exports and a report out.

    miner run corpora/sample/study.toml
    miner run my-study.toml --out outputs/my-study --jobs 4

The study file names corpora, checker, taxonomy, preset, ratings, exports and seed; unknown keys are refused.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from miner.commands.console import say
from miner.commands.options import add_out, add_work


def register(parser: argparse.ArgumentParser) -> None:
    """Add the study and where to write."""
    parser.add_argument("study", type=Path, metavar="STUDY.toml", help="the study file")
    add_out(parser, required=False)
    parser.add_argument("--checker", default=None, metavar="NAME", help="use this checker instead of the study's")
    parser.add_argument("--preset", default=None, metavar="NAME", help="use this recipe instead of the study's")
    parser.add_argument(
        "--mode", choices=("text", "sentence"), default=None, help="check so instead of as the study says"
    )
    parser.add_argument("--seed", type=int, default=None, metavar="N", help="use this seed instead of the study's")
    parser.add_argument("--allow-remote", action="store_true", help="let texts go to a server on another machine")
    add_work(parser)


def run(args: argparse.Namespace) -> int:
    """Read the study, run it, say what was found and where it is."""
    from dataclasses import replace

    from miner.commands.summary import summarise
    from miner.commands.working import open_work
    from miner.run.job import run_study
    from miner.run.study import read_study

    study = read_study(args.study)
    given = {k: getattr(args, k) for k in ("checker", "preset", "mode", "seed") if getattr(args, k) is not None}
    study = replace(study, **given)
    out = args.out or Path("outputs") / study.name
    with open_work(args) as work:
        outcome = run_study(study, out, work=work)
    for line in summarise(outcome):
        say(line)
    return 0
