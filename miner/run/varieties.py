"""What the dialect commands write beside the main tables: inventories of groups, consensus, trees and their files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from miner import tables
from miner.dialect.consensus import Consensus
from miner.dialect.distances import Metric, distance_matrix, resampled
from miner.dialect.encoding import Encoded
from miner.dialect.hierarchy import as_rows, clades, joins, newick, nexus, support
from miner.dialect.inventories import distinctive, groups_by, groups_of, shared_core
from miner.dialect.ratings import Ratings
from miner.run.folder import OutFolder
from miner.signature import Signature

if TYPE_CHECKING:
    import pandas as pd


def write_inventories(
    folder: OutFolder, ratings: Ratings, clusters: pd.DataFrame, signature: Signature
) -> dict[str, pd.DataFrame]:
    """Write what sets each variety of the set apart, and what clusters, regions and types share."""
    chosen = set(clusters.loc[clusters["in_dialect_set"].fillna(value=False), "variety_id"])
    rows = [i for i, v in enumerate(ratings.varieties["variety_id"]) if v in chosen]
    groups = {
        **groups_of(ratings, clusters),
        **{f"region {g}": r for g, r in groups_by(ratings, "region").items()},
        **{f"type {g}": r for g, r in groups_by(ratings, "type").items()},
    }
    import pandas as pd

    apart = pd.concat([distinctive(ratings, rows), distinctive(ratings, groups=groups)], ignore_index=True)
    return {
        "distinctive": folder.table(apart, tables.DISTINCTIVE, signature),
        "shared_core": folder.table(shared_core(ratings, groups), tables.SHARED_CORE, signature),
    }


def write_consensus(folder: OutFolder, found: Consensus) -> dict[str, pd.DataFrame]:
    """Write the four tables of a consensus clustering."""
    folder.facts(consensus={"answer": found.answer, "supported_k": list(found.supported)})
    return {
        "stability": folder.table(found.stability, tables.STABILITY, found.signature),
        "comembership": folder.table(found.comembership, tables.COMEMBERSHIP, found.signature),
        "membership": folder.table(found.membership, tables.MEMBERSHIP, found.signature),
        "agreement": folder.table(found.agreement, tables.AGREEMENT, found.signature),
    }


def write_tree(
    folder: OutFolder,
    encoded: Encoded,
    metric: Metric,
    signature: Signature,
    *,
    centred: bool,
    share: float,
    resamples: int,
    seed: int,
) -> pd.DataFrame | None:
    """Write the tree with its support, and the distances as Nexus and Newick; None where a pair has no distance."""
    ratings = encoded.ratings
    matrix = distance_matrix(encoded, metric, centred=centred, share=share, seed=seed).distance[:-1, :-1]
    if np.isnan(matrix).any() or len(matrix) < 2:
        return None
    tree = joins(matrix)
    everyone = list(range(len(matrix)))
    drawn = resampled(encoded, metric, everyone, resamples, seed, centred=centred, share=share)
    trees = [joins(d) for d in drawn if not np.isnan(d).any()]
    supports = support(tree, trees)
    names = [str(v) for v in ratings.varieties["variety"]]
    ids = ratings.varieties["variety_id"].to_numpy(dtype=object)
    rows = [
        {**row, "members": " ".join(ids[sorted(members)])}
        for row, members in zip(as_rows(tree, supports), clades(tree), strict=True)
    ]
    folder.path("distances.nex").write_text(
        nexus(matrix, names, comment=str(signature)), encoding="utf-8", newline="\n"
    )
    folder.path("tree.nwk").write_text(newick(tree, names, supports), encoding="utf-8", newline="\n")
    folder.facts(
        tree={"linkage": "average", "resampled_trees": len(trees), "undefined_resamples": resamples - len(trees)}
    )
    return folder.table(tables.conform(rows, tables.TREE), tables.TREE, signature)
