"""L1 inventories: from categorised matches to counts, tests and ranked features of each L1 at each level."""

from miner.learner.admission import Admitted, admit
from miner.learner.counting import NO_MATCHES, Counts, count, count_edits, count_given
from miner.learner.mining import L1Result, compare_l1, mine_l1, sign, sign_checked
from miner.learner.presets import DEFAULT_PRESET, PRESETS, L1Preset, get_preset
from miner.learner.selection import select_l1
from miner.learner.testing import test_l1

__all__ = [
    "DEFAULT_PRESET",
    "NO_MATCHES",
    "PRESETS",
    "Admitted",
    "Counts",
    "L1Preset",
    "L1Result",
    "admit",
    "compare_l1",
    "count",
    "count_edits",
    "count_given",
    "get_preset",
    "mine_l1",
    "select_l1",
    "sign",
    "sign_checked",
    "test_l1",
]
