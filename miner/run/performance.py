"""Distances against a table of scores, and L1 difficulty against scores: tables and pictures, for commands and studies."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from miner import tables
from miner.dialect import Ratings, difficulty, performance
from miner.dialect.performance import series_of
from miner.errors import OptionError
from miner.plots import Drawn, Picture, plot_difficulty, plot_performance, read_difficulty, read_scores, scores_origin
from miner.plots.difficulty import l1_codes
from miner.plots.style import figure_of
from miner.run.dialect import DistanceResult
from miner.run.folder import OutFolder
from miner.run.remembering import remembered
from miner.run.study import DistanceSpec
from miner.signature import Signature
from miner.store import Store

if TYPE_CHECKING:
    import pandas as pd


def write_performance(
    folder: OutFolder,
    ratings: Ratings,
    distances: pd.DataFrame,
    path: Path,
    signature: Signature,
    *,
    by: tuple[str, ...] = (),
    seed: int,
) -> dict[str, pd.DataFrame]:
    """Hold a CSV of scores against distances from one reference point in one metric; write and return the tables.

    Raises
    ------
    InputError, EmptyInput
        As :func:`miner.plots.read_scores` and :func:`miner.dialect.performance` do, with the file's name.
    """
    scores = read_scores(path)
    results, influence, ledger = performance(ratings, distances, scores, by=by, seed=seed, place=path.name)
    folder.input("performance", _hash(scores))
    folder.account(ledger)
    signature = signature.plus(metric=distances["metric"].iloc[0], seed=seed)
    return {
        "performance": folder.table(results, tables.PERFORMANCE, signature),
        "influence": folder.table(influence, tables.INFLUENCE, signature),
    }


def write_difficulty(folder: OutFolder, path: Path, *, by: tuple[str, ...] = ()) -> dict[str, pd.DataFrame]:
    """Hold a CSV of scores against the DLIFLC category of the L1; write and return the tables.

    Raises
    ------
    InputError, EmptyInput
        As :func:`miner.plots.read_scores` and :func:`miner.dialect.difficulty` do, with the file's name.
    """
    scores = _l1_scores(path)
    results, points, ledger = difficulty(scores, read_difficulty(), by=by, place=path.name)
    folder.input("difficulty", _hash(scores))
    folder.account(ledger)
    signature = Signature.of("difficulty")
    return {
        "difficulty": folder.table(results, tables.DIFFICULTY, signature),
        "difficulty_points": folder.table(points, tables.DIFFICULTY_POINTS, signature),
    }


def write_scores(
    folder: OutFolder,
    spec: DistanceSpec,
    ratings: Ratings | None,
    distances: DistanceResult | None,
    *,
    seed: int,
    store: Store | None = None,
) -> tuple[dict[str, pd.DataFrame], list[Drawn]]:
    """Write and draw what a study holds its distances and L1s against, in the study's first metric.

    A table whose file name or first comment says ``invented`` is called invented in every picture.

    Raises
    ------
    OptionError
        If performance is asked for without ratings.
    InputError, EmptyInput
        As :func:`write_performance` and :func:`write_difficulty` do.
    """
    written: dict[str, pd.DataFrame] = {}
    pictures: list[Drawn] = []
    if spec.performance is not None:
        if ratings is None or distances is None:
            msg = (
                "[distances]: 'performance' needs ratings, but the study says ratings = \"none\"; leave one of them out"
            )
            raise OptionError(msg)
        shown = distances.distances[distances.distances["metric"] == spec.metrics[0]]
        told = write_performance(folder, ratings, shown, spec.performance, distances.signature, by=spec.by, seed=seed)
        signature, points = str(distances.signature), told["performance"]
        shows = [
            shown,
            points,
            read_scores(spec.performance),
            *_told(spec, spec.performance),
            ratings.signature,
            signature,
        ]
        pictures += remembered(store, shows, lambda: _scatters(spec, ratings, shown, points, signature))
        written |= told
    if spec.difficulty is not None:
        told = write_difficulty(folder, spec.difficulty, by=spec.by)
        found = told["difficulty"]
        shows = [found, _l1_scores(spec.difficulty), *_told(spec, spec.difficulty)]
        pictures += remembered(store, shows, lambda: _boxes(spec, found))
        written |= told
    return written, pictures


def _told(spec: DistanceSpec, path: Path) -> list[Any]:
    return [path.name, scores_origin(path), list(spec.by)]


def _scatters(
    spec: DistanceSpec, ratings: Ratings, shown: pd.DataFrame, told: pd.DataFrame, signature: str
) -> list[Picture]:
    path = spec.performance
    assert path is not None
    scores = read_scores(path)
    scores["variety"] = [_variety_id(ratings, v) for v in scores["variety"]]
    alt = "Scatter plot of scores against distances with a least-squares line and its 95 % band. Numbers: performance, influence."
    pictures = []
    for name, part, heading in _drawable("performance", scores, spec.by, told):
        ax = plot_performance(
            shown, part, origin=scores_origin(path), score_label=_label(path, heading), signature=signature
        )
        pictures.append(Picture(name, figure_of(ax), f"Distance against performance{heading}", alt))
    return pictures


def _boxes(spec: DistanceSpec, told: pd.DataFrame) -> list[Picture]:
    path = spec.difficulty
    assert path is not None
    alt = "Box plots of scores by DLIFLC category of the L1, one named point per L1. Numbers: difficulty, difficulty_points."
    pictures = []
    for name, part, heading in _drawable("difficulty", _l1_scores(path), spec.by, told):
        ax = plot_difficulty(part, origin=scores_origin(path), score_label=_label(path, heading))
        pictures.append(Picture(name, figure_of(ax), f"Scores by DLIFLC difficulty category of the L1{heading}", alt))
    return pictures


def _drawable(
    stem: str, scores: pd.DataFrame, by: tuple[str, ...], told: pd.DataFrame
) -> list[tuple[str, pd.DataFrame, str]]:
    """Return picture name, rows and end of the heading of each series that has a point."""
    series = series_of(scores, by)
    drawn = sorted(set(series) & set(told.loc[told["n"] > 0, "series"]))
    many = len(set(series)) > 1
    return [
        (f"{stem}_{i}" if many else stem, scores[[s == name for s in series]], f": {name}" if by else "")
        for i, name in enumerate(drawn, start=1)
    ]


def _l1_scores(path: Path) -> pd.DataFrame:
    scores = read_scores(path, variety="l1").rename(columns={"variety": "l1"})
    scores["l1"] = [code or name for name, code in zip(scores["l1"], l1_codes(scores["l1"]), strict=True)]
    return scores


def _variety_id(ratings: Ratings, name: str) -> str:
    # Tables and pictures then agree on who a score belongs to; unknown names stay, for the picture's note.
    try:
        return str(ratings.varieties["variety_id"][ratings.variety_index(name)])
    except OptionError:
        return name


def _hash(scores: pd.DataFrame) -> str:
    rows = sorted("\t".join(map(str, row)) for row in scores.itertuples(index=False))
    return hashlib.sha256("\n".join(["\t".join(map(str, scores.columns)), *rows]).encode()).hexdigest()[:12]


def _label(path: Path, heading: str) -> str:
    return f"score ({path.stem.replace('_', ' ')}{heading.replace(': ', ', ', 1)})"
