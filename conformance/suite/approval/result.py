"""The result of an approval, and a replay that has to repeat it (Review approval result)."""

from collections.abc import Mapping
from typing import Any

from conformance.contract import openapi
from conformance.contract.openapi import Contract
from conformance.contract.verdict import Defect, Inconclusive, Kind, Location, defect
from conformance.http.exchange import Exchange
from conformance.rules.attempt import RESULT, is_same_result
from conformance.rules.judgement import shown
from conformance.rules.records import differing_by_tool, differing_of_contract
from conformance.suite.approval.review import APPROVED, Record, Review, in_former_state, record_of
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data


def result_of(response: Exchange) -> Record:
    """The result of an approval; Inconclusive where it is not an object: a rule reports that."""
    if not isinstance(response.data, dict):
        raise Inconclusive("the result is not an object", exchanges=[response.id])
    return record_of(response)


def check_shows_approved(approval: Exchange) -> None:
    """Raise Violation unless the result has the id of the review, and the status `approved`."""
    places = {name: in_data(approval, name) for name in ("status", "id")}
    review = approval.call.path["reviewId"]
    check_is_approval_of(review, result_of(approval), "the result", places, approval)


def check_is_of(review: Review, response: Exchange) -> None:
    """Raise Violation where a success has the result of another review."""
    id = record_of(response).get("id", review.id)
    otherwise = defect(
        Kind.FOREIGN,
        "{request}: the result of another review",
        expected=review.id,
        actual=id,
        request=response.purpose,
    ).on("id")
    is_own = response.status != 200 or str(id).lower() == review.id.lower()
    expect.that(is_own, otherwise.at(in_data(response, "id")), response)


def check_is_approval_of(
    review: str,
    result: Mapping[str, object],
    noun: str,
    places: Mapping[str, Location],
    exchange: Exchange,
) -> None:
    """Raise Violation where a result has another id than the review, or is not `approved`.

    What it lacks is right here: that violates other requirements.
    """
    expected = {"status": APPROVED, "id": review.lower()}
    for name, where in places.items():
        value = result.get(name, expected[name])
        otherwise = defect(
            Kind.VALUE,
            "{name} of {noun} is {value}",
            expected=expected[name],
            actual=value,
            name=name,
            noun=noun,
            value=shown(value),
        )
        is_right = (str(value).lower() if name == "id" else value) == expected[name]
        expect.that(is_right, otherwise.on(name).at(where), exchange)


def check_replay(replay: Exchange, approval: Exchange) -> None:
    """Raise Violation unless a replay repeats the result of the approval."""
    check_same_result(replay, approval, result_of(replay), result_of(approval))


def check_same_result(replay: Exchange, approval: Exchange, result: Any, first: Any) -> None:
    """Raise Violation where the result of a replay differs from that of the approval."""
    otherwise = defect(
        Kind.DIFFERENCE,
        "the replay returned another result: {result}",
        expected=shown(first),
        actual=result,
        result=shown(result),
    )
    are_records = isinstance(first, dict) and isinstance(result, dict)
    names = differing_of_contract(openapi.load(), RESULT, first, result) if are_records else ()
    where = in_data(replay)
    expect.that(is_same_result(result, first), otherwise.on(*names).at(where), approval, replay)


def is_same_by_tool(result: Any, first: Any, contract: Contract) -> bool:
    """Whether two interfaces return one result of an approval, beside further properties."""
    if not (isinstance(first, dict) and isinstance(result, dict)):
        return is_same_result(result, first)
    return not differing_by_tool(contract, RESULT, first, result)


def several_results(first: Any, result: Any) -> Defect:
    """The defect of approvals with one key that returned several results."""
    text = "approvals at once with one key returned several results: {result}"
    return defect(Kind.DIFFERENCE, text, expected=shown(first), actual=result, result=shown(result))


def check_not_in_former_state(review: Review, read: Exchange, *evidence: Exchange) -> None:
    """Raise Violation where a review that was approved shows the status that it had before."""
    otherwise = defect(
        Kind.EFFECT,
        "the review is not approved after a request that succeeded",
        expected="approved",
        actual=record_of(read).get("status"),
    )
    is_right = not in_former_state(review, read)
    expect.that(is_right, otherwise.on("status").at(in_data(read, "status")), *evidence, read)
