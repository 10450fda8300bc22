"""Dialects from eWAVE: ratings, encodings, reduction, clusters, inventories and distances."""

from miner.dialect.distances import distance_matrix, distances
from miner.dialect.encoding import ENCODINGS, encode
from miner.dialect.kmeans import search
from miner.dialect.mine import DialectResult, inventory, mine_dialects
from miner.dialect.presets import PRESETS
from miner.dialect.ratings import Ratings, read_ratings
from miner.dialect.reduction import reduce
from miner.dialect.selection import k_selection

__all__ = [
    "ENCODINGS",
    "PRESETS",
    "DialectResult",
    "Ratings",
    "distance_matrix",
    "distances",
    "encode",
    "inventory",
    "k_selection",
    "mine_dialects",
    "read_ratings",
    "reduce",
    "search",
]
