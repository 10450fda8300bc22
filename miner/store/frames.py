"""Frames as bytes for a store, and hashes of their sorted content."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def frame_to_bytes(frame: pd.DataFrame) -> bytes:
    """Return the frame as uncompressed Parquet bytes (the store compresses)."""
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False, compression=None)
    return buffer.getvalue()


def frame_from_bytes(data: bytes) -> pd.DataFrame:
    """Return the frame that :func:`frame_to_bytes` was given."""
    import pandas as pd

    return pd.read_parquet(io.BytesIO(data))
