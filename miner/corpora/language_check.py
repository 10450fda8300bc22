"""Is a text in English? Deterministic (py3langid); says "cannot tell" below a length."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Any, Literal, NamedTuple

#: English-based varieties that learner English is easily taken for.
ENGLISH = frozenset({"en", "pcm", "sco", "jam"})
#: Letters (a Chinese, Japanese or Korean one counts three times) below which nothing is said.
LEAST_LETTERS = 20
_CERTAIN = 0.5
# A stretch is looked at closely if it is not almost certainly English; then windows of four words.
_STRETCH, _SUSPICIOUS = 16, 0.999
_WINDOW, _FOREIGN = 4, 0.4

# Common English words that are rare in texts of other languages.
_COMMON = frozenset(
    [
        "the",
        "and",
        "of",
        "my",
        "with",
        "that",
        "they",
        "because",
        "have",
        "this",
        "are",
        "you",
        "it",
        "but",
        "from",
        "not",
        "she",
        "he",
        "there",
        "which",
        "would",
        "your",
    ]
)
_COMMON_LEAST, _COMMON_SHARE = 5, 0.15

Verdict = Literal["english", "mixed", "other", "cannot_tell"]


class Found(NamedTuple):
    """The verdict and, for ``other`` and ``mixed``, the language (ISO 639) that was found."""

    verdict: Verdict
    language: str = ""


def language_of(text: str, *, stretches: bool = True) -> Found:
    """Tell whether a text is in English.

    Without ``stretches`` nothing is ``mixed``, and a text with enough common English words is English at once.

    ``other``: another language is more likely than English and all others together; ``mixed``: English, with a stretch
    of four or more words of another language; ``cannot_tell``: fewer than 20 letters, or no language stands out.
    """
    if _letters(text) < LEAST_LETTERS:
        return Found("cannot_tell")
    if not stretches and _plainly_english(text):
        return Found("english")
    ranked: list[tuple[str, float]] = _identifier().rank(text)
    english = sum(p for language, p in ranked if language in ENGLISH)
    best, p = ranked[0]
    if best not in ENGLISH and p + english > 0 and english < _CERTAIN:
        return Found("other", best) if p >= _CERTAIN else Found("cannot_tell")
    foreign = _stretch(text.split()) if stretches else ""
    return Found("mixed", foreign) if foreign else Found("english")


def _plainly_english(text: str) -> bool:
    words = text.casefold().split()
    common = sum(w in _COMMON for w in words)
    return common >= _COMMON_LEAST and common >= _COMMON_SHARE * len(words)


def _letters(text: str) -> int:
    return sum(3 if unicodedata.category(c) == "Lo" and c >= "\u3000" else 1 for c in text if c.isalpha())


def _stretch(words: list[str]) -> str:
    """Return the language of the first two neighbouring windows of four words that are in it, or an empty string."""
    for start in range(0, max(len(words) - _WINDOW + 1, 1), _STRETCH):
        part = words[max(0, start - 2) : start + _STRETCH + 2]
        ranked = _identifier().rank(" ".join(part))
        if sum(p for language, p in ranked if language in ENGLISH) >= _SUSPICIOUS:
            continue
        before = ""
        for i in range(len(part) - _WINDOW + 1):
            language, p = _identifier().classify(" ".join(part[i : i + _WINDOW]))
            if language in ENGLISH or p < _FOREIGN:
                language = ""
            if language and language == before:
                return str(language)
            before = language
    return ""


@lru_cache(maxsize=1)
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # the model takes a moment to load

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
