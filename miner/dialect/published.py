"""The published dialect set: what a result is compared with, never what it is made from."""

from __future__ import annotations

from importlib.resources import files

import numpy as np
import numpy.typing as npt
import pandas as pd

from miner.dialect.kmeans import Search
from miner.dialect.presets import DialectPreset
from miner.dialect.ratings import Ratings
from miner.errors import listed


def paper_dialects() -> pd.DataFrame:
    """Return Trans-EnV's 18 dialects (C.1.2): ``n, name_paper, abbr_paper, ewave_id, ewave_name``."""
    with (files("miner") / "data" / "trans_env_dialects.csv").open(encoding="utf-8") as stream:
        return pd.read_csv(stream, dtype=str, keep_default_na=False)


def warnings_of(
    clustered: Ratings, recipe: DialectPreset, members: npt.NDArray[np.intp], kept: list[int], found: Search
) -> tuple[str, ...]:
    """Return what a reader should know: ties, and how the kept cluster differs from the published one."""
    out = []
    if found.ties > 1:
        out.append(
            f"{found.ties} partitions tie for the lowest inertia; the one whose labels come first in id order is shown"
        )
    if recipe.name == "trans-env":
        # Compared with, never taken from, the paper's list.
        published = set(paper_dialects()["ewave_name"]) | {e.variety for e in recipe.exclusions}
        now = {str(clustered.varieties["variety"][i]) for i in members}
        if now != published:
            more, fewer = sorted(now - published), sorted(published - now)
            out.append(
                "The kept cluster is not the published one: "
                + "; ".join(
                    s
                    for s in (
                        f"also in it: {listed(more)}" if more else "",
                        f"no longer in it: {listed(fewer)}" if fewer else "",
                    )
                    if s
                )
                + f". The set has {len(kept)} dialects"
            )
    return tuple(out)
