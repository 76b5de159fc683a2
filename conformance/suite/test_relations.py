"""Relations: a record agrees with the records that it refers to (Resources and their fields)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, Kind, defect
from conformance.http.exchange import Call, Exchange
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import PARENTS, READING, Live
from conformance.suite.lists.pagination import Listed, Pagination, record_key
from conformance.suite.lists.records import fits

ROUNDS = 2
MOST_COMPARED = 10
"""Reviews whose names are compared."""
MOST_READ = 25
"""Videos of one project that are read one by one before its count of localizations is reported."""
COPIES = (
    ("projectId", "projectName", "project_get"),
    ("videoId", "videoName", "video_get"),
)
"""What a review repeats: an id, the property with the name, and the operation that reads it."""
OWNERS = {
    "video_list": (("projectId", "companyId"),),
    "review_list": (("projectId", "companyId"), ("videoId", "projectId")),
}
"""The records that those of a list name, each with the property that both of them have."""

Record = Mapping[str, Any]


# --- names ---


@dataclass(frozen=True)
class Copy:
    """A name that a review repeats, and the call that reads the original."""

    review: Listed
    call: Call
    name: str


@requirement("read/names")
def test_a_repeated_name_is_the_name(live: Live) -> None:
    """A review repeats the names of its project and its video."""
    copies = [
        Copy(listed, Call(operation, {id: listed.record[id]}), name)
        for listed in live.sample("review_list")[:MOST_COMPARED]
        for id, name, operation in COPIES
        if is_uuid(listed.record.get(id)) and name in listed.record
    ]
    originals = live.callers.send_all([copy.call for copy in copies], "the name behind a copy")
    pairs = zip(copies, originals, strict=True)
    compared = [_compare_name(live, copy, original) for copy, original in pairs]
    if not any(compared):
        raise Inconclusive(
            "no review repeats a name that can be compared", needs=("data in the target",)
        )


def _compare_name(live: Live, copy: Copy, original: Exchange) -> bool:
    """Whether a copy could be compared with the name; Violation where they differ repeatedly."""
    first = _property(original, "name")
    if original.status != 200 or not isinstance(first, str) or not _is_requested(original):
        return False
    listed = copy.review.record[copy.name]
    if first == listed:
        return True
    review = live.callers.send(Call("review_get", {"reviewId": copy.review.record["id"]}))
    again = live.callers.send(copy.call, purpose=f"the name behind {copy.name}, once more")
    copied, name = _property(review, copy.name), _property(again, "name")
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
    return str(_property(response, "id", id)).lower() == id.lower()


def _report_name(name: str, review: Exchange, original: Exchange) -> None:
    expect.violated(
        defect(
            Kind.DIFFERENCE,
            "{name} is {copied}, the name is {original}",
            expected="the same name",
            actual=_property(review, name),
            name=name,
            copied=repr(_property(review, name)),
            original=repr(_property(original, "name")),
        )
        .on(name)
        .at(in_data(review, name), in_data(original, "name")),
        review,
        original,
    )


def _property(response: Exchange, name: str, default: object = None) -> object:
    """A property of the record of a response."""
    return response.data.get(name, default) if isinstance(response.data, dict) else None


# --- owners ---


@requirement("read/belonging")
def test_a_record_has_the_owner_of_its_owner(operation: Operation, live: Live) -> None:
    """A video has the company of its project, a review that of its project and of its video."""
    compared = False
    for tie in OWNERS[operation.id]:
        name, shared = tie
        owners = _listed_by_id(name, live)
        for listed in live.records(operation.id):
            owner = owners.get(str(listed.record.get(name)).lower(), {}).get(shared)
            own = listed.record.get(shared)
            if not is_uuid(owner) or not is_uuid(own):
                continue
            compared = True
            if str(own).lower() != str(owner).lower():
                _confirm_apart(live, operation, listed, tie)
    if not compared:
        raise Inconclusive(
            f"no record of {operation.id} shares an owner with another record",
            needs=("data in the target",),
        )


def _listed_by_id(name: str, live: Live) -> dict[str, Record]:
    """The listed records of the resource that a property has ids of, by their ids."""
    try:
        records = [listed.record for listed in live.records(PARENTS[name])]
    except Inconclusive:
        return {}
    return {record["id"].lower(): record for record in records}


def _confirm_apart(live: Live, operation: Operation, listed: Listed, tie: tuple[str, str]) -> None:
    """Violation where both records, read by their ids, still have other owners.

    One of them may have moved, or the list may differ from the record.
    """
    name, shared = tie
    parameter = "videoId" if operation.id == "video_list" else "reviewId"
    call = Call(READING[parameter], {parameter: listed.record["id"]})
    own = live.callers.send(call, purpose=f"the {shared} of a record")
    owner_call = Call(READING[name], {name: listed.record[name]})
    owner = live.callers.send(owner_call, purpose=f"the {shared} of its {_resource(name)}")
    ids = [_property(response, shared) for response in (own, owner)]
    are_apart = all(map(is_uuid, ids)) and str(ids[0]).lower() != str(ids[1]).lower()
    if not are_apart or ids[0] != listed.record[shared]:
        return
    expect.violated(
        defect(
            Kind.DIFFERENCE,
            "{shared} is {own}, that of its {resource} is {owner}",
            expected=f"one {shared}",
            actual=ids[0],
            shared=shared,
            own=ids[0],
            owner=ids[1],
            resource=_resource(name),
        )
        .on(shared)
        .at(in_data(own, shared), in_data(owner, shared)),
        own,
        owner,
    )


def _resource(name: str) -> str:
    """The resource that a property has ids of: "project" for projectId."""
    return name.removesuffix("Id")


# --- languages ---


@requirement("read/languages")
def test_a_video_has_one_localization_per_language(operation: Operation, live: Live) -> None:
    """No target language is repeated in one video."""
    if operation.is_list:
        videos = [listed.record for listed in live.records(operation.id)]
    else:
        data_read = [response.data for _, response in live.readings(operation)]
        videos = [data for data in data_read if isinstance(data, dict)]
    languages = [(video, _languages(video)) for video in videos]
    if not any(each for _, each in languages):
        raise Inconclusive("no localization has a language", needs=("data in the target",))
    repeating = [video for video, each in languages if _repeats(each)]
    for video in repeating[:1]:
        call = Call("video_get", {"videoId": video["id"]})
        again = live.callers.send(call, purpose="the languages of a video")
        shown = _languages(again.data) if isinstance(again.data, dict) else []
        if _repeats(shown):
            _report_languages(again, shown)


def _languages(video: Record) -> list[str]:
    """The languages of the localizations of a video, where they are strings."""
    localizations = video.get("localizations")
    items = localizations if isinstance(localizations, list) else []
    shown = [each.get("language") for each in items if isinstance(each, dict)]
    return [language for language in shown if isinstance(language, str)]


def _repeats(languages: Sequence[str]) -> bool:
    return len(set(languages)) < len(languages)


def _report_languages(response: Exchange, languages: Sequence[str]) -> None:
    expect.violated(
        defect(
            Kind.REPEATED,
            "the languages of a video are {languages}",
            expected="each language once",
            languages=", ".join(languages),
        )
        .on("localizations", "language")
        .at(in_data(response, "localizations")),
        response,
    )


# --- counts ---


@requirement("read/counts")
def test_counts_add_up(live: Live) -> None:
    """The counts of a project fit each other, and the list of videos."""
    videos = live.listing("video_list")
    tallies = _tallies(videos)
    contract = live.session.contract
    for listed in live.records("project_list"):
        project, page = listed.record, live.listing("project_list").pages[0]
        _require_possible(project, page)
        for name, counted in tallies.items():
            stated = project.get(name)
            # An invalid count violates a rule.
            is_count = fits(contract, "Project", name, stated)
            if is_count and stated != counted[project["id"].lower()]:
                _confirm_miscounted(live, videos, project["id"], name)


def _require_possible(project: Record, page: Exchange) -> None:
    """No more localizations of a project are completed than there are."""
    done, count = project.get("completedLocalizationCount"), project.get("localizationCount")
    if isinstance(done, int) and isinstance(count, int) and done > count:
        expect.violated(
            defect(
                Kind.VALUE,
                "a project has {count} localizations, and {done} of them completed",
                expected="at most as many completed localizations as localizations",
                actual=done,
                count=count,
                done=done,
            ).on("completedLocalizationCount", "localizationCount"),
            page,
        )


def _tallies(videos: Pagination) -> dict[str, Counter[str]]:
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


def _confirm_miscounted(live: Live, videos: Pagination, id: str, name: str) -> None:
    """Violation where both the count and the list differ repeatedly: videos come and go."""
    for number in range(1, ROUNDS + 1):
        again = live.paginations.again(videos)
        counted = _tallies(again).get(name)
        project = live.callers.send(Call("project_get", {"projectId": id}))
        stated = _property(project, name)
        if counted is None or stated in (None, counted[id.lower()]):
            return
        if _has_other_videos(videos, live):
            return
        if name == "localizationCount" and _has_other_localizations(again, id, live):
            return
        if number == ROUNDS:
            _report_miscounted(project, name, counted[id.lower()])


def _report_miscounted(project: Exchange, name: str, counted: int) -> None:
    stated = _property(project, name)
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
        project,
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
    localizations = _property(response, "localizations")
    if not isinstance(localizations, list):
        return False
    return len(localizations) == len(video["localizations"])
