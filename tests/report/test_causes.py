"""What is behind what is broken: what is put together, what is kept apart, and how it is told."""

import json
import tempfile
from pathlib import Path
from typing import Any

import altered_run
import pytest
import subjects
from altered_run import Document
from sample_reports import a_finding, a_report, an_entry, an_exchange

from conformance.assurance.selftest import workers
from conformance.report.causes import misplaced
from conformance.report.causes.attribution import attributed
from conformance.report.causes.grouping import causes
from conformance.report.console import terminal
from conformance.report.formats import ci, html, markdown

SUBJECTS = {
    "neighbouring-video": ["read"],
    "nested-errors": ["read"],
    "html-instead-of-401": ["read", "authentication"],
    "absent-is-gone": ["read", "authorization"],
    "odd-cursor-fails+malformed-id-fails": ["read", "pagination"],
    "project-company-unchecked+account-in-snake-case": ["read", "authorization"],
}
"""Mutants of the reference, alone or two at once, and the classes whose checks meet what they break."""

SLOW = 120.0


# --- altered references --------------------------------------------------------------------------------------------------


def report_of(name: str) -> Document:
    """The report on a reference with the edits of one mutant, or of two with + between their names."""
    edits = [edit for each in name.split("+") for edit in subjects.BY_ID[each].edits]
    with tempfile.TemporaryDirectory() as directory:
        return altered_run.report(edits, Path(directory), SUBJECTS[name])


@pytest.fixture(scope="module")
def reports() -> dict[str, Document]:
    """The reports on several altered references, judged in other processes than this one."""
    found = dict(workers.each(report_of, SUBJECTS, 2, patience=SLOW))
    assert [failure for failure in found.values() if isinstance(failure, workers.Failure)] == []
    return {
        name: report for name, report in found.items() if not isinstance(report, workers.Failure)
    }


def told(report: Document) -> list[tuple[str, list[str]]]:
    """Each cause with what else it breaks."""
    return [
        (cause["requirement"], [also["requirement"] for also in cause["also"]])
        for cause in report["causes"]
    ]


def failed(report: Document) -> set[str]:
    """The requirements that are broken."""
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
    reports: dict[str, Document], name: str, expected: list[tuple[str, list[str]]]
) -> None:
    """With everything that it breaks under it."""
    assert told(reports[name]) == expected


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
    reports: dict[str, Document], name: str, expected: list[tuple[str, list[str]]]
) -> None:
    """What both break stands under both."""
    assert told(reports[name]) == expected


@pytest.mark.parametrize("name", SUBJECTS)
def test_no_failure_is_left_out_anywhere(reports: dict[str, Document], name: str) -> None:
    """The causes, the terminal, the page and the summary name each failed requirement with what it promises."""
    report = reports[name]
    assert {id for requirement, also in told(report) for id in (requirement, *also)} == failed(
        report
    )
    shown = "\n".join(terminal.lines(report))
    page = html.render(report, [])
    summary = markdown.render(report).decode()
    for entry in report["requirements"]:
        if entry["verdict"] == "fail":
            assert entry["id"] in shown
            assert entry["statement"] in shown
            assert f'<article class="entry broken" id="{entry["id"]}"' in page
            assert f"**{entry['id']}**" in summary
            operations = {
                found["operation"] for found in entry["findings"] if found["verdict"] == "fail"
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
    reports: dict[str, Document], name: str
) -> None:
    """And stands in the report with the command that sends it again."""
    report = reports[name]
    for cause in report["causes"]:
        entry = next(
            entry for entry in report["requirements"] if entry["id"] == cause["requirement"]
        )
        assert cause["exchange"] in [
            exchange["id"] for found in entry["findings"] for exchange in found["exchanges"]
        ]


def test_counts_are_of_requirements(reports: dict[str, Document]) -> None:
    """However few causes there are."""
    report = reports["absent-is-gone"]
    assert report["counts"]["must"]["fail"] == 4
    assert "  1 cause behind 4 failed requirements" in list(terminal.lines(report))


# --- findings made by hand -----------------------------------------------------------------------------------------------


def sighting(requirement: str, message: str, *exchanges: Document, **members: Any) -> Document:
    """A finding as an item makes it."""
    found = {
        "requirement": requirement,
        "verdict": "fail",
        "operation": "project_get",
        "message": message,
        "expected": "404",
    }
    return {
        **found,
        "needs": [],
        "exchanges": [each["id"] for each in exchanges],
        "item": "item",
        "evidence": exchanges,
        **members,
    }


