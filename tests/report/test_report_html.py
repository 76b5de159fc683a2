"""The HTML report: what it says, that nothing of a target acts in it, and how it behaves in a browser."""

import base64
import copy
import hashlib
import json
import re
import subprocess
import sys
import tomllib
import uuid
from collections.abc import Iterator
from html.parser import HTMLParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import orjson
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, ViewportSize
from sample_reports import (
    BASE,
    BUDGET,
    EVIL,
    EXCHANGES,
    ID,
    OTHER,
    a_finding,
    a_report,
    an_entry,
    an_exchange,
    poisoned,
)

from conformance.report import profile_hints
from conformance.report.causes import location
from conformance.report.formats import html
from conformance.report.page import listing, survey, text
from conformance.target import profile

HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u3164\ue000-\uf8ff]"
)
DESKTOP: ViewportSize = {"width": 1280, "height": 800}
NARROW: ViewportSize = {"width": 320, "height": 700}


# --- runs to look at -----------------------------------------------------------------------------------------------------


class Hostile(BaseHTTPRequestHandler):
    """Answers every request with a success full of markup."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """One answer, whatever was asked for."""
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
        """Say nothing."""


@pytest.fixture(scope="module")
def hostile_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report directory of a run against a server that answers with markup."""
    directory = tmp_path_factory.mktemp("hostile")
    with ThreadingHTTPServer(("127.0.0.1", 0), Hostile) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        target = directory / "target.toml"
        address = f"http://127.0.0.1:{server.server_port}/v1"
        target.write_text(
            f'base-url = "{address}"\n[credentials.primary]\napi-key = "a-key-for-nothing"\n',
            encoding="utf-8",
        )
        judge(
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
def kept_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report directory of a run against the bundled reference."""
    directory = tmp_path_factory.mktemp("kept")
    judge(directory, "--conformance-class", "read")
    return directory


def judge(directory: Path, *options: str) -> None:
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
        "quick",
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


# --- what the page says --------------------------------------------------------------------------------------------------


class Elements(HTMLParser):
    """Gathers the elements of a page, with their attributes, and the texts of style and script."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.raw: dict[str, list[str]] = {"style": [], "script": []}
        self.words = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep an element."""
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        """Keep a text."""
        tag = self.found[-1][0] if self.found else ""
        if tag in self.raw and self.cdata_elem == tag:
            self.raw[tag].append(data)
        else:
            self.words += data

    def ids(self) -> list[str]:
        """The ids of all elements."""
        return [attributes["id"] or "" for _, attributes in self.found if "id" in attributes]


def test_the_first_screen_tells_verdict_target_time_and_means() -> None:
    """Before the first finding stand the verdict in words, the target, when, and the version, depth and seed."""
    words = Elements(html.render(a_report(), EXCHANGES)).words.partition("Broken requirements")[0]

    wanted = (
        "Non-conformant",
        "1 requirement is broken, in read",
        BASE,
        "21 November 2026, 00:10 UTC",
        "suite 0.1.0, depth quick, seed 1",
    )
    assert [each for each in wanted if each not in words] == []


@pytest.mark.parametrize(
    ("verdict", "interrupted", "said"),
    [
        ("conformant", False, "The target keeps the contract"),
        ("inconclusive", False, "Nothing is broken, but 2 requirements could not be judged."),
        ("inconclusive", True, "The run was interrupted"),
    ],
)
def test_every_verdict_has_its_words(verdict: str, interrupted: bool, said: str) -> None:
    """A verdict is said in a sentence, an interruption in another."""
    page = html.render(
        a_report(an_entry("project/closed"), verdict=verdict, interrupted=interrupted), []
    )

    assert said in page


def test_each_requirement_has_a_permanent_link() -> None:
    """The id of every requirement is the id of one element, and ids are unique."""
    report = a_report()
    ids = Elements(html.render(report, EXCHANGES)).ids()

    assert [entry["id"] for entry in report["requirements"] if entry["id"] not in ids] == []
    assert sorted(set(ids)) == sorted(ids)


def test_a_broken_requirement_shows_what_came_and_how_to_see_it() -> None:
    """The page marks the wrong spot in the response and gives the command."""
    page = html.render(a_report(), EXCHANGES)

    assert '<mark>    &#34;budget&#34;: 12<span class="note"> ← not allowed</span></mark>' in page
    assert "curl -sS &#39;https://api.example.com/v1/projects&#39;" in page


def test_known_failures_are_shown_as_known() -> None:
    """A finding that is let pass says why; entries that hold no more are named."""
    known = {
        "unknown": [],
        "stale": [{"requirement": "read/counts", "operation": None, "problem": "passes"}],
    }
    entry = an_entry("project/closed", "fail", findings=[a_finding(known="Ticket 12")])
    words = Elements(html.render(a_report(entry, **{"known-failures": known}), EXCHANGES)).words

    assert "Ticket 12" in words
    assert "The known failures are out of date: read/counts." in words


def test_a_report_of_nothing_is_a_page() -> None:
    """A run that sent nothing has no plots, and no table of statuses."""
    nothing = {
        "ledger": [],
        "exchanges": {"count": 0, "methods": {}, "file": "exchanges.jsonl"},
        "requirements": [],
    }
    ids = Elements(html.render(a_report(**nothing), [])).ids()

    assert [each for each in ("latency", "statuses", "ledger") if each in ids] == []


def test_the_whole_run_can_be_repeated() -> None:
    """The last command is that of the run, with whatever is odd in it quoted."""
    report = a_report(target={"base-url": f"{BASE}/it's", "profile": "my target.toml"})

    words = Elements(html.render(report, [])).words

    assert (
        f"conformance run --base-url '{BASE}/it'\"'\"'s' --target 'my target.toml' --depth quick --seed 1"
        in words
    )


def test_a_target_in_the_process_of_the_run_has_no_address() -> None:
    """A run of the bundled reference is repeated without an address, and the page says how to have one."""
    target = {"base-url": "http://reference.invalid/v1", "profile": "in this process"}
    quiet = an_entry("untested/events", "inconclusive", level="observe", untested="Not visible.")

    words = Elements(html.render(a_report(quiet, target=target, started="some day"), [])).words

    assert "conformance run --depth quick --seed 1" in words
    assert "conformance serve" in words
    assert "untested/events" not in words


def test_a_target_without_a_profile_is_repeated_by_its_address() -> None:
    """A run of a bare base URL names no profile."""
    words = Elements(html.render(a_report(target={"base-url": BASE, "profile": None}), [])).words

    assert f"conformance run --base-url {BASE} --depth quick --seed 1" in words


@pytest.mark.parametrize(
    ("credential", "scheme", "told"),
    [
        (None, None, "without a credential"),
        ("primary", None, "as primary"),
        ("primary", "bearer", "as primary by bearer"),
    ],
)
def test_an_exchange_tells_who_made_it(
    credential: str | None, scheme: str | None, told: str
) -> None:
    """The caller and the scheme, or that there was none."""
    page = html.render(a_report(), [an_exchange(credential=credential, scheme=scheme)])

    assert f" · {told} · " in page


def test_a_page_of_a_long_failing_run_stays_small() -> None:
    """5,000 exchanges and hundreds of findings with long bodies make less than 2 MB, and every finding is named."""
    body = {
        "text": json.dumps(
            {
                "data": {"items": [{"id": ID, "name": "x" * 300, "budget": n} for n in range(100)]},
                "requestId": "r",
            }
        )
    }
    response = {"status": 200, "headers": [["content-type", "application/json"]] * 12, "body": body}
    entries = []
    for number in range(90):
        shown = [{**an_exchange(n, response=response), "curl": "curl x"} for n in range(3)]
        found = [
            a_finding(message=f"finding {number}.{each}", exchanges=shown) for each in range(12)
        ]
        entries.append(an_entry(f"area/{number}", "fail", findings=found))
    exchanges = [
        an_exchange(n, f"operation_{n % 10}", 200 + n % 12, response=response) for n in range(5000)
    ]

    page = html.render(a_report(*entries), exchanges)

    assert len(page.encode()) < 2_000_000
    assert set(re.findall(r"finding \d+\.\d+", page)) == {
        f"finding {number}.{each}" for number in range(90) for each in range(12)
    }


# --- what came from the target is text -----------------------------------------------------------------------------------


def harmless(page: str) -> None:
    """Nothing in the page is there to run or to be loaded, but the script of this package."""
    elements = Elements(page)
    tags = [tag for tag, _ in elements.found]
    assert [tags.count("script"), tags.count("style"), tags.count("img"), tags.count("iframe")] == [
        1,
        1,
        0,
        0,
    ]
    assert [
        name
        for _, attributes in elements.found
        for name in attributes
        if name.startswith("on") or name == "style"
    ] == []
    addresses = [
        attributes["href"] or ""
        for tag, attributes in elements.found
        if tag == "a" and "href" in attributes
    ]
    assert [address for address in addresses if not address.startswith("#")] == []
    assert HIDDEN.findall(page) == []


def test_hostile_texts_are_texts() -> None:
    """Markup, scripts, control and bidirectional characters in every text of a report stay what they are: texts."""
    report, exchanges = a_report(), copy.deepcopy(EXCHANGES)
    for entry in report["requirements"]:
        entry["findings"] = poisoned(entry["findings"])
    report |= {
        "observations": poisoned(report["observations"]),
        "ledger": poisoned(report["ledger"]),
    }
    report["observations"][0]["values"] += [{EVIL: [EVIL]}]
    report["target"]["profile"] = EVIL

    page = html.render(report, poisoned(exchanges))

    harmless(page)
    assert "\\u202e" in page
    assert "{{ 7 * 7 }}" in page


def test_the_page_of_a_hostile_target_is_harmless(hostile_run: Path) -> None:
    """A run against a server that answers with markup makes a page without any of it."""
    page = rendered_of(hostile_run)

    harmless(page)
    assert "Non-conformant" in page
    assert "window.pwned" in Elements(page).words


def test_only_the_style_and_the_script_of_the_page_are_allowed() -> None:
    """The content security policy names the digests of both, and allows nothing else but an icon."""
    elements = Elements(html.render(a_report(), EXCHANGES))
    policy = next(
        attributes["content"] or ""
        for tag, attributes in elements.found
        if "http-equiv" in attributes
    )

    digests = [
        base64.b64encode(hashlib.sha256("".join(elements.raw[tag]).encode()).digest()).decode()
        for tag in ("style", "script")
    ]
    assert policy == (
        f"default-src 'none'; img-src data:; style-src 'sha256-{digests[0]}'; script-src 'sha256-{digests[1]}'; "
        "base-uri 'none'; form-action 'none'"
    )


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain ünï", "plain ünï"),
        ("a\u202eb", "a\\u202eb"),
        ("\x1b[31m\x7f", "\\u001b[31m\\u007f"),
        ("\u3164", "\\u3164"),
        ("\U000e0001", "\\udb40\\udc01"),
        ("\udc80", "\\udc80"),
    ],
)
def test_what_cannot_be_seen_is_spelled_out(raw: str, shown: str) -> None:
    """Control, invisible and bidirectional characters are shown as escapes, everything else as it is."""
    assert text.visible(raw) == shown


def test_a_spelled_out_command_sends_the_same_bytes() -> None:
    """A command with odd characters in quotes means the same to a shell after they are spelled out."""
    odd = "it's\x1b[201~\n\u202e é"
    quoted = "'" + odd.replace("'", "'\"'\"'") + "'"

    line = text.command(f"printf %s {quoted}")

    assert line.isprintable()
    assert (
        subprocess.run(["bash", "-c", line], capture_output=True, check=True).stdout == odd.encode()
    )


# --- the parts of the page -----------------------------------------------------------------------------------------------

VIDEO = {
    "data": {"localizations": [{"status": 5}], "durationUs": True, "name": None},
    "requestId": "r",
}
PROJECTS = {
    "data": {
        "items": [{"id": ID}, {"id": OTHER, "videoCount": "12", "budget": 1}],
        "nextCursor": "next",
    },
    "requestId": 5,
}


@pytest.mark.parametrize(
    ("requirement", "message", "expected", "marks"),
    [
        ("envelope/request-id", "requestId is 5", "requestId: a string", {("requestId",): "here"}),
        ("error/code", "no code", "code: a string", {(): "no code"}),
        ("page/next-cursor", "nextCursor is 'next'", "", {("data", "nextCursor"): "here"}),
        ("project/closed", BUDGET, "", {("data", "items", 1, "budget"): "not allowed"}),
        (
            "project/required",
            'the record: "name" is a required property',
            "",
            {("data", "items", 0): "no name"},
        ),
        (
            "project/fields",
            'videoCount: "12" is not of type "integer"',
            "",
            {("data", "items", 1, "videoCount"): "here"},
        ),
        (
            "read/parent",
            f"an item below {ID} has projectId ['{OTHER}']",
            f"projectId {ID}",
            {("data", "items", 1, "id"): "here"},
        ),
        ("pagination/once", "3 records come twice with limit 2", "each record once", {}),
    ],
)
def test_the_wrong_spot_is_found_in_a_list(
    requirement: str, message: str, expected: str, marks: dict[listing.Path, str]
) -> None:
    """Where a finding says what is wrong, the place of it in the body is known."""
    response = {"status": 200, "headers": [], "body": {"text": json.dumps(PROJECTS)}}

    assert location.find(requirement, message, expected, response).marks == marks


@pytest.mark.parametrize(
    ("message", "marks"),
    [
        (
            'localizations.0.status: 5 is not of type "string"',
            {("data", "localizations", 0, "status"): "here"},
        ),
        ('localizations.7.status: 5 is not of type "string"', {}),
        (
            'localizations.0: "language" is a required property',
            {("data", "localizations", 0): "no language"},
        ),
        ('localizations.0: "status" is a required property', {}),
        ("localizations: [] has less than 1 item", {}),
        ('durationUs: true is not of type "integer"', {("data", "durationUs"): "here"}),
        ('name: null is not of type "string"', {("data", "name"): "here"}),
        (BUDGET, {}),
    ],
)
def test_the_wrong_spot_is_found_in_a_record(message: str, marks: dict[listing.Path, str]) -> None:
    """A place below a record is found where what is said of it is true, and nowhere else."""
    response = {"status": 200, "headers": [], "body": {"text": json.dumps(VIDEO)}}

    assert location.find("video/fields", message, "", response).marks == marks


def test_a_body_without_records_has_no_spot() -> None:
    """A refusal has no records."""
    response = {"status": 404, "headers": [], "body": {"text": '{"code": "x"}'}}

    assert location.find("video/fields", BUDGET, "", response) == location.Spot()


@pytest.mark.parametrize(
    ("requirement", "message", "found"),
    [
        ("approval/stale-revision", "one revision ahead: 200", location.Spot(status=True)),
        ("response/content-type", "Content-Type None", location.Spot(header="content-type")),
        ("response/json", "a body that is no JSON", location.Spot(body="no JSON")),
        ("approval/success", "no attempt succeeded", location.Spot()),
    ],
)
def test_the_wrong_spot_may_be_outside_of_a_body(
    requirement: str, message: str, found: location.Spot
) -> None:
    """A status that the finding names, the header that it is about, or the body as a whole."""
    response = {"status": 200, "headers": [], "body": {"text": "[" * 5000}}

    assert location.find(requirement, message, "", response) == found


def test_without_a_response_there_is_no_spot() -> None:
    """Where no answer came nothing can be marked."""
    assert location.find("error/code", "no code", "", None) == location.Spot()


DEEP = ["  " * depth + "[" for depth in range(7)]


def plain(body: dict[str, Any] | None, marks: dict[listing.Path, str] | None = None) -> list[str]:
    """The lines of a body, as text."""
    return str(
        listing.markup(body, marks or {}).striptags()
        if body is None
        else listing.markup(body, marks or {}).unescape()
    ).split("\n")


def test_a_body_is_laid_out_without_changing_it() -> None:
    """Numbers, order and names that stand twice are as they were written."""
    assert plain({"text": '{"b": 1.50, "a": 1e3, "b": [], "c": {"x": NaN, "y": "é"}}'}) == [
        "{",
        '  "b": 1.50',
        '  "a": 1e3',
        '  "b": []',
        '  "c": {"x": NaN, "y": "é"}',
        "}",
    ]


def test_a_long_list_is_cut_around_what_is_wrong_in_it() -> None:
    """Of a hundred items the wrong one is shown, the others are counted."""
    body = {"text": json.dumps([{"n": n, "deep": {"er": [n]}} for n in range(100)])}

    assert [line.strip() for line in plain(body, {(17, "n"): "here"})] == [
        *(
            "[",
            "<i>  … 17 more</i>",
            "{",
            '<mark>    "n": 17<span class="note"> ← here</span></mark>',
            '"deep": {',
            '"er": [17]',
            "}",
            "}",
        ),
        *("<i>  … 82 more</i>", "]"),
    ]


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        (None, ["no body"]),
        ({"text": ""}, ["<i>an empty body</i>"]),
        ({"text": "no\nJSON"}, ["no", "JSON"]),
        ({"base64": "AAA="}, ["<i>no text; in base64: AAA=</i>"]),
        ({"text": "{}", "padding": 2000}, ["{}", "<i>… followed by 2,000 blanks</i>"]),
        ({"text": "{", "length": 70000, "sha256": "0"}, ["{", "<i>… 70,000 bytes in all</i>"]),
        ({"text": f'"{"x" * 200}"'}, [f'"{"x" * 160}…" (200 characters)']),
        (
            {"text": "[" * 9 + "]" * 9},
            [*DEEP, " " * 14 + "[ … 1 … ]", *(line.replace("[", "]") for line in reversed(DEEP))],
        ),
    ],
)
def test_every_body_can_be_shown(body: dict[str, Any] | None, lines: list[str]) -> None:
    """Bodies that are no JSON, no text, cut, padded, empty or too deep have their lines."""
    assert plain(body) == lines


def test_a_body_of_many_lines_is_cut() -> None:
    """A body never takes more than a screen or two."""
    members = {f"m{n}": {f"n{m}": [[1], [2]] for m in range(40)} for n in range(40)}

    assert plain({"text": json.dumps(members)})[listing.MOST_LINES - 1 :] == [
        "<i>… and more, in report.json</i>"
    ]


KEYS = (
    *(
        "credentials.primary.bearer",
        "credentials.expired",
        "credentials.lacking",
        "credentials.outsider",
        "fixtures.foreign",
    ),
    *(
        "fixtures.ungranted.video",
        "fixtures.unapprovable-reviews",
        "limits.requests-per-second",
        "tools.url",
        "description.url",
    ),
    *(
        "consent.approve-reviews",
        "consent.exhaust-rate-limit",
        "consent.oversized-bodies",
        "consent.fuzz-writes",
    ),
    *("parameters.video_list.company", "fixtures.provision.approvable-review"),
)


def test_the_lines_that_would_settle_something_are_a_profile(tmp_path: Path) -> None:
    """All lines together are TOML that the profile's reader accepts, once the variables are set."""
    lines = list(
        profile_hints.toml(setting for key in KEYS for setting in profile_hints.settings(key))
    )
    file = tmp_path / "target.toml"
    file.write_text("\n".join([f'base-url = "{BASE}"', *lines]), encoding="utf-8")
    names = re.findall(r"\$\{(\w+)\}", file.read_text(encoding="utf-8"))
    environ = {
        name: f"https://example.com/{name}" if name.endswith("URL") else str(uuid.uuid4())
        for name in names
    }

    target = profile.load(file, environ=environ)

    assert sorted(tomllib.loads("\n".join(lines))) == [
        "consent",
        "credentials",
        "description",
        "fixtures",
        "limits",
        "parameters",
        "tools",
    ]
    assert target.consent == profile.Consent(
        approve_reviews=True, exhaust_rate_limit=True, oversized_bodies=True, fuzz_writes=True
    )


@pytest.mark.parametrize(
    "key", ["data in the target", "credentials.None", "fixtures.foreign.planet", "parameters.x.y"]
)
def test_what_is_no_key_has_no_lines(key: str) -> None:
    """A condition on the target cannot be settled by a profile."""
    assert profile_hints.settings(key) == ()


@pytest.mark.parametrize(
    ("members", "operations", "key"),
    [
        ({"interrupted": True}, {}, "a run to its end"),
        ({"suite": {"classes": ["read"]}}, {}, "a run of all classes"),
        ({}, {"review_approve": "inconclusive"}, "consent.approve-reviews"),
        ({}, {"project_get": "inconclusive"}, "data in the target"),
    ],
)
def test_what_nothing_showed_waits_for_what_would_show_it(
    members: dict[str, Any], operations: dict[str, str], key: str
) -> None:
    """A requirement that nothing put to the test names what would."""
    report = {"interrupted": False, "suite": {"classes": list("12345678")}, **members}
    entry = an_entry(
        "response/status",
        "inconclusive",
        operations=operations,
        findings=[a_finding("inconclusive")],
    )

    assert [want.key for want in profile_hints.wants(report, [entry])] == [key]


def test_a_survey_counts_statuses_and_sorts_durations() -> None:
    """Operations come in the contract's order, then tools; the slow one is that of 95 in 100."""
    exchanges = [an_exchange(n, "b", elapsed=n / 1000) for n in range(1, 101)]
    tool = an_exchange(1, "a")
    tool["request"] = {"method": "POST", "url": "https://example.com/mcp"}

    seen = survey.of(
        [tool, *exchanges, {**an_exchange(1, "b"), "response": None}], BASE, ["b", "a"]
    )

    assert [(name, [cell.number for cell in cells]) for name, cells in seen.cells.items()] == [
        ("b", [100, 1]),
        ("a (tool)", [1, 0]),
    ]
    assert (seen.latencies[0].median, seen.latencies[0].slow, seen.latencies[0].longest) == (
        0.051,
        0.095,
        0.1,
    )


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(1.23e-6, "1.23 µs"), (0.0123, "12.3 ms"), (0.001, "1 ms"), (1.0, "1 s"), (12.34, "12.3 s")],
)
def test_a_duration_has_a_unit_that_suits_it(seconds: float, told: str) -> None:
    """Microseconds, milliseconds or seconds."""
    assert survey.duration(seconds) == told


