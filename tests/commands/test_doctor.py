"""`conformance doctor`: what is wrong with a profile, and what a run would take and change."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from altered_target import Send, Spoil, Spoiled, having, json_response, without

from conformance import reference
from conformance.__main__ import main
from conformance.commands import doctor
from conformance.commands.diagnosis import expectation
from conformance.commands.doctor import Diagnosis
from conformance.commands.outcome import UsageError
from conformance.contract.verdict import Inconclusive
from conformance.report.prospect import Prospect
from conformance.target.profile import parse

URL = "http://target.test/v1"
Change = Callable[[Any], object]


def diagnosed(
    *changes: Change, spoil: Spoil = lambda request, send: send(request)
) -> tuple[Diagnosis, Spoiled]:
    """The diagnosis of the reference with these changes of its profile."""
    clock = reference.ManualClock()
    made = reference.Reference(clock=clock)
    stated = made.profile(URL)
    for change in changes:
        change(stated)
    transport = Spoiled(made.app, clock.advance, spoil)
    try:
        return doctor.diagnose(parse(stated, environ={}), transport), transport
    finally:
        made.close()


def secret_of(name: str, other: str) -> Change:
    """Give a credential the API key of another one, which leaves unless two may share it."""

    def change(stated: Any) -> None:
        known = stated["credentials"]
        table = known["lacking"] if name in known["lacking"] else known
        table[name] = {"api-key": known[other]["api-key"]}
        if other not in ("primary", "throttled"):
            del known[other]

    return change


def test_a_sound_profile_has_no_complaint() -> None:
    """Everything can be checked, and what is spent is said; nothing is changed by asking."""
    found, transport = diagnosed()

    assert found.complaints == ()
    assert (found.prospect.whole, found.prospect.missing) == (found.prospect.requirements, ())
    assert found.effects[0] == "approves up to 40 reviews of the profile"
    assert len(found.effects) == 4
    assert not any(request.url.path.endswith("/approve") for request in transport.sent)
    assert not any(b"tools/call" in request.read() for request in transport.sent)


def test_without_consent_nothing_is_changed() -> None:
    """A profile of one key is enough for a diagnosis."""
    found, transport = diagnosed(
        without("consent", "fixtures", "tools", "description", "limits"),
        lambda stated: stated.update(credentials={"primary": stated["credentials"]["primary"]}),
    )

    assert (found.complaints, found.effects) == ((), ())
    assert found.prospect.missing[0].key == "consent.approve-reviews"
    assert {request.method for request in transport.sent} == {"GET"}


@pytest.mark.parametrize(
    ("change", "key", "problem"),
    [
        (secret_of("expired", "throttled"), "credentials.expired.api-key",
         "account_get returns 200"),
        (secret_of("revoked", "no-review-role"), "credentials.revoked.api-key",
         "account_get returns 200"),
        (secret_of("reviews:read", "throttled"), "credentials.lacking.reviews:read.api-key",
         "review_list returns 200"),
        (secret_of("no-review-role", "expired"), "credentials.no-review-role.api-key",
         "account_get returns 401 unauthenticated"),
        (secret_of("outsider", "throttled"), "credentials.outsider.api-key",
         "reads a record of primary by project_list"),
        (secret_of("outsider", "primary"), "credentials.outsider",
         "has the secret of another credential"),
        (secret_of("colleague", "primary"), "credentials.colleague.api-key",
         "is the same account as primary"),
        (secret_of("throttled", "primary"), "credentials.throttled",
         "has primary's own secret"),
    ],
    ids=["expired", "revoked", "lacking", "no role", "outsider", "same secret", "colleague",
         "throttled"],
)  # fmt: skip
def test_a_credential_that_is_not_what_it_should_be_is_named(
    change: Change, key: str, problem: str
) -> None:
    """With what it got, and with what would be right."""
    found, _ = diagnosed(change)
    said = [(each.key, each.problem) for each in found.complaints]

    assert any(known == key and what.startswith(problem) for known, what in said), said


def test_spent_reviews_are_counted_and_complained_of_once() -> None:
    """How many are left matters, and not which of them were approved."""

    def as_spent(stated: Any) -> None:
        fixtures = stated["fixtures"]
        fixtures["approvable-reviews"][:3] = fixtures.pop("unapprovable-reviews")[:3]

    found, _ = diagnosed(as_spent)
    (complaint,) = found.complaints

    assert found.reviews is not None
    assert (found.reviews.left, found.reviews.read) == (37, 40)
    assert complaint.key == "fixtures.approvable-reviews[0]"
    assert complaint.problem == "has approvable false, as 2 more of 40"
    (line,) = (line for line in doctor._lines(found) if line.startswith("reviews "))
    assert line == (
        "reviews 37 of the 40 that were read are left to approve;"
        f" a run approves about {expectation.REVIEWS}"
    )


def test_a_run_approves_as_many_reviews_as_doctor_says(finished: Any) -> None:
    """By either interface; and it sends about as many requests."""
    folder = finished[0] / "reports" / "latest"
    exchanges = list(map(json.loads, (folder / "exchanges.jsonl").read_text().splitlines()))
    fixtures = json.loads((folder / "target.json").read_bytes())["fixtures"]
    results = [
        each["response"]["body"]["text"]
        for each in exchanges
        if each["operation"] == "review_approve" and each["response"]["status"] == 200
    ]
    served = [text for text in results if "approved" in text and '"isError":true' not in text]
    approved = {id for id in fixtures["approvable-reviews"] if any(id in text for text in served)}

    assert len(approved) == expectation.REVIEWS
    assert len(exchanges) == pytest.approx(expectation.EXCHANGES["standard"], rel=0.2)


def test_spent_reviews_that_a_run_restores_are_as_they_should_be() -> None:
    """Doctor runs no command; it says that the run does."""

    def as_spent(stated: Any) -> None:
        fixtures = stated["fixtures"]
        fixtures["approvable-reviews"][:3] = fixtures.pop("unapprovable-reviews")[:3]
        fixtures["reset"] = ["false"]

    found, _ = diagnosed(as_spent)

    assert found.complaints == ()
    assert "runs the command fixtures.reset before the first check" in found.effects
    assert any(
        "and a run makes all of them approvable again" in line for line in doctor._lines(found)
    )


def test_the_limit_that_headers_state_is_shown() -> None:
    """It is what the profile of `throttled` may need."""

    def stating(request: httpx.Request, send: Send) -> httpx.Response:
        response = send(request)
        response.headers["RateLimit-Policy"] = '"default";q=100;w=60'
        return response

    found, _ = diagnosed(spoil=stating)

    assert found.limit == "100 requests per 60 s"
    assert "rate    the target states a limit of 100 requests per 60 s" in list(
        doctor._lines(found)
    )


def test_a_long_wait_is_announced(capsys: pytest.CaptureFixture[str]) -> None:
    """A doctor that waits for a minute says why."""
    rejected: list[httpx.Request] = []

    def throttling(request: httpx.Request, send: Send) -> httpx.Response:
        if rejected:
            return send(request)
        rejected.append(request)
        body = {"code": "rate_limited", "requestId": "r"}
        response = json_response(429, body)
        response.headers["retry-after"] = "67"
        return response

    diagnosed(spoil=throttling)

    assert "waiting for 67 s, as the target asks" in capsys.readouterr().err


def test_a_caller_without_a_permission_is_told_which() -> None:
    """It is that of the operation."""

    def as_without_videos(stated: Any) -> None:
        stated["credentials"]["primary"] = stated["credentials"]["lacking"].pop("videos:read")

    found, _ = diagnosed(as_without_videos)
    (first, *_) = found.complaints

    assert (first.key, first.problem) == (
        "credentials.primary.api-key",
        "video_list returns 403 forbidden",
    )
    assert first.remedy == "give it the permission videos:read"


def test_a_caller_who_lacks_more_than_its_permission_is_named() -> None:
    """Also where the other one is needed below a record alone."""
    keys: list[str] = []

    def silent(request: httpx.Request, send: Send) -> httpx.Response:
        is_silent = request.url.path.endswith("/comments")
        if is_silent and request.headers.get("x-api-key") in keys:
            return json_response(403, {"code": "forbidden", "requestId": "r"})
        return send(request)

    def remember(stated: Any) -> None:
        keys.append(stated["credentials"]["lacking"]["videos:read"]["api-key"])

    found, _ = diagnosed(remember, spoil=silent)

    assert [(each.key, each.problem, each.remedy) for each in found.complaints] == [
        (
            "credentials.lacking.videos:read.api-key",
            "comment_list returns 403 forbidden",
            "give it the permission comments:read",
        )
    ]


def test_a_foreign_review_that_nobody_could_approve_is_named() -> None:
    """A rejection of its approval would say nothing about the grant."""
    foreign: list[str] = []

    def unavailable(request: httpx.Request, send: Send) -> httpx.Response:
        response = send(request)
        if request.url.path.rpartition("/")[2] not in foreign or response.status_code != 200:
            return response
        document = json.loads(response.read())
        return json_response(200, {**document, "data": {**document["data"], "approvable": False}})

    found, _ = diagnosed(
        lambda stated: foreign.append(stated["fixtures"]["foreign"]["review"]), spoil=unavailable
    )

    assert [(each.key, each.problem) for each in found.complaints] == [
        (
            "fixtures.foreign.review",
            "has approvable false, so that its approval is rejected whoever asks",
        )
    ]


@pytest.mark.parametrize(
    ("place", "value", "key", "problem"),
    [
        ("fixtures/foreign/review", "approvable", "fixtures.foreign.review", "primary can read it"),
        ("fixtures/approvable-reviews", "unapprovable", "fixtures.approvable-reviews[0]",
         "has approvable false"),
        ("fixtures/unapprovable-reviews", "foreign", "fixtures.unapprovable-reviews[0]",
         "review_get returns 404 not_found"),
        ("tools/url", f"{URL}/nowhere", "tools.url", "the tools are not listed"),
        ("description/url", f"{URL}/nowhere", "description.url", "returns 404"),
    ],
    ids=["foreign", "approvable", "unapprovable", "tools", "description"],
)  # fmt: skip
def test_a_record_or_address_that_is_wrong_is_named(
    place: str, value: str, key: str, problem: str
) -> None:
    """As primary sees it."""

    def change(stated: Any) -> None:
        fixtures = stated["fixtures"]
        known = {
            "approvable": fixtures["approvable-reviews"].pop(),
            "unapprovable": fixtures["unapprovable-reviews"].pop(),
            "foreign": fixtures["foreign"].pop("review"),
        }
        id = known.get(value, value)
        having(place, [id] if place.endswith("reviews") else id)(stated)

    found, _ = diagnosed(change)
    said = [(each.key, each.problem) for each in found.complaints]

    assert any(known == key and what.startswith(problem) for known, what in said), said


def test_a_missing_tool_is_named() -> None:
    """The interface may be another one."""

    def spoil(request: httpx.Request, send: Send) -> httpx.Response:
        response = send(request)
        if b"tools/list" not in request.content:
            return response
        body = response.read().replace(b'"video_get"', b'"video_read"')
        headers = {"content-type": response.headers["content-type"]}
        return httpx.Response(200, headers=headers, stream=httpx.ByteStream(body))

    found, _ = diagnosed(spoil=spoil)

    assert [each.problem for each in found.complaints] == ["has no tool video_get"]


def test_requests_that_are_used_up_are_no_fault_of_the_profile() -> None:
    """The command says so, rather than blame what it could not ask for."""
    with pytest.raises(Inconclusive, match="requests of"):
        diagnosed(lambda stated: stated["limits"].update({"max-requests": 300}))


def test_where_nothing_can_be_checked_there_is_no_diagnosis() -> None:
    """The reason is that of a run."""
    with pytest.raises(UsageError, match="returned 503"):
        diagnosed(spoil=lambda *_: json_response(503))


def test_the_estimate_follows_from_latency_and_rate() -> None:
    """A rate limit of the profile is the bound where it is slower than the responses."""
    expected = Prospect(100, 90, 10, ())
    fast = parse({}, base_url=URL, environ={})
    slow = parse({"limits": {"requests-per-second": 10}}, base_url=URL, environ={})
    (smoke, quick, standard), (paced, *_) = (
        expectation.durations(target, expected, 0.02) for target in (fast, slow)
    )

    exchanges = [each.exchanges for each in (smoke, quick, standard)]
    assert exchanges == list(expectation.EXCHANGES.values())
    assert (smoke.seconds, paced.seconds) == (2.4, 30.0)


def test_a_diagnosis_is_printed(monkeypatch: Any, capsys: Any, tmp_path: Any) -> None:
    """As text and as JSON; exit code 1 for a complaint, and 4 without a target."""
    found, _ = diagnosed(secret_of("expired", "throttled"))
    monkeypatch.setattr(doctor, "diagnose", lambda *_: found)
    monkeypatch.chdir(tmp_path)

    assert main(["doctor"]) == 4
    assert "no target.toml here" in capsys.readouterr().err
    assert main(["doctor", "--base-url", "ftp://x"]) == 4
    assert main(["doctor", "--base-url", URL]) == 1
    text = capsys.readouterr().out
    assert "WRONG   credentials.expired.api-key: account_get returns 200\n" in text
    assert "effect  approves up to 40 reviews of the profile\n" in text
    assert "lag     reads may lag 5 s behind a write, or behind each other\n" in text
    (tmp_path / "target.toml").write_text(f'base-url = "{URL}"\n')
    assert main(["doctor", "--json"]) == 1
    output = capsys.readouterr()
    assert json.loads(output.out)["complaints"][0]["key"] == "credentials.expired.api-key"
    assert output.err.startswith("Using target.toml of this folder")
