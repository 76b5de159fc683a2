"""Each difference of a description: one edit of the contract, its aspect, effect and place."""

from typing import Any

import pytest
from edited_contract import (
    ACCOUNT,
    CALLERS,
    CLIENTS,
    GET,
    GONE,
    HARMLESS,
    OPEN,
    SCHEMAS,
    UUID,
    located,
)

from conformance.contract import openapi

NOT_FOUND = {"$ref": "#/components/responses/NotFound"}
PATHS = openapi.load().document["paths"]

HALF = {"type": "object", "required": ["id"], "properties": {"id": UUID}}
OTHER_HALF = {
    "required": ["displayName", "accountType"],
    "properties": {
        "displayName": {"type": "string"},
        "accountType": {"enum": ["internal", "external"]},
    },
}
CLOSED = {"additionalProperties": False}
EXCLUDED = {
    ("schemas", CLIENTS, "Account"),
    ("schemas", CLIENTS, "Account.displayName"),
    ("schemas", CLIENTS, "Account.accountType"),
}

DIFFERENCES: dict[str, tuple[dict[str, Any], set[tuple[str, str, str]]]] = {
    # descriptions that no right record fits
    "two closed halves": (
        {ACCOUNT: {"allOf": [{**HALF, **CLOSED}, {**OTHER_HALF, **CLOSED}]}},
        {*EXCLUDED, ("schemas", CLIENTS, "Account.id")},
    ),
    "one closed half": (
        {ACCOUNT: {"allOf": [{**HALF, **CLOSED}, OTHER_HALF]}},
        EXCLUDED,
    ),
    "two halves in what is closed": (
        {ACCOUNT: {"allOf": [HALF, OTHER_HALF], **CLOSED}},
        {*EXCLUDED, ("schemas", CLIENTS, "Account.id")},
    ),
    "a half that knows only itself": (
        {ACCOUNT: {"allOf": [{**HALF, "unevaluatedProperties": False}, OTHER_HALF]}},
        EXCLUDED,
    ),
    "a required property that is excluded": (
        {f"{SCHEMAS}/Review/properties/legacy": False, f"{SCHEMAS}/Review/required": ["legacy"]},
        {("schemas", CLIENTS, "Review")},
    ),
    "a required property that a pattern excludes": (
        {
            f"{SCHEMAS}/Review/patternProperties": {"^video": {"not": {}}},
            f"{SCHEMAS}/Review/required": ["id", "videoId"],
        },
        {
            ("schemas", CLIENTS, "Review"),
            ("schemas", OPEN, "Review"),
            ("schemas", HARMLESS, "Review.videoId"),
            ("schemas", HARMLESS, "Review.videoName"),
        },
    ),
    "more required properties than are allowed": (
        {f"{ACCOUNT}/maxProperties": 2},
        {("schemas", CLIENTS, "Account")},
    ),
    "a required property with a name that is excluded": (
        {f"{ACCOUNT}/propertyNames": {"enum": ["id", "accountType"]}},
        {("schemas", CLIENTS, "Account")},
    ),
    "a name of two types": (
        {f"{SCHEMAS}/Project/properties/name": {"type": "string", "allOf": [{"type": "integer"}]}},
        {("schemas", CLIENTS, "Project.name")},
    ),
    "a name without a value": (
        {f"{SCHEMAS}/Project/properties/name": {"type": "string", "enum": []}},
        {("schemas", CLIENTS, "Project.name")},
    ),
    # versions
    "another API version": ({"/info/version": "1.0.1"}, {("api-version", CLIENTS, "info.version")}),
    "OpenAPI 3.2": ({"/openapi": "3.2.0"}, {("version", CLIENTS, "openapi")}),
    "OpenAPI 3.1.0": ({"/openapi": "3.1.0"}, {("patch-version", HARMLESS, "openapi")}),
    "a server of one operation at the root": (
        {"/paths/~1account/get/servers": [{"url": "https://api.example.com"}]},
        {("operations", OPEN, "servers")},
    ),
    # operations
    "an operation is gone": (
        {"/paths/~1videos~1{videoId}": GONE},
        {("operations", CLIENTS, "video_get")},
    ),
    "an operation is renamed": (
        {"/paths/~1account/get/operationId": "getAccount"},
        {("operations", CLIENTS, "operationId")},
    ),
    "an operation is moved": (
        {"/paths/~1me": dict(PATHS["/account"]), "/paths/~1account": GONE},
        {("operations", CLIENTS, "account_get"), ("operations", HARMLESS, "GET /me")},
    ),
    "an operation without an identifier": (
        {"/paths/~1account/get/operationId": GONE},
        {("operations", CLIENTS, "operationId")},
    ),
    "an additional operation": (
        {
            "/paths/~1teams": {
                "get": {"operationId": "team_list", "responses": {"200": {"description": "Teams."}}}
            }
        },
        {("operations", HARMLESS, "GET /teams")},
    ),
    "a server without the version": (
        {"/servers": [{"url": "https://api.example.com"}]},
        {("operations", OPEN, "servers")},
    ),
    # parameters
    "limit ends at 50": (
        {f"{GET}/parameters/0/schema/maximum": 50},
        {("parameters", CALLERS, "limit")},
    ),
    "limit begins at 2": (
        {f"{GET}/parameters/0/schema/minimum": 2},
        {("parameters", CALLERS, "limit")},
    ),
    "limit goes to 1000": (
        {f"{GET}/parameters/0/schema/maximum": 1000},
        {("parameters", HARMLESS, "limit")},
    ),
    "limit is required": (
        {f"{GET}/parameters/0/required": True},
        {("parameters", CALLERS, "limit")},
    ),
    "limit is not described": ({f"{GET}/parameters/0": GONE}, {("parameters", CALLERS, "limit")}),
    "another default": (
        {f"{GET}/parameters/0/schema/default": 50},
        {("parameters", CLIENTS, "limit")},
    ),
    "no default": ({f"{GET}/parameters/0/schema/default": GONE}, {("complete", HARMLESS, "limit")}),
    "only cursors of version 4": (
        {f"{GET}/parameters/1/schema": {"type": "string", "pattern": "^.{14}4"}},
        {("parameters", CALLERS, "cursor")},
    ),
    "any text as a filter": (
        {f"{GET}/parameters/2/schema": {"type": "string"}},
        {("parameters", HARMLESS, "companyId")},
    ),
    "another cursor on /videos": (
        {"/paths/~1videos/get/parameters/1/name": "after"},
        {("parameters", OPEN, "cursor"), ("parameters", HARMLESS, "query parameter after")},
    ),
    "another cursor on /projects": (
        {f"{GET}/parameters/1/name": "after"},
        {("parameters", CALLERS, "cursor"), ("parameters", HARMLESS, "query parameter after")},
    ),
    "an additional required parameter": (
        {
            f"{GET}/parameters/2": {
                "name": "tenant",
                "in": "header",
                "required": True,
                "schema": {"type": "string"},
            }
        },
        {("parameters", CALLERS, "companyId"), ("parameters", CALLERS, "header parameter tenant")},
    ),
    "a path parameter that is not described": (
        {"/paths/~1videos~1{videoId}/get/parameters": GONE},
        {("parameters", HARMLESS, "videoId")},
    ),
    "credentials among the parameters": (
        {
            f"{GET}/parameters/2": {
                "name": "X-Api-Key",
                "in": "header",
                "required": True,
                "schema": {"type": "string"},
            }
        },
        {("parameters", CALLERS, "companyId")},
    ),
    "a body for a read": (
        {f"{GET}/requestBody": {"required": True, "content": {"application/json": {}}}},
        {("body", CALLERS, "request body")},
    ),
    # the body
    "a third required property": (
        {
            f"{SCHEMAS}/ApprovalRequest/required": [
                "expectedSubjectRevision",
                "idempotencyKey",
                "comment",
            ]
        },
        {
            ("body", OPEN, "ApprovalRequest.expectedSubjectRevision"),
            ("body", OPEN, "ApprovalRequest.idempotencyKey"),
            ("body", CALLERS, "ApprovalRequest.comment"),
        },
    ),
    "both properties are required": (
        {f"{SCHEMAS}/ApprovalRequest/required": ["expectedSubjectRevision", "idempotencyKey"]},
        {
            ("body", OPEN, "ApprovalRequest.expectedSubjectRevision"),
            ("body", OPEN, "ApprovalRequest.idempotencyKey"),
        },
    ),
    "revisions are text": (
        {f"{SCHEMAS}/ApprovalRequest/properties/expectedSubjectRevision/type": "string"},
        {
            ("body", CALLERS, "ApprovalRequest.expectedSubjectRevision"),
            ("body", HARMLESS, "ApprovalRequest.expectedSubjectRevision"),
        },
    ),
    "revisions from 1 on": (
        {f"{SCHEMAS}/ApprovalRequest/properties/expectedSubjectRevision/minimum": 1},
        {("body", OPEN, "ApprovalRequest.expectedSubjectRevision")},
    ),
    "keys are UUIDs": (
        {f"{SCHEMAS}/ApprovalRequest/properties/idempotencyKey": UUID},
        {("body", OPEN, "ApprovalRequest.idempotencyKey")},
    ),
    "the key is not described": (
        {f"{SCHEMAS}/ApprovalRequest/properties/idempotencyKey": GONE},
        {("body", CALLERS, "ApprovalRequest.idempotencyKey")},
    ),
    "a body of another type": (
        {"/paths/~1reviews~1{reviewId}~1approve/post/requestBody/content": {"application/xml": {}}},
        {("body", CALLERS, "request body")},
    ),
    # responses
    "200 is gone": ({"/paths/~1account/get/responses/200": GONE}, {("responses", CLIENTS, "200")}),
    "200 by default": (
        {
            "/paths/~1account/get/responses": {
                "default": PATHS["/account"]["get"]["responses"]["200"],
                "4XX": NOT_FOUND,
                "5XX": NOT_FOUND,
            }
        },
        {("responses", HARMLESS, "200")},
    ),
    "errors by default, and no 200": (
        {
            "/paths/~1account/get/responses/200": GONE,
            "/paths/~1account/get/responses/default": NOT_FOUND,
        },
        {("responses", CLIENTS, "200")},
    ),
    "one more property is possible": (
        {f"{SCHEMAS}/Account/additionalProperties": GONE, f"{SCHEMAS}/Account/maxProperties": 4},
        {("schemas", CLIENTS, "Account")},
    ),
    "names of any kind": (
        {
            f"{SCHEMAS}/Account/additionalProperties": GONE,
            f"{SCHEMAS}/Account/propertyNames": {"pattern": "^[a-z]"},
        },
        {("schemas", CLIENTS, "Account")},
    ),
    "an additional status": (
        {"/paths/~1account/get/responses/418": {"description": "A teapot."}},
        {("responses", CLIENTS, "418")},
    ),
    "statuses of requests outside the contract": (
        {
            f"/paths/~1account/get/responses/{status}": {"description": "None of it."}
            for status in (304, 405, 415, 504)
        },
        {("responses", OPEN, status) for status in ("304", "405", "415", "504")},
    ),
    "no 409 on an account": (
        {"/paths/~1account/get/responses/409": GONE},
        {("complete", HARMLESS, "409")},
    ),
    "no Retry-After": (
        {"/components/responses/TooManyRequests/headers": GONE},
        {("complete", HARMLESS, "429")},
    ),
    "an error response without a body": (
        {"/components/responses/NotFound/content": GONE},
        {("complete", HARMLESS, "404")},
    ),
    "errors as problem+json": (
        {"/components/responses/NotFound/content": {"application/problem+json": {}}},
        {("responses", CLIENTS, "404")},
    ),
    # records
    "an open account": (
        {f"{SCHEMAS}/Account/additionalProperties": GONE},
        {("schemas", CLIENTS, "Account")},
    ),
    "an additional property of a project": (
        {f"{SCHEMAS}/Project/properties/budget": {"type": "integer"}},
        {("schemas", CLIENTS, "Project")},
    ),
    "an additional property of a video": (
        {f"{SCHEMAS}/Video/properties/codec": {"type": "string"}},
        {("schemas", HARMLESS, "Video")},
    ),
    "a closed video": (
        {f"{SCHEMAS}/Video/additionalProperties": False},
        {("schemas", HARMLESS, "Video")},
    ),
    "an optional name": (
        {f"{SCHEMAS}/Account/required": ["id", "accountType"]},
        {("schemas", CLIENTS, "Account.displayName")},
    ),
    "an undescribed name": (
        {f"{SCHEMAS}/Account/properties/displayName": GONE},
        {("schemas", CLIENTS, "Account.displayName")},
    ),
    "an undescribed field of a video": (
        {f"{SCHEMAS}/Video/properties/name": GONE},
        {("schemas", OPEN, "Video.name")},
    ),
    "required fields of a video": (
        {f"{SCHEMAS}/Video/required": ["id", "name"]},
        {("schemas", OPEN, "Video")},
    ),
    "a name or null": (
        {f"{SCHEMAS}/Video/properties/name/type": ["string", "null"]},
        {("schemas", CLIENTS, "Video.name")},
    ),
    "ids as numbers": (
        {f"{SCHEMAS}/Reply/properties/id": {"type": "integer"}},
        {("schemas", CLIENTS, "Reply.id"), ("schemas", HARMLESS, "Reply.id")},
    ),
    "ids as any text": (
        {f"{SCHEMAS}/Reply/properties/id": {"type": "string"}},
        {("schemas", CLIENTS, "Reply.id")},
    ),
    "negative counts": (
        {f"{SCHEMAS}/Count/minimum": GONE},
        {
            ("schemas", CLIENTS, f"Project.{name}")
            for name in ("videoCount", "localizationCount", "completedLocalizationCount")
        },
    ),
    "fractions of microseconds": (
        {f"{SCHEMAS}/Microseconds/type": "number"},
        {
            ("schemas", CLIENTS, "Video.durationUs"),
            ("schemas", CLIENTS, "Comment.startUs"),
            ("schemas", CLIENTS, "Comment.endUs"),
        },
    ),
    "a third type of account": (
        {
            f"{SCHEMAS}/Account/properties/accountType": {
                "enum": ["internal", "external", "approved"]
            }
        },
        {("schemas", CLIENTS, "Account.accountType")},
    ),
    "one type of account": (
        {f"{SCHEMAS}/Account/properties/accountType": {"const": "internal"}},
        {("schemas", HARMLESS, "Account.accountType")},
    ),
    "a vocabulary": (
        {f"{SCHEMAS}/Project/properties/status": {"enum": ["draft", "done"]}},
        {("schemas", OPEN, "Project.status")},
    ),
    "timestamps as numbers": (
        {f"{SCHEMAS}/Reply/properties/createdAt": {"type": "integer"}},
        {("schemas", CLIENTS, "Reply.createdAt"), ("schemas", OPEN, "Reply.createdAt")},
    ),
    "timestamps of RFC 3339": (
        {f"{SCHEMAS}/Reply/properties/createdAt": {"type": "string", "format": "date-time"}},
        {("schemas", OPEN, "Reply.createdAt")},
    ),
    "the last page of videos has a cursor": (
        {f"{SCHEMAS}/VideoPage/properties/data/properties/nextCursor": UUID},
        {("schemas", OPEN, "VideoPage.data.nextCursor")},
    ),
    "any text as the cursor of videos": (
        {
            f"{SCHEMAS}/VideoPage/properties/data/properties/nextCursor": {
                "type": ["string", "null"]
            }
        },
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
    "properties without a type": (
        {f"{SCHEMAS}/Reply/type": GONE},
        {("schemas", HARMLESS, "Reply")},
    ),
    "properties by a pattern": (
        {
            f"{SCHEMAS}/Reply/properties/kind": GONE,
            f"{SCHEMAS}/Reply/patternProperties": {
                "^kind$": {"type": "integer"},
                r"^\p{Lu}": {},
                "^x": {},
            },
        },
        {("schemas", CLIENTS, "Reply.kind"), ("schemas", OPEN, "Reply.kind")},
    ),
    "additional properties of a type": (
        {f"{SCHEMAS}/Account/additionalProperties": {"type": "string"}},
        {("schemas", CLIENTS, "Account")},
    ),
    "a forbidden property": (
        {f"{SCHEMAS}/Video/properties/name": False},
        {("schemas", OPEN, "Video.name")},
    ),
    "items that are forbidden": (
        {
            f"{SCHEMAS}/VideoPage/properties/data/properties/items": {
                "type": "array",
                "items": False,
            }
        },
        {("schemas", CLIENTS, "Video")},
    ),
    "an error without a code": (
        {f"{SCHEMAS}/Error/required": ["requestId"]},
        {("schemas", CLIENTS, "Error.code")},
    ),
    "an error with a message": (
        {f"{SCHEMAS}/Error/required": ["code", "requestId", "message"]},
        {("schemas", HARMLESS, "Error")},
    ),
    "no reason, or null": ({f"{SCHEMAS}/Review/then": GONE}, set()),
    "always a reason": (
        {f"{SCHEMAS}/Review/properties/approvalUnavailableReason/type": "string"},
        {("schemas", OPEN, "Review.approvalUnavailableReason")},
    ),
    # security
    "no credential": (
        {"/paths/~1account/get/security": []},
        {
            ("security", CLIENTS, "security"),
        },
    ),
    "an optional credential": (
        {
            "/paths/~1account/get/security": [
                {},
                {"apiKey": ["account:read"]},
                {"bearerToken": ["account:read"]},
            ]
        },
        {("security", CLIENTS, "security")},
    ),
    "only bearer tokens": (
        {"/paths/~1account/get/security": [{"bearerToken": ["account:read"]}]},
        {("security", CALLERS, "security")},
    ),
    "both at once": (
        {
            "/paths/~1account/get/security": [
                {"bearerToken": ["account:read"], "apiKey": ["account:read"]}
            ]
        },
        {("security", CALLERS, "security")},
    ),
    "a key in another header": (
        {"/components/securitySchemes/apiKey/name": "x-token"},
        {("security", CALLERS, "security")},
    ),
    "another permission": (
        {
            "/paths/~1account/get/security": [
                {"apiKey": ["projects:read"]},
                {"bearerToken": ["projects:read"]},
            ]
        },
        {("security", CALLERS, "security")},
    ),
    "one more permission": (
        {
            "/paths/~1account/get/security": [
                {"apiKey": ["account:read"]},
                {"bearerToken": ["account:read", "projects:read"]},
            ]
        },
        {("security", CALLERS, "security")},
    ),
    "no permission for one operation": (
        {"/paths/~1account/get/security": [{"apiKey": []}, {"bearerToken": []}]},
        {("security", CLIENTS, "security")},
    ),
    "no permission for most of them": (
        {
            f"/paths/~1{path}/get/security": [{"apiKey": []}, {"bearerToken": []}]
            for path in ("account", "projects", "videos", "reviews", "videos~1{videoId}")
        },
        {("security", OPEN, "security")},
    ),
    "another permission in an extension": (
        {
            "/paths/~1account/get/security": [{"apiKey": []}, {"bearerToken": []}],
            "/paths/~1account/get/x-required-scope": "videos:read",
        },
        {("security", CALLERS, "security")},
    ),
}


@pytest.mark.parametrize(("edits", "expected"), DIFFERENCES.values(), ids=DIFFERENCES.keys())
def test_an_edit_has_the_expected_differences(
    edits: dict[str, Any], expected: set[tuple[str, str, str]]
) -> None:
    """The table has the aspect, the effect and the place of each."""
    assert located(edits) == expected