# --- in a browser --------------------------------------------------------------------------------------------------------


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    """The page of a failing run, opened as a file; whatever its console says, or it asks the network for, fails the test."""
    file = tmp_path / "report.html"
    file.write_text(html.render(a_report(), EXCHANGES), encoding="utf-8")
    yield from opened(browser, file)


def opened(browser: Browser, file: Path, **options: Any) -> Iterator[Page]:
    """A page that is watched for everything that it should not do."""
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


def shown(page: Page) -> list[str]:
    """The ids of the requirements that are neither filtered out nor folded away with their section."""
    return [
        str(each.get_attribute("id"))
        for each in page.locator(".entry").all()
        if each.get_attribute("hidden") is None
    ]


@pytest.mark.browser
def test_the_first_screen_answers_what_is_broken_where_and_why(page: Page) -> None:
    """Without scrolling: the verdict, the target, the table of classes, and the broken requirement with its reason."""
    for words in (
        "Non-conformant",
        BASE,
        "authentication",
        "The statement of project/closed.",
        "'budget' was unexpected",
    ):
        box = page.get_by_text(words).first.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= DESKTOP["height"], words


@pytest.mark.browser
def test_colours_follow_the_switch_and_stay(page: Page) -> None:
    """Light and dark are chosen by a button, kept over a reload, and given back to the system."""
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
    """A dark system has a dark page without a choice."""
    file = tmp_path / "report.html"
    file.write_text(html.render(a_report(), EXCHANGES), encoding="utf-8")
    for page in opened(browser, file, color_scheme="dark"):
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(22, 23, 21)"


