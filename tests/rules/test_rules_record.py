"""The records in responses: every field of every resource, with valid and with invalid values."""

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.contract import api, openapi, requirements
from conformance.contract.openapi import Contract, Json
from conformance.contract.verdict import Defect, Kind, Location, Part
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
    """A record with every field of the tables above."""
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
    """The judgements of these records, as a page or read by id."""
    operation = CONTRACT.operation(OPERATIONS[resource])
    data = {"items": list(records)} if operation.is_list else records[0]
    return [
        judgement
        for judgement in record.examine(data, operation, CONTRACT)
        if not judgement.requirement.startswith("page/")
    ]


def violated(resource: str, *records: Any) -> set[str]:
    """The requirements that these records violate."""
    checked = judgements(resource, *records)
    assert [judgement for judgement in checked if judgement.unsure] == []
    return {judgement.requirement for judgement in checked if judgement.problem is not None}


def with_(resource: str, **properties: Any) -> dict[str, Any]:
    """A whole record with other properties."""
    return {**whole(resource), **properties}


WRONG_STRINGS: list[Any] = [None, 1, True, [], {}]
NO_ARRAYS: list[Any] = [{}, None, "x"]
NO_OBJECTS: list[Any] = [None, 1, "x", [], [{}]]
FIELDS = {resource: api.load().kinds[resource] + "/fields" for resource in OPERATIONS}


@pytest.mark.parametrize("resource", OPERATIONS)
def test_a_whole_record_conforms(resource: str) -> None:
    """It exercises the requirements of its resource only."""
    expected = {FIELDS[resource], "representation/uuid"}
    expected |= {"Account": {"account/required", "account/closed", "account/type"}}.get(
        resource, set()
    )
    expected |= {"Project": {"project/required", "project/closed", "representation/count"}}.get(
        resource, set()
    )
    expected |= {"Video": {"localization/fields"}, "Comment": {"reply/fields"}}.get(resource, set())
    expected |= set() if resource in api.load().closed else {"representation/suffix"}
    assert {
        judgement.requirement for judgement in judgements(resource, whole(resource))
    } == expected
    assert violated(resource, whole(resource)) == set()


@pytest.mark.parametrize("resource", OPERATIONS)
def test_every_string_field_is_a_string(resource: str) -> None:
    """Every string conforms; null, numbers, booleans, arrays and objects do not."""
    for name in STRINGS[resource]:
        assert violated(resource, with_(resource, **{name: ""})) == set()
        for wrong in WRONG_STRINGS:
            assert violated(resource, with_(resource, **{name: wrong})) == {FIELDS[resource]}, name


@pytest.mark.parametrize("resource", INTEGERS)
def test_every_integer_field_is_an_integer(resource: str) -> None:
    """The value decides, not its notation."""
    for name in INTEGERS[resource]:
        assert [
            violated(resource, with_(resource, **{name: right}))
            for right in (0, -1, 1.0, 1e3, -0.0, 2**62)
        ] == [set()] * 6
        assert [
            violated(resource, with_(resource, **{name: wrong}))
            for wrong in (1.5, True, "1", None, [1])
        ] == [{FIELDS[resource]}] * 5


