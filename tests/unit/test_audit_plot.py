"""The audit's picture shows the numbers of its table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from miner.errors import InputError, OptionError
from miner.plots import audit_data, plot_audit, png_bytes, svg_text


def row(category="", l1="", *, scope="errors", comparison="overlap", edits=10, hit=5, matches=4, right=3, spread=0.1):
    recall = hit / edits if edits else np.nan
    precision = right / matches if matches else np.nan
    return {
        "scope": scope,
        "comparison": comparison,
        "category": category,
        "label": f"label of {category}",
        "l1": l1,
        "edits": edits,
        "edits_hit": hit,
        "matches": matches,
        "matches_hit": right,
        "recall": recall,
        "recall_low": recall - spread,
        "recall_high": recall + spread,
        "precision": precision,
        "precision_low": precision - spread,
        "precision_high": precision + spread,
    }


TABLE = pd.DataFrame(
    [
        row(edits=30, hit=9),
        row("RARE", edits=2, hit=1),
        row("COMMON", edits=20, hit=8),
        row("SILENT", edits=8, hit=0, matches=0),
        row("ALONE", edits=1, hit=1, spread=np.nan),
        row("", "fr"),
        row("", "de"),
        row("COMMON", "fr"),
        row(comparison="exact", hit=1),
        row(scope="everything"),
    ]
)


def test_rows_in_order_of_edits_with_all_first():
    data = audit_data(TABLE, most=3)
    assert list(data["category"]) == ["", "COMMON", "SILENT", "RARE"]
    assert data.attrs["omitted"] == 1
    assert list(audit_data(TABLE, by="l1")["l1"]) == ["", "de", "fr"]
    assert list(audit_data(TABLE, comparison="exact")["edits_hit"]) == [1]


def test_the_drawn_points_are_those_of_the_table():
    ax = plot_audit(TABLE)
    marks = sorted(
        (round(float(line.get_ydata()[0]) - offset), float(line.get_xdata()[0]))
        for line in ax.lines
        for marker, offset in (("s", 0.17),)
        if line.get_marker() == marker and len(line.get_xdata()) == 1
    )
    # Recall: all 9/30, COMMON 8/20, SILENT 0/8, RARE 1/2, ALONE 1/1.
    assert marks == [(0, 0.3), (1, 0.4), (2, 0.0), (3, 0.5), (4, 1.0)]
    precision = [line for line in ax.lines if line.get_marker() == "o" and len(line.get_xdata()) == 1]
    assert len(precision) == 4  # SILENT has no matches
    assert ax.get_yticklabels()[0].get_text() == "all (30, 4)"
    assert ax.get_yticklabels()[1].get_text() == "label of COMMON (20, 4)"


def test_pictures_are_equal_byte_for_byte_and_say_what_is_simulated():
    one, two = (plot_audit(TABLE, by="l1", origin="simulated", signature="audit|n:1").figure for _ in range(2))
    assert png_bytes(one) == png_bytes(two)
    assert svg_text(one) == svg_text(two)
    assert "SIMULATED" in svg_text(one)


def test_what_is_not_there_is_refused():
    with pytest.raises(InputError, match="errors: exact"):
        audit_data(TABLE, comparison="exactly")
    with pytest.raises(OptionError, match="did you mean 'category'"):
        audit_data(TABLE, by="categry")
