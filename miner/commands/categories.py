"""Show taxonomies of error categories, what a rule is mapped to, and how much of the checker is covered.

  miner categories list --taxonomy miner-core
  miner categories list --view errant
  miner categories map HE_VERB_AGR EN_A_VS_AN
  miner categories coverage answers.csv --text answer

list: the categories with their labels and definitions, or a view of the core taxonomy in the terms of another scheme.
map: what becomes of matches of a rule. coverage: what is mapped, excluded with a reason, or unmapped, by checker category:
of all rules of the checker, or of the matches of a folder that miner check wrote, or of a corpus, which is then checked.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from miner.errors import EmptyInput, InputError, listed, nearest

if TYPE_CHECKING:
    import pandas as pd

_VIEWS = ("errant", "trans-env", "trans-env-keys")


def register(parser: argparse.ArgumentParser) -> None:
    """Declare the actions."""
    from miner.commands.options import add_checker, add_corpus, add_format, add_work

    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, text in (
        ("list", "show the categories"),
        ("map", "show what rules are mapped to"),
        ("coverage", "show what is mapped, excluded and unmapped"),
    ):
        action = actions.add_parser(name, help=text, description=text, allow_abbrev=False)
        # The core taxonomy is the one that means to cover everything.
        usual = "miner-core" if name == "coverage" else "trans-env"
        action.add_argument("--taxonomy", default=usual, metavar="NAME", help="name or path (default %(default)s)")
        add_format(action)
        if name == "list":
            action.add_argument("--view", choices=_VIEWS, default=None, help="the core taxonomy in other terms")
        else:
            action.add_argument(
                "--exclude", default="default", metavar="NAME", help="exclusions: default, none or the path of a table"
            )
        if name == "map":
            action.add_argument("rules", nargs="+", metavar="RULE", help="rule ids of the checker")
        if name == "coverage":
            add_corpus(action)
            add_checker(action)
            add_work(action)
            # Without a corpus the rules of the checker are counted.
            place = next(a for a in action._actions if a.dest == "corpus")
            place.nargs, place.default = "?", None


def run(args: argparse.Namespace) -> int:
    """Do the action."""
    from miner.categories import load_taxonomy, view
    from miner.commands.console import emit

    taxonomy = load_taxonomy(args.taxonomy)
    if args.action == "list":
        emit(view(args.view) if args.view else taxonomy.categories, args.show)
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
    from miner.categories import coverage, load_catalogue, load_taxonomy
    from miner.commands.console import say

    taxonomy = load_taxonomy(args.taxonomy)
    frame = load_catalogue().rules if args.corpus is None else _matches(args)
    got = coverage(frame, taxonomy, exclude=args.exclude)
    what = "rules" if args.corpus is None else "matches"
    share = f" ({got.mapped / got.considered:.1%})" if got.considered else ""
    say(
        f"{taxonomy.signature}: {got.mapped} of {got.considered} {what} that are not spelling or style are mapped{share}"
    )
    if got.unmapped and args.corpus is not None:
        say("unmapped: " + listed([f"{r} ({n})" for r, n in got.unmapped.items()], most=20))
    return got.table.rename(columns={"n": what})


def _matches(args: argparse.Namespace) -> pd.DataFrame:
    import pandas as pd

    from miner.store.frames import read_csv

    path: Path = args.corpus
    found = [p for p in (path, path / "matches.csv", path / "matches.parquet") if p.is_file() and p.stem == "matches"]
    if not found:
        return _checked(args)
    frame = pd.read_parquet(found[0]) if found[0].suffix == ".parquet" else read_csv(found[0])
    missing = [c for c in ("rule_id", "lt_category", "issue_type") if c not in frame]
    if missing:
        msg = f"{found[0]} is no matches table: it lacks the columns {listed(missing)}"
        raise InputError(msg)
    return frame


def _checked(args: argparse.Namespace) -> pd.DataFrame:
    from miner.checkers import apply_overlap, check_texts, open_checker
    from miner.commands.console import progress, say
    from miner.commands.options import get_checker, get_corpus
    from miner.corpora import read_corpus
    from miner.store import open_store

    corpus = read_corpus(args.corpus, **get_corpus(args))
    if corpus.texts.empty:
        msg = f"{args.corpus} holds no texts to check; {sum(corpus.ledger.dropped.values())} were dropped when it was read"
        raise EmptyInput(msg)
    with open_store(args.cache) as store, open_checker(**get_checker(args)) as checker:
        say(f"Checking {len(corpus.texts)} texts with {checker.engine}")
        with progress("check") as advance:
            result = check_texts(corpus.texts, checker, mode=args.mode or "text", store=store, progress=advance)
    kept, _ = apply_overlap(result.matches, args.overlap or "exact")
    return kept
