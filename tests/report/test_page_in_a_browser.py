"""The HTML report in a browser, also that of a hostile target."""

import json
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import orjson
import pytest
from axe_playwright_python.sync_playwright import Axe
from page_elements import Elements, harmless
from playwright.sync_api import Browser, Page, ViewportSize
from sample_reports import BASE, EVIL, EXCHANGES, ID, a_report

from conformance.report.formats import html

DESKTOP: ViewportSize = {"width": 1280, "height": 800}
NARROW: ViewportSize = {"width": 320, "height": 700}


class Hostile(BaseHTTPRequestHandler):
    """A server that returns 200 with markup in every value."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """The same response to every request."""
        record = {"id": ID, "name": EVIL, EVIL: EVIL, "status": EVIL, "accountType": EVIL}
        body = json.dumps(
            {"data": {**record, "items": [record], "nextCursor": EVIL}, "requestId": 5, EVIL: EVIL}
        ).encode()
        self.send_response(200)
        self.send_header("content-type", "text/html; <script>window.pwned=1</script>")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Write no log."""


@pytest.fixture(scope="module")
def hostile_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report directory of a run against a server whose responses are full of markup."""
    directory = tmp_path_factory.mktemp("hostile")
    with ThreadingHTTPServer(("127.0.0.1", 0), Hostile) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        target = directory / "target.toml"
        address = f"http://127.0.0.1:{server.server_port}/v1"
        target.write_text(
            f'base-url = "{address}"\n[credentials.primary]\napi-key = "a-key-for-nothing"\n',
            encoding="utf-8",
        )
        check(
            directory,
            "--target",
            str(target),
            "--conformance-class",
            "read",
            "--conformance-class",
            "limits",
        )
        server.shutdown()
    return directory


@pytest.fixture(scope="module")
def conforming_run(finished: tuple[Path, subprocess.CompletedProcess[str]]) -> Path:
    """The report directory of a run against the bundled reference."""
    directory, _ = finished
    return directory / "reports" / "latest"


def check(directory: Path, *options: str) -> None:
    """One quick run of the suite, in a process of its own."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--pyargs",
        "conformance.suite",
        "-q",
        "-p",
        "no:cacheprovider",
        "--depth",
        "standard",
    ]
    subprocess.run(
        [*command, f"--report-dir={directory}", *options],
        cwd=directory,
        check=False,
        capture_output=True,
        timeout=120,
    )
    assert (directory / "report.html").is_file()


def rendered_of(directory: Path) -> str:
    """The page of a run."""
    return (directory / "report.html").read_text(encoding="utf-8")


def test_the_page_of_a_hostile_target_is_harmless(hostile_run: Path) -> None:
    """Its markup is text."""
    page = rendered_of(hostile_run)

    harmless(page)
    assert "Non-conformant" in page
    assert "window.pwned" in Elements(page).words


# --- in a browser ---------------------------------------------------------------------------------


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    """The page of a failing run, opened as a file and watched."""
    file = tmp_path / "report.html"
    file.write_text(html.render(a_report(), EXCHANGES), encoding="utf-8")
    yield from opened(browser, file)


def opened(browser: Browser, file: Path, **options: Any) -> Iterator[Page]:
    """A page; a message on its console, a dialog or a network request fails the test."""
    allowed = ["clipboard-read", "clipboard-write"]
    context = browser.new_context(
        permissions=allowed, reduced_motion="reduce", **{"viewport": DESKTOP, **options}
    )
    context.set_default_timeout(10_000)
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: wrong.append(dialog.message))
    page.on(
        "request",
        lambda request: (
            None if request.url.startswith(("file:", "data:")) else wrong.append(request.url)
        ),
    )
    page.goto(file.as_uri())
    yield page
    context.close()
    assert wrong == []


def visible_ids(page: Page) -> list[str]:
    """The ids of the requirements that match the filters."""
    return [
        str(each.get_attribute("id"))
        for each in page.locator(".entry").all()
        if each.get_attribute("hidden") is None
    ]


