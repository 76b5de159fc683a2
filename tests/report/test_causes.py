"""The causes of failures: their grouping, and how reports display them."""

import json
import tempfile
from pathlib import Path
from typing import Any

import altered_run
import jsonschema
import pytest
import subjects
from sample_reports import ID, OTHER, a_defect, a_finding, a_report, an_entry, an_exchange

from conformance.assurance.selftest import workers
from conformance.assurance.selftest.altered import Edit
from conformance.contract import files, requirements
from conformance.report.causes.attribution import attributed
from conformance.report.causes.failure_signature import signature
from conformance.report.causes.grouping import causes
from conformance.report.causes.misplaced import misplaced
from conformance.report.causes.severity import ON_ACCESS, Severity, severity
from conformance.report.console import terminal
from conformance.report.document_types import CauseEntry, Report
from conformance.report.formats import ci, html, markdown

SUBJECTS = {
    "neighbouring-video": ["read"],
    "nested-errors": ["read"],
    "html-instead-of-401": ["read", "authentication"],
    "absent-is-gone": ["read", "authorization"],
    "odd-cursor-fails+malformed-id-fails": ["read", "pagination"],
    "project-company-unchecked+account-in-snake-case": ["read", "authorization"],
    "cache-without-credential": ["read", "authentication", "authorization"],
}
"""Mutants of the reference, alone or in pairs, and the classes whose checks they affect."""

ENDPOINT = """        operation = self._operation(request.method)
        caller ="""
SENT = 'await transmit(self._responses.success(data), send, bodiless=request.method == "HEAD")'
CACHE = [
    Edit(
        "app",
        ENDPOINT,
        """        key = (request.method, request.scope["raw_path"], request.url.query)
        cached = self.__dict__.setdefault("cached", {})
        if key in cached:
            await transmit(cached[key], send, bodiless=False)
            return
"""
        + ENDPOINT,
    ),
    Edit(
        "app",
        SENT,
        """response = self._responses.success(data)
        if request.method == "GET":
            cached[key] = response
        await transmit(response, send, bodiless=request.method == "HEAD")""",
    ),
]
"""A cache in front of the reference that ignores the credential."""

SLOW = 120.0


# --- altered references ---------------------------------------------------------------------------


def report_of(name: str) -> Report:
    """The report on the reference with the edits of one mutant, or of two joined by +."""
    mutants = [] if name == "cache-without-credential" else name.split("+")
    edits = [edit for each in mutants for edit in subjects.BY_ID[each].edits] or CACHE
    with tempfile.TemporaryDirectory() as directory:
        return altered_run.report(edits, Path(directory), SUBJECTS[name])


@pytest.fixture(scope="module")
def reports() -> dict[str, Report]:
    """The reports on several altered references, checked in other processes."""
    results = dict(workers.each(report_of, SUBJECTS, 2, timeout=SLOW))
    assert [failure for failure in results.values() if isinstance(failure, workers.Failure)] == []
    return {
        name: report for name, report in results.items() if not isinstance(report, workers.Failure)
    }


def test_the_failure_that_shows_a_cause_best_was_sent_once_more(reports: dict[str, Report]) -> None:
    """It is shown first, with what became of its requests; the others of the cause are not sent."""
    labels = {
        name: [cause.findings[0]["reproduction"]["outcome"] for cause in attributed(report)]
        for name, report in reports.items()
    }
    report = reports["neighbouring-video"]

    assert labels["neighbouring-video"] == ["reproduced"]
    assert {label for found in labels.values() for label in found} <= {"reproduced", "not-repeated"}
    assert "reproduced on a fresh connection" in "\n".join(terminal.lines(report))
    jsonschema.validate(report, files.document("report.schema.json"))


def causes_of(report: Report) -> list[tuple[str, list[str]]]:
    """Each cause with the requirements that it explains."""
    return [
        (cause["requirement"], [also["requirement"] for also in cause["also"]])
        for cause in report["causes"]
    ]


def failed(report: Report) -> set[str]:
    """The failed requirements."""
    return {entry["id"] for entry in report["requirements"] if entry["verdict"] == "fail"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "absent-is-gone",
            [
                (
                    "response/status",
                    ["read/absent", "authorization/company", "authorization/project"],
                )
            ],
        ),
        ("neighbouring-video", [("read/identity", [])]),
        ("nested-errors", [("error/code", ["error/request-id"])]),
        ("html-instead-of-401", [("response/content-type", ["response/json"])]),
    ],
)
def test_one_defect_is_one_cause(
    reports: dict[str, Report], name: str, expected: list[tuple[str, list[str]]]
) -> None:
    """The cause has every violated requirement."""
    assert causes_of(reports[name]) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "odd-cursor-fails+malformed-id-fails",
            [
                ("arguments/id", ["arguments/no-failure"]),
                ("arguments/cursor", ["arguments/no-failure"]),
            ],
        ),
        (
            "project-company-unchecked+account-in-snake-case",
            [("account/required", ["account/closed"]), ("authorization/company", [])],
        ),
    ],
)
def test_two_defects_are_two_causes(
    reports: dict[str, Report], name: str, expected: list[tuple[str, list[str]]]
) -> None:
    """A requirement that both violate is listed under both."""
    assert causes_of(reports[name]) == expected


