"""Study files: a run described in TOML, each key checked against what miner knows.

::

    name = "my-study"
    seed = 20250101
    checker = "auto"             # auto, lingotweaker, languagetool; gold or pairs: the corpus's own annotation
    families = ["errors"]        # what is mined: errors, usage (grammar), topic, format
    taxonomy = "trans-env"       # trans-env, miner-core, rules, or a file
    exclude = "default"          # what is no grammar: default, none, or a file
    preset = "trans-env"         # the recipe of the L1 tests
    ratings = "bundled"          # bundled, none, or eWAVE's CLDF folder
    exports = ["trans-env", "multi-value"]

    [[corpora]]
    path = "essays.csv"          # relative to the study file
    roles = { text = "essay", l1 = "native_language", cefr = "level" }

    [policies]                   # what happens to flagged texts, e.g. duplicates = "keep"
    [l1]                         # options of the preset, e.g. test = "welch"
    [dialects]                   # preset, clusters
    [distances]                  # metrics, encoding, from, performance, difficulty
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

from miner.corpora.adjusting import ScoreTable, read_score_table
from miner.errors import InputError, OptionError, listed, nearest
from miner.signature import DEFAULT_SEED


@dataclass(frozen=True)
class CorpusSpec:
    """One corpus of a study: its path and how to read it, as :func:`miner.corpora.read_corpus` takes it."""

    path: Path
    format: str | None = None
    name: str | None = None
    roles: Mapping[str, str] | None = None
    encoding: str | None = None
    on_bad_row: Literal["fail", "skip"] = "fail"
    ambiguous_l1: Literal["empty", "default"] = "empty"
    scores: ScoreTable | None = None
    language: str | None = None


@dataclass(frozen=True)
class DistanceSpec:
    """Which distances a study computes, and what they are held against.

    ``performance`` is a CSV with the columns variety and score, ``difficulty`` one with l1 and score; ``by`` are their
    columns that tell series apart (model, benchmark).
    """

    metrics: tuple[str, ...] = ("euclidean", "manhattan")
    encoding: str = "trans-env"
    origin: str = "Colloquial American English"
    performance: Path | None = None
    difficulty: Path | None = None
    by: tuple[str, ...] = ()


@dataclass(frozen=True)
class Study:
    """All that decides a run.

    ``mode`` and ``overlap`` of None leave the choice to the preset; ``taxonomy`` of None is ``trans-env`` for a checker's matches
    and ``miner-core`` for annotation.
    """

    name: str
    corpora: tuple[CorpusSpec, ...] = ()
    seed: int = DEFAULT_SEED
    checker: str = "auto"
    language: str = "en-US"
    server: str | None = None
    mode: str | None = None
    overlap: str | None = None
    families: tuple[str, ...] = ("errors",)
    taxonomy: str | None = None
    exclude: str = "default"
    preset: str = "robust"
    l1: Mapping[str, Any] = field(default_factory=dict)
    policies: Mapping[str, str] = field(default_factory=dict)
    ratings: str = "bundled"
    dialects: Mapping[str, Any] = field(default_factory=dict)
    distances: DistanceSpec = field(default_factory=DistanceSpec)
    exports: tuple[str, ...] = ()
    examples: int = 0
    limit: int | None = None
    sample: int | None = None

    def __post_init__(self) -> None:
        for name, least in (("seed", 0), ("examples", 0), ("limit", 1), ("sample", 1)):
            number = getattr(self, name)
            if number is not None and number < least:
                msg = f"'{name}' must be at least {least}. Got {number} instead"
                raise OptionError(msg)


def read_study(path: Path | str) -> Study:
    """Return the study of a TOML file.

    Parameters
    ----------
    path : Path or str
        The file; relative paths in it start at its folder.

    Raises
    ------
    InputError
        If the file is absent or is no TOML; the message names the line.
    OptionError
        If a key is not known (with the nearest name) or a value has the wrong type.
    """
    path = Path(path)
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except IsADirectoryError as err:
        msg = f"{path} is a folder; expected a study file. Give the .toml file in it"
        raise InputError(msg) from err
    except FileNotFoundError as err:
        msg = f"There is no study file {path}. The bundled one is corpora/sample/study.toml; copy it to start your own"
        raise InputError(msg) from err
    except (OSError, UnicodeDecodeError) as err:
        msg = f"The study file {path} cannot be read as UTF-8 text ({err})"
        raise InputError(msg) from err
    except ValueError as err:  # tomllib's own, and Python's for numbers of thousands of digits
        msg = f"{path} is not valid TOML: {err}"
        raise InputError(msg) from err
    return _study(data, path)


def _study(data: dict[str, Any], path: Path) -> Study:
    _known(data, Study, where=str(path))
    base = path.parent
    corpora = _each_table(data.pop("corpora", []), where=f"{path}: corpora")
    given = {"name": path.stem, **_typed(data, Study, where=str(path))}
    given["corpora"] = tuple(_corpus(c, base, f"{path}: corpora[{i}]") for i, c in enumerate(corpora, start=1))
    given["distances"] = _distances(data.get("distances", {}), base, f"{path}: [distances]")
    for key in ("ratings", "taxonomy", "exclude"):
        if key in data and (base / data[key]).exists():
            given[key] = str(base / data[key])
    if not given["corpora"] and given.get("ratings") == "none":
        msg = f'{path}: nothing to do: no [[corpora]] and ratings = "none"; give at least one'
        raise OptionError(msg)
    return Study(**given)


def _corpus(data: dict[str, Any], base: Path, where: str) -> CorpusSpec:
    scored: dict[str, Any] = {k: data.pop(k) for k in ("score_table", "score_column") if k in data}
    _known(data, CorpusSpec, where=where, without=("scores",), more=("score_table", "score_column"))
    given = _typed(data, CorpusSpec, where=where)
    if scored:
        table = _typed(scored, CorpusSpec, where=where)
        if len(table) < 2:
            msg = f"{where}: 'score_table' and 'score_column' go together; give both"
            raise OptionError(msg)
        given["scores"] = read_score_table(base / table["score_table"], table["score_column"])
    if "path" not in given:
        msg = f"{where}: 'path' is missing; expected the corpus's file or folder"
        raise OptionError(msg)
    return CorpusSpec(**{**given, "path": base / given["path"]})


def _distances(data: dict[str, Any], base: Path, where: str) -> DistanceSpec:
    names = {"from": "origin"}
    _known({names.get(k, k): v for k, v in data.items()}, DistanceSpec, where=where)
    given = _typed({names.get(k, k): v for k, v in data.items()}, DistanceSpec, where=where)
    for key in ("performance", "difficulty"):
        if key in given:
            given[key] = base / given[key]
    return DistanceSpec(**given)


def _known(
    data: Mapping[str, Any], record: type, *, where: str, without: Sequence[str] = (), more: Sequence[str] = ()
) -> None:
    names = [*(f.name for f in fields(record) if f.name not in without), *more]
    for key in data:
        if key not in names:
            msg = (
                f"{where}: the key '{key}' is not known{nearest(key, names)}; expected some of {listed(names, most=30)}"
            )
            raise OptionError(msg)


_KINDS: dict[str, tuple[type, str]] = {
    "seed": (int, "a whole number"),
    "examples": (int, "a whole number"),
    "limit": (int, "a whole number"),
    "sample": (int, "a whole number"),
    "l1": (dict, "a table"),
    "dialects": (dict, "a table"),
    "policies": (dict, "a table"),
    "distances": (dict, "a table"),
    "roles": (dict, "a table"),
    "exports": (list, "a list of names"),
    "families": (list, "a list of names"),
    "metrics": (list, "a list of names"),
    "by": (list, "a list of names"),
}


def _typed(data: Mapping[str, Any], record: type, *, where: str) -> dict[str, Any]:
    given = {}
    for key, value in data.items():
        kind, called = _KINDS.get(key, (str, "a string"))
        if not isinstance(value, kind) or isinstance(value, bool):
            msg = f"{where}: '{key}' must be {called}. Got {value!r} instead"
            raise OptionError(msg)
        _filled(value, where=f"{where}: '{key}'", strings=key in ("roles", "policies"))
        if key == "name" and isinstance(value, str):
            _usable_name(value, where=where)
        given[key] = tuple(value) if isinstance(value, list) else value
    return given


def _filled(value: Any, *, where: str, strings: bool) -> None:
    # Inside lists, and inside tables that hold names, everything is a string with something in it.
    inner = value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) and strings else []
    for item in [value, *inner] if isinstance(value, str) else inner:
        if not isinstance(item, str) or not item.strip():
            msg = f"{where} must hold {'a name' if item is value else 'names'}, not empty ones. Got {item!r} instead"
            raise OptionError(msg)


def _usable_name(name: str, *, where: str) -> None:
    if re.search(r"[/\\|+#\x00-\x1f]", name) or name.strip(". ") == "" or name.startswith("."):
        msg = f"{where}: 'name' becomes the name of a folder; it must not be empty, start with '.' or hold any of / \\ | + #. Got {name!r}"
        raise OptionError(msg)


def _each_table(value: Any, *, where: str) -> list[dict[str, Any]]:
    if isinstance(value, list) and all(isinstance(v, dict) for v in value):
        return value
    msg = f"{where} must be tables ([[corpora]] with a path each). Got {value!r} instead"
    raise OptionError(msg)
