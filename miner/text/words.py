"""Words: white-space tokens with at least one letter or digit (``str.isalnum``)."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Anchored at the start of a token, so a long token without a letter costs one pass, not one per character.
_WORD = re.compile(r"(?<!\S)\S*?[^\W_]\S*")

# ASCII text: blanks become blanks, what is neither blank, letter nor digit goes, and what is left are words.
_ASCII = [chr(i) for i in range(128)]
_CLASSES = bytes(32 if i < 128 and chr(i).isspace() else i for i in range(256))
_NEITHER = bytes(i for i, c in enumerate(_ASCII) if not (c.isspace() or c.isalnum()))


def n_words(text: str) -> int:
    """Return the number of words; a token of punctuation, symbols or invisible characters alone is none.

    ``"42"`` is one word, ``"?!..."`` and ``""`` are none. Linear in the length of the text.
    """
    if text.isascii():
        return len(text.encode("ascii").translate(_CLASSES, _NEITHER).split())
    count = 0
    for token in text.split():
        if token[0].isalnum() or any(map(str.isalnum, token)):
            count += 1
    return count


def words(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end (code points) of each word, in order; as many as :func:`n_words` counts."""
    for match in _WORD.finditer(text):
        yield match.span()
