"""Plots: axes out, tables behind them, nothing cut or overlapping, and the same bytes for the same numbers."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Annotation, Text
from plot_frames import (
    L1S,
    NAMES,
    all_tables,
    clusters_frame,
    distances_frame,
    inventory_frame,
    k_frame,
    l1_tests_frame,
)

from miner import plots
from miner.errors import EmptyInput, InputError, OptionError, OutputError, StatisticsError, TooFew
from miner.plots.style import MARKERS, cluster_look, new_figure

SCORES = pd.DataFrame({"variety": list(NAMES.values())[1:], "score": [80.0, 71.0, 75.0, 60.0]})
L1_SCORES = pd.DataFrame(
    {"l1": ["ar", "Chinese", "fr", "de", "it", "ru", "tr", "ko"], "score": [60.0, 62, 75, 74, 74.6, 69, 66, 1]}
)


def _map() -> pd.DataFrame:
    varieties = pd.DataFrame({"variety_id": list(NAMES), "variety": list(NAMES.values())})
    places = [[0.0, 0.0, 1.0], [0.01, 0.01, 0.0], [0.02, 0.0, 0.0], [1.0, 1.0, 0.0], [0.5, -1.0, 0.0]]
    return plots.map_data(places, varieties, clusters_frame())


TESTS = l1_tests_frame()
INVENTORY = inventory_frame(TESTS)
DRAWERS: dict[str, Callable[[], Axes | Figure]] = {
    "inventory": lambda: plots.plot_inventory(INVENTORY, l1="ar", cefr="A", tests=TESTS, origin="simulated", signature="l1|n:3|miner:0.1.0"),
    "empty inventory": lambda: plots.plot_inventory(INVENTORY[:0], l1="ar", cefr="A"),
    "inventories": lambda: plots.plot_inventories(INVENTORY, cells=[(x, b) for x in (*L1S, "zz") for b in "AB"], origin="simulated"),
    "rates": lambda: plots.plot_rates(TESTS, cefr="B", inventory=INVENTORY, signature="l1|n:3|miner:0.1.0"),
    "distances": lambda: plots.plot_distances(distances_frame(all_pairs=True), clusters=clusters_frame()),
    "dendrogram": lambda: plots.plot_dendrogram(distances_frame(all_pairs=True), clusters=clusters_frame()),
    "reference": lambda: plots.plot_from_reference(distances_frame(), marked=["2"]),
    "map": lambda: plots.plot_varieties(_map(), explained=[0.5, 0.25]),
    "k": lambda: plots.plot_k_selection(k_frame(), chosen=3, origin="simulated"),
    "performance": lambda: plots.plot_performance(distances_frame(), SCORES, origin="invented", score_label="F1"),
    "difficulty": lambda: plots.plot_difficulty(L1_SCORES, origin="invented"),
}  # fmt: skip


def _figure(drawn: Axes | Figure) -> Figure:
    return drawn if isinstance(drawn, Figure) else drawn.figure


def _texts(figure: Figure) -> list[Text]:
    """All texts that are drawn; ticks beyond the limits of their axis are in the tree of artists but not on paper."""
    figure.draw_without_rendering()
    beyond = set()
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis):
            low, high = sorted(axis.get_view_interval())
            edge = (high - low) * 1e-6
            for tick in [*axis.get_major_ticks(), *axis.get_minor_ticks()]:
                if not ax.axison or not low - edge <= tick.get_loc() <= high + edge:
                    beyond |= {tick.label1, tick.label2}
    return [t for t in figure.findobj(Text) if t.get_visible() and t.get_text().strip() and t not in beyond]


@pytest.mark.parametrize("name", DRAWERS)
def test_no_text_is_cut_and_no_labels_overlap(name: str) -> None:
    figure = _figure(DRAWERS[name]())
    page = figure.bbox
    boxes = [(t.get_text(), t.get_window_extent()) for t in _texts(figure)]
    for text, box in boxes:
        assert page.x0 - 1 <= box.x0, text
        assert box.x1 <= page.x1 + 1, text
        assert page.y0 - 1 <= box.y0, text
        assert box.y1 <= page.y1 + 1, text
    for (a, one), (b, other) in itertools.combinations(boxes, 2):
        wide = min(one.x1, other.x1) - max(one.x0, other.x0)
        high = min(one.y1, other.y1) - max(one.y0, other.y0)
        assert wide <= 1 or high <= 1, f"{a!r} overlaps {b!r}"


@pytest.mark.parametrize("name", DRAWERS)
def test_the_same_numbers_give_the_same_bytes(name: str) -> None:
    one, two = _figure(DRAWERS[name]()), _figure(DRAWERS[name]())
    assert plots.svg_text(one) == plots.svg_text(two)
    if name in ("distances", "map"):
        assert plots.png_bytes(one) == plots.png_bytes(two)


def test_files_tell_neither_date_nor_software(tmp_path: Path) -> None:
    figure = _figure(DRAWERS["k"]())
    svg, png = plots.save(figure, tmp_path / "k.panel")
    assert (svg.name, png.name) == ("k.panel.svg", "k.panel.png")
    text = svg.read_text(encoding="utf-8")
    assert "<metadata>" not in text
    assert "<dc:date>" not in text
    chunks = png.read_bytes()
    assert chunks.startswith(b"\x89PNG")
    assert b"tEXt" not in chunks
    assert b"tIME" not in chunks
    with pytest.raises(OutputError, match="could not be written"):
        plots.save(figure, tmp_path / "absent" / "k")


def test_bytes_do_not_depend_on_the_order_of_rows() -> None:
    tests = l1_tests_frame()
    mixed = tests.sample(frac=1, random_state=3)
    assert plots.svg_text(plots.plot_rates(mixed, cefr="A").figure) == plots.svg_text(
        plots.plot_rates(tests, cefr="A").figure
    )
    pairs = distances_frame(all_pairs=True)
    shuffled = pairs.sample(frac=1, random_state=3)
    assert plots.svg_text(plots.plot_dendrogram(shuffled).figure) == plots.svg_text(plots.plot_dendrogram(pairs).figure)


def test_pyplot_is_never_loaded_and_settings_stay_the_users() -> None:
    code = """