def grouped(*sightings: Document, **levels: str) -> list[tuple[str, list[str], list[str]]]:
    """The causes of these findings, with their operations and what else they break; `levels` by the second half of an id."""
    evidences = {each["id"]: each for found in sightings for each in found["evidence"]}
    findings: dict[str, list[Document]] = {}
    for found in sightings:
        findings.setdefault(found["requirement"], []).append(found)
    entries = [
        {
            **an_entry(id, "fail", level=levels.get(id.partition("/")[2], "must")),
            "findings": [
                a_finding(
                    message=found["message"],
                    exchanges=[{**each, "curl": each["id"]} for each in found["evidence"]],
                )
            ],
        }
        for id, (found, *_) in findings.items()
    ]
    return [
        (
            cause["requirement"],
            cause["operations"],
            [f"{also['requirement']} {also['operations']}" for also in cause["also"]],
        )
        for cause in causes(entries, findings, evidences)
    ]


GONE = an_exchange(1, status=410)
LISTED = an_exchange(2, "project_list", status=410)
OK = an_exchange(3)


def test_the_same_status_in_one_exchange_is_one_cause() -> None:
    """Of two that explain each other, the one on the fewest operations stands for both."""
    narrow = sighting("read/absent", "an id of nothing: 410", GONE)
    wide = sighting("read/success", "read by id: 410", GONE)
    assert grouped(narrow, wide) == [
        ("read/absent", ["project_get"], ["read/success ['project_get']"])
    ]


def test_the_same_exchange_with_two_things_wrong_is_two_causes() -> None:
    """Its status and one of its members have nothing to do with each other."""
    status = sighting("read/absent", "an id of nothing: 200", OK)
    member = sighting("envelope/request-id", "no requestId", OK, expected="requestId: a string")
    assert [cause[0] for cause in grouped(status, member)] == ["read/absent", "envelope/request-id"]


def test_a_should_explains_no_must() -> None:
    """It is explained by one at most."""
    must = sighting("read/absent", "an id of nothing: 410", GONE)
    should = sighting("read/names", "read by id: 410", GONE)
    assert [cause[0] for cause in grouped(should, must, names="should")] == ["read/absent"]


def test_what_is_explained_in_part_stands_for_itself_too() -> None:
    """On project_list nothing else shows what is wrong."""
    status = sighting("arguments/no-failure", "500 again", an_exchange(4, status=500))
    elsewhere = sighting(
        "arguments/no-failure",
        "500 again",
        an_exchange(5, "project_list", status=500),
        operation="project_list",
    )
    id = sighting("arguments/id", "id '1' was answered 500", an_exchange(6, status=500))
    assert grouped(status, elsewhere, id) == [
        ("arguments/no-failure", ["project_list", "project_get"], []),
        ("arguments/id", ["project_get"], []),
    ]


def test_two_kinds_of_one_requirement_with_nothing_under_them_are_told_together() -> None:
    """They are two findings of it, as without causes."""
    missing = sighting("pagination/complete", "7 records are missing with limit 1", OK)
    twice = sighting("pagination/complete", "7 records come twice", OK, operation=None)
    assert grouped(missing, twice) == [("pagination/complete", ["project_get"], [])]


def test_without_evidence_the_words_decide() -> None:
    """The same but for values."""
    one = sighting("read/identity", "asked for '1', got '2'")
    same = sighting("read/absent", "asked for '3', got '4'")
    assert grouped(one, same) == [
        ("read/identity", ["project_get"], ["read/absent ['project_get']"])
    ]
    assert len(grouped(one, sighting("read/absent", "nothing was asked for"))) == 2


def test_an_exchange_without_an_answer_shows_only_that() -> None:
    """No status, no place."""
    silent = an_exchange(7, response=None, failure="timed out")
    assert (
        len(
            grouped(
                sighting("read/absent", "no answer", silent),
                sighting("read/success", "none", silent),
            )
        )
        == 2
    )


@pytest.mark.parametrize(
    ("header", "requirement", "message"),
    [
        ("limits/retry-after", "authentication/challenge", "401 without WWW-Authenticate"),
        ("response/content-type", "response/json", "a body that is no JSON"),
    ],
)
def test_two_headers_or_a_header_and_a_body_are_two_causes(
    header: str, requirement: str, message: str
) -> None:
    """Unless the body is a page."""
    assert (
        len(
            grouped(
                sighting(header, "Content-Type 'text/html'", OK), sighting(requirement, message, OK)
            )
        )
        == 2
    )


