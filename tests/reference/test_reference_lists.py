"""The reference's lists: pages, cursors, limits and filters."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import reference_client

from conformance.reference import ManualClock, Reference
from conformance.reference.arguments import UUID
from conformance.reference.dataset import Dataset, build

ABSENT = "3f0c1d52-7a94-4c1e-8f21-0b6d5a9e7c43"
LISTS = ("projects", "videos", "reviews", "comments", "activity")


@pytest.fixture(scope="module")
def reference() -> Iterator[Reference]:
    """An instance in memory, which these tests only read."""
    made = Reference(clock=ManualClock())
    yield made
    made.close()


@pytest.fixture(scope="module")
def profile(reference: Reference) -> dict[str, Any]:
    """The profile of the instance."""
    return reference.profile(reference_client.URL)


@pytest.fixture(scope="module")
def api(reference: Reference, profile: dict[str, Any]) -> Iterator[httpx.Client]:
    """A client that calls as primary."""
    with reference_client.client(
        reference, {"x-api-key": profile["credentials"]["primary"]["api-key"]}
    ) as client:
        yield client


@pytest.fixture(scope="module")
def made() -> Dataset:
    """What the instance holds."""
    return build(1)


@pytest.fixture(scope="module")
def reached(made: Dataset) -> set[str]:
    """The projects in primary's grant."""
    reviewers = {
        member.account_id for member in made.identities.memberships if member.role == "viewer"
    }
    return {grant.project_id for grant in made.identities.grants if grant.account_id in reviewers}


@pytest.fixture(scope="module")
def paths(made: Dataset, reached: set[str]) -> dict[str, str]:
    """The path of each list; comments and activity are those of the longest thread and the busiest project."""
    reviews = {review.id for review in made.reviews if review.project_id in reached}
    ((review, _),) = Counter(
        comment.review_id for comment in made.comments if comment.review_id in reviews
    ).most_common(1)
    ((project, _),) = Counter(
        item.project_id for item in made.activity if item.project_id in reached
    ).most_common(1)
    return {
        "projects": "/projects",
        "videos": "/videos",
        "reviews": "/reviews",
        "comments": f"/reviews/{review}/comments",
        "activity": f"/projects/{project}/activity",
    }


@pytest.fixture(scope="module")
def expected(made: Dataset, reached: set[str], paths: dict[str, str]) -> dict[str, list[str]]:
    """The ids that each list has to show, in their order."""
    return {
        "projects": [project.id for project in made.projects if project.id in reached],
        "videos": [video.id for video in made.videos if video.project_id in reached],
        "reviews": [review.id for review in made.reviews if review.project_id in reached],
        "comments": [
            comment.id for comment in made.comments if comment.review_id in paths["comments"]
        ],
        "activity": [item.id for item in made.activity if item.project_id in paths["activity"]],
    }


def page(api: httpx.Client, path: str, **query: object) -> dict[str, Any]:
    """The data of one page."""
    answer = api.get(
        path, params={name: str(value) for name, value in query.items() if value is not None}
    )
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


def walk(api: httpx.Client, path: str, cursor: str | None = None, **query: object) -> list[str]:
    """The ids of a whole list, or of what follows a cursor, page by page."""
    ids: list[str] = []
    while True:
        data = page(api, path, cursor=cursor, **query)
        ids += [item["id"] for item in data["items"]]
        cursor = data["nextCursor"]
        if cursor is None:
            return ids


def copy_video(reference: Reference, identifier: str, new: str) -> None:
    """Add a video that is like another one but for its id."""
    columns = [
        row["name"]
        for row in reference.store.rows("SELECT name FROM pragma_table_info('videos')", {})
    ]
    kept = ", ".join(column for column in columns if column not in {"position", "id"})
    reference.store.write(
        f"INSERT INTO videos (id, {kept}) SELECT :new, {kept} FROM videos WHERE id = :id",
        {"new": new, "id": identifier},
    )


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("limit", [None, 1, 7, 100])
def test_a_walk_yields_each_record_once(
    api: httpx.Client,
    paths: dict[str, str],
    expected: dict[str, list[str]],
    name: str,
    limit: int | None,
) -> None:
    """Whatever the limit, the pages together are the list."""
    assert walk(api, paths[name], limit=limit) == expected[name]


@pytest.mark.parametrize("name", LISTS)
def test_a_page_has_25_items_by_default(
    api: httpx.Client, paths: dict[str, str], name: str
) -> None:
    """Every list is longer than that, and stops there without a limit."""
    assert len(page(api, paths[name])["items"]) == 25


