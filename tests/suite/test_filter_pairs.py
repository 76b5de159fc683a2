"""Lists under two filters."""

from altered_target import stage
from httpx import Request

from conformance.contract import openapi
from conformance.suite.lists.filter_pairs import check_pairs

VIDEOS = openapi.load().operations["video_list"]
FILTERS = {"companyId", "projectId"}


def is_filtered_twice(request: Request) -> bool:
    """Whether a request names a company and a project."""
    return request.url.params.keys() >= FILTERS


def test_they_are_read_side_by_side() -> None:
    """The first pages of all of them are asked for before the second page of any."""
    with stage() as one:
        check_pairs(VIDEOS, one.things["live"])
        sent = [request for request in one.transport.sent if is_filtered_twice(request)]

    later = [number for number, request in enumerate(sent) if "cursor" in request.url.params]
    assert later[0] > 20
    assert len(sent) > 30
