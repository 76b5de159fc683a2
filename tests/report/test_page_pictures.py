"""What the page draws: coverage, requests over time, earlier runs; and the badge."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from sample_reports import BASE, EXCHANGES, a_finding, a_report, an_entry, an_exchange

from conformance.report import artefacts, history
from conformance.report.formats import badge
from conformance.report.page.timeline import BINS, Times

SVG = "{http://www.w3.org/2000/svg}"


def report(started: str, *failed: str) -> Any:
    """A report of a run in which these requirements failed."""
    entries = [
        an_entry(id, "fail" if id in failed else "pass")
        for id in ("project/closed", "read/identity", "read/parent")
    ]
    verdict = "non-conformant" if failed else "conformant"
    return a_report(*entries, started=started, verdict=verdict)


def written(folder: Path, document: Any) -> None:
    """The report of a run in a folder."""
    folder.mkdir()
    (folder / "report.json").write_text(json.dumps(document), encoding="utf-8")
    (folder / "exchanges.jsonl").touch()


def test_times_are_counted_in_parts_of_the_run() -> None:
    """The highest bar has the most requests; those without success are marked."""
    times = Times()
    exchanges = [an_exchange(n, started=n / 10) for n in range(100)]
    exchanges += [an_exchange(n, status=503, started=9.9) for n in range(4)]
    assert list(times.watched(exchanges)) == exchanges
    found = times.timeline()

    assert found is not None
    assert (found.most, round(found.seconds, 1)) == (6, 9.9)
    assert len(found.moments) <= BINS
    assert found.moments[-1].title == "6 requests after 9.8 s, 4 without success"
    assert [each.x for each in found.moments if each.failed] == [found.moments[-1].x]


def test_a_run_without_a_request_has_no_timeline() -> None:
    """Nor one of a single moment a division by zero."""
    assert Times().timeline() is None
    times = Times()
    list(times.watched([an_exchange()]))
    assert times.timeline() is not None


def test_runs_beside_this_one_are_compared(tmp_path: Path) -> None:
    """Oldest first; each with what failed first, no longer, and still."""
    written(tmp_path / "one", report("2026-11-19T00:00:00+00:00", "project/closed"))
    written(tmp_path / "two", report("2026-11-20T00:00:00+00:00", "project/closed", "read/parent"))
    written(tmp_path / "later", report("2026-11-30T00:00:00+00:00", "read/identity"))
    other = report("2026-11-20T00:00:00+00:00", "read/identity")
    other["target"]["base-url"] = "https://elsewhere.example/v1"
    written(tmp_path / "other", other)
    for name, text in (("broken", "{"), ("list", "[]"), ("hostile", '{"target": null}')):
        (tmp_path / name).mkdir()
        (tmp_path / name / "report.json").write_text(text, encoding="utf-8")
    now = report("2026-11-21T00:10:00+00:00", "read/parent")
    written(tmp_path / "now", now)

    steps = history.steps(tmp_path / "now", now)
    assert [(step.run.folder, step.new, step.fixed, step.still) for step in steps] == [
        ("one", (), (), ("project/closed",)),
        ("two", ("read/parent",), (), ("project/closed",)),
        ("now", (), ("project/closed",), ("read/parent",)),
    ]


def test_a_single_run_has_no_history(tmp_path: Path) -> None:
    """Its page has no such section."""
    now = report("2026-11-21T00:10:00+00:00")
    written(tmp_path / "now", now)
    artefacts.write(tmp_path / "now", now, ("html",))
    page = (tmp_path / "now" / "report.html").read_text(encoding="utf-8")

    assert history.steps(tmp_path / "now", now) == []
    assert 'id="history"' not in page


def test_the_badge_links_to_the_page() -> None:
    """It carries verdict, coverage, depth and date."""
    document = report("2026-11-21T00:10:00+00:00", "read/parent")
    root = ET.fromstring(badge.svg(document))
    text = "non-conformant · 62 % checked · standard · 2026-11-21"

    assert badge.message(document) == text
    assert root.find(f"{SVG}a").attrib["href"] == "report.html"  # type: ignore[union-attr]
    assert [each.text for each in root.iter(f"{SVG}text")] == ["API conformance", text]
    document["requirements"] = []
    assert badge.message(document).endswith("nothing checked · standard · 2026-11-21")


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Any:
    """The page of a run with a history and with requests of each kind, in a browser."""
    written(tmp_path / "before", report("2026-11-20T00:00:00+00:00", "read/identity"))
    body = {"text": '{"data":{"id":"x","n":1.50},"requestId":"r"}'}
    response = {"status": 200, "headers": [], "body": body}
    exchange = {**an_exchange(), "curl": "curl x", "response": response}
    found = a_finding(exchanges=[exchange])
    now = report("2026-11-21T00:10:00+00:00", "project/closed")
    now["requirements"][0]["findings"] = [found]
    written(tmp_path / "now", now)
    (tmp_path / "now" / "exchanges.jsonl").write_text(
        "".join(f"{json.dumps(each)}\n" for each in EXCHANGES), encoding="utf-8"
    )
    artefacts.write(tmp_path / "now", now, ("html",))
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    opened.goto((tmp_path / "now" / "report.html").as_uri())
    yield opened
    context.close()


@pytest.mark.browser
def test_the_map_has_a_mark_for_each_requirement_and_operation(page: Page) -> None:
    """Each with its verdict in words, and shapes that differ without colour."""
    titles = [each.text_content() for each in page.locator("svg.coverage title").all()]

    assert "project/closed on project_get: failed" in titles
    assert "project/closed on project_list: passed" in titles
    shapes = {
        each.evaluate("element => element.tagName + (element.getAttribute('d') || '')")
        for each in page.locator(".key svg > *").all()
    }
    assert len(shapes) >= 3
    assert page.locator("table.ways tbody tr").first.text_content() is not None


@pytest.mark.browser
def test_the_requests_over_time_and_the_history_are_shown(page: Page) -> None:
    """A bar with its number; new and fixed failures of the runs beside this one."""
    assert page.locator("svg.timeline rect.sent").count() >= 1
    row = page.locator("table.history tbody tr").first
    assert row.locator("td").all_text_contents()[-3:] == [
        "1: project/closed",
        "1: read/identity",
        "0",
    ]


@pytest.mark.browser
def test_a_response_is_copied_as_it_was(page: Page) -> None:
    """As JSON, with its numbers as they were written."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy JSON").first.click()
    page.wait_for_function("document.getElementById('announced').textContent !== ''")
    copied = page.evaluate("navigator.clipboard.readText()")

    assert copied == '{"data":{"id":"x","n":1.50},"requestId":"r"}'
    assert json.loads(copied)["data"]["id"] == "x"
    assert BASE not in copied
