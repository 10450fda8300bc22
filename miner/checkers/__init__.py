"""Grammar checkers behind one interface: what they find, in code points, with the engine that found it."""

from miner.checkers.base import LANGUAGES, Checker, EngineIdentity, RawMatch, UnitResult
from miner.checkers.overlap import Overlap, apply_overlap
from miner.checkers.registry import choose, engines, identify, open_checker
from miner.checkers.texts import Checked, Mode, check_namespace, check_texts, same_engine

__all__ = [
    "LANGUAGES",
    "Checked",
    "Checker",
    "EngineIdentity",
    "Mode",
    "Overlap",
    "RawMatch",
    "UnitResult",
    "apply_overlap",
    "check_namespace",
    "check_texts",
    "choose",
    "engines",
    "identify",
    "open_checker",
    "same_engine",
]
