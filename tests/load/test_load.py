"""`conformance load`: an open loop against served references."""

import importlib.util
import itertools
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import live_server
import pytest
import rate_limits
from hdrh.histogram import HdrHistogram
from hostile_server import Answer, Bytes, broken
from jsonschema import Draft202012Validator
from process import conformance_here
from rate_limits import Limited

from conformance.contract import files
from conformance.contract.openapi import load as contract
from conformance.contract.verdict import Inconclusive
from conformance.load import reads
from conformance.load.open_loop import OpenLoop
from conformance.load.schedule import Schedule
from conformance.reference import Reference

STALL = 0.8
FINDING = 20
"""Requests that find the calls, and the first ones of the schedule."""

ENDLESS = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n"


class Watched(Reference):
    """A reference that counts its requests by method, and stands still once, at one of them."""

    def __init__(self, stalls_at: int | None = None) -> None:
        super().__init__()
        self.methods: list[str] = []
        inner = self.app

        async def app(scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] == "http":
                self.methods.append(scope["method"])
                if len(self.methods) == stalls_at:
                    time.sleep(STALL)
            await inner(scope, receive, send)

        self.app: Any = app


def profile_of(served: dict[str, Any], folder: Path, gate: str = "", limits: str = "") -> Path:
    """A profile with primary's API key, and these lines of two tables."""
    key = served["credentials"]["primary"]["api-key"]
    path = folder / "target.toml"
    path.write_text(
        f'base-url = "{served["base-url"]}"\n'
        f'[credentials.primary]\napi-key = "{key}"\n'
        f"[gate]\n{gate}\n[limits]\n{limits}\n",
        encoding="utf-8",
    )
    return path


def load(folder: Path, *options: object) -> tuple[int, dict[str, Any], str]:
    """The exit code of a measurement, its document, and what it prints."""
    ended = conformance_here(folder, "load", "--target", "target.toml", "--trust", *options)
    document = json.loads((folder / "reports/load/load.json").read_text(encoding="utf-8"))
    return ended.returncode, document, ended.stdout + ended.stderr


@pytest.fixture(name="watched")
def _watched() -> Iterator[tuple[Watched, dict[str, Any]]]:
    reference = Watched()
    with live_server.instance(reference) as served:
        yield reference, served


def test_a_claim_that_holds_ends_with_0(
    tmp_path: Path, watched: tuple[Watched, dict[str, Any]]
) -> None:
    """Every operation that reads is measured, by GET alone, in a document by its schema."""
    reference, served = watched
    profile_of(served, tmp_path, 'p95 = "30s"')

    code, document, said = load(tmp_path, "--rate", 40, "--duration", 1)

    Draft202012Validator(json.loads(files.text("load.schema.json"))).validate(document)
    assert (code, document["outcome"]) == (0, "holds")
    assert "HOLDS: 9 claims of [gate] p95 hold at this rate" in said
    reads = [each.id for each in contract().operations.values() if not each.writes]
    assert list(document["operations"]) == reads
    assert sum(each["served"] for each in document["operations"].values()) == 40
    assert set(reference.methods) == {"GET"}


def test_the_page_and_the_histograms_show_the_same(
    tmp_path: Path, watched: tuple[Watched, dict[str, Any]]
) -> None:
    """A slower operation is named with both times, and no file holds the secret."""
    _, served = watched
    profile_of(served, tmp_path, 'p95 = { video_get = "1ms" }')

    code, document, said = load(tmp_path, "--rate", 30, "--duration", 1)

    entry = document["operations"]["video_get"]
    assert (code, document["outcome"], entry["outcome"]) == (1, "slower", "slower")
    assert "SLOWER: video_get: p95 is " in said
    assert "and 1 ms is claimed" in said
    found = HdrHistogram.decode(entry["histogram"])
    assert found.get_value_at_percentile(95) / 1e6 == entry["percentiles"]["p95"]
    page = (tmp_path / "reports/load/load.html").read_text(encoding="utf-8")
    assert "Slower than claimed" in page
    assert "http" not in page.partition("</style>")[2].replace(served["base-url"], "")
    assert served["credentials"]["primary"]["api-key"] not in page + json.dumps(document)


