"""The reference's dataset: large enough, true in itself, and the same for the same seed."""

import re
from collections import Counter

import pytest

from conformance.reference import Reference
from conformance.reference.arguments import UUID
from conformance.reference.dataset import Dataset, build
from conformance.reference.identities import secret
from conformance.reference.records import Activity, Project, Video
from conformance.reference.schemes import API_KEY, digest
from conformance.reference.timestamps import SNAPSHOT_TIME, format_timestamp


@pytest.fixture(params=[1, 2, 77], ids="seed {}".format, scope="module")
def seed(request: pytest.FixtureRequest) -> int:
    """A few seeds, since every one of them has to make a dataset that suffices."""
    value: int = request.param
    return value


@pytest.fixture(scope="module")
def made(seed: int) -> Dataset:
    """The dataset of the seed."""
    return build(seed)


def primary(made: Dataset, seed: int) -> str:
    """The account id of the primary credential."""
    wanted = digest(secret(seed, "primary", API_KEY))
    return next(
        credential.account_id
        for credential in made.identities.credentials
        if credential.digest == wanted
    )


def reachable(made: Dataset, seed: int) -> set[str]:
    """The projects in the grant of the primary credential."""
    account = primary(made, seed)
    return {grant.project_id for grant in made.identities.grants if grant.account_id == account}


def test_one_seed_makes_one_dataset() -> None:
    """Building twice gives equal records."""
    assert build(5) == build(5)


def test_two_seeds_make_two_datasets() -> None:
    """No review of one seed is a review of the other."""
    assert not {review.id for review in build(1).reviews} & {
        review.id for review in build(2).reviews
    }


def test_there_is_enough_to_page_through(made: Dataset, seed: int) -> None:
    """Primary reaches 130 projects, 220 videos and 160 reviews at least, in three companies of different size."""
    projects = reachable(made, seed)
    sizes = Counter(project.company_id for project in made.projects if project.id in projects)
    assert len(projects) >= 130
    assert sum(video.project_id in projects for video in made.videos) >= 220
    assert sum(review.project_id in projects for review in made.reviews) >= 160
    assert [size >= 50 for _, size in sizes.most_common()] == [True, True, False]


def test_reviews_are_in_every_state(made: Dataset, seed: int) -> None:
    """At least 60 can be approved, some are approved, and others cannot be for several reasons."""
    projects = reachable(made, seed)
    reviews = [review for review in made.reviews if review.project_id in projects]
    reasons = Counter(review.unavailable_reason for review in reviews)
    assert reasons[""] >= 60
    assert len(reasons) >= 5
    assert all(
        (review.status == "approved") == ("approved already" in review.unavailable_reason)
        for review in reviews
    )


def test_some_threads_and_some_activity_need_several_pages(made: Dataset, seed: int) -> None:
    """Several reviews have more than 30 comments, several projects more than 30 activity items; some have replies."""
    projects = reachable(made, seed)
    reviews = {review.id for review in made.reviews if review.project_id in projects}
    threads = Counter(
        comment.review_id for comment in made.comments if comment.review_id in reviews
    )
    activity = Counter(item.project_id for item in made.activity if item.project_id in projects)
    assert sum(size > 30 for size in threads.values()) >= 3
    assert sum(size > 30 for size in activity.values()) >= 2
    assert made.replies


def test_counts_add_up(made: Dataset) -> None:
    """The three counts of every project count what is there."""
    project_of = {video.id: video.project_id for video in made.videos}
    videos = Counter(project_of.values())
    localizations = Counter(project_of[each.video_id] for each in made.localizations)
    completed = Counter(
        project_of[each.video_id] for each in made.localizations if each.status == "completed"
    )
    actual = {
        each.id: (each.video_count, each.localization_count, each.completed_localization_count)
        for each in made.projects
    }
    assert actual == {
        each.id: (videos[each.id], localizations[each.id], completed[each.id])
        for each in made.projects
    }


def test_names_are_repeated_truly(made: Dataset) -> None:
    """A review's company, project and video are those of its subject, with their names."""
    projects = {project.id: project for project in made.projects}
    videos = {video.id: video for video in made.videos}
    for review in made.reviews:
        project, video = projects[review.project_id], videos[review.video_id]
        assert (review.company_id, review.project_name) == (project.company_id, project.name)
        assert (video.project_id, review.video_name) == (project.id, video.name)


def test_a_subject_is_a_transcript_or_a_localization_of_the_video(made: Dataset) -> None:
    """`subject_id` names the video itself or one of its localizations, whose language the review has."""
    localizations = {each.id: each for each in made.localizations}
    for review in made.reviews:
        if review.subject_type == "transcript":
            assert review.subject_id == review.video_id
        else:
            subject = localizations[review.subject_id]
            assert (subject.video_id, subject.language) == (review.video_id, review.language)


def test_every_id_is_a_uuid_of_its_own(made: Dataset) -> None:
    """No id comes twice, each fits the specified pattern, and versions 4 and 7 both occur."""
    tables = (
        made.companies,
        made.projects,
        made.videos,
        made.localizations,
        made.reviews,
        made.comments,
        made.replies,
        made.activity,
    )
    ids = [record.id for table in tables for record in table]
    assert len(set(ids)) == len(ids)
    assert all(UUID.fullmatch(identifier) for identifier in ids)
    assert {identifier[14] for identifier in ids} == {"4", "7"}


def test_moments_are_written_as_rfc_3339_and_lie_in_the_past(made: Dataset) -> None:
    """Timestamps are in UTC, nothing is changed before it is made, and nothing happens after the dataset's present."""
    stamp = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
    records: list[Project | Video | Activity] = [*made.projects, *made.videos, *made.activity]
    for record in records:
        assert stamp.fullmatch(record.created_at)
        assert record.created_at <= record.updated_at <= format_timestamp(SNAPSHOT_TIME)


def test_every_reference_between_records_holds(seed: int) -> None:
    """SQLite finds no foreign key that leads nowhere."""
    reference = Reference(seed)
    assert reference.store.rows("PRAGMA foreign_key_check", {}) == []
    reference.close()
