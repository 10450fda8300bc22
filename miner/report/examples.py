"""The section of the report that shows examples, with the licence that limits them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from markupsafe import Markup

from miner.report.names import language_name
from miner.report.page import _environment

if TYPE_CHECKING:
    import pandas as pd


class Terms(Protocol):
    """What may be quoted of a corpus: its name, licence, the limit (None: none) and where that comes from."""

    @property
    def corpus(self) -> str:
        """Name of the corpus."""

    @property
    def licence(self) -> str:
        """Its licence."""

    @property
    def most_words(self) -> int | None:
        """Words of all examples together."""

    @property
    def why(self) -> str:
        """Where the limit comes from."""


def examples_section(table: pd.DataFrame, terms: Sequence[Terms], used: Mapping[str, int]) -> Markup:
    """Return the section as HTML; all text of the corpus is escaped.

    Parameters
    ----------
    table : DataFrame
        Table ``examples``; a row per example, in the order of the page.
    terms : sequence
        What may be quoted of each corpus, with its licence.
    used : mapping of corpus to int
        Words quoted.

    Returns
    -------
    Markup
        ``<section>``, to stand in the page as it is.
    """
    cells: list[dict[str, Any]] = []
    for (l1, cefr), part in table.groupby(["l1", "cefr"], sort=True):
        features = [
            {"label": rows["label"].iloc[0], "examples": rows.to_dict("records")}
            for _, rows in part.groupby("feature", sort=False)
        ]
        name = language_name(str(l1))
        cells.append(
            {"name": f"{name or l1} ({l1}), band {cefr}" if name else f"{l1}, band {cefr}", "features": features}
        )
    html = _environment().get_template("examples.html").render(cells=cells, terms=list(terms), used=dict(used))
    return Markup(html)