def test_a_target_that_stands_still_shows_in_every_request_of_that_time(tmp_path: Path) -> None:
    """One response is slow; of those that were due meanwhile, none is left out."""
    rate, duration, preparing = 25, 2, 14
    reference = Watched(stalls_at=preparing + 10)
    with live_server.instance(reference) as served:
        profile_of(served, tmp_path, limits="connections = 1")
        code, document, said = load(tmp_path, "--rate", rate, "--duration", duration)

    counts = [HdrHistogram.decode(each["histogram"]) for each in document["operations"].values()]
    slow = 0
    for each in counts:
        step = each.get_recorded_iterator()
        slow += sum(
            item.count_at_value_iterated_to
            for item in step
            if item.value_iterated_to > STALL * 1e6 / 4
        )
    assert (code, document["outcome"]) == (0, "measured")
    assert slow >= STALL * rate / 2  # a closed loop would have one
    assert document["latest"] > STALL / 2
    assert "requests waited up to" in said


def test_a_rate_limit_is_respected_and_leaves_a_claim_open(tmp_path: Path) -> None:
    """After a 429 nothing is sent until the time that it states has passed."""
    reference = Limited(lambda: rate_limits.fixed_window(20, 60))
    with rate_limits.served(reference) as served:
        profile_of(served, tmp_path, 'p95 = "30s"')
        code, document, said = load(tmp_path, "--rate", 20, "--duration", 2)

    entries = document["operations"].values()
    assert (code, document["outcome"]) == (5, "incomplete")
    assert sum(each["throttled"] for each in entries) == reference.statuses[429] <= 3
    assert sum(each["withheld"] for each in entries) > 10
    assert "requests were put off: it allows no 20 requests per second" in said


def test_a_response_without_an_end_is_served_in_no_time(tmp_path: Path) -> None:
    """What was read of it came soon, and its end never."""
    count = itertools.count()

    def respond(answer: Answer) -> Bytes:
        """As the reference until the calls are found, and then without an end."""
        whole = answer.but()
        spaces = itertools.repeat(b" " * 65_536)
        return whole if next(count) < FINDING else itertools.chain([ENDLESS], spaces)

    with broken("http", respond) as served:
        profile_of(served, tmp_path, 'p95 = { project_list = "10s" }')
        code, document, said = load(tmp_path, "--rate", 20, "--duration", 2)

    assert (code, document["outcome"]) == (1, "slower")
    found = document["operations"]["project_list"]
    assert found["failures"]["responses that are too long"] > found["served"]
    assert found["percentiles"]["p95"] is None
    assert "responses that are too long" in said


def test_a_claim_about_a_list_that_is_not_served_is_open(tmp_path: Path) -> None:
    """It is named with the response, and the others are measured."""
    with live_server.instance(Reference()) as served:
        keys = served["credentials"]
        keys["primary"] = keys["lacking"]["reviews:read"]
        profile_of(served, tmp_path, 'p95 = { review_list = "1s" }')
        code, document, said = load(tmp_path, "--rate", 20, "--duration", 0.5)

    assert (code, document["outcome"]) == (5, "incomplete")
    assert document["unmeasured"]["review_list"].startswith("it returns 403")
    assert document["unmeasured"]["review_get"] == "no list shows a record for it"
    assert "is about an operation that could not be measured" in said


