"""The OpenAPI document as values: operations, and the JSON Schemas of their messages."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from conformance.contract import files

Json = Mapping[str, Any]
"""An object of the document."""

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an operation ("Endpoints").

    `location` is path or query; `role` is limit, cursor, id or that of a filter.
    """

    name: str
    location: str
    role: str
    required: bool
    schema: Json = field(hash=False)
    """A self-contained JSON Schema."""
    name_is_open: bool
    """The specification does not give the name of the parameter, so a profile may."""
    restricts: str | None = None
    """The property of each item that equals the value of a filter; None for other parameters."""
    instead: Mapping[str, str] = field(default_factory=dict, hash=False)
    """The roles that a filter may have on a target instead, with the properties they restrict."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation ("Endpoints").

    `path` is relative to the base address, with its parameters in braces.
    """

    id: str
    method: str
    path: str
    permission: str
    tag: str
    summary: str
    parameters: tuple[Parameter, ...]
    resource: str
    """The component schema of the data, or of each item of a list: Project, ReviewApproval …"""
    is_list: bool
    success_schema: str
    """The component schema of the whole 200 body: ProjectPage, ReviewApprovalResponse …"""
    body_schema: str | None
    """The component schema of the request body; None for an operation without one."""

    @property
    def writes(self) -> bool:
        """Whether a request may change something."""
        return self.method == "POST"

    @property
    def filters(self) -> Mapping[str, str]:
        """The property that each filter restricts, by the role of the filter.

        Roles that a filter may have instead of its own are included.
        """
        stated = {each.role: each.restricts for each in self.parameters if each.restricts}
        return stated | {
            role: name for each in self.parameters for role, name in each.instead.items()
        }

    @property
    def query_roles(self) -> Sequence[str]:
        """The roles of the query parameters, and those that a filter may have instead."""
        query = [each for each in self.parameters if each.location == "query"]
        return [*(each.role for each in query), *(role for each in query for role in each.instead)]

    def parameter(self, role: str) -> Parameter | None:
        """The parameter with this role; None for an operation without one."""
        return next((parameter for parameter in self.parameters if parameter.role == role), None)


@dataclass(frozen=True, slots=True, eq=False)
class Contract:
    """The document, and its operations by identifier in the order of the document."""

    operations: Mapping[str, Operation]
    document: Json
    statuses: frozenset[int]
    """Every status that an operation may return ("Errors")."""

    @property
    def permissions(self) -> tuple[str, ...]:
        """Every permission that an operation requires, in the order of the operations."""
        return tuple(dict.fromkeys(each.permission for each in self.operations.values()))

    def operation(self, id: str) -> Operation:
        """The operation with this identifier. Raises KeyError."""
        return self.operations[id]

    def operation_at(self, method: str, path: str) -> tuple[Operation, dict[str, str]] | None:
        """The operation of a request, and its path parameters, percent-encoded; None without one.

        `path` is relative to the base address, and as it is sent.
        """
        for operation in self.operations.values():
            match = _template(operation.path).fullmatch(path)
            if match and operation.method == method:
                return operation, match.groupdict()
        return None

    def schema(self, name: str) -> Json:
        """A component schema as a self-contained JSON Schema 2020-12. Raises KeyError.

        The same object each time: whoever changes it copies it. Validators have to check its
        formats.
        """
        return _schema(self, name)


@cache
def _template(path: str) -> re.Pattern[str]:
    """The pattern of the paths of a template; no parameter is empty."""
    return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(path)))


@cache
def _schema(contract: Contract, name: str) -> Json:
    # Checks and rules ask for the properties of a resource tens of thousands of times.
    document = contract.document
    return {"$schema": _DIALECT, **_self_contained(document, _schemas(document)[name])}


@cache
def load() -> Contract:
    """The contract of the package, read once per process."""
    return read(files.document("openapi.yaml"))


def read(document: Json) -> Contract:
    """The contract in a parsed document with the structure of spec/openapi.yaml."""
    operations = {operation.id: operation for operation in _operations(document)}
    statuses = {
        int(status) for _, _, operation in _routes(document) for status in operation["responses"]
    }
    return Contract(operations, document, frozenset(statuses))


def _routes(document: Json) -> Iterator[tuple[str, str, Json]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def _operations(document: Json) -> Iterator[Operation]:
    for method, path, operation in _routes(document):
        success = _component(_media_schema(operation["responses"]["200"]))
        resource, is_list = _record(_schemas(document)[success])
        nodes = operation.get("parameters", ())
        body = operation.get("requestBody")
        yield Operation(
            id=operation["operationId"],
            method=method,
            path=path,
            permission=operation["security"][0]["apiKey"][0],
            tag=operation["tags"][0],
            summary=operation["summary"],
            parameters=tuple(_parameter(document, node) for node in nodes),
            resource=resource,
            is_list=is_list,
            success_schema=success,
            body_schema=None if body is None else _component(_media_schema(body)),
        )


def _parameter(document: Json, node: Json) -> Parameter:
    parameter = _resolved(document, node)
    return Parameter(
        name=parameter["name"],
        location=parameter["in"],
        role=parameter["x-role"],
        required=parameter.get("required", False),
        schema=_self_contained(document, _resolved(document, parameter["schema"])),
        name_is_open="name" in parameter.get("x-open", {}).get("aspects", ()),
        restricts=parameter.get("x-restricts"),
        instead=parameter.get("x-instead", {}),
    )


def _record(envelope: Json) -> tuple[str, bool]:
    """The component schema of the data or of its items, and whether the data is a page."""
    data = envelope["properties"]["data"]
    if "$ref" in data:
        return _component(data), False
    return _component(data["properties"]["items"]["items"]), True


def _schemas(document: Json) -> Mapping[str, Any]:
    schemas: Mapping[str, Any] = document["components"]["schemas"]
    return schemas


def _media_schema(node: Json) -> Json:
    schema: Json = node["content"]["application/json"]["schema"]
    return schema


def _component(reference: Json) -> str:
    return str(reference["$ref"]).rpartition("/")[2]


def _resolved(document: Json, node: Json) -> Json:
    """The node that a reference points to; the node itself if it is not a reference."""
    if "$ref" not in node:
        return node
    target: Any = document
    for key in str(node["$ref"]).removeprefix("#/").split("/"):
        target = target[key]
    found: Json = target
    return found


def _self_contained(document: Json, schema: Json) -> dict[str, Any]:
    """The schema with every component that it reaches under $defs."""
    reached: dict[str, Any] = {}
    waiting = list(_references(schema))
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached[name] = _schemas(document)[name]
            waiting.extend(_references(reached[name]))
    root: dict[str, Any] = _local(schema)
    return {**root, "$defs": _local(reached)} if reached else root


def _references(node: Any) -> Iterator[str]:
    """The names of the component schemas that a node refers to directly."""
    if isinstance(node, Mapping):
        if "$ref" in node:
            yield _component(node)
        for value in node.values():
            yield from _references(value)
    elif isinstance(node, list):
        for value in node:
            yield from _references(value)


def _local(node: Any) -> Any:
    """A copy of a node whose references point into $defs."""
    if isinstance(node, Mapping):
        return {
            key: f"#/$defs/{_component(node)}" if key == "$ref" else _local(value)
            for key, value in node.items()
        }
    if isinstance(node, list):
        return [_local(value) for value in node]
    return node