@pytest.mark.parametrize("name", LISTS)
def test_a_cursor_is_a_uuid_and_gives_the_same_page_again(
    api: httpx.Client, paths: dict[str, str], name: str
) -> None:
    """It may be sent twice, in upper case, and with another limit."""
    cursor = page(api, paths[name], limit=3)["nextCursor"]
    assert UUID.fullmatch(cursor)
    first = page(api, paths[name], limit=3, cursor=cursor)
    assert page(api, paths[name], limit=3, cursor=cursor.upper()) == first
    assert page(api, paths[name], limit=9, cursor=cursor)["items"][:3] == first["items"]


def test_a_full_last_page_ends_the_list(
    api: httpx.Client, paths: dict[str, str], expected: dict[str, list[str]]
) -> None:
    """34 comments are two pages of 17, and the second has no cursor."""
    assert len(expected["comments"]) == 34
    cursor = page(api, paths["comments"], limit=17)["nextCursor"]
    assert page(api, paths["comments"], limit=17, cursor=cursor)["nextCursor"] is None


def test_a_cursor_survives_inserts(api: httpx.Client, expected: dict[str, list[str]]) -> None:
    """A record that is added between two pages appears at the end, and moves none of the others."""
    own = Reference(clock=ManualClock())
    with reference_client.client(own, api.headers) as client:
        first = page(client, "/videos", limit=100)
        copy_video(own, expected["videos"][0], ABSENT)
        rest = walk(client, "/videos", first["nextCursor"])
    own.close()
    assert [item["id"] for item in first["items"]] + rest == [*expected["videos"], ABSENT]


def test_a_cursor_outlives_the_instance(
    reference: Reference, api: httpx.Client, profile: dict[str, Any]
) -> None:
    """Another instance over the same records continues where the first one stopped."""
    cursor = page(api, "/projects")["nextCursor"]
    headers = {"authorization": f"Bearer {profile['credentials']['primary']['bearer']}"}
    other = Reference(clock=ManualClock())
    with reference_client.client(other, headers) as client:
        assert page(client, "/projects", cursor=cursor) == page(api, "/projects", cursor=cursor)
    other.close()


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize(
    "cursor",
    [ABSENT, "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-FFFFFFFFFFFF"],
)
def test_a_cursor_that_was_never_issued_is_refused(
    api: httpx.Client, paths: dict[str, str], name: str, cursor: str
) -> None:
    """It is a UUID, and still no cursor: 400."""
    assert api.get(paths[name], params={"cursor": cursor}).status_code == 400


@pytest.mark.parametrize("name", LISTS)
def test_a_cursor_of_another_list_is_refused(
    api: httpx.Client, paths: dict[str, str], name: str
) -> None:
    """Positions of one list mean nothing in another: 400."""
    issued = {
        other: page(api, path, limit=1)["nextCursor"]
        for other, path in paths.items()
        if other != name
    }
    assert [
        api.get(paths[name], params={"cursor": cursor}).status_code for cursor in issued.values()
    ] == [400] * 4


def test_a_cursor_of_another_caller_is_refused(api: httpx.Client, profile: dict[str, Any]) -> None:
    """What primary was given, the account without a review role cannot use: 400."""
    cursor = page(api, "/projects")["nextCursor"]
    headers = {"x-api-key": profile["credentials"]["no-review-role"]["api-key"]}
    assert api.get("/projects", params={"cursor": cursor}, headers=headers).status_code == 400


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize(
    "query",
    [
        "limit=0",
        "limit=101",
        "limit=-1",
        "limit=ten",
        "limit=",
        "limit=5.0",
        "limit=%2B5",
        "limit=%205",
        "limit=05",
        "limit=%D9%A5",
        "limit=1e1",
        "limit=true",
        "limit=5&limit=6",
        pytest.param("limit=" + "9" * 5000, id="limit of 5000 digits"),
        "cursor=",
        "cursor=25",
        "cursor=not-a-uuid",
        "cursor=3f0c1d52-7a94-4c1e-8f21-0b6d5a9e7c4",
        "cursor=3f0c1d52-7a94-4c1e-8f21-0b6d5a9e7c43%0A",
        "cursor=3f0c1d52-7a94-9c1e-8f21-0b6d5a9e7c43",
        "cursor=3f0c1d52-7a94-4c1e-cf21-0b6d5a9e7c43",
    ],
)
def test_an_argument_out_of_its_bounds_is_refused(
    api: httpx.Client, paths: dict[str, str], name: str, query: str
) -> None:
    """Every list answers 422 to a limit that is no integer from 1 to 100 and to a cursor that is no UUID."""
    assert api.get(f"{paths[name]}?{query}").status_code == 422


