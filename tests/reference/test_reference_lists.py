"""Lists of the reference: pages, cursors, limits, filters."""

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
    """An instance in memory; these tests do not change it."""
    made = Reference(clock=ManualClock())
    yield made
    made.close()


@pytest.fixture(scope="module")
def profile(reference: Reference) -> dict[str, Any]:
    """The target profile of the instance."""
    return reference.profile(reference_client.URL)


@pytest.fixture(scope="module")
def api(reference: Reference, profile: dict[str, Any]) -> Iterator[httpx.Client]:
    """A client with the credential primary."""
    with reference_client.client(
        reference, {"x-api-key": profile["credentials"]["primary"]["api-key"]}
    ) as client:
        yield client


@pytest.fixture(scope="module")
def made() -> Dataset:
    """The dataset of the instance."""
    return build(1)


@pytest.fixture(scope="module")
def reachable(made: Dataset) -> set[str]:
    """The projects in the grant of primary."""
    reviewers = {
        membership.account_id
        for membership in made.identities.memberships
        if membership.role == "viewer"
    }
    return {grant.project_id for grant in made.identities.grants if grant.account_id in reviewers}


@pytest.fixture(scope="module")
def paths(made: Dataset, reachable: set[str]) -> dict[str, str]:
    """The path of each list, for the review and the project with the longest ones."""
    reviews = {review.id for review in made.reviews if review.project_id in reachable}
    ((review, _),) = Counter(
        comment.review_id for comment in made.comments if comment.review_id in reviews
    ).most_common(1)
    ((project, _),) = Counter(
        item.project_id for item in made.activity if item.project_id in reachable
    ).most_common(1)
    return {
        "projects": "/projects",
        "videos": "/videos",
        "reviews": "/reviews",
        "comments": f"/reviews/{review}/comments",
        "activity": f"/projects/{project}/activity",
    }


@pytest.fixture(scope="module")
def expected(made: Dataset, reachable: set[str], paths: dict[str, str]) -> dict[str, list[str]]:
    """The expected ids of each list, in order."""
    return {
        "projects": [project.id for project in made.projects if project.id in reachable],
        "videos": [video.id for video in made.videos if video.project_id in reachable],
        "reviews": [review.id for review in made.reviews if review.project_id in reachable],
        "comments": [
            comment.id for comment in made.comments if comment.review_id in paths["comments"]
        ],
        "activity": [item.id for item in made.activity if item.project_id in paths["activity"]],
    }


def page(api: httpx.Client, path: str, **query: object) -> dict[str, Any]:
    """The data of one page."""
    response = api.get(
        path, params={name: str(value) for name, value in query.items() if value is not None}
    )
    assert response.status_code == 200, response.text
    data: dict[str, Any] = response.json()["data"]
    return data


def paginate(api: httpx.Client, path: str, cursor: str | None = None, **query: object) -> list[str]:
    """The ids of all pages, or of those after a cursor."""
    ids: list[str] = []
    while True:
        data = page(api, path, cursor=cursor, **query)
        ids += [item["id"] for item in data["items"]]
        cursor = data["nextCursor"]
        if cursor is None:
            return ids


def copy_video(reference: Reference, identifier: str, new: str) -> None:
    """Add a copy of a video with another id."""
    columns = [
        row["name"]
        for row in reference.store.rows("SELECT name FROM pragma_table_info('videos')", {})
    ]
    copied = ", ".join(column for column in columns if column not in {"position", "id"})
    reference.store.write(
        f"INSERT INTO videos (id, {copied}) SELECT :new, {copied} FROM videos WHERE id = :id",
        {"new": new, "id": identifier},
    )


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("limit", [None, 1, 7, 100])
def test_pagination_returns_each_record_once(
    api: httpx.Client,
    paths: dict[str, str],
    expected: dict[str, list[str]],
    name: str,
    limit: int | None,
) -> None:
    """The pages together are the list, for every limit."""
    assert paginate(api, paths[name], limit=limit) == expected[name]


