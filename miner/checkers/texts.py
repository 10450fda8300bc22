"""Check texts: each unit once, whatever is cached not at all, results in code points of ``texts.text``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from miner.checkers.base import Checker, EngineIdentity, RawMatch, UnitResult
from miner.errors import EngineError, require_one_of
from miner.ledger import Ledger
from miner.store import MemoryStore, Store, content_key
from miner.tables import CHECKED, MATCHES, conform
from miner.text import SPLITTER_ID, View, n_words, split_sentences, storable, view

if TYPE_CHECKING:
    import pandas as pd

Mode = Literal["text", "sentence"]
#: Results of checks lie in namespaces under this one, one for each engine and rule set.
NAMESPACE = "check"
NO_WORDS = "no words"
#: Units and characters of one batch: what is held beside the results, and lost when a run is killed.
BATCH_UNITS, BATCH_CHARACTERS = 1024, 400_000


@dataclass(frozen=True)
class Checked:
    """What a checker found in texts.

    Parameters
    ----------
    matches, checked : DataFrame
        The tables ``matches`` (of wholly checked texts) and ``checked`` (every text, with its status).
    ledger : Ledger
        Texts read, checked, and not checked with reasons.
    engine, fingerprint, language, mode : str
        What decides the result; see :class:`miner.checkers.base.Checker`.
    """

    matches: pd.DataFrame
    checked: pd.DataFrame
    ledger: Ledger
    engine: str
    fingerprint: str
    language: str
    mode: Mode

    @property
    def signature_parts(self) -> dict[str, str | None]:
        """Parts for a signature: engine with its fingerprint and language, mode and sentence splitter."""
        split = SPLITTER_ID if self.mode == "sentence" else None
        return {"check": f"{self.engine}#{self.fingerprint}:{self.language}", "mode": self.mode, "split": split}


@dataclass
class _Text:
    """A text on its way: its view, its units in view offsets, and what became of each unit."""

    text_id: str
    seen: View
    units: list[tuple[int, int]]
    results: list[UnitResult] = field(default_factory=list)

    @property
    def strings(self) -> list[str]:
        return [self.seen.text[a:b] for a, b in self.units]


def check_texts(
    texts: pd.DataFrame,
    checker: Checker,
    *,
    mode: Mode = "text",
    store: Store | None = None,
    with_text: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Checked:
    """Check all texts of a table.

    Parameters
    ----------
    texts : DataFrame
        The table ``texts``; only ``text_id`` and ``text`` are read.
    checker : Checker
        An open engine.
    mode : {"text", "sentence"}
        ``text`` gives each text to the engine as a whole. ``sentence`` gives it each sentence of miner's splitter on
        its own, without outer white space.
    store : Store, optional
        Results by content of the unit, engine fingerprint and language; default: for this call only. It never holds
        text, and never the result of a unit that was not wholly checked.
    with_text : bool
        Add the column ``surface``, the text under each match (off: no corpus text leaves this function).
    progress : callable, optional
        Called with (texts done, texts in all).

    Returns
    -------
    Checked
        A text without words is skipped; a text of which any unit could not be wholly checked is incomplete, with the
        reason, and has no matches at all: half a check would look like few errors.

    Raises
    ------
    EngineError
        If the engine stops working altogether.
    """
    require_one_of(mode, get_args(Mode), what="The checking mode")
    ids, strings = texts["text_id"].tolist(), texts["text"].tolist()
    session = _Session(checker, store if store is not None else MemoryStore())
    ledger = Ledger("check", "texts")
    matches: list[tuple[object, ...]] = []
    statuses: list[dict[str, object]] = []
    done = 0
    for batch in _batches(ids, strings, mode):
        session.check(batch)
        for item in batch:
            _settle(item, ledger, statuses, matches, mode)
        done += len(batch)
        if progress:
            progress(done, len(ids))
    by_id = dict(zip(ids, strings, strict=True)) if with_text else None
    frame = _match_frame(matches, checker.engine, by_id)
    return Checked(
        frame, conform(statuses, CHECKED), ledger, checker.engine, checker.fingerprint, checker.language, mode
    )


class _Session:
    """One checker with one store: a unit is asked for once, even where it fails."""

    def __init__(self, checker: Checker, store: Store) -> None:
        self._checker = checker
        self._store = store
        self._namespace = check_namespace(checker)
        self._failed: dict[str, UnitResult] = {}

    def check(self, batch: list[_Text]) -> None:
        """Fill in the results of all units of the batch."""
        keyed = [[(self._key(unit), unit) for unit in item.strings] for item in batch]
        by_key = {key: unit for pairs in keyed for key, unit in pairs}
        known = {k: _decoded(v) for k, v in self._store.get_many(self._namespace, list(by_key)).items()}
        known.update({k: self._failed[k] for k in by_key if k in self._failed})
        todo = [k for k in by_key if k not in known]
        if todo:
            results = self._checker.check_units([by_key[k] for k in todo])
            fresh = dict(zip(todo, results, strict=True))
            self._store.put_many(self._namespace, {k: _encoded(r) for k, r in fresh.items() if not r.reason})
            self._failed.update({k: r for k, r in fresh.items() if r.reason})
            known.update(fresh)
        for item, pairs in zip(batch, keyed, strict=True):
            item.results = [known[key] for key, _ in pairs]

    def _key(self, unit: str) -> str:
        return content_key(self._checker.fingerprint, self._checker.language, unit)


def check_namespace(engine: Checker | EngineIdentity) -> str:
    """Return the namespace of a store that holds what this engine with these rules found."""
    return f"{NAMESPACE}/{engine.engine}#{engine.fingerprint}"


def same_engine(*parts: Checked) -> tuple[str, str]:
    """Return engine and fingerprint that all parts share.

    Raises
    ------
    EngineError
        If the parts were made by different engines, rule sets, languages or modes.
    """
    kinds = sorted({(p.engine, p.fingerprint, p.language, p.mode) for p in parts})
    if len(kinds) != 1:
        told = "; ".join(f"{e} (rules {f}, {lang}, {m} mode)" for e, f, lang, m in kinds)
        msg = f"Results of different checks cannot be put together: {told or 'none given'}; check all texts with one of them"
        raise EngineError(msg)
    return kinds[0][0], kinds[0][1]


def _batches(ids: list[str], strings: list[str], mode: Mode) -> Iterator[list[_Text]]:
    batch: list[_Text] = []
    n_units = n_characters = 0
    for text_id, string in zip(ids, strings, strict=True):
        seen = view(string)
        units = _units(seen.text, mode)
        batch.append(_Text(text_id, seen, units))
        n_units += len(units)
        n_characters += len(seen.text)
        if n_units >= BATCH_UNITS or n_characters >= BATCH_CHARACTERS or len(batch) >= BATCH_UNITS:
            yield batch
            batch, n_units, n_characters = [], 0, 0
    if batch:
        yield batch


def _units(text: str, mode: Mode) -> list[tuple[int, int]]:
    if not n_words(text):
        return []
    return [(0, len(text))] if mode == "text" else split_sentences(text)


def _settle(
    item: _Text, ledger: Ledger, statuses: list[dict[str, object]], matches: list[tuple[object, ...]], mode: Mode
) -> None:
    reasons = sorted({r.reason for r in item.results if r.reason})
    found: list[tuple[object, ...]] = []
    if not item.units:
        status, reason = "skipped", NO_WORDS
        ledger.drop(NO_WORDS, place=item.text_id)
    elif reasons:
        n_failed = sum(bool(r.reason) for r in item.results)
        part = f"{n_failed} of {len(item.units)} sentences: " if mode == "sentence" else ""
        status, reason = "incomplete", part + "; ".join(reasons)
        ledger.drop("incomplete: " + "; ".join(reasons), place=item.text_id)
    else:
        status, reason = "checked", ""
        ledger.keep()
        for (unit_start, _), result in zip(item.units, item.results, strict=True):
            for m in result.matches:
                start, end = item.seen.to_original(unit_start + m.start, unit_start + m.end)
                found.append((item.text_id, start, end, *m[2:]))
        matches.extend(found)
    n = len(found) if status == "checked" else None
    statuses.append({"text_id": item.text_id, "status": status, "reason": reason, "n_matches": n})


def _match_frame(matches: list[tuple[object, ...]], engine: str, by_id: dict[str, str] | None) -> pd.DataFrame:
    import pandas as pd

    frame = pd.DataFrame(matches, columns=["text_id", *RawMatch._fields])
    frame["engine"] = engine
    key = [c for c in MATCHES.key if c != "n_same"]
    frame["n_same"] = frame.groupby(key, sort=False).cumcount() + 1
    if by_id is not None:
        rows = zip(frame["text_id"], frame["start"], frame["end"], strict=True)
        frame["surface"] = [storable(by_id[text_id][start:end]) for text_id, start, end in rows]
    return conform(frame, MATCHES)


def _encoded(result: UnitResult) -> bytes:
    return json.dumps([list(m) for m in result.matches], separators=(",", ":"), ensure_ascii=False).encode()


def _decoded(value: bytes) -> UnitResult:
    return UnitResult(tuple(RawMatch(*m) for m in json.loads(value)))
