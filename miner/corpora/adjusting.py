"""What a user may say about labels: levels from exam scores by a table, and L1s from ambiguous nationalities."""

from __future__ import annotations

import csv
import io
from bisect import bisect_right
from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple

from miner.corpora.bundled import bundled_rows
from miner.corpora.levels import parse_level
from miner.corpora.nationality import table
from miner.corpora.records import Document
from miner.corpora.roles import plain
from miner.errors import InputError, OptionError, listed, require_one_of
from miner.text import decode

AmbiguousL1 = Literal["empty", "default"]
Adjust = Callable[[Document], Document]


class ScoreTable(NamedTuple):
    """Scores to CEFR levels: the lowest score of each step, ascending, and the step's level."""

    column: str
    lows: tuple[float, ...]
    levels: tuple[str, ...]

    def level(self, score: float) -> str:
        """Return the level of a score; empty below the lowest step."""
        i = bisect_right(self.lows, score)
        return self.levels[i - 1] if i else ""


def read_score_table(path: Path | str, column: str) -> ScoreTable:
    """Return a score table from a CSV with columns ``from`` (lowest score of a step) and ``cefr``.

    Parameters
    ----------
    path : Path or str
        The CSV.
    column : str
        The corpus's column with the scores, e.g. ``script_score``.

    Raises
    ------
    InputError
        If the file, a column, a number or a level is wrong; with the line.
    """
    path = Path(path)
    try:
        text = decode(path.read_bytes(), place=path.name)
    except OSError as err:
        msg = f"The score table {path} cannot be read ({err.strerror}); give a CSV with the columns 'from' and 'cefr'"
        raise InputError(msg) from err
    rows = list(csv.DictReader(io.StringIO(text)))
    steps = []
    for number, row in enumerate(rows, 2):
        if set(row) < {"from", "cefr"} or "from" not in row or "cefr" not in row:
            msg = f"{path.name}: a score table has the columns 'from' and 'cefr'; these are {listed(list(rows[0]))}"
            raise InputError(msg)
        try:
            low = float(row["from"])
        except (TypeError, ValueError) as err:
            msg = f"{path.name}:{number}: 'from' must be a number, got {row['from']!r}"
            raise InputError(msg) from err
        if parse_level(row["cefr"] or "").status != "known":
            msg = f"{path.name}:{number}: 'cefr' must be a CEFR level, got {row['cefr']!r}"
            raise InputError(msg)
        steps.append((low, row["cefr"]))
    if not steps:
        msg = f"{path.name}: the score table is empty; give rows with 'from' and 'cefr'"
        raise InputError(msg)
    steps.sort()
    return ScoreTable(column, tuple(s[0] for s in steps), tuple(s[1] for s in steps))


def adjustment(*, ambiguous_l1: AmbiguousL1 = "empty", scores: ScoreTable | None = None) -> Adjust | None:
    """Return what is done to each document as it is read; None for nothing.

    Parameters
    ----------
    ambiguous_l1 : {"empty", "default"}
        Whether a nationality whose country has several large first languages gives no L1, or the table's default; each
        text that gets one is flagged ``l1_default``.
    scores : ScoreTable, optional
        Levels from scores; ``cefr_source`` becomes ``score``. A text without a number there has no level, and is
        flagged ``score_unknown``.

    Raises
    ------
    OptionError
        If ``ambiguous_l1`` is not known.
    """
    require_one_of(ambiguous_l1, ("empty", "default"), what="The 'ambiguous_l1' option")
    steps: list[Adjust] = []
    if ambiguous_l1 == "default":
        steps.append(_default_l1)
    if scores is not None:
        steps.append(lambda document: _scored(document, scores))
    if not steps:
        return None

    def adjust(document: Document) -> Document:
        for step in steps:
            document = step(document)
        return document

    return adjust


def _default_l1(document: Document) -> Document:
    if "l1_ambiguous" not in document.flags:
        return document
    label = document.l1_raw.strip()
    icnale = next((r["l1"] for r in bundled_rows("nationality", "icnale_countries.csv") if r["code"] == label), "")
    row = table().get(label.casefold())
    l1 = icnale or (row["l1"] if row else "")
    flags = tuple(f for f in document.flags if f != "l1_ambiguous")
    return document._replace(l1=l1, flags=(*flags, "l1_default")) if l1 else document


def _scored(document: Document, scores: ScoreTable) -> Document:
    names = {plain(k): k for k in document.meta}
    column = names.get(plain(scores.column))
    if column is None:
        if not document.meta:
            msg = f"{document.place}: the corpus has no column '{scores.column}' with scores"
            raise OptionError(msg)
        return document._replace(level="", level_raw="", flags=(*document.flags, "score_unknown"))
    raw = document.meta[column].strip()
    try:
        level = scores.level(float(raw))
    except ValueError:
        level = ""
    flags = document.flags if level else (*document.flags, "score_unknown")
    return document._replace(level=level, level_raw=raw, cefr_source="score", flags=flags)
