"""Ratings as numbers: named encodings, and what is done with cells that say nothing about a feature's use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from miner.dialect.ratings import Ratings
from miner.dialect.states import STATES
from miner.errors import OptionError, require_one_of

Floats = npt.NDArray[np.float64]
Encoding = Literal["ordinal", "trans-env", "multi-value", "binary"]
Policy = Literal["zero", "pairwise", "impute-area", "impute-neighbour"]

#: Value of A, B, C, D. trans-env: Trans-EnV, appendix C.1.2; multi-value: Multi-VALUE, section 4 (the probability with
#: which a rule is applied); binary: attested at all; ordinal: equal steps, no choice of weights beyond the order.
ENCODINGS: Mapping[str, tuple[float, float, float, float]] = {
    "ordinal": (1.0, 2 / 3, 1 / 3, 0.0),
    "trans-env": (1.0, 0.5, 0.25, 0.0),
    "multi-value": (1.0, 0.6, 0.3, 0.0),
    "binary": (1.0, 1.0, 1.0, 0.0),
}
#: Encodings of papers in which X, ? and absent count as 0; naming one means its paper's rule.
_ZERO_BY_PAPER = ("trans-env", "multi-value")
_POLICIES = get_args(Policy)
#: What closes open cells.
CLOSE_CELLS = "Use missing='zero' (counts them as absence), 'impute-area' or 'impute-neighbour'"


@dataclass(frozen=True)
class Missing:
    """What is done with each state that is no rating.

    Parameters
    ----------
    x, unknown, absent : {"zero", "pairwise", "impute-area", "impute-neighbour"}
        For X (not applicable), ? (no information) and absent cells. ``zero``: the cell counts as D. ``pairwise``: the
        feature is left out for pairs with such a cell. ``impute-...``: drawn from other varieties, many times.
    """

    x: Policy
    unknown: Policy
    absent: Policy

    @classmethod
    def of(cls, text: str | Missing | None, encoding: str) -> Missing:
        """Read ``zero``, or ``x=zero,unknown=pairwise,absent=pairwise``; None is the encoding's own rule.

        Raises
        ------
        OptionError
            For an unknown policy or state.
        """
        if isinstance(text, Missing):
            return text
        own = "zero" if encoding in _ZERO_BY_PAPER else "pairwise"
        if text is None or "=" not in text:
            one: Any = require_one_of(text or own, _POLICIES, what="The 'missing' option")
            return cls(one, one, one)
        given: dict[str, Any] = {"x": own, "unknown": own, "absent": own}
        for part in text.split(","):
            state, _, policy = part.strip().partition("=")
            state = {"?": "unknown", "": "absent"}.get(state, state.lower())
            require_one_of(state, list(given), what="The state in the 'missing' option")
            given[state] = require_one_of(policy, _POLICIES, what=f"The 'missing' option for {state}")
        return cls(**given)

    def __str__(self) -> str:
        if self.x == self.unknown == self.absent:
            return self.x
        return f"x={self.x},unknown={self.unknown},absent={self.absent}"

    def policy(self, state: str) -> Policy:
        """Return the policy for the state X, ? or "" (absent)."""
        return {"X": self.x, "?": self.unknown, "": self.absent}[state]

    @property
    def imputes(self) -> bool:
        """Whether any state is imputed."""
        return any(p.startswith("impute") for p in (self.x, self.unknown, self.absent))


@dataclass(frozen=True, eq=False)
class Encoded:
    """Encoded ratings.

    Parameters
    ----------
    values : ndarray of float, shape (n_varieties, n_features)
        In [0, 1]; NaN where the cell says nothing under ``missing``.
    encoding : str
    missing : Missing
    ratings : Ratings
        Where the values come from.
    """

    values: Floats
    encoding: str
    missing: Missing
    ratings: Ratings


def weights(encoding: str) -> tuple[float, float, float, float]:
    """Return the values of A, B, C, D in an encoding; OptionError with the nearest name if it is unknown."""
    return ENCODINGS[require_one_of(encoding, list(ENCODINGS), what="The 'encoding' option")]


def encode(ratings: Ratings, encoding: str = "ordinal", missing: str | Missing | None = None) -> Encoded:
    """Encode ratings as numbers.

    Parameters
    ----------
    ratings : Ratings
    encoding : {"ordinal", "trans-env", "multi-value", "binary"}
    missing : str or Missing, optional
        See :meth:`Missing.of`. By default X, ? and absent are not taken for absence (``pairwise``), except under
        ``trans-env`` and ``multi-value``, whose papers count them as 0.

    Returns
    -------
    Encoded
        Cells to impute are NaN here; :mod:`miner.dialect.imputation` fills them.
    """
    policy = Missing.of(missing, encoding)
    blank = [0.0 if policy.policy(s) == "zero" else np.nan for s in STATES[4:]]
    table = np.array([*weights(encoding), *blank])
    return Encoded(table[ratings.grid], encoding, policy, ratings)


def require_complete(encoded: Encoded, what: str, instead: str = CLOSE_CELLS) -> Floats:
    """Return the values if no cell is open; else an OptionError that ends with what to do ``instead``."""
    if np.isnan(encoded.values).any():
        n = int(np.isnan(encoded.values).sum())
        msg = (
            f"{what} needs a value in every cell, but {n} cells are X, ? or absent and missing is '{encoded.missing}'. "
            f"{instead}"
        )
        raise OptionError(msg)
    return encoded.values
