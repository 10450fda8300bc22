"""Native languages: codes and English names, in any case, to ISO 639 (639-1 where there is one, else 639-3)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from miner.corpora.bundled import bundled_rows

Status = Literal["known", "missing", "unknown"]

# 'nan', 'NA', 'null', 'None' and 'no' are no missing values here: three are language codes, two are labels to be asked about.
_MISSING = {"", "-", "?", "unknown", "n/a", "not given", "not known", "unspecified", "not stated", "#n/a"}
_SEVERAL = re.compile(r"\s*[;/|+&,]\s*|\s+and\s+", re.IGNORECASE)
_REGION = re.compile(r"([a-z]{2,3})[-_][a-z0-9]{2,8}(?:[-_][a-z0-9]+)*")
_PUNCTUATION = re.compile(r"[\s_-]+")


class Languages(NamedTuple):
    """Native languages of one learner.

    ``codes`` in the order given; ``status`` is ``unknown`` if any part is not a language, and then ``codes`` is empty.
    """

    codes: tuple[str, ...]
    status: Status

    @property
    def joined(self) -> str:
        """The codes joined by ``;``."""
        return ";".join(self.codes)


@lru_cache(maxsize=4096)
def parse_languages(raw: str) -> Languages:
    """Return the native language(s) that a label names.

    Parameters
    ----------
    raw : str
        An ISO 639 code (639-1, 639-2 B or T, 639-3; a region such as ``ar_LB`` is cut off), an English name, or several
        joined by ``;``, ``/``, ``,``, ``+``, ``&``, ``|`` or "and". Any case.

    Returns
    -------
    Languages
        ``nan`` is Min Nan, ``no`` Norwegian, ``NA`` Nauru; ``null`` and ``None`` are unknown labels, not missing ones.
    """
    label = _PUNCTUATION.sub(" ", raw.strip().casefold())
    if raw.strip().casefold() in _MISSING or label in _MISSING:
        return Languages((), "missing")
    whole = _one(raw)
    if whole:
        return Languages((whole,), "known")
    codes: list[str] = []
    for part in filter(None, _SEVERAL.split(raw.strip())):
        code = _one(part)
        if not code:
            return Languages((), "unknown")
        if code not in codes:
            codes.append(code)
    return Languages(tuple(codes), "known")


def _one(raw: str) -> str:
    names = _names()
    label = raw.strip().casefold()
    plain = _PUNCTUATION.sub(" ", label)
    found = names.get(label) or names.get(plain)
    if not found and (region := _REGION.fullmatch(label)):
        found = names.get(region[1])
    return found or ""


@lru_cache(maxsize=1)
def _names() -> dict[str, str]:
    """Return every known label in lower case with its code; codes win over names, aliases over both."""
    import iso639  # reads its tables on import

    names: dict[str, str] = {}
    living = [x for x in iso639.ALL_LANGUAGES if x.part3 and x.status != "R"]
    for language in living:
        code = language.part1 or language.part3
        for name in [language.name, *(n.print for n in language.other_names or [])]:
            label = name.casefold()
            names.setdefault(label, code)
            names.setdefault(_PUNCTUATION.sub(" ", label), code)
    for language in living:
        code = language.part1 or language.part3
        for part in (language.part3, language.part2b, language.part2t, language.part1):
            if part:
                names[part] = code
    names.update({row["name"]: row["code"] for row in bundled_rows("languages", "aliases.csv")})
    return names
