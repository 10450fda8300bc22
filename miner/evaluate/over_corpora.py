"""One contrast in several corpora: the same sign, partial conjunction, random effects."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from miner import stats, tables
from miner.errors import OptionError

#: Fewest corpora for random effects.
FEWEST_CORPORA = 4


def compare_corpora(tests: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Does a contrast hold in several corpora?

    Parameters
    ----------
    tests : mapping of str to DataFrame
        :data:`miner.tables.L1_TESTS` of each corpus, made with the same preset.

    Returns
    -------
    DataFrame
        :data:`miner.tables.CORPORA_COMPARISON`. From four corpora with a log rate ratio on, random effects.

    Raises
    ------
    OptionError
        With fewer than two corpora.
    """
    if len(tests) < 2:
        msg = f"A comparison over corpora needs two or more. Got {len(tests)}; name another run"
        raise OptionError(msg)
    parts = [frame.assign(corpus=name) for name, frame in sorted(tests.items())]
    both = pd.concat(parts, ignore_index=True)
    both = both[both["status"] == "tested"]
    rows = [
        _over_corpora(tuple(map(str, key)), part) for key, part in both.groupby(["l1", "cefr", "feature"], sort=True)
    ]
    frame = pd.DataFrame(rows, columns=[n for n in tables.CORPORA_COMPARISON.names if n not in ("q", "m")])
    frame["q"], frame["m"] = stats.adjust(frame["p_conjunction"].astype("float64"), "bh")
    return tables.conform(frame, tables.CORPORA_COMPARISON)


def _over_corpora(key: tuple[str, ...], part: pd.DataFrame) -> dict[str, object]:
    l1, cefr, feature = key
    sign = np.sign(part["effect"].to_numpy(dtype=np.float64))
    p = part["p"].to_numpy(dtype=np.float64)
    sides = {s: np.where(sign == s, p / 2, 1 - p / 2) for s in (1.0, -1.0)}
    found = {s: stats.partial_conjunction(v) for s, v in sides.items()}
    best = min(found, key=lambda s: (np.nan_to_num(found[s], nan=2.0), -s))
    row: dict[str, object] = {
        "l1": l1,
        "cefr": cefr,
        "feature": feature,
        "corpora": len(part),
        "same_sign": bool((sign == sign[0]).all() and sign[0] != 0),
        "direction": "over" if best > 0 else "under",
        # Both directions were looked at.
        "p_conjunction": min(1.0, 2 * found[best]) if found[best] == found[best] else np.nan,
    }
    half = (part["log_ratio_high"] - part["log_ratio_low"]).to_numpy(dtype=np.float64) / 2
    known = np.isfinite(half) & (half > 0) & np.isfinite(part["log_ratio"].to_numpy(dtype=np.float64))
    names = ("mean", "ci_low", "ci_high", "predicted_low", "predicted_high", "tau2")
    if known.sum() < FEWEST_CORPORA:
        return row | dict.fromkeys(names, np.nan)
    # Half the 95 % interval over 1.96: a little more than the standard error where the interval is Student's.
    pooled = stats.random_effects(part["log_ratio"].to_numpy(dtype=np.float64)[known], half[known] / 1.959963984540054)
    values = (pooled.mean, pooled.low, pooled.high, pooled.predicted_low, pooled.predicted_high, pooled.tau2)
    return row | dict(zip(names, values, strict=True))
