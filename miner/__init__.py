"""miner: feature mining from learner corpora and eWAVE, with every number accounted for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

#: Public name -> module that defines it; loaded on first use, so that ``import miner`` and ``miner --help`` stay quick.
_PUBLIC = {
    "MinerError": "miner.errors",
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
