"""Statistics on sparse counts and group labels: NumPy and SciPy only; no files, no learners, no frames."""

from miner.stats.contrasts import Contrast, ContrastEngine
from miner.stats.moments import Moments, group_moments, pool, rest, sample_moments
from miner.stats.multiple import adjust, adjust_families
from miner.stats.permutation import (
    PermutationResult,
    PermutedFamily,
    permutation_test,
    permute_family,
    permuted_within,
)
from miner.stats.stability import Stability, half_samples, shah_samworth_bound, stability_selection
from miner.stats.stratified import RateRatios, mantel_haenszel
from miner.stats.ttests import TestResult, TTest, student, t_p_value, t_test, welch

__all__ = [
    "Contrast",
    "ContrastEngine",
    "Moments",
    "PermutationResult",
    "PermutedFamily",
    "RateRatios",
    "Stability",
    "TTest",
    "TestResult",
    "adjust",
    "adjust_families",
    "group_moments",
    "half_samples",
    "mantel_haenszel",
    "permutation_test",
    "permute_family",
    "permuted_within",
    "pool",
    "rest",
    "sample_moments",
    "shah_samworth_bound",
    "stability_selection",
    "student",
    "t_p_value",
    "t_test",
    "welch",
]
