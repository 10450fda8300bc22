"""Learner corpora: which formats are read, what is in a corpus, conversion to tables, where to get one.

    miner corpora list
    miner corpora where fce-xml
    miner corpora describe answers.csv --text answer --l1 first_language --out outputs/described
    miner corpora convert /data/fce-released-dataset outputs/fce

Miner downloads no corpus. describe and convert leave nothing out: every version, duplicate and language is kept and
flagged; policies act when a corpus is checked and mined. convert writes the texts (they stay under their licence).
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from miner.commands.console import emit, progress, say
from miner.commands.options import add_corpus, add_format, add_out, get_corpus

if TYPE_CHECKING:
    from miner.corpora import Corpus
    from miner.corpora.describing import Description

_FINDINGS = 3


def register(parser: argparse.ArgumentParser) -> None:
    """Add the four subcommands."""
    sub = parser.add_subparsers(dest="what", metavar="list|describe|convert|where", required=True)
    listing = sub.add_parser("list", help="formats, their licences and where to get the corpora", allow_abbrev=False)
    add_format(listing)
    where = sub.add_parser("where", help="source, licence and checksum of one corpus", allow_abbrev=False)
    where.add_argument("name", metavar="NAME", help="a format of 'miner corpora list', or what several begin with: fce")
    described = sub.add_parser(
        "describe", help="texts, words, learners and prompts by L1 and level; contrasts; findings", allow_abbrev=False
    )
    add_corpus(described)
    _add_language(described)
    add_out(described, required=False)
    add_format(described)
    described.add_argument("--strict", action="store_true", help="exit with 3 if anything is wrong with the files")
    converted = sub.add_parser("convert", help="write the texts and edits tables (Parquet)", allow_abbrev=False)
    add_corpus(converted)
    converted.add_argument(
        "out", type=Path, metavar="OUT", help="folder to write; one of miner's is replaced in one step"
    )
    converted.add_argument("--name", default=None, help="name of the corpus (default: that of the file or folder)")
    _add_language(converted)


def _add_language(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--no-language", action="store_true", help="do not look for texts in other languages (faster)")


def run(args: argparse.Namespace) -> int:
    """Run a subcommand."""
    return {"list": _list, "where": _where, "describe": _describe, "convert": _convert}[args.what](args)


def _list(args: argparse.Namespace) -> int:
    import pandas as pd

    from miner.corpora import known_formats

    rows = [(f.name, f.title, "yes" if f.has_l1 else "no", f.licence, f.where) for f in known_formats().values()]
    emit(pd.DataFrame(rows, columns=["format", "title", "has_l1", "licence", "where"]), args.show)
    return 0


def _where(args: argparse.Namespace) -> int:
    from miner.corpora import known_formats
    from miner.errors import require_one_of

    known = known_formats()
    name = args.name.casefold()
    # 'fce' stands for all forms in which that corpus is handed out.
    family = [n for n in known if n == name] or [n for n in known if n.startswith(f"{name}-")]
    for i, chosen in enumerate(family or [require_one_of(args.name, list(known), what="The corpus format")]):
        found = known[chosen]
        print(f"{chr(10) * bool(i)}{found.title}\nwhere: {found.where}\nlicence: {found.licence}")
        print(f"texts may be passed on: {'yes, under that licence' if found.redistribute else 'no'}")
        print(f"checksum: {found.checksum or 'not known'}")
        print(f"Miner downloads nothing. Get the corpus, then: miner corpora describe PATH --format {found.name}")
    return 0


def _describe(args: argparse.Namespace) -> int:
    from miner.corpora import read_corpus
    from miner.corpora.describing import describe

    corpus = read_corpus(args.corpus, **get_corpus(args))
    found = describe(corpus, language=not args.no_language)
    if args.out is not None:
        _write_description(args, corpus, found)
    _tell(corpus, found, args.show)
    wrong = corpus.ledger.dropped.total() + int((~found.findings["finding"].str.startswith("noted")).sum())
    if args.strict and wrong:
        say(f"--strict: {wrong} findings")
        return _FINDINGS
    return 0


def _tell(corpus: Corpus, found: Description, show: str) -> None:
    account = corpus.ledger.as_dict()
    say(
        f"{corpus.name}: format {corpus.format}, {account['read']} texts read, {account['kept']} kept; fingerprint {corpus.fingerprint}"
    )
    say(f"licence: {corpus.licence}" + ("" if corpus.redistribute else " (do not redistribute)"))
    if corpus.simulated:
        say("SIMULATED: made by a program, no learner wrote it")
    emit(found.cells, show)  # type: ignore[arg-type]
    for title, frame in (
        ("contrasts", found.contrasts),
        ("confounds", found.confounds),
        ("association", found.association),
        ("findings", found.findings),
    ):
        if len(frame):
            say(f"\n{title}:")
            emit(frame, show)  # type: ignore[arg-type]
    if not len(found.contrasts):
        say("No contrast of L1s is possible: no text has a band and exactly one known L1 other than English")


def _write_description(args: argparse.Namespace, corpus: Corpus, found: Description) -> None:
    from miner.plots.corpus import plot_corpus
    from miner.plots.saving import save
    from miner.run.folder import OutFolder
    from miner.store.frames import write_csv

    with OutFolder(args.out, command="corpora describe", parameters={"language": not args.no_language}) as folder:
        for name in ("cells", "contrasts", "confounds", "association", "findings"):
            write_csv(getattr(found, name), folder.path(f"{name}.csv"))
        axes = plot_corpus(found.cells, title=f"{corpus.name} (simulated)" if corpus.simulated else corpus.name)
        stem = folder.path("texts_by_l1_and_level.svg").with_suffix("")
        save(axes.figure, stem)  # type: ignore[arg-type]
        folder.input(corpus.name, corpus.fingerprint)
        folder.account(corpus.ledger)
        folder.facts(
            licence=corpus.licence, redistribute=corpus.redistribute, format=corpus.format, simulated=corpus.simulated
        )
    say(f"Written to {args.out}")


def _convert(args: argparse.Namespace) -> int:
    from miner.corpora.converting import convert
    from miner.corpora.manifest import write_manifest
    from miner.corpora.reading import open_corpus
    from miner.run.folder import OutFolder

    opened = open_corpus(args.corpus, name=args.name, **get_corpus(args))
    say(f"Converting {args.corpus} (format {opened.format.name})")
    parameters = {
        "format": opened.format.name,
        "language": not args.no_language,
        "on_bad_row": args.on_bad_row,
        "ambiguous_l1": args.ambiguous_l1,
        "score_column": args.score_column,
    }
    with (
        OutFolder(args.out, command="corpora convert", parameters=parameters) as folder,
        progress("convert") as advance,
    ):
        target = folder.path("texts.parquet").parent
        done = convert(
            opened, target, language=not args.no_language, progress=(lambda n: advance(n, n)) if advance else None
        )
        write_manifest(
            target,
            format="miner",
            name=opened.name,
            licence=opened.licence,
            redistribute=opened.redistribute,
            simulated=opened.simulated,
            files=("texts.parquet", "edits.parquet"),
        )
        mark = f"{opened.name}#{done.fingerprint[:8]}"
        _sidecars(target, mark, {"texts": done.texts, "edits": done.edits}, opened.licence, parameters)
        _notice(target / "NOTICE.txt", opened.name, opened.licence, redistribute=opened.redistribute)
        folder.input(opened.name, done.fingerprint)
        folder.account(done.ledger)
        folder.facts(
            rows={"texts": done.texts, "edits": done.edits},
            licence=opened.licence,
            redistribute=opened.redistribute,
            simulated=opened.simulated,
        )
    account = done.ledger.as_dict()
    for reason, n in account["dropped"].items():
        say(f"dropped: {n} {reason}")
    say(
        f"{done.texts} texts and {done.edits} edits written to {args.out}; {account['read']} read, dropped.csv lists what was not kept"
    )
    say(f"licence: {opened.licence}" + ("" if opened.redistribute else " (do not redistribute)"))
    return 0


def _sidecars(folder: Path, corpus: str, rows: dict[str, int], licence: str, parameters: dict[str, Any]) -> None:
    from miner.run.folder import write_json
    from miner.signature import Signature
    from miner.tables import EDITS, TEXTS

    for table in (TEXTS, EDITS):
        columns = [{"name": c.name, "dtype": c.dtype, "unit": c.unit, "meaning": c.meaning} for c in table.columns]
        facts = {
            "table": table.name,
            "signature": str(Signature.of(table.name, corpus=corpus)),
            "rows": rows[table.name],
        }
        write_json(
            {**facts, "key": list(table.key), "columns": columns, "licence": licence, "parameters": parameters},
            folder / f"{table.name}.json",
        )


def _notice(path: Path, name: str, licence: str, *, redistribute: bool) -> None:
    passing = "They may be passed on under that licence." if redistribute else "DO NOT REDISTRIBUTE these files."
    path.write_text(
        f"The texts in this folder are those of '{name}'.\nLicence: {licence}\n{passing}\n",
        encoding="utf-8",
        newline="\n",
    )
