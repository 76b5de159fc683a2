"""A name that a review repeats, beside the name of its project or video."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from conformance.contract.verdict import Kind, defect
from conformance.http.exchange import Call, Exchange
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data
from conformance.suite.lists.live import Live
from conformance.suite.lists.pagination import Listed

COPIES = (
    ("projectId", "projectName", "project_get"),
    ("videoId", "videoName", "video_get"),
)
"""What a review repeats: an id, the property with the name, and the operation that reads it."""
Record = Mapping[str, Any]


@dataclass(frozen=True)
class Copy:
    """A name that a review repeats, and the call that reads the original."""

    review: Listed
    call: Call
    name: str


def compare_name(live: Live, copy: Copy, original: Exchange) -> bool:
    """Whether a copy could be compared with the name; Violation where they differ repeatedly."""
    first = property_of(original, "name")
    if original.status != 200 or not isinstance(first, str) or not _is_requested(original):
        return False
    listed = copy.review.record[copy.name]
    if first == listed:
        return True
    review = live.callers.send(Call("review_get", {"reviewId": copy.review.record["id"]}))
    again = live.callers.send(copy.call, purpose=f"the name behind {copy.name}, once more")
    copied, name = property_of(review, copy.name), property_of(again, "name")
    if copied in (first, name, None):
        return True
    # Where both were renamed in between, they were not read at the same time.
    is_renamed = copied != listed and name != first
    if not is_renamed:
        _report_name(copy.name, review, again)
    return False


def _is_requested(response: Exchange) -> bool:
    """Whether a record has the requested id; another one violates another requirement."""
    id = next(iter(response.call.path.values()))
    return str(property_of(response, "id", id)).lower() == id.lower()


def _report_name(name: str, review: Exchange, original: Exchange) -> None:
    expect.violated(
        defect(
            Kind.DIFFERENCE,
            "{name} is {copied}, the name is {original}",
            expected="the same name",
            actual=property_of(review, name),
            name=name,
            copied=repr(property_of(review, name)),
            original=repr(property_of(original, "name")),
        )
        .on(name)
        .at(in_data(review, name), in_data(original, "name")),
        review,
        original,
    )


def property_of(response: Exchange, name: str, default: object = None) -> object:
    """A property of the record of a response."""
    return response.data.get(name, default) if isinstance(response.data, dict) else None
