"""The site of a fleet: its pages in a browser, its data, and what is written again."""

import json
import re
import shutil
from pathlib import Path

import fleet_memory
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from conformance.fleet.memory import database
from conformance.fleet.memory.recording import Ended
from conformance.fleet.site import addresses, build, chart
from conformance.fleet.site.chart import Bar, Line

PAGES = (
    "index.html",
    "campaigns/night-8/index.html",
    "targets/us/index.html",
    "requirements/pagination.once/index.html",
)


@pytest.fixture(scope="module")
def site(nights: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of eight nights."""
    out = tmp_path_factory.mktemp("site")
    write(nights, out)
    return out


def write(url: str, out: Path) -> None:
    """Write the site of a memory."""
    memory = database.open_memory(url, is_new=False)
    with memory.reading() as connection:
        build.build(connection, out)
    memory.close()


@pytest.fixture
def page(browser: Browser) -> Page:
    """A page of the browser, which lets nothing but files through."""
    opened = browser.new_page(viewport={"width": 1200, "height": 900})
    opened.route(re.compile("^(?!file:)"), lambda route: route.abort())
    return opened


def test_every_link_leads_to_a_page(site: Path) -> None:
    """Campaigns, targets and requirements each have one, and refer to each other."""
    pages = list(site.rglob("index.html"))
    links = {
        (page.parent / target).resolve()
        for page in pages
        for target in re.findall(r'(?:href|src)="([^"]+)"', page.read_text())
    }

    assert [link for link in links if not link.is_file()] == []
    assert len(list((site / "campaigns").iterdir())) == 8
    assert len(list((site / "targets").iterdir())) == 3
    assert {path.resolve() for path in pages} - {site.resolve() / "index.html"} <= links | {
        path.resolve() for path in (site / "requirements").rglob("index.html")
    }


def test_the_data_says_what_the_pages_say(site: Path) -> None:
    """JSON and badges are beside the pages."""
    fleet = json.loads((site / "fleet.json").read_bytes())
    campaign = json.loads((site / "campaigns/night-8/campaign.json").read_bytes())
    requirement = json.loads((site / "requirements/read.success/requirement.json").read_bytes())
    badge = json.loads((site / "badge.json").read_bytes())

    assert fleet["campaign"] == "night-8"
    assert {each["target"]: each["outcome"] for each in fleet["targets"]} == {
        "asia": "non-conformant",
        "eu": "conformant",
        "us": "non-conformant",
    }
    us = next(each for each in campaign["targets"] if each["target"] == "us")
    assert [each["requirement"] for each in us["changes"]["broke"]] == ["limits/body"]
    assert [each["requirement"] for each in us["changes"]["flapping"]] == ["pagination/once"]
    assert ["read/success", "project_get"] in us["failed"]
    ((failing),) = requirement["failing"]
    assert (failing["target"], failing["operation"]) == ("us", "project_get")
    assert failing["since"] == fleet_memory.FIRST.timestamp() + 4 * 86_400
    assert badge["message"] == "1 of 3 targets conform"
    assert "non-conformant" in (site / "targets/us/badge.svg").read_text()


@pytest.mark.browser
def test_the_pages_in_a_browser(site: Path, page: Page) -> None:
    """The style is applied, charts are drawn, and axe finds no fault; nothing is fetched."""
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("requestfailed", lambda request: problems.append(request.url))
    for name in PAGES:
        page.goto((site / name).as_uri())
        assert page.evaluate("getComputedStyle(document.body).maxWidth") == "1248px"
        assert page.locator("h1").count() == 1
        assert problems == []
        assert Axe().run(page).response["violations"] == []
        problems.clear()  # axe reads the style sheet, which the policy does not let it do


@pytest.mark.browser
def test_a_target_shows_what_broke_and_what_flaps(site: Path, page: Page) -> None:
    """Since when, how often, and how long its responses took; texts of a target stay texts."""
    page.goto((site / "targets/us/index.html").as_uri())
    rows = page.get_by_role("region", name="Failing requirements").locator("tbody tr")

    assert rows.filter(has_text="read/success").inner_text().split("\t")[3] == "2026-11-05"
    assert "fails in 4 of 8" in rows.filter(has_text="pagination/once").inner_text()
    assert "<b>a video is listed twice</b>" in rows.filter(has_text="pagination/once").inner_text()
    assert page.locator("main b").count() == 0
    charts = page.locator("svg.chart")
    assert charts.first.locator("rect.bad").count() == 8
    box = charts.first.locator("rect.good").first.bounding_box()
    assert box is not None
    assert box["height"] > 50
    assert page.locator("polyline.p95").count() == page.locator("polyline.median").count() > 5


@pytest.mark.browser
def test_a_narrow_window_scrolls_tables_and_charts_only(site: Path, browser: Browser) -> None:
    """No page is wider than its window, and the labels of a chart stay readable."""
    narrow = browser.new_page(viewport={"width": 390, "height": 800}, color_scheme="dark")
    for name in PAGES:
        narrow.goto((site / name).as_uri())
        assert narrow.evaluate("document.documentElement.scrollWidth") <= 390
    narrow.goto((site / "index.html").as_uri())
    assert narrow.locator(".scroll > .chart").evaluate("chart => chart.clientWidth") >= 500


def test_a_page_of_an_earlier_campaign_is_written_once(
    nights: str, site: Path, tmp_path: Path
) -> None:
    """It does not change; the last one, and pages of targets, are written again."""
    out = tmp_path / "again"
    shutil.copytree(site, out)
    earlier, last = (out / f"campaigns/night-{number}/index.html" for number in (7, 8))
    for path in (earlier, last):
        path.write_text("old")

    write(nights, out)

    assert earlier.read_text() == "old"
    assert last.read_text() != "old"


def test_a_memory_without_a_run_has_a_site(tmp_path: Path) -> None:
    """So has one with single runs only, and with a target that was never there."""
    url = f"sqlite:///{tmp_path / 'fleet.db'}"
    memory = database.open_memory(url)
    write(url, tmp_path / "empty")
    fleet_memory.campaign(memory, 0, {"a b/c": Ended(4, reason="nothing responds")})
    memory.close()
    write(url, tmp_path / "site")

    assert "0 of 0 targets" in (tmp_path / "empty" / "badge.svg").read_text()
    (folder,) = (tmp_path / "site" / "targets").iterdir()
    assert re.fullmatch(r"a-b-c-[0-9a-f]{8}", folder.name)
    assert "nothing responds" in (folder / "index.html").read_text()
    assert "never checked" in (folder / "badge.json").read_text()


@pytest.mark.parametrize(("name", "expected"), [("eu-1", "eu-1"), ("a.b_c", "a.b_c"), ("-x", "-x")])
def test_a_safe_name_is_kept(name: str, expected: str) -> None:
    """Another one gets a digest, so that two of them stay two."""
    assert addresses.slug(name) == expected
    assert addresses.slug("a/b") != addresses.slug("a b")
    assert addresses.slug("../x").startswith("x-")
    assert addresses.slug(".hidden").startswith("hidden-")


def test_charts_of_nothing_and_of_one_value() -> None:
    """Nothing is drawn of nothing; one value is a point; zeros are no division by zero."""
    assert chart.bars("none", []) == ""
    assert chart.lines("none", [], [Line("median", [])]) == ""
    assert "<circle" in chart.lines("one", ["a"], [Line("median", [0.0])])
    assert "<title>a: nothing</title>" in chart.bars("zero", [Bar("a", {"good": 0})])
    assert chart.bars("many", [Bar("a", {"good": 1})] * 500).count("<g>") == chart.MOST_BARS