@pytest.mark.parametrize("name", SUBJECTS)
def test_no_failure_is_left_out_anywhere(reports: dict[str, Report], name: str) -> None:
    """The causes, the terminal, the page and the summary name each failed requirement."""
    report = reports[name]
    assert {id for requirement, also in causes_of(report) for id in (requirement, *also)} == failed(
        report
    )
    # The terminal wraps a long statement.
    lines = " ".join(" ".join(terminal.lines(report)).split())
    page = html.render(report, [])
    summary = markdown.render(report).decode()
    for entry in report["requirements"]:
        if entry["verdict"] == "fail":
            assert entry["id"] in lines
            assert entry["statement"] in lines
            assert f'<article class="entry failed" id="{entry["id"]}"' in page
            assert f"**{entry['id']}**" in summary
            operations = {
                finding["operation"]
                for finding in entry["findings"]
                if finding["verdict"] == "fail"
            }
            named = [
                name
                for cause in report["causes"]
                for each in (cause, *cause["also"])
                if each["requirement"] == entry["id"]
                for name in each["operations"]
            ]
            assert operations == set(named)


@pytest.mark.parametrize("name", SUBJECTS)
def test_the_exchange_of_a_cause_is_among_its_findings(
    reports: dict[str, Report], name: str
) -> None:
    """The exchange has the command that repeats its request."""
    report = reports[name]
    for cause in report["causes"]:
        entry = next(
            entry for entry in report["requirements"] if entry["id"] == cause["requirement"]
        )
        assert cause["exchange"] in [
            exchange["id"] for finding in entry["findings"] for exchange in finding["exchanges"]
        ]


@pytest.mark.parametrize("name", SUBJECTS)
def test_a_report_with_failures_is_valid(reports: dict[str, Report], name: str) -> None:
    """The report satisfies the published schema."""
    schema = jsonschema.Draft202012Validator(files.document("report.schema.json"))
    assert [error.message for error in schema.iter_errors(reports[name])] == []


def test_a_cache_that_ignores_the_credential_is_one_cause(reports: dict[str, Report]) -> None:
    """A leak stands for it, and the cause is named first."""
    report = reports["cache-without-credential"]
    (cause,) = report["causes"]
    assert cause["requirement"] in ("authorization/company", "authorization/lists")
    assert len(cause["also"]) >= 8
    shown, _, _ = "\n".join(terminal.lines(report)).partition("FAILED")
    start = " ".join(shown.split())
    assert start.startswith("CAUSE the same response (same requestId) was returned to different")
    assert "as by a cache that ignores the credential" in start
    assert "nobody" in start
    assert " more)" in start


def test_counts_are_of_requirements(reports: dict[str, Report]) -> None:
    """The number of causes may be lower."""
    report = reports["absent-is-gone"]
    assert report["counts"]["must"]["fail"] == 4
    assert "  1 cause of 4 failed requirements" in list(terminal.lines(report))


# --- hand-written findings ------------------------------------------------------------------------


def sighting(requirement: str, defect: Any, *exchanges: Any, **properties: Any) -> Any:
    """A finding as an item records it, with its evidence."""
    return {
        "requirement": requirement,
        "verdict": "fail",
        "operation": "project_get",
        "message": defect["text"],
        "expected": "404",
        "needs": [],
        "exchanges": [each["id"] for each in exchanges],
        "item": "item",
        "defect": defect,
        "evidence": exchanges,
        **properties,
    }


def another_status(status: int, request: str = "a read", **properties: Any) -> Any:
    """A defect as `expect.status` creates it."""
    kind = "accepted" if status < 300 else "status"
    place = {"part": "status", "name": "", "exchange": ""}
    values = {"request": request, "response": str(status)}
    made = a_defect(kind, text="{request}: {response}", values=values, actual=status)
    return {**made, "where": [place], **properties}


def another_header(name: str) -> Any:
    """A defect of a header."""
    place = {"part": "header", "name": name, "exchange": ""}
    return {**a_defect("header", text=f"no {name}"), "where": [place]}


