"""Inventories in the form that a consumer's code reads; what it has no key for is named, never dropped silently."""

from miner.export.keys import KeyMatch, match_keys, read_keys
from miner.export.multi_value import export_multi_value
from miner.export.package import Export, summary
from miner.export.trans_env import export_trans_env

#: Whose code the exports are for.
CONSUMERS = ("trans-env", "multi-value")

__all__ = [
    "CONSUMERS",
    "Export",
    "KeyMatch",
    "export_multi_value",
    "export_trans_env",
    "match_keys",
    "read_keys",
    "summary",
]
