"""Tables of finished runs, read back: a damaged file ends with a message, never with a wrong number."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from miner.errors import InputError, MinerError, listed
from miner.store.frames import read_csv
from miner.tables import ALL, Table, conform

if TYPE_CHECKING:
    import pandas as pd

    from miner.learner import L1Preset

#: Columns that came after the first runs: a run may lack them, and what it does not know stays empty.
NEWER = {
    "l1_tests": {
        *("bound", "fcr_low", "fcr_high", "scope", "rate_native", "strata", "informative_target", "prompts"),
        *("log_ratio_se", "log_ratio_df", "log_ratio_levels", "studentised", "null_mean", "null_sd", "null_skew"),
        *("p_method", "permutations", "extreme", "family_p", "null_share", "replication", "replication_list"),
        *("stability", "rank_low", "rank_high", "stability_best", "stability_errors"),
    },
    "l1_inventory": {"bound", "stability", "scope", "log_ratio", "log_ratio_low", "log_ratio_high", "replication"},
}
#: Values that columns of names may have.
_VALUES = {
    ("l1_tests", "status"): ("tested", "untestable", "degenerate", "unresolved"),
    ("l1_tests", "test"): ("student", "welch", "permutation"),
    ("l1_tests", "unit"): ("text", "learner"),
    ("l1_inventory", "direction"): ("over", "under"),
}
#: What every tested row has.
_OF_TESTED = ("test", "effect", "p", "q", "correction", "correction_family", "m")
_INTERVALS = (("ci_low", "ci_high"), ("log_ratio_low", "log_ratio_high"), ("fcr_low", "fcr_high"))
#: What every row has, in each of these tables that knows it (a unit may lack its L1).
_OF_ALL = {
    "l1_tests": ("l1", "feature", "status", "unit"),
    "l1_inventory": ("l1", "feature", "rank", "direction"),
    "counts": ("text_id", "feature", "n"),
    "units": ("text_id", "words"),
}


def read_table(run: Path, name: str) -> pd.DataFrame | None:
    """Return a table of a run folder with its declared types, or None if it is not there.

    Parameters
    ----------
    run : Path
        Folder of a run.
    name : str
        The table: ``NAME.parquet`` is read, and where there is none ``NAME.csv``.

    Returns
    -------
    DataFrame or None
        Columns that came with a later version than the run's are empty.

    Raises
    ------
    InputError
        If ``run`` is no folder; if the file is cut short, has another number of rows than its ``NAME.json`` says, lacks a column,
        or holds a value that its column cannot have.
    """
    if not run.is_dir():
        msg = f"The run {run} is not a folder; give the --out folder of miner mine or run"
        raise InputError(msg)
    file = next((f for f in (run / f"{name}.parquet", run / f"{name}.csv") if f.is_file()), None)
    if file is None:
        return None
    table = ALL[name]
    frame = read_file(file)
    rows = _rows_written(run / f"{name}.json")
    if rows is not None and rows != len(frame):
        raise _damaged(file, f"it has {len(frame)} rows, and {name}.json tells of {rows}")
    missing = [c for c in table.names if c not in frame and c not in NEWER.get(name, ())]
    if missing:
        raise _damaged(file, f"it lacks the columns {listed(missing)}")
    frame = frame.assign(**{c: None for c in table.names if c not in frame})
    for column in _OF_ALL.get(name, ()):
        if frame[column].isna().any():
            raise _damaged(file, f"a row has no {column}")
    try:
        frame = conform(frame, table)
    except InputError as err:
        raise _damaged(file, str(err)) from err
    problem = _wrong_value(frame, table)
    if problem:
        raise _damaged(file, problem)
    return frame


def read_file(file: Path) -> pd.DataFrame:
    """Return the CSV or Parquet file of a run as it is.

    Raises
    ------
    InputError
        If it is cut short or cannot be read.
    """
    import pandas as pd
    import pyarrow as pa

    try:
        if file.suffix == ".parquet":
            return pd.read_parquet(file)
        frame = read_csv(file)
    except (ValueError, OSError, KeyError, TypeError, pa.ArrowException) as err:
        # pandas and pyarrow raise these and subclasses of them: no bytes, no end, no table.
        raise _damaged(file, f"it cannot be read ({type(err).__name__})") from err
    with file.open("rb") as stream:
        stream.seek(-1, 2)
        if stream.read() != b"\n":
            raise _damaged(file, "its last row has no end")
    return frame


def read_preset(run: Path) -> L1Preset | None:
    """Return the recipe that the run's ``run.json`` names; None if there is no such file, or it names none.

    Raises
    ------
    InputError
        If it names one that cannot be.
    """
    from miner.evaluate.explained_units import preset_of_run

    file = run / "run.json"
    try:
        written = json.loads(file.read_text(encoding="utf-8"))
        return preset_of_run(written) if isinstance(written, dict) else None
    except MinerError as err:
        msg = f"{file} is damaged: its preset cannot be ({err}). Mine the corpus again"
        raise InputError(msg) from err
    except (OSError, ValueError, TypeError):
        return None


def _rows_written(sidecar: Path) -> int | None:
    try:
        rows = json.loads(sidecar.read_text(encoding="utf-8"))["rows"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return rows if isinstance(rows, int) else None


def _damaged(file: Path, what: str) -> InputError:
    return InputError(f"{file} is damaged: {what}. Mine the corpus again")


def _wrong_value(frame: pd.DataFrame, table: Table) -> str:
    # What is wrong with the first column that holds what it cannot hold; empty if all is well.
    import numpy as np

    for column in table.columns:
        values = frame[column.name]
        bad = values.notna() & False
        known = _VALUES.get((table.name, column.name))
        if known:
            bad = values.notna() & ~values.isin(known)
            expected = f"one of {listed(known)}"
        elif column.unit in ("probability", "share"):
            bad = ~values.between(0, 1) & values.notna()
            expected = "a number from 0 to 1"
        elif column.dtype == "Int64":
            bad = (values < 0).fillna(value=False).astype(bool)
            expected = "a whole number of 0 or more"
        elif column.unit in ("per 1,000 words", "natural logarithm"):
            bad = np.isinf(values)
            expected = "a finite number"
        if bad.any():
            return f"column '{column.name}' holds '{values[bad].iloc[0]}', which should be {expected}"
    for low, high in _INTERVALS:
        if low in frame and high in frame and (frame[low] > frame[high]).any():
            return f"an interval's lower end '{low}' is above its upper end '{high}'"
    if table.name == "l1_tests":
        lack = frame.loc[frame["status"] == "tested", list(_OF_TESTED)].isna().any()
        if lack.any():
            return f"a tested row has no value in {listed(list(lack.index[lack]))}"
    return ""
