"""Quick looks: the first texts of a study's corpora, or a sample of them. The result says that it is one."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from miner.corpora import Corpus
from miner.errors import OptionError
from miner.ledger import Ledger


def reduced(corpora: Sequence[Corpus], *, limit: int | None, sample: int | None, seed: int) -> list[Corpus]:
    """Return the corpora with some of their texts; all if both numbers are None.

    Parameters
    ----------
    corpora : sequence of Corpus
    limit : int, optional
        The first texts, by corpus and id.
    sample : int, optional
        Texts drawn at random: those whose hash of seed and id is smallest, whatever the order and the rest of the corpus.
    seed : int

    Returns
    -------
    list of Corpus
        With the edits of their texts; what was left out is in the account (step ``look``).

    Raises
    ------
    OptionError
        If both numbers are given.
    """
    if limit is not None and sample is not None:
        msg = "--limit and --sample exclude each other: the first texts, or a sample of them"
        raise OptionError(msg)
    wanted = limit if limit is not None else sample
    total = sum(len(c.texts) for c in corpora)
    if wanted is None or wanted >= total:
        return list(corpora)
    ordered = sorted(
        (_hash(seed, c.name, i) if sample is not None else "", k, place, str(i))
        for k, c in enumerate(corpora)
        for place, i in enumerate(c.texts["text_id"])
    )
    kept: list[set[str]] = [set() for _ in corpora]
    for _, k, _, text_id in ordered[:wanted]:
        kept[k].add(text_id)
    return [_part(c, ids) for c, ids in zip(corpora, kept, strict=True)]


def _part(corpus: Corpus, ids: set[str]) -> Corpus:
    texts = corpus.texts[corpus.texts["text_id"].isin(ids)].reset_index(drop=True)
    edits = corpus.edits[corpus.edits["text_id"].isin(ids)].reset_index(drop=True)
    return replace(corpus, texts=texts, edits=edits)


def look_account(before: Sequence[Corpus], after: Sequence[Corpus]) -> Ledger:
    """Return the account of :func:`reduced`."""
    ledger = Ledger("look", "texts")
    n, m = sum(len(c.texts) for c in before), sum(len(c.texts) for c in after)
    ledger.keep(m)
    ledger.drop("not in this quick look", n - m)
    return ledger


def _hash(seed: int, name: str, text_id: str) -> str:
    return hashlib.blake2b(f"{seed}/{name}/{text_id}".encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
