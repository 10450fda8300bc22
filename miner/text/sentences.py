"""One sentence splitter for all engines: ``sentencex`` (Wikimedia; linear, offsets in code points, many languages)."""

from __future__ import annotations

from importlib.metadata import version

import sentencex

from miner.text.signs import storable

#: What a signature says about sentence splitting.
SPLITTER_ID = f"sentencex-{version('sentencex')}-en"


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Return start and end (code points, end exclusive) of each sentence, in order, without outer white space.

    Spans do not overlap and hold every character that is not white space. A blank line ends a sentence, a single line
    break does not. Stretches of white space alone are no sentence.
    """
    spans = []
    for boundary in sentencex.get_sentence_boundaries("en", storable(text)):
        start, end = boundary["start_index"], boundary["end_index"]
        part = text[start:end]
        stripped = part.strip()
        if stripped:
            start += len(part) - len(part.lstrip())
            spans.append((start, start + len(stripped)))
    return spans
