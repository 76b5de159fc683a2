"""What a rejected credential or an unavailable target blocked, once and with a remedy."""

from typing import Any

import pytest
from sample_reports import a_finding, a_report, an_entry, an_exchange

from conformance.contract.requirements import CLASSES
from conformance.report import unchecked
from conformance.report.console import terminal
from conformance.report.formats import html, markdown

BEARER = {
    "method": "GET",
    "url": "u",
    "headers": [["authorization", "Bearer $TOKEN"]],
    "body": None,
}


def blocked(
    operation: str = "project_get",
    status: int = 401,
    need: str = "credentials.primary",
    **properties: Any,
) -> Any:
    """A requirement that this response blocked."""
    exchange = {**an_exchange(operation=operation, status=status, **properties), "curl": "curl"}
    finding = a_finding(
        "inconclusive", operation, message="no baseline", needs=[need], exchanges=[exchange]
    )
    operations = {operation: "inconclusive"}
    return an_entry(f"x/{operation}", "inconclusive", operations=operations, findings=[finding])


def remainder(*entries: Any) -> Any:
    """What these requirements lack."""
    suite: Any = {"classes": CLASSES, "depth": "standard"}
    return unchecked.remainder(entries, suite, interrupted=False)


def reasons(*entries: Any) -> list[tuple[str, str]]:
    """The rejections of these requirements, with their remedies."""
    return [(each["message"], each["remedy"]) for each in remainder(*entries)["rejections"]]


def test_a_rejected_secret_is_named_once() -> None:
    """With all operations, and the variable that has to be corrected."""
    assert reasons(blocked(), blocked("video_get")) == [
        (
            "primary was rejected with 401 by api-key on project_get, video_get",
            "put a valid API key in PRIMARY_API_KEY, of this deployment",
        )
    ]


def test_each_scheme_is_rejected_by_itself() -> None:
    """A bearer token is in another header."""
    need = "credentials.primary.bearer"

    ((message, remedy),) = reasons(blocked(need=need, scheme="bearer", request=BEARER))

    assert message == "primary was rejected with 401 by bearer on project_get"
    assert remedy == "put a valid bearer token in TOKEN, of this deployment"


def test_a_missing_permission_is_named() -> None:
    """It follows from the operation."""
    ((message, remedy),) = reasons(blocked("review_list", 403), blocked("video_get", 403))

    assert message == "primary was rejected with 403 on review_list, video_get"
    assert remedy == (
        "give the secret in PRIMARY_API_KEY the permission reviews:read, videos:read, "
        "or use one that has it"
    )


@pytest.mark.parametrize(
    ("status", "properties", "message"),
    [
        (429, {}, "the target returned 429 on project_get"),
        (503, {}, "the target returned 503 on project_get"),
        (0, {"response": None}, "the target did not respond on project_get"),
    ],
)
def test_an_unavailable_target_is_named(status: int, properties: Any, message: str) -> None:
    """It concerns every caller."""
    need = "limits.requests-per-second" if status == 429 else "a target that responds"

    ((found, remedy),) = reasons(blocked(status=status, need=need, **properties))

    assert found == message
    assert ("requests-per-second" in remedy) is (status == 429)


@pytest.mark.parametrize(
    "entry",
    [
        blocked(status=404),
        blocked(status=401, credential="expired"),
        blocked(status=404, need="a target that responds"),
        blocked(need="data in the target"),
    ],
    ids=["another status", "a probe", "a response", "data"],
)
def test_other_responses_are_no_rejection(entry: Any) -> None:
    """They stay reasons of their own."""
    found = remainder(entry)

    assert (found["rejections"], [each["message"] for each in found["blocked-by"]]) == (
        [],
        ["no baseline"],
    )


def test_a_credential_that_is_there_is_not_asked_for() -> None:
    """Its lines are in the profile already."""
    (need,) = remainder(blocked())["needs"]

    assert (need["key"], need["lines"]) == ("a credential primary that is not rejected", [])


def test_every_renderer_begins_with_the_rejection() -> None:
    """The terminal, the page and the summary show it with its remedy."""
    report = a_report()
    report["unchecked"] = remainder(blocked())
    lines = list(terminal.lines(report))

    assert lines[0].startswith("BLOCKED  primary was rejected with 401 by api-key on project_get")
    assert lines[2] == "  remedy  put a valid API key in PRIMARY_API_KEY, of this deployment"
    for page in (html.render(report, []), markdown.render(report).decode()):
        assert "put a valid API key" in page


def test_only_the_first_rejections_are_listed() -> None:
    """The others are counted."""
    names = ("expired", "revoked", "outsider", "throttled", "colleague")
    callers = [blocked(need=f"credentials.{name}", credential=name) for name in names]
    report = a_report()
    report["unchecked"] = remainder(*callers)

    assert "  … and 1 other reason in report.json" in list(terminal.lines(report))


def test_many_operations_are_counted() -> None:
    """The first four are named."""
    names = ("account_get", "project_list", "project_get", "video_list", "video_get", "review_list")

    ((message, _),) = reasons(*map(blocked, names))

    named = "account_get, project_list, project_get, video_list"
    assert message == f"primary was rejected with 401 by api-key on {named} and 2 other operations"
