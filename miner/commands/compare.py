"""Compare L1s with each other, groups of L1s, levels, or the results of several corpora.

  miner compare corpora/sample --target zh,ja,ko --reference de,fr --out outputs/articles
  miner compare corpora/sample --levels A,B --only ja
  miner compare corpora/sample --interaction A,B
  miner compare --runs outputs/one outputs/two outputs/three

Levels are compared across learners, not over time, and on prompts that both levels wrote on.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from miner.commands.options import add_checker, add_format, add_out, add_seed, add_work, get_corpus
from miner.errors import InputError, OptionError

if TYPE_CHECKING:
    import pandas as pd

    from miner.learner import Counts
    from miner.tables import Table


def register(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    from miner.commands.options import add_corpus

    add_corpus(parser)
    for action in parser._actions:
        if action.dest == "corpus":
            action.nargs = "?"
            action.required = False
    parser.add_argument("--target", default=None, metavar="L1S", help="L1 codes taken together, e.g. zh,ja,ko")
    parser.add_argument(
        "--reference", default=None, metavar="L1S", help="L1 codes to compare with (default: all others)"
    )
    parser.add_argument("--levels", default=None, metavar="LOW,HIGH", help="two bands, e.g. A,B")
    parser.add_argument("--only", default=None, metavar="CODE", help="with --levels: learners of one L1")
    parser.add_argument(
        "--interaction", default=None, metavar="LOW,HIGH", help="do contrasts differ between two bands?"
    )
    parser.add_argument(
        "--runs", nargs="+", type=Path, default=None, metavar="RUN", help="folders of miner mine or run"
    )
    parser.add_argument("--preset", default=None, metavar="NAME", help="recipe (default: robust)")
    parser.add_argument("--source", choices=("checker", "gold"), default="checker", help="what is counted (checker)")
    parser.add_argument("--taxonomy", default="trans-env", metavar="NAME", help="trans-env, rules, or a file")
    add_checker(parser)
    add_seed(parser)
    add_format(parser)
    add_work(parser)
    add_out(parser, required=False)


def run(args: argparse.Namespace) -> int:
    """Compare, print, write."""
    from miner.commands.console import emit, say
    from miner.run.folder import OutFolder
    from miner.signature import Signature

    kinds = [k for k in ("target", "levels", "interaction", "runs") if getattr(args, k)]
    if (
        len(kinds) != 1
        or (kinds != ["runs"] and args.corpus is None)
        or (kinds == ["runs"] and args.corpus is not None)
    ):
        msg = (
            "One comparison at a time: a corpus with --target, --levels or --interaction, or --runs with result folders. Got "
            f"{', '.join('--' + k for k in kinds) or 'none of them'}{' and a corpus' if args.corpus else ' and no corpus'}"
        )
        raise OptionError(msg)
    frame, table = _runs(args.runs) if args.runs else _corpus(args, kinds[0])
    emit(_short(frame), args.show)
    say(_summary(frame))
    if args.out is not None:
        parameters = {
            k: getattr(args, k) for k in ("target", "reference", "levels", "only", "interaction", "preset", "source")
        }
        with OutFolder(args.out, command="compare", parameters=parameters, seed=args.seed) as folder:
            folder.table(frame, table, Signature.of("comparison", preset=args.preset, seed=args.seed))
        say(f"Written: {args.out}")
    return 0


def _corpus(args: argparse.Namespace, kind: str) -> tuple[pd.DataFrame, Table]:
    from miner import tables
    from miner.commands.validate import count_corpus
    from miner.corpora import read_corpus
    from miner.evaluate import compare_groups, compare_levels, level_interaction
    from miner.learner import DEFAULT_PRESET, get_preset

    recipe = get_preset(args.preset or DEFAULT_PRESET)
    corpus = read_corpus(args.corpus, **get_corpus(args))
    counted, labels = count_corpus(args, corpus, recipe.overlap)
    options: dict[str, Any] = {"preset": recipe, "labels": labels, "seed": args.seed}
    if kind == "target":
        reference = args.reference.split(",") if args.reference else None
        return compare_groups(counted, args.target.split(","), reference, **options), tables.L1_TESTS
    low, high = _two(getattr(args, kind), kind)
    if kind == "levels":
        own = _known_l1(counted, args.only)
        return compare_levels(counted, low, high, l1=own, **options), tables.L1_TESTS
    return level_interaction(counted, low, high, preset=recipe), tables.LEVEL_INTERACTION


def _two(text: str, option: str) -> tuple[str, str]:
    parts = [p.strip() for p in text.split(",")]
    if len(parts) != 2 or parts[0] == parts[1] or not set(parts) <= {"A", "B", "C"}:
        msg = f"--{option} names two different bands of A, B and C, joined by a comma. Got {text!r}"
        raise OptionError(msg)
    return parts[0], parts[1]


def _known_l1(counted: Counts, l1: str | None) -> str | None:
    known = sorted(set(counted.units["l1"].dropna()))
    if l1 is not None and l1 not in known:
        msg = f"No text has the L1 {l1!r}; the corpus has {', '.join(known)}"
        raise OptionError(msg)
    return l1


def _runs(runs: list[Path]) -> tuple[pd.DataFrame, Table]:
    from miner import tables
    from miner.commands.explain import read_table
    from miner.evaluate import compare_corpora

    found = {}
    for run_folder in runs:
        table = read_table(run_folder, "l1_tests")
        if table is None:
            msg = f"{run_folder} holds no l1_tests; give the --out folder of miner mine or run"
            raise InputError(msg)
        found[str(run_folder)] = table
    return compare_corpora(found), tables.CORPORA_COMPARISON


def _short(frame: pd.DataFrame) -> pd.DataFrame:
    p = "p_conjunction" if "p_conjunction" in frame else "p"
    shown = [
        c
        for c in (
            "l1",
            "cefr",
            "feature",
            "corpora",
            "direction",
            "effect",
            "log_ratio",
            "difference",
            "mean",
            p,
            "q",
            "failed",
        )
        if c in frame
    ]
    return frame[frame[p].notna()].sort_values([p, "l1", "feature"], kind="stable")[shown].head(30)


def _summary(frame: pd.DataFrame) -> str:
    found = int((frame["q"] < 0.05).sum())
    return f"{len(frame)} comparisons, {int(frame['q'].notna().sum())} testable, {found} with q < .05 (the 30 smallest p are shown)"