def grouped(*sightings: Any, **levels: str) -> list[tuple[str, list[str], list[str]]]:
    """The causes of these findings, with operations, and what fails with them.

    `levels` are by the second half of an id.
    """
    return [
        (
            cause["requirement"],
            cause["operations"],
            [f"{also['requirement']} {also['operations']}" for also in cause["also"]],
        )
        for cause in caused(*sightings, **levels)
    ]


def caused(*sightings: Any, **levels: str) -> list[CauseEntry]:
    """The causes of these findings as the report has them."""
    evidences = {each["id"]: each for sighted in sightings for each in sighted["evidence"]}
    findings: dict[str, list[Any]] = {}
    for sighted in sightings:
        findings.setdefault(sighted["requirement"], []).append(sighted)
    entries = [
        _failed(id, sighted, levels.get(id.partition("/")[2], "must"))
        for id, (sighted, *_) in findings.items()
    ]
    return causes(entries, findings, evidences)


def _failed(id: str, sighted: Any, level: str) -> Any:
    exchanges = [{**each, "curl": each["id"]} for each in sighted["evidence"]]
    finding = a_finding(message=sighted["message"], defect=sighted["defect"], exchanges=exchanges)
    return {**an_entry(id, "fail", level=level), "findings": [finding]}


def names(*sightings: Any, **levels: str) -> list[tuple[str, int]]:
    """Each cause with the number of requirements that fail with it."""
    return [(id, len(also)) for id, _, also in grouped(*sightings, **levels)]


def response_of(value: object) -> Any:
    """A response with this body."""
    return {"status": 200, "headers": [], "body": {"text": json.dumps(value)}}


GONE = an_exchange(1, status=410)
LISTED = an_exchange(2, "project_list", status=410)
OK = an_exchange(3)


def test_the_same_status_in_one_exchange_is_one_cause() -> None:
    """Of two that explain each other, the cause is the one on the fewest operations."""
    narrow = sighting("read/absent", another_status(410, "an unknown id"), GONE)
    wide = sighting("read/success", another_status(410, "a known id"), GONE)
    assert grouped(narrow, wide) == [
        ("read/absent", ["project_get"], ["read/success ['project_get']"])
    ]


def test_two_defects_in_one_exchange_are_two_causes() -> None:
    """The status and a property of the response are independent."""
    status = sighting("read/absent", another_status(200), OK)
    absent = a_defect("absent", "", text="{name} is absent", fields=["requestId"])
    request_id = sighting("envelope/request-id", absent, OK)
    assert names(status, request_id) == [("read/absent", 0), ("envelope/request-id", 0)]


def test_a_should_does_not_explain_a_must() -> None:
    """A must does explain a should."""
    must = sighting("read/absent", another_status(410, "an unknown id"), GONE)
    should = sighting("read/names", another_status(410, "a read by id"), GONE)
    assert names(should, must, names="should") == [("read/absent", 1)]


def test_a_partly_explained_failure_is_a_cause_too() -> None:
    """On project_list no other requirement fails."""
    failing = another_status(500, "again")
    status = sighting("arguments/no-failure", failing, an_exchange(4, status=500))
    elsewhere = sighting(
        "arguments/no-failure",
        failing,
        an_exchange(5, "project_list", status=500),
        operation="project_list",
    )
    id = sighting("arguments/id", another_status(500, "id '1'"), an_exchange(6, status=500))
    assert grouped(status, elsewhere, id) == [
        ("arguments/no-failure", ["project_list", "project_get"], []),
        ("arguments/id", ["project_get"], []),
    ]


def test_two_failures_of_one_requirement_without_others_are_one_cause() -> None:
    """The cause has two findings."""
    missing = sighting("pagination/complete", a_defect("omitted", text="{n} are missing"), OK)
    twice = sighting(
        "pagination/complete", a_defect("repeated", text="{n} occur twice"), OK, operation=None
    )
    assert grouped(missing, twice) == [("pagination/complete", ["project_get"], [])]


def test_findings_without_evidence_are_grouped_by_signature() -> None:
    """The signature is independent of values."""
    text = "asked for {asked}, received {id}"
    one = sighting("read/identity", a_defect("value", text=text, values={"asked": "1", "id": "2"}))
    same = sighting("read/absent", a_defect("value", text=text, values={"asked": "3", "id": "4"}))
    other = sighting("read/absent", a_defect("value", text="received nothing"))
    assert names(one, same) == [("read/identity", 1)]
    assert len(grouped(one, other)) == 2


def test_a_request_without_a_response_has_no_status_or_location() -> None:
    """The signature has neither."""
    silent = an_exchange(7, response=None, failure="timed out")
    absent = sighting("read/absent", a_defect("no-response", text="no response"), silent)
    success = sighting("read/success", a_defect("no-response", text="none"), silent)
    assert len(grouped(absent, success)) == 2


