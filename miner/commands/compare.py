"""Compare L1s with each other, groups of L1s, levels, or the results of several corpora.

  miner compare corpora/sample --target article-less --reference de,fr --out outputs/articles
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

    from miner.ledger import Ledger
    from miner.signature import Signature
    from miner.tables import Table


#: Comparisons of levels: of different learners at one time, not of learners over time.
CROSS_SECTIONAL = ("levels", "interaction")


def register(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    from miner.commands.options import add_corpus
    from miner.commands.validate import add_source

    add_corpus(parser)
    for action in parser._actions:
        if action.dest == "corpus":
            action.nargs = "?"
            action.required = False
    parser.add_argument(
        "--target",
        default=None,
        metavar="L1S",
        help="L1s taken together: codes or groups, e.g. zh,ja,ko or article-less or romance",
    )
    parser.add_argument(
        "--reference", default=None, metavar="L1S", help="L1s to compare with, as codes or groups (default: all others)"
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
    parser.add_argument(
        "--option", action="append", default=[], metavar="KEY=VALUE", help="change an option of the recipe (repeatable)"
    )
    add_source(parser, several=False)
    add_checker(parser)
    add_seed(parser)
    add_format(parser)
    add_work(parser)
    add_out(parser, required=False)


def run(args: argparse.Namespace) -> int:
    """Compare, print, write."""
    from miner.commands.console import emit, say
    from miner.run.folder import OutFolder

    _require_names(args)
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
    frame, table, signature, ledgers = _runs(args.runs) if args.runs else _corpus(args, kinds[0])
    emit(_short(frame), args.show)
    for line in _summary(frame, kinds[0], ledgers):
        say(line)
    if args.out is not None:
        parameters = {
            k: getattr(args, k) for k in ("target", "reference", "levels", "only", "interaction", "preset", "source")
        }
        with OutFolder(args.out, command="compare", parameters=parameters, seed=args.seed) as folder:
            folder.table(frame, table, signature)
            folder.account(*ledgers)
            if kinds[0] in CROSS_SECTIONAL:
                folder.facts(design="cross-sectional")
        say(f"Written: {args.out}")
    return 0


def _require_names(args: argparse.Namespace) -> None:
    for option in ("target", "reference", "levels", "only", "interaction"):
        given = getattr(args, option)
        if given is not None and not given.strip():
            msg = f"--{option} is empty; give it a value or leave it out"
            raise OptionError(msg)
    kinds = [k for k in ("target", "levels", "interaction", "runs") if getattr(args, k)]
    for option, partner in (("reference", "target"), ("only", "levels")):
        if getattr(args, option) and partner not in kinds:
            got = f"Got it with --{kinds[0]}" if kinds else f"Got it without --{partner}"
            msg = f"--{option} belongs to --{partner}. {got}; leave it out, or compare with --{partner}"
            raise OptionError(msg)


def _corpus(args: argparse.Namespace, kind: str) -> tuple[pd.DataFrame, Table, Signature, tuple[Ledger, ...]]:
    from miner import tables
    from miner.commands.validate import counting, get_recipes
    from miner.corpora import read_corpus
    from miner.evaluate import compare_groups, compare_levels, expand_l1s, level_account, level_interaction
    from miner.evaluate.sources import count_source
    from miner.signature import Signature
    from miner.store import open_store

    low, high = _two(getattr(args, kind), kind) if kind != "target" else ("", "")
    recipe = get_recipes([args.preset or "robust"], args.option)[0]
    corpus = read_corpus(args.corpus, **get_corpus(args))
    with open_store(args.cache) as store:
        counted = count_source(corpus, args.source, counting(args, recipe, store))
    known = sorted(set(counted.counts.units["l1"].dropna()))
    options: dict[str, Any] = {"preset": recipe, "labels": counted.labels, "seed": args.seed}
    signature = Signature.of("comparison", corpus=f"{corpus.name}#{corpus.fingerprint[:8]}", **counted.signed).plus(
        preset=recipe.name, seed=args.seed if recipe.draws else None
    )
    if kind == "target":
        target = expand_l1s(args.target, known, what="--target")
        reference = expand_l1s(args.reference, known, what="--reference") if args.reference else None
        frame = compare_groups(counted.counts, target, reference, **options)
        return frame, tables.L1_TESTS, signature, counted.ledgers
    signature = Signature("cross-sectional", signature.parts)
    if kind == "interaction":
        frame = level_interaction(counted.counts, low, high, preset=recipe)
        return frame, tables.LEVEL_INTERACTION, signature, counted.ledgers
    own = expand_l1s(args.only, known, what="--only") if args.only else [None]
    if len(own) > 1:
        msg = f"--only names one L1. Got {args.only!r}, which is {', '.join(map(str, own))}"
        raise OptionError(msg)
    frame = compare_levels(counted.counts, low, high, l1=own[0], **options)
    ledger = level_account(counted.counts, low, high, l1=own[0], preset=recipe)
    return frame, tables.L1_TESTS, signature, (*counted.ledgers, ledger)


def _two(text: str, option: str) -> tuple[str, str]:
    parts = [p.strip() for p in text.split(",")]
    if len(parts) != 2 or not parts[0] < parts[1] or not set(parts) <= {"A", "B", "C"}:
        msg = f"--{option} names two bands of A, B and C, the lower one first, joined by a comma. Got {text!r}; A,B is usual"
        raise OptionError(msg)
    return parts[0], parts[1]


def _runs(runs: list[Path]) -> tuple[pd.DataFrame, Table, Signature, tuple[Ledger, ...]]:
    from miner import tables
    from miner.evaluate import compare_corpora
    from miner.run.finished import made_how, require_alike
    from miner.run.reading import read_preset, read_table
    from miner.signature import Signature

    found: dict[str, pd.DataFrame] = {}
    made: dict[str, dict[str, str]] = {}
    places = [run_folder.resolve() for run_folder in runs]
    for k, run_folder in enumerate(runs):
        if places[k] in places[:k]:
            msg = f"--runs: the run {run_folder} is given twice; each corpus counts once, so name each run once"
            raise OptionError(msg)
        table = read_table(run_folder, "l1_tests")
        if table is None:
            msg = f"{run_folder} holds no l1_tests; give the --out folder of miner mine or run"
            raise InputError(msg)
        recipe = read_preset(run_folder)
        if recipe is not None and recipe.alternative != "two-sided":
            msg = f"Runs are compared by two-sided p. {run_folder} was mined with alternative='{recipe.alternative}'; mine it with two-sided"
            raise InputError(msg)
        found[str(run_folder)] = table
        made[str(run_folder)] = made_how(run_folder, table)
    require_alike(made)
    corpora = "+".join(parts["corpus"] for parts in made.values() if "corpus" in parts)
    signature = Signature.of("comparison", **next(iter(made.values()), {}) | ({"corpus": corpora} if corpora else {}))
    return compare_corpora(found), tables.CORPORA_COMPARISON, signature, ()


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


def _summary(frame: pd.DataFrame, kind: str, ledgers: tuple[Ledger, ...]) -> list[str]:
    found = int((frame["q"] < 0.05).sum())
    testable = int(frame["q"].notna().sum())
    lines = [f"{len(frame)} comparisons, {testable} testable, {found} with q < .05 (the 30 smallest p are shown)"]
    if "reason" in frame:
        reasons = frame.loc[frame["q"].isna() & (frame["reason"].fillna("") != ""), "reason"].value_counts()
        lines += [f"  not tested: {n} rows: {reason}" for reason, n in reasons.head(3).items()]
    for ledger in ledgers:
        if ledger.step != "read":
            lines += [f"  left out at {ledger.step}: {n} texts: {why}" for why, n in sorted(ledger.dropped.items())]
    if kind in CROSS_SECTIONAL:
        lines.append(
            "Cross-sectional: other learners at each level, at one time. It does not show how a learner develops."
        )
    if kind == "runs" and int(frame["corpora"].max() if len(frame) else 0) < 4:
        lines.append("Fewer than four corpora: no random-effects mean and prediction interval.")
    return lines
