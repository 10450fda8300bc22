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

from miner.checkers.addresses import checked_url, is_this_machine
from miner.checkers.base import RawMatch, UnitResult, completed, cores, incomplete, map_longest_first
from miner.checkers.local_server import LocalServer, find_installation
from miner.checkers.provision import HOW, java_command
from miner.checkers.registry import EngineInfo
from miner.errors import EngineError, EngineMissing, InputError, OptionError
from miner.text import utf16_to_codepoints

NAME = "languagetool"
_PACKAGE = "language_tool_python"
#: A request may take 120 seconds and one more for each 50 characters (a sentence of 10,000 words took 23 s), so that a
#: busy machine does not change a result.
_SECONDS, _CHARACTERS_PER_SECOND = 120, 50
_NO_ANSWER = "no answer"
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


def open_engine(
    *, language: str = "en-US", server: str | None = None, allow_remote: bool = False, jobs: int | None = None
) -> LanguageTool:
    """Start a local server, or connect to the one that ``server`` names."""
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
        If the server does not start or answer.
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
        self._local = None if self._given else LocalServer()
        self._clients = threading.local()
        self._pool = ThreadPoolExecutor(max(2, jobs or 2 * cores()), thread_name_prefix=NAME)
        try:
            self._read_identity()
        except BaseException:
            self.close()
            raise

    @property
    def url(self) -> str:
        """Where the texts go."""
        return self._local.url if self._local else self._given

    def check_units(self, units: Sequence[str]) -> list[UnitResult]:
        """Check each unit on its own, over all connections.

        What fails for another reason than its length is checked once more, alone, so that a text that brings the
        server down takes no other text with it.

        Raises
        ------
        EngineError
            If the server does not come back.
        """
        results = map_longest_first(self._pool, self._check, units)
        for i, result in enumerate(results):
            if isinstance(result, _Trouble):
                self._revive()
                again = self._check(units[i])
                results[i] = incomplete(f"{again.what}, twice") if isinstance(again, _Trouble) else again
        settled = [r for r in results if isinstance(r, UnitResult)]
        if any(r.reason.startswith(_NO_ANSWER) for r in settled):
            self._renew()
        return settled

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
            return incomplete(err.what) if err.final else _Trouble(err.what)
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
        answer: dict[str, Any] = client.ask(unit, _SECONDS + len(unit) // _CHARACTERS_PER_SECOND)
        return answer

    def _revive(self) -> None:
        # A given server is not ours to start; asking who it is tells whether it is still there.
        if self._local is None:
            self._read_identity()
        elif not self._local.is_well():
            self._local.start()

    def _renew(self) -> None:
        # What took too long still runs in there and would slow down all that follows.
        if self._local:
            self._local.start()
        else:
            self._read_identity()

    def _read_identity(self) -> None:
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
        line = json.dumps([*facts, self._given])
        fingerprint = hashlib.blake2b(line.encode(), digest_size=8).hexdigest()
        if getattr(self, "fingerprint", fingerprint) != fingerprint:
            msg = f"The server at {self.url} became another LanguageTool during the run; start again"
            raise EngineError(msg)
        self.version = facts[1]
        self.engine = f"{NAME}-{self.version}"
        self.fingerprint = fingerprint


class _Trouble:
    """A unit to be tried once more, and why."""

    def __init__(self, what: str) -> None:
        self.what = what


class _Unanswered(Exception):
    """No usable answer; ``final`` when asking again would give the same."""

    def __init__(self, what: str, *, final: bool = False) -> None:
        super().__init__(what)
        self.what = what
        self.final = final


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
                    what = f"{_NO_ANSWER} within {seconds} seconds"
                    raise _Unanswered(what, final=True) from None
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
