"""Relations: a record agrees with the records that it refers to (Resources and their fields).

Rules on all that a run has seen compare them; the checks see to it that there is what to compare.
"""

from collections import Counter
from itertools import islice

from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive
from conformance.rules import relations
from conformance.rules.records import Record, fits
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import PARENTS, Live
from conformance.suite.lists.pagination import Listed
from conformance.suite.reading.counts import confirm_miscounted, tally

MOST_CONFIRMED = 8
"""Projects with another count that are read once more."""


@requirement("read/names")
def test_a_repeated_name_is_the_name(live: Live) -> None:
    """A review repeats the names of its project and its video."""
    _require_comparable("read/names", live.operation("review_list"), live)


@requirement("read/belonging")
def test_a_record_has_the_owner_of_its_owner(operation: Operation, live: Live) -> None:
    """A video has the company of its project, a review that of its project and of its video.

    An activity item has the project of its video; a localization belongs to one video, a reply to
    one comment: those of comments and activity are compared wherever they are shown.
    """
    _require_comparable("read/belonging", operation, live)


def _require_comparable(requirement: str, operation: Operation, live: Live) -> None:
    """Inconclusive where no record of a list repeats anything of another record."""
    records = _shown(operation, live)
    # What comments and activity belong to is optional there: those without it contradict nothing.
    if records and "{" in operation.path:
        return
    for tie in relations.TIES:
        if (tie.requirement, tie.listing) != (requirement, operation.id):
            continue
        owners = {each.record["id"].lower(): each.record for each in live.records(PARENTS[tie.id])}
        for each in records:
            owner = owners.get(str(each.record.get(tie.id)).lower())
            if owner is not None and tie.values(each.record, owner) is not None:
                return
    raise Inconclusive(
        f"no record of {operation.id} repeats anything of another record",
        needs=("data in the target",),
    )


def _shown(operation: Operation, live: Live) -> list[Listed]:
    """The records of a list, or of the first pages below a sample of records."""
    if "{" not in operation.path:
        return live.records(operation.id)
    pages = live.children(operation.id).values()
    return [Listed(item, page.call) for page in pages for item in page.items]


@requirement("read/counts")
def test_counts_add_up(live: Live) -> None:
    """The counts of a project fit the list of videos."""
    videos = live.listing("video_list")
    projects = [listed.record for listed in live.records("project_list")]
    for name, counted in tally(videos).items():
        differing = (each for each in projects if _differs(each, name, counted, live))
        # What explains one difference mostly explains all: a list without localizations, say.
        for project in islice(differing, MOST_CONFIRMED):
            confirm_miscounted(live, videos, project["id"], name)


def _differs(project: Record, name: str, counted: Counter[str], live: Live) -> bool:
    """Whether a project states another count; an invalid one violates a rule."""
    is_count = fits(live.session.contract, "Project", name, project.get(name))
    return is_count and project[name] != counted[project["id"].lower()]
