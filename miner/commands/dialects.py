"""Mine a dialect set from eWAVE: clusters, the number of clusters, and the features of each dialect.

Presets: 'trans-env' replays the published recipe; 'plain' is k-means of any table; 'consensus' clusters many times over starts, features, encodings and
imputations, and tells which groups are stable, if any.

Example: miner dialects --preset trans-env --out outputs/dialects
"""

from __future__ import annotations

import argparse
from pathlib import Path


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    from miner.commands.options import add_out, add_seed, positive

    add_ratings(parser)
    parser.add_argument(
        "--preset", default="trans-env", metavar="NAME", help="trans-env, plain or consensus (default trans-env)"
    )
    parser.add_argument(
        "--k", type=positive, default=None, metavar="N", help="number of clusters (default: the preset's)"
    )
    add_encoding(parser)
    parser.add_argument(
        "--uncentred", action="store_true", help="decompose the matrix without subtracting feature means"
    )
    add_variance(parser)
    parser.add_argument(
        "--keep-unrated", action="store_true", help="let varieties without any rating A, B, C, D take part"
    )
    parser.add_argument("--starts", type=positive, default=None, metavar="N", help="random starts of k-means")
    parser.add_argument(
        "--resamples", type=positive, default=200, metavar="N", help="consensus: partitions per source (default 200)"
    )
    parser.add_argument(
        "--nulls", type=int, default=39, metavar="N", help="consensus: permuted data sets of the null (default 39)"
    )
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


def add_variance(parser: argparse.ArgumentParser) -> None:
    """Add ``--variance``."""
    parser.add_argument(
        "--variance",
        type=float,
        default=None,
        metavar="SHARE",
        help="keep the smallest number of SVD components with at least this share of the variance (default 0.9)",
    )


def add_figures(parser: argparse.ArgumentParser) -> None:
    """Add ``--no-figures``."""
    parser.add_argument("--no-figures", dest="figures", action="store_false", help="write tables only")


def run(args: argparse.Namespace) -> int:
    """Mine, write, say where to look."""
    from miner.dialect import PRESETS
    from miner.errors import require_one_of

    preset = require_one_of(args.preset, [*PRESETS, "consensus"], what="The --preset option")
    return _consensus(args) if preset == "consensus" else _preset(args)


def _preset(args: argparse.Namespace) -> int:
    from miner.commands.console import say
    from miner.dialect import mine_dialects, read_ratings
    from miner.run.folder import OutFolder
    from miner.run.varieties import write_inventories
    from miner.run.variety_pictures import set_pictures
    from miner.run.writing import draw, write_dialects

    ratings = read_ratings(args.ratings, fold_case=args.fold_case)
    options = {
        "k": args.k,
        "encoding": args.encoding,
        "missing": args.missing,
        "centred": False if args.uncentred else None,
        "share": args.variance,
        "starts": args.starts,
        "keep_unrated": args.keep_unrated,
    }
    with OutFolder(
        args.out, command="dialects", parameters={"preset": args.preset, **options}, seed=args.seed
    ) as folder:
        result = mine_dialects(ratings, args.preset, seed=args.seed, **options)
        folder.input("ratings", ratings.fingerprint)
        folder.account(ratings.ledger)
        written = write_dialects(folder, result)
        write_inventories(folder, ratings, result.clusters, result.signature)
        if args.figures and result.reduced.n_components < 2:
            say("No figures: the ratings have a single component, a map needs two")
        elif args.figures:
            draw(written, folder=folder, dialects=result, more=set_pictures(folder, ratings, result))
    for line in summary(result):
        say(line)
    say(written_to(args.out))
    return 0


