"""One exception tree: what happened, what was expected, what was given, what to do next."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence


class MinerError(ValueError):
    """Root of all errors that miner raises on purpose; its message is meant for the user."""


class OptionError(MinerError):
    """A parameter or study key has a value (or a name) that is not known."""


class InputError(MinerError):
    """A file or table could not be read as what it should be; the message names the place."""


class EmptyInput(InputError):
    """Nothing is left to work on; the message says what was dropped and why."""


class OutputError(MinerError):
    """A result could not be written, or the folder is not miner's to replace."""


class EngineError(MinerError):
    """A checking engine is missing, did not start, or answered wrongly."""


class EngineMissing(EngineError):
    """The engine is not installed here; the message says how to install it."""


class StatisticsError(MinerError):
    """Numbers that a statistical function cannot work on."""


class TooFew(StatisticsError):
    """A group is too small for the test that was asked for."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean 'x'?"`` for the closest known name, or an empty string."""
    # Codes of two letters that share one are not alike.
    cutoff = 0.5 if len(str(name)) > 2 else 0.7
    close = difflib.get_close_matches(str(name), [str(k) for k in known], n=1, cutoff=cutoff)
    return f"; did you mean '{close[0]}'?" if close else ""


def listed(names: Sequence[str], *, most: int = 10) -> str:
    """Return names quoted and joined by commas, the rest as a number."""
    shown = ", ".join(f"'{n}'" for n in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


def require_one_of(value: object, known: Sequence[str], *, what: str) -> str:
    """Return ``value`` if it is one of ``known``.

    Parameters
    ----------
    value : object
        What was given.
    known : sequence of str
        The valid values, in the order in which they are shown.
    what : str
        Subject of the sentence, e.g. ``"The 'test' option"``.

    Raises
    ------
    OptionError
        With the valid values and the nearest one.
    """
    if isinstance(value, str) and value in known:
        return value
    msg = f"{what} must be one of {listed(list(known), most=40)}. Got {value!r} instead{nearest(str(value), known)}"
    raise OptionError(msg)
