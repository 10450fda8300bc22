"""The formats miner reads: one module and one line each; recognised by content."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module

from miner.corpora.records import Record
from miner.corpora.sources import Source
from miner.errors import InputError, OptionError, listed, require_one_of

#: Modules of :mod:`miner.corpora.formats`, each with a constant ``FORMAT`` (or ``FORMATS``).
MODULES = (
    "efcamdat",
    "fce",
    "folder",
    "icle",
    "icnale",
    "m2",
    "miner_tables",
    "pairs",
    "pelic",
    "toefl11",
    "universalcefr",
    "wi2024",
    "wide",
    "wi_locness",
    "cefr_asag",
    "table",
)


@dataclass
class Options:
    """What a reader is told.

    ``roles`` may be empty: then a table reader fills it with what it recognised, so that the corpus can tell.
    """

    encoding: str = "utf-8"
    encoding_given: bool = False
    roles: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Format:
    """One corpus format.

    Parameters
    ----------
    name : str
        What ``--format`` takes.
    title : str
        One line for people.
    read : callable
        Yields documents, drops and notes; holds one document at a time.
    sniff : callable
        Tells from the content how sure it is: 0 no, 1 a general table, 2 a general layout, 3 this very corpus, 4 miner's own.
    licence, where : str
        What the licence allows, and where the corpus is to be had.
    redistribute : bool
        Whether the licence lets the texts be passed on.
    has_l1 : bool
        Whether the format says what the writers' L1 is.
    encoding : str
        Of files without a byte order mark.
    keeps_empty : bool
        Whether a row with an empty text is a text (flagged), or is dropped with that reason.
    takes_roles : bool
        Whether columns are named by roles.
    checksum : str
        Of the distributed file, where known.
    """

    name: str
    title: str
    read: Callable[[Source, Options], Iterator[Record]]
    sniff: Callable[[Source], int]
    licence: str
    where: str = ""
    redistribute: bool = False
    has_l1: bool = True
    encoding: str = "utf-8"
    keeps_empty: bool = False
    takes_roles: bool = False
    checksum: str = ""


def known_formats() -> dict[str, Format]:
    """Return all formats by name, in the order of the registry."""
    found: dict[str, Format] = {}
    for module in MODULES:
        loaded = import_module(f"miner.corpora.formats.{module}")
        for item in getattr(loaded, "FORMATS", None) or (loaded.FORMAT,):
            found[item.name] = item
    return found


def find_format(source: Source, name: str | None) -> Format:
    """Return the named format, or the one that the content fits.

    Raises
    ------
    OptionError
        If there is no format of that name, or several fit equally well (listed).
    InputError
        If no format fits.
    """
    known = known_formats()
    if name:
        return known[require_one_of(name, list(known), what="The corpus format")]
    marks = {f.name: f.sniff(source) for f in known.values()}
    best = max(marks.values())
    fitting = [n for n, mark in marks.items() if mark == best]
    if best == 0:
        msg = f"{source.path}: no known corpus format fits; name one with --format: {listed(list(known), most=40)}"
        raise InputError(msg)
    if len(fitting) > 1:
        msg = f"{source.path}: several formats fit the content: {listed(fitting)}; name one with --format"
        raise OptionError(msg)
    return known[fitting[0]]
