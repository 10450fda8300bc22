"""Statistics on sparse counts and group labels: NumPy and SciPy only; no files, no learners, no frames."""

from miner.stats.contrasts import Contrast, ContrastEngine
from miner.stats.dispersion import Dispersion, dispersion, leave_one_out
from miner.stats.families import PermutedFamily, permute_family, usable_threads
from miner.stats.keyness import Keyness, PriorLogOdds, keyness, log_odds_with_prior
from miner.stats.labellings import labellings, log_labellings, permuted_within, permuter
from miner.stats.meta import RandomEffects, partial_conjunction, random_effects
from miner.stats.models import ModelRatio, model_log_ratio
from miner.stats.moments import Moments, group_moments, pool, rest, sample_moments
from miner.stats.multiple import adjust, adjust_families, null_share
from miner.stats.permutation import PermutationResult, permutation_test
from miner.stats.ranks import MannWhitney, RankTest, mann_whitney, mann_whitney_samples
from miner.stats.ratios import TOO_FEW as TOO_FEW_CLUSTERS
from miner.stats.ratios import ClusteredRatios, clustered_log_ratio
from miner.stats.replication import expected_replication, replication_of_list
from miner.stats.stability import Stability, half_samples, shah_samworth_bound, stability_selection
from miner.stats.stratified import RateRatios, jackknife_folds, mantel_haenszel
from miner.stats.ttests import TestResult, TTest, student, t_p_value, t_quantile, t_test, welch

__all__ = [
    "TOO_FEW_CLUSTERS",
    "ClusteredRatios",
    "Contrast",
    "ContrastEngine",
    "Dispersion",
    "Keyness",
    "MannWhitney",
    "ModelRatio",
    "Moments",
    "PermutationResult",
    "PermutedFamily",
    "PriorLogOdds",
    "RandomEffects",
    "RankTest",
    "RateRatios",
    "Stability",
    "TTest",
    "TestResult",
    "adjust",
    "adjust_families",
    "clustered_log_ratio",
    "dispersion",
    "expected_replication",
    "group_moments",
    "half_samples",
    "jackknife_folds",
    "keyness",
    "labellings",
    "leave_one_out",
    "log_labellings",
    "log_odds_with_prior",
    "mann_whitney",
    "mann_whitney_samples",
    "mantel_haenszel",
    "model_log_ratio",
    "null_share",
    "partial_conjunction",
    "permutation_test",
    "permute_family",
    "permuted_within",
    "permuter",
    "pool",
    "random_effects",
    "replication_of_list",
    "rest",
    "sample_moments",
    "shah_samworth_bound",
    "stability_selection",
    "student",
    "t_p_value",
    "t_quantile",
    "t_test",
    "usable_threads",
    "welch",
]
