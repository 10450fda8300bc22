"""Make corpora/ewave from eWAVE's CLDF: ratings, names, areas, types, regions and coordinates; nothing else is copied.

Example: python scripts/make_ewave_table.py PATH_TO/ewave-cldf corpora/ewave
"""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path

import pandas as pd

from miner.dialect.ratings import Ratings, read_ratings
from miner.dialect.states import STATES

FILES = ("ratings.csv", "varieties.csv", "features.csv")


def write_table(ratings: Ratings, folder: Path) -> None:
    """Write the three tables and their SHA-256 sums."""
    folder.mkdir(parents=True, exist_ok=True)
    wide = pd.DataFrame([[STATES[s] for s in row] for row in ratings.grid], columns=ratings.features["feature_id"])
    wide.insert(0, "variety_id", ratings.varieties["variety_id"])
    for name, frame in zip(FILES, (wide, ratings.varieties, ratings.features), strict=True):
        frame.to_csv(folder / name, index=False, lineterminator="\n", encoding="utf-8")
    sums = [f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in FILES]
    (folder / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")


def main() -> None:
    """Read the CLDF and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cldf", type=Path, help="folder with eWAVE's CLDF metadata and tables")
    parser.add_argument("out", type=Path, help="folder to write, e.g. corpora/ewave")
    args = parser.parse_args()
    ratings = read_ratings(args.cldf)
    write_table(ratings, args.out)
    print(f"{args.out}: {ratings.grid.shape[0]} varieties x {ratings.grid.shape[1]} features")


if __name__ == "__main__":
    main()
