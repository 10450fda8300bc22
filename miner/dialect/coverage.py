"""How much of what a variety attests Multi-VALUE's functions can produce."""

from __future__ import annotations

from importlib.resources import files

import numpy as np
import pandas as pd

from miner import tables
from miner.dialect.ratings import Ratings
from miner.dialect.states import STATES


def functions() -> pd.DataFrame:
    """Return Multi-VALUE's functions (its Tables 7 to 18): ``feature_id``, ``function``; 190 pairs, 189 names, 188 features."""
    with (files("miner") / "data" / "multi_value_functions.csv").open(encoding="utf-8") as stream:
        return pd.read_csv(stream, dtype=str, keep_default_na=False)


def coverage(ratings: Ratings) -> pd.DataFrame:
    """Return :data:`miner.tables.COVERAGE`: what a variety has (A, B or C) against what is implemented.

    Notes
    -----
    Multi-VALUE's Table 6 counts function names above and features below the line: ``implemented_pct`` follows it, and
    gives its printed figures with the ratings that it used. ``features_pct`` counts features on both sides. Its column
    of validated rules cannot be computed from what is published.
    """
    implemented = functions()
    attested = np.isin(ratings.grid, [STATES.index(s) for s in "ABC"])
    ids = ratings.features["feature_id"].to_numpy(dtype=object)
    by_feature = {f: set(g["function"]) for f, g in implemented.groupby("feature_id")}
    rows: list[dict[str, object]] = []
    for i, variety in enumerate(ratings.varieties.itertuples(index=False)):
        have = [str(f) for f in ids[attested[i]]]
        names = {n for f in have for n in by_feature.get(f, ())}
        without = [f for f in have if f not in by_feature]
        rows.append(
            {
                "variety_id": variety.variety_id,
                "variety": variety.variety,
                "abbr": variety.abbr,
                "catalogued": len(have),
                "implemented_functions": len(names),
                "implemented_pct": 100 * len(names) / len(have) if have else None,
                "implemented_features": len(have) - len(without),
                "features_pct": 100 * (len(have) - len(without)) / len(have) if have else None,
                "missing_features": " ".join(without),
            }
        )
    return tables.conform(rows, tables.COVERAGE)
