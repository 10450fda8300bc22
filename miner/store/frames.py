"""Frames as bytes and files: the one place that says how numbers and missing values are written."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

#: Significant digits of floats in files: two fewer than a double carries, so that the last bits of sums do not show.
DIGITS = 12


def frame_to_bytes(frame: pd.DataFrame) -> bytes:
    """Return the frame as uncompressed Parquet bytes (the store compresses); full precision."""
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False, compression=None)
    return buffer.getvalue()


def frame_from_bytes(data: bytes) -> pd.DataFrame:
    """Return the frame that :func:`frame_to_bytes` was given."""
    import pandas as pd

    return pd.read_parquet(io.BytesIO(data))


def rounded(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with floats at 12 significant digits, and -0 as 0."""
    floats = [c for c in frame.columns if frame[c].dtype.kind == "f"]
    return (
        frame.assign(**{c: frame[c].map(lambda v: float(f"{v:.{DIGITS}g}") + 0.0) for c in floats}) if floats else frame
    )


def write_csv(frame: pd.DataFrame, path: Path) -> None:
    """Write UTF-8 CSV with LF line ends; missing values are empty, the string ``NA`` stays ``NA``."""
    path.write_bytes(csv_bytes(frame))


def csv_bytes(frame: pd.DataFrame, *, header: bool = True) -> bytes:
    """Return the frame as the CSV that :func:`write_csv` writes."""
    text = frame.to_csv(index=False, header=header, float_format=f"%.{DIGITS}g", lineterminator="\n")
    return text.encode("utf-8", "surrogatepass")


def read_csv(path: Path) -> pd.DataFrame:
    """Read a CSV that :func:`write_csv` wrote; only an empty cell is missing."""
    import pandas as pd

    return pd.read_csv(path, keep_default_na=False, na_values=[""], encoding="utf-8", low_memory=False)


def write_parquet(frame: pd.DataFrame, path: Path) -> None:
    """Write Parquet (zstd), the same bytes for the same frame and library versions."""
    frame.to_parquet(path, index=False, compression="zstd")
