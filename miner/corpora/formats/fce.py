"""CLC-FCE: the XML release (2011) and the BEA-2019 JSON Lines; the same texts, ids and edits from both."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Any

from lxml import etree

from miner.corpora.json_edits import edits_of, text_of
from miner.corpora.records import Document, Drop, Edit, Record, used
from miner.corpora.registry import Format, Options
from miner.corpora.sources import Member, Source
from miner.corpora.tabular import cell, json_objects, kind_of
from miner.errors import InputError

LICENCE = "CLC FCE licence: free after a form, non-transferable, non-commercial; quotations below 100 words; do not redistribute"
WHERE = "https://ilexir.co.uk/datasets/ and https://www.cl.cam.ac.uk/research/nl/bea2019st/ (form)"
#: The exam's target level; a claim about the exam, not about the script.
TARGET = "B2"
_MONTHS = {"01": "6", "02": "12", "03": "3"}
_FOLDER = re.compile(r"(\d{4}_\d{4}_\d{1,2})")
_LANGUAGE_KEYS = ("l1", "language")


class _Ids:
    """Ids ``<sortkey>#q<question>``; a second answer under the same id gets a counter."""

    def __init__(self) -> None:
        self._texts: dict[str, list[bytes]] = {}

    def take(self, sortkey: str, question: str, text: str) -> str:
        base = f"{sortkey}#q{question}"
        digest = hashlib.blake2b(text.strip().encode("utf-8", "surrogatepass"), digest_size=8).digest()
        known = self._texts.setdefault(base, [])
        if digest not in known:
            known.append(digest)
        n = known.index(digest) + 1
        return base if n == 1 else f"{base}-{n}"


def prompt_of(sortkey: str, question: str, folder: str = "") -> str:
    """Return ``<exam>_<year>_<month>/q<question>``, from the folder or from the sortkey."""
    parts = sortkey.split("*")
    if not folder and len(parts) == 4:
        folder = f"{parts[1]}_{parts[2]}_{_MONTHS.get(parts[3], parts[3])}"
    return f"{folder}/q{question}" if folder else ""


def read_xml(source: Source, options: Options) -> Iterator[Record]:
    """Yield a document per answer."""
    ids = _Ids()
    yield from (used(m.name) for m in source.ending(".xml") if b"<exam" in m.head(4096))
    for member in _scripts(source):
        try:
            data = member.data()
            root = etree.fromstring(
                data, etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True)
            )
        except InputError as err:
            yield Drop("a file that cannot be read", member.name, detail=str(err))
            continue
        except etree.XMLSyntaxError as err:
            answers = max(1, *(data.count(b) for b in (b"<coded_answer", b"</coded_answer", b"<question_number")))
            yield Drop(
                "XML that is not well-formed", f"{member.name}:{err.lineno or 1}", detail=str(err.msg), n=answers
            )
            continue
        yield from _script(root, member, ids)


def _script(root: etree._Element, member: Member, ids: _Ids) -> Iterator[Record]:
    head = root if root.tag == "head" else root.find(".//head")
    sortkey = "" if head is None else head.get("sortkey", "")
    # An element that lost its name is a lost answer, told by what answers hold.
    answers = [e for e in root.iter() if isinstance(e.tag, str) and e.find("coded_answer") is not None]
    lost = sum(1 for e in root.iter("question_number") if e.getparent().find("coded_answer") is None)
    if not sortkey or not answers:
        yield Drop(
            "a script without sortkey or answer", f"{member.name}:{root.sourceline}", n=max(1, len(answers), lost)
        )
        return
    if lost:
        yield Drop("an answer without text", f"{member.name}:{root.sourceline}", n=lost)
    found = _FOLDER.search(member.name) or _FOLDER.search(str(member.path.parent.name))
    for answer in answers:
        question = (answer.findtext("question_number") or "").strip()
        text, edits = _flatten(answer.find("coded_answer"))
        yield Document(
            text=text,
            place=f"{member.name}:{answer.sourceline}",
            text_id=ids.take(sortkey, question, text),
            l1_raw=root.findtext(".//personnel/language") or "",
            level_raw="FCE",
            level=TARGET,
            learner_id=sortkey,
            prompt_id=prompt_of(sortkey, question, found[1] if found else ""),
            edits=edits or [Edit(-1, -1, "", "noop")],  # the whole corpus was annotated
            scheme="clc",
            meta={
                "age": root.findtext(".//personnel/age") or "",
                "script_score": (root.findtext(".//candidate/score") or "").strip(),
                "answer_score": (answer.findtext("exam_score") or "").strip(),
                "session": "_".join(sortkey.split("*")[:1]),
            },
        )


