"""The same text again: exactly, but for white space, case or punctuation, or nearly; within and across learners."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Literal

import pandas as pd

Sameness = Literal["exact", "whitespace", "case", "letters", "near"]
#: From strict to loose; each joins at least what the one before joins.
SAMENESS: tuple[Sameness, ...] = ("exact", "whitespace", "case", "letters", "near")

_NOT_WORD = re.compile(r"[\W_]+")
_SHINGLE, _SKETCH, _ALIKE = 4, 16, 0.8


def duplicate_groups(texts: pd.DataFrame, *, sameness: Sameness = "whitespace") -> pd.DataFrame:
    """Return the groups of two or more texts that are the same.

    Parameters
    ----------
    texts : DataFrame
        The texts table; texts without a word are in no group.
    sameness : {"exact", "whitespace", "case", "letters", "near"}
        ``exact``; runs of white space alike and outer ones off; also case; also everything that is no letter or digit;
        ``near``: letters, or an estimated Jaccard similarity of word 4-grams of at least .8 (bottom-16 sketches; texts
        of 8 words or more).

    Returns
    -------
    DataFrame
        Columns ``group`` (from 1, by smallest text id), ``text_id``, ``learner_id``, ``n_group``, ``n_learners``
        (learners that are known, in the group); sorted by group and text id.
    """
    known = texts[texts["n_words"] > 0].sort_values("text_id", kind="stable")
    ids, contents = known["text_id"].tolist(), known["text"].tolist()
    labels = _labels(contents, sameness)
    frame = pd.DataFrame({"label": labels, "text_id": ids, "learner_id": known["learner_id"].tolist()})
    sizes = frame.groupby("label")["text_id"].transform("size")
    frame = frame[sizes > 1].copy()
    frame["n_group"] = sizes[sizes > 1]
    frame["n_learners"] = frame.groupby("label")["learner_id"].transform("nunique")
    frame["group"] = frame["label"].map({v: i for i, v in enumerate(dict.fromkeys(frame["label"]), 1)})
    ordered = frame.sort_values(["group", "text_id"], kind="stable").reset_index(drop=True)
    return ordered[["group", "text_id", "learner_id", "n_group", "n_learners"]].astype({"group": "int64"})


def key_of(text: str, sameness: Sameness) -> bytes:
    """Return what two texts share if they are the same (8 bytes; for ``near``: that of ``letters``)."""
    if sameness != "exact":
        text = " ".join(text.split())
    if sameness in ("case", "letters", "near"):
        text = text.casefold()
    if sameness in ("letters", "near"):
        text = _NOT_WORD.sub("", text)
    return hashlib.blake2b(text.encode("utf-8"), digest_size=8).digest()


def _labels(contents: Sequence[str], sameness: Sameness) -> list[int]:
    first: dict[bytes, int] = {}
    labels = [first.setdefault(key_of(text, sameness), i) for i, text in enumerate(contents)]
    return _joined_near(contents, labels) if sameness == "near" else labels


def _joined_near(contents: Sequence[str], labels: list[int]) -> list[int]:
    """Join groups whose first texts have similar sketches (union-find; the smaller index leads)."""
    leaders = sorted(set(labels))
    sketches = {i: _sketch(contents[i]) for i in leaders}
    buckets: dict[int, list[int]] = defaultdict(list)
    parent = {i: i for i in leaders}

    def root(i: int) -> int:
        while parent[i] != i:
            i = parent[i]
        return i

    for i in leaders:
        seen: set[int] = set()
        for value in sketches[i][:4]:  # similar texts share one of the smallest values
            for j in buckets[value][-50:]:
                if j not in seen and _similar(sketches[i], sketches[j]):
                    a, b = sorted((root(i), root(j)))
                    parent[b] = a
                seen.add(j)
            buckets[value].append(i)
    return [root(label) for label in labels]


def _sketch(text: str) -> list[int]:
    words = _NOT_WORD.sub(" ", text.casefold()).split()
    if len(words) < 2 * _SHINGLE:
        return []
    shingles = {" ".join(words[i : i + _SHINGLE]) for i in range(len(words) - _SHINGLE + 1)}
    values = sorted(int.from_bytes(hashlib.blake2b(s.encode("utf-8"), digest_size=8).digest(), "big") for s in shingles)
    return values[:_SKETCH]


def _similar(a: list[int], b: list[int]) -> bool:
    union = sorted(set(a) | set(b))[:_SKETCH]
    both = set(a) & set(b)
    return bool(union) and sum(v in both for v in union) / len(union) >= _ALIKE