@pytest.mark.browser
def test_filters_and_search_leave_what_fits(page: Page) -> None:
    """Class, verdict, operation and words each narrow the requirements down, and are reset together."""
    everything = shown(page)

    page.get_by_label("Class", exact=True).select_option("authentication")
    assert shown(page) == ["authentication/expired"]
    page.get_by_role("button", name="Reset").click()
    page.get_by_label("Verdict", exact=True).select_option("kept")
    assert shown(page) == ["project/required"]
    assert page.locator("#kept .fold").get_attribute("open") is not None
    page.get_by_role("button", name="Reset").click()
    assert page.locator("#kept .fold").get_attribute("open") is None
    page.get_by_label("Operation", exact=True).select_option("project_list")
    assert shown(page) == ["observe/formats", "project/required", "tools/listed"]
    page.get_by_role("button", name="Reset").click()
    page.get_by_label("Search").fill("BUDGET closed")
    assert shown(page) == ["project/closed"]
    assert page.locator("#count").inner_text() == f"1 of {len(everything)} requirements"
    page.get_by_label("Search").fill("")
    assert shown(page) == everything


@pytest.mark.browser
def test_a_count_leads_to_what_it_counts(page: Page) -> None:
    """A number in the table of classes sets the filters to its class and verdict."""
    page.get_by_role("link", name="1 warning in read").click()

    assert shown(page) == ["read/names"]
    assert page.get_by_label("Verdict", exact=True).input_value() == "warning"


