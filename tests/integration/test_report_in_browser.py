"""The report in a real browser: nothing is requested, nothing fails, and it fits a phone."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from plot_frames import all_tables, distances_frame, run_facts

from miner import plots, report

pytestmark = pytest.mark.browser

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--disable-extensions",
)  # fmt: skip


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    binary = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    driver = shutil.which("chromedriver")
    if binary is None or driver is None:
        reason = "no chromium with chromedriver on this machine (apt-get install chromium chromium-driver)"
        if os.environ.get("MINER_REQUIRE_BROWSER") == "1":
            pytest.fail(f"{reason}; MINER_REQUIRE_BROWSER=1 forbids to skip")
        pytest.skip(reason)
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    options = ChromeOptions()
    options.binary_location = binary
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = Service(driver, env={**os.environ, "SE_OFFLINE": "true"})
    chrome = Chrome(options=options, service=service)
    yield chrome
    chrome.quit()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    given = all_tables()
    pictures = plots.draw_run(given, pairs=distances_frame(all_pairs=True), chosen_k=2, origin="simulated")
    html = report.render(run_facts(), given, plots.inlined(pictures))
    return report.write_report(tmp_path_factory.mktemp("page") / "report.html", html)


def test_it_opens_without_a_request_or_a_complaint(browser: Any, page: Path) -> None:
    browser.get(page.as_uri())
    assert browser.title.startswith("a study")
    assert browser.get_log("browser") == []
    messages = [json.loads(m["message"])["message"] for m in browser.get_log("performance")]
    asked = {m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"}
    # The browser's own first tab asks for its own parts.
    assert {u for u in asked if not u.startswith(("data:", "chrome://", "chrome-"))} == {page.as_uri()}
    drawn = browser.execute_script(
        "return [...document.querySelectorAll('figure svg')].map(s => [s.getBoundingClientRect().width, s.querySelectorAll('text').length])"
    )
    assert len(drawn) >= 6
    assert all(width > 100 and texts > 3 for width, texts in drawn)


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_the_page_itself_never_scrolls_sideways(browser: Any, page: Path, width: int) -> None:
    browser.get(page.as_uri())
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500},
    )
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    assert browser.execute_script("return window.innerWidth") == width


def test_links_lead_to_their_sections(browser: Any, page: Path) -> None:
    browser.get(page.as_uri())
    broken = browser.execute_script(
        "return [...document.querySelectorAll('a[href^=\"#\"]')].filter(a => !document.getElementById(a.getAttribute('href').slice(1))).length"
    )
    assert broken == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(browser: Any, page: Path, scheme: str) -> None:
    browser.get(page.as_uri())
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    # WCAG 2.1: contrast (L1 + .05) / (L2 + .05) of at least 4.5 for all text outside figures.
    worst = browser.execute_script(
        """
        const lum = c => { const [r, g, b] = c.map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
                           return .2126 * r + .7152 * g + .0722 * b; };
        const parse = s => s.match(/[\\d.]+/g).map(Number);
        const ground = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor);
                              if (c.length < 4 || c[3] > 0) return c.slice(0, 3); } return [255, 255, 255]; };
        let worst = [99, ''];
        for (const e of document.querySelectorAll('p, li, td, th, h1, h2, h3, caption, dt, dd, span, code, a, summary, figcaption, .banner')) {
            if (e.closest('svg') || !e.textContent.trim()) continue;
            const [a, b] = [lum(parse(getComputedStyle(e).color).slice(0, 3)), lum(ground(e))];
            const contrast = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
            if (contrast < worst[0]) worst = [contrast, e.outerHTML.slice(0, 80)];
        }
        return worst;
        """
    )
    assert worst[0] >= 4.5, worst
