"""Relations: what one record says of others fits what those say of themselves (Resources and their fields, What the service does)."""

from collections import Counter
from dataclasses import replace

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, Kind, defect
from conformance.http.exchange import Call, Exchange
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import PARENTS, READING, Live
from conformance.suite.lists.records import fits
from conformance.suite.lists.walk import Listed, Walk, record_key

ROUNDS = 2
MOST_READ = 25
"""Videos that are read one by one before a count of their localizations is blamed."""
OWNERS = {
    "video_list": (("projectId", "companyId"),),
    "review_list": (("projectId", "companyId"), ("videoId", "projectId")),
}
"""The records that those of a list name, each with the member that both of them have."""


@requirement("read/names")
def test_repeated_names_are_the_names(live: Live) -> None:
    """A review repeats the names of its project and its video."""
    copies = []
    for listed in live.sample("review_list")[:10]:
        for id, copy, operation in (
            ("projectId", "projectName", "project_get"),
            ("videoId", "videoName", "video_get"),
        ):
            if is_uuid(listed.record.get(id)) and copy in listed.record:
                copies.append((listed, Call(operation, {id: listed.record[id]}), copy))
    answers = live.send_all([call for _, call, _ in copies], "the name behind a copy")
    compared = [
        _same_name(live, listed, answer, copy)
        for (listed, _, copy), answer in zip(copies, answers, strict=True)
    ]
    if not any(compared):
        raise Inconclusive(
            "no review repeats a name that can be compared", needs=("data in the target",)
        )


@requirement("read/belonging")
def test_records_belong_to_the_same(operation: Operation, live: Live) -> None:
    """A video is of the company of its project, and a review of the company of its project and of the project of its video."""
    compared = False
    for name, member in OWNERS[operation.id]:
        owners = _owners(name, live)
        for listed in live.records(operation.id):
            owner = owners.get(str(listed.record.get(name)).lower(), {}).get(member)
            if is_uuid(owner) and is_uuid(listed.record.get(member)):
                compared = True
                if listed.record[member].lower() != str(owner).lower():
                    _confirm_apart(live, operation, listed, (name, member))
    if not compared:
        raise Inconclusive(
            f"no record of {operation.id} names what others belong to as well",
            needs=("data in the target",),
        )


@requirement("read/languages")
def test_a_video_has_one_localization_a_language(operation: Operation, live: Live) -> None:
    """No target language comes twice in one video."""
    if operation.is_list:
        shown = [listed.record for listed in live.records(operation.id)]
    else:
        shown = [
            answer.data for _, answer in live.readings(operation) if isinstance(answer.data, dict)
        ]
    spoken = [(record, _languages(record)) for record in shown]
    if not any(languages for _, languages in spoken):
        raise Inconclusive("no localization tells its language", needs=("data in the target",))
    for record in [record for record, languages in spoken if _is_twice(languages)][:1]:
        again = live.send(
            Call("video_get", {"videoId": record["id"]}), purpose="the languages of a video"
        )
        languages = _languages(again.data) if isinstance(again.data, dict) else []
        expect.that(
            not _is_twice(languages),
            defect(
                Kind.UNSORTED,
                f"the languages of video {record['id']} are {languages}",
                expected="each of them once",
            ),
            again,
        )


@requirement("read/counts")
def test_counts_add_up(live: Live) -> None:
    """A project has no more completed localizations than localizations, and as many of these and of videos as it says."""
    videos = live.listing("video_list")
    tallies = _tallies(videos)
    for listed in live.records("project_list"):
        record, answer = listed.record, live.listing("project_list").pages[0]
        done, all = record.get("completedLocalizationCount"), record.get("localizationCount")
        if isinstance(done, int) and isinstance(all, int):
            expect.that(
                done <= all,
                defect(
                    Kind.UNSORTED,
                    f"project {record['id']} has {done} of {all} localizations completed",
                ),
                answer,
            )
        for member, counted in tallies.items():
            stated = record.get(member)
            # A count that is none is judged by the rules.
            if (
                fits(live.session.contract, "Project", member, stated)
                and stated != counted[record["id"].lower()]
            ):
                _confirm_miscounted(live, videos, record["id"], member)


def _tallies(videos: Walk) -> dict[str, Counter[str]]:
    """How much each project has, by the member that counts it; without what the list does not tell of every video."""
    once = {record_key(video): video for video in videos.records}.values()
    if not videos.is_whole or not all(isinstance(video.get("projectId"), str) for video in once):
        return {}
    tallies = {"videoCount": Counter(video["projectId"].lower() for video in once)}
    if all(isinstance(video.get("localizations"), list) for video in once):
        tallies["localizationCount"] = Counter(
            video["projectId"].lower() for video in once for _ in video["localizations"]
        )
    return tallies


