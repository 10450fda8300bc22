"""Mine a dialect set from eWAVE: clusters, the number of clusters, and the features of each dialect.

Example: miner dialects --preset trans-env --out outputs/dialects
"""

from __future__ import annotations

import argparse
from pathlib import Path


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    from miner.commands.options import add_out, add_seed, positive

    add_ratings(parser)
    parser.add_argument("--preset", default="trans-env", metavar="NAME", help="recipe (default trans-env)")
    parser.add_argument(
        "--k", type=positive, default=None, metavar="N", help="number of clusters (default: the preset's)"
    )
    add_encoding(parser)
    parser.add_argument(
        "--uncentred", action="store_true", help="decompose the matrix without subtracting feature means"
    )
    parser.add_argument("--starts", type=positive, default=None, metavar="N", help="random starts of k-means")
    add_figures(parser)
    add_out(parser)
    add_seed(parser)


def add_ratings(parser: argparse.ArgumentParser) -> None:
    """Add the ratings table."""
    parser.add_argument(
        "ratings",
        nargs="?",
        type=Path,
        default=None,
        metavar="RATINGS",
        help="folder with eWAVE's CLDF, a values.csv, or another table of ratings (default: the table that comes with miner)",
    )
    parser.add_argument("--fold-case", action="store_true", help="read lower-case ratings as upper case")


def add_encoding(parser: argparse.ArgumentParser) -> None:
    """Add ``--encoding`` and ``--missing``."""
    parser.add_argument(
        "--encoding",
        default=None,
        metavar="NAME",
        help="values of A, B, C, D: ordinal, trans-env, multi-value or binary",
    )
    parser.add_argument(
        "--missing",
        default=None,
        metavar="RULE",
        help="what X, ? and absent cells are: zero, pairwise, or for each, e.g. x=zero,unknown=pairwise,absent=pairwise "
        "(default: zero under trans-env and multi-value, as their papers do; else pairwise)",
    )


def add_figures(parser: argparse.ArgumentParser) -> None:
    """Add ``--no-figures``."""
    parser.add_argument("--no-figures", dest="figures", action="store_false", help="write tables only")


def run(args: argparse.Namespace) -> int:
    """Mine, write, say where to look."""
    from miner.commands.console import say
    from miner.dialect import mine_dialects, read_ratings
    from miner.run.folder import OutFolder
    from miner.run.writing import draw, write_dialects

    ratings = read_ratings(args.ratings, fold_case=args.fold_case)
    options = {
        "k": args.k,
        "encoding": args.encoding,
        "missing": args.missing,
        "centred": False if args.uncentred else None,
        "starts": args.starts,
    }
    with OutFolder(
        args.out, command="dialects", parameters={"preset": args.preset, **options}, seed=args.seed
    ) as folder:
        result = mine_dialects(ratings, args.preset, seed=args.seed, **options)
        folder.input("ratings", ratings.fingerprint)
        folder.account(ratings.ledger)
        written = write_dialects(folder, result)
        if args.figures:
            draw(written, folder=folder, dialects=result)
    for line in summary(result):
        say(line)
    say(f"Written to {args.out}: dialect_clusters, k_selection, dialect_inventory (.csv, .parquet), figures, run.json")
    return 0


def summary(result: object) -> list[str]:
    """Return what people should know about the set, as lines."""
    facts = result.facts  # type: ignore[attr-defined]
    lines = [
        f"{facts['dialect_set_size']} dialects of {facts['varieties']} varieties, {len(result.inventory)} features rated as wanted "  # type: ignore[attr-defined]
        f"({result.inventory['feature_id'].nunique()} different)",  # type: ignore[attr-defined]
        f"{facts['components']} components hold {facts['share_of_variance']:.1%} of the variance; inertia {facts['inertia']:.3f} "
        f"(without the anchors {facts['inertia_without_anchors']:.3f})",
        f"How rare: {facts['share_of_plain_starts_with_exactly_this_cluster']:.1%} of {facts['starts']:,} plain starts have exactly the kept "
        f"cluster of {facts['cluster_size']}, {facts['share_of_plain_starts_with_the_set_in_one_cluster']:.1%} have the whole set in one cluster",
    ]
    left_out = result.clusters[result.clusters["reason"].ne("")]  # type: ignore[attr-defined]
    lines += [f"Left out: {v}: {r}" for v, r in zip(left_out["variety"], left_out["reason"], strict=True)]
    return lines + [f"Warning: {w}" for w in result.warnings]  # type: ignore[attr-defined]
