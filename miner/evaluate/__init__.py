"""How far inventories can be trusted: shuffled labels, halves, unseen learners; plans, explanations, differences."""

from miner.evaluate.agreement import Agreement, checker_agreement
from miner.evaluate.audit import Audit, audit
from miner.evaluate.comparing import compare_corpora, compare_groups, compare_levels, level_interaction
from miner.evaluate.correcting import corrected_rates
from miner.evaluate.differences import as_inventory, diff_inventories, overlap
from miner.evaluate.explaining import explain
from miner.evaluate.halves import Halves, compare_halves, nogueira
from miner.evaluate.heldout import HeldOut, auc, held_out_auc
from miner.evaluate.pairing import pair
from miner.evaluate.planning import closed_power, learners_needed, plan_learners
from miner.evaluate.planted import compare_planted
from miner.evaluate.powered import prediction_powered_mean, prediction_powered_rates
from miner.evaluate.shuffles import Shuffled, relabelled, shuffle_labels, uniformity
from miner.evaluate.type_agreement import type_agreement
from miner.evaluate.validation import validate, verdict

__all__ = [
    "Agreement",
    "Audit",
    "Halves",
    "HeldOut",
    "Shuffled",
    "as_inventory",
    "auc",
    "audit",
    "checker_agreement",
    "closed_power",
    "compare_corpora",
    "compare_groups",
    "compare_halves",
    "compare_levels",
    "compare_planted",
    "corrected_rates",
    "diff_inventories",
    "explain",
    "held_out_auc",
    "learners_needed",
    "level_interaction",
    "nogueira",
    "overlap",
    "pair",
    "plan_learners",
    "prediction_powered_mean",
    "prediction_powered_rates",
    "relabelled",
    "shuffle_labels",
    "type_agreement",
    "uniformity",
    "validate",
    "verdict",
]
