"""The served reference as a sandbox: latency, failures, limits, browsers, a log."""

import asyncio
import shlex
import subprocess
from itertools import islice
from typing import Any

import httpx
import pytest
from live_server import instance
from playwright.sync_api import Browser
from starlette.middleware.cors import CORSMiddleware

from conformance.__main__ import _chosen
from conformance.commands import serve as command
from conformance.commands.sandbox import docs, faults, greeting, host_names, latency, rate
from conformance.commands.sandbox.docs import Documented
from conformance.commands.sandbox.faults import Failing, Faults
from conformance.commands.sandbox.latency import Delayed, Latency
from conformance.commands.sandbox.rate import Limited
from conformance.commands.sandbox.request_log import Logged
from conformance.reference import ManualClock, Reference
from conformance.reference.rate_limit import Rate

BASE = "http://sandbox.test"


def responses(app: Any, *requests: httpx.Request) -> list[httpx.Response]:
    """The responses of an application to requests, one after the other."""

    async def send_all() -> list[httpx.Response]:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport) as client:
            return [await client.send(request) for request in requests]

    return asyncio.run(send_all())


def get(path: str, **headers: str) -> httpx.Request:
    """A GET request; underscores in the names of headers stand for hyphens."""
    stated = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Request("GET", BASE + path, headers=stated)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("150ms", Latency(0.15)),
        ("0.2s", Latency(0.2)),
        ("150ms±50", Latency(0.15, 0.05)),
        ("1s±200ms", Latency(1.0, 0.2)),
        ("150ms+-50", Latency(0.15, 0.05)),
    ],
)
def test_a_latency_has_a_unit_and_a_spread(text: str, expected: Latency) -> None:
    """The spread has the unit of the latency unless it names one."""
    parsed = latency.parse(text)
    assert parsed.mean == pytest.approx(expected.mean)
    assert parsed.spread == pytest.approx(expected.spread)


@pytest.mark.parametrize("text", ["", "150", "-1ms", "fast", "150ms±", "10ms±20"])
def test_an_unusable_latency_is_a_usage_error(text: str) -> None:
    """The message names the text."""
    with pytest.raises(ValueError, match=r"must be a latency|negative"):
        latency.parse(text)


def test_the_delays_of_a_seed_are_always_the_same() -> None:
    """They stay within the spread, and another seed has others."""
    delays = list(islice(Latency(0.15, 0.05).delays(1), 200))
    assert delays == list(islice(Latency(0.15, 0.05).delays(1), 200))
    assert delays != list(islice(Latency(0.15, 0.05).delays(2), 200))
    assert 0.1 <= min(delays) < 0.11
    assert 0.19 < max(delays) <= 0.2


def test_delayed_requests_wait_side_by_side() -> None:
    """Ten requests of 50 ms take less than twice that time together."""
    handled = []

    async def app(scope: Any, _receive: Any, _send: Any) -> None:
        handled.append(scope)

    async def requests() -> float:
        delayed = Delayed(app, Latency(0.05), 1)
        clock = asyncio.get_running_loop().time
        start = clock()
        await asyncio.gather(*(delayed({}, None, None) for _ in range(10)))  # type: ignore[arg-type]
        return clock() - start

    assert 0.05 <= asyncio.run(requests()) < 0.1
    assert len(handled) == 10


def test_one_request_in_four_fails_and_always_the_same_one(reference: Reference) -> None:
    """With an error body and without reaching the reference."""
    runs = []
    for _ in range(2):
        app = Failing(reference.app, Faults(0.25, 503), seed=1)
        runs.append([each.status_code for each in responses(app, *[get("/v1/account")] * 200)])
    failed = responses(Failing(reference.app, Faults(1.0, 502), 1), get("/v1/account"))[0]

    assert runs[0] == runs[1]
    assert set(runs[0]) == {401, 503}
    assert 30 < runs[0].count(503) < 70
    assert (failed.status_code, failed.json()["code"]) == (502, "bad_gateway")


