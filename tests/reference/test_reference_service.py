"""The operations of the reference without HTTP."""

from sqlite3 import OperationalError
from typing import Any

import pytest

from conformance.reference import Reference, catalogue
from conformance.reference.access import Caller
from conformance.reference.errors import ApiError, InvalidArguments, Unauthenticated
from conformance.reference.schemes import PresentedCredentials


@pytest.fixture
def caller(reference: Reference) -> Caller:
    """The caller of primary's bearer token."""
    return reference.service.admit(
        PresentedCredentials(None, reference.profile("")["credentials"]["primary"]["bearer"])
    )


def perform(
    reference: Reference, caller: Caller, operation: str, **given: object
) -> dict[str, Any]:
    """The data of an operation."""
    return reference.service.perform(catalogue.operation(operation), caller, given)


def test_every_operation_of_the_contract_is_performed(reference: Reference, caller: Caller) -> None:
    """Each returns data for the parameters of the contract."""
    review = reference.profile("")["fixtures"]["approvable-reviews"][0]
    about = perform(reference, caller, "review_get", reviewId=review)
    given = {"reviewId": review, "projectId": about["projectId"], "videoId": about["videoId"]}
    given |= {"expectedSubjectRevision": about["subjectRevision"], "idempotencyKey": "one"}
    assert all(
        perform(reference, caller, operation.id, **given) for operation in catalogue.operations()
    )


def test_a_caller_needs_a_credential(reference: Reference) -> None:
    """A request without a credential is rejected."""
    with pytest.raises(Unauthenticated):
        reference.service.admit(PresentedCredentials(None, None))


@pytest.mark.parametrize("limit", [5, 5.0])
def test_a_limit_is_a_json_integer(reference: Reference, caller: Caller, limit: object) -> None:
    """Any number without a fraction is accepted."""
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
def test_an_argument_of_another_type_is_rejected(
    reference: Reference, caller: Caller, given: dict[str, object]
) -> None:
    """A string is not an integer, and null does not mean absent."""
    with pytest.raises(InvalidArguments):
        perform(reference, caller, "project_list", **given)


def test_a_missing_argument_is_named(reference: Reference, caller: Caller) -> None:
    """The message has the name of the argument."""
    with pytest.raises(InvalidArguments, match="projectId is required"):
        perform(reference, caller, "project_get")


def test_a_transaction_is_atomic(reference: Reference) -> None:
    """An exception rolls the transaction back, and is not reported as Unavailable."""

    def spoil() -> None:
        with reference.store.transaction():
            reference.store.write("DELETE FROM replies", {})
            reference.store.write("DELETE FROM nowhere", {})

    with pytest.raises(OperationalError, match="nowhere"):
        spoil()
    assert reference.store.rows("SELECT id FROM replies", {})


def test_every_error_has_its_own_status_and_code() -> None:
    """Statuses and codes are unique."""
    # The sandbox has further ones, which are there once another test has imported it.
    errors = [each for each in ApiError.__subclasses__() if each.__module__ == ApiError.__module__]
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
