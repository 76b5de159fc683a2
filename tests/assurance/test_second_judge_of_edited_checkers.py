"""A mistake in the suite is found by the second judge: it says pass, and the recording does not."""

from pathlib import Path

import pytest
import second_opinions
from edited_checker import edited

from conformance.assurance.selftest import population

BY_ID = {subject.id: subject for subject in population.shipped()}

RESPONSE, RECORD, REQUESTED, ARGUMENTS = (
    f"conformance.rules.{name}" for name in ("response", "record", "requested", "arguments")
)
PAGE, EXPECT = "conformance.rules.page", "conformance.suite.callers.expect"
FAULTS = "violated.setdefault((_requirement(each, resource, names), _field(each)), each)"
FOREIGN = "if id.lower() != wanted.lower()"
REJECTED = "hold(requirement, exchange.status in allowed,", "hold(requirement, True,"
STATUS = "    if response.status in allowed:\n        return\n", "    return\n"
THAT = "    if not holds:\n", "    if False:\n"


def text(name: str) -> tuple[str, str]:
    """The edit that makes a rule accept a property of an error body, whatever it is."""
    old = f'yield _string(parsed, "{name}", "error/{name}", required={name == "code"})'
    return old, f'yield Judgement("error/{name}")'


def faults(keyword: str) -> tuple[str, str]:
    """The edit that makes the rule on records overlook what one keyword rejects."""
    return FAULTS, f'each.keyword == "{keyword}" or {FAULTS}'


CHECKERS = {
    "response/status": (
        *(RESPONSE, 'hold("response/status", documented,', 'hold("response/status", True,'),
        "account-created",
    ),
    "response/content-type": (
        *(RESPONSE, '"response/content-type", is_json(response)', '"response/content-type", True'),
        "type-of-everything",
    ),
    "response/json": (
        *(RESPONSE, '"response/json", parsed is not MISSING', '"response/json", True'),
        "html-instead-of-401",
    ),
    "envelope/data": (
        *(RESPONSE, 'is_object and "data" in properties, otherwise', "True, otherwise"),
        "account-without-envelope",
    ),
    "envelope/request-id": (
        RESPONSE,
        'yield _string(properties, "requestId", "envelope/request-id", required=True)',
        'yield Judgement("envelope/request-id")',
        "success-without-request-id",
    ),
    "error/object": (
        *(RESPONSE, '"error/object", isinstance(parsed, dict)', '"error/object", True'),
        "422-is-an-array",
    ),
    "error/code": (RESPONSE, *text("code"), "nested-errors"),
    "error/message": (RESPONSE, *text("message"), "list-of-messages"),
    "error/title": (RESPONSE, *text("title"), "null-title"),
    "limits/retry-after": (
        *(RESPONSE, '"limits/retry-after", value != ""', '"limits/retry-after", True'),
        "no-retry-after",
    ),
    "limits/retry-after-form": (
        *(RESPONSE, "is_standard = retry_after(response) is not None", "is_standard = True"),
        "retry-after-in-minutes",
    ),
    "page/items": (
        *(RECORD, '"page/items", isinstance(items, list)', '"page/items", True'),
        "empty-page-without-items",
    ),
    "page/next-cursor": (
        RECORD,
        "fits = value is None or validation.is_uuid(value, contract)",
        "fits = True",
        "cursor-is-an-offset",
    ),
    "project/fields": (RECORD, *faults("type"), "project-with-epoch"),
    "account/required": (RECORD, *faults("required"), "account-without-type"),
    "project/closed": (RECORD, *faults("additionalProperties"), "listed-project-with-position"),
    "representation/count": (RECORD, *faults("minimum"), "project-with-negative-count"),
    "account/type": (RECORD, *faults("enum"), "account-type-in-capitals"),
    "pagination/limit": (
        *(PAGE, '"pagination/limit", length == limit', '"pagination/limit", True'),
        "one-more-than-the-limit",
    ),
    "read/identity": (
        *(REQUESTED, FOREIGN, f"{FOREIGN} and requirement != IDENTITY"),
        "neighbouring-video",
    ),
    "read/parent": (
        *(REQUESTED, FOREIGN, f"{FOREIGN} and requirement != PARENT"),
        "comments-of-the-whole-project",
    ),
    "arguments/limit": (ARGUMENTS, *REJECTED, "limit-above-accepted"),
    "arguments/cursor": (ARGUMENTS, *REJECTED, "cursor-without-dashes"),
    "arguments/id": (ARGUMENTS, *REJECTED, "ids-without-dashes"),
    "authentication/missing": (EXPECT, *STATUS, "missing-is-forbidden"),
    "approval/result-status": (EXPECT, *THAT, "result-in-capitals"),
    "approval/result-revision": (EXPECT, *THAT, "result-of-the-next-revision"),
}
"""The requirement that an edit of the checker lets pass: module, old and new text, and a mutant."""


@pytest.mark.parametrize("requirement", CHECKERS)
def test_a_rule_that_always_passes_is_found(requirement: str, tmp_path: Path) -> None:
    """The report says pass; the recording shows the violation of a mutant of the reference."""
    module, old, new, mutant = CHECKERS[requirement]
    with edited(module, old, new):
        run = second_opinions.run(BY_ID[mutant].edits, tmp_path, [requirement])
    assert run.verdicts[requirement] == "pass"
    found = f"{requirement}: the certificate says pass, the second judge finds fail at "
    assert any(sentence.startswith(found) for sentence in run.opinion.differences)


def test_a_rule_that_always_fails_is_found(tmp_path: Path) -> None:
    """The report names exchanges that are as the contract says."""
    old = '"response/content-type", is_json(response)'
    with edited(RESPONSE, old, '"response/content-type", False'):
        run = second_opinions.run((), tmp_path, ["response/content-type"])
    assert run.verdicts["response/content-type"] == "fail"
    found = "response/content-type: the certificate says fail, the second judge finds pass at "
    assert any(sentence.startswith(found) for sentence in run.opinion.differences)