def _confirm_miscounted(live: Live, videos: Walk, id: str, member: str) -> None:
    """Warn of a count only where both it and the list go on differing: a video may come or go in between."""
    for _ in range(ROUNDS):
        walk = live.again(videos)
        found = _tallies(walk).get(member)
        again = live.send(Call("project_get", {"projectId": id}))
        told = again.data.get(member) if isinstance(again.data, dict) else None
        if found is None or told in (None, found[id.lower()]) or _is_walked_otherwise(videos, live):
            return
        if member == "localizationCount" and _are_read_otherwise(walk, id, live):
            return
        problem = f"{member} of project {id} is {told}, its list has {found[id.lower()]}"
    expect.violated(defect(Kind.UNSORTED, problem), again)


def _is_walked_otherwise(videos: Walk, live: Live) -> bool:
    """Whether pages of another length show other videos: what a walk loses or repeats is judged by the checks of walks."""
    other = live.again(replace(videos, limit=videos.limit // 2))
    return set(other.ids) != set(videos.ids)


def _are_read_otherwise(videos: Walk, project: str, live: Live) -> bool:
    """Whether a video has other localizations by its id than in the list, which is judged by another check, or may have."""
    own = [
        listed.record
        for listed in videos.listed
        if str(listed.record["projectId"]).lower() == project.lower()
    ]
    answers = live.send_all(
        [Call("video_get", {"videoId": video["id"]}) for video in own[:MOST_READ]],
        "how many localizations has it?",
    )
    read = [
        answer.data.get("localizations") if isinstance(answer.data, dict) else None
        for answer in answers
    ]
    same = [
        isinstance(found, list) and len(found) == len(video["localizations"])
        for video, found in zip(own, read, strict=False)
    ]
    return len(own) > MOST_READ or not all(same)


def _owners(name: str, live: Live) -> dict[str, dict[str, object]]:
    """The listed records of a kind, by their ids."""
    try:
        return {
            listed.record["id"].lower(): listed.record for listed in live.records(PARENTS[name])
        }
    except Inconclusive:
        return {}


def _confirm_apart(live: Live, operation: Operation, listed: Listed, tie: tuple[str, str]) -> None:
    """Blame two records only where each, read by its id, still says what it said: one may have moved, and lists may differ."""
    name, member = tie
    parameter, read = (
        ("videoId", "video_get") if operation.id == "video_list" else ("reviewId", "review_get")
    )
    one = live.send(
        Call(read, {parameter: listed.record["id"]}), purpose=f"the {member} of a record"
    )
    other = live.send(
        Call(READING[name], {name: listed.record[name]}), purpose=f"the {member} of its {name[:-2]}"
    )
    told = [
        answer.data.get(member) if isinstance(answer.data, dict) else None
        for answer in (one, other)
    ]
    apart = (
        all(map(is_uuid, told))
        and str(told[0]).lower() != str(told[1]).lower()
        and told[0] == listed.record[member]
    )
    expect.that(
        not apart,
        defect(
            Kind.UNSORTED,
            f"{member} is {told[0]}, that of its {name[:-2]} is {told[1]}",
            expected=f"one {member}",
        ),
        one,
        other,
    )


def _languages(video: dict[str, object]) -> list[str]:
    """The languages of the localizations of a video, as far as it shows them."""
    localizations = video.get("localizations")
    shown = (
        [each for each in localizations if isinstance(each, dict)]
        if isinstance(localizations, list)
        else []
    )
    return [each["language"] for each in shown if isinstance(each.get("language"), str)]


def _is_twice(languages: list[str]) -> bool:
    return len(set(languages)) < len(languages)


def _same_name(live: Live, listed: Listed, answer: Exchange, copy: str) -> bool:
    """Whether a copy could be compared with a name, both at rest; Violation where they differ."""
    call = answer.call
    if (
        answer.status != 200
        or not isinstance(answer.data, dict)
        or not isinstance(answer.data.get("name"), str)
    ):
        return False
    if (
        str(answer.data.get("id", *call.path.values())).lower()
        != next(iter(call.path.values())).lower()
    ):
        return False  # Another record than the one that was asked for is judged elsewhere.
    if answer.data["name"] == listed.record[copy]:
        return True
    again = live.send(Call("review_get", {"reviewId": listed.record["id"]}))
    latest = live.send(call, purpose=f"the name behind {copy}, once more")
    told = again.data.get(copy) if isinstance(again.data, dict) else None
    name = latest.data.get("name") if isinstance(latest.data, dict) else None
    if told in (answer.data["name"], name, None):
        return True
    at_rest = (
        told == listed.record[copy] or name == answer.data["name"]
    )  # What is renamed all the time is never read twice alike.
    expect.that(
        not at_rest,
        defect(Kind.UNSORTED, f"{copy} is {told!r}, the name is {name!r}"),
        again,
        latest,
    )
    return False