@pytest.mark.parametrize(
    ("parse", "text", "expected"),
    [
        (faults.parse, "1/40:503", Faults(0.025, 503)),
        (rate.parse, "20/s", Rate(20, 1.0)),
        (rate.parse, "100/min", Rate(100, 60.0)),
    ],
)
def test_shares_and_rates_are_read(parse: Any, text: str, expected: object) -> None:
    """In the form that the help shows."""
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        (faults.parse, "1/40"),
        (faults.parse, "2/1:503"),
        (faults.parse, "1/40:404"),
        (rate.parse, "20"),
        (rate.parse, "0/s"),
    ],
)
def test_other_shares_and_rates_are_rejected(parse: Any, text: str) -> None:
    """With an example of what would be right."""
    with pytest.raises(ValueError, match="such as"):
        parse(text)


def test_each_credential_has_its_own_rate(reference: Reference) -> None:
    """Beyond it the response is 429, and Retry-After says how long to wait."""
    clock = ManualClock()
    app = Limited(reference.app, Rate(2, 1.0), 1, clock)
    first = [get("/v1/account", x_api_key="one")] * 3
    statuses = [each.status_code for each in responses(app, *first, get("/v1/account"))]
    limited = responses(app, get("/v1/account", x_api_key="one"))[0]
    clock.advance(float(limited.headers["retry-after"]))

    assert statuses == [401, 401, 429, 401]
    assert responses(app, get("/v1/account", x_api_key="one"))[0].status_code == 401


def test_the_log_names_the_requirement_of_a_rejected_request(
    reference: Reference, profile: dict[str, Any]
) -> None:
    """And the caller, but never a secret."""
    names = command._names(profile)
    keys = {name: each["api-key"] for name, each in greeting.callers(profile).items()}
    foreign = profile["fixtures"]["foreign"]["project"]
    expected = [
        (get("/v1/account", x_api_key=keys["primary"]), ""),
        (get("/v1/projects?limit=101", x_api_key=keys["primary"]), "arguments/limit"),
        (get("/v1/videos/x", x_api_key=keys["primary"]), "arguments/id"),
        (get(f"/v1/projects/{foreign}", x_api_key=keys["primary"]), "read/absent"),
        (get("/v1/account"), "authentication/missing"),
        (get("/v1/account", x_api_key=keys["expired"]), "authentication/expired"),
        (get("/v1/account", x_api_key="made-up"), "authentication/unknown"),
        (get("/v1/projects", x_api_key=keys["lacking projects:read"]), "authorization/permission"),
    ]
    lines: list[str] = []
    responses(Logged(reference.app, names, lines.append), *(request for request, _ in expected))

    assert [line.partition("  see ")[2] for line in lines] == [see for _, see in expected]
    assert lines[0].startswith("200 GET /v1/account  primary  ")
    assert not any(key in line for key in keys.values() for line in lines)


def test_a_script_of_another_origin_may_use_the_sandbox(reference: Reference) -> None:
    """With --cors, OPTIONS allows the headers of the credentials."""
    arguments = _chosen(["serve", "--cors", "--no-log"])
    app = command._app(reference, reference.profile(f"{BASE}/v1"), arguments)
    asked = {"origin": "http://app.test", "access-control-request-method": "GET"}
    asked["access-control-request-headers"] = "x-api-key"
    request = httpx.Request("OPTIONS", f"{BASE}/v1/account", headers=asked)
    preflight, response = responses(app, request, get("/v1/account", origin="http://app.test"))

    assert isinstance(app, CORSMiddleware)
    assert preflight.status_code == 200
    assert preflight.headers["access-control-allow-headers"] == "x-api-key"
    assert response.headers["access-control-allow-origin"] == "*"


