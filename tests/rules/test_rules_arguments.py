"""The arguments of a request: what the contract allows, what it forbids, and what may be answered."""

from dataclasses import replace
from typing import Any

import pytest

from conformance.contract import openapi
from conformance.http.exchange import Call, Exchange, Request, Response
from conformance.rules import arguments
from conformance.rules.arguments import Fitness

CONTRACT = openapi.load()
ID = "0b6d5a9e-7c43-4c1e-8f21-3f0c1d527a94"
ROLES = {"limit": "limit", "cursor": "cursor", "companyId": "company", "projectId": "project"}
VALID, INVALID, OPEN = Fitness
RIGHT = {"expectedSubjectRevision": 1, "idempotencyKey": "k"}


def judged(
    call: Call, status: int | None, roles: dict[str, str] | None = None
) -> list[tuple[str, str | None, str]]:
    """What the rules say of the answer to a call: requirement, problem, what was expected."""
    response = None if status is None else Response(status, ())
    exchange = Exchange("item", 1, call, "", "primary", "bearer", Request("GET", "", ()), response)
    found = arguments.examine(exchange, ROLES if roles is None else roles, CONTRACT)
    return [(judgement.requirement, judgement.problem, judgement.expected) for judgement in found]


def verdicts(call: Call, roles: dict[str, str] | None = None) -> dict[int, tuple[str, bool]]:
    """For each status the requirement that it puts to the test, and whether it keeps it."""
    found = {
        status: judged(call, status, roles) for status in (200, 400, 403, 404, 409, 413, 422, 500)
    }
    return {
        status: (entries[0][0], entries[0][1] is None)
        for status, entries in found.items()
        if entries
    }


def refusing(requirement: str, *statuses: int) -> dict[int, tuple[str, bool]]:
    """A requirement that these statuses keep and all others break."""
    return {
        status: (requirement, status in statuses)
        for status in (200, 400, 403, 404, 409, 413, 422, 500)
    }


ACCEPTING = {
    status: ("arguments/accepted", status not in (400, 422))
    for status in (200, 400, 403, 404, 409, 413, 422, 500)
}
LIST = Call("project_list")


@pytest.mark.parametrize(
    ("value", "fitness"),
    [
        *((value, VALID) for value in ("1", "9", "10", "25", "99", "100")),
        *(
            (value, INVALID)
            for value in (
                "0",
                "101",
                "-1",
                "1000",
                "abc",
                "1.5",
                "ten",
                "1,0",
                "0.5",
                "100.5",
                "100.0001",
                "1e9",
                "-0",
            )
        ),
        *(
            (value, INVALID)
            for value in (
                "NaN",
                "inf",
                "-inf",
                "Infinity",
                "null",
                "true",
                "1 2",
                "9" * 400,
                "{}",
                "0x",
            )
        ),
        *(
            (value, OPEN)
            for value in (
                "",
                " ",
                "\t",
                "+5",
                "05",
                "5.0",
                "1e1",
                " 5",
                "5 ",
                "٥",
                "0x10",
                "0X1",
                "1_0",
                "100.0",
                "001",
            )
        ),
    ],
)
def test_a_limit_is_a_whole_number_from_1_to_100(value: str, fitness: Fitness) -> None:
    """In plain digits; what another reader may take for one is left open."""
    expected = OPEN if value == "0x" else fitness
    assert arguments.limit(value) is expected


@pytest.mark.parametrize(
    ("body", "fitness"),
    [
        (RIGHT, VALID),
        ({**RIGHT, "more": 1}, VALID),
        ({**RIGHT, "expectedSubjectRevision": 0}, VALID),
        ({**RIGHT, "expectedSubjectRevision": 2**53 - 1}, VALID),
        ({**RIGHT, "expectedSubjectRevision": 2**53}, OPEN),
        ({**RIGHT, "expectedSubjectRevision": -1}, OPEN),
        ({**RIGHT, "expectedSubjectRevision": 1.0}, OPEN),
        ({**RIGHT, "idempotencyKey": ""}, OPEN),
        ({"expectedSubjectRevision": 1}, OPEN),
        ({"idempotencyKey": "k"}, OPEN),
        ({"idempotencyKey": 1}, OPEN),
        ({"expectedSubjectRevision": "1"}, OPEN),
        ({}, OPEN),
        ({**RIGHT, "expectedSubjectRevision": 1.5}, INVALID),
        ({**RIGHT, "expectedSubjectRevision": "1"}, INVALID),
        ({**RIGHT, "expectedSubjectRevision": True}, INVALID),
        ({**RIGHT, "expectedSubjectRevision": None}, INVALID),
        ({**RIGHT, "idempotencyKey": 1}, INVALID),
        ({**RIGHT, "idempotencyKey": None}, INVALID),
        ([], INVALID),
        ("text", INVALID),
        (None, INVALID),
        (1, INVALID),
    ],
)
def test_a_body_is_an_object_whose_members_have_their_types(body: Any, fitness: Fitness) -> None:
    """What is absent is left open, since the contract does not say what has to be there."""
    assert arguments.body(Call("review_approve").carrying(body)) is fitness


@pytest.mark.parametrize("body", [None, b"", b"{", b"\xff", b"[" * 200_000])
def test_a_body_that_is_no_json_is_invalid(body: bytes | None) -> None:
    """However it fails to be."""
    assert arguments.body(Call("review_approve", body=body)) is INVALID


@pytest.mark.parametrize("content_type", [None, "text/plain", "application/json; charset=utf-8"])
def test_another_media_type_is_left_open(content_type: str | None) -> None:
    """Whatever the body is."""
    assert arguments.body(Call("review_approve", body=b"{", content_type=content_type)) is OPEN


