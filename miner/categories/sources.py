"""Where the category tables lie, and how a table of strings is read (an empty cell is an empty string, never NaN)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from miner.errors import InputError, listed, nearest

#: Folder of the bundled tables.
FOLDER = Path(__file__).resolve().parents[1] / "data" / "categories"


def read_strings(path: Path, *, required: Sequence[str], optional: Sequence[str] = ()) -> pd.DataFrame:
    """Read a CSV or TSV of strings.

    Parameters
    ----------
    path : Path
        ``.tsv`` and ``.tab`` are split at tabs, all else at commas.
    required, optional : sequence of str
        Columns that must and may be there; an absent optional column is made, empty. Others are refused.

    Returns
    -------
    DataFrame
        The columns in the order required, optional; all strings, ``""`` where the cell is empty.

    Raises
    ------
    InputError
        If the file is not there, not UTF-8, not a table, or has other columns.
    """
    sep = "\t" if path.suffix.lower() in (".tsv", ".tab") else ","
    try:
        frame = pd.read_csv(path, sep=sep, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except FileNotFoundError as err:
        msg = f"The table {path} does not exist"
        raise InputError(msg) from err
    except (OSError, UnicodeDecodeError, pd.errors.ParserError, pd.errors.EmptyDataError) as err:
        msg = f"The table {path} cannot be read as UTF-8 {'TSV' if sep != ',' else 'CSV'} with a header line ({err})"
        raise InputError(msg) from err
    missing = [c for c in required if c not in frame]
    known = [*required, *optional]
    unknown = [str(c) for c in frame.columns if c not in known]
    if missing or unknown:
        hint = nearest(unknown[0], missing or known) if unknown else ""
        msg = (
            f"{path.name}: expected columns {listed(required)}"
            + (f" and perhaps {listed(optional)}" if optional else "")
            + f". Missing: {listed(missing) or 'none'}; unknown: {listed(unknown) or 'none'}{hint}"
        )
        raise InputError(msg)
    for column in optional:
        if column not in frame:
            frame[column] = ""
    # A quoted NUL or a short line leaves NaN in spite of keep_default_na: a missing cell is an empty one.
    return frame[known].fillna("")