@pytest.mark.parametrize("name", COUNTS)
def test_every_count_has_bounds(name: str) -> None:
    """The bounds are 0 and 9007199254740991; another type violates another requirement."""
    assert [
        violated("Project", with_("Project", **{name: right}))
        for right in (0, 9007199254740991, 3.0)
    ] == [set()] * 3
    outside = [
        violated("Project", with_("Project", **{name: wrong}))
        for wrong in (-1, 9007199254740992, 1e300)
    ]
    assert outside == [{"representation/count"}] * 3
    assert [
        violated("Project", with_("Project", **{name: wrong})) for wrong in (None, "1", True, 1.5)
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
def test_every_identifier_is_a_uuid(resource: str) -> None:
    """Another form and another type are two requirements."""
    for name in UUIDS[resource]:
        assert violated(resource, with_(resource, **{name: "x"})) == {"representation/uuid"}
        assert violated(resource, with_(resource, **{name: 7})) == {FIELDS[resource]}
        assert violated(resource, with_(resource, **{name: None})) == {FIELDS[resource]}


@pytest.mark.parametrize("value", RIGHT_UUIDS)
def test_a_uuid_has_the_form_of_the_contract(value: str) -> None:
    """The versions are 1 to 8 and the variants four, in upper or lower case."""
    assert violated("Account", with_("Account", id=value)) == set()


@pytest.mark.parametrize("value", WRONG_UUIDS)
def test_any_other_string_is_not_a_uuid(value: str) -> None:
    """An additional, missing or different character makes a string invalid."""
    assert violated("Account", with_("Account", id=value)) == {"representation/uuid"}


@pytest.mark.parametrize(
    ("resource", "name", "element"),
    [("Video", "localizations", LOCALIZATION), ("Comment", "replies", REPLY)],
)
def test_nested_records_have_fields(resource: str, name: str, element: dict[str, Any]) -> None:
    """They have their own requirement; the array is a field of the outer record."""
    nested_fields = {"Video": "localization/fields", "Comment": "reply/fields"}[resource]

    def violated_by(*nested: Any) -> set[str]:
        return violated(resource, with_(resource, **{name: list(nested)}))

    for field in element:
        without = {key: value for key, value in element.items() if key != field}
        assert violated_by(element, {**element, field: 7}) == {nested_fields}
        assert violated_by(without) == set()
    assert violated_by(element, 1) == {nested_fields}
    assert violated_by({**element, "id": "x"}) == {"representation/uuid"}
    assert violated_by({**element, "more": 1}) == set()
    for not_an_array in NO_ARRAYS:
        assert violated(resource, with_(resource, **{name: not_an_array})) == {FIELDS[resource]}
    empty = judgements(resource, with_(resource, **{name: []}))
    exercised = {judgement.requirement for judgement in empty}
    assert exercised == {FIELDS[resource], "representation/uuid", "representation/suffix"}


@pytest.mark.parametrize("resource", ["Account", "Project"])
def test_records_of_two_resources_are_closed_and_complete(resource: str) -> None:
    """An additional and an absent property are both violations."""
    own = resource.lower()
    assert violated(resource, with_(resource, more=1)) == {f"{own}/closed"}
    for name in whole(resource):
        less = {key: value for key, value in whole(resource).items() if key != name}
        assert violated(resource, less) == {f"{own}/required"}
    assert violated(resource, {}) == {f"{own}/required"}


@pytest.mark.parametrize("resource", ["Video", "Review", "Comment", "ActivityItem"])
def test_the_other_records_are_open(resource: str) -> None:
    """Properties may be added, and each may be absent."""
    assert violated(resource, with_(resource, more=None)) == set()
    assert violated(resource, {}) == set()


@pytest.mark.parametrize("resource", OPERATIONS)
def test_a_record_is_an_object(resource: str) -> None:
    """Every other JSON value violates the requirement of its fields."""
    for no_object in NO_OBJECTS:
        assert violated(resource, no_object) == {FIELDS[resource]}


def test_an_account_has_one_of_two_types() -> None:
    """Another string violates `account/type`."""
    assert violated("Account", with_("Account", accountType="external")) == set()
    for wrong in ("Internal", "", "partner"):
        assert violated("Account", with_("Account", accountType=wrong)) == {"account/type"}
    assert violated("Account", with_("Account", accountType=1)) <= {
        "account/type",
        "account/fields",
    }


def test_approvable_is_a_boolean() -> None:
    """Strings, numbers and null are not."""
    assert [
        violated("Review", with_("Review", approvable=wrong)) for wrong in ("true", 1, None, 0)
    ] == [{"review/fields"}] * 4


@pytest.mark.parametrize(
    ("approvable", "reason", "conforms"),
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
def test_a_reason_may_be_null_if_a_review_can_be_approved(
    approvable: bool, reason: Any, conforms: bool
) -> None:
    """In other reviews it is a string or absent."""
    record_with_reason = with_("Review", approvable=approvable, approvalUnavailableReason=reason)
    assert violated("Review", record_with_reason) == (set() if conforms else {"review/fields"})


def test_several_defects_have_a_judgement_each() -> None:
    """Of alike ones, in several records, the first; with its place."""
    first, second = (
        with_("Comment", id="x", status=3),
        with_("Comment", replies=[REPLY, {**REPLY, "kind": 1}], body=2, status=4),
    )
    problems = sorted(
        (judgement.requirement, judgement.problem)
        for judgement in judgements("Comment", first, second)
    )
    assert problems == [
        ("comment/fields", "body is 2"),
        ("comment/fields", "status is 3"),
        ("reply/fields", "replies.1.kind is 1"),
        ("representation/suffix", None),
        ("representation/uuid", 'id is "x"'),
    ]


def sole_defect(results: Iterable[Judgement]) -> Defect:
    """The one defect of these judgements."""
    (defect,) = [judgement.defect for judgement in results if judgement.defect]
    return defect


@pytest.mark.parametrize(
    ("resource", "invalid", "sentence", "expected"),
    [
        ("Account", {"displayName": 1}, "displayName is 1", "type: string"),
        ("Account", {"accountType": "x"}, 'accountType is "x"', "enum: internal or external"),
        ("Account", {"id": "x"}, 'id is "x"', "a UUID"),
        ("Project", {"videoCount": -1}, "videoCount is -1", "minimum: 0"),
        (
            "Account",
            {"more": 1},
            "the record has the property more",
            "no properties but those of the contract",
        ),
        (
            "Account",
            {"more": 1, "further": 1},
            "the record has the properties further, more",
            "no properties but those of the contract",
        ),
    ],
)
def test_a_sentence_names_the_place_and_the_value(
    resource: str, invalid: dict[str, Any], sentence: str, expected: str
) -> None:
    """It names the constraint of the contract too."""
    defect = sole_defect(judgements(resource, with_(resource, **invalid)))
    assert (defect.sentence, defect.expected) == (sentence, expected)


def test_the_sentence_of_an_absent_property_names_it() -> None:
    """The record is an account without one property."""
    record = whole("Account")
    del record["displayName"]
    defect = sole_defect(judgements("Account", record))
    assert (defect.sentence, defect.expected) == (
        "the record has no displayName",
        "all required fields",
    )


def body(*pointers: str) -> tuple[Location, ...]:
    """Places in a body."""
    return tuple(Location(Part.BODY, pointer) for pointer in pointers)


@pytest.mark.parametrize(
    ("resource", "invalid", "data"),
    [
        (
            "Account",
            {"displayName": 1},
            (Kind.VALUE, "type", ("displayName",), 1, body("/data/displayName")),
        ),
        (
            "Account",
            {"more": 1, "a/b": 1},
            (
                Kind.EXTRA,
                "additionalProperties",
                ("a/b", "more"),
                None,
                body("/data/a~1b", "/data/more"),
            ),
        ),
        (
            "Comment",
            {"replies": [REPLY, {**REPLY, "kind": 1}]},
            (Kind.VALUE, "type", ("kind",), 1, body("/data/items/0/replies/1/kind")),
        ),
    ],
)
def test_a_defect_has_its_place_and_its_properties_as_data(
    resource: str, invalid: dict[str, Any], data: tuple[Any, ...]
) -> None:
    """Kind, keyword of the schema, properties, value and JSON Pointers."""
    defect = sole_defect(judgements(resource, with_(resource, **invalid)))
    assert (defect.kind, defect.keyword, defect.fields, defect.actual, defect.where) == data


def test_an_absent_property_is_data_of_the_defect() -> None:
    """The place is the record, since the property does not exist."""
    record = whole("Account")
    del record["displayName"]
    defect = sole_defect(judgements("Account", record))
    assert (defect.kind, defect.keyword, defect.fields, defect.where) == (
        Kind.ABSENT,
        "required",
        ("displayName",),
        body("/data"),
    )


def test_a_sentence_quotes_the_value() -> None:
    """The value may have any depth that the validators can read."""
    deep: list[Any] = []
    for _ in range(29):
        deep = [deep]
    defect = sole_defect(judgements("Account", with_("Account", displayName=deep)))
    assert defect.sentence == f"displayName is {'[' * 30}{']' * 30}"


def test_a_quoted_value_is_cut() -> None:
    """The length of the sentence has a limit."""
    long = sole_defect(judgements("Account", with_("Account", displayName=["x" * 10_000])))
    assert len(long.sentence) == len("displayName is ") + record.LONGEST_VALUE
    assert long.sentence.endswith("…")
    quotes = len('""')
    longest = record.LONGEST_VALUE - quotes
    for length, is_cut in ((longest, False), (longest + 1, True)):
        defect = sole_defect(judgements("Review", with_("Review", approvable="x" * length)))
        assert defect.sentence.endswith("…") is is_cut


@pytest.mark.parametrize(
    ("name", "value", "conforms"),
    [
        ("dueAt", "", True),
        ("dueAt", None, True),
        ("dueAt", 1, False),
        ("dueAt", True, False),
        ("At", 1, True),
        ("Us", "", True),
        ("flat", 1, True),
        ("lengthUs", 1, True),
        ("lengthUs", 1.0, True),
        ("lengthUs", None, True),
        ("lengthUs", 1.5, False),
        ("lengthUs", True, False),
        ("lengthUs", "1", False),
    ],
)
@pytest.mark.parametrize("resource", ["Review", "Video", "Comment", "ActivityItem"])
def test_a_property_beyond_the_contract_has_the_type_of_its_suffix(
    resource: str, name: str, value: Any, conforms: bool
) -> None:
    """Nested records have the same rule."""
    expected = set() if conforms else {"representation/suffix"}
    assert violated(resource, with_(resource, **{name: value})) == expected
    nested = {
        "Video": {"localizations": [LOCALIZATION, {**LOCALIZATION, name: value}]},
        "Comment": {"replies": [REPLY, {**REPLY, name: value}]},
    }
    if resource in nested:
        assert violated(resource, with_(resource, **nested[resource])) == expected


def test_a_property_with_another_type_than_its_suffix_has_its_place_as_data() -> None:
    """The place is that of the first such property."""
    replies = [REPLY, {**REPLY, "lengthUs": "5"}]
    defect = sole_defect(judgements("Comment", whole("Comment"), with_("Comment", replies=replies)))
    assert (defect.sentence, defect.expected) == ('lengthUs is "5"', "an integer")
    assert (defect.kind, defect.actual, defect.fields) == (Kind.VALUE, "5", ("lengthUs",))
    assert defect.where == body("/data/items/1/replies/1/lengthUs")
    defect = sole_defect(judgements("Review", with_("Review", dueAt=5)))
    assert (defect.sentence, defect.expected) == ("dueAt is 5", "a string")
    assert defect.where == body("/data/dueAt")


def test_the_rules_declare_the_requirements_that_they_check() -> None:
    """Complete records of every resource exercise each of them."""
    operations = [each for each in CONTRACT.operations.values() if not each.writes]
    checked = {"approval/result"}
    for operation in operations:
        item = whole(operation.resource)
        data = {"items": [item], "nextCursor": None} if operation.is_list else item
        checked |= {each.requirement for each in record.examine(data, operation, CONTRACT)}
    assert checked == record.REQUIREMENTS


# --- pages ---


def paged(operation: str, data: Any) -> dict[str, str | None]:
    """The judgements of the page itself."""
    checked = record.examine(data, CONTRACT.operation(operation), CONTRACT)
    return {
        judgement.requirement: judgement.problem
        for judgement in checked
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
                "page/next-cursor-present": "nextCursor is absent",
                "page/next-cursor": None,
            },
        ),
        ("video_list", {"items": []}, {"page/items": None, "page/next-cursor": None}),
        (
            "video_list",
            {"items": [], "nextCursor": "x"},
            {"page/items": None, "page/next-cursor": 'nextCursor is "x"'},
        ),
        (
            "video_list",
            {"items": [], "nextCursor": "\ud800"},
            {"page/items": None, "page/next-cursor": 'nextCursor is "\ud800"'},
        ),
        (
            "video_list",
            {"items": [], "nextCursor": ""},
            {"page/items": None, "page/next-cursor": 'nextCursor is ""'},
        ),
        (
            "video_list",
            {"items": [], "nextCursor": 1},
            {"page/items": None, "page/next-cursor": "nextCursor is 1"},
        ),
        (
            "video_list",
            {"items": [], "nextCursor": False},
            {"page/items": None, "page/next-cursor": "nextCursor is false"},
        ),
        (
            "video_list",
            {},
            {"page/items": "data has no array of items: {}", "page/next-cursor": None},
        ),
        (
            "video_list",
            {"items": {}},
            {
                "page/items": 'data has no array of items: {"items": {}}',
                "page/next-cursor": None,
            },
        ),
        ("video_list", [], {"page/items": "data has no array of items: []"}),
        ("video_list", None, {"page/items": "data has no array of items: null"}),
    ],
)
def test_a_page_has_items_and_a_cursor(
    operation: str, data: Any, problems: dict[str, str | None]
) -> None:
    """The cursor is null or absent on the last page; null on that of /projects."""
    assert paged(operation, data) == problems