import sys, matplotlib as mpl
mpl.rcParams["font.size"] = 23
from miner import plots
from plot_frames import all_tables, distances_frame
import pandas as pd
pictures = plots.draw_run(all_tables(), pairs=distances_frame(all_pairs=True), chosen_k=2)
plots.plot_performance(distances_frame(), pd.DataFrame({"variety": ["2", "3", "10"], "score": [1.0, 3, 2]}))
import hashlib
print(hashlib.sha256("".join(p.svg for p in pictures).encode()).hexdigest())
assert "matplotlib.pyplot" not in sys.modules
assert mpl.rcParams["font.size"] == 23
"""
    here = str(Path(__file__).parents[1])
    seen = set()
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": here}
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        seen.add(done.stdout)
    assert len(seen) == 1


def test_axes_in_axes_out() -> None:
    ax = new_figure(8, 5).subplots()
    before = dict(mpl.rcParams)
    assert plots.plot_inventory(INVENTORY, l1="tr", cefr="A", ax=ax) is ax
    assert dict(mpl.rcParams) == before
    assert ax.figure._supxlabel is None  # notes belong to figures of our own


def test_made_up_numbers_say_so() -> None:
    assert "SIMULATED" in DRAWERS["inventory"]().get_title(loc="left")
    assert "INVENTED" in DRAWERS["performance"]().get_title(loc="left")
    assert "INVENTED" in DRAWERS["difficulty"]().get_title(loc="left")
    with pytest.raises(OptionError, match="'origin'"):
        plots.plot_difficulty(L1_SCORES, origin="demo")  # type: ignore[arg-type]


def test_the_signature_and_the_reference_are_printed() -> None:
    svg = plots.svg_text(DRAWERS["inventory"]().figure)
    assert "l1|n:3|miner:0.1.0" in svg
    assert "the other 2 L1s of band A (80 texts)" in svg
    assert (
        plots.reference_name(l1_tests_frame(unit="learner"), l1="de", cefr="B")
        == "the other 2 L1s of band B (80 learners)"
    )
    assert plots.reference_name(None, l1="de", cefr="B") == "the other L1s of band B"


def test_the_drawn_points_are_the_tables() -> None:
    data = plots.inventory_data(INVENTORY, l1="tr", cefr="B")
    assert data["feature"].tolist() == ["ARTICLE"]
    ax = plots.plot_inventory(INVENTORY, l1="tr", cefr="B")
    drawn = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "o"]
    assert drawn == data["effect"].tolist()
    assert data["effect"].tolist() == [9.0 - (4.0 + 2.0) / 2]


def test_under_use_has_another_colour_and_mark() -> None:
    mixed = INVENTORY.assign(direction=["over", "under"] * (len(INVENTORY) // 2))
    ax = plots.plot_inventories(mixed).axes[0]
    assert {line.get_marker() for a in ax.figure.axes for line in a.lines} >= {"o", "s"}


def test_rates_are_ordered_and_omissions_counted() -> None:
    data = plots.rates_data(TESTS, cefr="A", most=2)
    assert data.index.tolist() == ["ARTICLE", "PREP"]
    assert data.loc["ARTICLE"].tolist() == [4.0, 2.0, 9.0]
    assert data.attrs["omitted"] == 1
    ax = plots.plot_rates(TESTS, cefr="A", most=2)
    assert "Left out: 0 features without a match, 1 rarer ones" in plots.svg_text(ax.figure)
    with pytest.raises(InputError, match="'C'"):
        plots.rates_data(TESTS, cefr="C")


def test_an_undefined_rate_is_a_gap_not_a_zero() -> None:
    tests = l1_tests_frame()
    tests.loc[(tests["l1"] == "ar") & (tests["feature"] == "NUMBER"), "rate_target"] = np.nan
    assert np.isnan(plots.rates_data(tests, cefr="A").loc["NUMBER", "ar"])
    assert "Grey: no rate." in plots.svg_text(plots.plot_rates(tests, cefr="A").figure)


def test_one_triangle_is_enough_and_gaps_are_named() -> None:
    pairs = distances_frame(all_pairs=True)
    upper = pairs[pairs["from_id"].astype(int) < pairs["variety_id"].astype(int)]
    pd.testing.assert_frame_equal(plots.distance_matrix(upper), plots.distance_matrix(pairs))
    assert list(plots.distance_matrix(pairs).index) == list(NAMES.values())
    with pytest.raises(InputError, match=r"distances are missing.*Bbb Creole"):
        plots.distance_matrix(distances_frame())
    skew = plots.distance_matrix(pairs)
    skew.iloc[0, 1] += 1
    with pytest.raises(InputError, match="symmetric"):
        plots.distance_matrix(skew)
    with pytest.raises(TooFew, match="at least 2"):
        plots.tree(skew.iloc[:1, :1])


def test_several_reference_points_or_metrics_must_be_chosen_from() -> None:
    pairs = distances_frame(all_pairs=True)
    with pytest.raises(InputError, match="5 reference points"):
        plots.reference_data(pairs)
    assert plots.reference_data(pairs, from_id="3")["variety_id"].tolist() == ["1", "10", "2", "11"]
    both = pd.concat([distances_frame(), distances_frame().assign(metric="euclidean")])
    with pytest.raises(InputError, match="2 metrics"):
        plots.reference_data(both)


def test_an_undefined_distance_is_told_not_drawn() -> None:
    frame = distances_frame()
    frame.loc[frame["variety_id"] == "11", "distance"] = np.nan
    assert "Undefined: Eee English." in plots.svg_text(plots.plot_from_reference(frame).figure)
    points, ledger = plots.match_scores(frame, SCORES)
    assert len(points) == 3
    assert dict(ledger.dropped) == {"distance undefined": 1}


def test_every_point_of_a_crowd_gets_its_label_or_is_named() -> None:
    rng = np.random.default_rng(5)
    ax = new_figure(5, 4).subplots()
    x, y = rng.normal(size=60), rng.normal(size=60)
    labels = [f"Variety number {i}" for i in range(60)]
    ax.scatter(x, y)
    hidden = plots.place_labels(ax, x.tolist(), y.tolist(), labels)
    written = [t for t in ax.texts if isinstance(t, Annotation) and t.get_text()]
    assert sorted([t.get_text() for t in written] + hidden) == sorted(labels)
    boxes = [t.get_window_extent() for t in written]
    assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))
    points = ax.transData.transform(np.column_stack([x, y]))
    assert not any(box.contains(*p) for box in boxes for p in points)


def test_clusters_differ_in_colour_or_mark() -> None:
    looks = [cluster_look(c) for c in range(1, 16)]
    assert len(set(looks)) == 15
    assert {m for _, m in looks} <= set(MARKERS)


def test_map_wants_one_place_per_variety() -> None:
    varieties = pd.DataFrame({"variety_id": ["1"], "variety": ["A"]})
    with pytest.raises(InputError, match="2 rows of coordinates for 1 varieties"):
        plots.map_data([[0.0, 1.0], [1.0, 2.0]], varieties)
    assert plots.map_data([[0.0, 1.0]], varieties)["cluster"].isna().all()
    with pytest.raises(InputError, match="'abbr'"):
        plots.plot_varieties(_map(), label="abbr")


@pytest.mark.parametrize(
    ("scores", "reason"),
    [
        ({"variety": ["2", "3"], "score": [1.0, 2.0]}, "fewer than 3 varieties"),
        ({"variety": ["2", "3", "10"], "score": [1.0, 1.0, 1.0]}, "score does not vary"),
    ],
)
def test_what_cannot_be_tested_has_a_reason(scores: dict[str, list[object]], reason: str) -> None:
    frame = pd.DataFrame(scores)
    row = plots.performance(distances_frame(), frame).iloc[0]
    assert row["reason"] == reason
    assert np.isnan(row["pearson_r"])
    assert reason in plots.plot_performance(distances_frame(), frame).get_title(loc="left")


def test_groups_of_scores_are_kept_apart() -> None:
    scores = pd.concat([SCORES.assign(model="a"), SCORES.assign(model="b", score=[1.0, 2.0, 3.0, 4.0])])
    told = plots.performance(distances_frame(), scores, by=["model"])
    assert told["model"].tolist() == ["a", "b"]
    assert told["n"].tolist() == [4, 4]
    with pytest.raises(InputError, match="'bench'"):
        plots.performance(distances_frame(), scores, by=["bench"])


def test_nothing_to_draw_is_an_error_with_a_reason() -> None:
    stranger = pd.DataFrame({"variety": ["Nowhere"], "score": [1.0]})
    with pytest.raises(TooFew, match="variety not in the distances"):
        plots.plot_performance(distances_frame(), stranger)
    with pytest.raises(EmptyInput, match="DLIFLC"):
        plots.difficulty_points(pd.DataFrame({"l1": ["ko"], "score": [1.0]}))
    with pytest.raises(InputError, match="'l1' and 'score'"):
        plots.difficulty_points(pd.DataFrame({"language": ["ko"], "score": [1.0]}))
    with pytest.raises(InputError, match="'variety' and 'score'"):
        plots.match_scores(distances_frame(), pd.DataFrame({"score": [1.0]}))
    with pytest.raises(InputError, match="No cell"):
        plots.plot_inventories(INVENTORY[:0])
    with pytest.raises(StatisticsError, match="3 points"):
        plots.line_band(pd.DataFrame({"distance": [1.0, 1.0, 1.0], "score": [1.0, 2.0, 3.0]}), [1.0])


def test_scores_are_read_with_places_of_what_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(
        "# INVENTED for a test\nmodel,dialect,score\na,IndE,70.5\na,ChcE,71\nb,IndE,high\n", encoding="utf-8"
    )
    good = plots.read_scores(path, variety="dialect", where={"model": "a"})
    assert good["variety"].tolist() == ["IndE", "ChcE"]
    assert good["score"].tolist() == [70.5, 71.0]
    assert list(good.columns) == ["variety", "score", "model"]
    with pytest.raises(InputError, match=r"scores\.csv:5: column 'score' is 'high'"):
        plots.read_scores(path, variety="dialect")
    with pytest.raises(InputError, match="no column 'variety'"):
        plots.read_scores(path)
    with pytest.raises(InputError, match="no row has model = 'c'"):
        plots.read_scores(path, variety="dialect", where={"model": "c"})
    with pytest.raises(InputError, match="cannot be read"):
        plots.read_scores(tmp_path / "absent.csv")


@pytest.mark.parametrize(
    ("drop", "names"),
    [
        ((), ["l1_inventory", "l1_rates_A", "l1_rates_B", "k_selection", "distances"]),
        (("l1_tests", "l1_inventory"), ["k_selection", "distances"]),
        (("l1_tests", "l1_inventory", "k_selection", "dialect_clusters", "dialect_inventory"), ["distances"]),
        (tuple(all_tables()), []),
    ],
)
def test_a_run_draws_what_it_has(drop: tuple[str, ...], names: list[str]) -> None:
    given = {k: v for k, v in all_tables().items() if k not in drop}
    assert [p.name for p in plots.draw_run(given)] == names


def test_all_pairs_add_tree_and_heat_map(tmp_path: Path) -> None:
    pairs = distances_frame(all_pairs=True)
    pictures = plots.draw_run({"distances": pairs}, coordinates=_map())
    assert [p.name for p in pictures] == ["varieties", "distance_matrix", "dendrogram"]
    assert all(p.alt and p.heading for p in pictures)
    svg, _ = pictures[0].save(tmp_path / "map")
    assert svg.read_text(encoding="utf-8") == plots.inlined(pictures)["varieties"]["svg"]
    pairs.loc[pairs["variety_id"] == "3", "distance"] = np.nan
    pairs.loc[pairs["from_id"] == "3", "distance"] = np.nan
    assert plots.draw_run({"distances": pairs}) == []


def test_no_rates_are_drawn_where_nothing_was_found() -> None:
    tests = TESTS.assign(rate_target=0.0)
    with pytest.raises(InputError, match="no rates to draw"):
        plots.plot_rates(tests, cefr="A")
    assert [p.name for p in plots.draw_run({"l1_tests": tests})] == []
