"""Damaged copies of the samples: a message or a list with reasons and places, never a traceback, never a silent loss."""

from __future__ import annotations

import gzip
import random
import re
import shutil
import zipfile
from pathlib import Path

import pytest

from miner.corpora import Corpus, read_corpus
from miner.errors import MinerError

CASES = Path(__file__).resolve().parents[1] / "cases" / "corpora"
SAMPLES = sorted(p.name for p in CASES.iterdir() if p.is_dir())
COPIES = 500
_TAGS = re.compile(rb'<[^<>]{1,60}>|[{}"\[\]]|^S |\|\|\||\t', re.MULTILINE)
_NAMES = re.compile(rb"[A-Za-z_]{2,}")


def damaged(data: bytes, kind: str, rng: random.Random) -> bytes:
    """Return the bytes with one damage."""
    at = rng.randrange(len(data))
    if kind == "flip":
        return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
    if kind == "truncate":
        return data[:at]
    if kind == "delete":
        return data[:at] + data[at + rng.randrange(1, 40) :]
    found = list(_TAGS.finditer(data)) if kind == "tag" else list(_NAMES.finditer(data.split(b"\n", 1)[0]))
    if not found:
        return data
    start, end = rng.choice(found).span()
    return data[:end] + b"x" + data[end:] if kind == "rename" else data[:start] + data[end:]


def mutate(folder: Path, rng: random.Random) -> str:
    """Damage or wrap one file of the folder; return what was done."""
    file = rng.choice(sorted(p for p in folder.rglob("*") if p.is_file()))
    data = file.read_bytes()
    kind = rng.choice(["flip", "flip", "truncate", "delete", "tag", "rename", "column", "gzip", "zip"])
    if kind == "gzip":
        file.with_name(f"{file.name}.gz").write_bytes(gzip.compress(data))
        file.unlink()
    elif kind == "zip":
        with zipfile.ZipFile(file.with_name(f"{file.name}.zip"), "w") as archive:
            archive.writestr(file.name, data)
        file.unlink()
    else:
        file.write_bytes(damaged(data, kind, rng))
    return kind


def told(corpus: Corpus) -> bool:
    """Tell whether anything is listed, with a place each."""
    account = corpus.ledger.as_dict()
    for drop in corpus.dropped:
        assert drop.reason
        assert drop.place
    assert sum(d.n for d in corpus.dropped) == corpus.ledger.dropped.total()
    return bool(account["dropped"] or account.get("noted"))


@pytest.mark.parametrize("part", range(10))
def test_damaged_copies(part: int, tmp_path: Path) -> None:
    rng = random.Random(part)
    whole = {name: set(read_corpus(CASES / name).texts["text_id"]) for name in SAMPLES}
    for i in range(COPIES // 10):
        name = rng.choice(SAMPLES)
        folder = tmp_path / str(i)
        shutil.copytree(CASES / name, folder, ignore=shutil.ignore_patterns("expected*"))
        kind = mutate(folder, rng)
        for on_bad_row in ("fail", "skip"):
            try:
                corpus = read_corpus(folder, on_bad_row=on_bad_row)
            except MinerError as err:
                assert str(err)  # noqa: PT017
                assert kind not in ("gzip", "zip")
                continue
            ids = set(corpus.texts["text_id"])
            if kind in ("gzip", "zip"):
                assert ids == whole[name]
            lost = whole[name] - ids
            # An id that was damaged is another id; a text that has gone is in the list.
            assert len(ids - whole[name]) >= len(lost) or kind == "truncate" or told(corpus)
        shutil.rmtree(folder)
