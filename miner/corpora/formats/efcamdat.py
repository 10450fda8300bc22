"""EFCamDat: the XML export (often not well-formed), the cleaned subcorpus and the error-coded one (tables)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from miner.corpora.bundled import bundled_rows
from miner.corpora.change_markup import Marked, resolve, unescape
from miner.corpora.columns import by_plain_name, has_columns, is_table, lacking, nearly
from miner.corpora.languages import parse_languages
from miner.corpora.lines import read_lines
from miner.corpora.nationality import Guess, from_nationality
from miner.corpora.records import Document, Drop, Note, Record
from miner.corpora.registry import Format, Options
from miner.corpora.sources import Member, Source
from miner.corpora.tabular import NOT_DECODED, kind_of

UNPARSABLE = "a writing that cannot be parsed"

_ATTRIBUTE = re.compile(r"""([\w:]+)\s*=\s*["']([^"']*)["']""")
_START = re.compile(r"<writing\b")
_TEXT = re.compile(r"<text\b[^>]*>(.*)</text\s*>", re.DOTALL)
_TEXTS = re.compile(r"</?text\b")
_LICENCE = "EFCamDat user agreement: registration; academic, non-commercial; do not redistribute"
_WHERE = "https://ef-lab.mmll.cam.ac.uk/EFCAMDAT.html (account and user agreement)"


@lru_cache(maxsize=1)
def _levels() -> dict[str, str]:
    return {row["level"]: row["cefr"] for row in bundled_rows("efcamdat", "levels.csv")}


def read_xml(source: Source, options: Options) -> Iterator[Record]:
    """Yield one document per ``<writing>``; a damaged one costs no other."""
    for member in _xml_members(source):
        for number, block, trouble in _blocks(member, options.encoding):
            place = f"{member.name}:{number}"
            if trouble:
                yield Drop(NOT_DECODED, place, detail=trouble)
            else:
                yield from _writing(block, place)


def _blocks(member: Member, encoding: str) -> Iterator[tuple[int, str, str]]:
    """Yield first line, markup and decoding trouble of each writing, and of what stands between if a text is in it."""
    held: list[str] = []
    start, trouble = 1, ""

    def take() -> Iterator[tuple[int, str, str]]:
        block = "".join(held)
        if _START.match(block.lstrip()) or _TEXTS.search(block):
            yield start, block, trouble

    for line in read_lines(member, encoding, cut=b">"):
        at = 0
        for match in re.finditer(r"<writing\b|</writing\s*>", line.text):
            opens = match.group().startswith("<writing")
            cut = match.start() if opens else match.end()
            held.append(line.text[at:cut])
            trouble = trouble or line.trouble
            yield from take()
            held, at, start, trouble = [], cut, line.number, ""
        held.append(line.text[at:])
        trouble = trouble or line.trouble
    yield from take()


def _writing(block: str, place: str) -> Iterator[Record]:
    head, body = block.split(">", 1) if ">" in block else (block, "")
    given = dict(_ATTRIBUTE.findall(head))
    found = _TEXT.search(body)
    if len(_TEXTS.findall(body)) != 2 or found is None or not given.get("id") or not _START.match(block.lstrip()):
        self_closed = re.search(r"<text\b[^>]*/>", body)
        if self_closed and given.get("id"):
            yield Drop("empty text", place, bad=False)
        else:
            yield Drop(UNPARSABLE, place, n=max(1, len(re.findall(r"<text\b", body))))
        return
    outside = body[: found.start()] + body[found.end() :]
    learner = dict(_ATTRIBUTE.findall(_between(outside, r"<learner\b([^>]*)>")))
    marked = resolve(found[1])
    if marked.comments:
        yield Note("corrections that are comments, read as detections", place, marked.comments)
    topic = re.search(r"<topic\b([^>]*)>(.*?)</topic\s*>", outside, re.DOTALL)
    document = _document(
        text=marked.text,
        place=place,
        given={
            "id": given["id"], "level": given.get("level", ""), "unit": given.get("unit", ""),
            "learner": learner.get("id", ""), "nationality": learner.get("nationality", ""),
            "topic": unescape(topic[2]) if topic else "",
            "topic_id": dict(_ATTRIBUTE.findall(topic[1])).get("id", "") if topic else "",
            "date": _between(outside, r"<date\b[^>]*>(.*?)</date"), "grade": _between(outside, r"<grade\b[^>]*>(.*?)</grade"),
        },
    )  # fmt: skip
    yield _with(document, marked)


def _with(document: Document, marked: Marked) -> Document:
    flags = (*document.flags, "markup_damaged") if marked.damaged else document.flags
    return document._replace(edits=marked.edits, flags=flags)


def _between(markup: str, pattern: str) -> str:
    found = re.search(pattern, markup, re.DOTALL)
    return unescape(found[1]).strip() if found else ""


def _document(text: str, place: str, given: Mapping[str, str]) -> Document:
    nation = given.get("nationality", "")
    l1_label = given.get("l1", "")
    named = from_nationality(nation) if nation else Guess("")
    level = given.get("level", "").strip()
    cefr = given.get("cefr", "").strip()
    return Document(
        text=text,
        place=place,
        text_id=given.get("id", "").strip(),
        l1_raw=l1_label or nation,
        l1=parse_languages(l1_label).joined if l1_label else named.l1,
        l1_source="nationality",
        level_raw=cefr or level,
        # A label of its own is read as any label; else the course level decides.
        level=None if cefr else _levels().get(level.removesuffix(".0"), ""),
        cefr_source="placement",
        learner_id=given.get("learner", ""),
        prompt_id=" ".join(given.get("topic", "").split()),
        country=nation,
        scheme="efcamdat",
        flags=() if l1_label else named.flags,
        meta={k: given.get(k, "") for k in ("level", "unit", "topic_id", "date", "grade")},
    )


_COLUMNS = {
    "id": ("writingid",), "learner": ("learnerid",), "level": ("level",), "cefr": ("cefr",), "l1": ("l1",),
    "nationality": ("nationality",), "topic": ("topic",), "topic_id": ("topicid", "taskid", "task"), "unit": ("unit",),
    "date": ("date",), "grade": ("grade",), "text": ("text",),
}  # fmt: skip


def _table_reader(*, marked: bool) -> Callable[[Source, Options], Iterator[Record]]:
    def read(source: Source, options: Options) -> Iterator[Record]:
        for member in source.members:
            if not _is_ours(member, options.encoding, marked=marked):
                continue
            kind = kind_of(member)
            missing = lacking(member, options.encoding, {"writingid", "learnerid", "text"})
            if kind is None or missing:
                yield from [missing] if missing else []
                continue
            names = by_plain_name(kind.columns(member, options.encoding), _COLUMNS)
            for roles, label in ((("l1", "nationality"), "L1 or nationality"), (("cefr", "level"), "level")):
                if not any(role in names for role in roles):
                    yield Note(f"no column for the {label}", member.name)
            for row in kind.rows(member, options.encoding):
                if isinstance(row, Drop):
                    yield row
                    continue
                given = {role: row.cells.get(column, "") for role, column in names.items()}
                if not given.get("id"):
                    yield Drop("a row without a writing id", row.place)
                    continue
                found = resolve(given["text"]) if marked else None
                document = _document(found.text if found else unescape(given["text"]), row.place, given)
                if found:
                    document = _with(document, found)
                yield document

    return read


_OWN = frozenset({"writingid", "learnerid", "level", "topic", "grade", "text"})
_CODED = frozenset({"original", "corrected"})


def _is_ours(member: Member, encoding: str, *, marked: bool) -> bool:
    if not (is_table(member) and nearly(member, encoding, _OWN)):
        return False
    # One of the two columns may be lost; the markup tells as well.
    coded = any(has_columns(member, encoding, {c}) for c in _CODED) or b"<change>" in member.head(1 << 16)
    return coded == marked


def _xml_members(source: Source) -> list[Member]:
    return [m for m in source.members if m.suffix in (".xml", ".txt", "") and b"<writing" in m.head(1 << 16)]


def sniff_xml(source: Source) -> int:
    """Files with ``<writing`` elements."""
    return 3 * bool(_xml_members(source))


def _sniff_table(*, marked: bool) -> Callable[[Source], int]:
    return lambda source: 3 * any(_is_ours(m, "utf-8", marked=marked) for m in source.members)


FORMATS = (
    Format("efcamdat-xml", "EFCamDat, XML export", read_xml, sniff_xml, _LICENCE, _WHERE),
    Format(
        "efcamdat-cleaned",
        "EFCamDat, cleaned subcorpus (CSV, XLSX)",
        _table_reader(marked=False),
        _sniff_table(marked=False),
        _LICENCE,
        _WHERE,
    ),
    Format(
        "efcamdat-errorcoded",
        "EFCamDat, cleaned error-coded subcorpus (CSV)",
        _table_reader(marked=True),
        _sniff_table(marked=True),
        _LICENCE,
        _WHERE,
    ),
)
