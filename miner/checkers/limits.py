"""How long and how much memory one text may take, alike for all engines."""

from __future__ import annotations

#: Seconds that any text may take, and characters for each second more. A sentence of 10,000 words takes LanguageTool
#: 23 s and LingoTweaker 2 s; so much time is left that a busy machine does not change a result.
SECONDS, CHARACTERS_PER_SECOND = 120, 50
#: Memory that a worker may take beyond what it has when it starts, and the heap of a Java server.
MEMORY_BYTES = 2 * 1024**3


def seconds_for(text: str) -> int:
    """Return after how many seconds an engine is taken to hang on the text."""
    return SECONDS + len(text) // CHARACTERS_PER_SECOND
