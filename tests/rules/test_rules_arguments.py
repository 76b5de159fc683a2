"""The arguments of a request: which ones the contract allows, and the allowed responses to each."""

from dataclasses import replace
from typing import Any

import pytest

from conformance.contract import openapi
from conformance.contract.verdict import Defect, Kind, Location, Part
from conformance.http.exchange import Call, Exchange, Request, Response
from conformance.rules import arguments
from conformance.rules.arguments import Fitness

CONTRACT = openapi.load()
ID = "0b6d5a9e-7c43-4c1e-8f21-3f0c1d527a94"
ROLES = {"limit": "limit", "cursor": "cursor", "companyId": "company", "projectId": "project"}
VALID, INVALID, OPEN = Fitness
RIGHT = {"expectedSubjectRevision": 1, "idempotencyKey": "k"}


def judgements(
    call: Call, status: int | None, roles: dict[str, str] | None = None
) -> list[tuple[str, str | None, str]]:
    """The judgements of the response to a call: requirement, sentence, expected."""
    response = None if status is None else Response(status, ())
    exchange = Exchange("item", 1, call, "", "primary", "bearer", Request("GET", "", ()), response)
    checked = arguments.examine(exchange, ROLES if roles is None else roles, CONTRACT)
    return [(judgement.requirement, judgement.problem, judgement.expected) for judgement in checked]


def verdicts(call: Call, roles: dict[str, str] | None = None) -> dict[int, tuple[str, bool]]:
    """For each status of a response: the requirement that is checked, and whether it conforms."""
    by_status = {
        status: judgements(call, status, roles)
        for status in (200, 400, 403, 404, 409, 413, 422, 500)
    }
    return {
        status: (entries[0][0], entries[0][1] is None)
        for status, entries in by_status.items()
        if entries
    }


def rejecting(requirement: str, *statuses: int) -> dict[int, tuple[str, bool]]:
    """Verdicts of a requirement that these statuses conform to, and no other one."""
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
                "0x10",
                "0X1",
                "0b11",
                "1_0",
                "٥",
                "１０",
                "\u00a0５",
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
                "100.0",
                "001",
            )
        ),
    ],
)
def test_a_limit_is_an_integer_from_1_to_100(value: str, fitness: Fitness) -> None:
    """Decimal notations of an integer in range are left open, others are no integers."""
    assert arguments.limit(value) is fitness


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
def test_a_body_is_an_object_whose_properties_have_their_types(body: Any, fitness: Fitness) -> None:
    """Absent properties are left open: the contract does not specify which ones are required."""
    assert arguments.body(Call("review_approve").carrying(body)) is fitness


@pytest.mark.parametrize("body", [None, b"", b"{", b"\xff", b"[" * 200_000])
def test_a_body_that_is_not_json_is_invalid(body: bytes | None) -> None:
    """The body is absent, truncated, undecodable or nested too deeply."""
    assert arguments.body(Call("review_approve", body=body)) is INVALID


@pytest.mark.parametrize("content_type", [None, "text/plain", "application/json; charset=utf-8"])
def test_another_media_type_is_left_open(content_type: str | None) -> None:
    """The contract names `application/json` only."""
    assert arguments.body(Call("review_approve", body=b"{", content_type=content_type)) is OPEN


@pytest.mark.parametrize(
    "call",
    [
        LIST,
        LIST.asking(limit="1"),
        Call("project_get", {"projectId": ID}),
        Call("project_get", {"projectId": ID.upper()}),
    ],
)
def test_valid_arguments_are_not_rejected_as_invalid(call: Call) -> None:
    """Every status but 400 and 422 conforms."""
    assert verdicts(call) == ACCEPTING


def test_a_cursor_that_was_never_issued_may_be_rejected() -> None:
    """The format of a UUID does not prove that it was issued."""
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
def test_an_invalid_argument_is_rejected(name: str, value: str, requirement: str) -> None:
    """Only 400 and 422 conform."""
    assert verdicts(LIST.asking(**{name: value})) == rejecting(requirement, 400, 422)


@pytest.mark.parametrize(
    "value", ["x", "1", ID[:-1], f"{ID}0", ID.replace("-", ""), ID[:14] + "0" + ID[15:]]
)
def test_a_path_id_that_is_not_a_uuid_is_rejected_or_not_found(value: str) -> None:
    """A router may respond 404 first."""
    assert verdicts(Call("project_get", {"projectId": value})) == rejecting(
        "arguments/id", 400, 404, 422
    )


def test_the_id_of_an_approval_is_a_requirement_of_its_own() -> None:
    """The body is valid, so the id is the only defect."""
    call = Call("review_approve", {"reviewId": "x"}).carrying(RIGHT)
    assert verdicts(call) == rejecting("arguments/approval-id", 400, 404, 422)


