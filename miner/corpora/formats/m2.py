"""M2 files: in general, of the FCE, and of W&I+LOCNESS (the level stands in the file name)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

from miner.corpora.formats import fce, wi_locness
from miner.corpora.m2 import is_m2, sentences
from miner.corpora.records import Document, Drop, Record
from miner.corpora.registry import Format, Options
from miner.corpora.sources import Member, Source

_LEVEL = re.compile(r"([ABCN])\.")


def read(source: Source, options: Options, *, levels: bool = False) -> Iterator[Record]:
    """Yield a document per sentence; ids are ``<file name>#<n>``."""
    members = _members(source)
    bases = Counter(m.base for m in members)
    for member in members:
        label = _LEVEL.match(member.base) if levels else None
        level = label[1] if label else ""
        native = level == wi_locness.NATIVE
        name = member.base if bases[member.base] == 1 else member.name
        for sentence in sentences(member, options.encoding):
            if isinstance(sentence, Drop):
                yield sentence
                continue
            yield Document(
                text=sentence.text,
                place=sentence.place,
                text_id=f"{name}#{sentence.number}",
                l1="en" if native else "",
                l1_raw=level if native else "",
                l1_source="file",
                level_raw=level,
                level="" if native else level,
                edits=sentence.edits,
                scheme="errant",
                task_type="sentence",
            )


def _read_levels(source: Source, options: Options) -> Iterator[Record]:
    return read(source, options, levels=True)


def _members(source: Source) -> list[Member]:
    return [m for m in source.members if m.suffix == ".m2" or (m.suffix in (".txt", "") and is_m2(m.head(8192)))]


def _sniff(pattern: str, *, mark: int) -> Callable[[Source], int]:
    name = re.compile(pattern)

    def sniff(source: Source) -> int:
        return mark * any(name.match(m.base) and is_m2(m.head(8192)) for m in _members(source))

    return sniff


FORMATS = (
    Format(
        "fce-m2",
        "CLC-FCE, M2 (no L1, learner or level)",
        read,
        _sniff(r"fce\b", mark=3),
        fce.LICENCE,
        fce.WHERE,
        has_l1=False,
    ),
    Format(
        "wi-locness-m2",
        "Write & Improve + LOCNESS (BEA-2019), M2",
        _read_levels,
        _sniff(r"[ABCN]{1,4}\.[\w.]*m2$", mark=3),
        wi_locness.LICENCE,
        wi_locness.WHERE,
        has_l1=False,
    ),
    Format(
        "m2",
        "M2 in general (ERRANT, CoNLL)",
        read,
        _sniff("", mark=1),
        "as stated by its owner",
        "your own data",
        has_l1=False,
    ),
)