def test_two_headers_are_two_causes() -> None:
    """This includes one exchange; defects of the same header are one cause."""
    first = sighting("limits/retry-after", another_header("retry-after"), OK)
    second = sighting("authentication/challenge", another_header("www-authenticate"), OK)
    assert len(grouped(first, second)) == 2
    again = sighting("response/content-type", another_header("retry-after"), OK)
    assert len(grouped(first, again)) == 1


@pytest.mark.parametrize(("body", "number"), [("<html></html>", 1), ("plain", 2)])
def test_a_page_of_html_is_one_cause(body: str, number: int) -> None:
    """The page violates the media type and the form of the body."""
    response = {"status": 401, "headers": [], "body": {"text": body}}
    exchange = an_exchange(8, response=response)
    media_type = sighting("response/content-type", another_header("content-type"), exchange)
    form = sighting("response/json", a_defect("body", "", text="not JSON"), exchange)
    assert len(grouped(media_type, form)) == number


def test_an_accepted_credential_is_one_cause() -> None:
    """This holds for every request; another credential is another cause."""
    expired, revoked = (
        an_exchange(n, credential=name) for n, name in ((1, "expired"), (2, "revoked"))
    )
    read = sighting("authentication/expired", another_status(200, "a read"), expired)
    replay = sighting(
        "approval/guarded-replay",
        another_status(200, "a replay"),
        an_exchange(3, credential="expired"),
        expected="4xx",
    )
    other = sighting("authentication/revoked", another_status(200, "revoked"), revoked)
    assert names(read, replay, other) == [
        ("authentication/expired", 1),
        ("authentication/revoked", 0),
    ]


def test_a_replay_that_is_served_to_anybody_is_one_cause_on_both_faces() -> None:
    """Another key by tool is another cause."""

    def served(requirement: str, number: int, key: str, caller: str) -> Any:
        sent = {"method": "POST", "body": {"text": json.dumps({"idempotencyKey": key})}}
        exchange = an_exchange(number, credential=caller)
        exchange = {**exchange, "request": {**exchange["request"], **sent}}
        return sighting(requirement, another_status(200, f"{number} as {caller}"), exchange)

    http = served("approval/guarded-replay", 1, "one", "outsider")
    role = served("tools/approval", 2, "one", "no-review-role")
    lacking = served("tools/permission", 3, "one", "lacking.reviews:approve")
    other = served("tools/grants", 4, "other", "outsider")
    assert names(http, role, lacking, other) == [
        ("approval/guarded-replay", 2),
        ("tools/grants", 0),
    ]


def test_a_session_that_serves_anybody_is_one_cause() -> None:
    """A tool that serves a caller in its own session has another one."""

    def served(requirement: str, number: int, caller: str, where: str) -> Any:
        purpose = f"{caller}{where}"
        exchange = an_exchange(number, credential=caller, purpose=purpose)
        return sighting(requirement, another_status(200, purpose), exchange)

    other = ", after the handshake of primary"
    nobody = served("tools/authentication", 1, "nobody", other)
    lacking = served("tools/permission", 2, "lacking.projects:read", other)
    outsider = served("tools/grants", 3, "outsider", other)
    own = served("tools/permission", 4, "lacking.projects:read", "")
    assert names(nobody, lacking, outsider, own) == [
        ("tools/authentication", 2),
        ("tools/permission", 0),
    ]


def test_what_two_credentials_open_together_is_one_cause_on_both_faces() -> None:
    """What one of them opens alone is another."""

    def shown(requirement: str, number: int, *headers: str) -> Any:
        exchange = an_exchange(number, credential="lacking.projects:read")
        sent = {**exchange["request"], "headers": [[name, "$SECRET"] for name in headers]}
        found = a_defect("foreign", "/data/items", text=f"shows {number}", fields=[str(number)])
        return sighting(requirement, found, {**exchange, "request": sent})

    both = ("x-api-key", "authorization")
    http = shown("arguments/ambiguous", 1, *both)
    tool = shown("tools/permission", 2, *both)
    alone = shown("tools/authentication", 3, "x-api-key")
    assert names(http, tool, alone)[0] == ("arguments/ambiguous", 1)


def test_a_valid_credential_reaches_too_much_by_its_grants() -> None:
    """Other requests that primary may not send have other causes."""
    foreign = sighting("authorization/company", another_status(200, "a foreign project"), OK)
    tool = sighting(
        "tools/grants", another_status(200, "a tool"), an_exchange(4, credential="outsider")
    )
    mine = sighting("approval/unapprovable", another_status(200, "an approval"), an_exchange(5))
    assert names(foreign, tool, mine) == [
        ("authorization/company", 1),
        ("approval/unapprovable", 0),
    ]