@pytest.mark.parametrize("name", LISTS)
def test_a_page_has_25_items_by_default(
    api: httpx.Client, paths: dict[str, str], name: str
) -> None:
    """Without a limit, the first page of every list has 25 items."""
    assert len(page(api, paths[name])["items"]) == 25


@pytest.mark.parametrize("name", LISTS)
def test_a_cursor_is_a_reusable_uuid(api: httpx.Client, paths: dict[str, str], name: str) -> None:
    """A cursor can be used again, in upper case, and with another limit."""
    cursor = page(api, paths[name], limit=3)["nextCursor"]
    assert UUID.fullmatch(cursor)
    first = page(api, paths[name], limit=3, cursor=cursor)
    assert page(api, paths[name], limit=3, cursor=cursor.upper()) == first
    assert page(api, paths[name], limit=9, cursor=cursor)["items"][:3] == first["items"]


def test_a_full_last_page_ends_the_list(
    api: httpx.Client, paths: dict[str, str], expected: dict[str, list[str]]
) -> None:
    """34 comments are two pages of 17; the second has no cursor."""
    assert len(expected["comments"]) == 34
    cursor = page(api, paths["comments"], limit=17)["nextCursor"]
    assert page(api, paths["comments"], limit=17, cursor=cursor)["nextCursor"] is None


def test_a_cursor_survives_inserts(api: httpx.Client, expected: dict[str, list[str]]) -> None:
    """A record that is added between two pages is the last one, and shifts no other."""
    own = Reference(clock=ManualClock())
    with reference_client.client(own, api.headers) as client:
        first = page(client, "/videos", limit=100)
        copy_video(own, expected["videos"][0], ABSENT)
        rest = paginate(client, "/videos", first["nextCursor"])
    own.close()
    assert [item["id"] for item in first["items"]] + rest == [*expected["videos"], ABSENT]


def test_a_cursor_outlives_the_instance(
    reference: Reference, api: httpx.Client, profile: dict[str, Any]
) -> None:
    """Another instance with the same records continues the list."""
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
def test_an_unissued_cursor_is_rejected(
    api: httpx.Client, paths: dict[str, str], name: str, cursor: str
) -> None:
    """A UUID that is not a cursor is 404: it names nothing, as an id that does not exist."""
    assert api.get(paths[name], params={"cursor": cursor}).status_code == 404


@pytest.mark.parametrize("name", LISTS)
def test_a_cursor_of_another_list_is_rejected(
    api: httpx.Client, paths: dict[str, str], name: str
) -> None:
    """A cursor of another list is 404."""
    issued = {
        other: page(api, path, limit=1)["nextCursor"]
        for other, path in paths.items()
        if other != name
    }
    assert [
        api.get(paths[name], params={"cursor": cursor}).status_code for cursor in issued.values()
    ] == [404] * 4


def test_a_cursor_of_another_caller_is_rejected(api: httpx.Client, profile: dict[str, Any]) -> None:
    """A cursor of primary is 404 for the account without a review role."""
    cursor = page(api, "/projects")["nextCursor"]
    headers = {"x-api-key": profile["credentials"]["no-review-role"]["api-key"]}
    assert api.get("/projects", params={"cursor": cursor}, headers=headers).status_code == 404


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
def test_an_argument_out_of_bounds_is_rejected(
    api: httpx.Client, paths: dict[str, str], name: str, query: str
) -> None:
    """Every list returns 422 for a limit outside 1 to 100, and for a cursor that is not a UUID."""
    assert api.get(f"{paths[name]}?{query}").status_code == 422


@pytest.mark.parametrize("name", LISTS)
def test_unknown_query_parameters_are_ignored(
    api: httpx.Client, paths: dict[str, str], name: str
) -> None:
    """Unknown parameters are ignored, also repeated ones."""
    assert (
        page(api, paths[name])
        == api.get(f"{paths[name]}?colour=blue&colour=red&sort").json()["data"]
    )


