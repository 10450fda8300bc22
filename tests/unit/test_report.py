"""The report: complete, self-contained, accessible, careful with words, people and markup."""

from __future__ import annotations

import itertools
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from plot_frames import L1S, all_tables, distances_frame, inventory_frame, l1_tests_frame, run_facts

from miner import plots, report, tables
from miner.errors import InputError, OutputError

VOID = {"meta", "link", "br", "hr", "img", "input"}
PARTS = {
    "learner": ("l1_tests", "l1_inventory"),
    "dialect": ("dialect_clusters", "dialect_inventory", "k_selection"),
    "distance": ("distances",),
}


class Page(HTMLParser):
    """Elements in order, and whether every one of them is closed."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> is out of order"

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] not in ("style", "script"):
            self.text.append(data)

    @property
    def words(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.text))


@pytest.fixture(scope="module")
def whole() -> str:
    given = all_tables()
    pictures = plots.draw_run(given, pairs=distances_frame(all_pairs=True), chosen_k=2, origin="simulated")
    return report.render(run_facts(), given, plots.inlined(pictures))


def test_the_page_loads_nothing_and_runs_nothing(whole: str) -> None:
    page = Page(whole)
    assert page.open == []
    assert "http" not in whole.replace("http-equiv", "")
    assert not [t for t, _ in page.elements if t in ("script", "iframe", "object", "embed", "img")]
    links = [a.get("href") or "" for t, a in page.elements if "href" in a]
    assert all(h.startswith(("#", "data:")) for h in links)
    assert "default-src 'none'" in whole
    assert re.findall(r"\son\w+=", whole) == []


def test_the_page_can_be_walked_by_a_screen_reader(whole: str) -> None:
    page = Page(whole)
    tags = [t for t, _ in page.elements]
    assert tags.count("h1") == 1
    levels = [int(t[1]) for t in tags if re.fullmatch(r"h[1-6]", t)]
    assert all(b - a <= 1 for a, b in itertools.pairwise(levels))
    assert tags.count("caption") == tags.count("table")
    assert all("scope" in a for t, a in page.elements if t == "th")
    assert all(
        (a.get("role") == "img" and a.get("aria-label")) or a.get("aria-hidden") for t, a in page.elements if t == "svg"
    )
    ids = [str(a["id"]) for _, a in page.elements if "id" in a]
    assert len(ids) == len(set(ids))
    targets = {(a.get("href") or "")[1:] for t, a in page.elements if t == "a"}
    assert targets <= set(ids)
    assert page.elements[0] == ("html", {"lang": "en"})
    assert ("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}) in page.elements


def test_the_account_of_each_step_is_told(whole: str) -> None:
    words = Page(whole).words
    assert "read texts 243 240 3 3 dropped: no words 2 noted: odd" in words
    assert "texts.csv:17" not in words  # places stay in run.json
    assert "placement: 240" in words


def test_a_simulated_corpus_is_called_so_in_title_banner_and_foot(whole: str) -> None:
    assert "(SIMULATED corpus)</title>" in whole
    assert 'role="note">SIMULATED corpus.' in whole
    assert "The corpus is simulated." in whole
    real = {**run_facts(), "corpora": [{"name": "real", "texts": 240}]}
    assert "SIMULATED" not in report.render(real, all_tables())


def test_inventories_show_effect_interval_p_q_counts_and_reference(whole: str) -> None:
    words = Page(whole).words
    # tr in band A: rate 9, the others 4 and 2, so 3; half-width .5 + .9; 36 and 24 matches.
    assert "Missing article ARTICLE over 6.00 4.60 to 7.40 – " not in words
    assert re.search(
        r"Missing article ARTICLE over 6\.00 4\.60 to 7\.40 9\.00 ref\. 3\.00 \.001 \.001 36 ref\. 24", words
    )
    assert "Reference: 2 other L1s of band A (ar 40, de 40; texts)." in words
    assert "L1 tr (Turkish), band B" in words


def test_chance_is_put_beside_the_yield(whole: str) -> None:
    words = Page(whole).words
    # 18 rows at p < .05 two-sided, over-use only: 18 * .025 = .45; per cell p = (.001, .5, .04)-like families of three.
    inventory = all_tables()["l1_inventory"]
    assert (
        f"about 0 of them would still pass p < 0.05 in the wanted direction (before any cap on length). {len(inventory)} were selected"
        in words
    )
    corrected = l1_tests_frame(correction="bh")
    other = report.render(run_facts(), {"l1_tests": corrected, "l1_inventory": inventory_frame(corrected)})
    assert "without correction" not in other


def test_labels_are_escaped_everywhere() -> None:
    nasty = l1_tests_frame(label="<script>alert(1)</script>", reason='"><b>')
    given = {"l1_tests": nasty, "l1_inventory": inventory_frame(nasty)}
    run = {**run_facts(), "title": "<img src=x>", "dialect_warnings": ["<b>bold</b>"]}
    html = report.render(run, given, plots.inlined(plots.draw_run(given)))
    assert "<script" not in html
    assert "<img" not in html
    assert "<b>" not in html
    assert "&lt;script&gt;alert(1)" in html
    assert Page(html).open == []


@pytest.mark.parametrize(
    "svg",
    [
        "no svg",
        "<svg><g/></svg>",
        '<svg viewBox="0 0 1 1"><script>1</script></svg>',
        '<svg viewBox="0 0 1 1"><g onclick="x()"/></svg>',
        '<svg viewBox="0 0 1 1"><image href="https://example.org/a.png"/></svg>',
        '<svg viewBox="0 0 1 1"><rect style="fill: url(https://example.org/a)"/></svg>',
    ],
)
def test_figures_that_reach_outside_are_refused(svg: str) -> None:
    with pytest.raises(InputError, match="Figure 'odd'"):
        report.render({}, {}, {"odd": svg})


def test_corpus_text_and_learner_ids_never_enter() -> None:
    secret = {"text_id": "t1", "text": "my secret sentence", "learner_id": "learner-007", "l1": "ar"}
    texts = tables.conform([{**dict.fromkeys(tables.TEXTS.names), **secret}], tables.TEXTS)
    html = report.render(run_facts(), {**all_tables(), "texts": texts})
    assert "secret" not in html
    assert "learner-007" not in html


def test_cells_of_few_learners_stay_in_the_tables() -> None:
    small = l1_tests_frame()
    small.loc[small["l1"] == "ar", "learners_target"] = 4
    html = report.render(run_facts(), {"l1_tests": small, "l1_inventory": inventory_frame(small)})
    assert "cell-ar-A" not in html
    assert "cell-de-A" in html
    assert "2 cells rest on fewer than 5 learners" in html
    unknown = l1_tests_frame(learners=None)
    assert "cell-ar-A" in report.render(run_facts(), {"l1_tests": unknown, "l1_inventory": inventory_frame(unknown)})
    # Four texts cannot be by more than four learners.
    unknown.loc[unknown["l1"] == "ar", "texts_target"] = 4
    given = {"l1_tests": unknown, "l1_inventory": inventory_frame(unknown)}
    html = report.render(run_facts(), given, plots.inlined(plots.draw_run(given)))
    assert "cell-ar-A" not in html
    assert "Left out: 2 cells of fewer than 5 learners." in html
    rates = next(p for p in plots.draw_run(given) if p.name == "l1_rates_A")
    assert ">ar<" not in rates.svg
    assert ">de<" in rates.svg


@pytest.mark.parametrize("part", PARTS)
def test_a_run_may_have_one_part_only(part: str) -> None:
    given = {k: v for k, v in all_tables().items() if k in PARTS[part]}
    html = report.render({"command": part, "miner": "0.1.0"}, given)
    page = Page(html)
    assert page.open == []
    ids = {a.get("id") for _, a in page.elements}
    assert ("learners" in ids, "dialects" in ids, "distances" in ids) == tuple(p == part for p in PARTS)
    if part != "learner":
        assert "error" not in html.lower()


def test_a_run_without_anything_is_still_a_page() -> None:
    page = Page(report.render({}, {}))
    assert page.open == []
    assert "no score is given to any learner" in page.words
    empty = {
        "l1_tests": tables.L1_TESTS.empty(),
        "l1_inventory": tables.L1_INVENTORY.empty(),
        "distances": tables.DISTANCES.empty(),
    }
    assert "Learner inventories" not in report.render({}, empty)


def test_words_are_careful(whole: str) -> None:
    words = Page(whole).words
    assert "Aaa English is a reference point, not a norm." in words
    assert "not caused by it" in words
    assert "caused by" not in words.replace("not caused by it", "")
    assert "error" not in words.lower()
    assert "Feature 9 of nouns" in words


def test_missing_ratings_and_rarity_are_told(whole: str) -> None:
    words = Page(whole).words
    assert "Ccc English dialects in the north: 9 of 17 cells are not rated (X, ? or absent)." in words
    assert "share of plain starts with exactly this cluster 3.1 %" in words
    assert "The kept cluster is one of many." in words
    assert "Aaa English it is the reference point" in words


def test_ratio_and_stability_are_shown_where_there_are_any() -> None:
    tests = l1_tests_frame()
    inventory = inventory_frame(tests)
    assert "Stability" not in report.render({}, {"l1_tests": tests, "l1_inventory": inventory})
    richer = inventory.assign(log_ratio=np.log(2.0), log_ratio_low=0.0, log_ratio_high=np.log(4.0), stability=0.91)
    words = Page(report.render({}, {"l1_tests": tests, "l1_inventory": richer})).words
    assert "9.00 ref. 3.00 2.00 1.00 to 4.00 .001 .001 0.91 36 ref. 24" in words


def test_cells_without_a_feature_are_named_once() -> None:
    tests = l1_tests_frame()
    inventory = inventory_frame(tests)
    words = Page(report.render({}, {"l1_tests": tests, "l1_inventory": inventory[inventory["l1"] != "tr"]})).words
    assert re.search(r"Cells without a selected feature .*tr A, .*tr B ?\.", words)


def test_two_metrics_stand_side_by_side() -> None:
    both = pd.concat(
        [distances_frame(), distances_frame().assign(metric="euclidean", distance=lambda d: d["distance"] * 2)]
    )
    both.loc[(both["metric"] == "euclidean") & (both["variety_id"] == "3"), "distance"] = np.nan
    words = Page(report.render({}, {"distances": both})).words
    assert "Bbb Creole 1.0000 2.0000 200 35" in words
    assert "dialects in the north 4.0000 – 200 35" in words


def test_big_runs_stay_light() -> None:
    base = l1_tests_frame()
    part = base[(base["cefr"] == "A") & (base["l1"] == "tr")]
    many = pd.concat([part.assign(l1=f"q{i:03d}") for i in range(300)], ignore_index=True)
    html = report.render({}, {"l1_tests": many, "l1_inventory": inventory_frame(many)})
    assert "240 further cells are not shown" in html
    assert len(html) < 400_000
    features = pd.concat([part.head(1).assign(feature=f"F{i}", label=f"F{i}", effect=2.0, p=0.001) for i in range(40)])
    long = report.render({}, {"l1_tests": features, "l1_inventory": inventory_frame(features)})
    assert "40 selected features, first 20 shown" in long


def test_equal_input_gives_equal_bytes_and_a_file(tmp_path: Path) -> None:
    one, two = (report.render(run_facts(), all_tables()) for _ in range(2))
    assert one == two
    path = report.write_report(tmp_path / "report.html", one)
    assert path.read_bytes() == one.encode("utf-8")
    with pytest.raises(OutputError, match="could not be written"):
        report.write_report(tmp_path / "absent" / "report.html", one)


def test_names_of_languages_are_isos() -> None:
    html = report.render(run_facts(), all_tables())
    assert all(f"({n})" in html for n in ("Arabic", "German", "Turkish"))
    assert len(L1S) == 3
