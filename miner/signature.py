"""The reproducibility signature: one line that says how a result was made, and that can be parsed back.

Form: ``l1|corpus:cefr-asag#3f2a|check:lt-6.8:en-US|...``: the kind of result, then ``key:value`` pairs in a fixed
order, joined by ``|``. A pair is split at its first colon; ``|``, ``%`` and line breaks inside a value (a file may be
named so) are percent-encoded. Unset parts vanish.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from miner import __version__
from miner.errors import MinerError

#: The seed where none is given; it is shown in every result that draws random numbers.
DEFAULT_SEED = 20250101

#: The order of components; every key that may occur is here.
ORDER = (
    "corpus",
    "check",
    "mode",
    "overlap",
    "split",
    "map",
    "usage",
    "preset",
    "unit",
    "test",
    "corr",
    "ratings",
    "encoding",
    "missing",
    "svd",
    "cluster",
    "metric",
    "from",
    "n",
    "seed",
    "miner",
)


_ENCODED = str.maketrans({c: f"%{ord(c):02X}" for c in "|%\n\r"})


@dataclass(frozen=True)
class Signature:
    """An immutable signature; ``str()`` gives the line.

    Parameters
    ----------
    kind : str
        ``"l1"``, ``"dialect"``, ``"distance"``, ``"matches"``, ...
    parts : mapping of str to str
        Components; keys are of :data:`ORDER`.
    """

    kind: str
    parts: Mapping[str, str]

    @classmethod
    def of(cls, kind: str, **parts: object) -> Signature:
        """Make a signature; parts that are None vanish, ``from_`` stands for ``from``, miner's version is added."""
        given = {k.rstrip("_"): str(v) for k, v in parts.items() if v is not None}
        given.setdefault("miner", __version__)
        unknown = sorted(set(given) - set(ORDER))
        if unknown or not kind or ":" in kind or "|" in kind:
            msg = f"A signature has no part {unknown or kind!r}; the parts are {ORDER}"
            raise MinerError(msg)
        return cls(kind, {k: given[k] for k in ORDER if k in given})

    def plus(self, **parts: object) -> Signature:
        """Return a signature with more (or other) parts."""
        return Signature.of(self.kind, **{**self.parts, **{k.rstrip("_"): v for k, v in parts.items()}})

    def __str__(self) -> str:
        return "|".join([self.kind, *(f"{k}:{v.translate(_ENCODED)}" for k, v in self.parts.items())])

    @classmethod
    def parse(cls, line: str) -> Signature:
        """Read a signature back.

        Raises
        ------
        MinerError
            If the line is not a signature.
        """
        kind, *pairs = line.strip().split("|")
        parts = {k: unquote(v) for k, v in (p.split(":", 1) for p in pairs if ":" in p)}
        if not pairs or len(parts) != len(pairs):
            msg = f"Not a signature: {line[:80]!r}; expected 'kind|key:value|...'"
            raise MinerError(msg)
        return cls.of(kind, **parts)
