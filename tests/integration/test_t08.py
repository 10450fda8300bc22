"""T08: overlapping, repeated, excluded and unknown matches: the counts add up under every overlap policy."""

from __future__ import annotations

import json

from miner.categories import categorise, load_taxonomy
from miner.checkers import apply_overlap
from miner.tables import MATCHES, conform


def test_t08_categories_add_up_under_every_overlap_policy(cases, tmp_path):
    case = json.loads((cases / "text" / "t08_overlaps_unmapped.json").read_text())
    expected = json.loads((cases / "text" / "expected.json").read_text())["T08"]
    table = tmp_path / "t08.tsv"
    lines = [f"{r}\t{(c or '').replace(' ', '_')}\t{c or ''}" for r, c in case["rule_to_category"].items()]
    table.write_text("\n".join(["rule_id\tcategory\tlabel", *lines]) + "\n")
    taxonomy = load_taxonomy(table)
    seen: dict[tuple[int, int, str], int] = {}
    rows = []
    for m in case["matches"]:
        place = (m["offset"], m["offset"] + m["length"], m["rule_id"])
        seen[place] = seen.get(place, 0) + 1
        rows.append(
            {
                "text_id": "t08",
                "start": place[0],
                "end": place[1],
                "rule_id": place[2],
                "sub_id": "",
                "lt_category": m["category_id"],
                "issue_type": "",
                "engine": "test",
                "n_same": seen[place],
            }
        )
    raw = conform(rows, MATCHES)
    assert len(raw) == expected["raw_matches"]
    for policy, key, n in (
        ("all", "by_category_raw", expected["raw_matches"]),
        ("exact", "by_category_exact", expected["exact_duplicates_removed"]),
        ("longest", "by_category_longest", expected["longest_span_wins"]),
    ):
        kept, _ = apply_overlap(raw, policy)
        got = categorise(kept, taxonomy)
        counts = {taxonomy.label(k): v for k, v in got.by_category().items()}
        assert counts == expected[key]
        assert sum(counts.values()) == len(kept) == got.ledger.read == n
        assert got.unmapped_rules == expected["unmapped_rules"]
