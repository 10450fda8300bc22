"""Who works on a study: this machine's cores or a cluster, with what is kept from earlier runs."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from miner.commands.options import positive

if TYPE_CHECKING:
    from miner.run.choosing import Work


def add_scale(parser: argparse.ArgumentParser) -> None:
    """Add quick looks and a cluster."""
    group = parser.add_argument_group("quick looks and many machines")
    group.add_argument("--limit", type=positive, default=None, metavar="N", help="take the first N texts only")
    group.add_argument(
        "--sample",
        type=positive,
        default=None,
        metavar="N",
        help="take N texts drawn by the seed, whatever their order",
    )
    group.add_argument(
        "--scheduler",
        default=None,
        metavar="URL",
        help="check, parse and count on the Dask cluster with this scheduler (tcp://HOST:PORT); the result is the same",
    )


def add_examples(parser: argparse.ArgumentParser) -> None:
    """Add ``--examples``."""
    parser.add_argument(
        "--examples",
        type=positive,
        default=None,
        metavar="N",
        help="quote up to N places of each over-used feature, of different learners, within what the corpus's licence allows "
        "(corpus text in table and report!)",
    )


def get_look(args: argparse.Namespace) -> dict[str, Any]:
    """Return the study's keys for a quick look, and for examples."""
    return {k: v for k in ("limit", "sample", "examples") if (v := getattr(args, k, None)) is not None}


@contextmanager
def open_work(args: argparse.Namespace) -> Iterator[Work]:
    """Give the work that ``--jobs``, ``--cache``, ``--scheduler`` and ``--allow-remote`` describe; what it opened is closed."""
    from miner.commands.console import progress, say
    from miner.run.choosing import Work
    from miner.run.executor import Executor, LocalExecutor
    from miner.run.tools import Tools
    from miner.store import open_store

    with ExitStack() as stack:
        store = stack.enter_context(open_store(args.cache))
        tools = stack.enter_context(Tools(store, jobs=args.jobs))
        executor: Executor = LocalExecutor(store, tools)
        if getattr(args, "scheduler", None):
            from miner.run.dask import DaskExecutor

            executor = stack.enter_context(DaskExecutor(args.scheduler, store, tools))
        remote = bool(getattr(args, "allow_remote", False))
        yield Work(executor, tools, args.jobs, remote, say, progress)
