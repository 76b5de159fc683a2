"""The OpenAPI document against an independent list of the facts of the specification."""

import functools
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import jsonschema
import jsonschema_rs
import openapi_spec_validator
import pytest
import schemathesis
from schemathesis.core.result import Ok

from conformance.contract import files, openapi

CONTRACT = openapi.load()
DOCUMENT = CONTRACT.document
SCHEMAS = DOCUMENT["components"]["schemas"]

OPERATIONS = {
    "account_get": ("GET", "/account", "account:read"),
    "project_list": ("GET", "/projects", "projects:read"),
    "project_get": ("GET", "/projects/{projectId}", "projects:read"),
    "video_list": ("GET", "/videos", "videos:read"),
    "video_get": ("GET", "/videos/{videoId}", "videos:read"),
    "review_list": ("GET", "/reviews", "reviews:read"),
    "review_get": ("GET", "/reviews/{reviewId}", "reviews:read"),
    "review_approve": ("POST", "/reviews/{reviewId}/approve", "reviews:approve"),
    "comment_list": ("GET", "/reviews/{reviewId}/comments", "comments:read"),
    "activity_list": ("GET", "/projects/{projectId}/activity", "activity:read"),
}
# The resource, whether it is in a list, the schema of the 200 body, that of the request body.
BODIES = {
    "account_get": ("Account", False, "AccountResponse", None),
    "project_list": ("Project", True, "ProjectPage", None),
    "project_get": ("Project", False, "ProjectResponse", None),
    "video_list": ("Video", True, "VideoPage", None),
    "video_get": ("Video", False, "VideoResponse", None),
    "review_list": ("Review", True, "ReviewPage", None),
    "review_get": ("Review", False, "ReviewResponse", None),
    "review_approve": ("ReviewApproval", False, "ReviewApprovalResponse", "ApprovalRequest"),
    "comment_list": ("Comment", True, "CommentPage", None),
    "activity_list": ("ActivityItem", True, "ActivityPage", None),
}
# Name, location, role, required, type, whether the name is open.
PARAMETERS = {
    "account_get": [],
    "project_list": [
        ("limit", "query", "limit", False, "integer", False),
        ("cursor", "query", "cursor", False, "uuid", False),
        ("companyId", "query", "company", False, "uuid", False),
    ],
    "project_get": [("projectId", "path", "id", True, "uuid", False)],
    "video_list": [
        ("limit", "query", "limit", False, "integer", False),
        ("cursor", "query", "cursor", False, "uuid", True),
        ("companyId", "query", "company", False, "uuid", True),
        ("projectId", "query", "project", False, "uuid", True),
    ],
    "video_get": [("videoId", "path", "id", True, "uuid", False)],
    "review_list": [
        ("limit", "query", "limit", False, "integer", False),
        ("cursor", "query", "cursor", False, "uuid", True),
        ("projectId", "query", "project", False, "uuid", True),
    ],
    "review_get": [("reviewId", "path", "id", True, "uuid", False)],
    "review_approve": [("reviewId", "path", "id", True, "uuid", False)],
    "comment_list": [
        ("reviewId", "path", "id", True, "uuid", False),
        ("limit", "query", "limit", False, "integer", False),
        ("cursor", "query", "cursor", False, "uuid", False),
    ],
    "activity_list": [
        ("projectId", "path", "id", True, "uuid", False),
        ("limit", "query", "limit", False, "integer", False),
        ("cursor", "query", "cursor", False, "uuid", False),
    ],
}
FIELDS = {
    "Account": "id:uuid displayName:string accountType:string",
    "Project": (
        "id:uuid companyId:uuid name:string status:string sourceLanguage:string "
        "createdAt:timestamp videoCount:count localizationCount:count "
        "completedLocalizationCount:count updatedAt:timestamp"
    ),
    "Video": (
        "id:uuid companyId:uuid projectId:uuid name:string ingestionStatus:string "
        "transcriptReviewStatus:string voiceAssignmentStatus:string durationUs:microseconds "
        "createdAt:timestamp updatedAt:timestamp localizations:[Localization]"
    ),
    "Localization": (
        "id:uuid language:string status:string translationApprovalStatus:string "
        "lipSyncStatus:string"
    ),
    "Review": (
        "id:uuid companyId:uuid projectId:uuid projectName:string subjectType:string "
        "subjectId:uuid subjectRevision:integer status:string requestedAudience:string "
        "createdAt:timestamp videoId:uuid videoName:string language:string url:string "
        "approvable:boolean approvalUnavailableReason:string|null"
    ),
    "ReviewApproval": "id:uuid status:string subjectRevision:integer",
    "Comment": (
        "id:uuid reviewId:uuid body:string status:string startUs:microseconds endUs:microseconds "
        "createdAt:timestamp replies:[Reply]"
    ),
    "Reply": "id:uuid body:string kind:string createdAt:timestamp",
    "ActivityItem": (
        "id:uuid projectId:uuid videoId:uuid status:string createdAt:timestamp updatedAt:timestamp"
    ),
    "Error": "code:string requestId:string message:string title:string",
    "ApprovalRequest": "expectedSubjectRevision:integer idempotencyKey:string",
}
REQUIRED = {
    "Account": "id displayName accountType",
    "Project": (
        "id companyId name status sourceLanguage createdAt videoCount localizationCount "
        "completedLocalizationCount updatedAt"
    ),
    "Video": "",
    "Localization": "",
    "Review": "",
    "ReviewApproval": "id status subjectRevision",
    "Comment": "",
    "Reply": "",
    "ActivityItem": "",
    "Error": "code requestId",
    "ApprovalRequest": "",
}
CLOSED = {"Account", "Project"}
STATUSES = {200, 400, 401, 403, 404, 409, 413, 422, 429, 500, 502, 503}
PERMISSIONS = (
    "account:read",
    "projects:read",
    "videos:read",
    "reviews:read",
    "reviews:approve",
    "comments:read",
    "activity:read",
)
LISTS = {
    "project_list": 25,
    "video_list": None,
    "review_list": None,
    "comment_list": None,
    "activity_list": None,
}
# The open points of the specification, each with its aspects.
GAPS = {
    **{f"{id}": {"order"} for id in LISTS},
    **{f"{id} limit": {"default"} for id in LISTS if id != "project_list"},
    **{f"video_list {name}": {"name"} for name in ("cursor", "companyId", "projectId")},
    **{f"review_list {name}": {"name"} for name in ("cursor", "projectId")},
    **{
        name: {"presence"}
        for name in ("Video", "Localization", "Review", "Comment", "Reply", "ActivityItem")
    },
    **{
        f"{name}.data.nextCursor": {"presence", "end-of-list"}
        for name in ("VideoPage", "ReviewPage", "CommentPage", "ActivityPage")
    },
    "Project.status": {"vocabulary"},
    "Project.sourceLanguage": {"vocabulary"},
    "Video.ingestionStatus": {"vocabulary"},
    "Video.transcriptReviewStatus": {"vocabulary"},
    "Video.voiceAssignmentStatus": {"vocabulary"},
    "Localization.language": {"vocabulary"},
    "Localization.status": {"vocabulary"},
    "Localization.translationApprovalStatus": {"vocabulary"},
    "Localization.lipSyncStatus": {"vocabulary"},
    "Review.subjectType": {"vocabulary"},
    "Review.status": {"vocabulary"},
    "Review.requestedAudience": {"vocabulary"},
    "Review.language": {"vocabulary"},
    "Review.approvalUnavailableReason": {"presence"},
    "Comment.status": {"vocabulary"},
    "Reply.kind": {"vocabulary"},
    "ActivityItem.status": {"vocabulary"},
    "Error.code": {"vocabulary"},
    "Timestamp": {"format"},
    "Microseconds": {"unit"},
    "ApprovalRequest": {"required"},
    "ApprovalRequest.idempotencyKey": {"format"},
    "Retry-After": {"format"},
}
ASPECTS = {
    "name",
    "presence",
    "vocabulary",
    "format",
    "unit",
    "required",
    "default",
    "end-of-list",
    "order",
}

