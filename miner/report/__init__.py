"""The report of a run: one HTML file that works offline, without scripts, corpus text or learner ids."""

from miner.report.examples import examples_section
from miner.report.page import render, write_report

__all__ = ["examples_section", "render", "write_report"]
