"""Dialects from eWAVE: ratings, encodings, reduction, clusters, inventories and distances."""

from miner.dialect.clustering import cluster, clusterings
from miner.dialect.consensus import Consensus, consensus
from miner.dialect.coverage import coverage
from miner.dialect.crosswalk import crosswalk, resemblance
from miner.dialect.distances import distance_matrix, distances
from miner.dialect.encoding import ENCODINGS, encode
from miner.dialect.geography import mantel
from miner.dialect.inventories import distinctive, groups_by, groups_of, inventory, shared_core
from miner.dialect.kmeans import search
from miner.dialect.mine import DialectResult, mine_dialects
from miner.dialect.performance import difficulty, performance
from miner.dialect.presets import PRESETS
from miner.dialect.profiles import diff, feature_profile, variety_profile
from miner.dialect.ratings import Ratings, read_ratings
from miner.dialect.reduction import reduce
from miner.dialect.selection import k_selection
from miner.dialect.spectral import neighbour_table, spectral

__all__ = [
    "ENCODINGS",
    "PRESETS",
    "Consensus",
    "DialectResult",
    "Ratings",
    "cluster",
    "clusterings",
    "consensus",
    "coverage",
    "crosswalk",
    "diff",
    "difficulty",
    "distance_matrix",
    "distances",
    "distinctive",
    "encode",
    "feature_profile",
    "groups_by",
    "groups_of",
    "inventory",
    "k_selection",
    "mantel",
    "mine_dialects",
    "neighbour_table",
    "performance",
    "read_ratings",
    "reduce",
    "resemblance",
    "search",
    "shared_core",
    "spectral",
    "variety_profile",
]
