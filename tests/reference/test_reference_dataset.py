"""The dataset of the reference: size, consistency, determinism."""

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
    """Some seeds; every seed must make a sufficient dataset."""
    value: int = request.param
    return value


@pytest.fixture(scope="module")
def dataset(seed: int) -> Dataset:
    """The dataset of the seed."""
    return build(seed)


def primary(dataset: Dataset, seed: int) -> str:
    """The account id of the primary credential."""
    wanted = digest(secret(seed, "primary", API_KEY))
    return next(
        credential.account_id
        for credential in dataset.identities.credentials
        if credential.digest == wanted
    )


def reachable(dataset: Dataset, seed: int) -> set[str]:
    """The projects in the grant of the primary credential."""
    account = primary(dataset, seed)
    return {grant.project_id for grant in dataset.identities.grants if grant.account_id == account}


def test_a_seed_determines_the_dataset() -> None:
    """Two datasets of one seed are equal."""
    assert build(5) == build(5)


def test_seeds_make_different_datasets() -> None:
    """Two seeds have no review in common."""
    assert not {review.id for review in build(1).reviews} & {
        review.id for review in build(2).reviews
    }


def test_lists_are_long_enough_for_pagination(dataset: Dataset, seed: int) -> None:
    """Primary reads at least 130 projects, 220 videos and 160 reviews, in three companies."""
    projects = reachable(dataset, seed)
    sizes = Counter(project.company_id for project in dataset.projects if project.id in projects)
    assert len(projects) >= 130
    assert sum(video.project_id in projects for video in dataset.videos) >= 220
    assert sum(review.project_id in projects for review in dataset.reviews) >= 160
    assert [size >= 50 for _, size in sizes.most_common()] == [True, True, False]


def test_reviews_are_in_every_state(dataset: Dataset, seed: int) -> None:
    """At least 60 are approvable, some are approved, and others have several reasons."""
    projects = reachable(dataset, seed)
    reviews = [review for review in dataset.reviews if review.project_id in projects]
    reasons = Counter(review.unavailable_reason for review in reviews)
    assert reasons[""] >= 60
    assert len(reasons) >= 5
    assert all(
        (review.status == "approved") == ("approved already" in review.unavailable_reason)
        for review in reviews
    )


def test_some_threads_and_some_activity_need_several_pages(dataset: Dataset, seed: int) -> None:
    """Several reviews have over 30 comments, several projects over 30 activity items."""
    projects = reachable(dataset, seed)
    reviews = {review.id for review in dataset.reviews if review.project_id in projects}
    threads = Counter(
        comment.review_id for comment in dataset.comments if comment.review_id in reviews
    )
    activity = Counter(item.project_id for item in dataset.activity if item.project_id in projects)
    assert sum(size > 30 for size in threads.values()) >= 3
    assert sum(size > 30 for size in activity.values()) >= 2
    assert dataset.replies


def test_counts_add_up(dataset: Dataset) -> None:
    """The three counts of every project are those of its records."""
    project_of = {video.id: video.project_id for video in dataset.videos}
    videos = Counter(project_of.values())
    localizations = Counter(project_of[each.video_id] for each in dataset.localizations)
    completed = Counter(
        project_of[each.video_id] for each in dataset.localizations if each.status == "completed"
    )
    actual = {
        each.id: (each.video_count, each.localization_count, each.completed_localization_count)
        for each in dataset.projects
    }
    assert actual == {
        each.id: (videos[each.id], localizations[each.id], completed[each.id])
        for each in dataset.projects
    }


def test_reviews_repeat_the_names_of_their_parents(dataset: Dataset) -> None:
    """Company, project and video of a review, and their names, are those of its subject."""
    projects = {project.id: project for project in dataset.projects}
    videos = {video.id: video for video in dataset.videos}
    for review in dataset.reviews:
        project, video = projects[review.project_id], videos[review.video_id]
        assert (review.company_id, review.project_name) == (project.company_id, project.name)
        assert (video.project_id, review.video_name) == (project.id, video.name)


def test_a_subject_is_a_transcript_or_a_localization_of_the_video(dataset: Dataset) -> None:
    """`subject_id` is the id of the video, or of a localization with the language of the review."""
    localizations = {each.id: each for each in dataset.localizations}
    for review in dataset.reviews:
        if review.subject_type == "transcript":
            assert review.subject_id == review.video_id
        else:
            subject = localizations[review.subject_id]
            assert (subject.video_id, subject.language) == (review.video_id, review.language)


def test_every_id_is_a_unique_uuid(dataset: Dataset) -> None:
    """Ids are unique and match the specified pattern; versions 4 and 7 both occur."""
    tables = (
        dataset.companies,
        dataset.projects,
        dataset.videos,
        dataset.localizations,
        dataset.reviews,
        dataset.comments,
        dataset.replies,
        dataset.activity,
    )
    ids = [record.id for table in tables for record in table]
    assert len(set(ids)) == len(ids)
    assert all(UUID.fullmatch(identifier) for identifier in ids)
    assert {identifier[14] for identifier in ids} == {"4", "7"}


def test_timestamps_are_rfc_3339_and_in_the_past(dataset: Dataset) -> None:
    """`createdAt` <= `updatedAt` <= the time of the dataset, in UTC."""
    stamp = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
    records: list[Project | Video | Activity] = [
        *dataset.projects,
        *dataset.videos,
        *dataset.activity,
    ]
    for record in records:
        assert stamp.fullmatch(record.created_at)
        assert record.created_at <= record.updated_at <= format_timestamp(SNAPSHOT_TIME)


def test_foreign_keys_are_valid(seed: int) -> None:
    """SQLite reports no violation of a foreign key."""
    reference = Reference(seed)
    assert reference.store.rows("PRAGMA foreign_key_check", {}) == []
    reference.close()
