"""The query parameters of each operation by their names, with their roles."""

from collections.abc import Iterator, Mapping

from conformance.contract.openapi import Contract, Operation, Parameter
from conformance.target.target import Target

Roles = Mapping[str, Mapping[str, str]]


def of_contract(contract: Contract) -> Roles:
    """Those of the contract, whose names the reference has."""
    return {
        operation.id: {each.name: each.role for each in _of_query(operation)}
        for operation in contract.operations.values()
    }


def of_target(contract: Contract, target: Target) -> Roles:
    """Those of a target: the names that its profile states, and else those of the contract."""
    return {id: _named(id, roles, target) for id, roles in of_contract(contract).items()}


def names(roles: Roles) -> frozenset[str]:
    """All of them, of whichever operation."""
    return frozenset().union(*roles.values())


def _named(operation: str, roles: Mapping[str, str], target: Target) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for name, role in roles.items():
        stated = target.parameters.get((operation, role))
        own = name if stated is None else stated.name
        if own is not None:
            found[own] = role
    return found


def _of_query(operation: Operation) -> Iterator[Parameter]:
    return (each for each in operation.parameters if each.location == "query")
