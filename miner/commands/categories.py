"""Show taxonomies of error categories, what a rule is mapped to, and how much of the checker is covered.

  miner categories list --taxonomy trans-env
  miner categories map HE_VERB_AGR EN_A_VS_AN
  miner categories coverage outputs/sample

list: the categories with their labels and definitions. map: what becomes of matches of a rule. coverage: rules (and,
given a folder with matches, matches) that are mapped, excluded with a reason, or unmapped, by checker category.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from miner.errors import InputError, listed, nearest

if TYPE_CHECKING:
    import pandas as pd


def register(parser: argparse.ArgumentParser) -> None:
    """Declare the actions."""
    from miner.commands.options import add_format

    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, text in (
        ("list", "show the categories"),
        ("map", "show what rules are mapped to"),
        ("coverage", "show what is mapped, excluded and unmapped"),
    ):
        action = actions.add_parser(name, help=text, description=text, allow_abbrev=False)
        action.add_argument("--taxonomy", default="trans-env", metavar="NAME", help="name or path (default trans-env)")
        add_format(action)
        if name != "list":
            action.add_argument(
                "--exclude", default="default", metavar="NAME", help="exclusions: default, none or the path of a table"
            )
        if name == "map":
            action.add_argument("rules", nargs="+", metavar="RULE", help="rule ids of the checker")
        if name == "coverage":
            action.add_argument(
                "matches",
                nargs="?",
                type=Path,
                default=None,
                metavar="MATCHES",
                help="a folder that miner check wrote, or its matches table (default: the checker's rules alone)",
            )


def run(args: argparse.Namespace) -> int:
    """Do the action."""
    from miner.categories import load_taxonomy
    from miner.commands.console import emit

    taxonomy = load_taxonomy(args.taxonomy)
    if args.action == "list":
        emit(taxonomy.categories, args.show)
    elif args.action == "map":
        emit(_map(args), args.show)
    else:
        emit(_coverage(args), args.show)
    return 0


def _map(args: argparse.Namespace) -> pd.DataFrame:
    import pandas as pd

    from miner.categories import load_catalogue, load_taxonomy
    from miner.commands.console import say

    taxonomy, catalogue = load_taxonomy(args.taxonomy), load_catalogue()
    known = catalogue.rules.set_index("rule_id")
    unknown = [r for r in args.rules if r not in known.index]
    for rule in unknown:
        say(f"{rule} is no rule id of LanguageTool {catalogue.version}{nearest(rule, list(known.index))}")
    lt = [known.loc[r, ["lt_category", "issue_type"]] if r in known.index else ("", "") for r in args.rules]
    got = taxonomy.assign(args.rules, [c for c, _ in lt], [t for _, t in lt], exclude=args.exclude)
    return pd.DataFrame(
        {
            "rule_id": args.rules,
            "lt_category": [c for c, _ in lt],
            "status": got.status,
            "feature": got.feature,
            "label": [taxonomy.label(f) for f in got.feature],
            "reason": got.reason,
        }
    )


def _coverage(args: argparse.Namespace) -> pd.DataFrame:
    from miner.categories import load_catalogue, load_taxonomy
    from miner.commands.console import say

    taxonomy = load_taxonomy(args.taxonomy)
    frame = load_catalogue().rules if args.matches is None else _read(args.matches)
    what = "rules" if args.matches is None else "matches"
    columns = [list(frame[c].fillna("").astype(str)) for c in ("rule_id", "lt_category", "issue_type")]
    got = taxonomy.assign(*columns, exclude=args.exclude)
    table = frame.assign(status=got.status, reason=got.reason, lt_category=frame["lt_category"].fillna(""))
    counts = table.groupby(["lt_category", "status", "reason"], sort=True).size().rename(what).reset_index()
    kept = counts[counts["status"] != "excluded"]
    total, mapped = int(kept[what].sum()), int(kept.loc[kept["status"] == "mapped", what].sum())
    share = f" ({mapped / total:.1%})" if total else ""
    say(f"{taxonomy.signature}: {mapped} of {total} {what} that are not excluded are mapped{share}")
    if args.matches is not None:
        left = table.loc[table["status"] == "unmapped", "rule_id"].value_counts()
        ranked = sorted(left.items(), key=lambda pair: (-pair[1], str(pair[0])))
        if ranked:
            say("unmapped: " + listed([f"{r} ({n})" for r, n in ranked], most=20))
    return counts


def _read(path: Path) -> pd.DataFrame:
    import pandas as pd

    from miner.store.frames import read_csv

    if path.is_dir():
        found = [path / n for n in ("matches.csv", "matches.parquet") if (path / n).is_file()]
        if not found:
            msg = f"The folder {path} holds no matches table; give the --out folder of miner check"
            raise InputError(msg)
        path = found[0]
    if not path.is_file():
        msg = f"The matches {path} do not exist; give the --out folder of miner check"
        raise InputError(msg)
    frame = pd.read_parquet(path) if path.suffix == ".parquet" else read_csv(path)
    missing = [c for c in ("rule_id", "lt_category", "issue_type") if c not in frame]
    if missing:
        msg = f"{path} is no matches table: it lacks the columns {listed(missing)}"
        raise InputError(msg)
    return frame
