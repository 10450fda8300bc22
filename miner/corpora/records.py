"""What a reader yields: documents with their gold edits, and what it could not use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Edit(NamedTuple):
    """One gold edit.

    ``start`` and ``end`` are code points of the document's own ``text`` (before stripping); ``correction`` None means
    that the error is marked and not corrected. ``noop`` edits (the annotator saw no error) have -1, -1.
    ``token_start`` and ``token_end`` are set where the format counts tokens.
    """

    start: int
    end: int
    correction: str | None
    type: str = ""
    annotator: str = "0"
    token_start: int | None = None
    token_end: int | None = None


class Document(NamedTuple):
    """One text as the corpus gives it; the assembly strips, counts and checks it.

    Parameters
    ----------
    text : str
        What the learner wrote, markup resolved, not stripped.
    place : str
        ``file:line`` (or the file), for messages.
    text_id : str
        The corpus's id; empty: a hash of ``content`` and a counter.
    content : str
        What identifies a text without an id (all cells of its row).
    l1_raw, l1_source : str
        The label, and what it is: ``declared``, ``nationality``, ``country`` or ``file``.
    l1 : str or None
        ISO codes joined by ``;`` where the reader knows better than the label; None: read from the label.
    level_raw, cefr_source : str
        The label, and where it comes from: ``corpus``, ``assessed``, ``placement``, ``score``, ...
    level : str or None
        The level cleaned, where the reader knows better than the label; None: read from the label.
    edits : sequence of Edit
        Gold edits of all annotators, in the order of the file.
    scheme : str
        ``clc``, ``errant``, ``efcamdat`` or ``none``.
    meta : mapping of str to str
        All other columns.
    """

    text: str
    place: str
    text_id: str = ""
    content: str = ""
    l1_raw: str = ""
    l1_source: str = "declared"
    l1: str | None = None
    level_raw: str = ""
    cefr_source: str = "corpus"
    level: str | None = None
    learner_id: str = ""
    prompt_id: str = ""
    country: str = ""
    site: str = ""
    task_type: str = ""
    edits: Sequence[Edit] = ()
    scheme: str = ""
    flags: Sequence[str] = ()
    meta: Mapping[str, str] = {}


class Drop(NamedTuple):
    """Something that is no document: ``reason`` (a fixed phrase), ``place`` (``file:line``), and whether it is a defect.

    A defect (``bad``) stops reading unless the caller asked to skip such rows; ``detail`` goes into the message only.
    ``n`` is the number of texts lost, where that can be told.
    """

    reason: str
    place: str
    bad: bool = True
    detail: str = ""
    n: int = 1


class Note(NamedTuple):
    """Something worth telling that costs no document, e.g. a second copy of a file that was not read."""

    what: str
    place: str = ""
    n: int = 1


def used(name: str) -> Note:
    """Say that a file was read though no text stands in it; all files that were not are told."""
    return Note("", name, 0)


Record = Document | Drop | Note
