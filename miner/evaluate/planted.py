"""With a simulated corpus: what a recipe finds of what was planted, and what it finds that is not so."""

from __future__ import annotations

import numpy as np
import pandas as pd

from miner.learner import Counts, L1Preset, admit, get_preset, select_l1, test_l1


def compare_planted(
    counted: Counts,
    preset: str | L1Preset,
    planted: pd.DataFrame,
    *,
    labels: dict[str, str] | None = None,
    seed: int = 20250101,
) -> list[dict[str, object]]:
    """Return power and false discoveries.

    Parameters
    ----------
    counted : Counts
    preset : str or L1Preset
        Its cap is not used.
    planted : DataFrame
        :data:`miner.tables.PLANTED`.
    labels : dict, optional
    seed : int

    Notes
    -----
    A finding is true if its direction is that of the L1's expected contrast with the reference: an error planted in one L1 makes
    the other L1s under-users. Features that no planted row names are errors of the checker's making; their findings
    are counted apart.
    """
    recipe = get_preset(preset, cap=None)
    tests = test_l1(counted.counts, admit(counted.units, recipe), preset=recipe, labels=labels, seed=seed)
    inventory = select_l1(tests, recipe)
    key = ["l1", "cefr", "feature"]
    rates = planted[[*key, "direction"]].assign(
        contrast=planted["direction"].map({"over": 1.0, "under": -1.0}).fillna(0.0)
    )
    over = planted[(planted["rate_ratio"] > 1) & planted["planted"].astype(bool) & planted["checker_sees"].astype(bool)]
    over = over[over["direction"] == "over"][key]
    found = inventory.merge(rates[[*key, "contrast"]], on=key, how="left")
    direction = np.where(found["direction"] == "over", 1.0, -1.0)
    known = found["contrast"].notna().to_numpy()
    wrong = known & (direction != found["contrast"].to_numpy(dtype=np.float64))
    hits = over.merge(inventory[inventory["direction"] == "over"][key], on=key)
    n_known = int(known.sum())
    return [
        _row("planted over-uses that are found", len(hits) / len(over) if len(over) else np.nan, len(over)),
        _row(
            "false discoveries among findings of planted features", wrong.sum() / n_known if n_known else 0.0, n_known
        ),
        _row("findings of features that nobody planted", float((~known).sum()), len(found)),
    ]


def _row(figure: str, value: float, n: int) -> dict[str, object]:
    return {"figure": figure, "value": float(value), "n": n}
