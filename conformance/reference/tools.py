"""The operations as tools: their definitions and results ("What the service does").

Definitions are generated from the contract file.
Definitions, arguments and results are JSON values of the Model Context Protocol, without its SDK.
"""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import orjson
from jsonschema_rs import Draft202012Validator

from conformance.reference import catalogue
from conformance.reference.access import Caller
from conformance.reference.arguments import Arguments
from conformance.reference.catalogue import Operation
from conformance.reference.errors import ApiError, InternalError, InvalidArguments
from conformance.reference.responses import Response, ResponseBuilder
from conformance.reference.service import Service

JsonObject = dict[str, Any]

EXTENSION_PREFIX: Final = "x-"
"""The prefix of keywords beyond JSON Schema, which callers of tools do not need."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
    """An operation as a tool; `listing` is its entry in the list of tools."""

    operation: Operation
    listing: JsonObject
    validator: Draft202012Validator

    def check(self, given: Arguments) -> None:
        """Raise InvalidArguments if the arguments do not match the input schema.

        The message does not contain their values.
        """
        try:
            json.dumps(given, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:  # a lone surrogate, which JSON can escape
            raise InvalidArguments("An argument is no Unicode text.") from error
        for problem in self.validator.iter_errors(given):
            name = "/".join(str(step) for step in problem.instance_path) or "The arguments"
            raise InvalidArguments(f"{name}: {problem.message}.")


@cache
def tools() -> Mapping[str, Tool]:
    """Every tool by its operation id, in the order of the contract file."""
    return {operation.id: _tool(operation) for operation in catalogue.operations()}


def call(
    service: Service, responses: ResponseBuilder, tool: Tool, caller: Caller, given: Arguments
) -> JsonObject:
    """The result of a call: the envelope as structured content and as text, or an error as text.

    The output schema describes the structured content, and so it has none for an error.
    """
    result = _result(service, responses, tool, caller, given)
    if result["isError"]:
        result.pop("structuredContent", None)
    return result


def _result(
    service: Service, responses: ResponseBuilder, tool: Tool, caller: Caller, given: Arguments
) -> JsonObject:
    """The response to a call as the result of a tool.

    An error body has the HTTP status as `status`, since the result itself has none.
    """
    response = _response(service, responses, tool, caller, given)
    is_error = response.status != 200
    body = orjson.loads(response.body) | ({"status": response.status} if is_error else {})
    text = {"type": "text", "text": orjson.dumps(body).decode()}
    return {
        "content": [text],
        "structuredContent": body,
        "isError": is_error,
        "resultType": "complete",
    }


def _response(
    service: Service, responses: ResponseBuilder, tool: Tool, caller: Caller, given: Arguments
) -> Response:
    """The HTTP response to the same request; errors have the same precedence."""
    try:
        service.permit(caller, tool.operation)
        tool.check(given)
        return responses.success(service.perform(tool.operation, caller, given))
    except ApiError as error:
        return responses.error(error)
    except Exception as error:
        log.error("a tool failed", exc_info=error)
        return responses.error(InternalError())


def _tool(operation: Operation) -> Tool:
    operation_object = catalogue.document()["paths"][operation.path][operation.method.lower()]
    input_schema = _input_schema(operation_object)
    listing = {
        "name": operation.id,
        "title": operation_object["summary"],
        "description": operation_object.get("description") or f"{operation_object['summary']}.",
        "inputSchema": input_schema,
        "outputSchema": _inlined(_media_schema(operation_object["responses"]["200"])),
        "annotations": _annotations(operation),
    }
    return Tool(operation, listing, Draft202012Validator(input_schema, mask="the value"))


def _annotations(operation: Operation) -> JsonObject:
    """Hints for clients that ask a person for confirmation.

    An approval is not read-only. It is idempotent, because of its key.
    It is not destructive: it adds a decision and deletes no data.
    It has no effect outside the service, which is a closed world.
    """
    return {
        "readOnlyHint": operation.method == "GET",
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    }


def _input_schema(operation_object: JsonObject) -> JsonObject:
    """A closed object of the path parameters, the query parameters and the body properties."""
    parameters = [_resolved(parameter) for parameter in operation_object.get("parameters", ())]
    properties = {parameter["name"]: _property_schema(parameter) for parameter in parameters}
    required = [parameter["name"] for parameter in parameters if parameter.get("required")]
    body = _body_properties(operation_object)
    return {
        "type": "object",
        "properties": properties | body,
        # The specification does not say which body fields are required: this service requires all.
        "required": [*required, *body],
        "additionalProperties": False,
    }


def _body_properties(operation_object: JsonObject) -> JsonObject:
    """The properties of the request body, if the operation has one."""
    if "requestBody" not in operation_object:
        return {}
    properties: JsonObject = _inlined(_media_schema(operation_object["requestBody"]))["properties"]
    return properties


def _property_schema(parameter: JsonObject) -> JsonObject:
    """The schema of a parameter, with the description of the parameter."""
    schema: JsonObject = _inlined(parameter["schema"])
    return schema | {"description": parameter["description"]}


def _inlined(node: Any) -> Any:
    """A schema with references resolved and without extensions; no schema is recursive."""
    if isinstance(node, dict):
        own = {
            key: _inlined(value)
            for key, value in node.items()
            if key != "$ref" and not key.startswith(EXTENSION_PREFIX)
        }
        return _inlined(_resolved(node)) | own if "$ref" in node else own
    if isinstance(node, list):
        return [_inlined(each) for each in node]
    return node


def _resolved(node: JsonObject) -> JsonObject:
    """The target of a reference into the contract file, or the node itself."""
    target: Any = node
    if "$ref" in node:
        target = catalogue.document()
        for key in node["$ref"].removeprefix("#/").split("/"):
            target = target[key]
    resolved: JsonObject = target
    return resolved


def _media_schema(operation_object: JsonObject) -> JsonObject:
    """The schema of a JSON body."""
    schema: JsonObject = operation_object["content"]["application/json"]["schema"]
    return schema
