"""Options that several commands share, as pairs: ``add_X(parser)`` and, where it takes more than one value, ``get_X(args)``."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from miner.errors import OptionError
from miner.signature import DEFAULT_SEED


def add_out(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Add ``--out DIR``."""
    parser.add_argument(
        "--out",
        type=Path,
        required=required,
        metavar="DIR",
        help="folder to write; a folder of miner's is replaced in one step, any other is refused",
    )


def add_seed(parser: argparse.ArgumentParser) -> None:
    """Add ``--seed``."""
    parser.add_argument(
        "--seed",
        type=natural,
        default=DEFAULT_SEED,
        metavar="N",
        help=f"seed of all random draws, 0 or more (default {DEFAULT_SEED})",
    )


def add_format(parser: argparse.ArgumentParser) -> None:
    """Add ``--show``: the form of what is printed to stdout."""
    parser.add_argument(
        "--show",
        choices=("table", "csv", "json", "latex"),
        default="table",
        help="form of what is printed (default table)",
    )


def add_work(parser: argparse.ArgumentParser) -> None:
    """Add ``--jobs`` and ``--cache``: they change the time, never the result."""
    parser.add_argument(
        "--jobs",
        type=positive,
        default=None,
        metavar="N",
        help="threads or connections (default: all cores); the result is the same",
    )
    parser.add_argument(
        "--cache",
        type=Path,
        default=default_cache(),
        metavar="DIR",
        help="where results of checks are kept (default: %(default)s)",
    )
    parser.add_argument("--no-cache", action="store_const", const=None, dest="cache", help="keep nothing")


def add_corpus(parser: argparse.ArgumentParser) -> None:
    """Add the corpus and how its columns are read."""
    parser.add_argument(
        "corpus",
        type=Path,
        metavar="CORPUS",
        help="a file or folder; a folder that miner wrote needs no further options",
    )
    group = parser.add_argument_group("reading")
    group.add_argument(
        "--format", default=None, metavar="NAME", help="format of the corpus (default: recognised from the content)"
    )
    for role in ("text", "l1", "cefr", "learner", "prompt"):
        group.add_argument(f"--{role}", default=None, metavar="COLUMN", help=f"column that holds the {role}")
    group.add_argument(
        "--encoding",
        default=None,
        metavar="NAME",
        help="encoding of text files (default: the format's; UTF-8 for tables)",
    )
    group.add_argument(
        "--on-bad-row",
        choices=("fail", "skip"),
        default="fail",
        help="what to do with rows that cannot be read; skip counts and lists them",
    )
    group.add_argument(
        "--role",
        action="append",
        default=[],
        metavar="ROLE=COLUMN",
        help="a further column role, e.g. id=essay_id (repeatable)",
    )
    group.add_argument(
        "--ambiguous-l1",
        choices=("empty", "default"),
        default="empty",
        help="L1 of nationalities with several large languages: none (default), or the table's default, flagged",
    )
    group.add_argument(
        "--score-table",
        type=Path,
        default=None,
        metavar="CSV",
        help="CEFR levels from scores: columns 'from' and 'cefr'",
    )
    group.add_argument("--score-column", default=None, metavar="COLUMN", help="the corpus's column with the scores")


def get_corpus(args: argparse.Namespace) -> dict[str, Any]:
    """Return the keyword arguments of ``read_corpus`` (without the path).

    Raises
    ------
    OptionError, InputError
        If a pair is no pair, or the score table cannot be read.
    """
    roles = {r: getattr(args, r) for r in ("text", "l1", "cefr", "learner", "prompt") if getattr(args, r) is not None}
    for pair in args.role:
        role, _, column = pair.partition("=")
        if not role or not column:
            msg = f"--role takes ROLE=COLUMN, got '{pair}'"
            raise OptionError(msg)
        roles[role] = column
    if (args.score_table is None) != (args.score_column is None):
        msg = "--score-table and --score-column go together; give both"
        raise OptionError(msg)
    scores = None
    if args.score_table is not None:
        from miner.corpora import read_score_table

        scores = read_score_table(args.score_table, args.score_column)
    return {
        "format": args.format,
        "roles": roles or None,
        "encoding": args.encoding,
        "on_bad_row": args.on_bad_row,
        "ambiguous_l1": args.ambiguous_l1,
        "scores": scores,
    }