TYPES = {
    "uuid": {"$ref": "#/components/schemas/Uuid"},
    "timestamp": {"$ref": "#/components/schemas/Timestamp"},
    "count": {"$ref": "#/components/schemas/Count"},
    "microseconds": {"$ref": "#/components/schemas/Microseconds"},
    "string": {"type": "string"},
    "string|null": {"type": ["string", "null"]},
    "integer": {"type": "integer"},
    "boolean": {"type": "boolean"},
    "[Localization]": {"type": "array", "items": {"$ref": "#/components/schemas/Localization"}},
    "[Reply]": {"type": "array", "items": {"$ref": "#/components/schemas/Reply"}},
}

GOOD_UUIDS = [
    *(f"6f1c2b1e-4a9d-{version}c53-9a5e-0d6c1f7b8a21" for version in range(1, 9)),
    *(f"6f1c2b1e-4a9d-4c53-{variant}a5e-0d6c1f7b8a21" for variant in "89abAB"),
    "6F1C2B1E-4A9D-4C53-9A5E-0D6C1F7B8A21",
    "6f1c2b1e-4A9D-4c53-9A5E-0d6c1f7b8a21",
    "00000000-0000-0000-0000-000000000000",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
    "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
]
BAD_UUIDS = [
    "",
    "6f1c2b1e-4a9d-0c53-9a5e-0d6c1f7b8a21",
    "6f1c2b1e-4a9d-9c53-9a5e-0d6c1f7b8a21",
    "6f1c2b1e-4a9d-ac53-9a5e-0d6c1f7b8a21",
    "6f1c2b1e-4a9d-4c53-7a5e-0d6c1f7b8a21",
    "6f1c2b1e-4a9d-4c53-ca5e-0d6c1f7b8a21",
    "00000000-0000-0000-0000-000000000001",
    "ffffffff-ffff-ffff-ffff-fffffffffffe",
    "6f1c2b1e4a9d4c539a5e0d6c1f7b8a21",
    "{6f1c2b1e-4a9d-4c53-9a5e-0d6c1f7b8a21}",
    "urn:uuid:6f1c2b1e-4a9d-4c53-9a5e-0d6c1f7b8a21",
    "6f1c2b1e-4a9d-4c53-9a5e-0d6c1f7b8a2",
    "6f1c2b1e-4a9d-4c53-9a5e-0d6c1f7b8a211",
    "6f1c2b1e-4a9d-4c53-9a5e-0d6c1f7b8a2g",
    "6f1c2b1e-4a9d-4c53-9a5e-0d6c1f7b8a21\n",
    " 6f1c2b1e-4a9d-4c53-9a5e-0d6c1f7b8a21",
    "6f1c2b1e-4a9d-4c53-9a5e-0d6c1f7b8a2\u0661",
    "00000000-0000-0000-0000-000000000000 ",
    7,
    None,
]


