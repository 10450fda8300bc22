"""PELIC: one CSV of answers; several versions of one answer; class levels 2 to 5."""

from __future__ import annotations

from collections.abc import Iterator

from miner.corpora.columns import lacking, tables_like
from miner.corpora.records import Document, Drop, Record
from miner.corpora.registry import Format, Options
from miner.corpora.sources import Source
from miner.corpora.tabular import TableRow, kind_of

#: The corpus's own glossary spans two CEFR levels for each class level; this is the lower middle.
LEVELS = {"2": "A2", "3": "B1", "4": "B2", "5": "C1"}
_NEEDED = {"answerid", "anonid", "l1", "levelid", "questionid", "text"}
# Parses of the text, not strata.
_NO_META = {"answer_id", "anon_id", "L1", "level_id", "question_id", "text", "tokens", "tok_lem_POS", "version"}


def read(source: Source, options: Options) -> Iterator[Record]:
    """Yield a document per row of the compiled table; all versions."""
    for member in tables_like(source, options.encoding, _NEEDED):
        missing = lacking(member, options.encoding, _NEEDED)
        kind = None if missing else kind_of(member)
        yield from [missing] if missing else []
        for row in kind.rows(member, options.encoding) if kind else ():
            yield row if isinstance(row, Drop) else _answer(row)


def _answer(row: TableRow) -> Document | Drop:
    cells = {k.strip(): v for k, v in row.cells.items()}
    low = {k.casefold(): v for k, v in cells.items()}
    if not low.get("answer_id", "").strip():
        return Drop("a row without answer_id", row.place)
    level = low.get("level_id", "").strip().removesuffix(".0")
    learner, question = low.get("anon_id", ""), low.get("question_id", "")
    return Document(
        text=low.get("text", ""),
        place=row.place,
        text_id=low["answer_id"].strip(),
        l1_raw=low.get("l1", ""),
        level_raw=level,
        level=LEVELS.get(level, ""),
        cefr_source="placement",
        learner_id=learner,
        prompt_id=question.strip().removesuffix(".0"),
        flags=() if level in LEVELS or not level else ("level_unknown",),
        meta={
            **{k: v for k, v in cells.items() if k not in _NO_META},
            "essay": f"{learner}/{question}" if learner and question else "",
            "version": low.get("version", ""),
        },
    )


def sniff(source: Source) -> int:
    """A table with PELIC's columns."""
    return 3 * bool(tables_like(source, "utf-8", _NEEDED))


FORMAT = Format(
    "pelic",
    "PELIC, University of Pittsburgh English Language Institute Corpus (CSV)",
    read,
    sniff,
    "CC BY-NC-ND 4.0: no derivatives, do not redistribute extracts",
    "https://github.com/ELI-Data-Mining-Group/PELIC-dataset",
)
