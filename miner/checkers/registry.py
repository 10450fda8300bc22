"""The engines that miner knows, and the choice among them; a new engine is one file and one line here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from miner.checkers.base import LANGUAGES, Checker, EngineIdentity
from miner.errors import EngineMissing, OptionError, require_one_of

#: Engine name -> module with ``INFO`` (an :class:`EngineInfo`), ``identify`` and ``open_engine``; ``auto`` takes the first that is there.
ENGINES = {
    "lingotweaker": "miner.checkers.lingotweaker",
    "languagetool": "miner.checkers.languagetool",
}
AUTO = "auto"


@dataclass(frozen=True)
class EngineInfo:
    """What ``miner checkers list`` shows of an engine.

    Parameters
    ----------
    name, licence, about : str
        Name, licence of the engine and one sentence about it.
    install : str
        The command that installs it.
    find : callable
        Returns the version that is installed here, or an empty string; quick, starts nothing.
    languages : tuple of str
        The national varieties whose spelling it knows.
    """

    name: str
    licence: str
    about: str
    install: str
    find: Callable[[], str]
    languages: tuple[str, ...] = LANGUAGES


def engines() -> list[EngineInfo]:
    """Return what is known of all engines, in the order in which ``auto`` looks."""
    return [import_module(module).INFO for module in ENGINES.values()]


def choose(name: str = AUTO, *, server: str | None = None, language: str = "en-US") -> str:
    """Return the engine that ``name`` stands for on this machine.

    Parameters
    ----------
    name : str
        An engine, or ``"auto"``: the first installed one that knows the language; with a ``server``, LanguageTool.
    server : str, optional
        URL of a running LanguageTool server.
    language : str
        The national variety to check.

    Raises
    ------
    OptionError
        If the name is unknown, an engine that runs in process was given a server, or it does not know the language.
    EngineMissing
        If ``auto`` finds none; the message says how to install one.
    """
    require_one_of(name, [AUTO, *ENGINES], what="The checker")
    if server is not None:
        if name not in (AUTO, "languagetool"):
            msg = f"A server URL goes with the checker 'languagetool', not with {name!r}; leave one of the two out"
            raise OptionError(msg)
        return "languagetool"
    known = [i for i in engines() if language in i.languages]
    if name != AUTO:
        if name not in [i.name for i in known]:
            able = " or ".join(i.name for i in known)
            msg = f"The checker '{name}' does not know the spelling of {language}; use --checker {able}, or another --language"
            raise OptionError(msg)
        return name
    for info in known:
        if info.find():
            return info.name
    ways = "; ".join(f"`{i.install}` ({i.about})" for i in reversed(known))
    msg = f"No checking engine is installed on this machine. Install one: {ways}"
    raise EngineMissing(msg)


def identify(
    name: str = AUTO, *, language: str = "en-US", server: str | None = None, allow_remote: bool = False
) -> EngineIdentity:
    """Return which engine :func:`open_checker` would open, without starting it.

    Parameters
    ----------
    name, language, server, allow_remote
        As for :func:`open_checker`.

    Returns
    -------
    EngineIdentity
        With the fingerprint that the opened checker has. A server that is named is asked; nothing else is started.

    Raises
    ------
    EngineMissing, EngineError, OptionError
    """
    require_one_of(language, LANGUAGES, what="The language to check")
    module = import_module(ENGINES[choose(name, server=server, language=language)])
    identity: EngineIdentity = module.identify(language=language, server=server, allow_remote=allow_remote)
    return identity


def open_checker(
    name: str = AUTO,
    *,
    language: str = "en-US",
    server: str | None = None,
    allow_remote: bool = False,
    jobs: int | None = None,
) -> Checker:
    """Return an engine, which starts when the first unit is to be checked.

    Parameters
    ----------
    name : str
        ``"auto"`` (LingoTweaker where it is installed, else LanguageTool), ``"lingotweaker"`` or ``"languagetool"``.
    language : str
        A variety of English: one of :data:`miner.checkers.base.LANGUAGES`.
    server : str, optional
        URL of a running LanguageTool server to use instead of a child process.
    allow_remote : bool
        Let texts go to a server on another machine.
    jobs : int, optional
        Worker processes (connections, for LanguageTool); default: what the machine has. Never changes a result.

    Returns
    -------
    Checker
        A context manager; its ``engine`` and ``fingerprint`` say what ``auto`` chose, before anything has started.

    Raises
    ------
    EngineMissing, EngineError, OptionError
    """
    require_one_of(language, LANGUAGES, what="The language to check")
    chosen = choose(name, server=server, language=language)
    module = import_module(ENGINES[chosen])
    checker: Checker = module.open_engine(language=language, server=server, allow_remote=allow_remote, jobs=jobs)
    return checker
