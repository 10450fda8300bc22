"""Look after the cache of results: what is in it, make it smaller, find damage, carry it to another machine.

    miner cache info
    miner cache prune --days 90 --dry-run
    miner cache prune --other-engines --max-size 2G
    miner cache verify --repair
    miner cache export /mnt/usb/results.parquet
    miner cache import /mnt/usb/results.parquet

Nothing in a cache is needed for good: what is pruned is computed again. verify exits with 3 if it finds damage. A cache
holds no text of a corpus.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from miner.commands.console import emit, say
from miner.commands.options import add_format, default_cache
from miner.errors import InputError, OptionError

if TYPE_CHECKING:
    from miner.store import NamespaceStats
    from miner.store.sqlite import SqliteStore

_FINDINGS = 3
_SIZES = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}


def register(parser: argparse.ArgumentParser) -> None:
    """Add the five subcommands."""
    sub = parser.add_subparsers(dest="what", metavar="info|prune|verify|export|import", required=True)
    info = sub.add_parser("info", help="where it is, and entries, bytes and ages by kind of result", allow_abbrev=False)
    add_format(info)
    prune = sub.add_parser("prune", help="drop what is old, too much or of no more use", allow_abbrev=False)
    _add_namespace(prune, "drop (with another condition: only from) this kind of result, as info names it (repeatable)")
    prune.add_argument(
        "--days", type=float, default=None, metavar="N", help="drop what was written more than N days ago"
    )
    prune.add_argument(
        "--max-size", default=None, metavar="SIZE", help="drop the oldest until so much is left, e.g. 500M or 2G"
    )
    prune.add_argument(
        "--other-engines", action="store_true", help="drop checks by engines or rules that are not installed here (now)"
    )
    prune.add_argument("--dry-run", action="store_true", help="only show what would go")
    add_format(prune)
    verify = sub.add_parser("verify", help="read everything and compare it with its checksums", allow_abbrev=False)
    verify.add_argument("--repair", action="store_true", help="drop damaged entries; they are computed again")
    export = sub.add_parser("export", help="write entries to one portable file (Parquet)", allow_abbrev=False)
    export.add_argument("file", type=Path, metavar="FILE", help="file to write; replaced in one step")
    _add_namespace(export, "only this kind of result, as info names it (repeatable)")
    brought = sub.add_parser("import", help="put the entries of such a file into the cache", allow_abbrev=False)
    brought.add_argument("file", type=Path, metavar="FILE", help="file that export wrote")
    for one in (info, prune, verify, export, brought):
        one.add_argument(
            "--cache", type=Path, default=default_cache(), metavar="DIR", help="the cache (default: %(default)s)"
        )


def _add_namespace(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument("--namespace", action="append", default=None, metavar="NAME", help=what)


def run(args: argparse.Namespace) -> int:
    """Run a subcommand."""
    from miner.store import open_store
    from miner.store.sqlite import FILE, SqliteStore

    if args.what != "import" and not (args.cache / FILE).is_file():
        msg = f"There is no cache in {args.cache}; a run makes one, or give another --cache"
        raise InputError(msg)
    action = {"info": _info, "prune": _prune, "verify": _verify, "export": _export, "import": _import}[args.what]
    with open_store(args.cache) as store:
        if not isinstance(store, SqliteStore):  # --cache is a path, so it is one
            raise TypeError
        return action(args, store)


def _info(args: argparse.Namespace, store: SqliteStore) -> int:
    size = sum(p.stat().st_size for p in store.path.parent.glob(f"{store.path.name}*"))
    say(f"{store.path}: {size:,} bytes on disk")
    _show(store.stats(), args)
    return 0


def _prune(args: argparse.Namespace, store: SqliteStore) -> int:
    from miner.store.upkeep import prune_store

    keep = None if args.max_size is None else _bytes(args.max_size)
    age = None if args.days is None else args.days * 86_400
    gone: list[NamespaceStats] = []
    if args.other_engines:
        gone += prune_store(store, namespaces=_other_engines(store), dry_run=args.dry_run)
    if age is not None or keep is not None or (args.namespace and not args.other_engines):
        gone += prune_store(store, namespaces=args.namespace, older_than=age, keep_bytes=keep, dry_run=args.dry_run)
    elif not args.other_engines:
        msg = "Say what to prune: --namespace, --days, --max-size or --other-engines. Nothing was dropped"
        raise OptionError(msg)
    _show(gone, args)
    n, size = sum(s.entries for s in gone), sum(s.bytes for s in gone)
    say(f"{n:,} entries ({size:,} bytes) {'would go' if args.dry_run else 'are gone'}")
    return 0


def _verify(args: argparse.Namespace, store: SqliteStore) -> int:
    from miner.store.upkeep import verify_store

    found = verify_store(store, repair=args.repair)
    for problem in found.problems:
        say(f"{store.path}: {problem}")
    for namespace, key in found.damaged:
        say(f"damaged{' (dropped)' if args.repair else ''}: {namespace} {key}")
    if found.problems:
        say(f"The file itself is damaged: delete {store.path}* (results are computed again)")
    elif found.damaged and not args.repair:
        say("Damaged entries are never used; --repair drops them now")
    say(f"{found.entries:,} entries read, {len(found.damaged)} damaged")
    return 0 if found.sound else _FINDINGS


def _export(args: argparse.Namespace, store: SqliteStore) -> int:
    from miner.store import export_store

    n = export_store(store, args.file, namespaces=args.namespace)
    say(f"{n:,} entries written to {args.file}")
    return 0


def _import(args: argparse.Namespace, store: SqliteStore) -> int:
    from miner.store import import_store

    got = import_store(store, args.file)
    say(f"{got.new:,} entries are new to {store.path}, {got.known:,} were there already")
    return 0


def _other_engines(store: SqliteStore) -> list[str]:
    from miner.checkers import check_namespace, engines, identify
    from miner.checkers.texts import NAMESPACE

    here = {check_namespace(identify(info.name)) for info in engines() if info.find()}
    known = [s.namespace for s in store.stats()]
    return [name for name in known if name.startswith(f"{NAMESPACE}/") and name not in here]


def _show(stats: list[NamespaceStats], args: argparse.Namespace) -> None:
    import pandas as pd

    rows = [(s.namespace, s.entries, s.bytes, s.oldest, s.newest) for s in stats]
    frame = pd.DataFrame(rows, columns=["namespace", "entries", "bytes", "oldest", "newest"])
    for column in ("oldest", "newest"):
        frame[column] = pd.to_datetime(frame[column], unit="s").dt.strftime("%Y-%m-%d")
    emit(frame, args.show)


def _bytes(size: str) -> int:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", size.strip(), re.IGNORECASE)
    if not found:
        msg = f"--max-size takes a size such as 500M or 2G, got '{size}'"
        raise OptionError(msg)
    return int(float(found[1]) * _SIZES[found[2].upper()])
