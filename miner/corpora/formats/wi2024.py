"""Write & Improve Corpus 2024: every saved version of every essay (TSV), and sentences with gold edits (M2)."""

from __future__ import annotations

from collections.abc import Iterator

from miner.corpora.columns import lacking, tables_like
from miner.corpora.lines import read_lines
from miner.corpora.m2 import sentences
from miner.corpora.records import Document, Drop, Note, Record, used
from miner.corpora.registry import Format, Options
from miner.corpora.sources import Member, Source
from miner.corpora.tabular import NOT_DECODED, TableRow, csv_rows

# The files were written by R: NA without quotes is a missing value; languages are English names, so none is lost.
_NA = "NA"
_CORPUS = {"publicessayid", "publicuserid", "publicpromptid", "language", "text", "automarkercefrlevel"}
_INFO = {"publicessayid", "publicuserid", "publicpromptid", "l1", "humancefr"}
_BELOW_A1 = "pre-a1"


def read(source: Source, options: Options) -> Iterator[Record]:
    """Yield the essays (all versions), then the sentences of the M2 files, each linked to its essay."""
    for member in _tables(source, options.encoding, _CORPUS):
        if missing := lacking(member, options.encoding, _CORPUS):
            yield missing
            continue
        for row in csv_rows(member, options.encoding):
            yield row if isinstance(row, Drop) else _essay(row)
    info: dict[str, dict[str, str]] = {}
    for member in _tables(source, options.encoding, _INFO):
        yield used(member.name)
        if missing := lacking(member, options.encoding, _INFO):
            yield missing._replace(n=0)
            continue
        for row in csv_rows(member, options.encoding):
            if isinstance(row, Drop):
                yield row._replace(n=0) if row.bad else row
            else:
                info[row.cells["public_essay_id"]] = _values(row)
    for member in _sentence_files(source):
        yield from _sentences(member, source, info, options)
    yield from (used(m.name) for m in source.members if m.suffix in (".md", ".conll", ".orig", ".corr", ".ids"))
    copies = [m.name for m in source.members if m.suffix in (".md", ".conll", ".orig", ".corr")]
    if copies:
        yield Note("second copies of essays (MultiGEC, CoNLL, .orig, .corr), not read", n=len(copies))


def _values(row: TableRow) -> dict[str, str]:
    return {k: "" if v == _NA else v for k, v in row.cells.items()}


def _essay(row: TableRow) -> Document | Drop:
    given = _values(row)
    if not given.get("public_essay_id"):
        return Drop("a row without public_essay_id", row.place)
    human, auto = given.get("humannotator_cefr_level", ""), given.get("automarker_cefr_level", "")
    label = human or auto
    final = given.get("is_final_version", "").upper() == "TRUE"
    return Document(
        text=given.get("text", ""),
        place=row.place,
        text_id=given["public_essay_id"],
        l1_raw=given.get("language", ""),
        level_raw=label,
        level="" if label.casefold() == _BELOW_A1 else None,
        cefr_source="assessed" if human else "classifier",
        learner_id=given.get("public_user_id", ""),
        prompt_id=given.get("public_prompt_id", ""),
        flags=("below_a1",) if label.casefold() == _BELOW_A1 else (),
        meta={
            "essay": given.get("user_prompt", ""),
            "version": given.get("essay_version_num", ""),
            "final_version": str(final).lower(),
            "split": given.get("split", ""),
            "automarker_cefr_level": auto,
            "human_cefr_level": human,
        },
    )


def _sentences(member: Member, source: Source, info: dict[str, dict[str, str]], options: Options) -> Iterator[Record]:
    wanted = member.name.removesuffix(".m2") + ".ids"
    beside = next((m for m in source.members if m.name == wanted), None)
    ids: list[str] = []
    for line in read_lines(beside, options.encoding) if beside else ():
        if line.trouble:
            yield Drop(NOT_DECODED, f"{wanted}:{line.number}", detail=line.trouble, n=0)
        ids.append("" if line.trouble else line.text.strip().strip('"'))
    if beside is None:
        yield Note("M2 files without .ids: their sentences are linked to no essay", member.name)
    for sentence in sentences(member, options.encoding):
        if isinstance(sentence, Drop):
            yield sentence
            continue
        essay = ids[sentence.number - 1] if sentence.number <= len(ids) else ""
        about = info.get(essay, {})
        human, auto = about.get("human_cefr", ""), about.get("auto_cefr", "")
        label = human or auto
        yield Document(
            text=sentence.text,
            place=sentence.place,
            text_id=f"{member.base}#{sentence.number}",
            l1_raw=about.get("L1", ""),
            level_raw=label,
            level="" if label.casefold() == _BELOW_A1 else None,
            cefr_source="assessed" if human else "classifier",
            learner_id=about.get("public_user_id", ""),
            prompt_id=about.get("public_prompt_id", ""),
            task_type="sentence",
            edits=sentence.edits,
            scheme="errant",
            # The sentence stands in the essay as well: not to be counted twice.
            flags=("part_of_text",) if about else (),
            meta={"part_of": essay, "split": about.get("split", "")},
        )


def _sentence_files(source: Source) -> list[Member]:
    return source.ending("-sentences.m2") or source.ending(".m2")


def _tables(source: Source, encoding: str, columns: set[str]) -> list[Member]:
    return [m for m in tables_like(source, encoding, columns) if m.suffix in (".tsv", ".csv")]


def sniff(source: Source) -> int:
    """A table with the corpus's columns."""
    return 3 * bool(_tables(source, "utf-8", _CORPUS) or _tables(source, "utf-8", _INFO))


FORMAT = Format(
    "wi2024",
    "Write & Improve Corpus 2024",
    read,
    sniff,
    "Write & Improve Corpus 2024 licence: form, non-commercial; do not redistribute",
    "https://doi.org/10.17863/CAM.112997 (form at englishlanguageitutoring.com)",
)
