"""Other spellings of the contract, which are not differences."""

from typing import Any

import pytest
from edited_contract import ACCOUNT, ADDRESS, GET, GONE, SCHEMAS, UUID, compared

from conformance.contract import openapi

COMPONENTS = openapi.load().document["components"]["schemas"]
REFERENCE = {"$ref": "#/components/schemas/Account"}
REASON = f"{SCHEMAS}/Review/properties/approvalUnavailableReason"

SPELLINGS: dict[str, dict[str, Any]] = {
    "null as an alternative": {REASON: {"anyOf": [{"type": "string"}, {"type": "null"}]}},
    "null as a constant": {REASON: {"oneOf": [{"type": "string"}, {"const": None}]}},
    "null among the values": {REASON: {"oneOf": [{"type": "string"}, {"enum": [None]}]}},
    "a type list around a reference": {
        f"{SCHEMAS}/ProjectPage/properties/data/properties/nextCursor": {
            "oneOf": [{"type": "null"}, {"allOf": [UUID]}]
        }
    },
    "an inlined schema": {
        f"{SCHEMAS}/AccountResponse/properties/data": dict(COMPONENTS["Account"])
    },
    "a schema in two halves": {
        ACCOUNT: {
            "allOf": [
                {"type": "object", "required": ["id"], "properties": {"id": UUID}},
                {
                    "required": ["displayName", "accountType"],
                    "properties": {
                        "displayName": {"type": "string"},
                        "accountType": {"enum": ["external", "internal"]},
                    },
                },
            ],
            "unevaluatedProperties": False,
        }
    },
    "closed by another keyword": {
        f"{ACCOUNT}/additionalProperties": GONE,
        f"{ACCOUNT}/unevaluatedProperties": False,
    },
    "closed by negation": {f"{ACCOUNT}/additionalProperties": {"not": {}}},
    "closed by the names": {
        f"{ACCOUNT}/additionalProperties": GONE,
        f"{ACCOUNT}/propertyNames": {"enum": ["accountType", "displayName", "id"]},
    },
    "closed by their number": {
        f"{ACCOUNT}/additionalProperties": GONE,
        f"{ACCOUNT}/maxProperties": 3,
    },
    "closed by a pattern": {
        f"{ACCOUNT}/additionalProperties": GONE,
        f"{ACCOUNT}/patternProperties": {"^(?!accountType$|displayName$|id$)": False},
    },
    "values as constants": {
        f"{ACCOUNT}/properties/accountType": {
            "anyOf": [{"const": "internal"}, {"const": "external"}]
        }
    },
    "exclusive bounds": {
        f"{GET}/parameters/0/schema": {
            "type": "integer",
            "exclusiveMinimum": 0,
            "exclusiveMaximum": 101,
            "default": 25,
        }
    },
    "an integer as a multiple of 1": {
        f"{GET}/parameters/0/schema": {
            "type": "number",
            "multipleOf": 1,
            "minimum": 1,
            "maximum": 100,
            "default": 25,
        }
    },
    "only a format": {f"{SCHEMAS}/Uuid": {"type": "string", "format": "uuid"}},
    "only a pattern": {f"{SCHEMAS}/Uuid/format": GONE},
    "the pattern of a library": {
        f"{SCHEMAS}/Uuid": {
            "type": "string",
            "format": "uuid",
            "pattern": "^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}"
            "-[0-9a-fA-F]{12}"
            "|00000000-0000-0000-0000-000000000000|ffffffff-ffff-ffff-ffff-ffffffffffff)$",
        }
    },
    "an annotated integer": {f"{SCHEMAS}/Microseconds": {"type": "integer", "format": "int64"}},
    "another name of a component": {
        f"{SCHEMAS}/Kunde": dict(COMPONENTS["Account"]),
        ACCOUNT: {"$ref": "#/components/schemas/Kunde"},
    },
    "a definition inside": {
        f"{SCHEMAS}/AccountResponse/properties/data": {
            "$ref": "#/components/schemas/AccountResponse/$defs/inner",
        },
        f"{SCHEMAS}/AccountResponse/$defs": {"inner": {"$ref": "#/components/schemas/Account"}},
    },
    "an identity of a component": {f"{ACCOUNT}/$id": "https://example.com/schemas/account.json"},
    "a reference to an identity": {
        f"{ACCOUNT}/$id": "https://example.com/schemas/account.json",
        f"{SCHEMAS}/AccountResponse/properties/data": {
            "$ref": "https://example.com/schemas/account.json"
        },
    },
    "a pointer below an identity": {
        f"{ACCOUNT}/$id": "account",
        f"{ACCOUNT}/$defs": {"id": {"$anchor": "id", **UUID}},
        f"{ACCOUNT}/properties/id": {"$ref": "#/$defs/id"},
    },
    "an anchor below an identity": {
        f"{ACCOUNT}/$id": "account",
        f"{ACCOUNT}/$defs": {"id": {"$anchor": "id", **UUID}},
        f"{SCHEMAS}/Project/properties/id": {"$ref": "account#id"},
    },
    "a reference to the document itself": {
        f"{SCHEMAS}/AccountResponse/properties/data": {
            "$ref": "openapi.json#/components/schemas/Account"
        },
        f"{SCHEMAS}/Project/properties/id": {"$ref": f"{ADDRESS}#/components/schemas/Uuid"},
    },
    "a dynamic reference": {
        f"{SCHEMAS}/Uuid/$dynamicAnchor": "uuid",
        f"{ACCOUNT}/properties/id": {"$dynamicRef": "#uuid"},
    },
    "one response for every record": {
        f"{SCHEMAS}/Envelope": {
            "$id": "envelope",
            "type": "object",
            "required": ["data", "requestId"],
            "properties": {"data": {"$dynamicRef": "#data"}, "requestId": {"type": "string"}},
            "$defs": {"anything": {"$dynamicAnchor": "data"}},
        },
        f"{SCHEMAS}/AccountResponse": {
            "$id": "account",
            "$ref": "envelope",
            "$defs": {"data": {"$dynamicAnchor": "data", **REFERENCE}},
        },
    },
    "a dialect of the document": {
        "/jsonSchemaDialect": "https://spec.openapis.org/oas/3.1/dialect/base"
    },
    "descriptions, tags and extensions": {
        f"{ACCOUNT}/description": "Somebody.",
        f"{ACCOUNT}/title": "Account",
        f"{ACCOUNT}/x-go-name": "Account",
        "/tags": [],
        "/paths/~1account/get/tags": ["who"],
        "/paths/~1account/get/description": "Needs account:read.",
    },
    "a server with the prefix": {
        "/servers": [{"url": "/api/{tenant}/v1/", "variables": {"tenant": {"default": "main"}}}]
    },
    "a content type with parameters": {
        "/components/responses/NotFound/content": {
            "application/json; charset=utf-8": {"schema": {"$ref": "#/components/schemas/Error"}}
        }
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
            "type": "oauth2",
            "flows": {
                "clientCredentials": {
                    "tokenUrl": "https://example.com",
                    "scopes": {"account:read": "Read."},
                }
            },
        }
    },
    "responses by class": {
        "/paths/~1account/get/responses/500": GONE,
        "/paths/~1account/get/responses/502": GONE,
        "/paths/~1account/get/responses/503": GONE,
        "/paths/~1account/get/responses/5XX": {"$ref": "#/components/responses/InternalError"},
    },
    "a response for all errors": {
        "/paths/~1account/get/responses/409": GONE,
        "/paths/~1account/get/responses/default": {"$ref": "#/components/responses/Conflict"},
    },
    "limits in a query are text anyway": {
        f"{GET}/parameters/0/schema": {
            "type": "string",
            "pattern": "^([1-9][0-9]?|100)$",
            "default": "25",
        }
    },
}


@pytest.mark.parametrize("edits", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_another_spelling_is_not_a_difference(edits: dict[str, Any]) -> None:
    """Schemas are compared by their meaning."""
    assert compared(edits) == ()