def a_leak(requirement: str, *exchanges: Any, **properties: Any) -> Any:
    """A record outside the grant, in a list or elsewhere."""
    foreign = a_defect("foreign", "/data/items/0/companyId", text="a list shows a foreign record")
    return sighting(requirement, foreign, *exchanges, **properties)


def test_a_leak_is_not_explained_by_what_is_no_leak() -> None:
    """The leak is the cause, though the status of an absent record fails in the same exchange."""
    absent = sighting("read/absent", another_status(200, "an unknown id"), OK)
    elsewhere = sighting(
        "read/absent", another_status(200, "an unknown id"), LISTED, operation="project_list"
    )
    foreign = sighting("authorization/company", another_status(200, "a foreign id"), OK)
    assert grouped(absent, foreign) == [
        ("authorization/company", ["project_get"], ["read/absent ['project_get']"])
    ]
    assert names(absent, elsewhere, foreign) == [("read/absent", 0), ("authorization/company", 0)]


def test_an_effect_is_not_explained_by_a_status() -> None:
    """What an approval changed matters more than what its response says."""
    write = an_exchange(1, "review_approve", 500, request={"method": "POST"})
    status = sighting("arguments/no-failure", another_status(500, "an approval"), write)
    effect = a_defect("effect", text="rejected, but approved")
    effect["where"] = [{"part": "status", "name": "", "exchange": ""}]
    stale = sighting("approval/stale-revision", effect, write)
    assert names(status, stale) == [("approval/stale-revision", 1)]


def test_a_list_beyond_the_grant_is_one_cause() -> None:
    """It shows through filters as well, and what it shows cannot be read by its id."""
    page = {"data": {"items": [{"id": ID, "companyId": OTHER}]}}
    shown = an_exchange(1, "project_list", response=response_of(page))
    filtered = an_exchange(2, "project_list", response=response_of(page))
    unread = an_exchange(3, status=404)
    unlisted = an_exchange(4, status=404, request={"method": "GET", "url": f"/projects/{OTHER}"})
    success = sighting("read/success", another_status(404, "a read"), unread)
    another = sighting("read/success", another_status(404, "another"), unlisted)
    lists = a_leak("authorization/lists", shown, operation="project_list")
    by_filter = a_leak("authorization/filter", filtered, operation="project_list")
    assert names(success, lists, by_filter) == [("authorization/lists", 2)]
    assert names(another, lists) == [("read/success", 0), ("authorization/lists", 0)]


@pytest.mark.parametrize(
    ("requirement", "kind", "expected"),
    [
        ("authorization/company", "accepted", Severity.ACCESS),
        ("authorization/company", "status", Severity.FORM),
        ("tools/grants", "foreign", Severity.ACCESS),
        ("pagination/filter", "foreign", Severity.DATA),
        ("approval/stale-revision", "accepted", Severity.EFFECT),
        ("approval/stale-revision", "status", Severity.DATA),
        ("arguments/no-failure", "effect", Severity.EFFECT),
        ("arguments/body", "accepted", Severity.EFFECT),
        ("read/success", "status", Severity.DATA),
        ("project/closed", "extra", Severity.FORM),
        ("error/code", "value", Severity.FORM),
        ("read/success", "", Severity.DATA),
    ],
)
def test_the_severity_is_of_the_requirement_and_its_defect(
    requirement: str, kind: str, expected: Severity
) -> None:
    """A rejection with another status leaks nothing."""
    assert severity(requirement, kind) is expected


def test_the_requirements_on_access_are_in_the_catalogue() -> None:
    """None is misspelled."""
    assert set(requirements.load()) >= ON_ACCESS


def test_the_gravest_cause_comes_first() -> None:
    """Access, then effects, then data, then form, and the warnings after all of them."""
    kinds = {
        "error/code": "absent",
        "read/success": "status",
        "approval/alone": "effect",
        "authorization/company": "accepted",
    }
    report = a_report(
        *(
            an_entry(id, "fail", findings=[a_finding(defect=a_defect(kind))])
            for id, kind in kinds.items()
        )
    )
    order = [cause.entry["id"] for cause in attributed(report)]
    assert order == [*reversed(kinds), "read/names"]


def a_response(number: int, caller: str | None, id: str = "r-1", of: str = ID) -> Any:
    """A success of a caller with this request id."""
    response = response_of({"data": {"id": of}, "requestId": id})
    return an_exchange(number, credential=caller, response=response)


