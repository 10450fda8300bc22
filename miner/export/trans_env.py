"""Feature lists as Trans-EnV's code reads them.

Learners: a dictionary from the name of the L1 to the keys of its error guidelines. Dialects: a table with the columns
``Language_ID`` (variety), ``Parameter_ID`` (feature name) and ``Value`` (rating), of which its code uses the rows rated A.
Both are compared with guideline keys as strings; a key without a guideline is dropped there without a word, so only
keys that have one are written, and all others are reported.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import pandas as pd

from miner.categories import load_taxonomy
from miner.export.keys import match_keys
from miner.export.package import (
    DATA,
    FEWEST_LEARNERS,
    Export,
    Rows,
    csv_bytes,
    json_bytes,
    jsonl_bytes,
)

NAME = "trans-env"
L1_FILE, DIALECT_FILE = "l1_grammarerror", "ewave.csv"
NO_GUIDELINE = "the consumer has no guideline for it"
UNDER = "under-used: the consumer can only add a feature"
SMALL = f"fewer than {FEWEST_LEARNERS} learners"
NOT_ERRORS = "not of the family errors"
NOT_A = "not rated A: the consumer reads rows rated A"


def export_trans_env(
    l1_inventory: pd.DataFrame | None = None,
    dialect_inventory: pd.DataFrame | None = None,
    *,
    keys: Sequence[str] | None = None,
    band: str | None = None,
    small_cells: bool = False,
    signature: str = "",
) -> Export:
    """Make Trans-EnV's learner dictionary and dialect table.

    Parameters
    ----------
    l1_inventory : DataFrame, optional
        Table ``l1_inventory``. Bands of an L1 are merged, best rank first, unless ``band`` picks one.
    dialect_inventory : DataFrame, optional
        Table ``dialect_inventory``.
    keys : sequence of str, optional
        The keys and feature names for which the consumer has guidelines; default: those of the public repository.
    band : {"A", "B", "C"}, optional
        CEFR band of the learner dictionary.
    small_cells : bool
        Keep cells with fewer than 5 learners (texts, where learners are unknown).
    signature : str
        Printed in the Python form of the dictionary.

    Returns
    -------
    Export
        ``l1_grammarerror.json``, ``.py``, ``.jsonl``; ``ewave.csv``, ``dialect_features.json``, ``.jsonl``.

    Notes
    -----
    A category of ``miner-core`` stands for the published label that it holds. A category is served by its published keys that have a guideline, else by the alternative key of
    ``data/export/trans-env.keys.csv`` that has one, else by a key equal to its id or label.
    """
    known = pd.read_csv(DATA / "trans-env.guidelines.csv", dtype=str, keep_default_na=False)
    rows = Rows()
    files: dict[str, bytes] = {}
    facts: dict[str, Any] = {}
    if l1_inventory is not None:
        l1_keys = list(keys) if keys is not None else list(known.loc[known["kind"] == "l1", "key"])
        lists, unnamed = _learners(l1_inventory, l1_keys, rows, band=band, small_cells=small_cells)
        files |= _learner_files(lists, signature)
        facts["l1_without_a_name_there"] = unnamed
    if dialect_inventory is not None:
        names = list(keys) if keys is not None else list(known.loc[known["kind"] == "dialect", "key"])
        files |= _dialect_files(_dialects(dialect_inventory, names, rows))
    return rows.finish(NAME, files, **facts)


def _learners(
    inventory: pd.DataFrame, keys: Sequence[str], rows: Rows, *, band: str | None, small_cells: bool
) -> tuple[dict[str, list[str]], list[str]]:
    table = pd.read_csv(DATA / "trans-env.keys.csv", dtype=str, keep_default_na=False)
    names = pd.read_csv(DATA / "trans-env.l1_names.csv", dtype=str, keep_default_na=False)
    named = dict(zip(names["l1"], names["name"], strict=True))
    lists: dict[str, list[str]] = {}
    part = inventory if band is None else inventory[inventory["cefr"] == band]
    for row in part.sort_values(["l1", "rank", "cefr"], kind="stable").to_dict("records"):
        l1, feature, label = str(row["l1"]), str(row["feature"]), str(row["label"])
        wanted = lists.setdefault(named.get(l1, l1), [])
        found, near = _serve(feature, label, table, keys)
        reason = _objection(row, small_cells=small_cells) or ("" if found else NO_GUIDELINE)
        rows.add("l1", f"{l1}:{row['cefr']}", feature, label, key=" | ".join(found), reason=reason, near=near)
        if not reason:
            wanted.extend(k for k in found if k not in wanted)
    return dict(sorted(lists.items())), sorted({str(v) for v in part["l1"]} - set(named))


def _objection(row: Mapping[Any, Any], *, small_cells: bool) -> str:
    if row.get("family", "errors") not in ("errors", ""):
        return NOT_ERRORS
    if row["direction"] == "under":
        return UNDER
    size = row["texts_target"] if pd.isna(row["learners_target"]) else row["learners_target"]
    return SMALL if not small_cells and (pd.isna(size) or int(size) < FEWEST_LEARNERS) else ""


def _serve(feature: str, label: str, table: pd.DataFrame, keys: Sequence[str]) -> tuple[list[str], str]:
    own = table[table["category"] == feature]
    if own.empty:
        own = table[table["category"] == _published().get(feature, "")]
    near: dict[str, str] = {}
    for choice in (
        own.loc[own["role"] == "published", "key"],
        own.loc[own["role"] == "alternative", "key"],
        [feature],
        [label],
    ):
        got = match_keys(choice, keys)
        if got.served:
            return list(got.served), ""
        near |= got.near
    return [], next(iter(near.values()), "")


@lru_cache(maxsize=1)
def _published() -> dict[str, str]:
    categories = load_taxonomy("miner-core").categories
    return dict(zip(categories["id"], categories["trans_env"], strict=True))


def _dialects(inventory: pd.DataFrame, names: Sequence[str], rows: Rows) -> list[dict[str, str]]:
    got = match_keys(dict.fromkeys(map(str, inventory["feature"])), names)
    served = set(got.served)
    kept = []
    for row in inventory.to_dict("records"):
        variety, feature = str(row["variety"]), str(row["feature"])
        item = str(row.get("feature_id") or feature)
        rating = str(row.get("rating", "A"))
        reason = "" if feature in served else NO_GUIDELINE
        reason = reason or ("" if rating == "A" else NOT_A)
        key = feature if not reason else ""
        rows.add("dialect", variety, item, feature, key=key, reason=reason, near=got.near.get(feature, ""))
        if not reason:
            kept.append({"variety": variety, "feature_id": item, "feature": feature, "rating": rating})
    return kept


def _learner_files(lists: Mapping[str, list[str]], signature: str) -> dict[str, bytes]:
    body = "".join(f"    {json.dumps(n)}: {json.dumps(k)},\n" for n, k in lists.items())
    code = f"# {signature or 'feature lists mined by miner'}\nL1_GRAMMARERROR = {{\n{body}}}\n"
    lines = [{"l1": n, "rank": i, "key": k} for n, ks in lists.items() for i, k in enumerate(ks, 1)]
    return {
        f"{L1_FILE}.json": json_bytes(dict(lists)),
        f"{L1_FILE}.py": code.encode(),
        f"{L1_FILE}.jsonl": jsonl_bytes(lines),
    }


def _dialect_files(kept: list[dict[str, str]]) -> dict[str, bytes]:
    columns = {"variety": "Language_ID", "feature": "Parameter_ID", "rating": "Value"}
    frame = pd.DataFrame(kept, columns=["variety", "feature_id", "feature", "rating"])
    lists: dict[str, list[str]] = {}
    for row in kept:
        lists.setdefault(row["variety"], []).append(row["feature"])
    return {
        DIALECT_FILE: csv_bytes(frame[list(columns)].rename(columns=columns)),
        "dialect_features.json": json_bytes(lists),
        "dialect_features.jsonl": jsonl_bytes(list(kept)),
    }