def _consensus(args: argparse.Namespace) -> int:
    from miner import tables
    from miner.commands.console import progress, say
    from miner.dialect import clusterings, consensus, inventory, read_ratings
    from miner.dialect.consensus import consensus_clusters
    from miner.run.folder import OutFolder
    from miner.run.varieties import write_consensus, write_inventories
    from miner.run.variety_pictures import consensus_pictures

    ratings = read_ratings(args.ratings, fold_case=args.fold_case)
    if args.k or args.encoding or args.missing or args.uncentred or args.starts or args.variance:
        from miner.errors import OptionError

        msg = "The preset 'consensus' goes through k, encodings, rules and starts itself: leave --k, --encoding, --missing, --uncentred and --starts out"
        raise OptionError(msg)
    parameters = {"preset": "consensus", "resamples": args.resamples, "nulls": args.nulls}
    with OutFolder(args.out, command="dialects", parameters=parameters, seed=args.seed) as folder:
        with progress("consensus", "rounds") as advance:
            found = consensus(ratings, resamples=args.resamples, nulls=args.nulls, seed=args.seed, progress=advance)
        clusters = consensus_clusters(ratings, found)
        rated = [i for i, inside in enumerate(clusters["in_dialect_set"]) if inside]
        folder.input("ratings", ratings.fingerprint)
        folder.account(ratings.ledger, found.ledger)
        write_consensus(folder, found)
        folder.table(clusters, tables.DIALECT_CLUSTERS, found.signature)
        folder.table(inventory(ratings, rated), tables.DIALECT_INVENTORY, found.signature)
        folder.table(clusterings(ratings, range(2, 9), seed=args.seed), tables.CLUSTERINGS, found.signature)
        write_inventories(folder, ratings, clusters, found.signature)
        if args.figures:
            for picture in consensus_pictures(folder, ratings, found, clusters):
                picture.save(folder.path(f"figures/{picture.name}"))
    say(f"{found.answer}.")
    say(written_to(args.out))
    return 0


def written_to(out: Path) -> str:
    """Return where the tables are, by name."""
    names = ", ".join(sorted(p.stem for p in out.glob("*.csv")))
    others = ", ".join(sorted(p.name for p in out.iterdir() if p.is_dir() or p.suffix in (".nex", ".nwk")))
    return (
        f"Written to {out}: {names} (.csv, .parquet){'; ' if others else ''}{others}; run.json accounts for every cell"
    )


def summary(result: object) -> list[str]:
    """Return what people should know about the set, as lines."""
    facts = result.facts  # type: ignore[attr-defined]
    inventory = result.inventory  # type: ignore[attr-defined]
    lines = [
        f"{facts['dialect_set_size']} dialects of {facts['varieties']} varieties, {len(inventory)} features rated as wanted "
        f"({inventory['feature_id'].nunique()} different)",
        f"{facts['components']} components hold {facts['share_of_variance']:.1%} of the variance; "
        f"inertia {facts['inertia']:.3f}, reached by {facts['share_of_starts_at_the_solution']:.1%} of the refined starts",
    ]
    if "inertia_without_anchors" in facts:
        lines += [
            f"Without the anchors the lowest inertia is {facts['inertia_without_anchors']:.3f}",
            f"How rare: {facts['share_of_plain_starts_with_exactly_this_cluster']:.1%} of {facts['starts']:,} plain starts "
            f"have exactly the kept cluster of {facts['cluster_size']}, "
            f"{facts['share_of_plain_starts_with_the_set_in_one_cluster']:.1%} have the whole set in one cluster",
        ]
    clusters = result.clusters  # type: ignore[attr-defined]
    kept = set(clusters.loc[clusters["in_dialect_set"], "cluster"])
    left_out = clusters[clusters["reason"].ne("") & (clusters["cluster"].isin(kept) | clusters["cluster"].isna())]
    left_out = left_out[~left_out["in_dialect_set"]]
    lines += [f"Left out: {v}: {r}" for v, r in zip(left_out["variety"], left_out["reason"], strict=True)]
    return lines + [f"Warning: {w}" for w in result.warnings]  # type: ignore[attr-defined]
