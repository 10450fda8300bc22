"""The keys that a consumer knows, and which labels it serves: equal code points, or not at all."""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from miner.errors import InputError, listed

_QUOTES = dict.fromkeys(map(ord, "\u2018\u2019\u201b\u02bc\u02bb\u2032\u00b4`"), "'") | dict.fromkeys(
    map(ord, "\u201c\u201d\u201f\u2033"), '"'
)
_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-")
_FIELDS = ("key", "label", "feature", "grammar_error", "name")


@dataclass(frozen=True)
class KeyMatch:
    """Labels against a consumer's keys.

    Parameters
    ----------
    served : tuple of str
        Labels that are keys, code point for code point, in the order given.
    not_served : tuple of str
        The others, in the order given.
    near : dict of str to str
        For labels not served: the key that differs only in quotes, dashes, blanks, case or Unicode form, where there is
        exactly one.
    """

    served: tuple[str, ...]
    not_served: tuple[str, ...]
    near: dict[str, str]


def match_keys(labels: Iterable[str], keys: Sequence[str]) -> KeyMatch:
    """Match labels with keys.

    A near miss is told, not used: the consumer compares strings, and would drop the label without a word.
    """
    labels = list(labels)
    known = set(keys)
    folded: dict[str, set[str]] = {}
    for key in known:
        folded.setdefault(_fold(key), set()).add(key)
    missing = [v for v in labels if v not in known]
    near = {v: next(iter(folded[_fold(v)])) for v in missing if len(folded.get(_fold(v), ())) == 1}
    served = [v for v in labels if v in known]
    return KeyMatch(tuple(served), tuple(missing), near)


def _fold(label: str) -> str:
    text = unicodedata.normalize("NFKC", label.translate(_QUOTES | _DASHES))
    return " ".join(text.casefold().split())


def read_keys(path: Path | str) -> list[str]:
    """Read the keys that a consumer knows.

    Parameters
    ----------
    path : Path or str
        ``.json``: a list of strings, or of objects with one of the fields key, label, feature, grammar_error, name
        (Trans-EnV's guideline files are such lists); ``.jsonl``: one such item a line; ``.csv``, ``.tsv``: a column of
        one of these names, or the only column; anything else: one key a line, as it stands (blanks included).

    Returns
    -------
    list of str
        In file order, each once.

    Raises
    ------
    InputError
        If the file cannot be read as that, or holds no key.
    """
    path = Path(path)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as err:
        msg = f"The key list {path} cannot be read as UTF-8 ({err})"
        raise InputError(msg) from err
    try:
        keys = _parse(text, path.suffix.lower())
    except (ValueError, csv.Error) as err:
        msg = f"The key list {path} is not what its ending says: {err}"
        raise InputError(msg) from err
    if not keys:
        msg = f"The key list {path} holds no key"
        raise InputError(msg)
    return list(dict.fromkeys(keys))


def _parse(text: str, suffix: str) -> list[str]:
    if suffix == ".json":
        data = json.loads(text)
        if not isinstance(data, list):
            msg = f"expected a list of keys, got {type(data).__name__}"
            raise ValueError(msg)
        return [_key(item) for item in data]
    if suffix in (".jsonl", ".ndjson"):
        return [_key(json.loads(line)) for line in text.split("\n") if line.strip()]
    if suffix in (".csv", ".tsv"):
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter="\t" if suffix == ".tsv" else ","))
        return _column([r for r in rows if r])
    return [line.removesuffix("\r") for line in text.split("\n") if line.strip()]


def _column(rows: list[list[str]]) -> list[str]:
    if not rows:
        return []
    named = [i for i, name in enumerate(rows[0]) if name.strip().lower() in _FIELDS]
    if len(named) == 1:
        return [r[named[0]] for r in rows[1:] if len(r) > named[0]]
    if len(rows[0]) == 1 and not named:
        return [r[0] for r in rows]
    msg = f"expected one column of {listed(_FIELDS)}, got {listed(rows[0])}"
    raise ValueError(msg)


def _key(item: Any) -> str:
    if isinstance(item, dict):
        found = [item[f] for f in _FIELDS if isinstance(item.get(f), str)]
        item = found[0] if found else item
    if not isinstance(item, str):
        msg = f"expected strings or objects with one of {listed(_FIELDS)}, got {item!r:.80}"
        raise ValueError(msg)
    # Trans-EnV's dialect guidelines write a feature as '['name']' inside quotes.
    return item[3:-3] if item.startswith("'['") and item.endswith("']'") else item
