"""Texts in files of their own (.txt), joined with a table about them."""

from __future__ import annotations

from collections.abc import Iterator

from miner.corpora.lines import whole
from miner.corpora.records import Drop
from miner.corpora.registry import Options
from miner.corpora.sources import Member, Source
from miner.errors import InputError

_NOT_TEXTS = ("readme", "license", "licence", "copying", "notes", "changelog")

NO_FILE = "listed, but there is no file"
CANNOT_DECODE = "a file that cannot be decoded"


def text_files(source: Source) -> list[Member]:
    """Return the .txt members that may be texts of a corpus."""
    return [m for m in source.ending(".txt") if not m.stem.casefold().startswith(_NOT_TEXTS)]


def decoded(member: Member, options: Options, *, fallback: str = "") -> str | Drop:
    """Return a file's text, or what was wrong with it.

    ``fallback`` is the encoding of a file that is not UTF-8, unless the user named one.
    """
    try:
        return whole(member, options.encoding)
    except InputError as err:
        if fallback and not options.encoding_given:
            try:
                return whole(member, fallback)
            except InputError:
                pass
        return Drop(CANNOT_DECODE, f"{member.name}:1", detail=str(err))


def without_files(listed: dict[str, str], files: set[str]) -> Iterator[Drop]:
    """Yield a drop for each listed id (with its place) that has no file."""
    for name, place in listed.items():
        if name not in files:
            yield Drop(NO_FILE, place, bad=False)
