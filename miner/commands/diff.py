"""Compare two L1 inventories: overlap per L1, and which features were gained, lost, moved or turned. Exit code 3 if they differ.

  miner diff outputs/before outputs/after
  miner diff published.csv outputs/sample --show csv

A and B are run folders, l1_inventory files, or tables with the columns l1, feature and rank (and cefr or level), such as the
published lists of Trans-EnV: L1s may then be English names, features labels or published keys. Signatures, dates and versions are
not compared.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from miner.commands.options import add_format
from miner.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


def register(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("a", type=Path, metavar="A", help="the first inventory")
    parser.add_argument("b", type=Path, metavar="B", help="the second inventory")
    parser.add_argument("--summary", action="store_true", help="print the overlap per L1 and band only")
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    """Print the differences."""
    from miner.commands.console import emit, say
    from miner.evaluate import as_inventory, diff_inventories, overlap, translated

    sides = []
    for path in (args.a, args.b):
        frame, notes = translated(_read(path))
        sides.append(as_inventory(frame, place=str(path)))
        lost = len(frame) - len(sides[-1])
        for note in [*notes, *([f"{lost} rows: named twice in a list, the better rank counts"] if lost else [])]:
            say(f"{path}: {note}")
    a, b = sides
    both = set(a["l1"]) & set(b["l1"])
    for path, own in ((args.a, a), (args.b, b)):
        alone = sorted(set(own["l1"]) - both)
        if alone:
            say(f"{path}: L1s that the other has nothing of: {', '.join(alone)}")
    diff = diff_inventories(a, b)
    changed = diff[diff["change"] != "kept"]
    emit(overlap(diff) if args.summary else changed, args.show)
    if changed.empty:
        say(f"The inventories are the same: {len(diff)} features")
        return 0
    numbers = ", ".join(f"{n} {change}" for change, n in changed["change"].value_counts().sort_index().items())
    say(f"{len(diff)} features in either inventory: {len(diff) - len(changed)} the same, {numbers}")
    return 3


def _read(path: Path) -> pd.DataFrame:
    import pandas as pd

    from miner.run.reading import read_table
    from miner.store.frames import read_csv

    if path.is_dir():
        found = read_table(path, "l1_inventory")
        if found is None:
            msg = f"{path} holds no l1_inventory; give the --out folder of miner mine or run, or a table"
            raise InputError(msg)
        return found
    if not path.is_file():
        msg = f"There is no inventory {path}; give a run folder or a CSV or Parquet file"
        raise InputError(msg)
    try:
        return pd.read_parquet(path) if path.suffix == ".parquet" else read_csv(path)
    except (ValueError, OSError) as err:  # pandas and pyarrow raise subclasses of these
        msg = f"{path} cannot be read as a table; expected CSV or Parquet with the columns l1, feature and rank"
        raise InputError(msg) from err