def test_projects_are_filtered_by_company(
    api: httpx.Client, made: Dataset, expected: dict[str, list[str]]
) -> None:
    """The filtered list is the subset of the list with that company."""
    for company in made.companies[:3]:
        own = [project.id for project in made.projects if project.company_id == company.id]
        assert paginate(api, "/projects", companyId=company.id.upper(), limit=10) == [
            each for each in expected["projects"] if each in own
        ]


def test_videos_are_filtered_by_company_and_project(
    api: httpx.Client, made: Dataset, reachable: set[str]
) -> None:
    """Each filter, and both together, return the matching subset."""
    video = next(video for video in made.videos if video.project_id in reachable)
    of_company = [
        each.id
        for each in made.videos
        if each.company_id == video.company_id and each.project_id in reachable
    ]
    of_project = [each.id for each in made.videos if each.project_id == video.project_id]
    assert paginate(api, "/videos", companyId=video.company_id) == of_company
    assert paginate(api, "/videos", projectId=video.project_id) == of_project
    assert (
        paginate(api, "/videos", projectId=video.project_id, companyId=video.company_id)
        == of_project
    )


def test_reviews_are_filtered_by_project(
    api: httpx.Client, made: Dataset, reachable: set[str]
) -> None:
    """The filtered list is the subset of the list with that project."""
    project = next(review.project_id for review in made.reviews if review.project_id in reachable)
    assert paginate(api, "/reviews", projectId=project) == [
        each.id for each in made.reviews if each.project_id == project
    ]


@pytest.mark.parametrize(
    "query",
    ["companyId={company}", "projectId={project}", "companyId={absent}", "projectId={absent}"],
)
def test_a_filter_outside_the_grant_returns_nothing(
    api: httpx.Client, profile: dict[str, Any], query: str
) -> None:
    """A foreign company, a foreign project and an unknown one return an empty page."""
    filled = query.format(**profile["fixtures"]["foreign"], absent=ABSENT)
    assert api.get(f"/videos?{filled}").json()["data"] == {"items": [], "nextCursor": None}


def test_an_ungranted_project_returns_nothing(api: httpx.Client, profile: dict[str, Any]) -> None:
    """The project is in a company of the caller, and its list is empty."""
    project = profile["fixtures"]["ungranted"]["project"]
    assert [page(api, path, projectId=project)["items"] for path in ("/videos", "/reviews")] == [
        [],
        [],
    ]


@pytest.mark.parametrize(
    "query",
    ["companyId=", "companyId=7", "companyId=acme", f"companyId={ABSENT}&companyId={ABSENT}"],
)
def test_a_filter_that_is_not_a_uuid_is_rejected(api: httpx.Client, query: str) -> None:
    """The response is 422."""
    assert api.get(f"/projects?{query}").status_code == 422


def test_items_equal_the_records_by_id(api: httpx.Client) -> None:
    """A listed record equals the record by id, in either case of the id."""
    for path in ("/projects", "/videos", "/reviews"):
        for item in page(api, path, limit=100)["items"]:
            assert api.get(f"{path}/{item['id']}").json()["data"] == item
            assert api.get(f"{path}/{item['id'].upper()}").json()["data"] == item


def test_children_are_in_their_parents(
    api: httpx.Client, made: Dataset, paths: dict[str, str]
) -> None:
    """Localizations are in their video, replies in their comment, in order."""
    for item in page(api, "/videos", limit=100)["items"]:
        assert [each["id"] for each in item["localizations"]] == [
            each.id for each in made.localizations if each.video_id == item["id"]
        ]
    for item in page(api, paths["comments"])["items"]:
        assert [each["id"] for each in item["replies"]] == [
            each.id for each in made.replies if each.comment_id == item["id"]
        ]
