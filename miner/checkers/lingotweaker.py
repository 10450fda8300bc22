"""LingoTweaker: LanguageTool's rules in Rust, without Java, in worker processes."""

from __future__ import annotations

import hashlib
import platform
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from typing import Any, Self

from miner.checkers.base import EngineIdentity, RawMatch, UnitResult, completed, cores, incomplete, map_longest_first
from miner.checkers.registry import EngineInfo
from miner.checkers.workers import Failed, Workers
from miner.errors import EngineError, EngineMissing, OptionError
from miner.text import utf8_to_codepoints

NAME = "lingotweaker"
_ENGINE, _DATA = "lingotweaker", "lingotweaker-data-en"
#: Counts changes in how matches are read; part of the fingerprint, as they change results.
_READING = "2"
_HOW = "miner checkers install lingotweaker"
_UNCATEGORISED = re.compile(r"EN_(SIMPLE_REPLACE|WORD_COHERENCY)(_|$)")


def _find() -> str:
    try:
        return distribution(_ENGINE).version if find_spec("lt_py") and find_spec("lingotweaker_data_en") else ""
    except PackageNotFoundError:
        return ""


#: It takes any other variety for American English without a word, so the others are not offered.
VARIETIES = ("en-US", "en-GB")
INFO = EngineInfo(
    NAME, "LGPL-2.1-or-later", "no Java; ready-made for Linux x86-64, Python packages only", _HOW, _find, VARIETIES
)


def identify(*, language: str = "en-US", server: str | None = None, allow_remote: bool = False) -> EngineIdentity:
    """Return which LingoTweaker is installed.

    Raises
    ------
    EngineMissing
        If the packages are not installed; the message says how to install them.
    """
    engine, data = _distribution(_ENGINE), _distribution(_DATA)
    return EngineIdentity(NAME, engine.version, _fingerprint(engine, data), language)


def open_engine(
    *, language: str = "en-US", server: str | None = None, allow_remote: bool = False, jobs: int | None = None
) -> LingoTweaker:
    """Return the engine (``server`` and ``allow_remote`` have no meaning here)."""
    return LingoTweaker(language=language, jobs=jobs)


class LingoTweaker:
    """The engine in worker processes, one per core; see :class:`miner.checkers.base.Checker`.

    In a process of its own, since a crash or an endless loop in native code cannot be survived or ended in this one.

    Parameters
    ----------
    language : str
        Variety to check.
    jobs : int, optional
        Worker processes; default: one per core.

    Raises
    ------
    EngineMissing
        If the packages are not installed; the message says how to install them.
    """

    name = NAME

    def __init__(self, *, language: str = "en-US", jobs: int | None = None) -> None:
        identity = identify(language=language)
        self.language = language
        self.version = identity.version
        self.engine = identity.engine
        self.fingerprint = identity.fingerprint
        number = jobs or cores()
        self._workers = Workers(number, __name__, load.__name__, language)
        self._pool = ThreadPoolExecutor(number, thread_name_prefix=NAME)  # a thread waits for each worker

    def check_units(self, units: Sequence[str]) -> list[UnitResult]:
        """Check each unit on its own, on all workers.

        Raises
        ------
        OptionError
            If there are no rules for the language.
        EngineError
            If the engine does not start.
        """
        return map_longest_first(self._pool, self._check, units)

    def _check(self, unit: str) -> UnitResult:
        if not unit:
            return completed([])
        try:
            return completed([RawMatch(*found) for found in self._workers.check(unit)])
        except UnicodeEncodeError:
            return incomplete("the text holds a lone surrogate, which no encoding can carry")
        except Failed as err:
            return incomplete(f"{self.engine} {err.why}")

    def close(self) -> None:
        """End the processes, whatever they do, and the threads."""
        self._workers.close()  # first: it ends what threads wait for
        self._pool.shutdown(wait=True, cancel_futures=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def load(language: str) -> Callable[[str], list[RawMatch]]:
    """Load the engine into this process and return the function that checks a text.

    Raises
    ------
    EngineMissing, OptionError, EngineError
        If the packages are not there, or have no rules for the language.
    """
    native = _native(language)

    def check(unit: str) -> list[RawMatch]:
        found: list[dict[str, Any]] = native.check(unit)
        starts = utf8_to_codepoints(unit, [m["offset"] for m in found]).tolist()
        ends = utf8_to_codepoints(unit, [m["offset"] + m["length"] for m in found]).tolist()
        return [
            RawMatch(start, end, m["rule_id"], m["sub_id"] or "", m["category_id"] or "", _issue_type(m))
            for m, start, end in zip(found, starts, ends, strict=True)
        ]

    return check


def _issue_type(found: dict[str, Any]) -> str:
    # LanguageTool's word where the port has another: categories may be excluded by it.
    given = found["issue_type"] or ""
    return "uncategorized" if given == "Other" or _UNCATEGORISED.match(found["rule_id"]) else given


def _native(language: str) -> Any:
    try:
        import lingotweaker_data_en
        import lt_py
    except ImportError as err:
        msg = f"LingoTweaker cannot be loaded ({err}); install it again: {_HOW}"
        raise EngineMissing(msg) from err
    # The data folder is named, so that LT_DATA_DIR cannot put other rules under the same fingerprint.
    try:
        native = lt_py.Engine("en", variant=language, data_dir=lingotweaker_data_en.data_dir())
    except Exception as err:
        msg = f"LingoTweaker has no rules for {language!r} ({err})"
        raise OptionError(msg) from err
    if not native.rule_count:
        msg = f"LingoTweaker loaded no rules for {language!r}; install its data again: {_HOW}"
        raise EngineError(msg)
    return native


def _distribution(name: str) -> Distribution:
    try:
        return distribution(name)
    except PackageNotFoundError as err:
        here = f"{platform.system()} {platform.machine()}"
        msg = (
            f"The checker 'lingotweaker' needs the package '{name}', which is not installed. `{_HOW}` installs it on "
            f"Linux x86-64 (this is {here}); anywhere else use --checker languagetool"
        )
        raise EngineMissing(msg) from err


def _fingerprint(*packages: Distribution) -> str:
    # An installed package's RECORD holds the SHA-256 of each of its files: a hash of the rules without reading them.
    lines = [f"reading {_READING}"]
    for package in packages:
        files = [
            f"{path.as_posix()} {path.hash.value if path.hash else ''} {path.size}"
            for path in package.files or []
            if not re.search(r"\.dist-info/|__pycache__|\.pyc$|^\.\.", path.as_posix())
        ]
        lines += [f"{package.metadata['Name']} {package.version}", *sorted(files)]
    return hashlib.blake2b("\n".join(lines).encode(), digest_size=8).hexdigest()
