"""``read_corpus``: any corpus that miner knows, as tables with an account of every text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from miner.corpora.adjusting import Adjust, AmbiguousL1, ScoreTable, adjustment
from miner.corpora.assembly import L1_UNKNOWN, LEVEL_UNKNOWN, Assembly, Fingerprint, OnBadRow, id_order
from miner.corpora.frames import edits_frame, texts_frame
from miner.corpora.manifest import Manifest, read_manifest
from miner.corpora.records import Drop
from miner.corpora.registry import Format, Options, find_format
from miner.corpora.sources import Source, open_source
from miner.errors import EmptyInput, InputError, OptionError, listed, require_one_of
from miner.ledger import Ledger
from miner.text.decoding import known_encoding

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Corpus:
    """A corpus that has been read.

    Attributes
    ----------
    name : str
        Name of the corpus.
    texts, edits : DataFrame
        The tables :data:`miner.tables.TEXTS` and :data:`miner.tables.EDITS`, sorted by text id.
    ledger : Ledger
        What was read, kept and dropped, with reasons and places.
    format, licence : str
        Name of the format, and what its licence allows.
    fingerprint : str
        Hash of the sorted content (texts, roles, edits); the order of rows and files is no matter.
    simulated : bool
        Whether the texts were made by a program and say so.
    redistribute : bool
        Whether the licence lets the texts be passed on.
    roles : Mapping
        Role to column, where the corpus is a table.
    dropped : tuple of Drop
        Everything that was dropped, with reason and place (the ledger lists the first places of each reason).
    """

    name: str
    texts: pd.DataFrame
    edits: pd.DataFrame
    ledger: Ledger
    format: str
    licence: str
    fingerprint: str
    simulated: bool = False
    redistribute: bool = False
    roles: Mapping[str, str] = field(default_factory=dict)
    dropped: tuple[Drop, ...] = ()


@dataclass(frozen=True)
class Opened:
    """A corpus found and recognised, before any text is read."""

    source: Source
    format: Format
    options: Options
    name: str
    licence: str
    simulated: bool
    redistribute: bool
    on_bad_row: OnBadRow
    adjust: Adjust | None = None

    def assembly(self, ledger: Ledger, dropped: Callable[[Drop], object]) -> Assembly:
        """Return what turns the corpus's records into rows."""
        return Assembly(ledger, self.on_bad_row, self.format.keeps_empty, dropped, self.adjust)


def open_corpus(
    path: Path | str,
    *,
    format: str | None = None,
    roles: Mapping[str, str] | None = None,
    encoding: str | None = None,
    on_bad_row: OnBadRow = "fail",
    name: str | None = None,
    ambiguous_l1: AmbiguousL1 = "empty",
    scores: ScoreTable | None = None,
) -> Opened:
    """Find the corpus, its manifest and its format; parameters as in :func:`read_corpus`."""
    require_one_of(on_bad_row, ("fail", "skip"), what="The 'on_bad_row' option")
    source = open_source(path)
    manifest = read_manifest(source) or Manifest()
    if manifest.files:
        source = manifest.restricted(source)
    found = find_format(source, format or manifest.format)
    options = Options(
        encoding=known_encoding(encoding or manifest.encoding or found.encoding),
        encoding_given=bool(encoding or manifest.encoding),
        roles=dict(roles or manifest.roles),
    )
    if roles and not found.takes_roles:
        msg = f"The format '{found.name}' knows its own columns; roles ({listed(sorted(roles))}) are for tables: leave them out"
        raise OptionError(msg)
    return Opened(
        source,
        found,
        options,
        _named(name or manifest.name or _own_name(Path(path))),
        manifest.licence or found.licence,
        manifest.simulated,
        found.redistribute if manifest.redistribute is None else manifest.redistribute,
        on_bad_row,
        adjustment(ambiguous_l1=ambiguous_l1, scores=scores),
    )


