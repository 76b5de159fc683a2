"""The records that answers carry: every field of every resource, as the contract has it and otherwise."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.contract import api, openapi, requirements
from conformance.contract.openapi import Contract
from conformance.rules import record, validation
from conformance.rules.judgement import Judgement

CONTRACT = openapi.load()
ID = "0b6d5a9e-7c43-4c1e-8f21-3f0c1d527a94"
UUIDS = {
    "Account": ["id"],
    "Project": ["id", "companyId"],
    "Video": ["id", "companyId", "projectId"],
    "Review": ["id", "companyId", "projectId", "subjectId", "videoId"],
    "Comment": ["id", "reviewId"],
    "ActivityItem": ["id", "projectId", "videoId"],
}
STRINGS = {
    "Account": ["displayName"],
    "Project": ["name", "status", "sourceLanguage", "createdAt", "updatedAt"],
    "Video": [
        "name",
        "ingestionStatus",
        "transcriptReviewStatus",
        "voiceAssignmentStatus",
        "createdAt",
        "updatedAt",
    ],
    "Review": [
        "projectName",
        "subjectType",
        "status",
        "requestedAudience",
        "createdAt",
        "videoName",
        "language",
        "url",
    ],
    "Comment": ["body", "status", "createdAt"],
    "ActivityItem": ["status", "createdAt", "updatedAt"],
}
INTEGERS = {"Video": ["durationUs"], "Review": ["subjectRevision"], "Comment": ["startUs", "endUs"]}
COUNTS = ["videoCount", "localizationCount", "completedLocalizationCount"]
OPERATIONS = {
    "Account": "account_get",
    "Project": "project_get",
    "Video": "video_get",
    "Review": "review_get",
    "Comment": "comment_list",
    "ActivityItem": "activity_list",
}
LOCALIZATION = {
    "id": ID,
    "language": "",
    "status": "",
    "translationApprovalStatus": "",
    "lipSyncStatus": "",
}
REPLY = {"id": ID, "body": "", "kind": "", "createdAt": ""}


def whole(resource: str) -> dict[str, Any]:
    """A record with every field, by the tables above."""
    made: dict[str, Any] = dict.fromkeys(UUIDS[resource], ID)
    made |= dict.fromkeys(STRINGS[resource], "text")
    made |= dict.fromkeys(INTEGERS.get(resource, ()), 7)
    extra: dict[str, dict[str, Any]] = {
        "Account": {"accountType": "internal"},
        "Project": dict.fromkeys(COUNTS, 7),
        "Video": {"localizations": [LOCALIZATION]},
        "Review": {"approvable": True},
        "Comment": {"replies": [REPLY]},
    }
    return made | extra.get(resource, {})


def judgements(resource: str, *records: Any) -> list[Judgement]:
    """What the rules say of these records, read by id or as a page."""
    operation = CONTRACT.operation(OPERATIONS[resource])
    data = {"items": list(records)} if operation.is_list else records[0]
    return [
        judgement
        for judgement in record.examine(data, operation, CONTRACT)
        if not judgement.requirement.startswith("page/")
    ]


def broken(resource: str, *records: Any) -> set[str]:
    """The requirements that these records break."""
    found = judgements(resource, *records)
    assert [judgement for judgement in found if judgement.unsure] == []
    return {judgement.requirement for judgement in found if judgement.problem is not None}


def with_(resource: str, **members: Any) -> dict[str, Any]:
    """A whole record with other members."""
    return {**whole(resource), **members}


WRONG_STRINGS: list[Any] = [None, 1, True, [], {}]
NO_ARRAYS: list[Any] = [{}, None, "x"]
NO_OBJECTS: list[Any] = [None, 1, "x", [], [{}]]
FIELDS = {resource: api.load().kinds[resource] + "/fields" for resource in OPERATIONS}


@pytest.mark.parametrize("resource", OPERATIONS)
def test_a_whole_record_keeps_everything(resource: str) -> None:
    """And exercises what speaks of it, no more."""
    expected = {FIELDS[resource], "representation/uuid"}
    expected |= {"Account": {"account/required", "account/closed", "account/type"}}.get(
        resource, set()
    )
    expected |= {"Project": {"project/required", "project/closed", "representation/count"}}.get(
        resource, set()
    )
    expected |= {"Video": {"localization/fields"}, "Comment": {"reply/fields"}}.get(resource, set())
    assert {
        judgement.requirement for judgement in judgements(resource, whole(resource))
    } == expected
    assert broken(resource, whole(resource)) == set()


@pytest.mark.parametrize("resource", OPERATIONS)
def test_every_string_has_to_be_one(resource: str) -> None:
    """Any string will do; null, numbers, truth values, arrays and objects will not."""
    for name in STRINGS[resource]:
        assert broken(resource, with_(resource, **{name: ""})) == set()
        for wrong in WRONG_STRINGS:
            assert broken(resource, with_(resource, **{name: wrong})) == {FIELDS[resource]}, name


@pytest.mark.parametrize("resource", INTEGERS)
def test_every_integer_has_to_be_one(resource: str) -> None:
    """By its value, not by how it is written."""
    for name in INTEGERS[resource]:
        assert [
            broken(resource, with_(resource, **{name: right}))
            for right in (0, -1, 1.0, 1e3, -0.0, 2**62)
        ] == [set()] * 6
        assert [
            broken(resource, with_(resource, **{name: wrong}))
            for wrong in (1.5, True, "1", None, [1])
        ] == [{FIELDS[resource]}] * 5


@pytest.mark.parametrize("name", COUNTS)
def test_every_count_has_bounds(name: str) -> None:
    """0 and 9007199254740991 are in them; another type is another requirement."""
    assert [
        broken("Project", with_("Project", **{name: right})) for right in (0, 9007199254740991, 3.0)
    ] == [set()] * 3
    outside = [
        broken("Project", with_("Project", **{name: wrong}))
        for wrong in (-1, 9007199254740992, 1e300)
    ]
    assert outside == [{"representation/count"}] * 3
    assert [
        broken("Project", with_("Project", **{name: wrong})) for wrong in (None, "1", True, 1.5)
    ] == [{"project/fields"}] * 4


RIGHT_UUIDS = [
    ID,
    ID.upper(),
    "00000000-0000-0000-0000-000000000000",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
    "FFFFFFFF-ffff-FFFF-ffff-ffffffffffff",
    *(f"0b6d5a9e-7c43-{version}c1e-8f21-3f0c1d527a94" for version in "12345678"),
    *(f"0b6d5a9e-7c43-4c1e-{variant}f21-3f0c1d527a94" for variant in "89abAB"),
]
WRONG_UUIDS = [
    "",
    "x",
    f"{ID}\n",
    f" {ID}",
    f"{{{ID}}}",
    ID.replace("-", ""),
    f"urn:uuid:{ID}",
    ID[:-1],
    ID + "0",
    ID.replace("0", "g"),
    ID.replace("0", "٠"),
    "0b6d5a9e-7c43-0c1e-8f21-3f0c1d527a94",
    "0b6d5a9e-7c43-9c1e-8f21-3f0c1d527a94",
    "0b6d5a9e-7c43-4c1e-7f21-3f0c1d527a94",
    "0b6d5a9e-7c43-4c1e-cf21-3f0c1d527a94",
    "00000000-0000-0000-0000-000000000001",
    "ffffffff-ffff-ffff-ffff-fffffffffffe",
    "a\ud800",
]


@pytest.mark.parametrize("resource", UUIDS)
def test_every_identifier_has_to_be_a_uuid(resource: str) -> None:
    """A wrong form is one requirement, a wrong type is another."""
    for name in UUIDS[resource]:
        assert broken(resource, with_(resource, **{name: "x"})) == {"representation/uuid"}
        assert broken(resource, with_(resource, **{name: 7})) == {FIELDS[resource]}
        assert broken(resource, with_(resource, **{name: None})) == {FIELDS[resource]}


@pytest.mark.parametrize("value", RIGHT_UUIDS)
def test_a_uuid_is_what_the_contract_says(value: str) -> None:
    """Versions 1 to 8, four variants in either case, and two special ones."""
    assert broken("Account", with_("Account", id=value)) == set()


@pytest.mark.parametrize("value", WRONG_UUIDS)
def test_nothing_else_is_a_uuid(value: str) -> None:
    """Neighbours on every side."""
    assert broken("Account", with_("Account", id=value)) == {"representation/uuid"}


@pytest.mark.parametrize(
    ("resource", "member", "element"),
    [("Video", "localizations", LOCALIZATION), ("Comment", "replies", REPLY)],
)
def test_records_within_records_have_fields_too(
    resource: str, member: str, element: dict[str, Any]
) -> None:
    """Of their own requirement; the array itself belongs to the record around it."""
    fields = {"Video": "localization/fields", "Comment": "reply/fields"}[resource]
    for name in element:
        assert broken(resource, with_(resource, **{member: [element, {**element, name: 7}]})) == {
            fields
        }
        without = {key: value for key, value in element.items() if key != name}
        assert broken(resource, with_(resource, **{member: [without]})) == set()
    assert broken(resource, with_(resource, **{member: [element, 1]})) == {fields}
    assert broken(resource, with_(resource, **{member: [{**element, "id": "x"}]})) == {
        "representation/uuid"
    }
    assert broken(resource, with_(resource, **{member: [{**element, "more": 1}]})) == set()
    for no_array in NO_ARRAYS:
        assert broken(resource, with_(resource, **{member: no_array})) == {FIELDS[resource]}
    exercised = {
        judgement.requirement for judgement in judgements(resource, with_(resource, **{member: []}))
    }
    assert exercised == {FIELDS[resource], "representation/uuid"}


@pytest.mark.parametrize("resource", ["Account", "Project"])
def test_two_records_are_closed_and_complete(resource: str) -> None:
    """One member more, one member less."""
    name = resource.lower()
    assert broken(resource, with_(resource, more=1)) == {f"{name}/closed"}
    for member in whole(resource):
        less = {key: value for key, value in whole(resource).items() if key != member}
        assert broken(resource, less) == {f"{name}/required"}
    assert broken(resource, {}) == {f"{name}/required"}


@pytest.mark.parametrize("resource", ["Video", "Review", "Comment", "ActivityItem"])
def test_the_other_records_are_open(resource: str) -> None:
    """More members, or fewer, or none."""
    assert broken(resource, with_(resource, more=None)) == set()
    assert broken(resource, {}) == set()


@pytest.mark.parametrize("resource", OPERATIONS)
def test_a_record_is_an_object(resource: str) -> None:
    """Everything else breaks its fields."""
    for no_object in NO_OBJECTS:
        assert broken(resource, no_object) == {FIELDS[resource]}


def test_an_account_has_one_of_two_types() -> None:
    """Another word is one requirement; what is no string is none of the two either."""
    assert broken("Account", with_("Account", accountType="external")) == set()
    for wrong in ("Internal", "", "partner"):
        assert broken("Account", with_("Account", accountType=wrong)) == {"account/type"}
    assert broken("Account", with_("Account", accountType=1)) <= {"account/type", "account/fields"}


def test_a_review_says_whether_it_can_be_approved() -> None:
    """A truth value; the reason may be null."""
    assert [
        broken("Review", with_("Review", approvable=wrong)) for wrong in ("true", 1, None, 0)
    ] == [{"review/fields"}] * 4


@pytest.mark.parametrize(
    ("approvable", "reason", "kept"),
    [
        *((approvable, reason, True) for approvable in (True, False) for reason in ("", "why")),
        (True, None, True),
        (False, None, False),
        *(
            (approvable, reason, False)
            for approvable in (True, False)
            for reason in (1, True, ["why"])
        ),
    ],
)
def test_a_reason_may_be_null_where_there_is_none(
    approvable: bool, reason: Any, kept: bool
) -> None:
    """Only of a review that can be approved."""
    record_with_reason = with_("Review", approvable=approvable, approvalUnavailableReason=reason)
    assert broken("Review", record_with_reason) == (set() if kept else {"review/fields"})


def test_several_defects_are_several_findings() -> None:
    """Each under its own requirement, told by the first of its kind with its place."""
    first, second = (
        with_("Comment", id="x"),
        with_("Comment", replies=[REPLY, {**REPLY, "kind": 1}], body=2),
    )
    problems = {
        judgement.requirement: judgement.problem
        for judgement in judgements("Comment", first, second)
    }
    assert problems == {
        "representation/uuid": problems["representation/uuid"],
        "comment/fields": 'body: 2 is not of type "string"',
        "reply/fields": 'replies.1.kind: 1 is not of type "string"',
    }
    assert str(problems["representation/uuid"]).startswith("id: ")


def test_every_judgement_of_a_record_says_what_was_expected() -> None:
    """Kept or broken."""
    for value in ("text", 1):
        found = judgements("Account", with_("Account", displayName=value))
        assert {judgement.expected for judgement in found} == {
            "the fields of the resource, with their types"
        }


def test_a_message_quotes_a_record_as_it_came() -> None:
    """However deep it goes, as long as the validators can follow."""
    deep: list[Any] = []
    for _ in range(29):
        deep = [deep]
    (found,) = [
        judgement
        for judgement in judgements("Account", with_("Account", displayName=deep))
        if judgement.problem
    ]
    assert found.problem == f'displayName: {"[" * 30}{"]" * 30} is not of type "string"'


def test_a_message_has_a_longest_length() -> None:
    """However large the record that it would quote."""
    (found,) = [
        judgement
        for judgement in judgements("Account", with_("Account", more="x" * 10_000))
        if judgement.problem
    ]
    assert str(found.problem).startswith("the record: ")
    (other,) = [
        judgement
        for judgement in judgements("Account", with_("Account", displayName=["x" * 10_000]))
        if judgement.problem
    ]
    assert len(str(other.problem)) == len("displayName: ") + record.LONGEST_VALUE + 1
    assert str(other.problem).endswith("…")
    around = len('"" is not of type "boolean"')
    for length, cut in (
        (record.LONGEST_VALUE - around, False),
        (record.LONGEST_VALUE - around + 1, True),
    ):
        (found,) = [
            judgement
            for judgement in judgements("Review", with_("Review", approvable="x" * length))
            if judgement.problem
        ]
        assert str(found.problem).endswith("…") is cut


# --- pages ---------------------------------------------------------------------------------------------------------------


def paged(operation: str, data: Any) -> dict[str, str | None]:
    """What the rules say of the page itself."""
    found = record.examine(data, CONTRACT.operation(operation), CONTRACT)
    return {
        judgement.requirement: judgement.problem
        for judgement in found
        if judgement.requirement.startswith("page/")
    }


@pytest.mark.parametrize(
    ("operation", "data", "problems"),
    [
        (
            "project_list",
            {"items": [], "nextCursor": None},
            dict.fromkeys(("page/items", "page/next-cursor-present", "page/next-cursor")),
        ),
        (
            "project_list",
            {"items": [], "nextCursor": ID},
            dict.fromkeys(("page/items", "page/next-cursor-present", "page/next-cursor")),
        ),
        (
            "project_list",
            {"items": []},
            {
                "page/items": None,
                "page/next-cursor-present": "no nextCursor",
                "page/next-cursor": None,
            },
        ),
        ("video_list", {"items": []}, {"page/items": None, "page/next-cursor": None}),
        (
            "video_list",
            {"items": [], "nextCursor": "x"},
            {"page/items": None, "page/next-cursor": "nextCursor is 'x'"},
        ),
        (
            "video_list",
            {"items": [], "nextCursor": "\ud800"},
            {"page/items": None, "page/next-cursor": "nextCursor is '\\ud800'"},
        ),
        (
            "video_list",
            {"items": [], "nextCursor": ""},
            {"page/items": None, "page/next-cursor": "nextCursor is ''"},
        ),
        (
            "video_list",
            {"items": [], "nextCursor": 1},
            {"page/items": None, "page/next-cursor": "nextCursor is 1"},
        ),
        (
            "video_list",
            {"items": [], "nextCursor": False},
            {"page/items": None, "page/next-cursor": "nextCursor is False"},
        ),
        (
            "video_list",
            {},
            {"page/items": "data without an array of items: {}", "page/next-cursor": None},
        ),
        (
            "video_list",
            {"items": {}},
            {
                "page/items": "data without an array of items: {'items': {}}",
                "page/next-cursor": None,
            },
        ),
        ("video_list", [], {"page/items": "data without an array of items: []"}),
        ("video_list", None, {"page/items": "data without an array of items: None"}),
    ],
)
def test_a_page_has_items_and_a_cursor(
    operation: str, data: Any, problems: dict[str, str | None]
) -> None:
    """Null or absent at the end, but for projects, where it is null."""
    assert paged(operation, data) == problems


def test_every_judgement_of_a_page_says_what_was_expected() -> None:
    """Kept or broken."""
    kept: dict[str, Any] = {"items": [], "nextCursor": None}
    for data in (kept, {"nextCursor": 1}):
        found = record.examine(data, CONTRACT.operation("project_list"), CONTRACT)
        assert {judgement.requirement: judgement.expected for judgement in found} == {
            "page/items": "data: {items, nextCursor}",
            "page/next-cursor-present": "nextCursor: a UUID, or null on the last page",
            "page/next-cursor": "nextCursor: a UUID, or null",
        }


def test_a_page_without_records_exercises_no_fields() -> None:
    """There is nothing to look at."""
    assert judgements("Comment") == []


def test_a_page_with_a_wrong_cursor_is_looked_at_all_the_same() -> None:
    """Its records have requirements of their own."""
    found = record.examine(
        {"items": [1], "nextCursor": 1}, CONTRACT.operation("video_list"), CONTRACT
    )
    assert {judgement.requirement for judgement in found if judgement.problem} == {
        "page/next-cursor",
        "video/fields",
    }


@pytest.mark.parametrize(
    ("data", "kept"),
    [
        ({"id": ID, "status": "approved", "subjectRevision": 3}, True),
        ({"id": ID, "status": "approved", "subjectRevision": 3, "more": 1}, True),
        ({"id": "x", "status": "approved", "subjectRevision": 3}, False),
        ({"id": ID, "status": None, "subjectRevision": 3}, False),
        ({"id": ID, "status": "approved", "subjectRevision": "3"}, False),
        ({"id": ID, "status": "approved"}, False),
        ({"id": ID, "subjectRevision": 3}, False),
        ({"status": "approved", "subjectRevision": 3}, False),
        ({}, False),
        (None, False),
    ],
)
def test_the_result_of_an_approval_is_one_requirement(data: Any, kept: bool) -> None:
    """Whatever is wrong with it."""
    found = list(record.examine(data, CONTRACT.operation("review_approve"), CONTRACT))
    assert [(judgement.requirement, judgement.problem is None) for judgement in found] == [
        ("approval/result", kept)
    ]


# --- two opinions, and hostile values ------------------------------------------------------------------------------------


def test_what_one_validator_alone_refuses_is_no_defect_of_the_target() -> None:
    """It is the checker that is unsure then. Both validators get schemas that disagree, by the name of the resource."""

    class Divided(Contract):
        calls = 0

        def schema(self, name: str) -> dict[str, Any]:  # noqa: ARG002  (the same for every resource)
            Divided.calls += 1
            return (
                {"type": "object", "minProperties": 1} if Divided.calls == 1 else {"type": "object"}
            )

    contract = Divided(CONTRACT.operations, CONTRACT.document, CONTRACT.statuses)
    (found,) = record.examine({}, CONTRACT.operation("video_get"), contract)
    assert (found.requirement, found.unsure) == ("video/fields", True)
    assert found.problem == "{} has less than 1 property, says one validator of two"


NESTED: Any = []
for _ in range(400):
    NESTED = [{"a": NESTED}]


@pytest.mark.parametrize(
    "hostile",
    [NESTED, "\ud800", {"\udfff": "\ud800"}, 2**70, -(2**70), 10**400, float("inf"), 1e300],
)
@pytest.mark.parametrize("resource", OPERATIONS)
def test_hostile_values_break_what_they_break_and_raise_nothing(
    resource: str, hostile: Any
) -> None:
    """In place of a string, and as a member that the contract does not know."""
    name = STRINGS[resource][0]
    assert broken(resource, with_(resource, **{name: hostile})) == (
        set() if isinstance(hostile, str) else {FIELDS[resource]}
    )
    closed = {f"{resource.lower()}/closed"} if resource in api.load().closed else set()
    assert broken(resource, with_(resource, more=hostile)) == closed


def test_depth_hides_no_defect() -> None:
    """What the contract speaks of is looked at beside it, down to the records within records."""
    deep = with_("Video", more=NESTED, localizations=[{**LOCALIZATION, "id": 1}], name=NESTED)
    assert broken("Video", deep) == {"localization/fields", "video/fields"}


@pytest.mark.parametrize("empty", [[], {}])
def test_what_is_too_deep_is_cut_at_twenty_levels(empty: Any) -> None:
    """Of arrays and of objects; what is shallower stays as it is."""

    def nested(levels: int, inner: Any) -> Any:
        for _ in range(levels):
            inner = [inner] if isinstance(empty, list) else {"a": inner}
        return inner

    assert validation.scrubbed(nested(25, 1)) == nested(20, empty)
    assert validation.scrubbed(nested(20, 1)) == nested(20, 1)
    assert validation.scrubbed(nested(21, 1)) == nested(20, empty)


NAMES = st.sampled_from(sorted(whole("Review") | whole("Video") | REPLY))
JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(codec=None, exclude_categories=())),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES | st.text(), inner),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None, database=None)
@given(JSON_VALUES)
def test_the_rules_take_any_json_value(data: Any) -> None:
    """And the two validators agree on all of it."""
    for operation in CONTRACT.operations.values():
        for value in (data, {"items": [data], "nextCursor": data}):
            assert [
                judgement
                for judgement in record.examine(value, operation, CONTRACT)
                if judgement.unsure
            ] == []


def test_every_fault_names_a_requirement_of_the_catalogue() -> None:
    """Whatever is wrong, there is a requirement for it."""
    catalogue = requirements.load()
    for resource in OPERATIONS:
        for wrong in (
            None,
            {"id": "x"},
            with_(resource, more=1),
            dict.fromkeys(whole(resource), 1.5),
        ):
            assert broken(resource, wrong) <= set(catalogue)
