"""The comparison of a description with the contract."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from edited_contract import (
    ACCOUNT,
    CALLERS,
    CLIENTS,
    GET,
    GONE,
    HARMLESS,
    SCHEMAS,
    UUID,
    compared,
    edited,
    located,
)

from conformance.contract import openapi
from conformance.contract.description import responses
from conformance.contract.description.compare import description, examine, pairs
from conformance.contract.description.described import operations
from conformance.contract.description.difference import Aspect, Difference, Effect
from conformance.contract.description.loader import read
from conformance.contract.description.source import SourceError, TooLargeError, parsed
from conformance.contract.description.validity import flaws


def test_the_contract_does_not_differ_from_itself() -> None:
    """The comparison returns no difference."""
    assert examine(edited({})) == ()


def test_parameters_of_a_path_apply_to_each_of_its_operations() -> None:
    """An operation may repeat them."""
    parameters = openapi.load().document["paths"]["/projects"]["get"]["parameters"]
    assert (
        compared({"/paths/~1projects/parameters": parameters, f"{GET}/parameters": parameters[:1]})
        == ()
    )


def test_a_path_item_may_be_a_component() -> None:
    """A reference to a path item is followed."""
    item = openapi.load().document["paths"]["/account"]
    moved = {
        "/components/pathItems": {"account": item},
        "/paths/~1account": {"$ref": "#/components/pathItems/account"},
    }
    assert compared(moved) == ()


def test_another_name_of_a_path_parameter_is_harmless() -> None:
    """The position identifies the parameter."""
    item = copy.deepcopy(openapi.load().document["paths"]["/videos/{videoId}"])
    item["get"]["parameters"] = [{"name": "id", "in": "path", "required": True, "schema": UUID}]
    actual = located({"/paths/~1videos~1{videoId}": GONE, "/paths/~1videos~1{id}": item})
    assert actual == {("parameters", HARMLESS, "videoId")}


def test_the_version_segment_may_be_in_the_paths() -> None:
    """If the server has no version, `/v1/account` is the `/account` of the contract."""
    document = openapi.load().document
    paths = {f"/v1{path}": item for path, item in document["paths"].items()}
    assert compared({"/paths": paths, "/servers": [{"url": "https://api.example.com"}]}) == ()


def test_openapi_3_0_is_understood() -> None:
    """Its keywords for null and exclusive bounds are translated; only the version differs."""
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
    assert located(edits) == {("version", CLIENTS, "openapi")}


def test_an_anchor_may_be_a_target_of_references() -> None:
    """The anchor may be in a component."""
    edits = {
        f"{SCHEMAS}/Uuid/$anchor": "uuid",
        f"{SCHEMAS}/Account/properties/id": {"$ref": "#uuid"},
    }
    assert located(edits) == set()


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
    ids=["an unknown location", "a duplicate identifier", "no information"],
)
def test_invalid_openapi_is_a_difference(edits: dict[str, Any], where: str) -> None:
    """An independent validator reports it."""
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
        "a required property without a schema",
        "a newer dialect",
    ],
)
def test_a_recommendation_of_openapi_is_not_a_rule(edits: dict[str, Any]) -> None:
    """JSON Schema only recommends fitting defaults and patterns, and allows any dialect."""
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
def test_a_malformed_document_is_a_difference(edits: dict[str, Any]) -> None:
    """The comparison ends, and at least one difference affects clients or callers."""
    assert any(each.effect in (CLIENTS, CALLERS) for each in examine(edited(edits)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x:\n" + "-\n" * 300_000, "has more than 200,000 values"),
        (
            "a: &a\n"
            + "".join(f" k{number}: 0\n" for number in range(1_000))
            + "b:\n"
            + " <<: *a\n" * 1_000,
            "has merge keys that copy more than 200,000 keys",
        ),
        ("a: &a [x]\n" + "b: [" + "*a, " * 10 + "]\n", None),
        (f"openapi: 0x{'f' * 6_000}\n", "has a number that cannot be read"),
        ("#" * 2_097_153, "has more than 2,097,152 characters of YAML"),
    ],
    ids=["empty items", "merge keys", "aliases", "a hexadecimal number", "a comment"],
)
def test_yaml_is_read_within_its_budget(text: str, message: str | None) -> None:
    """It ends in the loop that reads, and before the memory is used."""
    if message is None:
        assert read(text).document["b"] == [["x"]] * 10
        return
    with pytest.raises(SourceError, match=message) as problem:
        read(text)
    assert isinstance(problem.value, TooLargeError) is ("more than" in message)


@pytest.mark.parametrize(
    ("servers", "is_versioned"),
    [
        ([{"url": "{a}/v1", "variables": {"a": {"default": "https://x.test"}}}], True),
        ([{"url": "/{a}", "variables": {"a": {"default": "{b}"}, "b": {"default": "v1"}}}], False),
        ([{"url": "/{a}/v1"}], True),
        ([{"url": "/" + "x" * 3_000_000}], False),
    ],
    ids=["a variable", "a variable in a default", "no such variable", "a long address"],
)
def test_variables_of_a_server_are_replaced_once(
    servers: list[dict[str, Any]], *, is_versioned: bool
) -> None:
    """Otherwise forty of them would double the address forty times."""
    found = operations(description(edited({"/servers": servers})))
    assert {each.versioned for each in found} == {is_versioned}


def test_equal_differences_are_merged() -> None:
    """The difference has every operation and every line."""
    (difference,) = compared({f"{SCHEMAS}/Project/additionalProperties": GONE})
    assert (difference.operations, len(difference.lines)) == (("project_list", "project_get"), 1)


def test_a_difference_as_text() -> None:
    """The text has the place, the message, and the values of both documents."""
    actual = str(compared({f"{GET}/parameters/0/schema/maximum": 50})[0])
    assert actual == (
        "limit: does not allow 99, 100 (specified: integer, minimum 1, maximum 100, default 25; "
        "described: integer, minimum 1, maximum 50, default 25)"
    )
    assert str(Difference(Aspect.VALID, Effect.OPEN, "a", "b")) == "a: b"


def test_the_worst_difference_comes_first() -> None:
    """Differences are sorted by effect, then by aspect."""
    differences = compared(
        {
            "/info/version": "2",
            f"{GET}/parameters/0/required": True,
            f"{SCHEMAS}/Video/additionalProperties": False,
        }
    )
    assert [each.effect.value for each in differences] == [CLIENTS, CALLERS, HARMLESS]


def test_a_nullable_enum_of_openapi_3_0_allows_null() -> None:
    """The enum need not contain null."""
    edits = {
        "/openapi": "3.0.3",
        f"{SCHEMAS}/Video/properties/name": {"type": "string", "nullable": True, "enum": ["a"]},
    }
    (actual,) = [
        each
        for each in compared(edits)
        if each.where == "Video.name" and each.effect is Effect.CLIENTS
    ]
    assert actual.message == "also allows null"


def test_a_flaw_names_the_place_and_the_keyword() -> None:
    """The message does not contain the value."""
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


def test_the_validation_fetches_nothing() -> None:
    """References to files are not followed."""
    document = json.loads(edited({f"{SCHEMAS}/Account": {"$ref": Path(__file__).as_uri()}}))
    (actual,) = flaws(parsed(document))
    assert (actual.effect, "fails (Unresolvable)" in actual.message) == (Effect.OPEN, True)


@pytest.mark.parametrize(
    ("version", "messages"),
    [("3.0.3", ["is not valid OpenAPI: 7 is not of type 'string'"]), ("3.1.1", [])],
)
def test_a_default_has_to_fit_its_schema_only_in_openapi_3_0(
    version: str, messages: list[str]
) -> None:
    """Since 3.1, JSON Schema only recommends it."""
    schemas = {"Name": {"type": "string", "default": 7}}
    document = {
        "openapi": version,
        "info": {"title": "t", "version": "1"},
        "paths": {},
        "components": {"schemas": schemas},
    }
    assert [each.message for each in flaws(parsed(document))] == messages
