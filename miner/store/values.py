"""How a value lies in a store: packed, with a checksum that also covers where it belongs."""

from __future__ import annotations

import hashlib
import zlib

_AS_IS, _ZLIB = b"\x00", b"\x01"
_HEX = frozenset("0123456789abcdef")
_KEY_DIGITS = 32


def checksum(namespace: str, key: str, value: bytes) -> bytes:
    """Return 8 bytes of BLAKE2b over namespace, key and value, each with its length before it."""
    digest = hashlib.blake2b(digest_size=8)
    for part in (namespace.encode(), key.encode(), value):
        digest.update(len(part).to_bytes(8, "little") + part)
    return digest.digest()


def pack(value: bytes) -> bytes:
    """Return the value compressed with zlib where that is shorter; the first byte tells."""
    packed = zlib.compress(value, 6)
    return _ZLIB + packed if len(packed) < len(value) else _AS_IS + value


def unpack(packed: bytes) -> bytes:
    """Return the value that :func:`pack` was given.

    Raises
    ------
    ValueError
        If these are not bytes that :func:`pack` made.
    """
    kind, rest = packed[:1], packed[1:]
    if kind == _AS_IS:
        return rest
    try:
        if kind == _ZLIB:
            return zlib.decompress(rest)
    except zlib.error:
        pass
    msg = "not a packed value"
    raise ValueError(msg)


def stored_key(key: str) -> str | bytes:
    """Return a content key (32 hexadecimal digits) as its 16 bytes, any other key as it is."""
    return bytes.fromhex(key) if len(key) == _KEY_DIGITS and _HEX.issuperset(key) else key


def given_key(stored: str | bytes) -> str:
    """Return the key that :func:`stored_key` was given."""
    return stored.hex() if isinstance(stored, bytes) else stored
