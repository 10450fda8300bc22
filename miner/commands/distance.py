"""Distances between varieties of English, from a reference point or between all pairs.

Example: miner distance --metric manhattan --encoding multi-value --from "Colloquial American English" --out outputs/distance
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from miner.dialect import Ratings
    from miner.run.folder import OutFolder
    from miner.signature import Signature


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    from miner.commands.dialects import add_encoding, add_figures, add_ratings, add_variance
    from miner.commands.options import add_out, add_seed

    add_ratings(parser)
    parser.add_argument(
        "--metric",
        choices=("manhattan", "manhattan-236", "gower", "euclidean"),
        default="manhattan",
        help="mean absolute difference over shared features (default); the same with Multi-VALUE's divisor; Gower's; or "
        "Euclidean in SVD space",
    )
    add_encoding(parser)
    parser.add_argument(
        "--from",
        dest="from_",
        default="Colloquial American English",
        metavar="VARIETY",
        help="name, abbreviation or eWAVE id; 'zero' for the vector without features; 'all' for all pairs "
        "(default: Colloquial American English, a stand-in for Standard American English and no norm)",
    )
    add_variance(parser)
    parser.add_argument("--uncentred", action="store_true", help="for euclidean: do not subtract feature means first")
    parser.add_argument(
        "--resamples",
        type=int,
        default=200,
        metavar="N",
        help="resamples of features inside grammar areas, for intervals (default 200; 0: none)",
    )
    parser.add_argument(
        "--mantel", action="store_true", help="also test against geographic distance (9,999 permutations)"
    )
    parser.add_argument(
        "--scores",
        type=Path,
        default=None,
        metavar="CSV",
        help="a table with columns variety and score: distance against performance",
    )
    parser.add_argument(
        "--by", default="", metavar="COLUMNS", help="columns of --scores that name a series, e.g. model,benchmark"
    )
    add_figures(parser)
    add_out(parser)
    add_seed(parser)


def run(args: argparse.Namespace) -> int:
    """Compute, write, say where to look."""
    from miner.commands.console import say
    from miner.commands.dialects import written_to
    from miner.dialect import distances, read_ratings
    from miner.dialect.distances import distance_signature, encoded_for
    from miner.dialect.imputation import imputer
    from miner.run.dialect import DistanceResult
    from miner.run.folder import OutFolder
    from miner.run.varieties import write_tree
    from miner.run.variety_pictures import tree_picture
    from miner.run.writing import draw, write_distances

    ratings = read_ratings(args.ratings, fold_case=args.fold_case)
    ratings.require_two("Distances")
    encoding = args.encoding or "ordinal"
    encoded = encoded_for(ratings, args.metric, encoding, args.missing)
    share = 0.9 if args.variance is None else args.variance
    options = {"missing": str(encoded.missing), "centred": not args.uncentred, "share": share, "seed": args.seed}
    parameters = {
        "metric": args.metric,
        "encoding": encoding,
        "from": args.from_,
        "resamples": args.resamples,
        **{k: v for k, v in options.items() if k != "seed"},
    }
    with OutFolder(args.out, command="distance", parameters=parameters, seed=args.seed) as folder:
        frame = distances(ratings, args.metric, encoding, args.from_, resamples=args.resamples, **options)
        pairs = frame if args.from_ == "all" else distances(ratings, args.metric, encoding, "all", **options)
        signature = distance_signature(
            ratings,
            args.metric,
            encoded,
            args.from_,
            centred=not args.uncentred,
            share=share,
            resamples=args.resamples,
            seed=args.seed,
        )
        folder.input("ratings", ratings.fingerprint)
        folder.account(ratings.ledger)
        if encoded.missing.imputes:
            source = imputer(encoded)
            folder.facts(
                imputed={"cells": len(source.cells), "from_all_varieties": source.widened, "left_open": source.unfilled}
            )
        result = DistanceResult(frame, pairs, signature)
        written = write_distances(folder, result)
        tree = write_tree(
            folder,
            encoded,
            args.metric,
            signature,
            centred=not args.uncentred,
            share=share,
            resamples=args.resamples,
            seed=args.seed,
        )
        more = _more(args, folder, ratings, frame, signature)
        if args.figures:
            label = f"{args.metric} distance ({encoding})"
            pictures = [] if tree is None else [tree_picture(tree, ratings, label, str(signature))]
            draw(written, folder=folder, distances=result, more=pictures)
    near = frame[frame["distance"].notna() & (frame["from_id"] != frame["variety_id"])].sort_values(
        "distance", kind="stable"
    )
    if len(near):
        first, last = near.iloc[0], near.iloc[-1]
        say(f"{len(near)} distances ({args.metric}, {encoding}, missing {encoded.missing}) from {args.from_}")
        say(
            f"Nearest: {first['variety']} {first['distance']:.4f} on {first['n_shared']} features; farthest: {last['variety']} {last['distance']:.4f} on {last['n_shared']}"
        )
    if undefined := int(frame["distance"].isna().sum()):
        say(f"{undefined} distances are empty: no shared rated feature (see 'reason')")
    for line in more:
        say(line)
    say(written_to(args.out))
    return 0


def _more(
    args: argparse.Namespace, folder: OutFolder, ratings: Ratings, frame: pd.DataFrame, signature: Signature
) -> list[str]:
    """Write neighbours, the Mantel test and distance against performance, and return what to say about them."""
    from pandas import isna

    from miner import tables
    from miner.dialect import distance_matrix, mantel, neighbour_table
    from miner.dialect.distances import encoded_for
    from miner.run.performance import write_performance

    encoding = args.encoding or "ordinal"
    encoded = encoded_for(ratings, args.metric, encoding, args.missing)
    share = 0.9 if args.variance is None else args.variance
    matrix = distance_matrix(encoded, args.metric, centred=not args.uncentred, share=share, seed=args.seed)
    square = matrix.distance[:-1, :-1]
    near = neighbour_table(ratings, square, matrix.n_shared[:-1, :-1], min(7, len(square) - 1))
    folder.table(near, tables.NEIGHBOURS, signature)
    lines = []
    if args.mantel:
        tested = folder.table(mantel(ratings, square, seed=args.seed), tables.MANTEL, signature).iloc[0]
        lines.append(
            f"Mantel test against log great-circle distance: rho {tested['rho']:.3f}, one-sided p {tested['p']:.4f} "
            f"({tested['permutations']} permutations, {tested['n_varieties']} varieties); {tested['warning']}"
        )
    if args.scores is not None:
        by = tuple(c.strip() for c in args.by.split(",") if c.strip())
        told = write_performance(folder, ratings, frame, args.scores, signature, by=by, seed=args.seed)
        for row in told["performance"].to_dict("records"):
            shown = f"Spearman {row['spearman']:.3f}, p {row['p']:.4f}, n {row['n']} varieties"
            lines.append(f"{row['series']}: {row['reason'] if isna(row['spearman']) else shown}")
    return lines