@pytest.mark.parametrize(
    ("limits", "arguments", "problem"),
    [
        ("requests-per-second = 10", ("--rate", 20),
         "--rate 20: limits.requests-per-second is 10"),
        ("max-requests = 100", ("--rate", 20, "--duration", 10),
         "--rate and --duration make 200 requests: limits.max-requests is 100"),
        ("max-time = 5", ("--duration", 10), "--duration 10: limits.max-time is 5"),
    ],
)  # fmt: skip
def test_the_limits_of_the_profile_hold(
    tmp_path: Path, limits: str, arguments: tuple[object, ...], problem: str
) -> None:
    """Before the first request, in one line: nothing responds at this address."""
    served = {"base-url": "http://127.0.0.1:9/v1",
              "credentials": {"primary": {"api-key": "the-key-of-primary"}}}  # fmt: skip
    profile_of(served, tmp_path, limits=limits)

    ended = conformance_here(tmp_path, "load", "--target", "target.toml", "--trust", *arguments)

    assert (ended.returncode, ended.stdout) == (4, "")
    assert ended.stderr == f"conformance load: error: {problem}\n"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--reference",), "the bundled reference in this process has no response times; "
         "`conformance serve` serves it at a URL for --base-url"),
        (("--base-url", "http://127.0.0.1:9/v1"), "there is no credential to read with: "
         "add credentials.primary, or set LOCALIZATION_API_KEY beside --base-url"),
        (("--base-url", "http://127.0.0.1:9/v1", "--rate", "0"),
         "argument --rate: '0' must be a number of requests per second > 0 "
         "(see `conformance load --help`)"),
    ],
)  # fmt: skip
def test_what_cannot_be_measured_is_said_in_a_line(
    tmp_path: Path, arguments: tuple[str, ...], problem: str
) -> None:
    """A usage error."""
    ended = conformance_here(
        tmp_path, "load", *arguments, LOCALIZATION_API_KEY="", LOCALIZATION_TOKEN=""
    )

    assert ended.returncode == 4
    assert ended.stderr == f"conformance load: error: {problem}\n"


def test_a_folder_that_cannot_be_written_is_said_first(tmp_path: Path) -> None:
    """Before anything is sent."""
    (tmp_path / "file").write_text("", encoding="utf-8")

    ended = conformance_here(
        tmp_path, "load", "--base-url", "http://127.0.0.1:9/v1", "--report-dir", "file/in"
    )

    assert (ended.returncode, "--report-dir file/in: Not a directory" in ended.stderr) == (4, True)


def test_a_link_in_place_of_the_default_folder_is_not_followed(tmp_path: Path) -> None:
    """Nobody has named it."""
    (tmp_path / "reports").symlink_to(tmp_path)

    ended = conformance_here(tmp_path, "load", "--base-url", "http://127.0.0.1:9/v1")

    assert (ended.returncode, "link" in ended.stderr) == (4, True)


def test_without_its_extra_the_command_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one line, as the fleet does."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)

    ended = conformance_here(tmp_path, "load", "--base-url", "http://127.0.0.1:9/v1")

    assert ended.returncode == 4
    assert "needs the extra `load`: pip install '.[load]' in a checkout" in ended.stderr


def test_a_machine_that_cannot_send_ends_the_measurement(
    tmp_path: Path, watched: tuple[Watched, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No failure of it is the target's, and nothing more is sent."""
    profile_of(watched[1], tmp_path)

    def measure(_loop: OpenLoop, _request: object, _due: float) -> None:
        raise Inconclusive("not sent: Too many open files")

    monkeypatch.setattr(OpenLoop, "_measure", measure)
    arguments = ("--target", "target.toml", "--trust", "--duration", 5)
    ended = conformance_here(tmp_path, "load", *arguments)

    assert ended.returncode == 5
    assert "conformance load: not checked: not sent: Too many open files\n" in ended.stderr
    assert not (tmp_path / "reports/load/load.json").exists()


def test_ctrl_c_ends_a_measurement_at_once(
    tmp_path: Path, watched: tuple[Watched, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is under way."""
    profile_of(watched[1], tmp_path)

    def interrupt(*_arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Schedule, "moment", interrupt)
    ended = conformance_here(tmp_path, "load", "--target", "target.toml", "--trust")

    assert ended.returncode == 2


def test_where_nothing_is_served_there_is_nothing_to_measure(
    tmp_path: Path, watched: tuple[Watched, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A usage error, which no document hides."""
    profile_of(watched[1], tmp_path)
    monkeypatch.setattr(reads, "_problem", lambda *_: "it returns 403 forbidden")
    ended = conformance_here(tmp_path, "load", "--target", "target.toml", "--trust")

    assert (ended.returncode, "there is nothing to measure" in ended.stderr) == (4, True)


def test_a_target_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    """As for a run."""
    ended = conformance_here(
        tmp_path, "load", "--base-url", "http://127.0.0.1:9/v1", LOCALIZATION_API_KEY="a-key"
    )

    assert ended.returncode == 4
    assert "nothing responds at http://127.0.0.1:9/v1" in ended.stderr
