"""The operations of the contract file: identifier, method, path, permission ("Endpoints")."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from conformance.contract import files

METHODS: Final = ("get", "put", "post", "delete", "patch")


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation; `path` is relative to the base address, with parameters in braces."""

    id: str
    method: str
    path: str
    permission: str


@cache
def document() -> dict[str, Any]:
    """The contract file; callers share the cached value and must not change it."""
    openapi: dict[str, Any] = files.document("openapi.yaml")
    return openapi


@cache
def operations() -> tuple[Operation, ...]:
    """All operations in the order of the contract file."""
    return tuple(_operations(document()["paths"]))


def operation(identifier: str) -> Operation:
    """Return the operation with this identifier, or raise KeyError."""
    by_id = {each.id: each for each in operations()}
    return by_id[identifier]


def permissions() -> tuple[str, ...]:
    """The permissions of all operations without duplicates, in the order of the contract file."""
    return tuple(dict.fromkeys(each.permission for each in operations()))


def _operations(paths: dict[str, Any]) -> Iterator[Operation]:
    for path, item in paths.items():
        for method in METHODS:
            if method in item:
                yield Operation(
                    item[method]["operationId"], method.upper(), path, _permission(item[method])
                )


def _permission(operation_object: dict[str, Any]) -> str:
    """The scope that both security schemes of the operation require."""
    schemes = operation_object["security"]
    (permission,) = {scope for scheme in schemes for scopes in scheme.values() for scope in scopes}
    return str(permission)
