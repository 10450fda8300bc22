"""L1s against each other: two of them, or groups of them as one, instead of one against all others."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from miner import tables
from miner.errors import InputError, OptionError, listed, nearest
from miner.learner import DEFAULT_PRESET, Counts, L1Preset, admit, get_preset, test_l1


def compare_groups(
    counted: Counts,
    target: Sequence[str],
    reference: Sequence[str] | None = None,
    *,
    preset: str | L1Preset = DEFAULT_PRESET,
    name: str | None = None,
    labels: dict[str, str] | None = None,
    seed: int = 20250101,
) -> pd.DataFrame:
    """Test L1s taken together (a family, those without articles, a single one) against other L1s.

    Parameters
    ----------
    counted : Counts
    target : sequence of str
        L1 codes.
    reference : sequence of str, optional
        L1 codes; all others by default. One code compares two L1s.
    preset : str or L1Preset
        With contrast ``equal`` every L1 of the reference weighs the same; the target's learners are pooled.
    name : str, optional
        What stands in the column ``l1``; the codes joined by ``+`` by default.
    labels : dict, optional
    seed : int

    Returns
    -------
    DataFrame
        :data:`miner.tables.L1_TESTS`, the rows of the target; families (of q, of the gate, of replication) count these rows only.

    Raises
    ------
    OptionError
        If a code is unknown or on both sides, or nobody is left to compare with.
    InputError
        If no text of the target can be compared.
    """
    units = counted.units
    known = sorted(set(units["l1"].dropna()))
    sides = [*target, *(reference or ())]
    unknown = [c for c in sides if c not in known]
    twice = sorted(set(target) & set(reference or ()))
    if unknown or twice or not target:
        hint = nearest(unknown[0], known) if unknown else ""
        problems = (("unknown", unknown), ("on both sides", twice))
        found = "; ".join(f"{what}: {listed(names)}" for what, names in problems if names) or "no target"
        msg = f"A comparison needs different L1s of the corpus ({listed(known)}). Got {found}{hint}"
        raise OptionError(msg)
    if reference is None and set(known) <= set(target):
        msg = f"The target names every L1 of the corpus ({listed(known, most=40)}), so that nobody is left as reference; leave some out"
        raise OptionError(msg)
    title = name or "+".join(target)
    l1 = units["l1"].where(~units["l1"].isin(list(target)), title)
    if reference is not None:
        rows = l1.isin([title, *reference])
        units, l1 = units[rows], l1[rows]
    units = units.assign(l1=l1)
    if title not in set(admit(units, get_preset(preset)).texts["l1"]):
        msg = f"No text of {title} can be compared: each lacks words, a band that is asked for, or a native language other than English"
        raise InputError(msg)
    if counted.counts.empty and not labels:  # no feature is known
        return tables.L1_TESTS.empty()
    return test_l1(counted.counts, units, preset=preset, labels=labels, seed=seed, asked=[title])
