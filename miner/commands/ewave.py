"""Look into eWAVE tables: what they hold, where two differ, and how much of a variety Multi-VALUE can produce.

miner ewave profile [RATINGS]    states per variety and feature, attestation and pervasiveness
miner ewave diff A B             the cells that differ between two versions (exit code 3 if any does)
miner ewave coverage [RATINGS]   Multi-VALUE's functions against what each variety attests
miner ewave crosswalk [RATINGS]  which learner category corresponds to which feature
miner ewave resemble RUN         which varieties the L1 inventories of a run resemble
miner ewave wheel VARIETY ...    all features of some varieties as rings, side by side (needs --out)

A and B may be 'bundled'.

Example: miner ewave diff older/ewave.csv bundled
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from miner.dialect import Ratings
    from miner.ledger import Ledger
    from miner.tables import Table


_ON_RATINGS = (
    ("profile", "states, attestation, pervasiveness"),
    ("coverage", "Multi-VALUE's functions"),
    ("crosswalk", "learner categories and eWAVE features that correspond"),
)


def register(parser: argparse.ArgumentParser) -> None:
    """Add the actions."""
    from miner.commands.options import add_format, add_out

    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, text in _ON_RATINGS:
        sub = actions.add_parser(name, help=text, description=text, allow_abbrev=False)
        sub.add_argument("ratings", nargs="?", default="bundled", metavar="RATINGS", help="table (default: bundled)")
        add_format(sub)
        add_out(sub, required=False)
    text = "varieties that the L1 inventories of a run resemble"
    sub = actions.add_parser("resemble", help=text, description=text, allow_abbrev=False)
    sub.add_argument("run", type=Path, metavar="RUN", help="folder of miner mine or miner run")
    sub.add_argument("--ratings", default="bundled", metavar="RATINGS", help="table (default: bundled)")
    add_format(sub)
    add_out(sub, required=False)
    text = "all features of some varieties as rings by grammar area"
    sub = actions.add_parser("wheel", help=text, description=text, allow_abbrev=False)
    sub.add_argument("varieties", nargs="+", metavar="VARIETY", help="names, abbreviations or eWAVE ids")
    sub.add_argument("--ratings", default="bundled", metavar="RATINGS", help="table (default: bundled)")
    add_out(sub)
    text = "the cells that differ between two tables"
    sub = actions.add_parser("diff", help=text, description=text, allow_abbrev=False)
    sub.add_argument("a", metavar="A", help="first table, or 'bundled'")
    sub.add_argument("b", metavar="B", help="second table, or 'bundled'")
    add_format(sub)
    add_out(sub, required=False)


def run(args: argparse.Namespace) -> int:
    """Compute, print, write."""
    if args.action in ("diff", "wheel"):
        return _diff(args) if args.action == "diff" else _wheel(args)
    from miner import tables
    from miner.dialect import coverage, crosswalk, feature_profile, resemblance, variety_profile

    ratings = _read(args.ratings)
    if args.action == "coverage":
        found = {"coverage": (coverage(ratings), tables.COVERAGE)}
    elif args.action == "crosswalk":
        found = {"crosswalk": (crosswalk(ratings=ratings), tables.CROSSWALK)}
    elif args.action == "resemble":
        found = {"resemblance": (resemblance(_inventory(args.run), ratings), tables.RESEMBLANCE)}
    else:
        found = {
            "variety_profile": (variety_profile(ratings), tables.VARIETY_PROFILE),
            "feature_profile": (feature_profile(ratings), tables.FEATURE_PROFILE),
        }
    _give(args, found, [ratings], [])
    return 0


def _diff(args: argparse.Namespace) -> int:
    from miner import tables
    from miner.commands import DONE, FINDINGS
    from miner.commands.console import say
    from miner.dialect import diff

    a, b = _read(args.a), _read(args.b)
    frame, ledger = diff(a, b)
    _give(args, {"ewave_diff": (frame, tables.EWAVE_DIFF)}, [a, b], [ledger])
    for what, n in sorted(ledger.noted.items()):
        say(f"{what}: {n}")
    say(f"{len(frame)} of {ledger.kept // 2} cells differ, in {frame['variety_id'].nunique()} varieties")
    return FINDINGS if len(frame) else DONE


def _wheel(args: argparse.Namespace) -> int:
    from miner.commands.console import say
    from miner.plots import plot_wheels, save, wheel_data
    from miner.run.folder import OutFolder
    from miner.signature import Signature
    from miner.store.frames import write_csv

    ratings = _read(args.ratings)
    ids = [str(ratings.varieties["variety_id"][ratings.variety_index(v)]) for v in dict.fromkeys(args.varieties)]
    data = wheel_data(ratings.ratings, ratings.features, ratings.varieties, ids)
    signature = Signature.of("ewave", ratings=ratings.signature)
    with OutFolder(args.out, command="ewave", parameters={"action": "wheel", "varieties": ids}) as folder:
        folder.input("ratings", ratings.fingerprint)
        folder.account(ratings.ledger)
        write_csv(data, folder.path("wheel.csv"))
        save(plot_wheels(data, signature=str(signature)), folder.path("wheel"))
    say(f"Written to {args.out}: wheel.svg, wheel.png, wheel.csv, run.json")
    return 0


def _inventory(run: Path) -> pd.DataFrame:
    from miner.errors import InputError
    from miner.run.folder import read_run
    from miner.run.reading import read_table

    read_run(run)
    inventory = read_table(run, "l1_inventory")
    if inventory is None:
        msg = f"The run {run} holds no l1_inventory; give the --out folder of miner mine or miner run"
        raise InputError(msg)
    return inventory


def _read(text: str) -> Ratings:
    from miner.dialect import read_ratings

    return read_ratings(None if text == "bundled" else Path(text))


def _give(
    args: argparse.Namespace,
    found: dict[str, tuple[pd.DataFrame, Table]],
    sources: list[Ratings],
    ledgers: list[Ledger],
) -> None:
    """Print the first table; with --out write all."""
    from miner.commands.console import emit, say

    emit(next(iter(found.values()))[0], args.show)
    if args.out is None:
        return
    from miner.run.folder import OutFolder
    from miner.signature import Signature

    signature = Signature.of("ewave", ratings="+".join(s.signature for s in sources))
    with OutFolder(args.out, command="ewave", parameters={"action": args.action}) as folder:
        for i, source in enumerate(sources):
            folder.input(f"ratings {i + 1}", source.fingerprint)
            folder.account(source.ledger)
        folder.account(*ledgers)
        for frame, table in found.values():
            folder.table(frame, table, signature)
    say(f"Written to {args.out}: {', '.join(found)} (.csv, .parquet), run.json")
