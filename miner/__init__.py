"""miner: feature mining from learner corpora and eWAVE, with every number accounted for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

#: Public name -> module that defines it; loaded on first use, so that ``import miner`` and ``miner --help`` stay quick.
_PUBLIC = {
    "MinerError": "miner.errors",
    "apply_overlap": "miner.checkers",
    "categorise": "miner.categories",
    "check_texts": "miner.checkers",
    "compare_l1": "miner.learner",
    "count": "miner.learner",
    "distances": "miner.dialect",
    "export_multi_value": "miner.export",
    "export_trans_env": "miner.export",
    "get_preset": "miner.learner",
    "load_taxonomy": "miner.categories",
    "mine_dialects": "miner.dialect",
    "mine_l1": "miner.learner",
    "open_checker": "miner.checkers",
    "open_store": "miner.store",
    "read_corpus": "miner.corpora",
    "read_ratings": "miner.dialect",
    "read_study": "miner.run.study",
    "run_study": "miner.run.job",
    "select_l1": "miner.learner",
    "test_l1": "miner.learner",
}

__all__ = ["__version__", *sorted(_PUBLIC)]


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    if name in _PUBLIC:
        return getattr(import_module(_PUBLIC[name]), name)
    msg = f"module 'miner' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return sorted(__all__)