@pytest.mark.browser
def test_the_first_screen_shows_what_failed_where_and_why(page: Page) -> None:
    """It has verdict, target, classes, and the failed requirement with its reason."""
    for words in (
        "Non-conformant",
        BASE,
        "authentication",
        "The statement of project/closed.",
        "the record has the property budget",
    ):
        box = page.get_by_text(words).first.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= DESKTOP["height"], words


@pytest.mark.browser
def test_colours_follow_the_switch_and_stay(page: Page) -> None:
    """They persist over a reload, until the system setting is chosen again."""
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)

    page.get_by_role("button", name="Dark").click()
    dark = page.evaluate(paper)
    page.reload()

    assert (light, dark, page.evaluate(paper)) == ("rgb(251, 251, 249)", "rgb(22, 23, 21)", dark)
    assert page.get_by_role("button", name="Dark").get_attribute("aria-pressed") == "true"

    page.get_by_role("button", name="System").click()
    assert page.evaluate(paper) == light


@pytest.mark.browser
def test_colours_follow_the_system(browser: Browser, tmp_path: Path) -> None:
    """With a dark system setting the page is dark."""
    file = tmp_path / "report.html"
    file.write_text(html.render(a_report(), EXCHANGES), encoding="utf-8")
    for page in opened(browser, file, color_scheme="dark"):
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(22, 23, 21)"


@pytest.mark.browser
def test_filters_and_search_hide_other_requirements(page: Page) -> None:
    """They use class, verdict, operation and words, and are reset together."""
    everything = visible_ids(page)
    others = page.locator("[data-outcome=observed], [data-outcome=untested]").count()
    counted = len(everything) - others
    assert others == 2
    assert page.locator("#count").inner_text() == f"{counted} requirements"

    page.get_by_label("Class", exact=True).select_option("authentication")
    assert visible_ids(page) == ["authentication/expired"]
    page.get_by_role("button", name="Reset").click()
    page.get_by_label("Verdict", exact=True).select_option("passed")
    assert visible_ids(page) == ["project/required"]
    assert page.locator("#passed .fold").get_attribute("open") is not None
    page.get_by_role("button", name="Reset").click()
    assert page.locator("#passed .fold").get_attribute("open") is None
    page.get_by_label("Operation", exact=True).select_option("project_list")
    assert visible_ids(page) == ["observe/formats", "project/required", "tools/listed"]
    page.get_by_role("button", name="Reset").click()
    page.get_by_label("Search").fill("BUDGET closed")
    assert visible_ids(page) == ["project/closed"]
    assert page.locator("#count").inner_text() == f"1 of {counted} requirements"
    page.get_by_label("Search").fill("")
    assert visible_ids(page) == everything


@pytest.mark.browser
def test_a_count_links_to_its_requirements(page: Page) -> None:
    """The link sets the filters to its class and verdict."""
    page.get_by_role("link", name="1 warning in read").click()

    assert visible_ids(page) == ["read/names"]
    assert page.get_by_label("Verdict", exact=True).input_value() == "warning"


@pytest.mark.browser
def test_commands_and_lines_are_copied(page: Page) -> None:
    """The label of the button confirms it."""
    page.locator("[id='project/closed']").get_by_role("button", name="Copy curl").first.click()
    page.get_by_text("Copied", exact=True).first.wait_for()
    assert (
        page.evaluate("navigator.clipboard.readText()")
        == "curl -sS 'https://api.example.com/v1/projects'"
    )

    page.get_by_role("row", name="credentials.expired").get_by_role(
        "button", name="Copy lines"
    ).click()
    page.locator("#unchecked").get_by_text("Copied").wait_for()
    assert (
        page.evaluate("navigator.clipboard.readText()")
        == '[credentials.expired]\napi-key = "${LOCALIZATION_EXPIRED_KEY}"'
    )


@pytest.mark.browser
def test_copying_works_without_a_clipboard(page: Page) -> None:
    """The command is selected, and copied from the selection."""
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")

    page.get_by_role("button", name="Copy command").click()

    page.locator("footer").get_by_text("Copied").wait_for()
    assert (
        page.evaluate("getSelection().toString()")
        == f"conformance run --base-url {BASE} --target target.toml --depth standard --seed 1"
    )


