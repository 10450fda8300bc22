"""The LanguageTool adapter against a small server that speaks its protocol, well and badly (no engine needed)."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

import pandas as pd
import pytest

pytest.importorskip("language_tool_python")

from miner.checkers import RawMatch, check_texts, open_checker
from miner.checkers.addresses import is_this_machine
from miner.errors import EngineError, OptionError
from miner.store import MemoryStore

Reply = tuple[int, object]
SOFTWARE = {"name": "LanguageTool", "version": "6.8", "buildDate": "2026-01-01", "premium": False}


def answer(*matches: dict[str, object], incomplete: bool = False, software: dict[str, object] = SOFTWARE) -> Reply:
    return 200, {"software": software, "warnings": {"incompleteResults": incomplete}, "matches": list(matches)}


def match(offset: int, length: int) -> dict[str, object]:
    rule = {"id": "RULE", "subId": "2", "issueType": "grammar", "category": {"id": "GRAMMAR"}}
    context = {"text": "", "offset": 0, "length": 0}
    return {"offset": offset, "length": length, "rule": rule, "message": "m", "replacements": [], "context": context}


class Served:
    """What a server was asked, and how it answers."""

    def __init__(self, reply: Callable[[str, int], Reply]) -> None:
        self.reply = reply
        self.fields: list[dict[str, list[str]]] = []
        self.counts: dict[str, int] = {}
        self.url = ""
        self.stop: Callable[[], None] = lambda: None


@contextmanager
def serving(reply: Callable[[str, int], Reply]) -> Iterator[Served]:
    served = Served(reply)
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

        def do_GET(self) -> None:
            self._send(200, [{"name": "English (US)", "code": "en", "longCode": "en-US"}])

        def do_POST(self) -> None:
            fields = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            text = fields["text"][0]
            with lock:
                served.fields.append(fields)
                served.counts[text] = served.counts.get(text, 0) + 1
                count = served.counts[text]
            self._send(*(answer() if text == "Hello." else served.reply(text, count)))

        def _send(self, status: int, body: object) -> None:
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            try:
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            except OSError:
                pass  # the client gave up waiting

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    stopped = threading.Event()

    def stop() -> None:
        if not stopped.is_set():
            stopped.set()
            server.shutdown()
            server.server_close()
            thread.join()

    served.url, served.stop = f"http://127.0.0.1:{server.server_port}", stop
    try:
        yield served
    finally:
        stop()


@contextmanager
def checker_of(reply: Callable[[str, int], Reply]) -> Iterator[tuple[object, Served]]:
    with serving(reply) as served, open_checker("languagetool", server=served.url, jobs=2) as checker:
        yield checker, served


def test_offsets_in_utf16_become_code_points() -> None:
    with checker_of(lambda *_: answer(match(7, 4), match(3, 3))) as (checker, _):
        (result,) = checker.check_units(["\U0001f600 She have it."])
    assert result.matches == (
        RawMatch(2, 5, "RULE", "2", "GRAMMAR", "grammar"),
        RawMatch(6, 10, "RULE", "2", "GRAMMAR", "grammar"),
    )


def test_only_text_and_language_are_sent() -> None:
    with checker_of(lambda *_: answer()) as (checker, served):
        checker.check_units(["She has it."])
        assert checker.engine == "languagetool-6.8"
    assert all(set(f) == {"text", "language"} for f in served.fields)
    assert served.fields[-1]["language"] == ["en-US"]


def test_incomplete_results_make_the_text_incomplete_not_clean() -> None:
    store = MemoryStore()
    texts = pd.DataFrame({"text_id": ["a", "b"], "text": ["She have it.", "It is fine."]})
    with checker_of(lambda text, _: answer(match(4, 4), incomplete=text.startswith("She"))) as (checker, served):
        result = check_texts(texts, checker, store=store)
        assert result.checked["status"].tolist() == ["incomplete", "checked"]
        assert "incompleteResults" in result.checked["reason"][0]
        assert result.matches["text_id"].tolist() == ["b"]
        check_texts(texts, checker, store=store)
    assert (served.counts["She have it."], served.counts["It is fine."]) == (2, 1)


def test_an_error_is_tried_once_more_and_then_told_without_the_text() -> None:
    def reply(text: str, count: int) -> Reply:
        bad = text.startswith("Always") or (text.startswith("Once") and count == 1)
        return (500, f"Error: Internal Error: {text}".encode()) if bad else answer(match(0, 4))

    with checker_of(reply) as (checker, served):
        results = checker.check_units(["Always secret.", "Once bad.", "Never bad."])
    assert [bool(r.reason) for r in results] == [True, False, False]
    assert results[0].reason == "the server answered with an error, twice"
    assert [len(r.matches) for r in results] == [0, 1, 1]
    assert (served.counts["Always secret."], served.counts["Once bad."], served.counts["Never bad."]) == (2, 2, 1)


@pytest.mark.parametrize(
    ("status", "body", "reason", "times"),
    [
        (
            413,
            b"Error: Your text exceeds the limit of 20 characters (it's 30 characters).",
            "longer than the server",
            1,
        ),
        (200, b"<html>a portal</html>", "error, twice", 2),
        (200, {"software": SOFTWARE}, "not LanguageTool's, twice", 2),
        (200, [1, 2], "not LanguageTool's, twice", 2),
        (200, {"software": SOFTWARE, "matches": [match(400, 5)]}, "not LanguageTool's, twice", 2),
    ],
)
def test_what_is_no_result_is_never_clean(status, body, reason, times) -> None:
    with checker_of(lambda *_: (status, body)) as (checker, served):
        (result,) = checker.check_units(["She have it."])
    assert reason in result.reason
    assert not result.matches
    assert served.counts["She have it."] == times


def test_a_server_that_takes_too_long_leaves_the_text_incomplete(monkeypatch) -> None:
    def reply(text: str, count: int) -> Reply:
        if text.startswith("Slow"):
            time.sleep(1.5)
        return answer()

    monkeypatch.setattr("miner.checkers.limits.SECONDS", 1)
    with checker_of(reply) as (checker, served):
        slow, quick = checker.check_units(["Slow one.", "Quick one."])
    assert slow.reason == "no answer within 1 seconds, twice"
    assert not quick.reason
    assert (served.counts["Slow one."], served.counts["Quick one."]) == (2, 1)


def test_a_server_that_is_gone_is_an_error_that_says_what_to_do() -> None:
    with serving(lambda *_: answer()) as served, open_checker("languagetool", server=served.url) as checker:
        served.stop()
        with pytest.raises(EngineError, match=f"{served.url} does not answer"):
            checker.check_units(["She have it."])
    with pytest.raises(EngineError, match="does not answer"):
        open_checker("languagetool", server=served.url)


def test_results_of_a_server_that_changes_its_version_are_not_mixed() -> None:
    with checker_of(lambda *_: answer()) as (checker, served):
        checker.fingerprint = "another"
        served.reply = lambda *_: (500, b"Error")
        with pytest.raises(EngineError, match="became another LanguageTool"):
            checker.check_units(["She have it."])


def test_servers_have_fingerprints_of_their_own() -> None:
    with checker_of(lambda *_: answer()) as (one, _), checker_of(lambda *_: answer()) as (other, _):
        assert one.fingerprint != other.fingerprint


def test_no_proxy_stands_between_this_machine_and_itself(monkeypatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with checker_of(lambda *_: answer(match(0, 3))) as (checker, _):
        assert len(checker.check_units(["She has."])[0].matches) == 1


@pytest.mark.parametrize("jobs", [1, 2, 8])
def test_the_number_of_connections_changes_nothing(jobs) -> None:
    units = [f"{'x' * (i % 7)} unit {i}" for i in range(60)]
    with (
        serving(lambda text, _: answer(match(len(text) - 2, 2))) as served,
        open_checker("languagetool", server=served.url, jobs=jobs) as checker,
    ):
        results = checker.check_units(units)
    assert [r.matches[0].end for r in results] == [len(u) for u in units]


def test_texts_do_not_leave_this_machine_unless_allowed() -> None:
    with pytest.raises(OptionError, match=r"192\.0\.2\.7 is not this machine: every text .* --allow-remote"):
        open_checker("languagetool", server="http://192.0.2.7:8081")


@pytest.mark.parametrize("url", ["http://localhost:1", "http://127.0.0.1:1", "http://127.8.8.8", "http://[::1]:1"])
def test_loopback_is_this_machine(url) -> None:
    assert is_this_machine(url)


@pytest.mark.parametrize("url", ["http://192.0.2.7:1", "http://no-such-host.invalid"])
def test_others_are_not(url) -> None:
    assert not is_this_machine(url)


@pytest.mark.parametrize("url", ["ftp://localhost", "http://", "localhost:8081/?key=1"])
def test_a_bad_url_is_refused_with_a_good_one(url) -> None:
    with pytest.raises(OptionError, match="http://localhost:8081"):
        open_checker("languagetool", server=url)


def test_a_server_goes_with_languagetool_only() -> None:
    with pytest.raises(OptionError, match="goes with the checker 'languagetool'"):
        open_checker("lingotweaker", server="http://localhost:8081")


@pytest.mark.parametrize("path", ["", "/", "/v2", "/v2/"])
def test_the_version_may_stand_in_the_url(path) -> None:
    with serving(lambda *_: answer()) as served, open_checker(server=served.url + path) as checker:
        assert checker.engine == "languagetool-6.8"


def test_a_language_that_the_server_lacks_is_named() -> None:
    with serving(lambda *_: answer()) as served, pytest.raises(OptionError, match="does not know the language 'en-ZA'"):
        open_checker("languagetool", server=served.url, language="en-ZA")