Compiler = Callable[[Mapping[str, Any]], Callable[[Any], bool]]


def rust(schema: Mapping[str, Any]) -> Callable[[Any], bool]:
    """A validator of jsonschema-rs."""
    return jsonschema_rs.Draft202012Validator(dict(schema), validate_formats=True).is_valid


def python(schema: Mapping[str, Any]) -> Callable[[Any], bool]:
    """A validator of jsonschema."""
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    return jsonschema.Draft202012Validator(dict(schema), format_checker=checker).is_valid


both = pytest.mark.parametrize("compiled", [rust, python])
every_operation = pytest.mark.parametrize("id", OPERATIONS)


def route(id: str) -> Mapping[str, Any]:
    """The operation object as it stands in the document."""
    method, path, _ = OPERATIONS[id]
    operation: Mapping[str, Any] = DOCUMENT["paths"][path][method.lower()]
    return operation


def resolved(node: Mapping[str, Any]) -> Mapping[str, Any]:
    """The target of a reference; the node itself if it is not one."""
    if "$ref" not in node:
        return node
    return functools.reduce(
        lambda parent, key: parent[key], node["$ref"].removeprefix("#/").split("/"), DOCUMENT
    )


def inlined(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A self-contained copy of a schema: all components are its $defs."""
    text = json.dumps({**schema, "$defs": SCHEMAS}).replace("#/components/schemas/", "#/$defs/")
    return dict(json.loads(text))


def bare(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema without its description, its marks and its enumeration."""
    return {
        key: value for key, value in schema.items() if key not in {"x-open", "description", "enum"}
    }


def examples(node: Mapping[str, Any]) -> Iterator[Any]:
    """The examples of a parameter, a header or a media type."""
    if "example" in node:
        yield node["example"]
    for example in node.get("examples", {}).values():
        yield example["value"]


def carriers(node: Any, where: str = "#") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every parameter, header and media type of the document, with its place."""
    if isinstance(node, dict):
        if "schema" in node:
            yield where, node
        for key, value in node.items():
            yield from carriers(value, f"{where}/{key}")
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from carriers(value, f"{where}/{index}")


def opened(schema: Mapping[str, Any], where: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The marks in a schema, by the dotted path of the property that has the mark."""
    if "x-open" in schema:
        yield where, schema["x-open"]
    for name, property_schema in schema.get("properties", {}).items():
        yield from opened(property_schema, f"{where}.{name}")


def marks() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every mark of the document, with the name of its place in GAPS."""
    for id in OPERATIONS:
        if "x-open" in route(id):
            yield id, route(id)["x-open"]
        for parameter in map(resolved, route(id).get("parameters", [])):
            if "x-open" in parameter:
                yield f"{id} {parameter['name']}", parameter["x-open"]
    for name, schema in SCHEMAS.items():
        yield from opened(schema, name)
    yield "Retry-After", DOCUMENT["components"]["headers"]["RetryAfter"]["x-open"]


def test_the_document_is_openapi_3_1_1_of_api_version_1_0_0() -> None:
    """The two versions that the specification names."""
    assert (DOCUMENT["openapi"], DOCUMENT["info"]["version"]) == ("3.1.1", "1.0.0")


def test_an_independent_validator_accepts_the_document() -> None:
    """openapi-spec-validator reports no error."""
    openapi_spec_validator.validate(json.loads(json.dumps(DOCUMENT)))


def test_schemathesis_loads_every_operation() -> None:
    """The generator sees the ten operations under the base path of the version segment."""
    schema = schemathesis.openapi.from_dict(json.loads(json.dumps(DOCUMENT)))
    ids = {
        operation.ok().definition.raw["operationId"]
        for operation in schema.get_all_operations()
        if isinstance(operation, Ok)
    }
    assert (ids, schema.base_path) == (set(OPERATIONS), "/v1/")


def test_the_operations_are_those_of_the_specification() -> None:
    """Identifier, method, path and permission of all ten."""
    actual = {
        id: (operation.method, operation.path, operation.permission)
        for id, operation in CONTRACT.operations.items()
    }
    assert actual == OPERATIONS


def test_the_document_has_no_other_routes() -> None:
    """Paths and methods are exactly those of the table."""
    actual = {
        (method.upper(), path) for path, methods in DOCUMENT["paths"].items() for method in methods
    }
    assert actual == {(method, path) for method, path, _ in OPERATIONS.values()}


@every_operation
def test_an_operation_carries_its_bodies(id: str) -> None:
    """The record, the page, the envelope and the request body."""
    operation = CONTRACT.operation(id)
    assert (
        operation.resource,
        operation.is_list,
        operation.success_schema,
        operation.body_schema,
    ) == BODIES[id]


@every_operation
def test_an_operation_has_its_parameters(id: str) -> None:
    """Name, place, role, obligation, type and openness, in this order."""
    actual = [
        (
            item.name,
            item.location,
            item.role,
            item.required,
            item.schema.get("type", "uuid"),
            item.name_is_open,
        )
        for item in CONTRACT.operation(id).parameters
    ]
    assert [
        (*head, "uuid" if kind == "string" else kind, is_open) for *head, kind, is_open in actual
    ] == PARAMETERS[id]


@every_operation
def test_a_filter_names_the_property_that_it_restricts(id: str) -> None:
    """Only filters restrict a property, and each item of the list has that property."""
    operation = CONTRACT.operation(id)
    restricted = {item.role: item.restricts for item in operation.parameters if item.restricts}
    filters = {item.role for item in operation.parameters} & {"company", "project"}
    assert restricted == {role: f"{role}Id" for role in filters}
    assert set(restricted.values()) <= set(SCHEMAS[operation.resource]["properties"])


@both
@every_operation
def test_a_parameter_of_type_uuid_accepts_only_uuids(id: str, compiled: Compiler) -> None:
    """Each schema is self-contained and has the pattern."""
    schemas = [item.schema for item in CONTRACT.operation(id).parameters if item.role != "limit"]
    actual = [
        (compiled(schema)(GOOD_UUIDS[0]), compiled(schema)(BAD_UUIDS[1])) for schema in schemas
    ]
    assert actual == [(True, False)] * len(schemas)


@pytest.mark.parametrize(("id", "default"), LISTS.items())
def test_limit_is_from_1_to_100_and_has_a_default_only_on_projects(
    id: str, default: int | None
) -> None:
    """The bounds of every list, and the one default."""
    limit = CONTRACT.operation(id).parameter("limit")
    assert limit is not None
    expected = {"type": "integer", "minimum": 1, "maximum": 100}
    assert limit.schema == (expected if default is None else {**expected, "default": default})


def test_the_lists_are_the_operations_with_a_limit() -> None:
    """No other operation has one, and every list returns a page."""
    limited = {id for id, operation in CONTRACT.operations.items() if operation.parameter("limit")}
    assert (
        limited,
        {id for id, operation in CONTRACT.operations.items() if operation.is_list},
    ) == (set(LISTS), set(LISTS))


def test_only_the_approval_writes() -> None:
    """Nine operations read."""
    assert [id for id, operation in CONTRACT.operations.items() if operation.writes] == [
        "review_approve"
    ]


def test_the_approval_requires_a_request_body() -> None:
    """It is JSON, and the only request body."""
    bodies = {id: route(id)["requestBody"] for id in OPERATIONS if "requestBody" in route(id)}
    assert {id: (body["required"], list(body["content"])) for id, body in bodies.items()} == {
        "review_approve": (True, ["application/json"])
    }


@every_operation
def test_an_operation_has_every_status(id: str) -> None:
    """200 and the eleven errors, in JSON."""
    responses = {
        int(status): list(resolved(response)["content"])
        for status, response in route(id)["responses"].items()
    }
    assert responses == {status: ["application/json"] for status in STATUSES}


@every_operation
def test_an_error_has_the_error_body(id: str) -> None:
    """All eleven have the same schema."""
    errors = [
        resolved(response) for status, response in route(id)["responses"].items() if status != "200"
    ]
    schemas = [error["content"]["application/json"]["schema"] for error in errors]
    assert schemas == [{"$ref": "#/components/schemas/Error"}] * 11


def test_the_contract_knows_the_statuses() -> None:
    """Success and errors."""
    assert CONTRACT.statuses == STATUSES


@every_operation
def test_only_429_has_retry_after(id: str) -> None:
    """A header of type string."""
    headers = {
        status: resolved(response).get("headers", {})
        for status, response in route(id)["responses"].items()
    }
    actual = {
        status: {name: bare(resolved(header)["schema"]) for name, header in named.items()}
        for status, named in headers.items()
        if named
    }
    assert actual == {"429": {"Retry-After": {"type": "string"}}}


def test_the_two_schemes_are_an_api_key_header_and_a_bearer_token() -> None:
    """The header is x-api-key."""
    schemes = DOCUMENT["components"]["securitySchemes"]
    actual = {
        name: {key: scheme[key] for key in ("type", "in", "name", "scheme") if key in scheme}
        for name, scheme in schemes.items()
    }
    assert actual == {
        "apiKey": {"type": "apiKey", "in": "header", "name": "x-api-key"},
        "bearerToken": {"type": "http", "scheme": "bearer"},
    }


@every_operation
def test_each_scheme_suffices_and_needs_the_permission(id: str) -> None:
    """The two are alternatives with the same scope."""
    permission = OPERATIONS[id][2]
    assert route(id)["security"] == [{"apiKey": [permission]}, {"bearerToken": [permission]}]


def test_there_are_seven_permissions() -> None:
    """The contract lists them once each, in the order of the operations."""
    assert CONTRACT.permissions == PERMISSIONS


@pytest.mark.parametrize(("name", "fields"), FIELDS.items())
def test_a_record_has_its_fields(name: str, fields: str) -> None:
    """Each field has its type, and there are no other fields."""
    expected = {field: TYPES[kind] for field, kind in (pair.split(":") for pair in fields.split())}
    assert {
        field: bare(schema) for field, schema in SCHEMAS[name]["properties"].items()
    } == expected


@pytest.mark.parametrize(("name", "fields"), REQUIRED.items())
def test_a_record_has_its_required_fields(name: str, fields: str) -> None:
    """No other field is required."""
    assert set(SCHEMAS[name].get("required", [])) == set(fields.split())


def test_only_account_and_project_are_closed() -> None:
    """Every other object may have additional properties."""
    text = json.dumps(DOCUMENT)
    closed = {
        name for name, schema in SCHEMAS.items() if schema.get("additionalProperties") is False
    }
    assert (closed, text.count("additionalProperties"), text.count("unevaluatedProperties")) == (
        CLOSED,
        2,
        0,
    )


def test_the_only_enumeration_is_the_type_of_an_account() -> None:
    """It has two values."""
    enumerations = {
        f"{name}.{field}": schema["enum"]
        for name, record in SCHEMAS.items()
        for field, schema in record.get("properties", {}).items()
        if "enum" in schema
    }
    assert (enumerations, json.dumps(SCHEMAS).count('"enum"')) == (
        {"Account.accountType": ["internal", "external"]},
        1,
    )


def test_the_named_types_have_their_bounds() -> None:
    """Counts are bounded, timestamps are strings, microseconds are integers."""
    actual = {name: bare(SCHEMAS[name]) for name in ("Count", "Timestamp", "Microseconds")}
    assert actual == {
        "Count": {"type": "integer", "minimum": 0, "maximum": 9007199254740991},
        "Timestamp": {"type": "string"},
        "Microseconds": {"type": "integer"},
    }


@pytest.mark.parametrize(
    ("name", "is_list"), {success: is_list for _, is_list, success, _ in BODIES.values()}.items()
)
def test_an_envelope_requires_data_and_request_id(name: str, *, is_list: bool) -> None:
    """A page requires its items, and the page of projects its cursor too."""
    envelope = SCHEMAS[name]
    data = envelope["properties"]["data"]
    expected = (
        (["items", "nextCursor"] if name == "ProjectPage" else ["items"]) if is_list else None
    )
    actual = (envelope["required"], envelope["properties"]["requestId"], data.get("required"))
    assert actual == (["data", "requestId"], {"type": "string"}, expected)


@both
@pytest.mark.parametrize(
    "name", ["ProjectPage", "VideoPage", "ReviewPage", "CommentPage", "ActivityPage"]
)
def test_a_page_ends_with_null_or_nothing_as_specified(name: str, compiled: Compiler) -> None:
    """The cursor is a UUID, null, another string, a number or absent."""
    accepts = compiled(CONTRACT.schema(name))
    cursors: list[dict[str, Any]] = [
        {"nextCursor": value} for value in (GOOD_UUIDS[0], None, "", 5)
    ]
    actual = [
        accepts({"data": {"items": [], **cursor}, "requestId": "r"}) for cursor in (*cursors, {})
    ]
    assert actual == [True, True, False, False, name != "ProjectPage"]


@both
@pytest.mark.parametrize("value", GOOD_UUIDS)
def test_a_uuid_is_accepted(value: str, compiled: Compiler) -> None:
    """The versions are 1 to 8, in upper or lower case; all zeros and all f are valid."""
    assert compiled(CONTRACT.schema("Uuid"))(value)


@both
@pytest.mark.parametrize("value", BAD_UUIDS)
def test_any_other_value_is_not_a_uuid(value: object, compiled: Compiler) -> None:
    """Examples are other versions, variants and spellings, and a trailing newline."""
    assert not compiled(CONTRACT.schema("Uuid"))(value)


@both
@pytest.mark.parametrize(
    ("value", "accepted"),
    [*((good, True) for good in GOOD_UUIDS), *((bad, False) for bad in BAD_UUIDS)],
)
def test_the_pattern_suffices_without_the_format(
    value: object, compiled: Compiler, *, accepted: bool
) -> None:
    """A validator that ignores formats has the same result."""
    pattern = {key: item for key, item in CONTRACT.schema("Uuid").items() if key != "format"}
    assert compiled(pattern)(value) is accepted


def test_the_uuid_pattern_is_anchored() -> None:
    """JSON Schema searches for patterns; the format is stated as well."""
    pattern = SCHEMAS["Uuid"]["pattern"]
    assert (pattern[0], pattern[-1], SCHEMAS["Uuid"]["format"]) == ("^", "$", "uuid")


@both
@pytest.mark.parametrize(
    ("value", "accepted"),
    [
        (0, True),
        (1.0, True),
        (1e3, True),
        (9007199254740991, True),
        (9007199254740992, False),
        (-1, False),
        (0.5, False),
        (True, False),
        ("1", False),
    ],
)
def test_a_count_is_any_integral_number_within_bounds(
    value: object, compiled: Compiler, *, accepted: bool
) -> None:
    """1.0 and 1e3 are integers; booleans, strings and fractions are not."""
    assert compiled(CONTRACT.schema("Count"))(value) is accepted


@both
@pytest.mark.parametrize(
    ("review", "accepted"),
    [
        ({}, True),
        ({"approvable": True}, True),
        ({"approvable": True, "approvalUnavailableReason": None}, True),
        ({"approvable": True, "approvalUnavailableReason": ""}, True),
        ({"approvalUnavailableReason": None}, True),
        ({"approvable": False, "approvalUnavailableReason": "Approved already."}, True),
        ({"approvable": False, "approvalUnavailableReason": None}, False),
        ({"approvable": True, "approvalUnavailableReason": 3}, False),
        ({"approvable": None}, False),
        ({"unheard": 1}, True),
    ],
)
def test_a_reason_may_be_null_while_a_review_can_be_approved(
    review: Mapping[str, Any], compiled: Compiler, *, accepted: bool
) -> None:
    """If a review cannot be approved, its reason is a string or absent."""
    assert compiled(CONTRACT.schema("Review"))(review) is accepted


@both
@pytest.mark.parametrize("name", SCHEMAS)
def test_every_component_is_self_contained(name: str, compiled: Compiler) -> None:
    """Its references lead into its own $defs, and a validator compiles it."""
    schema = CONTRACT.schema(name)
    references = set(re.findall(r'"\$ref": "([^"]+)"', json.dumps(schema)))
    assert references == {f"#/$defs/{name}" for name in schema.get("$defs", {})}
    assert compiled(schema)([]) is False


def test_a_schema_is_made_once() -> None:
    """Checks ask for the properties of a resource tens of thousands of times."""
    assert CONTRACT.schema("Project") is CONTRACT.schema("Project")


def test_the_contract_is_read_once() -> None:
    """Loading again gives the same object."""
    assert openapi.load() is CONTRACT


def test_an_unknown_contract_file_is_an_error() -> None:
    """The name is in the message."""
    with pytest.raises(FileNotFoundError, match=r"nothing\.yaml"):
        files.text("nothing.yaml")


def test_every_body_parameter_and_header_has_an_example() -> None:
    """This holds for everything that has a schema."""
    assert [where for where, node in carriers(DOCUMENT) if not list(examples(node))] == []


@both
def test_every_example_validates(compiled: Compiler) -> None:
    """The formats are validated too."""
    wrong = [
        (where, value)
        for where, node in carriers(DOCUMENT)
        for value in examples(node)
        if not compiled(inlined(resolved(node["schema"])))(value)
    ]
    assert wrong == []


def links() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every link with the operation that it starts from."""
    for id in OPERATIONS:
        for link in route(id)["responses"]["200"].get("links", {}).values():
            yield id, resolved(link)


def followed(id: str, expression: str) -> Any:
    """The value of a runtime expression for the first example of an operation's success."""
    source, _, pointer = expression.partition("#/")
    if source.startswith("$request.path."):
        names = {item["name"]: item["example"] for item in map(resolved, route(id)["parameters"])}
        return names[source.removeprefix("$request.path.")]
    assert source == "$response.body"
    example = next(examples(route(id)["responses"]["200"]["content"]["application/json"]))
    return functools.reduce(
        lambda parent, key: parent[int(key) if isinstance(parent, list) else key],
        pointer.split("/"),
        example,
    )


@pytest.mark.parametrize(("id", "link"), list(links()))
def test_a_link_has_valid_values_for_the_operation_that_it_leads_to(
    id: str, link: Mapping[str, Any]
) -> None:
    """Each expression resolves, and the parameter of the operation accepts the value."""
    known = {item.name: item.schema for item in CONTRACT.operation(link["operationId"]).parameters}
    accepted = {
        target: rust(known[target])(followed(id, expression))
        for target, expression in link["parameters"].items()
    }
    required = {
        item.name for item in CONTRACT.operation(link["operationId"]).parameters if item.required
    }
    assert (set(accepted.values()), required - set(accepted)) == ({True}, set())


def test_links_lead_from_a_list_through_the_approval_and_back() -> None:
    """List, read, approve, read; the approval carries the revision that was read."""
    ways = {(id, link["operationId"]) for id, link in links()}
    path = [
        ("review_list", "review_get"),
        ("review_get", "review_approve"),
        ("review_approve", "review_get"),
    ]
    bodies = [(id, link["requestBody"]) for id, link in links() if "requestBody" in link]
    revision = {"expectedSubjectRevision": "$response.body#/data/subjectRevision"}
    assert ([way for way in path if way not in ways], bodies) == ([], [("review_get", revision)])


@pytest.mark.parametrize("id", LISTS)
def test_every_list_links_to_its_next_page_and_to_a_record(id: str) -> None:
    """The operation of the record reads it by id."""
    targets = {link["operationId"] for source, link in links() if source == id}
    record = id.replace("_list", "_get")
    assert {id, record} & set(OPERATIONS) <= targets


def test_every_link_is_used() -> None:
    """Each defined link is referenced by a path."""
    defined = DOCUMENT["components"]["links"]
    assert all(f'"#/components/links/{name}"' in json.dumps(DOCUMENT["paths"]) for name in defined)


def test_every_gap_of_the_specification_is_marked_and_nothing_else() -> None:
    """A mark has a place and the aspects that are open."""
    assert {where: set(mark["aspects"]) for where, mark in marks()} == GAPS


def test_every_mark_has_aspects_and_a_note() -> None:
    """The aspects are known, the note is one line, and this test collects every mark."""
    every_mark = list(marks())
    assert [
        where
        for where, mark in every_mark
        if set(mark) != {"aspects", "note"} or not set(mark["aspects"]) <= ASPECTS
    ] == []
    assert [where for where, mark in every_mark if "\n" in mark["note"] or not mark["note"]] == []
    repeated = 3  # the parameter Limit is once in the document, and four lists have it
    assert json.dumps(DOCUMENT).count('"x-open"') == len(every_mark) - repeated
