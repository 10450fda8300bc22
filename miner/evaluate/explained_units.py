"""The units behind one comparison: rate, stratum and deviation of each, by pseudonym."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import pandas as pd

from miner import stats, tables
from miner.learner.admission import admit
from miner.learner.presets import L1Preset


def preset_of_run(written: dict[str, Any]) -> L1Preset | None:
    """Return the recipe that a run says it used; None if it says none. Options that a newer version knows alone are left out.

    Parameters
    ----------
    written : dict
        ``run.json``.
    """
    options = written.get("preset")
    if not isinstance(options, dict) or "name" not in options:
        return None
    known = {f.name for f in fields(L1Preset)}
    given: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in options.items() if k in known}
    return L1Preset(**given)


def explained_texts(row: pd.Series, counts: pd.DataFrame, units: pd.DataFrame, recipe: L1Preset) -> pd.DataFrame:
    """Return the compared texts of all bands: ``text_id, member, l1, band, prompt, words, occurrences``; prompts not missing."""
    texts = admit(units, recipe).texts
    own = counts[counts["feature"] == row["feature"]].groupby("text_id")["n"].sum()
    n = own.reindex(texts["text_id"]).fillna(0).astype("int64").to_numpy()
    return texts.assign(
        occurrences=n, words=texts["words"].astype("int64"), prompt=texts["prompt"].fillna("").astype(str)
    )


def explained_units(row: pd.Series, texts: pd.DataFrame) -> pd.DataFrame:
    """Return one row per unit of the band.

    Parameters
    ----------
    row : Series
        A row of :data:`miner.tables.L1_TESTS`.
    texts : DataFrame
        Of :func:`explained_texts`.

    Returns
    -------
    DataFrame
        :data:`miner.tables.EXPLAINED_UNITS`: rate = 1000 * occurrences / words; deviation = rate - mean rate of the stratum's units,
        over all L1s; empty where the stratum has one L1 or the test knows no strata. ``fold`` is empty unless the test is by permutation.
    """
    band = texts[texts["band"] == row["cefr"]]
    sums = band.groupby(["member", "l1"], sort=True)[["words", "occurrences"]].sum().reset_index()
    frame = sums.rename(columns={"member": "unit"})
    frame["rate"] = 1000 * frame["occurrences"] / frame["words"]
    frame["stratum"], frame["stratum_mean"], frame["deviation"] = "", float("nan"), float("nan")
    frame["informative"], frame["fold"] = pd.NA, pd.NA
    frame["by_prompt"] = _by_prompt(band).reindex(frame["unit"]).to_numpy()
    if row["test"] == "permutation":
        by_prompt = row["strata"] == "prompt"
        name = texts["band"] + " " + texts["prompt"].replace("", "(unknown)") if by_prompt else texts["band"]
        # A stratum is the whole set of a unit's bands (and prompts), not those of this band alone.
        sets = name.groupby(texts["member"]).agg(lambda names: " + ".join(sorted(set(names))))
        label = pd.factorize(frame["l1"], sort=True)[0]
        frame["fold"] = stats.jackknife_folds(pd.factorize(frame["unit"], sort=True)[0], label)
        l1s = texts.groupby("member")["l1"].first().groupby(sets).nunique()
        frame["stratum"] = frame["unit"].map(sets)
        frame["informative"] = frame["stratum"].map(l1s) > 1
        mean = frame.groupby("stratum")["rate"].transform("mean")
        frame["stratum_mean"] = mean
        frame["deviation"] = (frame["rate"] - mean).where(frame["informative"].astype(bool))
    return tables.conform(
        frame.sort_values(["stratum", "l1", "unit"], kind="stable").reset_index(drop=True), tables.EXPLAINED_UNITS
    )


def _by_prompt(band: pd.DataFrame) -> pd.Series:
    sums = band.groupby(["member", "prompt"], sort=True)[["occurrences", "words"]].sum()
    pairs: dict[str, dict[str, list[int]]] = {}
    for (unit, prompt), n, words in zip(sums.index, sums["occurrences"], sums["words"], strict=True):
        pairs.setdefault(str(unit), {})[str(prompt)] = [int(n), int(words)]
    return pd.Series({unit: json.dumps(own, ensure_ascii=False) for unit, own in pairs.items()}, dtype="str")