def _flatten(coded: etree._Element) -> tuple[str, list[Edit]]:
    walker = _Walker()
    paragraphs = list(coded.iterfind("p"))
    stray = bool((coded.text or "").strip()) or any((p.tail or "").strip() for p in coded)
    for i, paragraph in enumerate([coded] if stray or not paragraphs else paragraphs):
        if i:
            walker.write("\n\n")
        walker.element(paragraph)
    return "".join(walker.out), walker.edits


class _Walker:
    """Writes the learner's side and notes the edits.

    NS with ``i`` or ``c``: one edit from the learner's side of ``i`` to the corrected side of ``c``; edits inside are
    swallowed. NS with neither: a detection over its content, and the walk goes on inside.
    """

    def __init__(self) -> None:
        self.out: list[str] = []
        self.edits: list[Edit] = []
        self._size = 0

    def write(self, text: str | None) -> None:
        if text:
            self.out.append(text)
            self._size += len(text)

    def element(self, node: etree._Element) -> None:
        self.write(node.text)
        for child in node:
            if child.tag == "NS":
                self._mark(child)
            elif child.tag == "p" and node.tag == "coded_answer":
                self.write("\n\n" if self._size else "")
                self.element(child)
            elif isinstance(child.tag, str):
                self.element(child)
            self.write(child.tail)

    def _mark(self, mark: etree._Element) -> None:
        code, start, slot = mark.get("type", ""), self._size, len(self.edits)
        wrong, right = mark.find("i"), mark.find("c")
        if wrong is None and right is None:
            self.element(mark)
            self.edits.insert(slot, Edit(start, self._size, None, code))
            return
        if wrong is not None:
            self.element(wrong)
        correction = "" if right is None else _side(right, "c")
        self.edits[slot:] = [Edit(start, self._size, correction, code)]


def _side(node: etree._Element, side: str) -> str:
    """Return the text of a node, taking ``side`` (``i`` or ``c``) of each NS inside it."""
    out = [node.text or ""]
    for child in node:
        if child.tag == "NS":
            chosen = child.find(side)
            if chosen is not None:
                out.append(_side(chosen, side))
            elif child.find("i") is None and child.find("c") is None:
                out.append(_side(child, side))
        elif isinstance(child.tag, str):
            out.append(_side(child, side))
        out.append(child.tail or "")
    return "".join(out)


def _scripts(source: Source) -> list[Member]:
    return [
        m for m in source.ending(".xml") if (b"<learner" in (head := m.head(8192)) and b"sortkey" in head) or _broken(m)
    ]


def _broken(member: Member) -> bool:
    # A script whose first tags are damaged is still a script: it has coded answers.
    return b"<coded_answer" in member.head(8192)


def read_json(source: Source, options: Options) -> Iterator[Record]:
    """Yield a document per line."""
    ids = _Ids()
    for member in source.members:
        if kind_of(member) is None or kind_of(member).name != "jsonl":  # type: ignore[union-attr]
            continue
        for place, item in json_objects(member, options.encoding):
            yield item if isinstance(item, Drop) else _answer(item, place, ids)


def _answer(item: dict[str, Any], place: str, ids: _Ids) -> Record:
    text, edits = text_of(item), edits_of(item)
    sortkey, question = cell(item.get("id")).strip(), cell(item.get("q")).strip()
    if text is None or edits is None or not sortkey:
        return Drop("a line without id, text or well-formed edits", place)
    language = next((cell(item[k]) for k in _LANGUAGE_KEYS if k in item), "")
    return Document(
        text=text,
        place=place,
        text_id=ids.take(sortkey, question, text),
        l1_raw=language,
        level_raw="FCE",
        level=TARGET,
        learner_id=sortkey,
        prompt_id=prompt_of(sortkey, question),
        # Newer releases have compound codes such as MP(UT): the first counts.
        edits=[e._replace(type=e.type.split("(")[0]) for e in edits],
        scheme="clc",
        meta={
            "age": cell(item.get("age")),
            "script_score": cell(item.get("script-s", item.get("score"))),
            "answer_score": cell(item.get("answer-s")),
        },
    )


def sniff_xml(source: Source) -> int:
    """XML with ``<learner><head sortkey`` and coded answers."""
    return 3 * any(
        (b"sortkey" in h and b"<coded_answer" in h) or b"<NS type" in h
        for h in (m.head(8192) for m in source.ending(".xml"))
    )


def sniff_json(source: Source) -> int:
    """JSON Lines with ``text``, ``edits``, ``q`` and ``l1``."""
    return 3 * any(
        m.suffix in (".json", ".jsonl") and all(k in h for k in (b'"text"', b'"edits"', b'"q"', b'"l1"'))
        for m in source.members
        if (h := m.head(1 << 18))
    )


FORMATS = (
    Format("fce-xml", "CLC-FCE, XML (2011)", read_xml, sniff_xml, LICENCE, WHERE),
    Format("fce-json", "CLC-FCE, BEA-2019 JSON Lines", read_json, sniff_json, LICENCE, WHERE),
)
