"""Names that people type: looked up exactly first, then across quotes, dashes, blanks, case and accents."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches

from miner.errors import OptionError, listed

_SINGLE = dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u02bc\u02bb\u02b9\u2032\u0060\u00b4"), "'")
_DOUBLE = dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb"), '"')
_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"), "-")
_FOLDS = _SINGLE | _DOUBLE | _DASHES


def fold(name: str) -> str:
    """Return the key under which names are equal up to quotes, dashes, blanks, case and the form of accents."""
    text = unicodedata.normalize("NFC", name).translate(_FOLDS)
    return unicodedata.normalize("NFC", re.sub(r"\s+", " ", text).strip().casefold())


def bare(name: str) -> str:
    """Return the name's letters and digits without accents: ``San Andres Creole`` finds ``San Andrés Creole``."""
    parts = unicodedata.normalize("NFD", fold(name))
    letters = "".join(c for c in parts if not unicodedata.combining(c) and c != "'")
    return " ".join(re.sub(r"[\W_]", " ", letters).split())


class NameIndex:
    """Looks names up: the exact form first, then :func:`fold`, then :func:`bare`; a form that two names share is no match.

    Parameters
    ----------
    names : sequence of str
        Official spellings; they are returned as they are.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._exact: dict[str, set[int]] = {}
        self._folded: dict[str, set[int]] = {}
        self._bare: dict[str, set[int]] = {}
        for i, name in enumerate(self.names):
            self._exact.setdefault(name, set()).add(i)
            self._folded.setdefault(fold(name), set()).add(i)
            self._bare.setdefault(bare(name), set()).add(i)

    def find(self, query: str) -> int | None:
        """Return the position of the name that ``query`` means; None when there is none or more than one."""
        for table, key in ((self._exact, query), (self._folded, fold(query)), (self._bare, bare(query))):
            if len(hits := table.get(key, set())) == 1:
                return next(iter(hits))
        return None

    def clashes(self) -> list[tuple[str, ...]]:
        """Return the groups of different names that fold to one key, in order; only their exact forms find them."""
        groups = (sorted(v) for v in self._folded.values() if len(v) > 1)
        return sorted(tuple(self.names[i] for i in g) for g in groups)


def hint(query: str, known: Sequence[str]) -> str:
    """Return ``"; did you mean 'x'?"`` for the nearest name, or an empty string.

    Words that many names share (``English``, ``Creole``) make no two names alike, so they are not compared. A name that
    has all other words of the query is the nearest; else the most similar one, if it is similar enough.
    """
    counts = Counter(w for name in set(known) for w in set(bare(name).split()))
    common = {w for w, n in counts.items() if n > max(4, len(set(known)) // 20)}
    own = {name: [w for w in bare(name).split() if w not in common] for name in known}
    wanted = [w for w in bare(query).split() if w not in common]
    if not wanted:
        return ""
    holding = [name for name in known if set(wanted) <= set(own[name])]
    by_form: dict[str, str] = {}
    for name in known:
        if own[name]:
            by_form.setdefault(" ".join(own[name]), name)
    close = get_close_matches(" ".join(wanted), list(by_form), n=1, cutoff=0.65)
    best = min(holding, key=len) if holding else by_form[close[0]] if close else None
    return "" if best is None else f"; did you mean '{best}'?"


def require(query: str, indexes: Sequence[NameIndex], *, what: str) -> int:
    """Return the position that ``query`` has in the first index that knows it.

    Raises
    ------
    OptionError
        If none knows it, or the name is ambiguous: with the nearest names.
    """
    for index in indexes:
        if (hit := index.find(query)) is not None:
            return hit
    known = [n for index in indexes for n in index.names]
    alike = sorted({n for index in indexes for g in index.clashes() for n in g if fold(n) == fold(query)})
    more = f"; it could be {listed(alike)}: give the exact form" if alike else hint(query, known)
    msg = f"{what} must be an id, abbreviation or name of the ratings table. Got {query!r} instead{more}"
    raise OptionError(msg)
