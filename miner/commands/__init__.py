"""The command line: one module per subcommand; the only room that prints or exits.

A subcommand is a module ``miner/commands/NAME.py`` with a docstring (its help), ``register(parser)`` and
``run(args) -> int``; it is found by being there. Top-level imports there are cheap, so that ``--help`` is quick.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import pkgutil
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from importlib import import_module
from types import FrameType, ModuleType

from miner import __version__
from miner.commands.console import say
from miner.errors import MinerError

#: What the help lists first; the others follow by name.
FIRST = ("run", "mine", "check", "dialects", "distance")
#: Modules here that are no subcommands.
SHARED = ("console", "options", "summary", "working")

DONE, FAILED, USAGE, FINDINGS = 0, 1, 2, 3
INTERRUPTED = 130

_EPILOG = """\
exit codes: 0 done; 1 failed, with a message; 2 wrong usage; 3 findings (from commands that look for some);
130 interrupted. A traceback is shown only with --debug.

Start with:  miner run corpora/sample/study.toml
"""


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all subcommands."""
    parser = argparse.ArgumentParser(
        prog="miner",
        description="Feature inventories from learner corpora and from eWAVE, with every number accounted for.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"miner {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in command_names():
        module = _module(name)
        doc = (module.__doc__ or "").strip()
        sub = subparsers.add_parser(
            name,
            help=doc.splitlines()[0].rstrip("."),
            description=doc,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        module.register(sub)
        sub.add_argument("--debug", action="store_true", help="show the traceback of a failure")
    return parser


def command_names() -> list[str]:
    """Return the subcommands in the order of the help."""
    found = {m.name.replace("_", "-") for m in pkgutil.iter_modules(__path__)} - set(SHARED)
    return [n for n in FIRST if n in found] + sorted(found - set(FIRST))


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; ``argv`` defaults to the process's arguments."""
    args = build_parser().parse_args(argv)
    with _interrupts() as seen:
        return _guarded(args, seen)


def _guarded(args: argparse.Namespace, seen: list[int]) -> int:
    try:
        return int(_module(args.command).run(args))
    except MinerError as err:
        return _failed(str(err), debug=args.debug)
    except KeyboardInterrupt:
        say(f"miner {args.command}: interrupted; nothing was half written")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone (``| head``): not an error of ours.
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (keeps the interpreter's exit flush quiet)
        return DONE
    except MemoryError:
        return _failed(
            "Out of memory; try a smaller corpus, fewer --jobs or a machine with more memory", debug=args.debug
        )
    except OSError as err:
        return _failed(f"{err.filename or 'Input or output'}: {err.strerror or err}", debug=args.debug)
    except Exception as err:  # noqa: BLE001 (the last resort: a defect must not meet users as a traceback)
        if seen:  # an extension module that is being imported turns the interrupt into an error of its own
            say(f"miner {args.command}: interrupted; nothing was half written")
            return INTERRUPTED
        what = f"{type(err).__name__}: {err}"
        return _failed(f"This is a defect of miner, please report it: {what} (--debug shows where)", debug=args.debug)


def _failed(message: str, *, debug: bool) -> int:
    if debug:
        traceback.print_exc()
    say(f"miner: error: {message}")
    return FAILED


def _module(name: str) -> ModuleType:
    return import_module(f"miner.commands.{name.replace('-', '_')}")


@contextlib.contextmanager
def _interrupts() -> Iterator[list[int]]:
    # SIGTERM ends a run as Ctrl-C does, so that children and temporary files go; afterwards the host's handlers are back.
    # Yields the signals that came.
    seen: list[int] = []

    def stop(signum: int, _frame: FrameType | None) -> None:
        seen.append(signum)
        raise KeyboardInterrupt

    before = {}
    try:
        for signum in (signal.SIGTERM, signal.SIGINT):
            # A background job's shell has SIGINT ignored; that stays so.
            if signal.getsignal(signum) is not signal.SIG_IGN:
                before[signum] = signal.signal(signum, stop)
    except ValueError:  # called from a thread: the host program owns the signals
        yield seen
        return
    try:
        yield seen
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)