@pytest.mark.browser
def test_commands_and_lines_are_copied(page: Page) -> None:
    """A copy button puts the command, or the lines of the profile, on the clipboard, and says so."""
    page.locator("[id='project/closed']").get_by_role("button", name="Copy curl").first.click()
    page.get_by_text("Copied", exact=True).first.wait_for()
    assert (
        page.evaluate("navigator.clipboard.readText()")
        == "curl -sS 'https://api.example.com/v1/projects'"
    )

    page.get_by_role("row", name="credentials.expired").get_by_role(
        "button", name="Copy lines"
    ).click()
    page.locator("#open").get_by_text("Copied").wait_for()
    assert (
        page.evaluate("navigator.clipboard.readText()")
        == '[credentials.expired]\napi-key = "${EXPIRED_API_KEY}"'
    )


@pytest.mark.browser
def test_copying_does_without_a_clipboard(page: Page) -> None:
    """Where the browser gives no clipboard, the command is selected and copied as in old times."""
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")

    page.get_by_role("button", name="Copy command").click()

    page.locator("footer").get_by_text("Copied").wait_for()
    assert (
        page.evaluate("getSelection().toString()")
        == f"conformance run --base-url {BASE} --target target.toml --depth quick --seed 1"
    )


@pytest.mark.browser
def test_a_permanent_link_unfolds_what_it_leads_to(page: Page) -> None:
    """An address with the id of a requirement shows it, even if it is folded away or filtered out."""
    page.get_by_label("Verdict", exact=True).select_option("broken")

    page.evaluate("location.hash = '#project/required'")

    page.locator("[id='project/required'] .inside").wait_for(state="visible")
    assert page.locator("[id='project/required']").get_attribute("open") is not None


