"""From documents to rows of the texts and edits tables: ids, languages, levels, counts, flags, and the account of it all."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from miner.corpora.languages import parse_languages
from miner.corpora.levels import parse_level
from miner.corpora.records import Document, Drop, Note, Record
from miner.corpora.sources import Member
from miner.corpora.spans import Placed, clean, fits, place
from miner.corpora.tabular import kind_of
from miner.errors import InputError
from miner.ledger import Ledger
from miner.text import characters, n_words, normalise, split_sentences, storable, view

OnBadRow = Literal["fail", "skip"]

EMPTY = "empty text"
AGAIN = "same id and text again"
CONFLICT = "another text under an id that is taken"
OUTSIDE = "an edit lies outside its text"

#: Columns of a text's row, in the order of :data:`miner.tables.TEXTS` (the corpus's name is added with the frame).
FIELDS = (
    "text_id", "l1", "l1_raw", "l1_source", "level_raw", "level", "cefr", "band", "cefr_source", "flags", "learner_id",
    "prompt_id", "country", "site", "task_type", "text", "n_words", "n_sentences",
)  # fmt: skip


_TEXT, _FLAGS = FIELDS.index("text"), FIELDS.index("flags")
LEVEL_UNKNOWN, L1_UNKNOWN = "level not understood", "L1 not understood"
_NOT_UNDERSTOOD = (
    ("level_unknown", LEVEL_UNKNOWN, FIELDS.index("level_raw")),
    ("l1_unknown", L1_UNKNOWN, FIELDS.index("l1_raw")),
)
#: Labels that are not understood are named in the ledger, so many of a kind, and cut to so many characters.
MOST_VALUES, LONGEST_VALUE = 20, 40


@dataclass(frozen=True)
class Row:
    """One finished text: its cells in the order of :data:`FIELDS`, other columns, edits, and a digest of all that.

    ``own_id`` tells whether the corpus gave the id; else it is a hash of the content.
    """

    cells: tuple[Any, ...]
    meta: dict[str, str]
    edits: tuple[Placed, ...]
    scheme: str
    digest: bytes
    place: str
    own_id: bool

    @property
    def text_id(self) -> str:
        """The text's id."""
        return str(self.cells[0])


