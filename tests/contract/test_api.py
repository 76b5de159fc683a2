"""The engine derives its knowledge of the API from the contract files."""

from conformance.contract import api, openapi

API = api.load()


def test_the_operations_that_the_engine_calls_by_itself() -> None:
    """One operation writes, and one checks whether the target responds."""
    assert (API.approval.id, API.approved_id) == ("review_approve", "reviewId")
    assert API.simplest.id == "account_get"


def test_schemes_are_named_as_in_a_profile() -> None:
    """The API key is tried first."""
    assert API.schemes == ("api-key", "bearer")


def test_permissions_are_those_of_the_operations() -> None:
    """They have the order of the operations."""
    assert API.permissions == openapi.load().permissions
    assert (API.permissions[0], API.permissions[-1]) == ("account:read", "activity:read")


def test_each_resource_has_a_kind() -> None:
    """Nested records have one too; the result of the approval is not a resource."""
    assert API.kinds == {
        "Account": "account",
        "Project": "project",
        "Video": "video",
        "Review": "review",
        "Comment": "comment",
        "ActivityItem": "activity",
        "Localization": "localization",
        "Reply": "reply",
    }


def test_path_parameters_lead_to_kinds_lists_and_readers() -> None:
    """A list contains each id, and an operation reads it."""
    assert API.id_kinds == {"projectId": "project", "videoId": "video", "reviewId": "review"}
    assert API.parents == {
        "projectId": "project_list",
        "videoId": "video_list",
        "reviewId": "review_list",
    }
    assert API.readers == {
        "projectId": "project_get",
        "videoId": "video_get",
        "reviewId": "review_get",
    }
    assert list(API.lists.values()) == list(API.parents.values())


def test_nested_and_closed_resources() -> None:
    """Both are derived from the schemas."""
    assert API.nested == {
        "Video": ("localizations", "Localization"),
        "Comment": ("replies", "Reply"),
    }
    assert API.closed == {"Account", "Project"}


def test_one_list_has_to_mark_its_end() -> None:
    """The end of the other lists is not specified."""
    assert API.closing_lists == {"project_list"}


def test_five_parameters_have_no_stated_name() -> None:
    """Each has a default that a profile may replace."""
    assert API.open_names == {
        ("video_list", "cursor"): "cursor",
        ("video_list", "company"): "companyId",
        ("video_list", "project"): "projectId",
        ("review_list", "cursor"): "cursor",
        ("review_list", "project"): "projectId",
        ("review_list", "company"): "",
    }
    assert API.replaced == {("review_list", "company"): "project"}


def test_filters_name_the_property_that_they_restrict() -> None:
    """Filters have roles; a nested list has no filter."""
    filters = {id: dict(each.filters) for id, each in openapi.load().operations.items()}
    assert {id: roles for id, roles in filters.items() if roles} == {
        "project_list": {"company": "companyId"},
        "video_list": {"company": "companyId", "project": "projectId"},
        "review_list": {"project": "projectId", "company": "companyId"},
    }
