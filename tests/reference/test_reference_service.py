"""The reference's operations without HTTP: JSON arguments in, data or a error out."""

from sqlite3 import OperationalError
from typing import Any

import pytest

from conformance.reference import Reference, catalogue
from conformance.reference.access import Caller
from conformance.reference.errors import ApiError, InvalidArguments, Unauthenticated
from conformance.reference.schemes import PresentedCredentials


@pytest.fixture
def caller(reference: Reference) -> Caller:
    """Primary, admitted by its bearer token."""
    return reference.service.admit(
        PresentedCredentials(None, reference.profile("")["credentials"]["primary"]["bearer"])
    )


def perform(
    reference: Reference, caller: Caller, operation: str, **given: object
) -> dict[str, Any]:
    """The data of an operation's answer."""
    return reference.service.perform(catalogue.operation(operation), caller, given)


def test_every_operation_of_the_contract_is_performed(reference: Reference, caller: Caller) -> None:
    """Each gets the arguments that the contract names, and gives data."""
    review = reference.profile("")["fixtures"]["approvable-reviews"][0]
    about = perform(reference, caller, "review_get", reviewId=review)
    given = {"reviewId": review, "projectId": about["projectId"], "videoId": about["videoId"]}
    given |= {"expectedSubjectRevision": about["subjectRevision"], "idempotencyKey": "one"}
    assert all(
        perform(reference, caller, operation.id, **given) for operation in catalogue.operations()
    )


def test_a_caller_needs_a_credential(reference: Reference) -> None:
    """Nothing presented is nobody."""
    with pytest.raises(Unauthenticated):
        reference.service.admit(PresentedCredentials(None, None))


@pytest.mark.parametrize("limit", [5, 5.0])
def test_a_limit_is_a_json_integer(reference: Reference, caller: Caller, limit: object) -> None:
    """Any number with an integral value is one."""
    assert len(perform(reference, caller, "project_list", limit=limit)["items"]) == 5


@pytest.mark.parametrize(
    "given",
    [
        {"limit": "5"},
        {"limit": True},
        {"limit": None},
        {"cursor": 7},
        {"companyId": None},
        {"limit": [5]},
    ],
)
def test_an_argument_of_another_type_is_refused(
    reference: Reference, caller: Caller, given: dict[str, object]
) -> None:
    """Text is no integer here, and null is no way to leave an argument out."""
    with pytest.raises(InvalidArguments):
        perform(reference, caller, "project_list", **given)


def test_a_required_argument_is_asked_for(reference: Reference, caller: Caller) -> None:
    """Its name is in the message."""
    with pytest.raises(InvalidArguments, match="projectId is required"):
        perform(reference, caller, "project_get")


def test_a_transaction_happens_as_a_whole_or_not_at_all(reference: Reference) -> None:
    """What raises inside undoes what was written before it, and is not mistaken for a busy store."""

    def spoil() -> None:
        with reference.store.transaction():
            reference.store.write("DELETE FROM replies", {})
            reference.store.write("DELETE FROM nowhere", {})

    with pytest.raises(OperationalError, match="nowhere"):
        spoil()
    assert reference.store.rows("SELECT id FROM replies", {})


def test_every_refusal_has_a_status_and_a_code_of_its_own() -> None:
    """No two errors share one."""
    errors = ApiError.__subclasses__()
    assert sorted({error.status for error in errors}) == [
        400,
        401,
        403,
        404,
        405,
        409,
        413,
        422,
        429,
        500,
        503,
    ]
    assert len({error.code for error in errors}) == len({error.title for error in errors}) == 11
