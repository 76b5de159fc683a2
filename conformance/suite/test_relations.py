"""Relations: a record agrees with the records that it refers to (Resources and their fields)."""

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Call
from conformance.rules.records import fits
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import Live
from conformance.suite.reading.localizations import (
    confirm_miscounted,
    languages_of,
    repeats,
    report_languages,
    require_possible,
    tally,
)
from conformance.suite.reading.names import COPIES, Copy, compare_name
from conformance.suite.reading.nested import check_nested
from conformance.suite.reading.owners import confirm_apart, listed_by_id, shown_records

MOST_COMPARED = 10
"""Reviews whose names are compared."""
OWNERS = {
    "video_list": (("projectId", "companyId"),),
    "review_list": (("projectId", "companyId"), ("videoId", "projectId")),
    "activity_list": (("videoId", "projectId"),),
}
"""The records that those of a list name, each with the property that both of them have."""


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
    compared = [compare_name(live, copy, original) for copy, original in pairs]
    if not any(compared):
        raise Inconclusive(
            "no review repeats a name that can be compared", needs=("data in the target",)
        )


@requirement("read/belonging")
def test_a_record_has_the_owner_of_its_owner(operation: Operation, live: Live) -> None:
    """A video has the company of its project, a review that of its project and of its video.

    An activity item has the project of its video; a localization belongs to one video, a reply to
    one comment.
    """
    records = shown_records(operation, live)
    check_nested(operation, records, live)
    # What comments and activity belong to is optional there: those without it contradict nothing.
    compared = "{" in operation.path and bool(records)
    for tie in OWNERS.get(operation.id, ()):
        name, shared = tie
        owners = listed_by_id(name, live)
        for listed in records:
            owner = owners.get(str(listed.record.get(name)).lower(), {}).get(shared)
            own = listed.record.get(shared)
            if not is_uuid(owner) or not is_uuid(own):
                continue
            compared = True
            if str(own).lower() != str(owner).lower():
                confirm_apart(live, operation, listed, tie)
    if not compared:
        raise Inconclusive(
            f"no record of {operation.id} shares an owner with another record",
            needs=("data in the target",),
        )


@requirement("read/languages")
def test_a_video_has_one_localization_per_language(operation: Operation, live: Live) -> None:
    """No target language is repeated in one video."""
    if operation.is_list:
        videos = [listed.record for listed in live.records(operation.id)]
    else:
        data_read = [response.data for _, response in live.readings(operation)]
        videos = [data for data in data_read if isinstance(data, dict)]
    languages = [(video, languages_of(video)) for video in videos]
    if not any(each for _, each in languages):
        raise Inconclusive("no localization has a language", needs=("data in the target",))
    repeating = [video for video, each in languages if repeats(each)]
    for video in repeating[:1]:
        call = Call("video_get", {"videoId": video["id"]})
        again = live.callers.send(call, purpose="the languages of a video")
        shown = languages_of(again.data) if isinstance(again.data, dict) else []
        if repeats(shown):
            report_languages(again, shown)


@requirement("read/counts")
def test_counts_add_up(live: Live) -> None:
    """The counts of a project fit each other, and the list of videos."""
    videos = live.listing("video_list")
    tallies = tally(videos)
    contract = live.session.contract
    for listed in live.records("project_list"):
        project, page = listed.record, live.listing("project_list").pages[0]
        require_possible(project, page)
        for name, counted in tallies.items():
            stated = project.get(name)
            # An invalid count violates a rule.
            is_count = fits(contract, "Project", name, stated)
            if is_count and stated != counted[project["id"].lower()]:
                confirm_miscounted(live, videos, project["id"], name)