@pytest.mark.parametrize(
    "call",
    [
        LIST,
        LIST.asking(limit="1"),
        LIST.asking(companyId=ID, limit="100"),
        Call("project_get", {"projectId": ID}),
        Call("project_get", {"projectId": ID.upper()}),
    ],
)
def test_what_is_valid_is_not_refused_as_invalid(call: Call) -> None:
    """Any answer but 400 and 422."""
    assert verdicts(call) == ACCEPTING


def test_a_cursor_that_was_never_issued_may_be_refused() -> None:
    """Nothing of a UUID shows that it was; what it must not do is judged elsewhere."""
    assert verdicts(LIST.asking(cursor=ID)) == dict.fromkeys(
        ACCEPTING, ("arguments/accepted", True)
    )


@pytest.mark.parametrize(
    ("name", "value", "requirement"),
    [
        ("limit", "0", "arguments/limit"),
        ("cursor", "x", "arguments/cursor"),
        ("companyId", "x", "arguments/filter"),
        ("projectId", f"{ID} ", "arguments/filter"),
    ],
)
def test_an_invalid_argument_is_refused(name: str, value: str, requirement: str) -> None:
    """With 400 or 422, and nothing else."""
    assert verdicts(LIST.asking(**{name: value})) == refusing(requirement, 400, 422)


@pytest.mark.parametrize(
    "value", ["x", "1", ID[:-1], f"{ID}0", ID.replace("-", ""), ID[:14] + "0" + ID[15:]]
)
def test_a_path_id_that_is_no_uuid_is_refused_or_not_found(value: str) -> None:
    """A router may turn it away first."""
    assert verdicts(Call("project_get", {"projectId": value})) == refusing(
        "arguments/id", 400, 404, 422
    )


def test_the_id_of_an_approval_is_a_requirement_of_its_own() -> None:
    """Its body is right, so nothing else is to be refused."""
    call = Call("review_approve", {"reviewId": "x"}).carrying(RIGHT)
    assert verdicts(call) == refusing("arguments/approval-id", 400, 404, 422)


def test_an_invalid_body_is_refused() -> None:
    """A valid one is left to the checks of the approval."""
    call = Call("review_approve", {"reviewId": ID})
    assert judged(call, 200) == [("arguments/body", "body '' was answered 200", "400 or 422")]
    assert judged(call.carrying("ü"), 200)[0][1] == "body '\"\\\\u00fc\"' was answered 200"
    assert judged(replace(call, body=b"\xff{"), 200)[0][1] == "body '\ufffd{' was answered 200"
    assert verdicts(call.carrying([])) == refusing("arguments/body", 400, 422)
    assert verdicts(call.carrying(RIGHT)) == {}


def test_two_defects_at_once_show_nothing() -> None:
    """No order of errors is specified."""
    assert verdicts(LIST.asking(limit="0", companyId="x")) == {}
    assert verdicts(Call("review_approve", {"reviewId": "x"}).carrying([])) == {}


@pytest.mark.parametrize(
    "call",
    [
        LIST.asking(limit="05"),
        LIST.asking(limit="0", companyId=""),
        LIST.asking(unknown="1"),
        LIST.asking(limit="0", unknown="1"),
        Call("project_list", query=(("limit", "0"), ("limit", "0"))),
        Call("project_list", query=(("limit", "1"), ("limit", "1"))),
        Call("project_get", {"projectId": ""}),
        Call("review_approve", {"reviewId": ID}).carrying({}),
    ],
)
def test_whatever_is_open_beside_it_a_request_is_not_judged(call: Call) -> None:
    """Empty values, repetitions, unknown parameters, other notations."""
    assert verdicts(call) == {}


def test_a_company_and_a_project_may_have_nothing_in_common() -> None:
    """Either alone is accepted; both together may be refused, but not where one of them is no UUID."""
    videos = Call("video_list")
    assert [verdicts(videos.asking(**{name: ID})) for name in ("companyId", "projectId")] == [
        ACCEPTING,
        ACCEPTING,
    ]
    assert verdicts(videos.asking(companyId=ID, projectId=ID)) == {}
    assert verdicts(videos.asking(companyId=ID, projectId=ID, limit="5")) == {}
    assert verdicts(videos.asking(companyId=ID, projectId="x")) == refusing(
        "arguments/filter", 400, 422
    )


def test_a_parameter_whose_name_is_not_certain_is_not_judged() -> None:
    """Only those that the target is known to have are."""
    assert verdicts(LIST.asking(limit="0"), {}) == {}
    assert verdicts(LIST.asking(size="0"), {"size": "limit"}) == refusing(
        "arguments/limit", 400, 422
    )


def test_no_answer_is_not_judged() -> None:
    """There is no status to look at."""
    assert judged(LIST, None) == []


def test_a_problem_names_the_argument_and_the_answer() -> None:
    """And what would have been right."""
    assert judged(LIST.asking(limit="0"), 200) == [
        ("arguments/limit", "limit '0' was answered 200", "400 or 422")
    ]
    assert judged(Call("project_get", {"projectId": "x"}), 500) == [
        ("arguments/id", "id 'x' was answered 500", "400 or 404 or 422")
    ]
    assert judged(LIST, 400) == [
        ("arguments/accepted", "no arguments was answered 400", "no 400 and no 422")
    ]
    told = "limit '5', company '0b6d5a9e-7c43-4c1e-8f21-3f0c1d527a94' was answered 422"
    assert judged(LIST.asking(limit="5", companyId=ID), 422) == [
        ("arguments/accepted", told, "no 400 and no 422")
    ]
