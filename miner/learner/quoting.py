"""How many words of a corpus may be quoted, as its licence says."""

from __future__ import annotations

import re
from dataclasses import dataclass

from miner.errors import OptionError

#: Quoted at most from a corpus that may not be passed on, where its licence names no number.
SHORT_QUOTATION = 99
_STATED = re.compile(r"quotations?\s+(below|under|of\s+at\s+most|up\s+to)\s+(\d+)\s+words", re.IGNORECASE)
_NO_EXTRACTS = re.compile(r"do not redistribute extracts", re.IGNORECASE)


@dataclass(frozen=True)
class Terms:
    """What may be quoted of a corpus.

    Parameters
    ----------
    corpus, licence : str
        Name and licence of the corpus.
    most_words : int or None
        Words of all examples together; None: no limit.
    why : str
        Where the limit comes from.
    """

    corpus: str
    licence: str
    most_words: int | None
    why: str


def quotation_terms(corpus: str, licence: str, *, redistribute: bool, most_words: int | None = None) -> Terms:
    """Return what may be quoted of a corpus.

    Parameters
    ----------
    corpus, licence : str
        As ``Corpus.name`` and ``Corpus.licence`` say.
    redistribute : bool
        ``Corpus.redistribute``: whether the texts may be passed on.
    most_words : int, optional
        The user's own limit; the smaller one holds.

    Returns
    -------
    Terms
        No limit where the texts may be passed on; else the number in the licence (*quotations below 100 words* allows 99);
        none at all where it forbids extracts; else :data:`SHORT_QUOTATION`.

    Raises
    ------
    OptionError
        If ``most_words`` is negative.
    """
    if most_words is not None and most_words < 0:
        msg = f"The words of examples must be 0 or more, got {most_words}"
        raise OptionError(msg)
    limit, why = _limit(licence, redistribute)
    if most_words is not None and (limit is None or most_words < limit):
        limit, why = most_words, "chosen for this run"
    return Terms(corpus, licence, limit, why)


def _limit(licence: str, redistribute: bool) -> tuple[int | None, str]:  # noqa: FBT001
    stated = _STATED.search(licence)
    if stated:
        number = int(stated[2])
        return max(number - (stated[1].lower() in ("below", "under")), 0), "as the licence says"
    if redistribute:
        return None, "the texts may be passed on"
    if _NO_EXTRACTS.search(licence):
        return 0, "the licence forbids extracts"
    return SHORT_QUOTATION, "the licence names no number: short quotations only"
