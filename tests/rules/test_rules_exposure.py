"""Whether callers are shown what they may not read, by either interface."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from conformance.contract import openapi
from conformance.http.exchange import Call, Exchange, Request, Response
from conformance.rules import answer
from conformance.rules.exposure import Exposure, Grant, grant_of, is_of_outsider
from conformance.rules.issued import Issue
from conformance.target.target import Fixtures

CONTRACT = openapi.load()
OWN = "0b6d5a9e-7c43-4c1e-8f21-3f0c1d527a94"
FOREIGN = "1c7e6b0f-7c43-4c1e-8f21-3f0c1d527a94"
UNGRANTED = "2d8f7c1a-7c43-4c1e-8f21-3f0c1d527a94"
CURSOR = "3e9a8d2b-7c43-4c1e-8f21-3f0c1d527a94"
JSON = (("content-type", "application/json"),)
GRANT = Grant(
    {
        "company": {FOREIGN: "foreign"},
        "project": {FOREIGN: "foreign", UNGRANTED: "ungranted"},
    }
)
PROJECT = {
    "id": OWN,
    "companyId": OWN,
    "name": "Harbour",
    "status": "active",
    "sourceLanguage": "en",
    "createdAt": "2024-01-01T00:00:00Z",
    "updatedAt": "2024-01-01T00:00:00Z",
    "videoCount": 1,
    "localizationCount": 1,
    "completedLocalizationCount": 0,
}
KEY = (("x-api-key", "k"),)
NO_QUERY: Mapping[str, str] = {}


def exchange(
    operation: str,
    body: Any,
    caller: str | None = "primary",
    id: str | None = None,
    query: Mapping[str, str] = NO_QUERY,
) -> Exchange:
    """A read over HTTP."""
    stated = CONTRACT.operation(operation)
    path = {each.name: id for each in stated.parameters if each.location == "path" and id}
    url = "https://x/v1" + stated.path.format(**path)
    call = Call(operation, path, tuple(query.items()))
    response = answering(body)
    return Exchange("item", 1, call, "", caller, "api-key", Request("GET", url, KEY), response)


def answering(body: Any) -> Response:
    """A response with a JSON body."""
    return Response(200, JSON, json.dumps(body).encode())


def as_sent(sent: Exchange) -> Exchange:
    """The same, which has no credential where its caller has none."""
    if sent.credential is not None:
        return sent
    return replace(sent, request=replace(sent.request, headers=()))


def rejected(sent: Exchange) -> Exchange:
    """The same with another status."""
    assert sent.response is not None
    return replace(sent, response=replace(sent.response, status=403))


def with_both_credentials(sent: Exchange) -> Exchange:
    """The same with a bearer token as well."""
    headers = (*KEY, ("authorization", "Bearer t"))
    return replace(sent, request=replace(sent.request, headers=headers))


def by_tool(
    operation: str, result: Any, *, caller: str | None = "primary", **given: str
) -> Exchange:
    """A call of a tool."""
    params = {"name": operation, "arguments": given}
    sent = {"method": "tools/call", "id": 7, "params": params}
    request = Request("POST", "https://x/mcp", KEY, json.dumps(sent).encode())
    response = Response(200, JSON, json.dumps({"id": 7, "result": result}).encode())
    call = Call(operation)
    return Exchange("item", 2, call, "", caller, "api-key", request, response, in_contract=False)


def shown(data: Any) -> dict[str, Any]:
    """A success over HTTP."""
    return {"data": data, "requestId": "r"}


def page(*items: Any) -> dict[str, Any]:
    """The page of a list over HTTP."""
    return shown({"items": list(items), "nextCursor": None})


def violated(sent: Exchange, owner: str | None = None) -> list[str]:
    """The requirements that an exchange violates, where primary lists one project.

    `owner` is the caller whom the cursor was issued to.
    """
    request = answer.request(sent, CONTRACT)
    assert request is not None
    cursors = {CURSOR: frozenset({Issue(owner, frozenset())})} if owner else {}
    exposure = Exposure(CONTRACT, GRANT, cursors)
    found = [*exposure.examine(request)]
    if is_of_outsider(request):
        found += exposure.examine_outsider(request, lambda _: {OWN})
    assert all(each.defect is not None for each in found)
    return [each.requirement for each in found]


@pytest.mark.parametrize(
    ("caller", "requirement"),
    [
        (None, "authentication/missing"),
        ("expired", "authentication/expired"),
        ("revoked", "authentication/revoked"),
        ("unknown", "authentication/unknown"),
        ("near-miss", "authentication/unknown"),
        ("lacking.projects:read", "authorization/permission"),
        ("outsider", "authorization/company"),
    ],
)
def test_whoever_may_not_read_is_not_served(caller: str | None, requirement: str) -> None:
    """Nor is shown the record by the rejection."""
    served = as_sent(exchange("project_get", shown(PROJECT), caller=caller, id=OWN))
    told = rejected(replace(served, response=answering({"code": "x", "was": PROJECT})))
    silent = rejected(replace(served, response=answering({"code": "x"})))

    assert violated(served) == [requirement]
    assert violated(told) == [requirement]
    assert violated(silent) == []


@pytest.mark.parametrize(
    "caller", ["primary", "colleague", "no-review-role", "lacking.videos:read"]
)
def test_whoever_may_read_is_served(caller: str) -> None:
    """Of a caller who lacks another permission, the grant is not known."""
    assert violated(exchange("project_get", shown(PROJECT), caller=caller, id=OWN)) == []


@pytest.mark.parametrize(
    ("id", "requirement"),
    [(FOREIGN, "authorization/company"), (UNGRANTED.upper(), "authorization/project")],
)
def test_a_record_outside_the_grant_is_not_served(id: str, requirement: str) -> None:
    """By either interface; a page behind a cursor may be that of another record."""
    cursor = {"cursor": CURSOR}

    assert violated(exchange("project_get", shown(PROJECT), id=id)) == [requirement]
    assert violated(exchange("activity_list", page(), id=id)) == [requirement]
    assert violated(exchange("activity_list", page(), id=id, query=cursor)) == []
    result = {"structuredContent": shown(PROJECT), "content": []}
    assert violated(by_tool("project_get", result, projectId=id)) == ["tools/grants"]


@pytest.mark.parametrize(
    ("query", "requirement"),
    [
        ({}, "authorization/lists"),
        ({"limit": "100"}, "authorization/lists"),
        ({"companyId": OWN}, "authorization/lists"),
        ({"companyId": FOREIGN}, "authorization/filter"),
        ({"cursor": CURSOR}, "authorization/cursor"),
    ],
)
def test_no_page_shows_a_record_outside_the_grant(query: dict[str, str], requirement: str) -> None:
    """What it was asked for decides which requirement it violates."""
    foreign = PROJECT | {"id": CURSOR, "companyId": FOREIGN.upper()}
    shows_it = exchange("project_list", page(PROJECT, foreign), query=query)

    assert violated(shows_it, "outsider") == [requirement]
    assert violated(exchange("project_list", page(PROJECT), query=query), "outsider") == []


def test_the_text_of_a_tool_shows_no_record_outside_the_grant() -> None:
    """Beside structured content, it may have other data."""
    foreign = page(PROJECT | {"companyId": FOREIGN})
    result = {
        "structuredContent": page(PROJECT),
        "content": [{"type": "text", "text": json.dumps(foreign)}],
    }

    assert violated(by_tool("project_list", result)) == ["tools/grants"]


@pytest.mark.parametrize(
    ("owner", "requirement"),
    [(None, "authorization/lists"), ("primary", "authorization/cursor")],
)
def test_no_page_shows_the_outsider_what_primary_lists(owner: str | None, requirement: str) -> None:
    """Nor what is outside the project grant alone; what is foreign may be its own."""
    query = {"cursor": CURSOR}
    foreign = PROJECT | {"id": FOREIGN, "companyId": FOREIGN}
    for record in (PROJECT, PROJECT | {"id": UNGRANTED}):
        sent = exchange("project_list", page(record), caller="outsider", query=query)
        assert violated(sent, owner) == [requirement]
    own = exchange("project_list", page(foreign), caller="outsider", query=query)
    assert violated(own, owner) == []


@pytest.mark.parametrize(
    "sent",
    [
        with_both_credentials(exchange("project_get", shown(PROJECT), caller="expired", id=OWN)),
        exchange("project_get", shown(PROJECT), caller=None, id=OWN),
        exchange("project_get", shown(PROJECT), caller="throttled", id=OWN),
        rejected(exchange("project_get", {"code": "x", "was": PROJECT}, id=OWN)),
    ],
)
def test_what_two_readers_may_read_differently_is_left_alone(sent: Exchange) -> None:
    """So is a caller of whom nothing is known, and a record that its caller may see."""
    assert violated(sent) == []


def test_the_grant_is_that_of_the_profile() -> None:
    """Ids count in whatever case; without fixtures nothing is known to be outside."""
    fixtures = Fixtures(foreign={"company": FOREIGN.upper()}, ungranted={"project": UNGRANTED})
    grant = grant_of(fixtures)

    assert grant.property_outside({"companyId": FOREIGN}, "Project") == "companyId"
    assert grant.property_outside({"id": UNGRANTED}, "Project") == "id"
    assert grant.property_outside({"id": UNGRANTED}, "Video") is None
    assert grant_of(Fixtures()).property_outside({"companyId": FOREIGN}, "Project") is None
