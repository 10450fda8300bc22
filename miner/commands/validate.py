"""How far can a recipe be trusted on a corpus? Shuffled labels, halves of the learners, unseen learners, another corpus, planted errors.

  miner validate corpora/sample --preset robust --preset trans-env --shuffles 200 --out outputs/validation
  miner validate fce.json --source gold --source usage --against other.json --fewest 20 --out outputs/validation

All recipes are judged in one run on the same counts: a checker's matches, or with --source gold the corpus's own annotation, pairs
its corrections typed anew, usage the grammar that is used. Shuffles, halves and folds are of learners with all their texts. Planted errors are
judged in a folder that `miner simulate` wrote, with a checker. --out gets tables, figures and a one-page verdict.html.
Exit code 3 if a claim of the verdict does not hold for the first recipe.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from miner.commands.options import (
    add_checker,
    add_corpus,
    add_format,
    add_out,
    add_seed,
    add_work,
    get_checker,
    get_corpus,
    get_pairs,
)
from miner.errors import OptionError

if TYPE_CHECKING:
    import pandas as pd

    from miner.evaluate.sources import Counting
    from miner.learner import L1Preset
    from miner.run.validation import Validated
    from miner.store import Store

_SOURCES = ("checker", "gold", "pairs", "usage")


def register(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_corpus(parser)
    add_out(parser, required=False)
    add_checker(parser)
    group = parser.add_argument_group("validation")
    group.add_argument(
        "--preset",
        action="append",
        default=None,
        metavar="NAME",
        help="recipe, with options as in robust+min_ratio=1.5,alpha=.05 (repeatable; default: robust, trans-env, and for "
        "annotation and usage predictive, the recipe made for held-out scores)",
    )
    group.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="change an option of the first recipe (repeatable)",
    )
    add_source(group)
    group.add_argument(
        "--against",
        type=Path,
        default=None,
        metavar="OTHER",
        help="another corpus, read with the same options: mine on one, score on the other; overlap; correlation of effects",
    )
    numbers = (
        (
            "--shuffles",
            200,
            "shuffles of the learners' L1s (200; at least 20, with fewer than 200 for a first look only)",
        ),
        ("--splits", 20, "random splits of the learners into halves (20; 0: none)"),
        ("--folds", 10, "parts of the learners that are scored in turn by what the others show (10; 0: none)"),
        ("--fewest", 40, "learners an L1 needs to be scored, all others stay in the rest (40)"),
    )
    for name, default, told in numbers:
        group.add_argument(name, type=int, default=default, metavar="N", help=told)
    add_seed(parser)
    add_format(parser)
    add_work(parser)


def add_source(parser: argparse._ActionsContainer, *, several: bool = True) -> None:
    """Add ``--source``, ``--taxonomy`` and ``--exclude``."""
    more = {"action": "append", "default": None} if several else {"default": "checker"}
    parser.add_argument(
        "--source",
        choices=_SOURCES,
        help="what is counted: a checker's matches (default), gold: the corpus's own error codes, pairs: its corrections typed "
        f"by ERRANT, usage: grammar that is used{' (repeatable)' if several else ''}",
        **more,
    )
    parser.add_argument(
        "--taxonomy",
        default=None,
        metavar="NAME",
        help="categories: trans-env, miner-core, rules (each rule or code by itself), or a file (default: trans-env for a checker's "
        "matches, rules for annotation)",
    )
    parser.add_argument(
        "--exclude", default="default", metavar="NAME", help="what is not counted: default, none, or a file (default)"
    )


def run(args: argparse.Namespace) -> int:
    """Count, judge, print, write."""
    from miner.commands.console import emit, say
    from miner.corpora import read_corpus
    from miner.run.validation import run_validation, write_validation
    from miner.store import open_store

    sources = list(dict.fromkeys(args.source or ["checker"]))
    usual = ["robust", "trans-env", *(["predictive"] if set(sources) - {"checker"} else [])]
    recipes = get_recipes(args.preset or usual, args.option)
    sizes = _sizes(args)
    corpus = read_corpus(args.corpus, **get_corpus(args))
    other = None if args.against is None else read_corpus(args.against, **get_corpus(args))
    with open_store(args.cache) as store:
        result = run_validation(
            corpus,
            recipes,
            sources,
            counting(args, recipes[0], store),
            planted=_planted(args.corpus),
            other=other,
            seed=args.seed,
            tell=say,
            **sizes,
        )
    emit(result.found.figures, args.show)
    _tell(result)
    if args.out is not None:
        parameters = {"presets": [r.as_dict() for r in recipes], "sources": sources, **sizes}
        parameters |= {"taxonomy": args.taxonomy and Path(args.taxonomy).name, "exclude": Path(args.exclude).name}
        parameters |= {"against": other.name if other else None}
        write_validation(args.out, result, corpus, parameters, other=other.name if other else "", seed=args.seed)
        say(f"Written: {args.out}; read {args.out / 'verdict.html'} first")
    return 3 if result.fails else 0


def get_recipes(names: list[str], options: list[str]) -> list[L1Preset]:
    """Return the recipes that are named as ``NAME`` or ``NAME+KEY=VALUE,…``; ``options`` change the first.

    Raises
    ------
    OptionError
        For an unknown name, option or value, and for a recipe that is named twice.
    """
    from miner.learner import get_preset

    def pairs(given: list[str], option: str) -> dict[str, Any]:
        # Probabilities are often written without the nought, which TOML asks for.
        return get_pairs([o.replace("=.", "=0.") for o in given if o], option)

    recipes = []
    for k, name in enumerate(names):
        plain, _, rest = name.partition("+")
        changed = pairs(options, "--option") if k == 0 else {}
        recipes.append(get_preset(plain, **pairs(rest.split(","), f"--preset {name}:") | changed))
    twice = {r.name for r in recipes if sum(o.name == r.name for o in recipes) > 1}
    if twice:
        msg = f"Recipes are judged side by side, each once. Got {', '.join(sorted(twice))} twice"
        raise OptionError(msg)
    return recipes


def counting(args: argparse.Namespace, recipe: L1Preset, store: Store | None) -> Counting:
    """Return how texts become counts; what is not given is the recipe's choice of overlap, and whole texts."""
    from miner.evaluate.sources import Counting

    return Counting(
        taxonomy=args.taxonomy,
        exclude=args.exclude,
        mode=args.mode or "text",
        overlap=args.overlap or recipe.overlap,
        checker=get_checker(args),
        store=store,
        jobs=args.jobs or os.cpu_count() or 1,
    )


def _sizes(args: argparse.Namespace) -> dict[str, int]:
    limits = {"shuffles": 20, "splits": 0, "folds": 0, "fewest": 2}
    for name, least in limits.items():
        if getattr(args, name) < least:
            msg = f"--{name} must be a whole number of at least {least}. Got {getattr(args, name)}"
            raise OptionError(msg)
    if args.folds == 1:
        msg = "--folds must be 2 or more (10 is usual), or 0 for no held-out AUC. Got 1"
        raise OptionError(msg)
    return {name: getattr(args, name) for name in limits}


def _tell(result: Validated) -> None:
    from miner.commands.console import say

    for source, claims in result.claims.items():
        say(f"Verdict, {source}:")
        for text, holds in claims:
            say({True: "  holds     ", False: "  fails     ", None: "  undefined "}[holds] + text)


def _planted(path: Path) -> pd.DataFrame | None:
    from miner.run.reading import read_table

    return read_table(path, "planted") if (path / "planted.csv").is_file() else None
