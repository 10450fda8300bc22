"""LingoTweaker: LanguageTool's rules in Rust, in this process, all cores by threads (it releases the GIL)."""

from __future__ import annotations

import hashlib
import platform
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from typing import Any, Self

from miner.checkers.base import RawMatch, UnitResult, completed, cores, incomplete, map_longest_first
from miner.checkers.registry import EngineInfo
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


INFO = EngineInfo(
    NAME, "LGPL-2.1-or-later", "in process, no Java; ready-made for Linux x86-64, Python packages only", _HOW, _find
)


def open_engine(
    *, language: str = "en-US", server: str | None = None, allow_remote: bool = False, jobs: int | None = None
) -> LingoTweaker:
    """Load the engine (``server`` and ``allow_remote`` have no meaning here)."""
    return LingoTweaker(language=language, jobs=jobs)


class LingoTweaker:
    """The engine with its thread pool; see :class:`miner.checkers.base.Checker`.

    Raises
    ------
    EngineMissing
        If the packages are not installed; the message says how to install them.
    OptionError
        If there are no rules for the language.
    """

    name = NAME

    def __init__(self, *, language: str = "en-US", jobs: int | None = None) -> None:
        self.language = language
        engine, data = _distribution(_ENGINE), _distribution(_DATA)
        self.version = engine.version
        self.engine = f"{NAME}-{self.version}"
        self.fingerprint = _fingerprint(engine, data)
        self._native = _load(language)
        self._pool = ThreadPoolExecutor(jobs or cores(), thread_name_prefix=NAME)

    def check_units(self, units: Sequence[str]) -> list[UnitResult]:
        """Check each unit on its own, on all threads."""
        return map_longest_first(self._pool, self._check, units)

    def _check(self, unit: str) -> UnitResult:
        try:
            found: list[dict[str, Any]] = self._native.check(unit)
        except UnicodeEncodeError:
            return incomplete("the text holds a lone surrogate, which no encoding can carry")
        except BaseException as err:
            # A panic in Rust is a BaseException of its own class; the engine is immutable and stays usable.
            if isinstance(err, Exception) or type(err).__name__ == "PanicException":
                return incomplete(f"{self.engine} failed on the text ({type(err).__name__})")
            raise
        starts = utf8_to_codepoints(unit, [m["offset"] for m in found])
        ends = utf8_to_codepoints(unit, [m["offset"] + m["length"] for m in found])
        return completed(
            [
                RawMatch(
                    int(start),
                    int(end),
                    m["rule_id"],
                    m["sub_id"] or "",
                    m["category_id"] or "",
                    _issue_type(m),
                )
                for m, start, end in zip(found, starts, ends, strict=True)
            ]
        )

    def close(self) -> None:
        """Let running checks end (they take a second or two at most) and release the threads."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _issue_type(found: dict[str, Any]) -> str:
    # LanguageTool's word where the port has another: categories may be excluded by it.
    given = found["issue_type"] or ""
    return "uncategorized" if given == "Other" or _UNCATEGORISED.match(found["rule_id"]) else given


def _load(language: str) -> Any:
    try:
        import lingotweaker_data_en
        import lt_py
    except ImportError as err:
        msg = f"LingoTweaker cannot be loaded ({err}); install it again: {_HOW}"
        raise EngineMissing(msg) from err
    # The data folder is named, so that LT_DATA_DIR cannot put other rules under the same fingerprint.
    try:
        native = lt_py.Engine(language, data_dir=lingotweaker_data_en.data_dir())
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
