"""The operations as tools: what each looks like, drawn from the contract file, and what a call of it comes to ("What the service does").

Nothing here depends on the protocol's SDK: tools, arguments and results are JSON values in the words of the Model Context Protocol.
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
"""What the contract file says beyond JSON Schema is of no use to a caller of tools."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
    """One operation as a tool; `listing` is its entry in the list of tools."""

    operation: Operation
    listing: JsonObject
    validator: Draft202012Validator

    def check(self, given: Arguments) -> None:
        """InvalidArguments where the arguments do not fit the input schema; what they were is not repeated."""
        try:
            json.dumps(given, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:  # half of a surrogate pair, which JSON can spell
            raise InvalidArguments("An argument is no Unicode text.") from error
        for problem in self.validator.iter_errors(given):
            name = "/".join(str(step) for step in problem.instance_path) or "The arguments"
            raise InvalidArguments(f"{name}: {problem.message}.")


@cache
def tools() -> Mapping[str, Tool]:
    """Every tool by its name, the operation's identifier, in the order of the contract file."""
    return {operation.id: _tool(operation) for operation in catalogue.operations()}


def call(
    service: Service, responses: ResponseBuilder, tool: Tool, caller: Caller, given: Arguments
) -> JsonObject:
    """The result of a call: envelope or error body as structured content and as text, `isError` where it was refused.

    The body of an error has its HTTP status as `status`, since nothing around it says so.
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
    """What HTTP would answer to the same request; refusals win over each other in the same order."""
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
    """Hints for clients that ask a person before they act.

    An approval changes something, so it is not read-only. It can be repeated, since the idempotency key makes a second one harmless.
    It destroys nothing: it adds a decision, and no record loses what it held before. All happens within the service: a closed world.
    """
    return {
        "readOnlyHint": operation.method == "GET",
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    }


def _input_schema(operation_object: JsonObject) -> JsonObject:
    """One flat object of the path parameters, the query parameters, and the members of the body, closed."""
    parameters = [_resolved(parameter) for parameter in operation_object.get("parameters", ())]
    properties = {parameter["name"]: _property_schema(parameter) for parameter in parameters}
    required = [parameter["name"] for parameter in parameters if parameter.get("required")]
    body = (
        _inlined(_media_schema(operation_object["requestBody"]))["properties"]
        if "requestBody" in operation_object
        else {}
    )
    return {
        "type": "object",
        "properties": properties | body,
        "required": [
            *required,
            *body,
        ],  # the specification leaves open which members a body must have: this service asks for all
        "additionalProperties": False,
    }


def _property_schema(parameter: JsonObject) -> JsonObject:
    """The schema of a parameter, with the parameter's description in place of the type's."""
    schema: JsonObject = _inlined(parameter["schema"])
    return schema | {"description": parameter["description"]}


def _inlined(node: Any) -> Any:
    """A schema without references and without extensions; none of the contract's schemas contains itself."""
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
    """What a reference into the contract file points to, or the node itself."""
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
