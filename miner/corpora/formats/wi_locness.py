"""W&I+LOCNESS (BEA-2019), JSON Lines: CEFR and gold edits, no L1 (LOCNESS: native writers)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from miner.corpora.json_edits import edits_of, text_of
from miner.corpora.records import Document, Drop, Record
from miner.corpora.registry import Format, Options
from miner.corpora.sources import Source
from miner.corpora.tabular import cell, json_objects, kind_of

LICENCE = "W&I+LOCNESS licence: free, non-transferable, non-commercial; do not redistribute"
WHERE = "https://www.cl.cam.ac.uk/research/nl/bea2019st/"
NATIVE = "N"


def read(source: Source, options: Options) -> Iterator[Record]:
    """Yield a document per line."""
    for member in source.members:
        kind = kind_of(member)
        if kind is not None and kind.name == "jsonl":
            for place, item in json_objects(member, options.encoding):
                yield item if isinstance(item, Drop) else _essay(item, place)


def _essay(item: dict[str, Any], place: str) -> Record:
    text, edits, text_id = text_of(item), edits_of(item), cell(item.get("id")).strip()
    if text is None or edits is None or not text_id:
        return Drop("a line without id, text or well-formed edits", place)
    label = cell(item.get("cefr")).strip()
    native = label == NATIVE
    return Document(
        text=text,
        place=place,
        text_id=text_id,
        l1="en" if native else "",
        l1_raw=label if native else "",
        l1_source="file",
        level_raw=label,
        level="" if native else None,
        cefr_source="assessed",
        learner_id=cell(item.get("userid")),
        edits=edits,
        scheme="none",
        flags=("native",) if native else (),
    )


def sniff(source: Source) -> int:
    """JSON Lines with ``text``, ``edits`` and ``cefr``, without ``l1``."""
    for member in source.members:
        head = member.head(1 << 18)
        if (
            member.suffix in (".json", ".jsonl")
            and all(k in head for k in (b'"text"', b'"edits"', b'"cefr"'))
            and b'"l1"' not in head
        ):
            return 3
    return 0


FORMAT = Format(
    "wi-locness-json", "Write & Improve + LOCNESS (BEA-2019), JSON Lines", read, sniff, LICENCE, WHERE, has_l1=False
)