@dataclass
class Assembly:
    """Turn records into rows, one at a time; holds no text and no id.

    Parameters
    ----------
    ledger : Ledger
        Account of the step, filled on the way.
    on_bad_row : {"fail", "skip"}
        Whether a defect stops reading or is listed.
    keep_empty : bool
        Whether a text without any character is kept (flagged ``empty``) or dropped with that reason.
    dropped : callable
        Gets everything that the ledger counts as dropped (the ledger lists the first places of each reason only).
    adjust : callable, optional
        What is done to each document first; see :mod:`miner.corpora.adjusting`.
    """

    ledger: Ledger
    on_bad_row: OnBadRow = "fail"
    keep_empty: bool = False
    dropped: Callable[[Drop], object] = lambda drop: None
    adjust: Callable[[Document], Document] | None = None
    _touched: set[str] = field(default_factory=set)
    _values: dict[str, set[str]] = field(default_factory=dict)

    def rows(self, records: Iterable[Record]) -> Iterator[Row]:
        """Yield a row for each document that can be used; all others are in the ledger. Next comes :meth:`settled`.

        Raises
        ------
        InputError
            At the first defect, under ``on_bad_row="fail"``.
        """
        for record in records:
            self._touched.add(record.place.split(":", 1)[0])
            if isinstance(record, Note):
                self.ledger.note(record.what, record.n, place=record.place)
            elif isinstance(record, Drop):
                self._drop(record)
            elif (row := self._row(self.adjust(record) if self.adjust else record)) is not None:
                yield row

    def settled(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Yield rows, which come sorted by :func:`id_order`, each under an id of its own, and count them as kept.

        Of rows under one id of the corpus the first is kept: another with the same text is dropped as such, one with
        another text is a defect. Rows without an id of their own whose content is the same get a counter.
        """
        first: Row | None = None
        n = 1
        for row in rows:
            if first is None or row.text_id != first.text_id:
                first, n = row, 1
            elif not row.own_id:
                n += 1
                row = _numbered(row, n)
            else:
                same = row.cells[_TEXT] == first.cells[_TEXT]
                self._drop(Drop(AGAIN, row.place, bad=False) if same else Drop(CONFLICT, row.place, detail=row.text_id))
                continue
            self.ledger.keep()
            yield row

    def account_for(self, members: Iterable[Member]) -> None:
        """Tell of each file that no record came from; one that cannot be read is a defect."""
        for member in members:
            if member.name.split(":", 1)[0] in self._touched:
                continue
            try:
                kind = kind_of(member)
                if kind is not None:
                    kind.columns(member, "utf-8")
                with member.open() as stream:
                    stream.read(1)
            except InputError as err:
                self._drop(Drop("a file that cannot be read", member.name, detail=str(err)))
            else:
                self.ledger.note("files that gave no text", place=member.name)

    def _drop(self, drop: Drop) -> None:
        if ":" not in drop.place:
            drop = drop._replace(place=f"{drop.place}:1")  # a file as a whole
        if drop.bad and self.on_bad_row == "fail":
            detail = f" ({drop.detail})" if drop.detail else ""
            msg = f"{drop.place}: {drop.reason}{detail}. Correct the file, or skip such rows and have them listed (--on-bad-row skip)"
            raise InputError(msg)
        if drop.n:
            self.ledger.drop(drop.reason, drop.n, place=drop.place)
        else:  # a defect that costs no text by itself
            self.ledger.note(drop.reason, place=drop.place)
        self.dropped(drop)

    def _row(self, document: Document) -> Row | None:
        text, shift = clean(document.text)
        if not text and not self.keep_empty:
            self._drop(Drop(EMPTY, document.place, bad=False))
            return None
        if not fits(document.edits, document.text):
            self._drop(Drop(OUTSIDE, document.place))
            return None
        edits, void = place(document.edits, document.text, text, shift)
        self.ledger.note("edits that change nothing", void, place=document.place)
        row = _finish(document, _identified(document), text, tuple(edits), self.ledger)
        self._tell_unknown(row)
        return row

    def _tell_unknown(self, row: Row) -> None:
        flags = str(row.cells[_FLAGS]).split(";")
        for flag, what, column in _NOT_UNDERSTOOD:
            if flag not in flags:
                continue
            seen = self._values.setdefault(what, set())
            value = " ".join(str(row.cells[column]).split())[:LONGEST_VALUE]
            if len(seen) < MOST_VALUES:
                seen.add(value)
            self.ledger.note(f"{what}: '{value}'" if value in seen else f"{what}: others", place=row.place)


def _identified(document: Document) -> str:
    if document.text_id:
        return storable(document.text_id)
    content = document.content.encode("utf-8", "surrogatepass")
    return "t" + hashlib.blake2b(content, digest_size=8).hexdigest()


def _numbered(row: Row, n: int) -> Row:
    cells = (f"{row.text_id}-{n}", *row.cells[1:])
    return replace(row, cells=cells, digest=_digest(cells, row.meta, row.edits))


def id_order(row: Row) -> tuple[int, int, str]:
    """Return the sort key of a row: ids of digits by number, others by code point, as in all tables."""
    text_id = row.text_id
    return (0, int(text_id), text_id) if text_id.isdecimal() and text_id.isascii() else (1, 0, text_id)


def _finish(d: Document, text_id: str, text: str, edits: tuple[Placed, ...], ledger: Ledger) -> Row:
    seen = view(text).text
    words = n_words(text)
    flags = list(d.flags)
    if not words:
        flags.append("no_words" if text else "empty")
    signs = characters(normalise(d.text)) if not (text.isascii() and text.isprintable()) else None
    if signs is not None:
        flags += [
            f"{name}:{n}" for name, n in (("xml_invalid", signs.n_xml_invalid), ("invisible", signs.n_invisible)) if n
        ]
        for sign, n in sorted((signs.xml_invalid + signs.invisible).items()):
            ledger.note(f"characters {sign}", n, place=d.place)
    l1_raw = d.l1_raw.strip()
    languages = parse_languages(l1_raw)
    if d.l1 is None and languages.status == "unknown":
        flags.append("l1_unknown")
    l1 = languages.joined if d.l1 is None else d.l1
    level_raw = d.level_raw.strip()
    level, cefr, band = _levels(d, level_raw, flags)
    for flag in flags:
        ledger.note(f"texts flagged {flag.split(':')[0]}", place=d.place)
    l1_given = bool(l1 or languages.status != "missing")
    cells: tuple[Any, ...] = (
        text_id, l1, l1_raw, d.l1_source if l1_given else "", level_raw, level, cefr, band,
        d.cefr_source if level or band or cefr else "", ";".join(flags), d.learner_id.strip(), d.prompt_id.strip(),
        d.country.strip(), d.site.strip(), d.task_type.strip(), text, words, len(split_sentences(seen)),
    )  # fmt: skip
    cells = tuple(storable(c) if isinstance(c, str) else c for c in cells)
    meta = {storable(k): storable(v) for k, v in d.meta.items() if v}
    return Row(cells, meta, edits, d.scheme, _digest(cells, meta, edits), d.place, bool(d.text_id))


def _levels(d: Document, level_raw: str, flags: list[str]) -> tuple[str, str, str]:
    """Return level, CEFR level and band; flags what the label leaves open."""
    read = parse_level(level_raw if d.level is None else d.level)
    if d.level is not None:
        return d.level, read.cefr, read.band
    if read.status == "unknown":
        flags.append("level_unknown")
        return level_raw, "", ""
    if read.status == "band":
        flags.append("level_band_only")
    return read.cefr or read.band, read.cefr, read.band


def _digest(cells: tuple[Any, ...], meta: dict[str, str], edits: tuple[Placed, ...]) -> bytes:
    whole = hashlib.blake2b("\x1f".join(map(str, cells)).encode("utf-8", "surrogatepass"), digest_size=16)
    if meta or edits:
        line = json.dumps([sorted(meta.items()), edits], ensure_ascii=False, separators=(",", ":"))
        whole.update(line.encode("utf-8", "surrogatepass"))
    return whole.digest()


class Fingerprint:
    """The hash of all rows in the order of their ids: the order in which they were read does not matter."""

    def __init__(self) -> None:
        self._whole = hashlib.blake2b(digest_size=16)

    def add(self, row: Row) -> None:
        """Add a row."""
        self._whole.update(row.digest)

    def __str__(self) -> str:
        return self._whole.hexdigest()
