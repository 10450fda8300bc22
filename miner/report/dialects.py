"""What the report says about dialects: the set with its reasons, what is not rated, inventories, distances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from miner.report.formats import missing

if TYPE_CHECKING:
    import pandas as pd

MOST_VARIETIES = 120
MOST_FEATURES = 80
#: A variety with at least this share of its cells unrated is named in a warning.
_SPARSE = 0.5
_RATINGS = ("n_a", "n_b", "n_c", "n_d", "n_x", "n_unknown", "n_absent")


def dialect_view(tables: Mapping[str, pd.DataFrame]) -> dict[str, Any] | None:
    """Return the dialect part of the page, or None if the run has none.

    ``members``: the dialect set; ``left_out``: rows with a reason; ``others``: number of remaining varieties;
    ``inventories``: per variety its features by grammar area; ``sparse``: members with half or more of the cells unrated.
    """
    clusters = tables.get("dialect_clusters")
    if clusters is None or clusters.empty:
        return None
    frame = clusters.copy()
    rated = frame[list(_RATINGS)].fillna(0).astype("int64")
    frame["n_features"] = rated.sum(axis=1)
    frame["n_unrated"] = rated[["n_x", "n_unknown", "n_absent"]].sum(axis=1)
    frame["share_unrated"] = frame["n_unrated"] / frame["n_features"].where(frame["n_features"] > 0)
    inside = frame["in_dialect_set"].fillna(value=False).astype(bool)
    members = frame[inside]
    reasons = frame["reason"].fillna("")
    left_out = frame[~inside & reasons.ne("")]
    sizes = frame.dropna(subset=["cluster"]).groupby("cluster", sort=True).size()
    return {
        "members": members.to_dict("records"),
        "left_out": left_out.to_dict("records"),
        "others": len(frame) - len(members) - len(left_out),
        "varieties": len(frame),
        "clusters": list(zip(sizes.index.astype(int).tolist(), sizes.tolist(), strict=True)),
        "kept_cluster": sorted({int(c) for c in members["cluster"].dropna()}),
        "sparse": members[members["share_unrated"] >= _SPARSE].to_dict("records"),
        "inventories": _inventories(tables.get("dialect_inventory")),
        "features_in_all": _distinct(tables.get("dialect_inventory")),
    }


def _distinct(inventory: pd.DataFrame | None) -> tuple[int, int]:
    return (0, 0) if inventory is None else (len(inventory), int(inventory["feature_id"].nunique()))


def _inventories(inventory: pd.DataFrame | None) -> list[dict[str, Any]]:
    if inventory is None or inventory.empty:
        return []
    out = []
    for variety_id, rows in inventory.groupby("variety_id", sort=False):
        shown = rows.head(MOST_FEATURES)
        areas = [
            {"area": str(area), "features": part[["feature_id", "feature", "rating"]].to_dict("records")}
            for area, part in shown.groupby("area", sort=False, dropna=False)
        ]
        name = str(rows["variety"].iloc[0])
        out.append(
            {"id": str(variety_id), "variety": name, "n": len(rows), "more": len(rows) - len(shown), "areas": areas}
        )
    return out[:MOST_VARIETIES]


def distance_view(tables: Mapping[str, pd.DataFrame]) -> dict[str, Any] | None:
    """Return the distances from the reference point, nearest first by the first metric; None if the run has none.

    ``metric`` and ``encoding`` name what there is; each row has one value (and bar) per pair of them. With several
    reference points only their number and names are given: the matrix is a figure and a table.
    """
    distances = tables.get("distances")
    if distances is None or distances.empty:
        return None
    points = distances[["from_id", "from_variety"]].drop_duplicates()
    one = len(points) == 1
    rows = distances[distances["from_id"] != distances["variety_id"]]
    kinds = list(dict.fromkeys(zip(distances["metric"], distances["encoding"], strict=True)))
    return {
        "reference": points["from_variety"].tolist(),
        "one": one,
        "zero": one and points["from_id"].iloc[0] == "zero",
        "metric": sorted({m for m, _ in kinds}),
        "encoding": sorted({e for _, e in kinds}),
        "kinds": kinds,
        "rows": _distance_rows(rows, kinds)[:MOST_VARIETIES] if one else [],
        "total": rows["variety_id"].nunique() if one else len(rows),
        "undefined": int(rows["distance"].isna().sum()),
    }


def _distance_rows(rows: pd.DataFrame, kinds: list[tuple[str, str]]) -> list[dict[Any, Any]]:
    by_kind = {k: part.set_index("variety_id") for k, part in rows.groupby(["metric", "encoding"], sort=False)}
    first = by_kind[kinds[0]].sort_values(["distance", "variety"], na_position="last", kind="stable")
    top = {k: part["distance"].max() for k, part in by_kind.items()}
    out = []
    for variety_id, row in first.iterrows():
        values = []
        for kind in kinds:
            part = by_kind[kind]
            value = part["distance"].get(variety_id)
            bar = None if value is None or missing(value) or not top[kind] else round(100 * value / top[kind], 2)
            values.append({"distance": value, "bar": bar})
        out.append({**row.to_dict(), "values": values})
    return out