@pytest.mark.browser
def test_a_permanent_link_can_be_opened_at_once(browser: Browser, tmp_path: Path) -> None:
    """A link from elsewhere finds the requirement unfolded; one to nothing does no harm."""
    file = tmp_path / "report.html"
    file.write_text(html.render(a_report(), EXCHANGES), encoding="utf-8")
    for page in opened(browser, file):
        page.goto(f"{file.as_uri()}#authentication/expired")
        page.reload()
        assert page.locator("[id='authentication/expired']").get_attribute("open") is not None
        page.evaluate("location.hash = '#%E0'")
        page.evaluate("location.hash = '#nothing'")


@pytest.mark.browser
def test_a_number_of_the_heat_map_leads_to_an_exchange(page: Page) -> None:
    """Each cell opens a sample of its kind."""
    page.get_by_role("link", name="project_list answered 404, 1 times").click()

    page.locator("#statuses .sample[open]").get_by_text("404 Not Found").wait_for(state="visible")


@pytest.mark.browser
def test_the_keyboard_is_enough(page: Page) -> None:
    """The first stop leads past the head of the page; what is folded opens by key, and the focus can be seen."""
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "To the findings"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"

    page.locator("[id='read/agreement'] > summary").focus()
    page.keyboard.press("Enter")

    assert page.locator("[id='read/agreement']").get_attribute("open") is not None
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


