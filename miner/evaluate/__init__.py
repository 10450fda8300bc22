"""How far inventories can be trusted: shuffled labels, halves, unseen learners; plans, explanations, differences."""

from miner.evaluate.across import Across, compare_across
from miner.evaluate.agreement import Agreement, checker_agreement
from miner.evaluate.areas import HeldOut, auc
from miner.evaluate.audit import Audit, audit
from miner.evaluate.baselines import covariate_baseline, format_baseline, length_and_score, scores_of
from miner.evaluate.between_levels import compare_levels, level_account, level_interaction
from miner.evaluate.comparing import compare_groups
from miner.evaluate.correcting import corrected_rates
from miner.evaluate.differences import as_inventory, diff_inventories, overlap, translated
from miner.evaluate.explaining import explain
from miner.evaluate.gathering import Validation, together
from miner.evaluate.groups import expand_l1s, l1_groups
from miner.evaluate.halves import Halves, compare_halves
from miner.evaluate.heldout import held_out_auc
from miner.evaluate.likeness import nogueira
from miner.evaluate.members import admit_learners, relabelled
from miner.evaluate.over_corpora import compare_corpora
from miner.evaluate.pairing import pair
from miner.evaluate.planning import closed_power, learners_needed, plan_learners, replication_power
from miner.evaluate.planted import Planted, compare_planted
from miner.evaluate.powered import prediction_powered_mean, prediction_powered_rates
from miner.evaluate.shuffles import Shuffled, shuffle_labels, uniformity
from miner.evaluate.sources import format_counts, usage_counts
from miner.evaluate.type_agreement import type_agreement
from miner.evaluate.validation import validate
from miner.evaluate.verdicts import verdict

__all__ = [
    "Across",
    "Agreement",
    "Audit",
    "Halves",
    "HeldOut",
    "Planted",
    "Shuffled",
    "Validation",
    "admit_learners",
    "as_inventory",
    "auc",
    "audit",
    "checker_agreement",
    "closed_power",
    "compare_across",
    "compare_corpora",
    "compare_groups",
    "compare_halves",
    "compare_levels",
    "compare_planted",
    "corrected_rates",
    "covariate_baseline",
    "diff_inventories",
    "expand_l1s",
    "explain",
    "format_baseline",
    "format_counts",
    "held_out_auc",
    "l1_groups",
    "learners_needed",
    "length_and_score",
    "level_account",
    "level_interaction",
    "nogueira",
    "overlap",
    "pair",
    "plan_learners",
    "prediction_powered_mean",
    "prediction_powered_rates",
    "relabelled",
    "replication_power",
    "scores_of",
    "shuffle_labels",
    "together",
    "translated",
    "type_agreement",
    "uniformity",
    "usage_counts",
    "validate",
    "verdict",
]
