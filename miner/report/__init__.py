"""The report of a run: one HTML file that works offline, without scripts, corpus text or learner ids."""

from miner.report.page import render, write_report

__all__ = ["render", "write_report"]