def test_a_defect_of_a_page_has_its_place_as_data() -> None:
    """Kind, expected value, property, value and JSON Pointer."""
    operation = CONTRACT.operation("project_list")

    def data_of(data: dict[str, Any]) -> dict[str, tuple[Any, ...]]:
        violations = {
            judgement.requirement: judgement.defect
            for judgement in record.examine(data, operation, CONTRACT)
            if judgement.defect
        }
        return {
            requirement: (defect.kind, defect.expected, defect.fields, defect.actual, defect.where)
            for requirement, defect in violations.items()
        }

    absent = "nextCursor: a UUID, or null on the last page"
    assert data_of({"items": []}) == {
        "page/next-cursor-present": (Kind.ABSENT, absent, ("nextCursor",), None, body("/data")),
    }
    other, place = "nextCursor: a UUID, or null", body("/data/nextCursor")
    items = (Kind.VALUE, "data: {items, nextCursor}", ("items",), None, body("/data/items"))
    assert data_of({"nextCursor": 1}) == {
        "page/items": items,
        "page/next-cursor": (Kind.VALUE, other, ("nextCursor",), 1, place),
    }


def test_a_page_without_records_exercises_no_fields() -> None:
    """The page has no record to check."""
    assert judgements("Comment") == []


def test_the_records_beside_an_invalid_cursor_are_checked() -> None:
    """They have requirements of their own."""
    checked = record.examine(
        {"items": [1], "nextCursor": 1}, CONTRACT.operation("video_list"), CONTRACT
    )
    assert {judgement.requirement for judgement in checked if judgement.problem} == {
        "page/next-cursor",
        "video/fields",
    }


