"""Explain one feature of one L1: counts, rates, each step to effect, p, q and rank, so that it can be redone by hand.

miner explain outputs/sample --l1 ja --feature ARTICLE_NOUN_MISMATCH --cefr A
"""

from __future__ import annotations

import argparse
from pathlib import Path

from miner.commands.options import add_format
from miner.errors import InputError, OptionError


def register(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("run", type=Path, metavar="RUN", help="a folder that miner mine or run wrote")
    parser.add_argument("--l1", required=True, metavar="CODE", help="the L1")
    parser.add_argument("--feature", required=True, metavar="ID", help="the feature's id")
    parser.add_argument("--cefr", default=None, metavar="BAND", help="the band, if the L1 was tested in several")
    parser.add_argument(
        "--units",
        type=Path,
        default=None,
        metavar="FILE",
        help="also write a CSV table of the units: rate, stratum, deviation",
    )
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    """Print the steps."""
    from miner.commands.console import emit, say
    from miner.evaluate.explaining import explain, explain_units
    from miner.run.reading import read_preset, read_table

    found = {name: read_table(args.run, name) for name in ("l1_tests", "l1_inventory", "counts", "units")}
    tests, inventory = found["l1_tests"], found["l1_inventory"]
    if tests is None or inventory is None:
        lacks = [name for name in ("l1_tests", "l1_inventory") if found[name] is None]
        msg = f"{args.run} holds no {' and no '.join(lacks)}; give the --out folder of miner mine or run"
        raise InputError(msg)
    recipe = read_preset(args.run)
    if args.units is not None:
        _require_file_name(args.units)
        if recipe is None or found["counts"] is None or found["units"] is None:
            msg = f"--units needs the counts, the units and the run.json with its preset, and {args.run} lacks one; mine again"
            raise InputError(msg)
        where = {"l1": args.l1, "feature": args.feature, "cefr": args.cefr}
        explain_units(tests, found["counts"], found["units"], recipe, **where).to_csv(args.units, index=False)
        say(f"Units: {args.units}")
    steps = explain(
        tests,
        inventory,
        l1=args.l1,
        feature=args.feature,
        cefr=args.cefr,
        counts=found["counts"],
        units=found["units"],
        recipe=recipe,
    )
    if recipe is None:
        say("The run has no run.json with its preset, so strata, weights and thresholds are not shown")
    if found["counts"] is None or found["units"] is None:
        say("The run holds no counts and units, so prompts are not shown")
    emit(steps, args.show)
    return 0


def _require_file_name(file: Path) -> None:
    if file.is_dir() or not file.name:
        msg = f"--units takes the name of a CSV file to write. Got the folder '{file}'"
        raise OptionError(msg)
    if not file.parent.is_dir():
        msg = f"--units {file}: there is no folder {file.parent}; make it first, or give another file"
        raise OptionError(msg)
