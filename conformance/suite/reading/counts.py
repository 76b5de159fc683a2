"""The counts of a project, beside the list of videos."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from conformance.contract.verdict import Kind, defect
from conformance.http.exchange import Call, Exchange
from conformance.rules.records import Record, record_key
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data
from conformance.suite.lists.live import Live
from conformance.suite.lists.pagination import Pagination

ROUNDS = 2
MOST_READ = 25
"""Videos of one project that are read one by one before its count of localizations is reported."""


def tally(videos: Pagination) -> dict[str, Counter[str]]:
    """The counts of each project by its id, by the property that states them.

    A property is left out where the list does not show all that it counts.
    """
    once = {record_key(video): video for video in videos.records}.values()
    if not videos.is_whole or not all(isinstance(video.get("projectId"), str) for video in once):
        return {}
    tallies = {"videoCount": Counter(video["projectId"].lower() for video in once)}
    if all(isinstance(video.get("localizations"), list) for video in once):
        tallies["localizationCount"] = Counter(
            video["projectId"].lower() for video in once for _ in video["localizations"]
        )
    return tallies


def confirm_miscounted(live: Live, videos: Pagination, id: str, name: str) -> None:
    """Violation where both the count and the list differ repeatedly: videos come and go."""
    for number in range(1, ROUNDS + 1):
        again = live.paginations.again(videos)
        counted = tally(again).get(name)
        project = live.callers.send(Call("project_get", {"projectId": id}), purpose="its counts")
        stated = property_of(project, name)
        if counted is None or stated in (None, counted[id.lower()]):
            return
        if _has_other_videos(videos, live):
            return
        if name == "localizationCount" and _has_other_localizations(again, id, live):
            return
        if number == ROUNDS:
            _report_miscounted((*_pages_with(again, id), project), name, counted[id.lower()])


def _pages_with(videos: Pagination, project: str) -> list[Exchange]:
    """The pages that list a video of a project."""
    ids = [[item.get("projectId") for item in page.items] for page in videos.pages]
    pairs = zip(videos.pages, ids, strict=True)
    return [page for page, shown in pairs if project.lower() in map(_lower, shown)]


def _lower(value: object) -> str:
    return str(value).lower()


def _report_miscounted(responses: Sequence[Exchange], name: str, counted: int) -> None:
    project = responses[-1]
    stated = property_of(project, name)
    expect.violated(
        defect(
            Kind.COUNT,
            "{name} of a project is {stated}, the list of videos has {counted}",
            expected="the number in the list of videos",
            actual=stated,
            name=name,
            stated=stated,
            counted=counted,
        )
        .on(name)
        .at(in_data(project, name)),
        *responses,
    )


def _has_other_videos(videos: Pagination, live: Live) -> bool:
    """Whether another limit returns other videos: that violates requirements of pagination."""
    other = live.paginations.again(replace(videos, limit=videos.limit // 2))
    return set(other.ids) != set(videos.ids)


def _has_other_localizations(videos: Pagination, project: str, live: Live) -> bool:
    """Whether a video may have other localizations by its id than in the list.

    That violates another requirement.
    """
    records = [listed.record for listed in videos.listed]
    own = [each for each in records if str(each["projectId"]).lower() == project.lower()]
    calls = [Call("video_get", {"videoId": video["id"]}) for video in own[:MOST_READ]]
    responses = live.callers.send_all(calls, "how many localizations has it?")
    pairs = zip(own, responses, strict=False)
    return len(own) > MOST_READ or not all(_has_as_many(*pair) for pair in pairs)


def _has_as_many(video: Record, response: Exchange) -> bool:
    localizations = property_of(response, "localizations")
    if not isinstance(localizations, list):
        return False
    return len(localizations) == len(video["localizations"])


def property_of(response: Exchange, name: str) -> object:
    """A property of the record of a response."""
    return response.data.get(name) if isinstance(response.data, dict) else None
