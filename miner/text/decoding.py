"""From bytes to decoded text: strict, byte order mark off, one kind of line break, no no-break spaces."""

from __future__ import annotations

import codecs

from miner.errors import InputError, OptionError

# UTF-32 stands first: its little-endian mark begins with the one of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def mark_of(data: bytes) -> tuple[str, int]:
    """Return the encoding that the byte order mark names and the mark's length, or ``("", 0)``."""
    for mark, name in _MARKS:
        if data.startswith(mark) and (not name.startswith("utf-32") or len(data) % 4 == 0):
            return name, len(mark)
    return "", 0


def known_encoding(encoding: str) -> str:
    """Return Python's name of a text encoding.

    Raises
    ------
    OptionError
        If Python knows no such text encoding.
    """
    try:
        "a".encode(encoding)
        return codecs.lookup(encoding).name
    except (LookupError, UnicodeError, TypeError, ValueError) as err:
        msg = f"Unknown text encoding {encoding!r}; expected a name such as 'utf-8', 'cp1252' or 'latin-1'"
        raise OptionError(msg) from err


def decode(data: bytes, *, encoding: str = "utf-8", place: str = "") -> str:
    r"""Return the decoded text of a file.

    The byte order mark goes (and decides the encoding where there is one), ``\r\n`` and ``\r`` become ``\n``, U+00A0
    becomes a blank. Nothing is stripped, replaced or ignored.

    Parameters
    ----------
    data : bytes
        The whole file.
    encoding : str
        Used where no byte order mark tells; never guessed.
    place : str
        Name of the file, for messages.

    Raises
    ------
    InputError
        If a byte does not fit the encoding (the message names its position, from 0, and value), or the file looks like
        UTF-16 without a byte order mark.
    OptionError
        If the encoding is not known.
    """
    marked, skip = mark_of(data)
    name = marked or known_encoding(encoding)
    if not marked:
        refuse_unmarked(data[:4096], name, place=place)
    try:
        return normalise(data[skip:].decode(name))
    except UnicodeDecodeError as err:
        raise InputError(undecodable(name, err.start + skip, data[err.start + skip], place=place)) from err


def refuse_unmarked(data: bytes, encoding: str, *, place: str) -> None:
    """Raise InputError if the start of a file looks like UTF-16 without a byte order mark, and is read as another encoding.

    Every other byte of such a file is mostly null (letters of English, blanks), and no other text has that many.
    """
    if b"\0" not in data or len(data) < 8 or encoding.replace("_", "-").startswith(("utf-16", "utf-32", "utf-7")):
        return
    even, odd = data[::2], data[1::2]
    found = "utf-16-le" if _high(odd, even) else "utf-16-be" if _high(even, odd) else ""
    if found:
        msg = (
            f"{f'{place}: ' if place else ''}looks like UTF-16 without a byte order mark, not {encoding.upper()} (every other "
            f"byte is null); name the encoding (--encoding {found})"
        )
        raise InputError(msg)


def _high(high: bytes, low: bytes) -> bool:
    # The low bytes of letters are no control characters: a binary file is told apart.
    return high.count(0) > len(high) / 2 and min(low) >= 9


def undecodable(encoding: str, position: int, value: int, *, place: str) -> str:
    """Return the message about a byte that does not fit the encoding."""
    where = f"{place}: " if place else ""
    return (
        f"{where}not {encoding.upper()} at byte {position} (0x{value:02X}); expected {encoding.upper()} text. "
        "If the file has another encoding, name it (--encoding cp1252); if it is damaged, get a fresh copy"
    )


def normalise(text: str, *, keep_nbsp: bool = False) -> str:
    r"""Return text as :func:`decode` leaves it: no leading byte order mark, ``\n`` as line break, no U+00A0 (or kept)."""
    if text[:1] == "\ufeff":
        text = text[1:]
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("\xa0", " ") if "\xa0" in text and not keep_nbsp else text
