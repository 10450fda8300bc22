"""Distances against a table of scores, and L1 difficulty against scores: the pictures that a study asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from miner.plots import (
    Picture,
    match_scores,
    performance,
    plot_difficulty,
    plot_performance,
    read_scores,
    scores_origin,
)
from miner.plots.style import figure_of
from miner.run.dialect import DistanceResult
from miner.run.folder import OutFolder
from miner.run.study import DistanceSpec

if TYPE_CHECKING:
    from pathlib import Path


def performance_pictures(spec: DistanceSpec, distances: DistanceResult, folder: OutFolder) -> list[Picture]:
    """Draw the study's scores against distance and difficulty, and write their numbers.

    A table whose file name or first comment says ``invented`` is called invented in every picture.
    """
    pictures = []
    if spec.performance is not None:
        pictures.append(_scatter(spec.performance, distances, folder))
    if spec.difficulty is not None:
        scores = read_scores(spec.difficulty, variety="l1")
        ax = plot_difficulty(scores, origin=scores_origin(spec.difficulty), score_label=_label(spec.difficulty))
        alt = "Box plots of scores by DLIFLC category of the L1, one named point per L1."
        pictures.append(Picture("difficulty", figure_of(ax), "Scores by DLIFLC difficulty category of the L1", alt))
    return pictures


def _scatter(path: Path, distances: DistanceResult, folder: OutFolder) -> Picture:
    scores = read_scores(path)
    metric = distances.distances["metric"].iloc[0]
    shown = distances.distances[distances.distances["metric"] == metric]
    points, ledger = match_scores(shown, scores)
    folder.account(ledger)
    points.to_csv(folder.path("performance_points.csv"), index=False, float_format="%.12g", lineterminator="\n")
    numbers = performance(shown, scores)
    numbers.to_csv(folder.path("performance.csv"), index=False, float_format="%.12g", lineterminator="\n")
    ax = plot_performance(
        shown, scores, origin=scores_origin(path), score_label=_label(path), signature=str(distances.signature)
    )
    alt = "Scatter plot of scores against distances with a least-squares line and its 95 % band. Numbers: performance.csv."
    return Picture("performance", figure_of(ax), "Distance against performance", alt)


def _label(path: Path) -> str:
    return f"score ({path.stem.replace('_', ' ')})"