def test_one_response_to_different_callers_is_one_cause() -> None:
    """A leak tells it; another leak on the operation has it too, whatever its evidence."""
    another = a_response(9, "colleague", "r-9", OTHER)
    missing = sighting("authentication/missing", another_status(200, "a"), a_response(1, None))
    expired = sighting(
        "authentication/expired", another_status(200, "b"), a_response(2, "expired"), another
    )
    company = sighting(
        "authorization/company", another_status(200, "c"), a_response(3, "outsider", "r-2")
    )
    identity = sighting("read/identity", a_defect("foreign"), a_response(4, "primary"))
    found = caused(identity, missing, expired, company)
    assert [(each["requirement"], len(each["also"])) for each in found] == [
        ("authentication/missing", 3)
    ]
    assert "(primary, nobody, expired)" in found[0]["reason"]


def test_the_caller_whose_response_it_was_is_named() -> None:
    """It is not in the evidence of the leak, which nobody could follow without it."""
    read, leaked = a_response(1, "primary"), a_response(2, None)
    own = sighting("read/identity", a_defect("foreign"), read)
    leak = sighting("authentication/missing", another_status(200, "a"), leaked)
    other = sighting("read/fields", a_defect("value"), a_response(3, "primary", "r-2"))
    (found, *_) = caused(own, leak, other)

    assert found["requirement"] == "authentication/missing"
    assert found["exchange"] == leaked["id"]
    assert found["reason"].endswith(f"; the one below to primary before, in {read['id']}")


def test_one_text_for_all_errors_is_no_shared_response() -> None:
    """It has nothing of a caller."""

    def rejected(number: int, caller: str) -> Any:
        response = {**response_of({"code": "c", "requestId": "none"}), "status": 404}
        return an_exchange(number, credential=caller, response=response)

    found = caused(
        sighting("read/success", another_status(404, "a"), rejected(1, "primary")),
        sighting("authorization/permission", another_status(404, "b"), rejected(2, "outsider")),
        sighting("read/fields", a_defect("value"), a_response(3, "primary", "r-2")),
    )
    assert not [each for each in found if "reason" in each]


@pytest.mark.parametrize(
    ("second", "third"),
    [
        (a_response(2, "expired"), a_response(3, "outsider")),  # one id for everything
        (a_response(2, "expired", of=OTHER), a_response(3, "outsider", "r-2")),  # another body
        (a_response(2, None), a_response(3, "outsider", "r-2")),  # one caller
    ],
)
def test_request_ids_that_number_nothing_show_no_shared_response(second: Any, third: Any) -> None:
    """Neither does one caller who got a response twice."""
    found = caused(
        sighting("authentication/missing", another_status(200, "a"), a_response(1, None)),
        sighting("authentication/expired", another_status(200, "b"), second),
        sighting("authorization/company", another_status(200, "c"), third),
    )
    assert len(found) > 1
    assert not [each for each in found if "reason" in each]


def test_a_uuid_that_is_rejected_is_one_cause() -> None:
    """Three requirements have it in their requests; an id that was served is not the reason."""

    def asking(number: int, query: str, status: int = 422) -> Any:
        request = {"method": "GET", "url": f"/projects/{ID}?{query}"}
        return an_exchange(number, status=status, request=request)

    own, odd = asking(1, "", 200), f"companyId={OTHER}"
    success = sighting("read/success", another_status(422, "a"), own, asking(2, odd))
    accepted = sighting("arguments/accepted", another_status(422, "b"), own, asking(3, odd))
    filtered = sighting("pagination/filter", another_status(422, "c"), asking(4, f"limit=1&{odd}"))
    limit = sighting("pagination/limit", another_status(422, "d"), own, asking(5, "limit=7"))
    assert names(success, accepted, filtered, limit) == [
        ("read/success", 2),
        ("pagination/limit", 0),
    ]


def test_a_caller_who_may_approve_by_each_interface_is_one_cause() -> None:
    """Over HTTP the effect shows in a read of primary, by tool in the result."""
    post = {"method": "POST", "url": "/mcp", "headers": []}
    write = an_exchange(1, "review_approve", credential="no-review-role", request=post)
    read = an_exchange(2, "review_get")
    effect = a_defect("effect", text="the review is approved")
    by_tool = an_exchange(3, "review_approve", credential="no-review-role", request=post)
    role = sighting("authorization/review-role", effect, write, read)
    tool = sighting("tools/approval", another_status(200, "by tool"), by_tool)
    assert names(tool, role) == [("authorization/review-role", 1)]


def test_a_rejected_write_with_an_effect_is_one_cause() -> None:
    """The write has the same status, and a read shows the effect."""
    write = an_exchange(1, "review_approve", 409, request={"method": "POST"})
    read = an_exchange(2, "review_get")
    effect = a_defect("effect", text="rejected, but the review is approved")
    stale = sighting("approval/stale-revision", effect, write, read)
    step = a_defect("effect", text="after step {n} the review reads as approved")
    other_write = an_exchange(3, status=409, request={"method": "POST"})
    model = sighting("approval/model", step, other_write, read)
    assert names(stale, model) == [("approval/stale-revision", 1)]


