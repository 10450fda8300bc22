"""English names of languages by their ISO 639 code, for display beside the code."""

from __future__ import annotations

import re
from functools import lru_cache


@lru_cache(maxsize=1024)
def language_name(code: str) -> str:
    """Return the ISO 639 reference name without its note (``"el"`` → ``"Modern Greek"``), or an empty string.

    Several codes joined by ``;`` give several names.
    """
    import iso639  # reads its tables on import

    names = []
    for part in code.split(";"):
        try:
            found = iso639.Language.from_part1(part) if len(part) == 2 else iso639.Language.from_part3(part)
        except iso639.LanguageNotFoundError:
            return ""
        names.append(re.sub(r"\s*\(.*\)$", "", found.name))
    return "; ".join(names)
