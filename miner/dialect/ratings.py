"""eWAVE ratings: read from any known form into one table with seven states, varieties and features."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from miner import tables
from miner.dialect.names import NameIndex, require
from miner.dialect.sources import Raw, read_raw
from miner.dialect.states import COUNT_COLUMNS, RATED, STATES, id_key, one_per_cell, states_of, to_grid
from miner.errors import InputError, OptionError, TooFew, listed
from miner.ledger import Ledger

#: What ratings are called in signatures: those of eWAVE 3.0, wherever they were read from, and any others.
EWAVE_NAME, OTHER_NAME = "ewave-3.0", "ratings"

Grid = np.ndarray[Any, np.dtype[np.int8]]


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings of varieties by features.

    Parameters
    ----------
    grid : ndarray of int8, shape (n_varieties, n_features)
        Index into :data:`miner.dialect.states.STATES` for each cell.
    varieties : DataFrame
        :data:`miner.tables.VARIETIES`; row i describes row i of ``grid``. Sorted by id, numbers by value.
    features : DataFrame
        :data:`miner.tables.FEATURES`; row j describes column j of ``grid``.
    ledger : Ledger
        What was read, kept, dropped and repaired.
    name : str
        Name of the table, for signatures.
    """

    grid: Grid
    varieties: pd.DataFrame
    features: pd.DataFrame
    ledger: Ledger
    name: str

    @cached_property
    def ratings(self) -> pd.DataFrame:
        """The ratings as a long table (:data:`miner.tables.RATINGS`), absent cells with an empty rating."""
        n, p = self.grid.shape
        long = pd.DataFrame(
            {
                "variety_id": np.repeat(self.varieties["variety_id"].to_numpy(), p),
                "feature_id": np.tile(self.features["feature_id"].to_numpy(), n),
                "rating": np.array(STATES, dtype=object)[self.grid.ravel()],
            }
        )
        return tables.conform(long, tables.RATINGS)

    @cached_property
    def fingerprint(self) -> str:
        """First 12 hexadecimal digits of the SHA-256 of the sorted ids, names and ratings."""
        lines = [f"{i}\t{n}" for i, n in zip(self.varieties["variety_id"], self.varieties["variety"], strict=True)]
        lines += [f"{i}\t{n}" for i, n in zip(self.features["feature_id"], self.features["feature"], strict=True)]
        lines += ["\t".join(STATES[s] for s in row) for row in self.grid]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]

    @property
    def signature(self) -> str:
        """The signature's ``ratings`` part."""
        return f"{self.name}#{self.fingerprint}"

    @cached_property
    def rated(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Whether each cell is A, B, C or D."""
        return np.isin(self.grid, [STATES.index(s) for s in RATED])

    def require_two(self, what: str) -> None:
        """Raise TooFew if there are not two varieties to compare; ``what`` is the subject of the sentence."""
        if len(self.varieties) < 2:
            names = listed([str(v) for v in self.varieties["variety"]])
            msg = f"{what} need ratings of two or more varieties. Got {len(self.varieties)}: {names}; give a table that rates more"
            raise TooFew(msg)

    def variety_index(self, query: str) -> int:
        """Return the row of the variety with that id, abbreviation or name.

        Raises
        ------
        OptionError
            If there is none, with the nearest name.
        """
        ids, abbreviations, names = (
            NameIndex([str(v) for v in self.varieties[c]]) for c in ("variety_id", "abbr", "variety")
        )
        return require(query, (ids, names, abbreviations), what="The variety")

    def feature_index(self, query: str) -> int:
        """Return the column of the feature with that id or name; OptionError with the nearest name if there is none."""
        ids, names = (NameIndex([str(v) for v in self.features[c]]) for c in ("feature_id", "feature"))
        return require(query, (ids, names), what="The feature")

    def counts(self, by: str = "variety") -> pd.DataFrame:
        """Return how many cells of each variety (or feature) are in each of the seven states."""
        if by not in ("variety", "feature"):
            msg = f"The 'by' parameter of counts must be one of 'variety', 'feature'. Got {by!r} instead"
            raise OptionError(msg)
        axis, frame = (1, self.varieties) if by == "variety" else (0, self.features)
        out = frame[[f"{by}_id", by]].copy()
        for state, column in enumerate(COUNT_COLUMNS):
            out[column] = (self.grid == state).sum(axis=axis)
        return out

    def with_rating(self, variety: str, feature: str, rating: str) -> Ratings:
        """Return a copy in which one cell has another state."""
        if rating not in STATES:
            msg = f"The rating must be one of {listed(list(STATES))}. Got {rating!r} instead"
            raise OptionError(msg)
        grid = self.grid.copy()
        grid[self.variety_index(variety), self.feature_index(feature)] = STATES.index(rating)
        return replace(self, grid=grid, name=OTHER_NAME)

    def take(self, varieties: Sequence[int]) -> Ratings:
        """Return the ratings of some varieties (rows of ``grid``), in the table's order."""
        rows = sorted(varieties)
        return replace(self, grid=self.grid[rows], varieties=self.varieties.iloc[rows].reset_index(drop=True))


def bundled_folder() -> Path:
    """Return the folder of the table that comes with miner: in the installed package, else in the source tree."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "data" / "ewave", package.parent / "corpora" / "ewave"):
        if (folder / "ratings.csv").is_file():
            return folder
    msg = f"miner's own eWAVE table is missing from {package}: the installation is incomplete; install miner again"
    raise InputError(msg)


def read_ratings(path: Path | str | None = None, *, fold_case: bool = False, name: str | None = None) -> Ratings:
    """Read eWAVE ratings.

    Parameters
    ----------
    path : Path or str, optional
        A folder with eWAVE's CLDF (or its ``*-metadata.json``), a CLDF-like ``values.csv`` alone, a folder of miner's
        own form, Multi-VALUE's or Trans-EnV's ``ewave.csv``, or a table with a row per variety and a column per
        feature. None reads the table that comes with miner.
    fold_case : bool
        Read ``b`` as ``B``; otherwise it is an error.
    name : str, optional
        Name for signatures; by default ``ewave-3.0`` for these ratings, else ``ratings``.

    Returns
    -------
    Ratings

    Raises
    ------
    InputError
        If the path holds no ratings; for unknown ratings (all of them at once, with rows); for a cell with two
        different ratings (variety, feature, both values, both rows).
    """
    if path is None:
        return _assemble(read_raw(bundled_folder()), name or EWAVE_NAME, fold_case=fold_case, known=None)
    raw, bundled = read_raw(Path(path)), _bundled()
    known = None if raw.varieties is not None and raw.features is not None else bundled
    ratings = _assemble(raw, name or OTHER_NAME, fold_case=fold_case, known=known, bundled=bundled)
    # The name follows the content, not the path: the same ratings have the same signature wherever they lie.
    if name is None and ratings.fingerprint == bundled.fingerprint:
        return replace(ratings, name=EWAVE_NAME)
    return ratings


@cache
def _bundled() -> Ratings:
    # For comparison only, never handed out: read once in a process.
    return read_ratings()


def _assemble(
    raw: Raw, name: str, *, fold_case: bool, known: Ratings | None, bundled: Ratings | None = None
) -> Ratings:
    ledger = Ledger("ratings", "cells")
    cells = raw.cells.copy()
    varieties, features = raw.varieties, raw.features
    if known is not None:
        cells, varieties, features = _recognise(cells, varieties, features, known, ledger)
    cells["state"] = states_of(cells, ledger, place=raw.place, fold_case=fold_case)
    cells = one_per_cell(cells, ledger, place=raw.place)
    variety_ids = sorted(set(cells["variety_id"]), key=id_key)
    feature_ids = sorted(set(cells["feature_id"]), key=id_key)
    grid = to_grid(cells, variety_ids, feature_ids)
    ratings = Ratings(
        grid,
        _describe(varieties, variety_ids, tables.VARIETIES, raw.place, None if bundled is None else bundled.varieties),
        _describe(features, feature_ids, tables.FEATURES, raw.place, None if bundled is None else bundled.features),
        ledger,
        name,
    )
    _take_notes(ratings, listed_only=(raw.varieties, raw.features))
    return ratings


def _recognise(
    cells: pd.DataFrame, varieties: pd.DataFrame | None, features: pd.DataFrame | None, known: Ratings, ledger: Ledger
) -> tuple[pd.DataFrame, pd.DataFrame | None, pd.DataFrame | None]:
    # A table without its own lists of varieties and features is eWAVE's if all its features are, by id or by name, and
    # at least one variety is; varieties that eWAVE does not have keep their own name as id.
    for column, own in (("variety", "variety_id"), ("feature", "feature_id")):
        frame = known.varieties if column == "variety" else known.features
        ids, names = NameIndex(list(frame[own])), NameIndex(list(frame[column]))
        keys = sorted(set(cells[own]))
        by_id = {k: k for k in keys if k in ids.names}
        by_name = {k: frame[own].iloc[i] for k in keys if (i := names.find(k)) is not None}
        best = by_id if len(by_id) >= len(by_name) else by_name
        if column == "variety":
            variety_map, n_varieties = best, len(best)
            unknown = [k for k in keys if k not in best]
        elif len(best) < len(keys) or not n_varieties:
            return cells, varieties, features  # not eWAVE's: ids are names
        else:
            feature_map = best
    for key in unknown:
        ledger.note("variety that eWAVE does not have, kept under its own name", place=key)
    own_rows = pd.DataFrame({"variety_id": unknown, "variety": unknown})
    cells = cells.assign(
        variety_id=[variety_map.get(k, k) for k in cells["variety_id"]],
        feature_id=[feature_map[k] for k in cells["feature_id"]],
    )
    return cells, pd.concat([known.varieties, own_rows], ignore_index=True), known.features


def _describe(
    frame: pd.DataFrame | None, ids: list[str], table: tables.Table, place: str, bundled: pd.DataFrame | None
) -> pd.DataFrame:
    key, label = table.names[0], table.names[1]
    if frame is None:
        frame = pd.DataFrame({key: ids, label: ids})
    frame = frame.reindex(columns=table.names)
    missing = sorted(set(ids) - set(frame[key]), key=id_key)
    if missing or frame[key].duplicated().any():
        what = f"has no row for {listed(missing)}" if missing else "has an id twice"
        msg = f"{place}: the table of {table.name} {what}; every id of the ratings needs one row there"
        raise InputError(msg)
    frame = frame.set_index(key).loc[ids].reset_index()
    if bundled is not None:
        frame = _completed(frame, bundled, key, label)
    for column in table.columns:
        if column.dtype == "float64":
            frame[column.name] = pd.to_numeric(frame[column.name].replace("", None), errors="coerce")
        else:
            frame[column.name] = frame[column.name].astype(object).fillna("")
    return tables.conform(frame, table)


def _completed(frame: pd.DataFrame, bundled: pd.DataFrame, key: str, label: str) -> pd.DataFrame:
    # A source that has eWAVE's ids and names but not its regions, coordinates or areas (Multi-VALUE's table) gets them.
    lacking = [str(c) for c in frame if frame[c].isna().all()]
    if not lacking:
        return frame
    theirs = frame[[key, label]].merge(bundled, on=[key, label], how="left", validate="one_to_one")
    return frame.assign(**{c: theirs[c].to_numpy(dtype=object) for c in lacking})


def _take_notes(ratings: Ratings, *, listed_only: tuple[pd.DataFrame | None, pd.DataFrame | None]) -> None:
    ledger = ratings.ledger
    absent = ratings.grid == STATES.index("")
    for i, j in np.argwhere(absent)[:20]:
        place = f"variety '{ratings.varieties['variety_id'][i]}', feature '{ratings.features['feature_id'][j]}'"
        ledger.places.setdefault("absent cell", []).append(place)
    if absent.any():
        ledger.noted["absent cell"] += int(absent.sum())
    for i in np.flatnonzero(~ratings.rated.any(axis=1)):
        states = "".join(sorted({STATES[s] for s in ratings.grid[i]} - {""})) or "absent"
        ledger.note(
            f"variety without any rating A, B, C or D (only {states})", place=str(ratings.varieties["variety_id"][i])
        )
    for frame, column in ((ratings.varieties, "variety"), (ratings.features, "feature")):
        for group in NameIndex([str(v) for v in frame[column]]).clashes():
            ledger.note(
                f"{column} names that differ only in quotes, dashes, blanks or case; only the exact form finds them",
                place=" / ".join(group),
            )
    for full, frame, column in zip(
        listed_only, (ratings.varieties, ratings.features), ("variety_id", "feature_id"), strict=True
    ):
        if full is not None and len(full) > len(frame):
            ledger.note(
                f"{column.removesuffix('_id')} of the source's list without any cell in the table",
                len(full) - len(frame),
            )
