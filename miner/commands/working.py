"""Who works on a study: this machine's cores, with what is kept from earlier runs."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from miner.run.job import Work


@contextmanager
def open_work(args: argparse.Namespace) -> Iterator[Work]:
    """Give the work that ``--jobs``, ``--cache`` and ``--allow-remote`` describe; what it opened is closed at the end."""
    from miner.commands.console import progress, say
    from miner.run.executor import LocalExecutor
    from miner.run.job import Work
    from miner.run.tools import Tools
    from miner.store import open_store

    remote = bool(getattr(args, "allow_remote", False))
    with open_store(args.cache) as store, Tools(store, jobs=args.jobs) as tools:
        yield Work(LocalExecutor(store, tools), args.jobs, remote, say, progress)
