"""The comparison of descriptions: the contract with one edit, and what that edit is to be called."""

import copy
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from conformance.contract import openapi
from conformance.contract.description import responses
from conformance.contract.description.compare import description, differences, examine, pairs
from conformance.contract.description.difference import Aspect, Difference, Effect
from conformance.contract.description.source import parsed
from conformance.contract.description.validity import flaws

GONE = ...
GET = "/paths/~1projects/get"
SCHEMAS = "/components/schemas"
UUID = {"$ref": "#/components/schemas/Uuid"}
REFUSAL = {"$ref": "#/components/responses/NotFound"}

CLIENTS, CALLERS, OPEN, HARMLESS = "breaks-clients", "breaks-callers", "open", "harmless"


def edited(edits: Mapping[str, Any]) -> str:
    """The contract as JSON, with values set at JSON pointers, or taken away."""
    document: Any = copy.deepcopy(openapi.load().document)
    for pointer, value in edits.items():
        *path, last = [
            part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]
        ]
        holder = document
        for part in path:
            holder = holder[int(part)] if isinstance(holder, list) else holder[part]
        key: Any = int(last) if isinstance(holder, list) else last
        if value is GONE:
            del holder[key]
        else:
            holder[key] = value
    return json.dumps(document, indent=1)


def compared(edits: Mapping[str, Any]) -> tuple[Difference, ...]:
    """The differences of an edited contract."""
    return differences(description(edited(edits)))


def found(edits: Mapping[str, Any]) -> set[tuple[str, str, str]]:
    """The differences of an edited contract as (aspect, effect, where)."""
    return {(each.aspect.value, each.effect.value, each.where) for each in compared(edits)}


def test_the_contract_differs_in_nothing_from_itself() -> None:
    """No difference, breaking or not."""
    assert examine(edited({})) == ()


