"""All pictures that the tables of one run allow, with the texts that stand for them where they cannot be seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from matplotlib.figure import Figure

from miner.plots.inventory import plot_inventories
from miner.plots.k_selection import plot_k_selection
from miner.plots.rates import plot_rates
from miner.plots.saving import png_bytes, svg_text, write_both
from miner.plots.style import Origin, figure_of
from miner.plots.tree import distance_matrix, plot_dendrogram, plot_distances
from miner.plots.varieties import plot_from_reference, plot_varieties

if TYPE_CHECKING:
    import pandas as pd


#: Cells with fewer learners stay in the tables; no picture shows them.
FEWEST_LEARNERS = 5


@dataclass(frozen=True)
class Picture:
    """A figure of a run.

    Parameters
    ----------
    name : str
        File stem.
    figure : Figure
    heading : str
        Caption.
    alt : str
        What the picture shows, for those who cannot see it; names the table with the numbers.
    """

    name: str
    figure: Figure
    heading: str
    alt: str

    @cached_property
    def svg(self) -> str:
        """The SVG document, drawn once."""
        return svg_text(self.figure)

    @cached_property
    def png(self) -> bytes:
        """The PNG, drawn once."""
        return png_bytes(self.figure)

    def save(self, stem: Path | str) -> tuple[Path, Path]:
        """Write ``STEM.svg`` and ``STEM.png``, as :func:`miner.plots.save` does."""
        return save_picture(self, stem)


class Drawn(Protocol):
    """A picture as documents: what is saved and shown."""

    @property
    def name(self) -> str:
        """File stem."""

    @property
    def heading(self) -> str:
        """Caption."""

    @property
    def alt(self) -> str:
        """What the picture shows, in words."""

    @property
    def svg(self) -> str:
        """The SVG document."""

    @property
    def png(self) -> bytes:
        """The PNG."""


def save_picture(picture: Drawn, stem: Path | str) -> tuple[Path, Path]:
    """Write ``STEM.svg`` and ``STEM.png``, as :func:`miner.plots.save` does."""
    return write_both(picture.svg, picture.png, stem)


#: Tables that :func:`draw_run` looks at.
DRAWN_TABLES = ("l1_inventory", "l1_tests", "dialect_clusters", "k_selection", "distances")


def draw_run(
    tables: Mapping[str, pd.DataFrame],
    *,
    coordinates: pd.DataFrame | None = None,
    explained: list[float] | None = None,
    pairs: pd.DataFrame | None = None,
    chosen_k: int | None = None,
    origin: Origin = "real",
    signatures: Mapping[str, str] | None = None,
) -> list[Picture]:
    """Draw what the tables of a run allow; tables that are absent or empty are passed over.

    Parameters
    ----------
    tables : mapping of table name to DataFrame
        ``l1_inventory``, ``l1_tests``, ``dialect_clusters``, ``k_selection``, ``distances``.
    coordinates : DataFrame, optional
        Of :func:`miner.plots.map_data`.
    explained : list of float, optional
        Shares of variance of the components.
    pairs : DataFrame, optional
        Distances of all pairs, for tree and heat map; ``tables["distances"]`` if that has all pairs.
    chosen_k : int, optional
        Number of clusters of the run.
    origin : {"real", "simulated", "invented"}
        Of the learner corpus; eWAVE's ratings are real.
    signatures : mapping of table name to str, optional
        Printed under the plots.

    Returns
    -------
    list of Picture
        In reading order.
    """
    have = {n: t for n, t in tables.items() if len(t)}
    signed = dict(signatures or {})
    pictures = _of_learners(have, origin, signed)
    clusters = have.get("dialect_clusters")
    if "k_selection" in have:
        figure = plot_k_selection(have["k_selection"], chosen=chosen_k, signature=signed.get("k_selection", ""))
        alt = "Two line charts: within-cluster sum of squares and mean silhouette against k. Numbers: k_selection."
        pictures.append(Picture("k_selection", figure, "How many clusters", alt))
    if coordinates is not None and len(coordinates):
        ax = plot_varieties(coordinates, explained=explained, signature=signed.get("dialect_clusters", ""))
        alt = f"Scatter plot of {len(coordinates)} varieties on two components, coloured by cluster. Numbers: dialect_clusters."
        pictures.append(Picture("varieties", figure_of(ax), "Map of varieties", alt))
    return pictures + _of_distances(have, pairs, clusters, signed)


def inlined(pictures: Sequence[Drawn]) -> dict[str, dict[str, str]]:
    """Return ``name -> {svg, heading, alt}``, the form that the report takes."""
    return {p.name: {"svg": p.svg, "heading": p.heading, "alt": p.alt} for p in pictures}


def _of_learners(have: dict[str, pd.DataFrame], origin: Origin, signed: dict[str, str]) -> list[Picture]:
    pictures = []
    inventory, tests, few = _enough_learners(have)
    left_out = f" Left out: {few} cells of fewer than {FEWEST_LEARNERS} learners." if few else ""
    if inventory is not None:
        cells = None if tests is None else list(zip(tests["l1"], tests["cefr"], strict=True))
        figure = plot_inventories(inventory, cells=cells, origin=origin, signature=signed.get("l1_inventory", ""))
        alt = f"Points with 95 % intervals: effect of each selected feature per L1 and band. Numbers: l1_inventory.{left_out}"
        pictures.append(Picture("l1_inventory", figure, "Inventories by L1 and band", alt))
    if tests is not None:
        for band in sorted(set(tests.loc[tests["rate_target"] > 0, "cefr"])):
            ax = plot_rates(tests, cefr=band, inventory=inventory, origin=origin, signature=signed.get("l1_tests", ""))
            alt = (
                f"Heat map: mean matches per 1,000 words by feature and L1 in band {band}. Numbers: l1_tests.{left_out}"
            )
            pictures.append(Picture(f"l1_rates_{band}", figure_of(ax), f"Rates of all L1s, band {band}", alt))
    return pictures


def _enough_learners(have: dict[str, pd.DataFrame]) -> tuple[pd.DataFrame | None, pd.DataFrame | None, int]:
    """Return inventory and tests without cells of fewer than 5 learners (or texts, where learners are not known)."""
    inventory, tests = have.get("l1_inventory"), have.get("l1_tests")
    source = tests if tests is not None else inventory
    if source is None:
        return None, None, 0
    known = source["learners_target"].fillna(source["texts_target"])
    rows = source[(known < FEWEST_LEARNERS).fillna(value=False)]
    small = set(zip(rows["l1"], rows["cefr"], strict=True))

    def kept(frame: pd.DataFrame | None) -> pd.DataFrame | None:
        if frame is None:
            return None
        rows = frame[[c not in small for c in zip(frame["l1"], frame["cefr"], strict=True)]]
        return rows if len(rows) else None

    return kept(inventory), kept(tests), len(small)


def _of_distances(
    have: dict[str, pd.DataFrame], pairs: pd.DataFrame | None, clusters: pd.DataFrame | None, signed: dict[str, str]
) -> list[Picture]:
    pictures = []
    distances, signature = have.get("distances"), signed.get("distances", "")
    if distances is not None:
        several = distances["from_id"].nunique() > 1
        if several and pairs is None:
            pairs = distances
        marked = (
            []
            if clusters is None
            else clusters.loc[clusters["in_dialect_set"].fillna(value=False), "variety_id"].tolist()
        )
        for from_id in [] if several else sorted(set(distances["from_id"])):
            ax = plot_from_reference(distances, from_id=from_id, marked=marked, signature=signature)
            alt = "Dot plot: distance of each variety from the reference point, nearest first. Numbers: distances."
            pictures.append(Picture("distances", figure_of(ax), "Distances from the reference point", alt))
    if pairs is not None and _complete(pairs):
        ax = plot_distances(pairs, clusters=clusters, signature=signature)
        alt = "Heat map of the distances between all pairs of varieties, in the order of their tree."
        pictures.append(Picture("distance_matrix", figure_of(ax), "Distances between all pairs", alt))
        ax = plot_dendrogram(pairs, clusters=clusters, signature=signature)
        alt = "Tree of the varieties by average linkage of their distances."
        pictures.append(Picture("dendrogram", figure_of(ax), "Tree of varieties", alt))
    return pictures


def _complete(pairs: pd.DataFrame) -> bool:
    # Pairwise-complete metrics can leave a pair undefined; a tree is then not drawn.
    n = len(set(pairs["variety_id"]) | set(pairs["from_id"])) if "variety_id" in pairs else len(pairs)
    try:
        return n > 1 and len(distance_matrix(pairs)) > 1
    except ValueError:
        return False