def read_corpus(
    path: Path | str,
    *,
    format: str | None = None,
    roles: Mapping[str, str] | None = None,
    encoding: str | None = None,
    on_bad_row: OnBadRow = "fail",
    name: str | None = None,
    ambiguous_l1: AmbiguousL1 = "empty",
    scores: ScoreTable | None = None,
) -> Corpus:
    """Read a corpus: a file, a folder, or either in zip or gzip.

    Parameters
    ----------
    path : Path or str
        Where the corpus lies. A folder with miner's own ``corpus.toml`` needs no other parameter.
    format : str, optional
        Name of the format; without it the content decides.
    roles : mapping of str to str, optional
        Role (``text``, ``l1``, ``cefr``, ``learner``, ``prompt``, ``id``, ...) to column, for tables; without it the
        column names decide where they are unambiguous.
    encoding : str, optional
        Of files without byte order mark; default: the format's own, mostly UTF-8.
    on_bad_row : {"fail", "skip"}
        Whether a row that cannot be read stops with an error, or is listed in the ledger.
    name : str, optional
        Name of the corpus; default: the manifest's, or that of the file or folder.
    ambiguous_l1 : {"empty", "default"}
        Whether nationalities of countries with several large first languages give no L1, or a default (flagged).
    scores : ScoreTable, optional
        Levels from exam scores; see :func:`miner.corpora.adjusting.read_score_table`.

    Returns
    -------
    Corpus

    Raises
    ------
    InputError
        If the corpus is not there, cannot be decoded or has a defect (``on_bad_row="fail"``); with file and line.
    EmptyInput
        If no text is left.
    OptionError
        If a format, role or encoding is not known, or the format is ambiguous.
    """
    opened = open_corpus(
        path,
        format=format,
        roles=roles,
        encoding=encoding,
        on_bad_row=on_bad_row,
        name=name,
        ambiguous_l1=ambiguous_l1,
        scores=scores,
    )
    ledger = Ledger("read", "texts")
    dropped: list[Drop] = []
    assembly = opened.assembly(ledger, dropped.append)
    found = sorted(assembly.rows(opened.format.read(opened.source, opened.options)), key=id_order)
    rows = list(assembly.settled(found))
    assembly.account_for(opened.source.members)
    if not rows:
        raise EmptyInput(nothing_left(path, opened.format.name, ledger))
    mark = Fingerprint()
    for row in rows:
        mark.add(row)
    return Corpus(
        name=opened.name,
        texts=texts_frame(rows, corpus=opened.name),
        edits=edits_frame(rows),
        ledger=ledger,
        format=opened.format.name,
        licence=opened.licence,
        fingerprint=str(mark),
        simulated=opened.simulated,
        redistribute=opened.redistribute,
        roles=dict(opened.options.roles),
        dropped=tuple(dropped),
    )


def nothing_left(path: Path | str, format_name: str, ledger: Ledger) -> str:
    """Return the message for a corpus without a usable text."""
    why = "; ".join(f"{n} {reason}" for reason, n in sorted(ledger.dropped.items())) or "there is none in it"
    return f"No text could be read from {path} as '{format_name}' ({ledger.read} read: {why}); check the path and the format"


def _own_name(path: Path) -> str:
    name = path.resolve().name
    for ending in (".gz", ".zip"):
        name = name.removesuffix(ending)
    return name if path.is_dir() else (name.rsplit(".", 1)[0] or name)


def _named(name: str) -> str:
    # The name goes into signatures, which know two separators.
    return " ".join(name.replace("|", " ").split()) or "corpus"


def require_l1(corpus: Corpus) -> None:
    """Raise if no text of the corpus can take part in a comparison of L1s.

    Raises
    ------
    InputError
        If no text has exactly one known L1 other than English; with the reason.
    """
    l1 = corpus.texts["l1"].dropna()
    if not (~l1.str.contains(";", regex=False) & (l1 != "en")).any():
        known = (
            f"{len(l1)} of {len(corpus.texts)} texts have a known L1, all of them English or several"
            if len(l1)
            else f"no text has a known L1{_why_no_l1(corpus)}"
        )
        msg = f"L1s cannot be mined from '{corpus.name}' (format {corpus.format}): {known}. It can be described, checked and audited"
        raise InputError(msg)


def _why_no_l1(corpus: Corpus) -> str:
    values = [k.partition(": ")[2] for k in corpus.ledger.noted if k.startswith(f"{L1_UNKNOWN}: ")]
    if values:
        return f" (not understood: {', '.join(values[:5])}{' ...' if len(values) > 5 else ''})"
    return (
        " (no column is known to hold it; name it with --l1 COLUMN)"
        if corpus.roles and "l1" not in corpus.roles
        else ""
    )


def label_notes(ledger: Ledger) -> list[str]:
    """Return what the account of reading says of levels and L1s that are not understood, or have no column, as lines."""
    lines = [
        f"{what}: {n} texts"
        for what, n in sorted(ledger.noted.items())
        if what.startswith(("no level column", "no L1 column"))
    ]
    for what in (L1_UNKNOWN, LEVEL_UNKNOWN):
        found = {k.partition(": ")[2]: n for k, n in ledger.noted.items() if k.startswith(f"{what}: ")}
        most = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
        if most:
            lines.append(
                f"{what}: {', '.join(f'{v} ({n} texts)' for v, n in most[:5])}{' ...' if len(most) > 5 else ''}"
            )
    return lines