@pytest.mark.parametrize("name", LISTS)
def test_unknown_query_parameters_do_no_harm(
    api: httpx.Client, paths: dict[str, str], name: str
) -> None:
    """They are ignored, even where they come twice."""
    assert (
        page(api, paths[name])
        == api.get(f"{paths[name]}?colour=blue&colour=red&sort").json()["data"]
    )


def test_projects_can_be_restricted_to_a_company(
    api: httpx.Client, made: Dataset, expected: dict[str, list[str]]
) -> None:
    """Each company's projects are those of the whole list that belong to it."""
    for company in made.companies[:3]:
        own = [project.id for project in made.projects if project.company_id == company.id]
        assert walk(api, "/projects", companyId=company.id.upper(), limit=10) == [
            each for each in expected["projects"] if each in own
        ]


def test_videos_can_be_restricted_to_a_company_and_to_a_project(
    api: httpx.Client, made: Dataset, reached: set[str]
) -> None:
    """Either filter and both together leave what belongs there."""
    video = next(video for video in made.videos if video.project_id in reached)
    of_company = [
        each.id
        for each in made.videos
        if each.company_id == video.company_id and each.project_id in reached
    ]
    of_project = [each.id for each in made.videos if each.project_id == video.project_id]
    assert walk(api, "/videos", companyId=video.company_id) == of_company
    assert walk(api, "/videos", projectId=video.project_id) == of_project
    assert (
        walk(api, "/videos", projectId=video.project_id, companyId=video.company_id) == of_project
    )


def test_reviews_can_be_restricted_to_a_project(
    api: httpx.Client, made: Dataset, reached: set[str]
) -> None:
    """What remains are the reviews of that project."""
    project = next(review.project_id for review in made.reviews if review.project_id in reached)
    assert walk(api, "/reviews", projectId=project) == [
        each.id for each in made.reviews if each.project_id == project
    ]


@pytest.mark.parametrize(
    "query",
    ["companyId={company}", "projectId={project}", "companyId={absent}", "projectId={absent}"],
)
def test_a_filter_outside_the_grant_finds_nothing(
    api: httpx.Client, profile: dict[str, Any], query: str
) -> None:
    """A foreign company, a foreign project and one that does not exist look the same: an empty page."""
    filled = query.format(**profile["fixtures"]["foreign"], absent=ABSENT)
    assert api.get(f"/videos?{filled}").json()["data"] == {"items": [], "nextCursor": None}


def test_a_project_outside_the_grant_has_nothing_to_list(
    api: httpx.Client, profile: dict[str, Any]
) -> None:
    """It lies in a company of the caller's, and is empty all the same."""
    project = profile["fixtures"]["ungranted"]["project"]
    assert [page(api, path, projectId=project)["items"] for path in ("/videos", "/reviews")] == [
        [],
        [],
    ]


@pytest.mark.parametrize(
    "query",
    ["companyId=", "companyId=7", "companyId=acme", f"companyId={ABSENT}&companyId={ABSENT}"],
)
def test_a_filter_that_is_no_uuid_is_refused(api: httpx.Client, query: str) -> None:
    """422, as for every other argument."""
    assert api.get(f"/projects?{query}").status_code == 422


def test_items_are_what_reading_by_id_shows(api: httpx.Client) -> None:
    """A record of a list and the same record by its id, in either case, have equal members."""
    for path in ("/projects", "/videos", "/reviews"):
        for item in page(api, path, limit=100)["items"]:
            assert api.get(f"{path}/{item['id']}").json()["data"] == item
            assert api.get(f"{path}/{item['id'].upper()}").json()["data"] == item


def test_children_hang_below_their_parents(
    api: httpx.Client, made: Dataset, paths: dict[str, str]
) -> None:
    """Localizations stand in their video, replies in their comment, each in its order."""
    for item in page(api, "/videos", limit=100)["items"]:
        assert [each["id"] for each in item["localizations"]] == [
            each.id for each in made.localizations if each.video_id == item["id"]
        ]
    for item in page(api, paths["comments"])["items"]:
        assert [each["id"] for each in item["replies"]] == [
            each.id for each in made.replies if each.comment_id == item["id"]
        ]