@pytest.mark.browser
def test_the_page_can_be_read_without_a_script(browser: Browser, tmp_path: Path) -> None:
    """Where scripts are off, the findings stand there, and no control that would do nothing."""
    file = tmp_path / "report.html"
    file.write_text(html.render(a_report(), EXCHANGES), encoding="utf-8")
    for page in opened(browser, file, java_script_enabled=False):
        assert page.locator("[id='project/closed'] .exchange").first.is_visible()
        assert [each.is_visible() for each in page.locator("button, input, select").all()].count(
            True
        ) == 0


@pytest.mark.browser
def test_the_page_prints(page: Page) -> None:
    """On paper there are no controls, and nothing is dark."""
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
def test_nobody_is_kept_out(
    browser: Browser, tmp_path: Path, scheme: str, viewport: ViewportSize
) -> None:
    """axe finds nothing to complain of with everything unfolded, and the page never needs to be scrolled sideways."""
    file = tmp_path / "report.html"
    file.write_text(html.render(a_report(), EXCHANGES), encoding="utf-8")
    for page in opened(browser, file, color_scheme=scheme, viewport=viewport):
        page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        found = Axe().run(page).response["violations"]
        assert [
            (each["id"], [node["html"][:160] for node in each["nodes"]]) for each in found
        ] == []
        assert page.evaluate("document.documentElement.scrollWidth") == viewport["width"]


@pytest.mark.browser
@pytest.mark.parametrize("run", ["hostile_run", "kept_run"])
def test_the_page_of_a_real_run_opens_quietly(
    browser: Browser, run: str, request: pytest.FixtureRequest
) -> None:
    """Nothing that a hostile target has answered acts in the page, and axe finds nothing in either."""
    directory: Path = request.getfixturevalue(run)
    report = orjson.loads((directory / "report.json").read_bytes())
    for page in opened(browser, directory / "report.html"):
        assert page.evaluate("window.pwned === undefined")
        assert page.locator("h1").inner_text().lower() == report["verdict"]
        assert page.evaluate("document.documentElement.scrollWidth") == DESKTOP["width"]
        assert [each["id"] for each in Axe().run(page).response["violations"]] == []
