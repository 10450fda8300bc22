"""LanguageTool itself, through language-tool-python (GPL-3: an extra, imported here and nowhere else).

Whole texts go to one server over several connections, one language-tool-python client per thread. Its ``check()``
drops the server's note that a result is incomplete, so the answer is read as the server gave it.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from typing import Any, Self

from miner.checkers import limits
from miner.checkers.addresses import checked_url, is_this_machine
from miner.checkers.base import EngineIdentity, RawMatch, UnitResult, completed, cores, incomplete, map_longest_first
from miner.checkers.installed import version_and_digest
from miner.checkers.local_server import Installation, LocalServer, find_installation, require_installation
from miner.checkers.provision import HOW, java_command
from miner.checkers.registry import EngineInfo
from miner.errors import EngineError, EngineMissing, InputError, OptionError
from miner.text import utf16_to_codepoints

NAME = "languagetool"
_PACKAGE = "language_tool_python"
#: Counts changes in how the server is set up and its answers are read; part of the fingerprint, as they change results.
_READING = "1"
#: For requests, None means: not even the proxy that the environment names.
_NO_PROXY = {"http": None, "https": None, "all": None}


def _find() -> str:
    try:
        installation = find_installation() if find_spec(_PACKAGE) else None
        return installation.version if installation and java_command() else ""
    except EngineError:
        return ""


INFO = EngineInfo(
    NAME,
    "LGPL-2.1 (its client language-tool-python: GPL-3.0)",
    "the original, on any platform; brings its own Java",
    HOW,
    _find,
)


def identify(*, language: str = "en-US", server: str | None = None, allow_remote: bool = False) -> EngineIdentity:
    """Return which LanguageTool would check: the installed one, by its files, or the one that ``server`` names, by asking it.

    Raises
    ------
    EngineMissing, EngineError, OptionError
        As :class:`LanguageTool`.
    """
    if server is None:
        return _identify_installed(require_installation(), language)
    with LanguageTool(language=language, server=server, allow_remote=allow_remote, jobs=1) as checker:
        return EngineIdentity(NAME, checker.version, checker.fingerprint, language)


def open_engine(
    *, language: str = "en-US", server: str | None = None, allow_remote: bool = False, jobs: int | None = None
) -> LanguageTool:
    """Return the engine; a local server starts with the first check, one that ``server`` names is asked who it is."""
    return LanguageTool(language=language, server=server, allow_remote=allow_remote, jobs=jobs)


class LanguageTool:
    """A LanguageTool server and the connections to it; see :class:`miner.checkers.base.Checker`.

    Parameters
    ----------
    language : str
        Variety to check; a mother tongue is never set (it would switch rules on by learner).
    server : str, optional
        URL of a running server; default: a child process of this one.
    allow_remote : bool
        Let texts go to a server on another machine.
    jobs : int, optional
        Connections; default: two per core (the server uses one core per request).

    Raises
    ------
    EngineMissing
        If language-tool-python, LanguageTool or Java is not installed.
    OptionError
        If the server is another machine and ``allow_remote`` is not set, or it does not know the language.
    EngineError
        If a given server does not answer.
    """

    name = NAME

    def __init__(
        self, *, language: str = "en-US", server: str | None = None, allow_remote: bool = False, jobs: int | None = None
    ) -> None:
        if find_spec(_PACKAGE) is None:
            msg = (
                f"The checker 'languagetool' needs language-tool-python: pip install 'miner[languagetool]', then {HOW}"
            )
            raise EngineMissing(msg)
        self.language = language
        self._given = checked_url(server, allow_remote=allow_remote) if server is not None else ""
        self._proxies = None if self._given and not is_this_machine(self._given) else _NO_PROXY
        self._local: LocalServer | None = None
        self._lock = threading.Lock()
        self._clients = threading.local()
        self._pool = ThreadPoolExecutor(max(2, jobs or 2 * cores()), thread_name_prefix=NAME)
        try:
            self._set_identity()
        except BaseException:
            self.close()
            raise

    def _set_identity(self) -> None:
        if self._given:
            version, self.fingerprint = self._ask_identity()
        else:
            installation = require_installation()
            self._local = LocalServer(installation)
            identity = _identify_installed(installation, self.language)
            version, self.fingerprint = identity.version, identity.fingerprint
        self.version = version
        self.engine = f"{NAME}-{version}"

    @property
    def url(self) -> str:
        """Where the texts go."""
        return self._local.url if self._local else self._given

    def check_units(self, units: Sequence[str]) -> list[UnitResult]:
        """Check each unit on its own, over all connections.

        What fails for another reason than its length is checked once more, alone and, where it hung or died, by a fresh
        server, so that a text that brings the server down takes no other text with it.

        Raises
        ------
        EngineError
            If the server does not start, or does not come back.
        OptionError
            If it does not know the language.
        """
        if units:
            self._start()
        results = map_longest_first(self._pool, self._check, units)
        hung = any(isinstance(r, _Trouble) and r.hung for r in results)
        for i, result in enumerate(results):
            if isinstance(result, _Trouble):
                self._renew() if hung else self._revive()
                again = self._check(units[i])
                hung = isinstance(again, _Trouble) and again.hung
                results[i] = incomplete(f"{again.what}, twice") if isinstance(again, _Trouble) else again
        if hung:
            self._renew()
        return [r for r in results if isinstance(r, UnitResult)]

    def close(self) -> None:
        """End the server if it is a child of this process, and the threads."""
        if self._local:
            self._local.close()  # first: it ends the requests that threads wait for
        self._pool.shutdown(wait=True, cancel_futures=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _check(self, unit: str) -> UnitResult | _Trouble:
        if not unit:
            return completed([])
        try:
            answer = self._ask(unit)
        except UnicodeEncodeError:
            return incomplete("the text holds a lone surrogate, which no encoding can carry")
        except _Unanswered as err:
            return incomplete(err.what) if err.final else _Trouble(err.what, hung=err.hung)
        if answer.get("warnings", {}).get("incompleteResults"):
            return incomplete("LanguageTool gave up before the end of the text (incompleteResults)")
        try:
            return completed(_raw_matches(unit, answer["matches"]))
        except (KeyError, TypeError, AttributeError, InputError):
            return _Trouble("the server's answer is not LanguageTool's")

    def _ask(self, unit: str) -> dict[str, Any]:
        client = getattr(self._clients, "client", None)
        if client is None or client.miner_url != self.url:
            client = self._clients.client = _client(self.url, self.language, self._proxies)
        answer: dict[str, Any] = client.ask(unit, limits.seconds_for(unit))
        return answer

    def _start(self) -> None:
        with self._lock:
            if self._local and not self._local.started:
                self._local.start()
                self._require_same()

    def _revive(self) -> None:
        # A given server is not ours to start; asking who it is tells whether it is still there.
        if self._local is None:
            self._require_same()
        elif not self._local.is_well():
            self._local.start()

    def _renew(self) -> None:
        # What took too long still runs in there and would slow down all that follows.
        if self._local:
            self._local.start()
        else:
            self._require_same()

    def _require_same(self) -> None:
        version, fingerprint = self._ask_identity()
        if version != self.version or (self._given and fingerprint != self.fingerprint):
            what = "became another LanguageTool during the run" if self._given else f"is not version {self.version}"
            msg = f"The server at {self.url} {what}; start again"
            raise EngineError(msg)

    def _ask_identity(self) -> tuple[str, str]:
        try:
            software = self._ask("Hello.").get("software", {})
        except _Unanswered as err:
            way = "try again, or with fewer --jobs" if self._local else "start it, or leave --server out"
            msg = f"The LanguageTool server at {self.url} does not answer ({err.what}); {way}"
            raise EngineError(msg) from err
        facts = [str(software.get(k, "")) for k in ("name", "version", "buildDate", "premium")]
        if not facts[0] or not facts[1]:
            msg = f"{self.url} answers, but not as a LanguageTool server; check the URL"
            raise EngineError(msg)
        # A given server may have other settings (n-grams, own rules) that it does not tell: its results stay apart.
        return facts[1], _fingerprint(*facts, self._given)


def _identify_installed(installation: Installation, language: str) -> EngineIdentity:
    version, digest = version_and_digest(installation)
    return EngineIdentity(NAME, version, _fingerprint("installed", version, digest, _READING), language)


def _fingerprint(*facts: str) -> str:
    return hashlib.blake2b(json.dumps(facts).encode(), digest_size=8).hexdigest()


class _Trouble:
    """A unit to be tried once more, and why."""

    def __init__(self, what: str, *, hung: bool = False) -> None:
        self.what = what
        self.hung = hung


class _Unanswered(Exception):
    """No usable answer; ``final`` when asking again would give the same, ``hung`` when it took too long."""

    def __init__(self, what: str, *, final: bool = False, hung: bool = False) -> None:
        super().__init__(what)
        self.what = what
        self.final = final
        self.hung = hung


def _raw_matches(unit: str, found: list[dict[str, Any]]) -> list[RawMatch]:
    starts = utf16_to_codepoints(unit, [m["offset"] for m in found])
    ends = utf16_to_codepoints(unit, [m["offset"] + m["length"] for m in found])
    return [
        RawMatch(
            int(start),
            int(end),
            m["rule"]["id"],
            m["rule"].get("subId") or "",
            m["rule"].get("category", {}).get("id") or "",
            m["rule"].get("issueType") or "",
        )
        for m, start, end in zip(found, starts, ends, strict=True)
    ]


def _client(url: str, language: str, proxies: dict[str, None] | None) -> Any:
    import language_tool_python
    import requests

    class Client(language_tool_python.LanguageTool):
        """language-tool-python's client that returns whole answers, tries once, and waits by length."""

        miner_url = url

        def ask(self, text: str, seconds: int) -> dict[str, Any]:
            self._TIMEOUT = seconds  # type: ignore[assignment]
            try:
                answer = self._query_server(f"{self._url}check", self._create_params(text), 1, "post")
            except language_tool_python.exceptions.LanguageToolError as err:
                # The message may quote the text, so only its kind is passed on.
                if isinstance(err.__cause__, requests.exceptions.Timeout):
                    what = f"no answer within {seconds} seconds"
                    raise _Unanswered(what, hung=True) from None
                if "exceeds the limit" in str(err) or "too long" in str(err).lower():
                    what = "the text is longer than the server accepts"
                    raise _Unanswered(what, final=True) from None
                broken = isinstance(err.__cause__, requests.exceptions.RequestException)
                decoding = isinstance(err.__cause__, requests.exceptions.JSONDecodeError)
                what = "the server answered with an error" if decoding or not broken else "the connection broke"
                raise _Unanswered(what) from None
            if not isinstance(answer, dict):
                what = "the server's answer is not LanguageTool's"
                raise _Unanswered(what)
            return answer

    try:
        client = Client(language, remote_server=url + "/", proxies=proxies)  # type: ignore[arg-type]
        understood = str(client.language)
    except ValueError:
        understood = "no language like it"
    except (language_tool_python.exceptions.LanguageToolError, AttributeError, TypeError) as err:
        what = f"no list of languages: {type(err).__name__}"
        raise _Unanswered(what) from None
    if understood != language:  # language-tool-python takes 'en' where a server lacks 'en-ZA'
        msg = f"The LanguageTool server at {url} does not know the language {language!r}; it offers {understood!r}"
        raise OptionError(msg)
    return client
