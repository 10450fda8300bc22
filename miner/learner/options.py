"""Options of a recipe: each value is held against the type that its dataclass declares, and its range, before anything else."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import numpy as np

from miner.errors import OptionError, listed, nearest

_LONGEST = 80


@dataclass(frozen=True)
class Range:
    """Values from ``low`` to ``high``; ``above`` and ``below``: without the end itself."""

    low: float
    high: float
    above: bool = False
    below: bool = False

    def holds(self, value: float) -> bool:
        """Say whether the value lies in the range (NaN never does)."""
        over = value > self.low if self.above else value >= self.low
        return over and (value < self.high if self.below else value <= self.high)

    def __str__(self) -> str:
        if not self.above and not self.below:
            return f"from {self.low:,} to {self.high:,}"
        return f"{'above' if self.above else 'at least'} {self.low:,} and {'below' if self.below else 'at most'} {self.high:,}"


def checked_option(what: str, value: object, kind: Any, limits: Range | None, known: Sequence[str] = ()) -> Any:
    """Return the value in its declared type.

    Parameters
    ----------
    what : str
        Subject of the message.
    value : object
        NumPy scalars count as the numbers they are. Where None is allowed, so is the string ``none`` (TOML has no word for it).
        A number with a decimal point is never a whole number; true and false are no numbers.
    kind : type
        ``bool``, ``int``, ``float``, ``Literal[...]``, ``tuple[str, ...]`` or a union of one of them with None.
    limits : Range, optional
        Of numbers.
    known : sequence of str
        What a tuple may name. A string is taken letter by letter; order and repetition are no matter.

    Raises
    ------
    OptionError
        With what, the expected type and range, and the value.
    """
    parts = get_args(kind)
    optional = NoneType in parts
    if optional:
        kind = next(p for p in parts if p is not NoneType)
        if value is None or (isinstance(value, str) and value == "none"):
            return None
    if get_origin(kind) is Literal:
        if isinstance(value, str) and value in get_args(kind):
            return str(value)
        close = nearest(value[:_LONGEST], get_args(kind)) if isinstance(value, str) else ""
        raise _refused(what, f"one of {listed(list(get_args(kind)), most=40)}", value, close)
    if get_origin(kind) is tuple:
        return _names(what, value, known)
    if kind is bool:
        if not isinstance(value, bool | np.bool_):
            raise _refused(what, "true or false", value)
        return bool(value)
    return _number(what, value, kind, limits, optional=optional)


def _number(what: str, value: object, kind: type, limits: Range | None, *, optional: bool) -> float:
    called = "a whole number" if kind is int else "a number"
    expected = called + (f" {limits}" if limits else "") + (", or none" if optional else "")
    if not isinstance(value, Integral if kind is int else Real) or isinstance(value, bool):
        raise _refused(what, expected, value)
    try:
        number: float = int(value) if isinstance(value, Integral) and kind is int else float(value)
    except OverflowError:
        number = math.inf
    if (kind is float and not math.isfinite(number)) or (limits and not limits.holds(number)):
        raise _refused(what, expected, value)
    return number


def _names(what: str, value: object, known: Sequence[str]) -> tuple[str, ...]:
    names = list(value) if isinstance(value, str | list | tuple) else []
    if not names or not all(isinstance(n, str) and n in known for n in names):
        raise _refused(what, f"a list of one or more of {listed(list(known), most=40)}", value)
    return tuple(sorted(set(names)))


def _refused(what: str, expected: str, value: object, hint: str = "") -> OptionError:
    return OptionError(f"{what} must be {expected}. Got {shown(value)} instead{hint}")


def shown(value: object) -> str:
    """Return the value as Python writes it, cut where it is long."""
    try:
        text = repr(value)
    except ValueError:
        # Python writes no whole number of more than 4,300 digits.
        text = f"a {type(value).__name__} too long to show"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
