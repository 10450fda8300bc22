"""CEFR-ASAG: short answers in TEI, one a file, L1 one or several, some rated by experts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from lxml import etree

from miner.corpora.records import Document, Drop, Record
from miner.corpora.registry import Format, Options
from miner.corpora.sources import Source
from miner.errors import InputError

_ANSWER = "div[@type='answer']"
_PARSER = {"resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": False}


def read(source: Source, options: Options) -> Iterator[Record]:
    """Yield one document per TEI file."""
    for member in source.ending(".xml"):
        try:
            root = etree.fromstring(member.data(), etree.XMLParser(**_PARSER))
        except InputError as err:
            yield Drop("a file that cannot be read", member.name, detail=str(err))
            continue
        except etree.XMLSyntaxError as err:
            line = err.lineno or 1
            yield Drop("XML that is not well-formed", f"{member.name}:{line}", detail=str(err.msg))
            continue
        folder = member.name.rsplit("/", 2)[-2] if "/" in member.name else member.path.parent.name
        yield _document(root, member.name, f"{folder}/{member.stem}")


def _document(root: etree._Element, place: str, text_id: str) -> Document | Drop:
    body = root.find(".//body")
    answer = body.find(_ANSWER) if body is not None else None
    if root.tag != "TEI" or answer is None:
        return Drop("a TEI file without an answer", place, bad=root.tag == "TEI")
    natives = [k.get("tag", "") for k in root.iterfind(".//langKnown[@level='native']")]
    question = body.find("div[@type='question']")
    paragraphs = [] if question is None else ["".join(p.itertext()) for p in question.iterfind("p")]
    target = _label(question, "label[@type='level']")
    assessed = _label(body.find("div[@type='grading']"), "label[@subtype='majority-vote']")
    person = root.find(".//person[@role='participant']")
    education = root.find(".//person[@role='participant']/education")
    meta = {
        "question_level": target,
        "age": "" if person is None else person.get("age", ""),
        "sex": "" if person is None else person.get("sex", ""),
        "education": "" if education is None else education.get("type", ""),
        "word_limit": "" if question is None else (question.findtext("note[@type='word-limit']") or ""),
    }
    return Document(
        text="\n".join("".join(p.itertext()) for p in answer.iterfind("p")),
        place=place,
        text_id=text_id,
        l1_raw=";".join(natives),
        level_raw=assessed or target,
        cefr_source="assessed" if assessed else "placement",
        prompt_id=_prompt(paragraphs),
        meta=meta,
    )


def _prompt(paragraphs: list[str]) -> str:
    """Return a stable id of a question, never its text: the corpus gives questions no id."""
    text = " ".join(" ".join(paragraphs).split()).casefold()
    return "q" + hashlib.blake2b(text.encode("utf-8"), digest_size=4).hexdigest() if text else ""


def _label(parent: etree._Element | None, path: str) -> str:
    if parent is None or (found := parent.find(path)) is None:
        return ""
    return " ".join("".join(found.itertext()).split())


def sniff(source: Source) -> int:
    """TEI files with an ``answer`` division and examiners' or question levels."""
    for member in source.ending(".xml")[:5]:
        head = member.head()
        if b"<TEI" in head and b'type="answer"' in head and b"langKnown" in head:
            return 3
    return 0


FORMAT = Format(
    name="cefr-asag",
    title="CEFR-ASAG: short answers (TEI), L1 mostly French, 299 rated by experts",
    read=read,
    sniff=sniff,
    licence="CC BY-NC-SA 4.0 (ALTISSIA, CENTAL)",
    where="https://cental.uclouvain.be/cefr-asag/",
    redistribute=True,
)
