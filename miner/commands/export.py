"""Write a run's inventories in the form that a consumer's code reads.

  miner export outputs/sample --to trans-env --out outputs/for-trans-env

trans-env: the learner dictionary (name of the L1, keys of its error guidelines) and the dialect table by feature name.
multi-value: for each dialect of the run a vector of 236 probabilities (index = eWAVE id; A 1, B .6, C .3, else 0).

What the consumer has no key for is named in export_report.csv and .json, with near misses. Learner features that are
under-used, and cells with fewer than 5 learners, are left out and counted.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from miner.errors import InputError, OptionError

if TYPE_CHECKING:
    import pandas as pd

    from miner.export import Export
    from miner.signature import Signature

CONSUMERS = ("trans-env", "multi-value")


def register(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("run", type=Path, metavar="RUN", help="a folder that miner mine, dialects or run wrote")
    parser.add_argument("--to", required=True, choices=CONSUMERS, help="whose code will read it")
    parser.add_argument(
        "--out", type=Path, default=None, metavar="DIR", help="folder to write (default: RUN-CONSUMER beside the run)"
    )
    parser.add_argument(
        "--keys",
        type=Path,
        default=None,
        metavar="FILE",
        help="the keys that the consumer has guidelines (multi-value: functions) for; JSON, JSONL, CSV or one a line "
        "(default: those of its public repository)",
    )
    parser.add_argument("--band", choices=("A", "B", "C"), default=None, help="one CEFR band (default: all, merged)")
    parser.add_argument("--small-cells", action="store_true", help="keep cells with fewer than 5 learners")
    parser.add_argument(
        "--ratings",
        type=Path,
        default=None,
        metavar="PATH",
        help="multi-value: the ratings that the run was made from (default: the table that comes with miner)",
    )
    parser.add_argument("--all-varieties", action="store_true", help="multi-value: all varieties, not the run's alone")


def run(args: argparse.Namespace) -> int:
    """Write the export."""
    from miner.commands.console import say
    from miner.export import read_keys
    from miner.run.folder import OutFolder
    from miner.tables import EXPORT_REPORT

    keys = read_keys(args.keys) if args.keys else None
    tables, signatures = _tables(args.run)
    signature = _signature(signatures)
    if args.to == "trans-env":
        export = _trans_env(args, tables, keys, str(signature))
    else:
        export, signature = _multi_value(args, tables, keys, signature)
    out = args.out or args.run.resolve().with_name(f"{args.run.resolve().name}-{args.to}")
    parameters = {
        "to": args.to,
        "band": args.band,
        "small_cells": args.small_cells,
        "all_varieties": args.all_varieties,
        "keys": keys if keys is not None else "public repository",
    }
    with OutFolder(out, command="export", parameters=parameters) as folder:
        for name, content in export.files.items():
            folder.path(name).write_bytes(content)
        folder.table(export.report, EXPORT_REPORT, signature)
        folder.account(export.ledger)
        folder.facts(export=dict(export.facts), sources=dict(sorted(signatures.items())))
    _tell(say, export, out, signature)
    return 0


def _tables(run: Path) -> tuple[dict[str, pd.DataFrame], dict[str, str]]:
    import json

    from miner.run.reading import read_file

    if not run.is_dir():
        msg = f"The run {run} is not a folder; give the --out folder of miner mine, dialects or run"
        raise InputError(msg)
    found: dict[str, pd.DataFrame] = {}
    signatures: dict[str, str] = {}
    for name in ("l1_inventory", "dialect_inventory", "dialect_clusters"):
        csv, parquet, sidecar = (run / f"{name}.{end}" for end in ("csv", "parquet", "json"))
        if not csv.is_file() and not parquet.is_file():
            continue
        found[name] = read_file(csv if csv.is_file() else parquet)
        if sidecar.is_file():
            signatures[name] = str(json.loads(sidecar.read_text(encoding="utf-8")).get("signature", ""))
    if not {"l1_inventory", "dialect_inventory"} & set(found):
        msg = f"The run {run} holds neither l1_inventory nor dialect_inventory; give the --out folder of miner mine, dialects or run"
        raise InputError(msg)
    return found, {k: v for k, v in signatures.items() if v}


def _signature(sources: Mapping[str, str]) -> Signature:
    # One line for all sources: what differs between them stands joined, the sources themselves are in run.json.
    from miner.errors import MinerError
    from miner.signature import Signature

    parts: dict[str, list[str]] = {}
    for line in dict.fromkeys(sources[k] for k in sorted(sources) if k != "dialect_clusters"):
        try:
            read = Signature.parse(line).parts
        except MinerError:
            continue
        for key, value in read.items():
            if value not in parts.setdefault(key, []):
                parts[key].append(value)
    return Signature.of("export", **{k: "+".join(v) for k, v in parts.items()})


def _trans_env(
    args: argparse.Namespace, tables: Mapping[str, pd.DataFrame], keys: list[str] | None, signature: str
) -> Export:
    from miner.export import export_trans_env

    return export_trans_env(
        tables.get("l1_inventory"),
        tables.get("dialect_inventory"),
        keys=keys,
        band=args.band,
        small_cells=args.small_cells,
        signature=signature,
    )


def _multi_value(
    args: argparse.Namespace, tables: Mapping[str, pd.DataFrame], keys: list[str] | None, signature: Signature
) -> tuple[Export, Signature]:
    from miner.dialect import read_ratings
    from miner.export import export_multi_value

    if "dialect_inventory" not in tables:
        msg = f"The run {args.run} holds no dialect_inventory: multi-value takes dialects. Give a folder of miner dialects or run"
        raise InputError(msg)
    ratings = read_ratings(args.ratings)
    stated = signature.parts.get("ratings", "").rpartition("#")[2]
    if stated and stated != ratings.fingerprint:
        msg = f"The run was made from other ratings (fingerprint {stated}, here {ratings.fingerprint}); give them with --ratings"
        raise OptionError(msg)
    only = None if args.all_varieties else _dialect_set(tables)
    export = export_multi_value(ratings.ratings, ratings.varieties, ratings.features, only=only, keys=keys)
    return export, signature.plus(ratings=ratings.signature, encoding=args.to)


def _dialect_set(tables: Mapping[str, pd.DataFrame]) -> list[str]:
    clusters = tables.get("dialect_clusters")
    inventory = [str(v) for v in dict.fromkeys(tables["dialect_inventory"]["variety_id"])]
    if clusters is None:
        return inventory
    kept = clusters["in_dialect_set"].astype("object").map(lambda v: v is True or str(v).lower() == "true")
    return [str(v) for v in clusters.loc[kept, "variety_id"]] or inventory


def _tell(say: Any, export: Export, out: Path, signature: Signature) -> None:
    from miner.export import summary

    for line in summary(export.to, export.facts):
        say(line)
    for reason, n in export.ledger.as_dict()["dropped"].items():
        say(f"  {n} pairs left out: {reason}")
    missing, near = export.facts["not_served"], export.facts["near_misses"]
    for label in missing[:10]:
        hint = f" (closest key: {near[label]!r})" if label in near else ""
        say(f"    {label!r}{hint}")
    if len(missing) > 10:
        say(f"    and {len(missing) - 10} more in {out / 'export_report.csv'}")
    say(f"Written: {out}")
    say(f"signature: {signature}")
