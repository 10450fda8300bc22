"""Characters that no reader sees: those XML forbids, and invisible format characters; counted by name."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field

#: Not allowed in XML 1.0 (production 2): controls but tab and line breaks, surrogates, U+FFFE and U+FFFF.
XML_INVALID = "\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff"
#: Invisible format characters, joiners and emoji tags apart: soft hyphen, zero-width space, bidi marks, byte order mark...
INVISIBLE = "\xad\u034f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0001"
JOINERS = "\u200c\u200d"
TAGS = "\U000e0020-\U000e007f"

_ANY = re.compile(f"[{XML_INVALID}{INVISIBLE}{JOINERS}{TAGS}]")
_INVALID = re.compile(f"[{XML_INVALID}]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_TAG_SIGNS = "".join(map(chr, range(0xE0020, 0xE007F)))
#: A flag is U+1F3F4 and at most seven tag characters.
_FLAG = 8
_JOINED = {"So", "Sk", "Mn", "Mc", "Me", "Lo"}


@dataclass(frozen=True)
class Characters:
    """Counts by code name (``U+0001``); both counters are empty for a clean text."""

    xml_invalid: Counter[str] = field(default_factory=Counter)
    invisible: Counter[str] = field(default_factory=Counter)

    @property
    def n_xml_invalid(self) -> int:
        """Number of characters that XML 1.0 does not allow."""
        return self.xml_invalid.total()

    @property
    def n_invisible(self) -> int:
        """Number of invisible format characters that do no work in the text."""
        return self.invisible.total()


def characters(text: str) -> Characters:
    """Count characters that are not allowed in XML 1.0 and invisible format characters.

    Joiners inside emoji sequences and inside scripts that need them are no defect and are not counted.
    """
    found = Characters()
    for match in _ANY.finditer(text):
        sign = match.group()
        name = f"U+{ord(sign):04X}"
        if _INVALID.match(sign):
            found.xml_invalid[name] += 1
        elif not needed(text, match.start()):
            found.invisible[name] += 1
    return found


def needed(text: str, i: int) -> bool:
    """Tell whether the format character at ``i`` does work in the text.

    True for a joiner or non-joiner after a symbol, a mark or a letter of a script without case (emoji sequences, Arabic,
    Indic scripts), and for the tag characters of a flag. After a Latin, Greek or Cyrillic letter a joiner does nothing.
    """
    if not i:
        return False
    sign, before = text[i], text[i - 1]
    if sign in JOINERS:
        return before != "\ufffd" and unicodedata.category(before) in _JOINED
    if "\U000e0020" <= sign <= "\U000e007f":
        return text[max(i - _FLAG, 0) : i].rstrip(_TAG_SIGNS).endswith("\U0001f3f4")
    return False


def storable(text: str) -> str:
    """Return text that any file can hold: each lone surrogate becomes U+FFFD, so offsets stay as they are."""
    return _SURROGATE.sub("\ufffd", text) if not text.isascii() else text
