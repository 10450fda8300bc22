"""The page: facts and tables of a run in, one HTML document out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from miner.errors import OutputError
from miner.report import formats
from miner.report.dialects import dialect_view, distance_view
from miner.report.figures import figures_of
from miner.report.learners import FEWEST_LEARNERS, Cell, cells, noise, untestable

if TYPE_CHECKING:
    import pandas as pd

#: Facts that have a place of their own on the page; all others are listed under "Run facts".
_TOLD = {
    "accounts",
    "command",
    "corpora",
    "dialect_warnings",
    "dialects",
    "files",
    "host",
    "inputs",
    "miner",
    "parameters",
    "seed",
    "signatures",
    "simulated",
    "study",
    "timing",
    "title",
    "versions",
    "warnings",
    "writer",
}


def render(
    run: Mapping[str, Any],
    tables: Mapping[str, pd.DataFrame],
    figures: Mapping[str, str | Mapping[str, str]] | None = None,
    *,
    examples: Markup | None = None,
) -> str:
    """Return the report as one HTML document: no script, no outside address, no learner ids, no corpus text but examples.

    Parameters
    ----------
    run : mapping
        What ``run.json`` says. Read by name: ``title, command, parameters, seed, simulated`` (true: a banner says so),
        ``accounts`` (ledgers), ``dialects`` (facts of the dialect set), ``warnings`` and ``dialect_warnings`` (texts), ``inputs, signatures,
        versions, miner, timing``; everything else is listed as it is.
    tables : mapping of table name to DataFrame
        Any of ``l1_tests, l1_inventory, dialect_clusters, dialect_inventory, k_selection, distances, match_summary,
        planted``; others are ignored. Absent tables make no section.
    figures : mapping, optional
        Name to SVG document, or to ``{svg, heading, alt}``. Known names stand in their section, others at the end.
    examples : Markup, optional
        Of :func:`miner.report.examples_section`, where the user asked for examples.

    Raises
    ------
    InputError
        If a figure is not a self-contained SVG document.
    """
    pictures = figures_of(figures or {})
    dialects, distances = dialect_view(tables), distance_view(tables)
    shown, hidden = cells(tables)
    tests, inventory = tables.get("l1_tests"), tables.get("l1_inventory")
    return (
        _environment()
        .get_template("report.html")
        .render(
            run=run,
            title=str(run.get("title") or run.get("study") or run.get("command") or "miner"),
            simulated=is_simulated(run),
            warnings=[*run.get("warnings", []), *run.get("dialect_warnings", [])],
            summary=_summary(shown, dialects, distances),
            cells=shown,
            hidden=hidden,
            fewest=FEWEST_LEARNERS,
            noise=noise(tests, inventory, dict(_options([run.get("parameters"), run.get("preset")]))),
            untestable=untestable(tests),
            matches=_matches(tables.get("match_summary")),
            dialects=dialects,
            distances=distances,
            figures=_placed(pictures),
            other_facts={k: v for k, v in run.items() if k not in _TOLD and not _repeated(k, run)},
            corpora=_corpora(run),
            examples=examples,
            style=_source("style.css"),
        )
    )


def write_report(path: Path | str, html: str) -> Path:
    """Write the page as UTF-8 with Unix line ends and return its path."""
    path = Path(path)
    try:
        path.write_text(html, encoding="utf-8", newline="\n")
    except OSError as err:
        msg = f"The report {path} could not be written ({err.strerror}); give a folder that can be written"
        raise OutputError(msg) from err
    return path


def _repeated(key: str, run: Mapping[str, Any]) -> bool:
    parameters = run.get("parameters")
    return isinstance(parameters, Mapping) and key in parameters and parameters[key] == run[key]


def _corpora(run: Mapping[str, Any]) -> list[dict[str, Any]]:
    listed = run.get("corpora", [])
    return [dict(c) for c in listed if isinstance(c, Mapping)] if isinstance(listed, list) else []


def is_simulated(run: Mapping[str, Any]) -> bool:
    """Whether any corpus of the run is simulated, by its own word."""
    if run.get("simulated"):
        return True
    corpora = run.get("corpora", run.get("corpus", []))
    listed = corpora.values() if isinstance(corpora, Mapping) and "name" not in corpora else corpora
    listed = [listed] if isinstance(listed, str | Mapping) else listed
    return any(isinstance(c, Mapping) and bool(c.get("simulated")) for c in listed)


def _summary(shown: list[Cell], dialects: Mapping[str, Any] | None, distances: Mapping[str, Any] | None) -> list[str]:
    """Return the results in a sentence each."""
    said = []
    if shown:
        l1s, bands = {c.l1 for c in shown}, sorted({c.cefr for c in shown})
        selected = sum(c.facts["selected"] for c in shown)
        some = sum(c.facts["selected"] > 0 for c in shown)
        said.append(
            f"{len(l1s)} L1{'s' * (len(l1s) != 1)} in band{'s' * (len(bands) != 1)} {', '.join(bands)}: {selected:,} features "
            f"selected in {some} of {len(shown)} cells, each relative to the other L1s of its band."
        )
    if dialects:
        pairs, different = dialects["features_in_all"]
        said.append(
            f"A dialect set of {len(dialects['members'])} of {dialects['varieties']} varieties"
            + (f", with {pairs:,} pairs of variety and feature ({different:,} different features)." if pairs else ".")
        )
    if distances:
        start = distances["reference"][0] if distances["one"] else f"each of {len(distances['reference'])} varieties"
        said.append(f"Distances from {start} to the others ({', '.join(distances['metric'])}).")
    return said


def _options(parameters: Any) -> Iterator[tuple[str, Any]]:
    # The preset's options may stand at any depth of the parameters.
    if isinstance(parameters, list):
        for value in parameters:
            yield from _options(value)
    elif isinstance(parameters, Mapping):
        for key, value in parameters.items():
            if key in ("alpha", "direction", "alternative") and not isinstance(value, Mapping):
                yield key, value
            yield from _options(value)


def _matches(summary: pd.DataFrame | None) -> list[tuple[str, int, int]]:
    if summary is None or summary.empty:
        return []
    grouped = summary.groupby("status", sort=True)
    return [(str(s), int(g["matches"].sum()), len(g)) for s, g in grouped]


def _placed(pictures: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Sort figures into the sections of the page; the inventories' own are left out, the page draws them in its tables."""
    places: dict[str, list[Any]] = {"learners": [], "dialects": [], "distances": [], "more": []}
    for name, picture in pictures.items():
        if name.startswith("l1_inventory"):
            continue
        if name.startswith("l1_"):
            places["learners"].append(picture)
        elif name in ("k_selection", "varieties"):
            places["dialects"].append(picture)
        elif name in ("distances", "distance_matrix", "dendrogram", "performance"):
            places["distances"].append(picture)
        else:
            places["more"].append(picture)
    return places


@cache
def _environment() -> Environment:
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FunctionLoader(_source),
    )
    for name in ("count", "number", "probability", "share", "plain"):
        environment.filters[name] = getattr(formats, name)
    environment.tests["missing"] = formats.missing
    return environment


def _source(name: str) -> str:
    return resources.files("miner.report").joinpath("templates", name).read_text(encoding="utf-8")
