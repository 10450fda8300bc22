"""ICNALE Written Essays and Edited Essays: everything about a text stands in its file name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from miner.corpora.alignment import aligned
from miner.corpora.bundled import bundled_rows
from miner.corpora.plain_files import decoded
from miner.corpora.records import Document, Drop, Edit, Note, Record, used
from miner.corpora.registry import Format, Options
from miner.corpora.sources import Member, Source
from miner.text import normalise

_NAME = re.compile(
    r"(?P<stem>(?P<module>[A-Z]{1,3})_(?P<country>[A-Z]{3})_(?P<topic>[A-Z]{3})(?P<set>\d?)_(?P<number>\d+)_(?P<level>[A-Z]+\d*_\d))(?:_(?P<side>ORIG|EDIT))?"
)
_NATIVE = "ENS"


@lru_cache(maxsize=1)
def _countries() -> dict[str, dict[str, str]]:
    return {row["code"]: row for row in bundled_rows("nationality", "icnale_countries.csv")}


def read(source: Source, options: Options) -> Iterator[Record]:
    """Yield a document per text; an ``_EDIT`` file is the corrected side of its ``_ORIG``."""
    edited = {m.stem: m for m in source.members if m.stem.endswith("_EDIT")}
    originals = {m.stem for m in source.members if m.stem.endswith("_ORIG")}
    for member in source.ending(".txt"):
        match = _NAME.fullmatch(member.stem)
        if match is None:
            yield Drop("a file name that is not ICNALE's", member.name, bad=False)
        elif match["side"] == "EDIT":
            yield used(member.name)
            if f"{match['stem']}_ORIG" not in originals:
                yield Drop("an edited text without its original", member.name, bad=False)
        else:
            text = decoded(member, options)
            if isinstance(text, Drop):
                yield text
                continue
            pair = edited.get(f"{match['stem']}_EDIT") if match["side"] else None
            yield from _with_edits(_document(text, member, match), pair, options)


def _with_edits(document: Document, pair: Member | None, options: Options) -> Iterator[Record]:
    if pair is None:
        yield document
        return
    corrected = decoded(pair, options)
    if isinstance(corrected, Drop):
        yield Note("an edited text that cannot be decoded: its original has no edits", pair.name)
        yield document
    else:
        text = normalise(document.text).strip()
        edits = aligned(text, normalise(corrected).strip()) or [Edit(-1, -1, "", "noop")]
        yield document._replace(text=text, edits=edits, scheme="none")


def _document(text: str, member: Member, match: re.Match[str]) -> Document:
    country = match["country"]
    row = _countries().get(country)
    native = country == _NATIVE
    known = row is not None and row["ambiguous"] == "no"
    flags = ["native"] if native else []
    if row is None:
        flags.append("nationality_unknown")
    elif not known:
        flags.append("l1_ambiguous")
    return Document(
        text=text,
        place=member.name,
        text_id=match["stem"],
        l1=row["l1"] if row and known else "",
        l1_raw=country,
        l1_source="file" if native else "country",
        level_raw=match["level"],
        level="" if match["level"].startswith("XX") else None,
        cefr_source="score",
        learner_id=f"{country}_{match['number']}",
        prompt_id=match["topic"],
        country="" if native or row is None else row["country"],
        flags=flags,
        meta={"module": match["module"], "topic_set": match["set"]},
    )


def sniff(source: Source) -> int:
    """Files with ICNALE's names."""
    return 3 * any(_NAME.fullmatch(m.stem) for m in source.ending(".txt"))


FORMAT = Format(
    "icnale",
    "ICNALE Written Essays and Edited Essays",
    read,
    sniff,
    "ICNALE terms: free after registration, research and education; do not redistribute",
    "https://language.sakura.ne.jp/icnale/ (registration, zips with password)",
)
