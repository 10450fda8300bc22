"""What runs write: the tables of each half, the figures that they allow, exports and the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from miner import tables
from miner.dialect import DialectResult, Ratings
from miner.errors import OptionError, require_one_of
from miner.export import CONSUMERS, Export, export_multi_value, export_trans_env
from miner.learner.examples import Quoted
from miner.plots import DRAWN_TABLES, Drawn, draw_run, inlined, map_data, save_picture
from miner.plots.style import Origin
from miner.report import examples_section, render
from miner.run.dialect import DistanceResult
from miner.run.folder import OutFolder
from miner.run.learner import LearnerResult
from miner.run.remembering import remembered
from miner.store import Store
from miner.store.frames import write_csv

if TYPE_CHECKING:
    import pandas as pd

#: Tables of a run by name, as they were written.
Written = dict[str, "pd.DataFrame"]


def write_learner(folder: OutFolder, result: LearnerResult) -> Written:
    """Write checked texts, the summary of matches, counts, units, tests, inventory and rates per opportunity.

    Matches are written while they are found (:meth:`OutFolder.stream`).
    """
    found = {
        tables.CHECKED: result.checked,
        tables.MATCH_SUMMARY: result.match_summary,
        tables.COUNTS: result.counts,
        tables.UNITS: result.units,
        tables.L1_TESTS: result.tests,
        tables.L1_INVENTORY: result.inventory,
        tables.USAGE_RATES: result.rates,
        tables.EXAMPLES: result.examples.table if result.examples else None,
    }
    written = {t.name: folder.table(f, t, result.signature) for t, f in found.items() if f is not None}
    folder.account(*result.ledgers)
    folder.facts(**result.facts)
    folder.timing(**result.timing)
    return written


def write_dialects(folder: OutFolder, result: DialectResult) -> Written:
    """Write clusters, the choice of k and the inventory."""
    folder.account(result.ledger)
    folder.facts(dialects=result.facts, dialect_warnings=list(result.warnings))
    return {
        "dialect_clusters": folder.table(result.clusters, tables.DIALECT_CLUSTERS, result.signature),
        "k_selection": folder.table(result.k_selection, tables.K_SELECTION, result.signature),
        "dialect_inventory": folder.table(result.inventory, tables.DIALECT_INVENTORY, result.signature),
    }


def write_distances(folder: OutFolder, result: DistanceResult) -> Written:
    """Write the distances from the reference point."""
    return {"distances": folder.table(result.distances, tables.DISTANCES, result.signature)}


def draw(
    written: Mapping[str, pd.DataFrame],
    *,
    folder: OutFolder,
    dialects: DialectResult | None = None,
    distances: DistanceResult | None = None,
    simulated: bool = False,
    more: Sequence[Drawn] = (),
    store: Store | None = None,
) -> list[Drawn]:
    """Draw what the tables allow, save each picture as SVG and PNG, and return them; a store keeps them."""
    shown = {n: f for n, f in written.items() if n in DRAWN_TABLES}
    if "distances" in shown:
        metric = shown["distances"]["metric"].iloc[0] if distances is None else distances.pairs["metric"].iloc[0]
        shown["distances"] = shown["distances"][shown["distances"]["metric"] == metric]
    coordinates = explained = None
    if dialects is not None:
        varieties = dialects.clustered.varieties
        coordinates = map_data(dialects.reduced.scores[:, :2], varieties, dialects.clusters)
        first, second = dialects.reduced.cumulative[:2]
        explained = [float(first), float(second - first)]
    pairs = None if distances is None else distances.pairs
    chosen_k = None if dialects is None else int(dialects.clusters["cluster"].max())
    origin: Origin = "simulated" if simulated else "real"
    signatures = folder.run_facts()["signatures"]
    pictures = remembered(
        store,
        [shown, coordinates, explained, pairs, chosen_k, origin, signatures],
        lambda: draw_run(
            shown,
            coordinates=coordinates,
            explained=explained,
            pairs=pairs,
            chosen_k=chosen_k,
            origin=origin,
            signatures=signatures,
        ),
    )
    pictures = [*pictures, *more]
    for picture in pictures:
        save_picture(picture, folder.path(f"figures/{picture.name}"))
    return pictures


def write_exports(
    folder: OutFolder, written: Mapping[str, pd.DataFrame], consumers: Sequence[str], ratings: Ratings | None
) -> dict[str, Any]:
    """Write each consumer's files and report under ``exports/CONSUMER``; return what was served and what not."""
    told: dict[str, Any] = {}
    for consumer in consumers:
        export = _export(consumer, written, ratings, folder.run_facts()["signatures"])
        for name, data in export.files.items():
            folder.path(f"exports/{consumer}/{name}").write_bytes(data)
        write_csv(export.report, folder.path(f"exports/{consumer}/export_report.csv"))
        folder.account(export.ledger)
        told[consumer] = {**export.facts, "served": len(export.facts["served"])}
    if told:
        folder.facts(exports=told)
    return told


def _export(
    consumer: str, written: Mapping[str, pd.DataFrame], ratings: Ratings | None, signatures: Mapping[str, str]
) -> Export:
    require_one_of(consumer, CONSUMERS, what="An export")
    if consumer == "trans-env":
        signature = signatures.get("l1_inventory", signatures.get("dialect_inventory", ""))
        return export_trans_env(written.get("l1_inventory"), written.get("dialect_inventory"), signature=signature)
    if ratings is None:
        msg = 'The export multi-value takes dialects; give the study ratings = "bundled", or leave the export out'
        raise OptionError(msg)
    clusters = written["dialect_clusters"]
    only = clusters.loc[clusters["in_dialect_set"].fillna(value=False), "variety_id"].tolist()
    return export_multi_value(ratings.ratings, ratings.varieties, ratings.features, only=only)


def write_report(
    folder: OutFolder,
    title: str,
    written: Mapping[str, pd.DataFrame],
    pictures: Sequence[Drawn],
    *,
    examples: Quoted | None = None,
) -> None:
    """Write report.html: one file that works without a network."""
    section = examples_section(examples.table, examples.terms, examples.used) if examples else None
    html = render({**folder.run_facts(), "title": title}, written, inlined(pictures), examples=section)
    folder.path("report.html").write_text(html, encoding="utf-8")