def test_who_is_let_in_is_let_in_for_one_reason() -> None:
    """The same credential on the same operation, whatever was asked for; what the outsider reaches is a matter of grants."""
    expired, other = (
        an_exchange(number, credential=name) for number, name in ((1, "expired"), (2, "revoked"))
    )
    read = sighting("authentication/expired", "expired api-key: 200", expired, expected="401")
    replay = sighting(
        "approval/guarded-replay",
        "replay as expired: 200",
        an_exchange(3, credential="expired"),
        expected="a refusal",
    )
    revoked = sighting("authentication/revoked", "revoked api-key: 200", other, expected="401")
    assert [(cause[0], len(cause[2])) for cause in grouped(read, replay, revoked)] == [
        ("authentication/expired", 1),
        ("authentication/revoked", 0),
    ]
    foreign = sighting("authorization/company", "a foreign project: 200", OK, expected="403 or 404")
    tool = sighting(
        "tools/grants",
        "call the tool as the outsider: a result",
        an_exchange(4, credential="outsider"),
        expected="a refusal",
    )
    mine = sighting(
        "approval/unapprovable",
        "approve what cannot be approved: 200",
        an_exchange(5),
        expected="409",
    )
    assert [(cause[0], len(cause[2])) for cause in grouped(foreign, tool, mine)] == [
        ("authorization/company", 1),
        ("approval/unapprovable", 0),
    ]


def test_what_was_refused_and_done_is_one_cause() -> None:
    """With the same refusal before the reading that shows it."""
    asked, read = (
        an_exchange(1, "review_approve", 409, request={"method": "POST"}),
        an_exchange(2, "review_get"),
    )
    stale = sighting(
        "approval/stale-revision",
        "one ahead: answered 409, and the review is approved",
        asked,
        read,
    )
    model = sighting(
        "approval/model",
        "after step 1 the review reads as approved",
        an_exchange(3, status=409, request={"method": "POST"}),
        read,
    )
    assert [(cause[0], len(cause[2])) for cause in grouped(stale, model)] == [
        ("approval/stale-revision", 1)
    ]


def test_a_member_that_is_wrong_makes_records_differ() -> None:
    """By its name; other members differ for reasons of their own."""
    member = sighting("representation/uuid", 'companyId: "x" does not match "^[0-9a-f]"', OK)
    nested = sighting(
        "localization/fields", 'localizations.2.status: 1 is not of type "string"', OK
    )
    differing = sighting(
        "read/agreement",
        "list and record differ in name, companyId",
        an_exchange(8),
        expected="the same values",
    )
    walks = sighting(
        "pagination/agreement",
        "records differ in status between page 1 and page 2",
        an_exchange(9),
        expected="the same",
    )
    assert [(cause[0], cause[2]) for cause in grouped(member, nested, differing, walks)] == [
        ("representation/uuid", ["read/agreement ['project_get']"]),
        ("localization/fields", ["pagination/agreement ['project_get']"]),
    ]


def test_one_header_is_one_cause() -> None:
    """Whichever requirement speaks of it."""
    one, other = (
        sighting(id, "Content-Type None", OK)
        for id in ("response/content-type", "authentication/challenge")
    )
    assert len(grouped(one, {**other, "requirement": "response/content-type"})) == 1


def test_the_shortest_reproduction_is_named() -> None:
    """That of the fewest different exchanges, then of the shortest command."""
    long, short = {**OK, "curl": "curl long"}, {**GONE, "curl": "curl"}
    shown = [
        a_finding(exchanges=[long, short]),
        a_finding(exchanges=[{**LISTED, "curl": "curl longer"}]),
        a_finding(exchanges=[long]),
    ]
    entry = an_entry("read/absent", "fail", findings=shown)
    (cause,) = causes(
        [entry], {"read/absent": [sighting("read/absent", shown[0]["message"], OK)]}, {}
    )
    assert cause["exchange"] == OK["id"]


# --- members in other places ---------------------------------------------------------------------------------------------


def answer(value: object) -> Document:
    """A response with this body."""
    return {"status": 200, "headers": [], "body": {"text": json.dumps(value)}}


@pytest.mark.parametrize(
    ("message", "body", "found"),
    [
        ("no code", {"error": {"code": "x"}}, [("wrapped", ("error",), "")]),
        ("no code", {"errors": [{"Code": "x"}]}, [("respelled", ("errors", 0), "code")]),
        (
            'the record: "createdAt" is a required property',
            {"data": {"created_at": 1}},
            [("respelled", ("data",), "createdat")],
        ),
        (
            "the record: Additional properties are not allowed ('created_at', 'x' were unexpected)",
            {"data": {"created_at": 1}},
            [("respelled", ("data",), "createdat")],
        ),
        ("no code", {"a": {"b": {"c": {"d": {"e": {"f": {"g": {"code": 1}}}}}}}}, []),
        ("status 410", {"code": 1}, []),
    ],
)
def test_a_missed_member_is_looked_for(
    message: str, body: object, found: list[tuple[str, tuple[str | int, ...], str]]
) -> None:
    """Under other spellings, and within other members, as deep as people nest them."""
    assert list(misplaced.of(message, answer(body))) == found


