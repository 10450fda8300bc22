"""Lines of a member, decoded one by one: bounded memory, exact places, and a damaged line costs no other line."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from typing import IO, NamedTuple

from miner.corpora.sources import Member
from miner.text.decoding import decode, known_encoding, mark_of, normalise, refuse_unmarked, undecodable

#: Bytes of a line beyond which it may be cut.
PIECE = 1 << 20


class Line(NamedTuple):
    r"""One line.

    ``text`` ends in ``\n`` (the last one may not); ``trouble`` is empty, or says which byte of the file does not fit the
    encoding, and then such bytes stand in ``text`` as U+DC80..U+DCFF.
    """

    number: int
    text: str
    trouble: str = ""


def read_lines(member: Member, encoding: str = "utf-8", *, cut: bytes = b"", keep_nbsp: bool = False) -> Iterator[Line]:
    """Yield the decoded lines of a member (see :func:`miner.text.decode` for what decoding does).

    UTF-16 and UTF-32 files (by their byte order mark) are decoded as a whole. With ``cut`` (an ASCII character) a line of
    more than a megabyte comes in pieces that end in it, under one number: for markup without line breaks. With
    ``keep_nbsp`` U+00A0 stays, where blanks alone part tokens (not in UTF-16 and UTF-32).

    Raises
    ------
    InputError
        If the member cannot be opened, a UTF-16/32 file is damaged, or has no byte order mark and is read as another encoding.
    """
    with member.open() as stream:
        start = stream.read(4096)
        mark, skip = mark_of(start)
    with member.open() as stream:
        name = mark or known_encoding(encoding)
        if name.startswith(("utf-16", "utf-32", "utf_16", "utf_32", "utf-7")):
            text = decode(stream.read(), encoding=name, place=member.name)
            for number, line in enumerate(_split(text), 1):
                yield Line(number, line)
        else:
            if not mark:
                refuse_unmarked(start, name, place=member.name)
            stream.read(skip)
            yield from _decoded(_pieces(stream, cut) if cut else stream, name, skip, member.name, keep_nbsp=keep_nbsp)


def _decoded(stream: Iterable[bytes], encoding: str, offset: int, place: str, *, keep_nbsp: bool) -> Iterator[Line]:
    number, started = 0, True
    plain = codecs.lookup(encoding).name == "utf-8"
    for raw in stream:
        trouble = ""
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError as err:
            trouble = undecodable(encoding, offset + err.start, raw[err.start], place=place)
            text = raw.decode(encoding, "surrogateescape" if plain else "replace")
        offset += len(raw)
        # A file with lone carriage returns comes as one line; normalising shows its lines.
        clean = normalise(text, keep_nbsp=keep_nbsp)
        for part in _split(clean) if "\r" in text else (clean,):
            number += started
            started = part.endswith("\n")
            yield Line(number, part, trouble)


def _pieces(stream: IO[bytes], cut: bytes) -> Iterator[bytes]:
    held = b""
    while piece := stream.readline(PIECE):
        held += piece
        if held.endswith(b"\n"):
            yield held
            held = b""
        elif (at := held.rfind(cut) + 1) and len(held) >= PIECE:
            yield held[:at]
            held = held[at:]
    if held:
        yield held


def _split(text: str) -> list[str]:
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def whole(member: Member, encoding: str = "utf-8") -> str:
    """Return the decoded text of a small member.

    Raises
    ------
    InputError
        If a byte does not fit the encoding; the message names it.
    """
    return decode(member.data(), encoding=encoding, place=member.name)
