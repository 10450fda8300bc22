"""Statistics on sparse counts and group labels: NumPy and SciPy only; no files, no learners, no frames."""

from miner.stats.moments import Moments, group_moments, pool, rest, sample_moments
from miner.stats.multiple import adjust, adjust_families
from miner.stats.ttests import TestResult, TTest, student, t_p_value, t_test, welch

__all__ = [
    "Moments",
    "TTest",
    "TestResult",
    "adjust",
    "adjust_families",
    "group_moments",
    "pool",
    "rest",
    "sample_moments",
    "student",
    "t_p_value",
    "t_test",
    "welch",
]
