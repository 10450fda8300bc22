"""Groups of L1s that comparisons know by name: language families, languages without articles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from miner.corpora.bundled import bundled_rows
from miner.errors import OptionError, listed, nearest


def l1_groups() -> pd.DataFrame:
    """Return the named groups: columns ``group, label, codes`` (separated by blanks) and ``definition``."""
    return pd.DataFrame(bundled_rows("languages", "groups.csv"))


def expand_l1s(names: str | Sequence[str], known: Iterable[str], *, what: str) -> list[str]:
    """Return the codes of a corpus that codes and names of groups stand for, each once, in order.

    Parameters
    ----------
    names : str or sequence of str
        Codes and groups; a string is split at commas.
    known : iterable of str
        L1s of the corpus.
    what : str
        The option, for messages.

    Raises
    ------
    OptionError
        If a name is neither an L1 of the corpus nor a group of which it has any.
    """
    have = sorted(set(known))
    groups = {row["group"]: row["codes"].split() for row in bundled_rows("languages", "groups.csv")}
    parts = names.split(",") if isinstance(names, str) else list(names)
    found: list[str] = []
    for name in (p.strip() for p in parts):
        own = [name] if name in have else [c for c in groups.get(name, ()) if c in have]
        if not own:
            why = f"the corpus has no L1 of the group {name}" if name in groups else f"'{name}' is no L1 of the corpus"
            hint = "" if name in groups else nearest(name, [*have, *groups])
            why = f"{why}{hint or '.'}" if name else "a name is empty."
            msg = f"{what}: {why} The corpus has {listed(have, most=40)}; groups are {listed(list(groups), most=40)}"
            raise OptionError(msg)
        found += [c for c in own if c not in found]
    return found
