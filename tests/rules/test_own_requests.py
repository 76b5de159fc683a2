"""A request that a check sends as valid is held to the contract; a flaw is an internal error."""

from dataclasses import replace

import pytest

from conformance.contract import openapi
from conformance.http.exchange import Call, Exchange, Request, Response
from conformance.rules import own_requests

CONTRACT = openapi.load()
ID = "0b6d5a9e-7c43-4c1e-8f21-3f0c1d527a94"
BASE = "https://api.example.com/base/v1"
KEY = ("x-api-key", "$KEY")
JSON = ("content-type", "application/json")
ROLES = {"limit": "limit", "cursor": "cursor", "of": "company"}
BODY = b'{"expectedSubjectRevision": 1, "idempotencyKey": "k"}'

LIST = Exchange(
    "item",
    1,
    Call("project_list", query=(("limit", "5"), ("of", ID))),
    "",
    "primary",
    "api-key",
    Request("GET", f"{BASE}/projects?limit=5&of={ID}", (KEY,)),
    Response(200, ()),
)
APPROVAL = Exchange(
    "item",
    1,
    Call("review_approve", {"reviewId": ID}, body=BODY),
    "",
    "primary",
    "bearer",
    Request("POST", f"{BASE}/reviews/{ID}/approve", (("authorization", "Bearer $T"), JSON), BODY),
    Response(200, ()),
)


def problems(exchange: Exchange) -> list[str]:
    """The flaws of the request of an exchange, each as an internal error."""
    found = list(own_requests.examine(exchange, ROLES, CONTRACT, BASE))
    assert all(judgement.unsure for judgement in found)
    start = "internal error: a request that was meant to be valid has "
    return [str(judgement.problem).removeprefix(start) for judgement in found]


@pytest.mark.parametrize("exchange", [LIST, APPROVAL])
def test_a_request_of_the_contract_has_no_flaw(exchange: Exchange) -> None:
    """Names that the target gives to parameters count as well."""
    assert problems(exchange) == []


@pytest.mark.parametrize(
    "address",
    [
        "http://api.example.com",
        "http://api.example.com:8080",
        "http://[::1]:8080/v1",
        "https://api.example.com/public/api/v1",
        "https://api.example.com/v2",
    ],
)
def test_a_base_url_has_any_path_or_none(address: str) -> None:
    """Whether it ends with v1 is a requirement of its own."""
    url = LIST.request.url.replace(BASE, address)
    moved = replace(LIST, request=replace(LIST.request, url=url))

    assert list(own_requests.examine(moved, ROLES, CONTRACT, address)) == []
    (flaw,) = own_requests.examine(moved, ROLES, CONTRACT, f"{address}/other")
    assert flaw.unsure


@pytest.mark.parametrize(
    ("change", "flaw"),
    [
        ({"method": "POST"}, "the method POST instead of GET"),
        ({"url": f"{BASE}/project?limit=5"}, 'the path "/base/v1/project" instead of /projects'),
        ({"url": f"{BASE}/projects?limit=500"}, 'the limit "500"'),
        ({"url": f"{BASE}/projects?limit=five"}, 'the limit "five"'),
        ({"url": f"{BASE}/projects?of=me"}, 'the of "me"'),
        ({"url": f"{BASE}/projects?page=1"}, 'the unknown parameter "page"'),
        ({"url": f"{BASE}/projects?limit=5&limit=5"}, 'the parameter "limit" 2 times'),
        ({"headers": ()}, "no credential in its headers"),
        ({"body": b"{}"}, "a body"),
    ],
)
def test_a_wrong_list_request_is_our_error(change: dict[str, object], flaw: str) -> None:
    """The check that sent it believes it to be valid."""
    wrong = replace(LIST, request=replace(LIST.request, **change))  # type: ignore[arg-type]
    assert problems(wrong) == [flaw]


@pytest.mark.parametrize(
    ("change", "flaw"),
    [
        ({"url": f"{BASE}/reviews/1/approve"}, 'the reviewId "1"'),
        ({"headers": (KEY,)}, 'the media type ""'),
        ({"body": b"{"}, "a body that is not JSON"),
        ({"body": b'{"idempotencyKey": 1}'}, 'the body {"idempotencyKey": 1}'),
    ],
)
def test_a_wrong_approval_is_our_error(change: dict[str, object], flaw: str) -> None:
    """The body, its media type and the id are read as they were sent."""
    wrong = replace(APPROVAL, request=replace(APPROVAL.request, **change))  # type: ignore[arg-type]
    assert problems(wrong) == [flaw]


@pytest.mark.parametrize(
    "change",
    [
        {"in_contract": False},
        {"judge_arguments": False},
        {"credential": None},
        {"call": Call("project_list", query=(("limit", "0"),))},
        {"call": Call("project_list", query=(("unknown", "0"),))},
    ],
)
def test_a_request_with_an_intended_defect_is_left_alone(change: dict[str, object]) -> None:
    """Checks mark such requests, or their arguments are not those of the contract."""
    wrong = replace(LIST, request=replace(LIST.request, method="PUT"), **change)  # type: ignore[arg-type]
    assert problems(wrong) == []
