"""The result of an approval, and a replay that has to repeat it (Review approval result)."""

from typing import Any

from conformance.contract.verdict import Inconclusive, Kind, defect
from conformance.http.exchange import Exchange
from conformance.rules.judgement import shown
from conformance.suite.approval.review import (
    APPROVED,
    Record,
    Review,
    in_former_state,
    place,
    record_of,
)
from conformance.suite.callers import expect
from conformance.suite.lists.records import alike, differing


def result_of(response: Exchange) -> Record:
    """The result of an approval; Inconclusive where it is not an object: a rule reports that."""
    if not isinstance(response.data, dict):
        raise Inconclusive("the result is not an object", exchanges=[response.id])
    return record_of(response)


def check_shows_approved(review: Review, approval: Exchange) -> None:
    """Raise Violation unless the result has the id of the review, and the status `approved`."""
    expected = {"status": APPROVED, "id": review.id.lower()}
    result = result_of(approval)
    for name, value in expected.items():
        actual = result.get(name, value)
        otherwise = defect(
            Kind.VALUE,
            "{name} of the result is {value}",
            expected=value,
            actual=actual,
            name=name,
            value=shown(actual),
        )
        is_right = (str(actual).lower() if name == "id" else actual) == value
        expect.that(is_right, otherwise.on(name).at(place(approval, name)), approval)


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
    names = differing(first, result) if isinstance(first, dict) and isinstance(result, dict) else ()
    where = place(replay)
    expect.that(alike(result, first), otherwise.on(*names).at(where), approval, replay)


def check_not_in_former_state(review: Review, read: Exchange, *evidence: Exchange) -> None:
    """Raise Violation where a review that was approved shows the status that it had before."""
    otherwise = defect(
        Kind.EFFECT,
        "the review is not approved after a request that succeeded",
        expected="approved",
        actual=record_of(read).get("status"),
    )
    is_right = not in_former_state(review, read)
    expect.that(is_right, otherwise.on("status").at(place(read, "status")), *evidence, read)
