"""Uniform random numbers that are looked up, not drawn: a hash of seed, purpose and position.

A number belongs to its position (text 17, feature 3), so a longer corpus begins with the shorter one, the order of
computing does not matter, and no release of NumPy or Python can change a corpus.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]
Keys = NDArray[np.uint64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)


def keys(seed: int, purpose: str, *positions: Any) -> Keys:
    """Return 64 hashed bits for each position.

    Parameters
    ----------
    seed : int
        The corpus's seed, any integer.
    purpose : str
        What the numbers are for; other purposes give independent numbers.
    *positions : array_like of int
        Coordinates; they broadcast.

    Notes
    -----
    The finaliser of SplitMix64 (Steele, Lea and Flood 2014), applied once per coordinate.
    """
    start = hashlib.sha256(f"{seed}|{purpose}".encode()).digest()[:8]
    state: Keys = np.array(int.from_bytes(start, "little"), dtype=np.uint64)
    with np.errstate(over="ignore"):  # arithmetic modulo 2^64 is meant
        for position in positions:
            state = _mixed(state ^ _mixed(np.asarray(position).astype(np.uint64) * _STEP + _M1))
    return state


def uniforms(seed: int, purpose: str, *positions: Any) -> Floats:
    """Return uniform numbers in (0, 1), one for each position; see :func:`keys`."""
    found = keys(seed, purpose, *positions)
    return np.asarray(((found >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53)


def choices(n: int, seed: int, purpose: str, *positions: Any) -> NDArray[np.int64]:
    """Return whole numbers 0 .. n - 1, one for each position."""
    return np.asarray(np.floor(uniforms(seed, purpose, *positions) * n), dtype=np.int64)


def gamma(u: Floats, shape: float) -> Floats:
    """Return gamma variates of mean 1 and variance 1 / shape from uniform numbers, by inversion."""
    return np.asarray(special.gammaincinv(shape, u) / shape)


def poisson(u: Floats, mean: Floats) -> NDArray[np.int64]:
    """Return Poisson variates from uniform numbers, by inversion; ``u`` and ``mean`` have one shape."""
    flat_u, flat_mean = np.ravel(u), np.ravel(mean)
    found = np.zeros(flat_u.shape, dtype=np.int64)
    term = np.exp(-flat_mean)
    total = term.copy()
    left = np.flatnonzero(flat_u > total)
    k = 0
    while len(left):
        k += 1
        term[left] *= flat_mean[left] / k
        total[left] += term[left]
        found[left] = k
        # Beyond the mean, a term that no longer changes the sum ends the search (u above the last representable sum).
        go_on = (flat_u[left] > total[left]) & ((k < flat_mean[left]) | (term[left] > 1e-18))
        left = left[go_on]
    return found.reshape(np.shape(u))


def _mixed(z: Keys) -> Keys:
    z = z + _STEP
    z = (z ^ (z >> np.uint64(30))) * _M1
    z = (z ^ (z >> np.uint64(27))) * _M2
    return np.asarray(z ^ (z >> np.uint64(31)))
