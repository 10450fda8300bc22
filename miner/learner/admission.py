"""Which texts enter an L1 comparison, and what its units are; everything left out is counted with its reason."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd

from miner.errors import EmptyInput, MinerError, StatisticsError
from miner.learner.given import checked_units
from miner.learner.presets import L1Preset
from miner.ledger import Ledger

#: ISO codes of English: its native speakers are no learners of it.
ENGLISH = ("en", "eng")


@dataclass(frozen=True)
class Admitted:
    """Texts of learners with exactly one known native language other than English, in a band that is asked for.

    Attributes
    ----------
    texts : DataFrame
        Columns ``text_id, member, l1, band, prompt, words``, sorted by band, member and text. ``member`` is the unit: the learner, or
        the text.
    unit : {"text", "learner"}
        What ``member`` is.
    learners : bool
        Whether learner ids exist, so that learners can be counted.
    ledger : Ledger
        Every text of the units table, kept or left out.
    natives : DataFrame, optional
        Texts of native speakers of English in the bands asked for, or without a level (then compared with every band); same columns.
    """

    texts: pd.DataFrame = field(repr=False)
    unit: Literal["text", "learner"]
    learners: bool
    ledger: Ledger
    natives: pd.DataFrame | None = field(default=None, repr=False)


def admit(units: pd.DataFrame, preset: L1Preset) -> Admitted:
    """Return the texts that the preset compares.

    Parameters
    ----------
    units : DataFrame
        :data:`miner.tables.UNITS`.
    preset : L1Preset
        Its ``unit`` and ``bands`` are used.

    Raises
    ------
    EmptyInput
        If no text is left; the message says why each was left out.
    MinerError
        If all texts that are left have the same L1.
    StatisticsError
        If ``unit="learner"`` and no text names its learner.
    InputError, StatisticsError
        If the table does not keep its contract (:func:`miner.learner.given.checked_units`).
    """
    units = checked_units(units).reset_index(drop=True)
    learner = units["learner"].fillna("").astype(str)
    learners = bool((learner != "").any())
    if preset.unit == "learner" and not learners:
        msg = "unit='learner' needs learner ids, and no text has one. Name the learner column, or use unit='text'"
        raise StatisticsError(msg)
    unit: Literal["text", "learner"] = (
        "learner" if preset.unit == "learner" or (preset.unit == "auto" and learners) else "text"
    )
    reason = _reasons(units, learner, preset, by_learner=unit == "learner")
    ledger = Ledger("admit", "texts")
    for why, number in reason.value_counts().sort_index().items():
        if why == "":
            ledger.keep(int(number))
        else:
            ledger.drop(str(why), int(number))
    kept = units[reason == ""]
    texts = kept[["text_id", "l1", "band", "prompt", "words"]].copy()
    texts["learner"] = learner[kept.index]
    nameless = texts["learner"] == ""
    # A text id can equal a learner id; the prefix keeps the two kinds of unit apart.
    alone = "text " + texts["text_id"].astype(str)
    texts["member"] = alone if unit == "text" else texts["learner"].where(~nameless, alone)
    if unit == "learner":
        ledger.note("no learner id: the text is a unit of its own", int(nameless.sum()))
    _note_uncrossed(texts, ledger)
    texts = texts.sort_values(["band", "member", "text_id"], kind="stable").reset_index(drop=True)
    _require_two_l1s(texts, ledger)
    return Admitted(texts, unit, learners, ledger, _natives(units, learner, reason, preset, unit))


def _note_uncrossed(texts: pd.DataFrame, ledger: Ledger) -> None:
    # Where L1 and prompt, or L1 and level, come together, what belongs to which cannot be told.
    known = texts["prompt"].notna()
    alone = texts[known].groupby(["band", "prompt"])["l1"].transform("nunique") == 1
    ledger.note("on a prompt that no other L1 wrote on at that level", int(alone.sum()))
    levels = texts.groupby("l1")["band"].transform("nunique")
    ledger.note("of an L1 that is not at every level", int((levels < texts["band"].nunique()).sum()))


def _natives(
    units: pd.DataFrame, learner: pd.Series, reason: pd.Series, preset: L1Preset, unit: str
) -> pd.DataFrame | None:
    band = units["band"].fillna("").astype(str)
    rows = (reason == "native (en)") & (units["words"].fillna(0) > 0) & band.isin(["", *preset.bands])
    if not rows.any():
        return None
    texts = units.loc[rows, ["text_id", "l1", "band", "prompt", "words"]].assign(learner=learner[rows], band=band[rows])
    alone = "text " + texts["text_id"].astype(str)
    texts["member"] = alone if unit == "text" else texts["learner"].where(texts["learner"] != "", alone)
    return texts.sort_values(["band", "member", "text_id"], kind="stable").reset_index(drop=True)


def _reasons(units: pd.DataFrame, learner: pd.Series, preset: L1Preset, *, by_learner: bool) -> pd.Series:
    l1 = units["l1"].fillna("").astype(str)
    band = units["band"].fillna("").astype(str)
    native = l1.isin(ENGLISH) | l1.str.startswith("en-")
    conditions = {
        "L1 unknown": l1 == "",
        "several native languages": l1.str.contains(";", regex=False),
        "native (en)": native,
        "no words": units["words"].fillna(0) <= 0,
    }
    if by_learner:
        different = l1[learner != ""].groupby(learner[learner != ""]).nunique()
        conditions["learner with different native languages"] = learner.isin(different.index[different > 1])
    conditions["no level"] = band == ""
    for name in sorted(set(band) - {"", *preset.bands}):
        conditions[f"band {name} not asked for"] = band == name
    chosen = np.select([c.to_numpy(dtype=bool) for c in conditions.values()], list(conditions), default="")
    return pd.Series(chosen.astype(object), index=units.index)


def _require_two_l1s(texts: pd.DataFrame, ledger: Ledger) -> None:
    left_out = "; ".join(f"{n} {why}" for why, n in sorted(ledger.dropped.items())) or "none"
    if texts.empty:
        msg = (
            f"No text is left to compare: expected texts with one known native language and a CEFR level. Of {ledger.read} "
            f"texts, left out: {left_out}. Check the columns of L1 and level (name them with --l1 COLUMN and --cefr COLUMN); labels that "
            "are not understood are named in the account of reading"
        )
        raise EmptyInput(msg)
    known = texts["l1"].unique()
    if len(known) < 2:
        msg = (
            f"An L1 is compared with the other L1s of the corpus: expected two or more, got one ('{known[0]}', {len(texts)} texts; "
            f"left out: {left_out}). Add texts of another L1, or check the l1 column"
        )
        raise MinerError(msg)