def add_policies(parser: argparse.ArgumentParser) -> None:
    """Add ``--policy``: what happens to texts that are flagged."""
    parser.add_argument(
        "--policy",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="what to do with flagged texts, e.g. --policy duplicates=keep (repeatable): other_language, duplicates, "
        "sameness, versions, parts, not_learner, no_words, characters, markup, mixed_language; see docs/corpora.md",
    )


def get_policies(args: argparse.Namespace) -> dict[str, str]:
    """Return the policies that were given."""
    return {k: str(v) for k, v in get_pairs(args.policy, "--policy").items()}


def get_pairs(pairs: list[str], option: str) -> dict[str, Any]:
    """Return ``KEY=VALUE`` pairs; numbers, true, false and lists are read as TOML, anything else is a string.

    Raises
    ------
    OptionError
        For a pair without ``=``, and for a key that is given twice.
    """
    import tomllib

    found: dict[str, Any] = {}
    for pair in pairs:
        key, is_pair, value = pair.partition("=")
        key = key.strip()
        if not is_pair or key in found:
            problem = f"'{key}' is given twice" if is_pair else "expected KEY=VALUE"
            msg = f"{option} {pair!r}: {problem}"
            raise OptionError(msg)
        try:
            parsed = tomllib.loads(f"value = {value}")
        except ValueError:  # no TOML value (or a number of thousands of digits)
            parsed = {}
        found[key] = parsed["value"] if list(parsed) == ["value"] else value.strip()
    return found


def add_checker(parser: argparse.ArgumentParser, *, annotation: str = "") -> None:
    """Add the checker and how it is used; ``None`` leaves the choice to the preset. ``annotation`` tells of further names."""
    group = parser.add_argument_group("checking")
    group.add_argument(
        "--checker",
        default="auto",
        metavar="NAME",
        help="auto, lingotweaker or languagetool (default auto)" + annotation,
    )
    group.add_argument(
        "--language", default="en-US", metavar="TAG", help="national variety the checker expects (default en-US)"
    )
    group.add_argument(
        "--mode", choices=("text", "sentence"), default=None, help="check whole texts, or each sentence on its own"
    )
    group.add_argument(
        "--overlap", choices=("all", "exact", "longest"), default=None, help="what to keep of overlapping matches"
    )
    group.add_argument("--server", default=None, metavar="URL", help="a LanguageTool server that is running already")
    group.add_argument("--allow-remote", action="store_true", help="let texts go to a server on another machine")


def get_checker(args: argparse.Namespace) -> dict[str, Any]:
    """Return the keyword arguments of ``open_checker``."""
    return {
        "name": args.checker,
        "language": args.language,
        "server": args.server,
        "allow_remote": args.allow_remote,
        "jobs": args.jobs,
    }


def positive(text: str) -> int:
    """Parse a positive whole number."""
    return _whole(text, 1)


def natural(text: str) -> int:
    """Parse a whole number of 0 or more."""
    return _whole(text, 0)


def _whole(text: str, least: int) -> int:
    # Over 4,300 digits int() refuses; no seed or number of workers has 20.
    if not text.isdecimal() or len(text) > 20 or int(text) < least:
        msg = f"expected a whole number of at least {least}, got {text[:40]!r}"
        raise argparse.ArgumentTypeError(msg)
    return int(text)


def default_cache() -> Path:
    """Return the user's cache folder for miner (``MINER_HOME``, else the platform's)."""
    home = os.environ.get("MINER_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "miner"
    return Path(home) / "results"