def test_a_wrong_property_makes_records_differ() -> None:
    """Differences of other properties are separate causes."""
    uuid = a_defect("value", text="{place} is {value}", fields=["companyId"])
    status = a_defect("value", text="{place} is {value}", fields=["status"], keyword="type")
    malformed_id = sighting("representation/uuid", uuid, OK)
    nested = sighting("localization/fields", status, OK)
    differing = sighting(
        "read/agreement",
        a_defect("difference", text="list and record differ", fields=["name", "companyId"]),
        an_exchange(8),
    )
    pagination = sighting(
        "pagination/agreement",
        a_defect("difference", text="records differ between pages", fields=["status"]),
        an_exchange(9),
    )
    assert [
        (cause[0], cause[2]) for cause in grouped(malformed_id, nested, differing, pagination)
    ] == [
        ("representation/uuid", ["read/agreement ['project_get']"]),
        ("localization/fields", ["pagination/agreement ['project_get']"]),
    ]


def test_the_shortest_reproduction_is_named() -> None:
    """It has the fewest different exchanges, then the shortest command."""
    long, short = {**OK, "curl": "curl long"}, {**GONE, "curl": "curl"}
    findings = [
        a_finding(exchanges=[long, short]),
        a_finding(exchanges=[{**LISTED, "curl": "curl longer"}]),
        a_finding(exchanges=[long]),
    ]
    entry = an_entry("read/absent", "fail", findings=findings)
    seen = sighting("read/absent", findings[0]["defect"], OK)
    (cause,) = causes([entry], {"read/absent": [seen]}, {})
    assert cause["exchange"] == OK["id"]


@pytest.mark.parametrize(
    ("plain", "intricate"),
    [
        ({"expected": "403"}, {"expected": "4xx"}),
        ({}, {"purpose": "as the outsider, with the id in the other case, beside another caller"}),
        ({}, {"curl": "curl and more"}),
    ],
)
def test_the_plainest_example_is_named(plain: Any, intricate: Any) -> None:
    """It has an exact expectation, then the fewest circumstances, whatever its length."""

    def found(exchange: Any, expected: str = "404", **properties: Any) -> Any:
        shown = {**exchange, "purpose": "as the outsider", "curl": "curl", **properties}
        return a_finding(expected=expected, exchanges=[shown])

    entry = an_entry("read/absent", "fail", findings=[found(GONE, **intricate), found(OK, **plain)])
    seen = sighting("read/absent", entry["findings"][0]["defect"], OK)
    (cause,) = causes([entry], {"read/absent": [seen]}, {})
    assert cause["exchange"] == OK["id"]


def test_a_failure_of_an_older_version_has_its_message_as_signature() -> None:
    """The failure has no defect."""
    sighted = sighting("read/absent", a_defect(text="gone"), OK)
    assert signature(sighted | {"defect": None}).text == "gone"


# --- misplaced properties -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "field", "body", "places"),
    [
        ("absent", "code", {"error": {"code": "x"}}, [(("error",), "")]),
        ("absent", "code", {"errors": [{"Code": "x"}]}, [(("errors", 0), "code")]),
        ("absent", "createdAt", {"data": {"created_at": 1}}, [(("data",), "createdat")]),
        ("extra", "created_at", {"data": {"created_at": 1}}, [(("data",), "createdat")]),
        ("extra", "budget", {"data": {"created_at": 1}}, []),
        ("absent", "code", {"a": {"b": {"c": {"d": {"e": {"f": {"g": {"code": 1}}}}}}}}, []),
        ("status", "code", {"code": 1}, []),
    ],
)
def test_an_absent_property_is_looked_for(
    kind: str, field: str, body: object, places: list[tuple[tuple[str | int, ...], str]]
) -> None:
    """The search covers other spellings and other objects, some levels deep."""
    assert list(misplaced(a_defect(kind, fields=[field]), response_of(body))) == places


def test_a_body_that_is_not_json_has_no_properties() -> None:
    """A separate requirement checks that the body is JSON."""
    response: Any = {"status": 200, "headers": [], "body": {"text": "<html>"}}
    assert list(misplaced(a_defect("absent", fields=["code"]), response)) == []


# --- how reports show it --------------------------------------------------------------------------


