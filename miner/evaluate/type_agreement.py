"""Whether a checker's rule and an annotator's edit of one place name the same type of error, in ERRANT's terms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from miner.categories import Taxonomy, categorise
from miner.errors import InputError
from miner.evaluate.pairing import pair
from miner.tables import AUDIT_TYPES, conform

#: Types that name no kind of error.
NO_TYPE = ("OTHER", "UNK")
_LEVELS = ("same_class", "same_type", "same_full")


def type_agreement(
    matches: pd.DataFrame, edits: pd.DataFrame, taxonomy: Taxonomy, *, exclude: str | Path = "default"
) -> pd.DataFrame:
    """Compare the categories of matches with the ERRANT types of the gold edits that they overlap.

    Parameters
    ----------
    matches : DataFrame
        Table ``matches`` after the overlap policy; those of texts without any edit row are left out.
    edits : DataFrame
        Table ``edits`` of scheme errant and one annotator; noop rows say that a text was annotated.
    taxonomy : Taxonomy
        With ERRANT types for its categories (``miner-core``).
    exclude : str or Path
        As in :func:`miner.categories.categorise`: mapped matches that are not excluded count.

    Returns
    -------
    DataFrame
        Table ``audit_types``: one row for all and one per category with a match.

    Raises
    ------
    InputError
        If the taxonomy has no ERRANT types, or an edit is of another scheme.

    Notes
    -----
    A match agrees with an edit on the *type* if the type without its operation (``VERB:SVA`` of ``R:VERB:SVA``) is one of the
    category's; on the *full* type if operation and type are; on the *class* if the first part (``VERB``) is. A match that
    overlaps several edits agrees if one of them does. ``OTHER`` and ``UNK`` name no type: shares are over matches with an
    edit that has one, and ``share_of_paired`` counts the others as disagreement. The three tiers are those of
    Bryant, Felice and Briscoe (2017).
    """
    if "errant" not in taxonomy.categories:
        msg = f"The taxonomy {taxonomy.name} has no ERRANT types for its categories; give miner-core"
        raise InputError(msg)
    schemes = sorted(set(edits.loc[edits["kind"] != "noop", "scheme"]))
    if schemes not in ([], ["errant"]):
        msg = f"The types of edits are compared in ERRANT's scheme; got {schemes}. Type them with ERRANT first"
        raise InputError(msg)
    own = dict(zip(taxonomy.categories["id"], taxonomy.categories["errant"].str.split(), strict=True))
    found = categorise(matches[matches["text_id"].isin(set(edits["text_id"]))], taxonomy, exclude=exclude).matches
    found = found[found["status"] == "mapped"].reset_index(drop=True)
    real = edits[edits["kind"] != "noop"].reset_index(drop=True)
    pairs = pair(found, real)
    flags = {c: np.zeros(len(found), dtype=bool) for c in ("paired", "typed", *_LEVELS)}
    types, features = real["type"].to_numpy(dtype=object), found["feature"].to_numpy(dtype=object)
    for m, e in zip(pairs["match"], pairs["edit"], strict=True):
        flags["paired"][m] = True
        if _parts(types[e])[1] not in NO_TYPE:
            flags["typed"][m] = True
            for level, same in zip(_LEVELS, _agreement(types[e], own[features[m]]), strict=True):
                flags[level][m] |= same
    rows = [_row("", "all", np.ones(len(found), dtype=bool), flags)]
    rows += [_row(c, taxonomy.label(c), features == c, flags) for c in sorted(set(features))]
    return conform(rows, AUDIT_TYPES)


def _parts(full: str) -> tuple[str, str]:
    operation, _, kind = full.partition(":")
    return (operation, kind) if kind else ("", full)


def _agreement(given: str, types: list[str]) -> tuple[bool, bool, bool]:
    kind, kinds = _parts(given)[1], {_parts(t)[1] for t in types}
    return kind.split(":")[0] in {k.split(":")[0] for k in kinds}, kind in kinds, given in types


def _row(
    category: str, label: str, own: np.ndarray[Any, Any], flags: dict[str, np.ndarray[Any, Any]]
) -> dict[str, object]:
    n = {c: int(flag[own].sum()) for c, flag in flags.items()}
    shares = {f"share_{c.removeprefix('same_')}": n[c] / n["typed"] if n["typed"] else np.nan for c in _LEVELS}
    reason = "" if n["typed"] else "no match overlaps an edit" if not n["paired"] else "all edits are OTHER or UNK"
    return {
        "category": category,
        "label": label,
        "matches": int(own.sum()),
        **n,
        **shares,
        "share_of_paired": n["same_type"] / n["paired"] if n["paired"] else np.nan,
        "reason": reason,
    }
