"""UniversalCEFR: JSON arrays of texts of many sources and languages; no L1, no learner."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from miner.corpora.records import Document, Drop, Record
from miner.corpora.registry import Format, Options
from miner.corpora.sources import Source
from miner.corpora.tabular import array_objects, cell

_MISSING = {"na", "n/a", "unknown", ""}
_KEYS = (b'"cefr_level"', b'"source_name"', b'"category"', b'"text"')


def read(source: Source, options: Options) -> Iterator[Record]:
    """Yield a document per item; reference texts and other languages are flagged, not left out."""
    for member in source.ending(".json"):
        for place, index, item in array_objects(member, options.encoding):
            yield item if isinstance(item, Drop) else _document(item, place, f"{member.stem}:{index}")


def _document(item: dict[str, Any], place: str, text_id: str) -> Document | Drop:
    text = item.get("text")
    if not isinstance(text, str):
        return Drop("an item without text", place)
    given = {k: cell(v).strip() for k, v in item.items() if k != "text"}
    given = {k: "" if v.casefold() in _MISSING else v for k, v in given.items()}
    language = given.get("lang", "")
    flags = [] if given.get("category", "").casefold() in ("learner", "") else ["not_a_learner"]
    if language and language.casefold() not in ("en", "eng", "english"):
        flags.append("declared_other_language")
    return Document(
        text=text,
        place=place,
        text_id=text_id,
        l1="",
        level_raw=given.get("cefr_level", ""),
        task_type=given.get("format", ""),
        flags=flags,
        meta={k: v for k, v in given.items() if k not in ("cefr_level", "format")},
    )


def sniff(source: Source) -> int:
    """A JSON array whose first item has the keys of UniversalCEFR."""
    for member in source.ending(".json"):
        head = member.head()
        if head.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"[") and all(k in head for k in _KEYS):
            return 3
    return 0


FORMAT = Format(
    "universalcefr",
    "UniversalCEFR (JSON), no L1",
    read,
    sniff,
    "per source: see meta_license of each text",
    "https://huggingface.co/UniversalCEFR",
    has_l1=False,
)
