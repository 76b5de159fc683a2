"""The operations as the contract file lists them: identifier, method, path and permission ("Endpoints")."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from conformance.contract import files

METHODS: Final = ("get", "put", "post", "delete", "patch")


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation; `path` is relative to the base address, with its parameters in braces."""

    id: str
    method: str
    path: str
    permission: str


@cache
def document() -> dict[str, Any]:
    """The contract file, read once and shared: nobody changes it."""
    read: dict[str, Any] = files.document("openapi.yaml")
    return read


@cache
def operations() -> tuple[Operation, ...]:
    """All operations in the order of the contract file."""
    return tuple(_operations(document()["paths"]))


def operation(identifier: str) -> Operation:
    """The operation with this identifier; KeyError where there is none."""
    return {known.id: known for known in operations()}[identifier]


def permissions() -> tuple[str, ...]:
    """Every permission that some operation needs, each once, in the order of the contract file."""
    return tuple(dict.fromkeys(known.permission for known in operations()))


def _operations(paths: dict[str, Any]) -> Iterator[Operation]:
    for path, item in paths.items():
        for method in METHODS:
            if method in item:
                yield Operation(
                    item[method]["operationId"], method.upper(), path, _permission(item[method])
                )


def _permission(operation_object: dict[str, Any]) -> str:
    """The one scope that both security schemes of the operation name."""
    schemes = operation_object["security"]
    (permission,) = {scope for scheme in schemes for scopes in scheme.values() for scope in scopes}
    return str(permission)
