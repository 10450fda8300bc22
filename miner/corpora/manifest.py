"""``corpus.toml``: what a corpus folder says about itself, so that it is read without flags.

::

    format = "table"            # name of the format
    name = "simulated"          # name of the corpus
    licence = "MIT"
    redistribute = true         # whether the texts may be passed on
    simulated = true            # the texts were made by a program
    encoding = "utf-8"
    files = ["texts.csv.gz"]    # only these are read; without it, all but corpus.toml
    [roles]                     # for tables: role = "column"
    text = "text"
    l1 = "l1"
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

from miner.corpora.sources import Source
from miner.errors import InputError, OptionError, listed, nearest
from miner.text import decode

NAME = "corpus.toml"


@dataclass(frozen=True)
class Manifest:
    """The contents of a ``corpus.toml``; empty values are not stated."""

    format: str = ""
    name: str = ""
    licence: str = ""
    redistribute: bool | None = None
    simulated: bool = False
    encoding: str = ""
    files: tuple[str, ...] = ()
    roles: Mapping[str, str] = field(default_factory=dict)

    def restricted(self, source: Source) -> Source:
        """Return the source with the named files only (``.gz`` may be named or not).

        Raises
        ------
        InputError
            If a named file is not there.
        """
        have = {m.name: m for m in source.members}
        wanted = [f.removesuffix(".gz") for f in self.files]
        missing = [f for f in wanted if f not in have]
        if missing:
            msg = f"{source.path}/{NAME} names files that are not there: {listed(missing)}{nearest(missing[0], have)}"
            raise InputError(msg)
        return Source(source.path, tuple(have[f] for f in sorted(wanted)))


def read_manifest(source: Source) -> Manifest | None:
    """Return the manifest in the top folder of the source, or None.

    Raises
    ------
    InputError
        If it is not TOML, or a value has the wrong type.
    OptionError
        If it has an unknown key; with the nearest name.
    """
    member = next((m for m in source.members if m.name == NAME), None)
    if member is None or len(source.members) == 1:
        return None
    try:
        raw = tomllib.loads(decode(member.data(), place=NAME))
    except tomllib.TOMLDecodeError as err:
        msg = f"{source.path}/{NAME} is not TOML ({err}); correct it"
        raise InputError(msg) from err
    known = [f.name for f in fields(Manifest)]
    for key, value in raw.items():
        if key not in known:
            msg = f"{source.path}/{NAME}: unknown key '{key}'{nearest(key, known)}; known are {listed(known)}"
            raise OptionError(msg)
        if not _fitting(key, value):
            msg = f"{source.path}/{NAME}: '{key}' has the value {value!r}; see the documentation of corpus.toml for its type"
            raise InputError(msg)
    if "files" in raw:
        raw["files"] = tuple(raw["files"])
    members = tuple(m for m in source.members if m is not member)
    return Manifest(**{"files": tuple(m.name for m in members), **raw})


def _fitting(key: str, value: object) -> bool:
    if key in ("simulated", "redistribute"):
        return isinstance(value, bool)
    if key == "files":
        return isinstance(value, list) and bool(value) and all(isinstance(v, str) for v in value)
    if key == "roles":
        return isinstance(value, dict) and all(isinstance(v, str) for v in value.values())
    return isinstance(value, str)


def write_manifest(
    folder: Path,
    *,
    format: str,
    name: str,
    licence: str,
    redistribute: bool,
    simulated: bool = False,
    files: Sequence[str] = (),
    roles: Mapping[str, str] | None = None,
) -> Path:
    """Write a ``corpus.toml`` into a folder and return its path."""
    lines = [f"format = {_quoted(format)}", f"name = {_quoted(name)}", f"licence = {_quoted(licence)}"]
    lines += [f"redistribute = {str(redistribute).lower()}", f"simulated = {str(simulated).lower()}"]
    if files:
        lines.append(f"files = [{', '.join(map(_quoted, files))}]")
    if roles:
        lines += ["", "[roles]", *(f"{_quoted(k)} = {_quoted(v)}" for k, v in roles.items())]
    path = folder / NAME
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    return path


def _quoted(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)  # such a JSON string is a TOML basic string
