"""Small frames by hand that keep the table contracts, for tests of plots and report."""

from __future__ import annotations

from typing import Any

import pandas as pd

from miner import tables

L1S = ("ar", "de", "tr")
FEATURES = (("ARTICLE", "Missing article"), ("PREP", 'Preposition <i>&</i> "phrase"'), ("NUMBER", "Number agreement"))
#: Mean rates of the L1s by feature; the reference of each is the mean of the other two.
RATES = {"ARTICLE": (4.0, 2.0, 9.0), "PREP": (1.0, 6.0, 2.0), "NUMBER": (0.5, 0.0, 0.25)}
NAMES = {
    "1": "Aaa English",
    "2": "Bbb Creole",
    "3": "Ccc English dialects in the north",
    "10": "Ddd Pidgin",
    "11": "Eee English",
}


def l1_tests_frame(*, learners: int | None = 30, **changes: Any) -> pd.DataFrame:
    rows = []
    for band in "AB":
        for i, l1 in enumerate(L1S):
            for feature, label in FEATURES:
                rate = RATES[feature][i]
                others = [r for j, r in enumerate(RATES[feature]) if j != i]
                reference = sum(others) / 2
                effect = rate - reference
                half = 0.5 + 0.1 * rate
                p = 0.001 if effect > 1 else 0.04 if effect > 0 else 0.5
                row: dict[str, Any] = dict.fromkeys(tables.L1_TESTS.names)
                row.update(
                    l1=l1, cefr=band, feature=feature, label=label, family="errors", unit="text", texts_target=40,
                    texts_reference=80, learners_target=learners, learners_reference=None if learners is None else 60,
                    errors_target=int(rate * 4), errors_reference=int(reference * 8), words_target=4000, words_reference=8000,
                    reference=" ".join(f"{o}:40" for o in L1S if o != l1), rate_target=rate, rate_reference=reference,
                    ratio_of_sums_target=rate, ratio_of_sums_reference=reference, effect=effect, ci_low=effect - half,
                    ci_high=effect + half, hedges_g=0.1, test="student", statistic=effect, df=118.0, p=p, q=p,
                    correction="none", correction_family="l1-band", m=3, status="tested", reason="",
                )  # fmt: skip
                rows.append({**row, **changes})
    return tables.conform(rows, tables.L1_TESTS)


def inventory_frame(tests: pd.DataFrame) -> pd.DataFrame:
    chosen = tests[(tests["effect"] > 0) & (tests["p"] < 0.05)].sort_values(
        ["l1", "cefr", "statistic"], ascending=[True, True, False]
    )
    chosen = chosen.assign(rank=chosen.groupby(["l1", "cefr"]).cumcount() + 1, direction="over", preset="trans-env")
    return tables.conform(chosen.reindex(columns=tables.L1_INVENTORY.names), tables.L1_INVENTORY)


#: Symmetric distances between the five varieties.
MATRIX = (
    (0.0, 1.0, 4.0, 2.0, 7.0),
    (1.0, 0.0, 6.0, 3.0, 8.0),
    (4.0, 6.0, 0.0, 5.0, 9.0),
    (2.0, 3.0, 5.0, 0.0, 6.5),
    (7.0, 8.0, 9.0, 6.5, 0.0),
)


def distances_frame(*, all_pairs: bool = False) -> pd.DataFrame:
    ids = list(NAMES)
    rows = []
    for i, a in enumerate(ids if all_pairs else ids[:1]):
        for j, b in enumerate(ids):
            row = {
                "from_id": a, "from_variety": NAMES[a], "variety_id": b, "variety": NAMES[b], "metric": "manhattan",
                "encoding": "ordinal", "distance": MATRIX[i][j], "n_shared": 200, "n_unrated": 35, "reason": "",
            }  # fmt: skip
            rows.append({**dict.fromkeys(tables.DISTANCES.names), **row})
    return tables.conform(rows, tables.DISTANCES)


def clusters_frame() -> pd.DataFrame:
    rows = []
    for n, (variety_id, name) in enumerate(NAMES.items()):
        row = {
            "variety_id": variety_id, "variety": name, "type": "L1t", "region": "BI", "cluster": 1 if n < 3 else 2,
            "cluster_size": 3 if n < 3 else 2, "silhouette": 0.25, "in_dialect_set": n in (1, 2),
            "reason": "it is the reference point" if n == 0 else "", "n_a": 3, "n_b": 2, "n_c": 1, "n_d": 2,
            "n_x": 8 if n == 2 else 0, "n_unknown": 1, "n_absent": 0,
        }  # fmt: skip
        rows.append({**dict.fromkeys(tables.DIALECT_CLUSTERS.names), **row})
    return tables.conform(rows, tables.DIALECT_CLUSTERS)


def dialect_inventory_frame() -> pd.DataFrame:
    rows = [
        {"variety_id": v, "variety": NAMES[v], "feature_id": f, "feature": f"Feature {f} of nouns", "area": "Noun phrase",
         "rating": "A", "weight": 1.0}
        for v, f in (("2", "9"), ("2", "10"), ("3", "9"))
    ]  # fmt: skip
    return tables.conform(pd.DataFrame(rows).reindex(columns=tables.DIALECT_INVENTORY.names), tables.DIALECT_INVENTORY)


def k_frame() -> pd.DataFrame:
    rows = [
        {"k": k, "inertia": 100.0 / k, "silhouette": None if k == 5 else 0.4 / k, "starts": 10, "solutions": k,
         "share_best": 1 / k, "reason": "undefined" if k == 5 else ""}
        for k in range(2, 6)
    ]  # fmt: skip
    return tables.conform(pd.DataFrame(rows).reindex(columns=tables.K_SELECTION.names), tables.K_SELECTION)


def all_tables() -> dict[str, pd.DataFrame]:
    tests = l1_tests_frame()
    return {
        "l1_tests": tests,
        "l1_inventory": inventory_frame(tests),
        "dialect_clusters": clusters_frame(),
        "dialect_inventory": dialect_inventory_frame(),
        "k_selection": k_frame(),
        "distances": distances_frame(),
    }


def run_facts() -> dict[str, Any]:
    return {
        "writer": "miner",
        "miner": "0.1.0",
        "title": "a study",
        "command": "run",
        "parameters": {"preset": {"alpha": 0.05, "direction": "over", "cap": 10}, "taxonomy": "trans-env"},
        "seed": 7,
        "corpora": [{"name": "sample", "format": "table", "simulated": True, "texts": 240, "words": 24000, "cefr_source": {"placement": 240}}],
        "checker": {"engine": "lingotweaker-0.2.8", "rules": "8f3a2c"},
        "inputs": {"sample": "3f2a"},
        "accounts": [
            {"step": "read", "unit": "texts", "read": 243, "kept": 240, "dropped": {"no words": 3}, "noted": {"odd": 2},
             "places": {"no words": ["texts.csv:17"]}}
        ],
        "signatures": {"l1_tests": "l1|corpus:sample#3f2a|test:student|miner:0.1.0"},
        "versions": {"python": "3.11"},
        "dialects": {"components": 3, "share_of_plain_starts_with_exactly_this_cluster": 0.031},
        "dialect_warnings": ["The kept cluster is one of many."],
    }  # fmt: skip