def a_caused_report(**properties: Any) -> Any:
    """A report in which two requirements fail with a third, one of them a warning."""
    also = [
        {"requirement": id, "operations": ["project_get"]} for id in ("read/absent", "read/names")
    ]
    first = a_finding(message="status 410 (first)", exchanges=[{**GONE, "curl": "curl long"}])
    clearest = a_finding(message="status 410", exchanges=[{**LISTED, "curl": "curl"}])
    return a_report(
        an_entry("response/status", "fail", findings=[first, clearest]),
        an_entry("read/absent", "fail", findings=[a_finding(message="an id of nothing: 410")]),
        causes=[
            {
                "requirement": "response/status",
                "operations": ["project_get"],
                "also": also,
                "exchange": LISTED["id"],
            }
        ],
        **properties,
    )


def test_the_terminal_shows_a_cause_once() -> None:
    """It has the clearest exchange, and a line for each other requirement."""
    lines = list(terminal.lines(a_caused_report()))
    lines = lines[: lines.index("")]
    prefixes = ("FAILED", "WARNING", "  actual", "  seen", "  same cause")
    assert [line for line in lines if line.startswith(prefixes)] == [
        "FAILED  response/status  on project_get",
        "  actual       status 410",
        "  seen         by 3 checks",
        "  same cause   FAILED read/absent on project_get: The statement of read/absent.",
        "  same cause   WARNING read/names on project_get: The statement of read/names.",
    ]


def test_github_shows_each_cause_once() -> None:
    """It has the ids of the requirements that it explains."""
    (line,) = ci.annotations(a_caused_report())
    assert line == (
        "::error title=response/status[project_get]::The statement of response/status. "
        "Same cause: read/absent, read/names. status 410"
    )


def test_the_reason_of_a_cause_is_shown_with_it() -> None:
    """The terminal has it first, GitHub and the summary after the requirement."""
    report = a_caused_report()
    report["causes"][0]["reason"] = "a cache"
    assert next(terminal.lines(report)) == "CAUSE   a cache"
    (line,) = ci.annotations(report)
    assert "response/status. Reason: a cache. Same cause" in line
    assert "  - reason: a cache\n" in markdown.render(report).decode()
    assert '<p class="causes">Cause: <b>a cache</b></p>' in html.render(report, [])


def test_the_summary_lists_the_requirements_that_a_cause_explains() -> None:
    """They are indented below the cause."""
    text = markdown.render(a_caused_report()).decode()
    assert (
        "- **response/status** on project\\_get: The statement of response/status. *status 410*\n"
        in text
    )
    assert (
        "  - same cause: **read/absent** on project\\_get: The statement of read/absent.\n" in text
    )


def test_a_long_summary_names_the_omitted_requirements() -> None:
    """Each omitted requirement is named by its id."""
    many = a_report(*(an_entry(f"read/number-{number}", "fail") for number in range(33)))
    assert (
        "- … and 3 more: read/number-30, read/number-31, read/number-32\n"
        in markdown.render(many).decode()
    )


def test_a_long_list_of_errors_is_truncated_too() -> None:
    """The errors are internal errors."""
    many = a_report(
        *(an_entry(f"read/number-{number}", "error", operations={}) for number in range(33))
    )
    assert "- … and 4 more\n" in markdown.render(many).decode()


def test_the_page_links_a_cause_to_its_consequences_and_back() -> None:
    """The first screen has only the cause, with links to the others."""
    page = html.render(a_caused_report(), [])
    glance = page[page.index('aria-label="What failed"') : page.index("</nav>")]
    assert glance.count("<li") - glance.count('<li class="error"') == 1
    assert (
        'Same reason: <a href="#read/absent">read/absent</a>, <a href="#read/names">read/names</a>'
        in glance
    )
    assert (
        page.count('Fails for the same reason as <a href="#response/status">response/status</a>')
        == 2
    )
    article = page[page.index('id="response/status"') :]
    assert article.index('<dd class="actual">status 410 <span') < article.index(
        '<dd class="actual">status 410 (first)'
    )


def test_a_report_of_an_older_version_has_no_causes() -> None:
    """Each requirement is its own cause there."""
    report = a_caused_report()
    del report["causes"]
    assert [(cause.entry["id"], cause.also) for cause in attributed(report)] == [
        ("response/status", ()),
        ("read/absent", ()),
        ("read/names", ()),
    ]


def test_a_consequence_of_a_known_failure_is_a_separate_cause() -> None:
    """A known failure excuses only itself."""
    report = a_caused_report()
    for finding in report["requirements"][0]["findings"]:
        finding["known"] = "tracked"
    assert [cause.entry["id"] for cause in attributed(report)] == ["read/absent", "read/names"]


def test_a_known_failure_is_not_shown_under_a_cause() -> None:
    """The list of known failures has it."""
    report = a_caused_report()
    report["requirements"][1]["findings"][0]["known"] = "tracked"
    (cause,) = attributed(report)
    assert [also.entry["id"] for also in cause.also] == ["read/names"]
