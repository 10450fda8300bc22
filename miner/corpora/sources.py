"""Where a corpus lies: a file, a folder, or either inside zip or gzip; members are opened as streams."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import IO

from miner.errors import EmptyInput, InputError, nearest

#: What reading a damaged archive may raise.
ARCHIVE_ERRORS = (OSError, EOFError, zlib.error, zipfile.BadZipFile, NotImplementedError, RuntimeError)
_SKIPPED = ("__MACOSX", "Thumbs.db", "desktop.ini")
_ZIP, _GZIP = b"PK\x03\x04", b"\x1f\x8b"
_OFFICE = (".xlsx", ".xlsm")


@dataclass(frozen=True)
class Member:
    """One file of a corpus.

    Parameters
    ----------
    name : str
        Path inside the corpus with ``/``, without ``.gz``.
    path : Path
        The file on disk (the archive, for a member of one).
    inside : str
        Name inside the zip archive; empty for a plain file.
    gzipped : bool
        Whether the bytes are gzip.
    """

    name: str
    path: Path
    inside: str = ""
    gzipped: bool = False

    @property
    def stem(self) -> str:
        """File name without its last extension."""
        return PurePosixPath(self.name).stem

    @property
    def suffix(self) -> str:
        """Last extension in lower case."""
        return PurePosixPath(self.name).suffix.lower()

    @property
    def base(self) -> str:
        """File name."""
        return PurePosixPath(self.name).name

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Open the member for reading bytes.

        Raises
        ------
        InputError
            If it cannot be opened or is damaged; the message names it.
        """
        try:
            with _opened(self) as stream:
                yield stream
        except ARCHIVE_ERRORS as err:
            msg = f"{self.name}: cannot be read ({type(err).__name__}: {err}); get a fresh copy of the file"
            raise InputError(msg) from err

    def head(self, size: int = 65536) -> bytes:
        """Return the first bytes; empty if the member cannot be read."""
        try:
            stat = self.path.stat()
        except OSError:
            return b""
        return _head_of(self, size, (stat.st_mtime_ns, stat.st_size))

    def data(self) -> bytes:
        """Return all bytes."""
        with self.open() as stream:
            return stream.read()


@lru_cache(maxsize=256)
def _head_of(member: Member, size: int, stamp: tuple[int, int]) -> bytes:
    # The stamp is part of the key: a file that was rewritten is read again.
    try:
        with member.open() as stream:
            return stream.read(size)
    except InputError:
        return b""


@contextmanager
def _opened(member: Member) -> Iterator[IO[bytes]]:
    if member.inside:
        with zipfile.ZipFile(member.path) as archive, archive.open(member.inside) as raw:
            if member.gzipped:
                with gzip.open(raw) as stream:
                    yield io.BufferedReader(stream)
            else:
                yield raw
    elif member.gzipped:
        with gzip.open(member.path) as stream:
            yield io.BufferedReader(stream)
    else:
        with member.path.open("rb") as stream:
            yield stream


@dataclass(frozen=True)
class Source:
    """A corpus on disk: its path and its members sorted by name (code points)."""

    path: Path
    members: tuple[Member, ...]

    def ending(self, *suffixes: str) -> list[Member]:
        """Return the members whose names end so (lower case)."""
        return [m for m in self.members if m.name.casefold().endswith(suffixes)]


def open_source(path: Path | str) -> Source:
    """Return the members of a file, folder, zip archive or gzip file.

    Hidden files are no members. Nothing is unpacked to disk.

    Raises
    ------
    InputError
        If nothing is there; the message has the nearest name.
    EmptyInput
        If there is no file in it.
    """
    path = Path(path)
    if not path.exists():
        siblings = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
        msg = f"There is no file or folder {path}{nearest(path.name, siblings)}; give the path of a corpus"
        raise InputError(msg)
    if path.is_dir():
        found = [
            m for file in path.rglob("*") if file.is_file() for m in _members(file, file.relative_to(path).as_posix())
        ]
    else:
        found = _members(path, path.name)
    members = sorted((m for m in found if not _hidden(m.name)), key=lambda m: m.name)
    if not members:
        msg = f"{path} holds no file; give a corpus folder or file"
        raise EmptyInput(msg)
    return Source(path, tuple(members))


def _hidden(name: str) -> bool:
    parts = PurePosixPath(name).parts
    # An archive may name a member '../x': nothing is unpacked, so that it is read as any other.
    return any((p.startswith(".") and p != "..") or p in _SKIPPED for p in parts)


def _members(file: Path, name: str) -> list[Member]:
    try:
        with file.open("rb") as stream:
            magic = stream.read(4)
    except OSError as err:
        msg = f"{name}: cannot be read ({err}); check its permissions"
        raise InputError(msg) from err
    if magic.startswith(_GZIP):
        return [Member(name.removesuffix(".gz"), file, gzipped=True)]
    if magic == _ZIP and not name.casefold().endswith(_OFFICE):
        return _archived(file, name)
    return [Member(name, file)]


def _archived(file: Path, name: str) -> list[Member]:
    try:
        with zipfile.ZipFile(file) as archive:
            names = [i.filename for i in archive.infolist() if not i.is_dir()]
            if "[Content_Types].xml" in names:
                return [Member(name, file)]  # a spreadsheet under another name
            heads = {n: _head(archive, n) for n in names}
    except ARCHIVE_ERRORS as err:
        msg = f"{name}: a damaged zip archive ({err}); get a fresh copy of the file"
        raise InputError(msg) from err
    top = name.removesuffix(".zip")
    return [Member(f"{top}/{n.removesuffix('.gz')}", file, n, h.startswith(_GZIP)) for n, h in heads.items()]


def _head(archive: zipfile.ZipFile, name: str) -> bytes:
    try:
        with archive.open(name) as stream:
            return stream.read(2)
    except ARCHIVE_ERRORS:
        return b""  # the error is told when the member is read