def test_nothing_is_looked_for_in_what_is_no_json() -> None:
    """It is another requirement's affair."""
    assert (
        list(misplaced.of("no code", {"status": 200, "headers": [], "body": {"text": "<html>"}}))
        == []
    )


# --- how it is told ------------------------------------------------------------------------------------------------------


def a_caused_report(**members: Any) -> Document:
    """A report in which two requirements stand under a third, one of them a warning."""
    also = [
        {"requirement": id, "operations": ["project_get"]} for id in ("read/absent", "read/names")
    ]
    first = a_finding(message="status 410 (first)", exchanges=[{**GONE, "curl": "curl long"}])
    telling = a_finding(message="status 410", exchanges=[{**LISTED, "curl": "curl"}])
    return a_report(
        an_entry("response/status", "fail", findings=[first, telling]),
        an_entry("read/absent", "fail", findings=[a_finding(message="an id of nothing: 410")]),
        causes=[
            {
                "requirement": "response/status",
                "operations": ["project_get"],
                "also": also,
                "exchange": LISTED["id"],
            }
        ],
        **members,
    )


def test_the_terminal_tells_a_cause_once() -> None:
    """Its telling exchange, and a line for each other requirement."""
    lines = list(terminal.lines(a_caused_report()))
    lines = lines[: lines.index("")]
    assert [
        line for line in lines if line.startswith(("BROKEN", "WARNING", "  found", "  also seen"))
    ] == [
        "BROKEN  response/status  on project_get",
        "  found      status 410  (3 times)",
        "  also seen  BROKEN read/absent on project_get: The statement of read/absent.",
        "  also seen  WARNING read/names on project_get: The statement of read/names.",
    ]


def test_github_is_told_each_cause_once() -> None:
    """With the names of what else it breaks."""
    (line,) = ci.annotations(a_caused_report())
    assert line == (
        "::error title=response/status[project_get]::The statement of response/status. Also seen as read/absent, read/names. status 410"
    )


def test_the_summary_tells_what_stands_under_a_cause() -> None:
    """Indented below it."""
    text = markdown.render(a_caused_report()).decode()
    assert (
        "- **response/status** on project\\_get: The statement of response/status. *status 410*\n"
        in text
    )
    assert (
        "  - also seen as **read/absent** on project\\_get: The statement of read/absent.\n" in text
    )


def test_a_long_summary_names_what_it_leaves_out() -> None:
    """By its id."""
    many = a_report(*(an_entry(f"read/number-{number}", "fail") for number in range(33)))
    assert (
        "- … and 3 more: read/number-30, read/number-31, read/number-32\n"
        in markdown.render(many).decode()
    )


def test_a_long_list_of_errors_is_cut_too() -> None:
    """These are the checker's own."""
    many = a_report(
        *(an_entry(f"read/number-{number}", "error", operations={}) for number in range(33))
    )
    assert "- … and 4 more\n" in markdown.render(many).decode()


def test_the_page_leads_from_a_cause_to_what_it_breaks_and_back() -> None:
    """At a glance only the cause stands, with links to the rest."""
    page = html.render(a_caused_report(), [])
    glance = page[page.index('aria-label="What is broken"') : page.index("</nav>")]
    assert glance.count("<li") - glance.count('<li class="error"') == 1
    assert (
        'Also seen as <a href="#read/absent">read/absent</a>, <a href="#read/names">read/names</a>'
        in glance
    )
    assert page.count('for the same reason as <a href="#response/status">response/status</a>') == 2
    article = page[page.index('id="response/status"') :]
    assert article.index('<dd class="found">status 410 <span') < article.index(
        '<dd class="found">status 410 (first)'
    )


def test_a_report_of_an_older_version_has_no_causes() -> None:
    """Each requirement stands for itself."""
    report = a_caused_report()
    del report["causes"]
    assert [(cause.entry["id"], cause.also) for cause in attributed(report)] == [
        ("response/status", ()),
        ("read/absent", ()),
        ("read/names", ()),
    ]


def test_what_a_known_cause_breaks_is_told_by_itself() -> None:
    """A reason to let the one pass is none to pass over the other."""
    report = a_caused_report()
    for found in report["requirements"][0]["findings"]:
        found["known"] = "tracked"
    assert [cause.entry["id"] for cause in attributed(report)] == ["read/absent", "read/names"]


def test_what_is_known_is_not_told_under_a_cause() -> None:
    """It stands among what is known."""
    report = a_caused_report()
    report["requirements"][1]["findings"][0]["known"] = "tracked"
    (cause,) = attributed(report)
    assert [also.entry["id"] for also in cause.also] == ["read/names"]