@pytest.mark.parametrize(
    ("data", "conforms"),
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
def test_the_result_of_an_approval_is_one_requirement(data: Any, conforms: bool) -> None:
    """Every defect violates the same one."""
    checked = record.examine(data, CONTRACT.operation("review_approve"), CONTRACT)
    assert {(judgement.requirement, judgement.problem is None) for judgement in checked} == {
        ("approval/result", conforms),
        ("representation/suffix", True),
    }


# --- two validators, and hostile values ---


class Divided(Contract):
    """A contract whose schema of a video differs once after `differs` is set."""

    differs = False

    def schema(self, name: str) -> Json:
        """The schema of a resource."""
        if name != "Video" or not Divided.differs:
            return super().schema(name)
        Divided.differs = False
        return {"type": "object", "minProperties": 1}


def test_a_fault_that_only_one_validator_reports_is_unsure() -> None:
    """The two validators receive different schemas."""
    contract = Divided(CONTRACT.operations, CONTRACT.document, CONTRACT.statuses)
    api.derive(contract)
    Divided.differs = True
    (unconfirmed,) = record.examine({}, CONTRACT.operation("video_get"), contract)
    assert (unconfirmed.requirement, unconfirmed.unsure) == ("video/fields", True)
    assert unconfirmed.problem == "the record is {}, according to one of two validators"


NESTED: Any = []
for _ in range(400):
    NESTED = [{"a": NESTED}]


@pytest.mark.parametrize(
    "hostile",
    [NESTED, "\ud800", {"\udfff": "\ud800"}, 2**70, -(2**70), 10**400, float("inf"), 1e300],
)
@pytest.mark.parametrize("resource", OPERATIONS)
def test_hostile_values_raise_nothing(resource: str, hostile: Any) -> None:
    """The value replaces a string, and is an additional property."""
    name = STRINGS[resource][0]
    assert violated(resource, with_(resource, **{name: hostile})) == (
        set() if isinstance(hostile, str) else {FIELDS[resource]}
    )
    closed = {f"{resource.lower()}/closed"} if resource in api.load().closed else set()
    assert violated(resource, with_(resource, more=hostile)) == closed


def test_a_deep_value_does_not_hide_other_defects() -> None:
    """The other properties are checked, also in nested records."""
    deep = with_("Video", more=NESTED, localizations=[{**LOCALIZATION, "id": 1}], name=NESTED)
    assert violated("Video", deep) == {"localization/fields", "video/fields"}


@pytest.mark.parametrize("empty", [[], {}])
def test_values_are_cut_at_twenty_levels(empty: Any) -> None:
    """Arrays and objects; a value of fewer levels stays unchanged."""

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
def test_the_rules_accept_any_json_value(data: Any) -> None:
    """The two validators agree on each."""
    for operation in CONTRACT.operations.values():
        for value in (data, {"items": [data], "nextCursor": data}):
            assert [
                judgement
                for judgement in record.examine(value, operation, CONTRACT)
                if judgement.unsure
            ] == []


def test_a_property_without_a_name_holds_no_nested_records() -> None:
    """A resource without nested records has none under any name."""
    record_with_one = with_("Review", **{"": [{"startedAt": 1}]})
    assert violated("Review", record_with_one) == set()


def test_every_fault_names_a_requirement_of_the_catalogue() -> None:
    """Every fault maps to a requirement of requirements.yaml."""
    catalogue = requirements.load()
    for resource in OPERATIONS:
        for wrong in (
            None,
            {"id": "x"},
            with_(resource, more=1),
            dict.fromkeys(whole(resource), 1.5),
        ):
            assert violated(resource, wrong) <= set(catalogue)


def test_of_many_records_the_first_thousand_are_validated() -> None:
    """Of alike faults the first one is reported, for a long page as for a short one."""
    records = [{"id": "x"}] * 100_000
    faults = validation.faults(records[: record.MOST_RECORDS], "Project", CONTRACT)
    assert {fault.record for fault in faults} == {0}
    kinds = [fault.keyword for fault in faults]
    assert (kinds.count("required"), set(kinds)) == (9, {"required", "pattern", "format"})

    page = {"items": [*records, {"videoCount": "no number"}], "nextCursor": None}
    found = list(record.examine(page, CONTRACT.operation("project_list"), CONTRACT))

    failed = {each.requirement for each in found if each.defect is not None}
    assert failed == {"project/required", "representation/uuid"}
