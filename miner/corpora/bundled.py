"""Small tables that come with miner (``miner/data``)."""

from __future__ import annotations

import csv
import io
from importlib.resources import files


def bundled_rows(*path: str) -> list[dict[str, str]]:
    """Return the rows of a CSV below ``miner/data``."""
    text = files("miner").joinpath("data", *path).read_text(encoding="utf-8")
    return list(csv.DictReader(io.StringIO(text)))