def test_an_invalid_body_is_rejected() -> None:
    """A valid body is left to the checks of the approval."""
    call = Call("review_approve", {"reviewId": ID})
    assert judgements(call, 200) == [("arguments/body", 'body "" returned 200', "400 or 422")]
    assert judgements(call.carrying("ü"), 200)[0][1] == 'body "\\"\\\\u00fc\\"" returned 200'
    assert judgements(replace(call, body=b"\xff{"), 200)[0][1] == 'body "\ufffd{" returned 200'
    assert verdicts(call.carrying([])) == rejecting("arguments/body", 400, 422)
    assert verdicts(call.carrying(RIGHT)) == {}


def test_two_invalid_arguments_are_not_checked() -> None:
    """The contract does not specify which error has precedence."""
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
def test_a_request_with_an_open_argument_is_not_checked(call: Call) -> None:
    """Open arguments are empty values, repeated or unknown parameters, and other notations."""
    assert verdicts(call) == {}


def test_a_filter_may_be_rejected_if_its_record_is_unknown() -> None:
    """One exchange does not prove what exists; a value that is not a UUID is rejected."""
    videos = Call("video_list")
    assert [verdicts(videos.asking(**{name: ID})) for name in ("companyId", "projectId")] == [
        {},
        {},
    ]
    assert verdicts(videos.asking(companyId=ID, projectId=ID)) == {}
    assert verdicts(videos.asking(companyId=ID, projectId=ID, limit="5")) == {}
    assert verdicts(videos.asking(companyId=ID, projectId="x")) == rejecting(
        "arguments/filter", 400, 422
    )


def test_a_parameter_whose_name_is_not_certain_is_not_checked() -> None:
    """Only parameters that the target is known to have are checked."""
    assert verdicts(LIST.asking(limit="0"), {}) == {}
    assert verdicts(LIST.asking(size="0"), {"size": "limit"}) == rejecting(
        "arguments/limit", 400, 422
    )


def test_a_failed_connection_is_not_checked() -> None:
    """There is no status."""
    assert judgements(LIST, None) == []


def defects(call: Call, status: int) -> list[Defect | None]:
    """The defects in the response to a call."""
    exchange = Exchange(
        "item", 1, call, "", "primary", "bearer", Request("GET", "", ()), Response(status, ())
    )
    return [judgement.defect for judgement in arguments.examine(exchange, ROLES, CONTRACT)]


def test_a_sentence_names_the_argument_and_the_response() -> None:
    """It names the allowed statuses too."""
    assert judgements(LIST.asking(limit="0"), 200) == [
        ("arguments/limit", 'limit "0" returned 200', "400 or 422")
    ]
    assert judgements(Call("project_get", {"projectId": "x"}), 500) == [
        ("arguments/id", 'id "x" returned 500', "400 or 404 or 422")
    ]
    assert judgements(LIST, 400) == [
        ("arguments/accepted", "no arguments returned 400", "neither 400 nor 422")
    ]
    sentence = 'limit "5", limit "6" returned 422'
    roles = {"limit": "limit", "size": "limit"}
    assert judgements(LIST.asking(limit="5", size="6"), 422, roles) == [
        ("arguments/accepted", sentence, "neither 400 nor 422")
    ]


@pytest.mark.parametrize(
    ("call", "status", "kind"),
    [
        (LIST.asking(limit="0"), 200, Kind.ACCEPTED),
        (LIST.asking(limit="0"), 299, Kind.ACCEPTED),
        (LIST.asking(limit="0"), 300, Kind.STATUS),
        (LIST.asking(limit="0"), 500, Kind.STATUS),
        (LIST, 400, Kind.STATUS),
    ],
)
def test_a_defect_has_the_status_as_data(call: Call, status: int, kind: Kind) -> None:
    """A success and a wrong error are different kinds."""
    (violation,) = defects(call, status)
    assert violation is not None
    assert (violation.kind, violation.actual, violation.where) == (
        kind,
        status,
        (Location(Part.STATUS),),
    )


def test_the_rules_declare_the_requirements_that_they_check() -> None:
    """There is one for each role, for the id of an approval, and for valid arguments."""
    approve = Call("review_approve", {"reviewId": "x"}).carrying(RIGHT)
    calls = [
        LIST,
        *(LIST.asking(**{name: "x"}) for name in ("limit", "cursor", "companyId")),
        Call("project_get", {"projectId": "x"}),
        approve,
        Call("review_approve", {"reviewId": ID}).carrying([]),
    ]
    checked = {requirement for call in calls for requirement, _, _ in judgements(call, 200)}
    assert checked == arguments.REQUIREMENTS