def test_all_options_together_serve_the_reference(reference: Reference) -> None:
    """In front of it each option adds its part; without options there is only the page."""
    options = "--latency 1ms --rate 100/s --fail 1/1000:503 --cors --log"
    arguments = _chosen(["serve", *options.split()])
    profile = reference.profile(f"{BASE}/v1")
    key = profile["credentials"]["primary"]["api-key"]
    app = command._app(reference, profile, arguments)

    assert responses(app, get("/v1/account", x_api_key=key))[0].status_code == 200
    plain = command._app(reference, profile, _chosen(["serve", "--no-log"]))
    assert isinstance(plain, Documented)


def test_more_data_has_the_same_shape() -> None:
    """The number of projects is about the one that was asked for; fewer than usual are not."""
    counts = []
    for projects in (None, 10, 600):
        made = Reference(projects=projects)
        counts.append(made.store.rows("SELECT COUNT(*) AS n FROM projects", {})[0]["n"])
        assert made.profile(BASE)["fixtures"]["foreign"]
        made.close()
    assert counts[0] == counts[1] == 154
    assert abs(counts[2] - 600) <= 2


def test_the_greeting_can_be_used_as_it_stands(reference: Reference) -> None:
    """A key for each kind of caller, and three requests that succeed."""
    with instance(reference) as profile:
        lines = list(greeting.lines(reference, profile))
        commands = [line.strip() for line in lines if line.startswith("  curl ")]
        bodies = [
            subprocess.run(shlex.split(each), capture_output=True, text=True, check=True).stdout
            for each in commands
        ]
    assert lines[0] == profile["base-url"]
    assert len(commands) == 3
    assert all('"data"' in body for body in bodies)
    assert '"status":"approved"' in bodies[2]
    for name, each in greeting.callers(profile).items():
        assert any(line.split()[-1] == each["api-key"] and name in line for line in lines if line)


@pytest.mark.browser
@pytest.mark.parametrize(
    ("options", "host", "status"),
    [
        ([], "localhost", 200),
        ([], "reference.test", 421),
        (["--allowed-host", "Reference.test"], "reference.test:8080", 200),
        (["--allowed-host", "reference.test"], "other.test", 421),
        (["--host", "0.0.0.0"], "reference.test", 200),
        (["--host", "0.0.0.0", "--allowed-host", "reference.test"], "other.test", 421),
    ],
)
def test_tools_are_called_by_allowed_names(
    reference: Reference, options: list[str], host: str, status: int
) -> None:
    """By those of this machine, by stated ones, and by every name where others are served."""
    profile = reference.profile(f"{BASE}/v1")
    app = command._app(reference, profile, _chosen(["serve", "--no-log", *options]))
    key = profile["credentials"]["primary"]["api-key"]
    headers = {
        "host": host,
        "x-api-key": key,
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": "2025-11-25",
    }
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    request = httpx.Request("POST", f"{BASE}/mcp", headers=headers, json=asked)
    (response,) = responses(app, request)
    assert response.status_code == status


@pytest.mark.parametrize(
    ("listening", "stated", "expected"),
    [
        ("127.0.0.1", [], "127.0.0.1"),
        ("0.0.0.0", [], "127.0.0.1"),
        ("::", [], "::1"),
        ("0.0.0.0", ["api.test"], "api.test"),
    ],
)
def test_the_base_url_has_an_address_that_clients_can_use(
    listening: str, stated: list[str], expected: str
) -> None:
    """Nobody can connect to a wildcard address."""
    assert host_names.shown(listening, stated) == expected


def test_the_page_of_the_description_needs_no_other_host(
    reference: Reference, browser: Browser
) -> None:
    """It lists every operation, and the browser reports neither an error nor another request."""
    page = browser.new_page()
    problems: list[str] = []
    requested: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("request", lambda request: requested.append(request.url))
    text = docs.page(reference.description(f"{BASE}/v1"))
    page.route("**/docs", lambda route: route.fulfill(body=text, content_type="text/html"))
    page.goto(f"{BASE}/docs")

    assert page.locator("nav li").count() == 10
    assert page.locator("#project_list").get_by_text("integer 1 to 100").is_visible()
    assert problems == []
    assert [url for url in requested if not url.startswith((BASE, "data:"))] == []
    page.close()