@pytest.mark.browser
def test_a_permanent_link_unfolds_its_requirement(page: Page) -> None:
    """The link also resets the filters that hide the requirement."""
    page.get_by_label("Verdict", exact=True).select_option("failed")

    page.evaluate("location.hash = '#project/required'")

    page.locator("[id='project/required'] .inside").wait_for(state="visible")
    assert page.locator("[id='project/required']").get_attribute("open") is not None


@pytest.mark.browser
def test_a_permanent_link_can_be_opened_at_once(browser: Browser, tmp_path: Path) -> None:
    """A link to an unknown id has no effect."""
    file = tmp_path / "report.html"
    file.write_text(html.render(a_report(), EXCHANGES), encoding="utf-8")
    for page in opened(browser, file):
        page.goto(f"{file.as_uri()}#authentication/expired")
        page.reload()
        assert page.locator("[id='authentication/expired']").get_attribute("open") is not None
        page.evaluate("location.hash = '#%E0'")
        page.evaluate("location.hash = '#nothing'")


@pytest.mark.browser
def test_a_number_of_the_heat_map_links_to_an_exchange(page: Page) -> None:
    """The exchange has the operation and the status of the cell."""
    page.get_by_role("link", name="project_list, 404: 1 exchange").click()

    page.locator("#statuses .sample[open]").get_by_text("404 Not Found").wait_for(state="visible")


@pytest.mark.browser
def test_the_page_can_be_used_by_keyboard(page: Page) -> None:
    """The first link skips the header, a key unfolds entries, and the focus is visible."""
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the findings"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"

    page.locator("[id='read/agreement'] > summary").focus()
    page.keyboard.press("Enter")

    assert page.locator("[id='read/agreement']").get_attribute("open") is not None
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


@pytest.mark.browser
def test_the_page_can_be_read_without_a_script(browser: Browser, tmp_path: Path) -> None:
    """It shows the findings, and no interactive controls."""
    file = tmp_path / "report.html"
    file.write_text(html.render(a_report(), EXCHANGES), encoding="utf-8")
    for page in opened(browser, file, java_script_enabled=False):
        assert page.locator("[id='project/closed'] .exchange").first.is_visible()
        assert [each.is_visible() for each in page.locator("button, input, select").all()].count(
            True
        ) == 0


@pytest.mark.browser
def test_the_page_prints(page: Page) -> None:
    """The printed page has light colours and no interactive controls."""
    page.get_by_role("button", name="Dark").click()

    page.emulate_media(media="print")

    assert [each.is_visible() for each in page.locator("button, input, select").all()].count(
        True
    ) == 0
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(251, 251, 249)"
    assert page.pdf().startswith(b"%PDF")


@pytest.mark.browser
@pytest.mark.parametrize("viewport", [DESKTOP, NARROW], ids=["desktop", "narrow"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_accessible(
    browser: Browser, tmp_path: Path, scheme: str, viewport: ViewportSize
) -> None:
    """axe reports no violation with everything unfolded; the page never scrolls sideways."""
    file = tmp_path / "report.html"
    file.write_text(html.render(a_report(), EXCHANGES), encoding="utf-8")
    for page in opened(browser, file, color_scheme=scheme, viewport=viewport):
        page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        violations = Axe().run(page).response["violations"]
        assert [
            (each["id"], [node["html"][:160] for node in each["nodes"]]) for each in violations
        ] == []
        assert page.evaluate("document.documentElement.scrollWidth") == viewport["width"]


@pytest.mark.browser
@pytest.mark.parametrize("run", ["hostile_run", "conforming_run"])
def test_the_page_of_a_real_run_opens_quietly(
    browser: Browser, run: str, request: pytest.FixtureRequest
) -> None:
    """A hostile response has no effect in the page, and axe reports no violation."""
    directory: Path = request.getfixturevalue(run)
    report = orjson.loads((directory / "report.json").read_bytes())
    for page in opened(browser, directory / "report.html"):
        assert page.evaluate("window.pwned === undefined")
        assert page.locator("h1").inner_text().lower() == report["verdict"]
        assert page.evaluate("document.documentElement.scrollWidth") == DESKTOP["width"]
        assert [each["id"] for each in Axe().run(page).response["violations"]] == []
