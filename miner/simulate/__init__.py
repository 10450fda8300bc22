"""Simulated learner corpora: errors planted at known rates, with the power to find them calculated."""

from miner.simulate.corpus import DISPERSION, Simulated, simulate, write_corpus
from miner.simulate.readme import command_line

__all__ = ["DISPERSION", "Simulated", "command_line", "simulate", "write_corpus"]