DIFFERENCES: dict[str, tuple[dict[str, Any], set[tuple[str, str, str]]]] = {
    # versions
    "another API version": ({"/info/version": "1.0.1"}, {("api-version", CLIENTS, "info.version")}),
    "OpenAPI 3.2": ({"/openapi": "3.2.0"}, {("version", CLIENTS, "openapi")}),
    # operations
    "an operation is gone": ({"/paths/~1videos~1{videoId}": GONE}, {("operations", CLIENTS, "video_get")}),
    "an operation is renamed": ({"/paths/~1account/get/operationId": "getAccount"}, {("operations", CLIENTS, "operationId")}),
    "an operation is moved": (
        {"/paths/~1me": dict(openapi.load().document["paths"]["/account"]), "/paths/~1account": GONE},
        {("operations", CLIENTS, "account_get"), ("operations", HARMLESS, "GET /me")},
    ),
    "an operation without an identifier": ({"/paths/~1account/get/operationId": GONE}, {("operations", CLIENTS, "operationId")}),
    "a further operation": (
        {"/paths/~1teams": {"get": {"operationId": "team_list", "responses": {"200": {"description": "Teams."}}}}},
        {("operations", HARMLESS, "GET /teams")},
    ),
    "a server without the version": ({"/servers": [{"url": "https://api.example.com"}]}, {("operations", OPEN, "servers")}),
    # parameters
    "limit ends at 50": ({f"{GET}/parameters/0/schema/maximum": 50}, {("parameters", CALLERS, "limit")}),
    "limit begins at 2": ({f"{GET}/parameters/0/schema/minimum": 2}, {("parameters", CALLERS, "limit")}),
    "limit goes to 1000": ({f"{GET}/parameters/0/schema/maximum": 1000}, {("parameters", HARMLESS, "limit")}),
    "limit is required": ({f"{GET}/parameters/0/required": True}, {("parameters", CALLERS, "limit")}),
    "limit is not described": ({f"{GET}/parameters/0": GONE}, {("parameters", CALLERS, "limit")}),
    "another default": ({f"{GET}/parameters/0/schema/default": 50}, {("parameters", CLIENTS, "limit")}),
    "no default": ({f"{GET}/parameters/0/schema/default": GONE}, {("complete", HARMLESS, "limit")}),
    "cursors of version 4 alone": (
        {f"{GET}/parameters/1/schema": {"type": "string", "pattern": "^.{14}4"}},
        {("parameters", CALLERS, "cursor")},
    ),
    "any text as a filter": ({f"{GET}/parameters/2/schema": {"type": "string"}}, {("parameters", HARMLESS, "companyId")}),
    "another cursor on /videos": (
        {"/paths/~1videos/get/parameters/1/name": "after"},
        {("parameters", OPEN, "cursor"), ("parameters", HARMLESS, "query parameter after")},
    ),
    "another cursor on /projects": (
        {f"{GET}/parameters/1/name": "after"},
        {("parameters", CALLERS, "cursor"), ("parameters", HARMLESS, "query parameter after")},
    ),
    "a further required parameter": (
        {f"{GET}/parameters/2": {"name": "tenant", "in": "header", "required": True, "schema": {"type": "string"}}},
        {("parameters", CALLERS, "companyId"), ("parameters", CALLERS, "header parameter tenant")},
    ),
    "a path parameter that is not described": (
        {"/paths/~1videos~1{videoId}/get/parameters": GONE},
        {("parameters", HARMLESS, "videoId")},
    ),
    "credentials among the parameters": (
        {f"{GET}/parameters/2": {"name": "X-Api-Key", "in": "header", "required": True, "schema": {"type": "string"}}},
        {("parameters", CALLERS, "companyId")},
    ),
    "a body for a question": (
        {f"{GET}/requestBody": {"required": True, "content": {"application/json": {}}}},
        {("body", CALLERS, "request body")},
    ),
    # the body
    "a third member has to be sent": (
        {f"{SCHEMAS}/ApprovalRequest/required": ["expectedSubjectRevision", "idempotencyKey", "comment"]},
        {("body", OPEN, "ApprovalRequest.expectedSubjectRevision"), ("body", OPEN, "ApprovalRequest.idempotencyKey"),
         ("body", CALLERS, "ApprovalRequest.comment")},
    ),
    "both members have to be sent": (
        {f"{SCHEMAS}/ApprovalRequest/required": ["expectedSubjectRevision", "idempotencyKey"]},
        {("body", OPEN, "ApprovalRequest.expectedSubjectRevision"), ("body", OPEN, "ApprovalRequest.idempotencyKey")},
    ),
    "revisions are text": (
        {f"{SCHEMAS}/ApprovalRequest/properties/expectedSubjectRevision/type": "string"},
        {("body", CALLERS, "ApprovalRequest.expectedSubjectRevision"), ("body", HARMLESS, "ApprovalRequest.expectedSubjectRevision")},
    ),
    "revisions from 1 on": (
        {f"{SCHEMAS}/ApprovalRequest/properties/expectedSubjectRevision/minimum": 1},
        {("body", OPEN, "ApprovalRequest.expectedSubjectRevision")},
    ),
    "keys are UUIDs": ({f"{SCHEMAS}/ApprovalRequest/properties/idempotencyKey": UUID}, {("body", OPEN, "ApprovalRequest.idempotencyKey")}),
    "the key is not described": (
        {f"{SCHEMAS}/ApprovalRequest/properties/idempotencyKey": GONE},
        {("body", CALLERS, "ApprovalRequest.idempotencyKey")},
    ),
    "a body of another type": (
        {"/paths/~1reviews~1{reviewId}~1approve/post/requestBody/content": {"application/xml": {}}},
        {("body", CALLERS, "request body")},
    ),
    # answers
    "200 is gone": ({"/paths/~1account/get/responses/200": GONE}, {("responses", CLIENTS, "200")}),
    "200 by default": (
        {"/paths/~1account/get/responses":
            {"default": openapi.load().document["paths"]["/account"]["get"]["responses"]["200"], "4XX": REFUSAL, "5XX": REFUSAL}},
        {("responses", HARMLESS, "200")},
    ),
    "refusals by default, and no 200": (
        {"/paths/~1account/get/responses/200": GONE, "/paths/~1account/get/responses/default": REFUSAL},
        {("responses", CLIENTS, "200")},
    ),
    "room for another member": (
        {f"{SCHEMAS}/Account/additionalProperties": GONE, f"{SCHEMAS}/Account/maxProperties": 4},
        {("schemas", CLIENTS, "Account")},
    ),
    "names of any kind": (
        {f"{SCHEMAS}/Account/additionalProperties": GONE, f"{SCHEMAS}/Account/propertyNames": {"pattern": "^[a-z]"}},
        {("schemas", CLIENTS, "Account")},
    ),
    "a status of their own": (
        {"/paths/~1account/get/responses/418": {"description": "A teapot."}},
        {("responses", CLIENTS, "418")},
    ),
    "statuses of requests that the contract does not speak of": (
        {f"/paths/~1account/get/responses/{status}": {"description": "None of it."} for status in (304, 405, 415, 504)},
        {("responses", OPEN, status) for status in ("304", "405", "415", "504")},
    ),
    "no 409 on an account": ({"/paths/~1account/get/responses/409": GONE}, {("complete", HARMLESS, "409")}),
    "no Retry-After": ({"/components/responses/TooManyRequests/headers": GONE}, {("complete", HARMLESS, "429")}),
    "a refusal without a body": ({"/components/responses/NotFound/content": GONE}, {("complete", HARMLESS, "404")}),
    "refusals as problems": (
        {"/components/responses/NotFound/content": {"application/problem+json": {}}},
        {("responses", CLIENTS, "404")},
    ),
    # records
    "an open account": ({f"{SCHEMAS}/Account/additionalProperties": GONE}, {("schemas", CLIENTS, "Account")}),
    "a further member of a project": (
        {f"{SCHEMAS}/Project/properties/budget": {"type": "integer"}},
        {("schemas", CLIENTS, "Project")},
    ),
    "a further member of a video": ({f"{SCHEMAS}/Video/properties/codec": {"type": "string"}}, {("schemas", HARMLESS, "Video")}),
    "a closed video": ({f"{SCHEMAS}/Video/additionalProperties": False}, {("schemas", HARMLESS, "Video")}),
    "an optional name": (
        {f"{SCHEMAS}/Account/required": ["id", "accountType"]},
        {("schemas", CLIENTS, "Account.displayName")},
    ),
    "an undescribed name": (
        {f"{SCHEMAS}/Account/properties/displayName": GONE},
        {("schemas", CLIENTS, "Account.displayName")},
    ),
    "an undescribed member of a video": ({f"{SCHEMAS}/Video/properties/name": GONE}, {("schemas", OPEN, "Video.name")}),
    "required members of a video": ({f"{SCHEMAS}/Video/required": ["id", "name"]}, {("schemas", OPEN, "Video")}),
    "a name or null": (
        {f"{SCHEMAS}/Video/properties/name/type": ["string", "null"]},
        {("schemas", CLIENTS, "Video.name")},
    ),
    "ids as numbers": (
        {f"{SCHEMAS}/Reply/properties/id": {"type": "integer"}},
        {("schemas", CLIENTS, "Reply.id"), ("schemas", HARMLESS, "Reply.id")},
    ),
    "ids as any text": ({f"{SCHEMAS}/Reply/properties/id": {"type": "string"}}, {("schemas", CLIENTS, "Reply.id")}),
    "negative counts": ({f"{SCHEMAS}/Count/minimum": GONE}, {("schemas", CLIENTS, f"Project.{name}") for name in (
        "videoCount", "localizationCount", "completedLocalizationCount")}),
    "fractions of microseconds": (
        {f"{SCHEMAS}/Microseconds/type": "number"},
        {("schemas", CLIENTS, "Video.durationUs"), ("schemas", CLIENTS, "Comment.startUs"), ("schemas", CLIENTS, "Comment.endUs")},
    ),
    "a third type of account": (
        {f"{SCHEMAS}/Account/properties/accountType": {"enum": ["internal", "external", "approved"]}},
        {("schemas", CLIENTS, "Account.accountType")},
    ),
    "one type of account": (
        {f"{SCHEMAS}/Account/properties/accountType": {"const": "internal"}},
        {("schemas", HARMLESS, "Account.accountType")},
    ),
    "a vocabulary": ({f"{SCHEMAS}/Project/properties/status": {"enum": ["draft", "done"]}}, {("schemas", OPEN, "Project.status")}),
    "moments as numbers": (
        {f"{SCHEMAS}/Reply/properties/createdAt": {"type": "integer"}},
        {("schemas", CLIENTS, "Reply.createdAt"), ("schemas", OPEN, "Reply.createdAt")},
    ),
    "moments as RFC 3339 writes them": (
        {f"{SCHEMAS}/Reply/properties/createdAt": {"type": "string", "format": "date-time"}},
        {("schemas", OPEN, "Reply.createdAt")},
    ),
    "the last page of videos has a cursor": (
        {f"{SCHEMAS}/VideoPage/properties/data/properties/nextCursor": UUID},
        {("schemas", OPEN, "VideoPage.data.nextCursor")},
    ),
    "any text as the cursor of videos": (
        {f"{SCHEMAS}/VideoPage/properties/data/properties/nextCursor": {"type": ["string", "null"]}},
        {("schemas", CLIENTS, "VideoPage.data.nextCursor")},
    ),
    "no null at the end of projects": (
        {f"{SCHEMAS}/ProjectPage/properties/data/properties/nextCursor": UUID},
        {("schemas", CLIENTS, "ProjectPage.data.nextCursor")},
    ),
    "the cursor of projects may be absent": (
        {f"{SCHEMAS}/ProjectPage/properties/data/required": ["items"]},
        {("schemas", CLIENTS, "ProjectPage.data.nextCursor")},
    ),
    "a page of anything": (
        {f"{SCHEMAS}/VideoPage/properties/data/properties/items": {"type": "array"}},
        {("schemas", CLIENTS, "Video")},
    ),
    "localizations as an object": (
        {f"{SCHEMAS}/Video/properties/localizations": {"type": "object"}},
        {("schemas", CLIENTS, "Video.localizations")},
    ),
    "members without a type": ({f"{SCHEMAS}/Reply/type": GONE}, {("schemas", HARMLESS, "Reply")}),
    "members by a pattern": (
        {f"{SCHEMAS}/Reply/properties/kind": GONE,
         f"{SCHEMAS}/Reply/patternProperties": {"^kind$": {"type": "integer"}, r"^\p{Lu}": {}, "^x": {}}},
        {("schemas", CLIENTS, "Reply.kind"), ("schemas", OPEN, "Reply.kind")},
    ),
    "members of a type": (
        {f"{SCHEMAS}/Account/additionalProperties": {"type": "string"}},
        {("schemas", CLIENTS, "Account")},
    ),
    "a member that must not come": ({f"{SCHEMAS}/Video/properties/name": False}, {("schemas", OPEN, "Video.name")}),
    "a page that never comes": (
        {f"{SCHEMAS}/VideoPage/properties/data/properties/items": {"type": "array", "items": False}},
        {("schemas", CLIENTS, "Video")},
    ),
    "an error without a code": ({f"{SCHEMAS}/Error/required": ["requestId"]}, {("schemas", CLIENTS, "Error.code")}),
    "an error with a message": ({f"{SCHEMAS}/Error/required": ["code", "requestId", "message"]}, {("schemas", HARMLESS, "Error")}),
    "no reason, or null": ({f"{SCHEMAS}/Review/then": GONE}, set()),
    "always a reason": (
        {f"{SCHEMAS}/Review/properties/approvalUnavailableReason/type": "string"},
        {("schemas", OPEN, "Review.approvalUnavailableReason")},
    ),
    # security
    "no credential": ({"/paths/~1account/get/security": []}, {("security", CLIENTS, "security"), }),
    "a credential if you like": (
        {"/paths/~1account/get/security": [{}, {"apiKey": ["account:read"]}, {"bearerToken": ["account:read"]}]},
        {("security", CLIENTS, "security")},
    ),
    "bearer tokens alone": ({"/paths/~1account/get/security": [{"bearerToken": ["account:read"]}]}, {("security", CALLERS, "security")}),
    "both at once": (
        {"/paths/~1account/get/security": [{"bearerToken": ["account:read"], "apiKey": ["account:read"]}]},
        {("security", CALLERS, "security")},
    ),
    "a key in another header": ({"/components/securitySchemes/apiKey/name": "x-token"}, {("security", CALLERS, "security")}),
    "another permission": (
        {"/paths/~1account/get/security": [{"apiKey": ["projects:read"]}, {"bearerToken": ["projects:read"]}]},
        {("security", CALLERS, "security")},
    ),
    "one permission more": (
        {"/paths/~1account/get/security": [{"apiKey": ["account:read"]}, {"bearerToken": ["account:read", "projects:read"]}]},
        {("security", CALLERS, "security")},
    ),
    "no permission for one operation": (
        {"/paths/~1account/get/security": [{"apiKey": []}, {"bearerToken": []}]},
        {("security", CLIENTS, "security")},
    ),
    "no permission for most of them": (
        {f"/paths/~1{path}/get/security": [{"apiKey": []}, {"bearerToken": []}]
         for path in ("account", "projects", "videos", "reviews", "videos~1{videoId}")},
        {("security", OPEN, "security")},
    ),
    "another permission in an extension": (
        {"/paths/~1account/get/security": [{"apiKey": []}, {"bearerToken": []}], "/paths/~1account/get/x-required-scope": "videos:read"},
        {("security", CALLERS, "security")},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("edits", "expected"), DIFFERENCES.values(), ids=DIFFERENCES.keys())
def test_a_difference_has_its_name(
    edits: dict[str, Any], expected: set[tuple[str, str, str]]
) -> None:
    """One edit of the contract is found, where it is, and classed by whom it concerns."""
    assert found(edits) == expected


ACCOUNT = f"{SCHEMAS}/Account"
SPELLINGS: dict[str, dict[str, Any]] = {
    "null as an alternative": {f"{SCHEMAS}/Review/properties/approvalUnavailableReason": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
    "null as a constant": {f"{SCHEMAS}/Review/properties/approvalUnavailableReason": {"oneOf": [{"type": "string"}, {"const": None}]}},
    "null among the values": {f"{SCHEMAS}/Review/properties/approvalUnavailableReason": {"oneOf": [{"type": "string"}, {"enum": [None]}]}},
    "a type list around a reference": {
        f"{SCHEMAS}/ProjectPage/properties/data/properties/nextCursor": {"oneOf": [{"type": "null"}, {"allOf": [UUID]}]}
    },
    "an inlined record": {f"{SCHEMAS}/AccountResponse/properties/data": dict(openapi.load().document["components"]["schemas"]["Account"])},
    "a record in two halves": {
        ACCOUNT: {
            "allOf": [
                {"type": "object", "required": ["id"], "properties": {"id": UUID}},
                {"required": ["displayName", "accountType"],
                 "properties": {"displayName": {"type": "string"}, "accountType": {"enum": ["external", "internal"]}}},
            ],
            "unevaluatedProperties": False,
        }
    },
    "closed in another word": {f"{ACCOUNT}/additionalProperties": GONE, f"{ACCOUNT}/unevaluatedProperties": False},
    "closed by negation": {f"{ACCOUNT}/additionalProperties": {"not": {}}},
    "closed by the names": {
        f"{ACCOUNT}/additionalProperties": GONE, f"{ACCOUNT}/propertyNames": {"enum": ["accountType", "displayName", "id"]}
    },
    "closed by their number": {f"{ACCOUNT}/additionalProperties": GONE, f"{ACCOUNT}/maxProperties": 3},
    "closed by a pattern": {
        f"{ACCOUNT}/additionalProperties": GONE, f"{ACCOUNT}/patternProperties": {"^(?!accountType$|displayName$|id$)": False}
    },
    "values as constants": {f"{ACCOUNT}/properties/accountType": {"anyOf": [{"const": "internal"}, {"const": "external"}]}},
    "exclusive bounds": {f"{GET}/parameters/0/schema": {"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 101, "default": 25}},
    "bounds as numbers of a whole": {
        f"{GET}/parameters/0/schema": {"type": "number", "multipleOf": 1, "minimum": 1, "maximum": 100, "default": 25}
    },
    "a format alone": {f"{SCHEMAS}/Uuid": {"type": "string", "format": "uuid"}},
    "a pattern alone": {f"{SCHEMAS}/Uuid/format": GONE},
    "the pattern of a library": {
        f"{SCHEMAS}/Uuid": {
            "type": "string", "format": "uuid",
            "pattern": "^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}"
                       "|00000000-0000-0000-0000-000000000000|ffffffff-ffff-ffff-ffff-ffffffffffff)$",
        }
    },
    "an annotated integer": {f"{SCHEMAS}/Microseconds": {"type": "integer", "format": "int64"}},
    "another name of a component": {
        f"{SCHEMAS}/Kunde": dict(openapi.load().document["components"]["schemas"]["Account"]),
        ACCOUNT: {"$ref": "#/components/schemas/Kunde"},
    },
    "a definition inside": {
        f"{SCHEMAS}/AccountResponse/properties/data": {
            "$ref": "#/components/schemas/AccountResponse/$defs/inner",
        },
        f"{SCHEMAS}/AccountResponse/$defs": {"inner": {"$ref": "#/components/schemas/Account"}},
    },
    "an identity of a component": {f"{ACCOUNT}/$id": "https://example.com/schemas/account.json"},
    "a dialect of the document": {"/jsonSchemaDialect": "https://spec.openapis.org/oas/3.1/dialect/base"},
    "descriptions, tags and extensions": {
        f"{ACCOUNT}/description": "Somebody.", f"{ACCOUNT}/title": "Account", f"{ACCOUNT}/x-go-name": "Account", "/tags": [],
        "/paths/~1account/get/tags": ["who"], "/paths/~1account/get/description": "Needs account:read.",
    },
    "a server with the prefix": {"/servers": [{"url": "/api/{tenant}/v1/", "variables": {"tenant": {"default": "main"}}}]},
    "a content type with parameters": {
        "/components/responses/NotFound/content": {"application/json; charset=utf-8": {"schema": {"$ref": "#/components/schemas/Error"}}}
    },
    "security for all": {
        "/paths/~1account/get/security": GONE,
        "/security": [{"bearerToken": []}, {"apiKey": []}],
        "/paths/~1account/get/x-required-scope": ["account:read"],
    },
    "a permission in the text": {
        "/paths/~1account/get/security": [{"apiKey": []}, {"bearerToken": []}],
        "/paths/~1account/get/description": "Needs `account:read`.",
    },
    "OAuth instead of a plain token": {
        "/components/securitySchemes/bearerToken": {
            "type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": "https://example.com", "scopes": {"account:read": "Read."}}},
        }
    },
    "responses by class": {
        "/paths/~1account/get/responses/500": GONE, "/paths/~1account/get/responses/502": GONE, "/paths/~1account/get/responses/503": GONE,
        "/paths/~1account/get/responses/5XX": {"$ref": "#/components/responses/InternalError"},
    },
    "a response for all refusals": {
        "/paths/~1account/get/responses/409": GONE,
        "/paths/~1account/get/responses/default": {"$ref": "#/components/responses/Conflict"},
    },
    "limits in a query are text anyway": {
        f"{GET}/parameters/0/schema": {"type": "string", "pattern": "^([1-9][0-9]?|100)$", "default": "25"}
    },
}  # fmt: skip


@pytest.mark.parametrize("edits", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_the_same_meaning_is_no_difference(edits: dict[str, Any]) -> None:
    """However it is spelled, what means the same is the same."""
    assert compared(edits) == ()


def test_parameters_of_a_path_count_for_each_of_its_operations() -> None:
    """They may stand beside the method, and an operation may speak of them again."""
    parameters = openapi.load().document["paths"]["/projects"]["get"]["parameters"]
    assert (
        compared({"/paths/~1projects/parameters": parameters, f"{GET}/parameters": parameters[:1]})
        == ()
    )


def test_a_path_may_be_kept_among_the_components() -> None:
    """A path item that is a reference is what it refers to."""
    item = openapi.load().document["paths"]["/account"]
    moved = {
        "/components/pathItems": {"account": item},
        "/paths/~1account": {"$ref": "#/components/pathItems/account"},
    }
    assert compared(moved) == ()


def test_the_name_of_a_path_parameter_is_no_matter_over_http() -> None:
    """It is found by its position, and told as harmless."""
    item = copy.deepcopy(openapi.load().document["paths"]["/videos/{videoId}"])
    item["get"]["parameters"] = [{"name": "id", "in": "path", "required": True, "schema": UUID}]
    told = found({"/paths/~1videos~1{videoId}": GONE, "/paths/~1videos~1{id}": item})
    assert told == {("parameters", HARMLESS, "videoId")}


def test_the_prefix_may_stand_in_the_paths() -> None:
    """With a server that has none, `/v1/account` is the same as `/account` below a base address."""
    document = openapi.load().document
    paths = {f"/v1{path}": item for path, item in document["paths"].items()}
    assert compared({"/paths": paths, "/servers": [{"url": "https://api.example.com"}]}) == ()


def test_openapi_3_0_is_understood() -> None:
    """Its null and its exclusive bounds mean what they mean in 3.1; only its version is wrong."""
    edits = {
        "/openapi": "3.0.3",
        "/info/summary": GONE,
        f"{SCHEMAS}/Review/properties/approvalUnavailableReason": {
            "type": "string",
            "nullable": True,
        },
        f"{SCHEMAS}/ReviewApproval/properties/subjectRevision": {
            "type": "integer",
            "exclusiveMaximum": False,
        },
        f"{SCHEMAS}/ReviewApproval/properties/status": {"type": "string", "nullable": False},
        f"{GET}/parameters/0/schema": {
            "type": "integer",
            "minimum": 0,
            "exclusiveMinimum": True,
            "maximum": 100,
            "default": 25,
        },
    }
    assert found(edits) == {("version", CLIENTS, "openapi")}


def test_an_anchor_means_what_it_stands_at() -> None:
    """References may name an anchor in the midst of the components."""
    edits = {
        f"{SCHEMAS}/Uuid/$anchor": "uuid",
        f"{SCHEMAS}/Account/properties/id": {"$ref": "#uuid"},
    }
    assert found(edits) == set()


@pytest.mark.parametrize(
    ("edits", "where"),
    [
        (
            {"/paths/~1account/get/parameters": [{"name": "x", "in": "quary"}]},
            "#/paths/~1account/get/parameters/0/in",
        ),
        ({"/paths/~1account/get/operationId": "project_list"}, "#/"),
        ({"/info": GONE}, "#/"),
    ],
    ids=["a location that there is not", "one identifier twice", "no information"],
)
def test_what_is_no_valid_openapi_is_told(edits: dict[str, Any], where: str) -> None:
    """A validator that others use too finds it."""
    assert where in {each.where for each in examine(edited(edits)) if each.aspect is Aspect.VALID}


@pytest.mark.parametrize(
    "edits",
    [
        {f"{SCHEMAS}/Review/properties/url": {"type": "string", "default": None}},
        {f"{SCHEMAS}/Review/properties/url": {"type": "string", "pattern": r"^\p{L}+$"}},
        {f"{SCHEMAS}/Review": {"allOf": [{"type": "object"}], "required": ["id"]}},
        {"/jsonSchemaDialect": "https://spec.openapis.org/oas/3.1/dialect/2024-11-10"},
    ],
    ids=[
        "a default of another type",
        "a pattern of JavaScript's",
        "a member that is required alone",
        "a dialect of a later day",
    ],
)
def test_what_openapi_only_advises_makes_no_document_invalid(edits: dict[str, Any]) -> None:
    """The validator asks for more, but JSON Schema says "should" of defaults and patterns, and lets schemas have any dialect."""
    assert [each for each in examine(edited(edits)) if each.aspect is Aspect.VALID] == []


@pytest.mark.parametrize(
    "edits",
    [
        {f"{ACCOUNT}": {"$ref": "#/components/schemas/Nobody"}},
        {f"{ACCOUNT}/properties/id": {"$ref": "#/components/schemas/Nobody"}},
        {f"{ACCOUNT}/properties/displayName": {"type": "string", "pattern": "("}},
        {f"{ACCOUNT}": False},
        {"/paths/~1account/get/responses": []},
        {"/paths/~1account/get": None},
        {"/paths/~1account": "what"},
        {"/paths/~1account/get/parameters": {"name": 3}},
        {"/components/securitySchemes": ["apiKey"]},
        {"/paths": []},
        {"/servers": {"url": 1}},
        {"/servers": [{"url": "http://[", "variables": []}]},
        {f"{ACCOUNT}": {"$ref": "#/components/schemas/Account"}},
        {f"{ACCOUNT}/properties": [], f"{ACCOUNT}/required": "id"},
        {f"{ACCOUNT}/allOf": "what", f"{ACCOUNT}/patternProperties": {"(": {}}},
        {"/paths/~1account/get/security": "none"},
        {"/paths/~1account/get/responses/200/content/application~1json/schema": GONE},
        {"/paths/~1account/get/responses/200/content/application~1json": None},
    ],
    ids=lambda edits: f"{next(iter(edits)).rpartition('/')[2]}={next(iter(edits.values()))!r:.40}",
)
def test_nonsense_is_a_difference_and_no_crash(edits: dict[str, Any]) -> None:
    """Whatever stands in a document, the comparison ends, and something is broken."""
    assert any(each.effect in (CLIENTS, CALLERS) for each in examine(edited(edits)))


def test_the_same_difference_is_told_once() -> None:
    """With every operation and every line that it is found on."""
    (difference,) = compared({f"{SCHEMAS}/Project/additionalProperties": GONE})
    assert (difference.operations, len(difference.lines)) == (("project_list", "project_get"), 1)


def test_a_difference_reads_as_a_sentence() -> None:
    """Where, what, and what either side says."""
    told = str(compared({f"{GET}/parameters/0/schema/maximum": 50})[0])
    assert told == (
        "limit: does not allow 99, 100 (specified: integer, minimum 1, maximum 100, default 25; "
        "described: integer, minimum 1, maximum 50, default 25)"
    )
    assert str(Difference(Aspect.VALID, Effect.OPEN, "a", "b")) == "a: b"


def test_the_worst_comes_first() -> None:
    """By effect, then by what it is about."""
    found = compared(
        {
            "/info/version": "2",
            f"{GET}/parameters/0/required": True,
            f"{SCHEMAS}/Video/additionalProperties": False,
        }
    )
    assert [each.effect.value for each in found] == [CLIENTS, CALLERS, HARMLESS]


def test_a_nullable_vocabulary_of_openapi_3_0_has_null_in_it() -> None:
    """Its enum need not say so."""
    edits = {
        "/openapi": "3.0.3",
        f"{SCHEMAS}/Video/properties/name": {"type": "string", "nullable": True, "enum": ["a"]},
    }
    (told,) = [
        each
        for each in compared(edits)
        if each.where == "Video.name" and each.effect is Effect.CLIENTS
    ]
    assert told.message == "also allows null"


def test_what_an_answer_does_not_fit_is_told_without_its_content() -> None:
    """The place, and the keyword."""
    pair = pairs(description(edited({})))["account_get"]
    views = responses.views(pair, "200")
    assert views is not None
    account = {
        "id": "6f1c2b1e-4a9d-4c53-9a5e-0d6c1f7b8a21",
        "displayName": 7,
        "accountType": "internal",
    }
    assert views[1].flaw({"data": account, "requestId": "r"}) == "data/displayName (type)"
    assert views[1].flaw({"data": {**account, "displayName": "\ud800"}, "requestId": "r"}) is None
    assert (
        views[1].flaw({"data": {"displayName": "\ud800"}, "requestId": "r"}) == "an unknown place"
    )
    assert views[1].flaw([]) == "the whole (type)"
    assert responses.views(pair, "418") is None


def test_nothing_outside_of_a_document_is_fetched_to_validate_it() -> None:
    """Neither from the disk nor from the network."""
    document = json.loads(edited({f"{SCHEMAS}/Account": {"$ref": Path(__file__).as_uri()}}))
    (told,) = flaws(parsed(document))
    assert (told.effect, "fails (Unresolvable)" in told.message) == (Effect.OPEN, True)


@pytest.mark.parametrize(
    ("version", "told"),
    [("3.0.3", ["is not valid OpenAPI: 7 is not of type 'string'"]), ("3.1.1", [])],
)
def test_a_default_has_to_fit_until_3_0_and_should_from_3_1_on(
    version: str, told: list[str]
) -> None:
    """Of a document that has nothing else."""
    schemas = {"Name": {"type": "string", "default": 7}}
    document = {
        "openapi": version,
        "info": {"title": "t", "version": "1"},
        "paths": {},
        "components": {"schemas": schemas},
    }
    assert [each.message for each in flaws(parsed(document))] == told
