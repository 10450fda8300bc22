"""How far can a recipe be trusted on a corpus? Shuffled labels, halves of the learners, unseen learners, planted errors.

  miner validate corpora/sample --preset robust --preset trans-env --shuffles 200 --out outputs/validation

All recipes are judged in one run on the same counts. The checker's matches are counted, or with --source gold the corpus's
own annotation. Exit code 3 if a claim of the verdict does not hold for the first recipe.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from miner.commands.options import (
    add_checker,
    add_corpus,
    add_format,
    add_out,
    add_seed,
    add_work,
    get_checker,
    get_corpus,
)

if TYPE_CHECKING:
    import pandas as pd

    from miner.corpora import Corpus
    from miner.learner import Counts


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
        help="recipe (repeatable; default: robust, trans-env)",
    )
    group.add_argument("--source", choices=("checker", "gold"), default="checker", help="what is counted (checker)")
    group.add_argument("--taxonomy", default="trans-env", metavar="NAME", help="trans-env, rules, or a file")
    group.add_argument(
        "--shuffles", type=int, default=200, metavar="N", help="shuffles of the labels (200; at least 20)"
    )
    group.add_argument("--splits", type=int, default=20, metavar="N", help="splits into halves (20; 0: none)")
    group.add_argument("--folds", type=int, default=10, metavar="N", help="folds of held-out AUC (10; 0: none)")
    group.add_argument("--fewest", type=int, default=40, metavar="N", help="learners an L1 needs to be scored (40)")
    add_seed(parser)
    add_format(parser)
    add_work(parser)


def run(args: argparse.Namespace) -> int:
    """Count, judge, print, write."""
    from miner.commands.console import emit, say
    from miner.corpora import read_corpus
    from miner.evaluate import validate, verdict
    from miner.learner import DEFAULT_PRESET, get_preset

    presets = args.preset or [DEFAULT_PRESET, "trans-env"]
    corpus = read_corpus(args.corpus, **get_corpus(args))
    counted, labels = count_corpus(args, corpus, get_preset(presets[0]).overlap)
    table = validate(
        counted,
        presets,
        labels=labels,
        shuffles=args.shuffles,
        splits=args.splits,
        folds=args.folds,
        fewest=args.fewest,
        planted=_planted(args.corpus),
        seed=args.seed,
        tell=say,
    )
    emit(table, args.show)
    claims = verdict(table, str(table["preset"].iloc[0]) if len(presets) == 1 else get_preset(presets[0]).name)
    for text, holds in claims:
        say({True: "holds     ", False: "fails     ", None: "undefined "}[holds] + text)
    if args.out is not None:
        _write(args, corpus, counted, table, presets, claims)
        say(f"Written: {args.out}")
    return 3 if any(holds is False for _, holds in claims) else 0


def count_corpus(
    args: argparse.Namespace, corpus: Corpus, overlap: Literal["all", "exact", "longest"]
) -> tuple[Counts, dict[str, str]]:
    """Return counts of the corpus's gold annotation or of a checker's matches, as ``--source`` says, and labels of features."""
    return _gold(corpus) if args.source == "gold" else _checked(args, corpus, args.overlap or overlap)


def _checked(
    args: argparse.Namespace, corpus: Corpus, overlap: Literal["all", "exact", "longest"]
) -> tuple[Counts, dict[str, str]]:
    from miner.categories import categorise, load_taxonomy
    from miner.checkers import apply_overlap, check_texts, open_checker
    from miner.learner import count
    from miner.store import open_store

    taxonomy = load_taxonomy(args.taxonomy)
    options = get_checker(args)
    with open_store(args.cache) as store, open_checker(options.pop("name"), **options) as checker:
        checked = check_texts(corpus.texts, checker, mode=args.mode or "text", store=store)
    matches, _ = apply_overlap(checked.matches, overlap)
    counted = count(corpus.texts, checked.checked, categorise(matches, taxonomy).matches)
    return counted, dict(zip(taxonomy.categories["id"], taxonomy.categories["label"], strict=True))


def _gold(corpus: Corpus) -> tuple[Counts, dict[str, str]]:
    from miner.learner import count_edits

    return count_edits(corpus.texts, corpus.edits), {}


def _planted(path: Path) -> pd.DataFrame | None:
    from miner.store.frames import read_csv
    from miner.tables import PLANTED, conform

    file = path / "planted.csv"
    return conform(read_csv(file), PLANTED) if file.is_file() else None


def _write(
    args: argparse.Namespace,
    corpus: Corpus,
    counted: Counts,
    table: pd.DataFrame,
    presets: list[str],
    claims: list[tuple[str, bool | None]],
) -> None:
    from miner.run.folder import OutFolder
    from miner.signature import Signature
    from miner.tables import VALIDATION

    parameters = {
        "presets": presets,
        "source": args.source,
        "taxonomy": Path(args.taxonomy).name,
        "shuffles": args.shuffles,
        "splits": args.splits,
        "folds": args.folds,
        "fewest": args.fewest,
    }
    with OutFolder(args.out, command="validate", parameters=parameters, seed=args.seed) as folder:
        folder.input(corpus.name, corpus.fingerprint)
        folder.account(corpus.ledger, counted.ledger)
        signature = Signature.of("validation", corpus=f"{corpus.name}#{corpus.fingerprint[:8]}", seed=args.seed)
        folder.table(table, VALIDATION, signature)
        folder.path("verdict.md").write_text(_page(corpus, table, claims), encoding="utf-8")
        folder.facts(verdict=[{"claim": text, "holds": holds} for text, holds in claims])


def _page(corpus: Corpus, table: pd.DataFrame, claims: list[tuple[str, bool | None]]) -> str:
    # One page for people: the claims about the first recipe, then all recipes side by side.
    marks = {True: "holds", False: "fails", None: "undefined"}
    wide = table.pivot(index="figure", columns="preset", values="value")
    first = str(table["preset"].iloc[0]) if len(table) else ""
    names = sorted(wide.columns, key=lambda c: (c != first, c))
    lines = [f"# Validation of {', '.join(names)} on {corpus.name}", ""]
    lines += [f"- **{marks[holds]}**: {text}" for text, holds in claims]
    lines += ["", "| figure | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    for figure, row in wide.iterrows():
        cells = ["" if _missing(row[n]) else f"{row[n]:.3g}" for n in names]
        lines.append(f"| {figure} | " + " | ".join(cells) + " |")
    lines += [
        "",
        "Shuffled labels: learners' L1s permuted within strata of bands and prompts, before any cap on list length. "
        "An inventory that selects nothing also passes; the yield with true labels stands beside. "
        "Inventories describe sampled texts, not people; an L1 always carries country, school and exam with it.",
        "",
    ]
    return "\n".join(lines)


def _missing(value: object) -> bool:
    return value is None or value != value
