"""The names of this API that the engine uses: one value, derived from spec/openapi.yaml."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from conformance.contract import openapi
from conformance.contract.openapi import Contract, Json, Operation


@dataclass(frozen=True, slots=True, eq=False)
class Api:
    """The names that the engine uses, all of them derived.

    A kind is the word for a resource in requirement ids and in fixtures: "project", "activity".
    """

    approval: Operation
    """The operation that writes."""
    approved_id: str
    """The path parameter of the approval."""
    simplest: Operation
    """A read operation without arguments: it shows whether the target responds at all."""
    schemes: tuple[str, ...]
    """The authentication schemes as profiles name them, in the order in which they are tried."""
    permissions: tuple[str, ...]
    kinds: Mapping[str, str]
    """The kind of each resource: {"ActivityItem": "activity", "Reply": "reply"}."""
    id_kinds: Mapping[str, str]
    """The kind of which a path parameter, or a property, holds an id: {"projectId": "project"}."""
    lists: Mapping[str, str]
    """The list of each resource that is listed as a whole: {"Project": "project_list"}."""
    parents: Mapping[str, str]
    """The list that shows the values of a path parameter: {"projectId": "project_list"}."""
    readers: Mapping[str, str]
    """The operation that reads one record by a path parameter: {"projectId": "project_get"}."""
    nested: Mapping[str, tuple[str, str]]
    """The property that holds an array of records: {"Video": ("localizations", "Localization")}."""
    closed: frozenset[str]
    """The resources that allow no other properties."""
    closing_lists: frozenset[str]
    """The lists whose last page has to say so."""
    open_names: Mapping[tuple[str, str], str]
    """The default name of each parameter without a specified name, by operation and role.

    "" for the roles that a filter may have instead of its own: by default it has its own.
    """
    replaced: Mapping[tuple[str, str], str]
    """The role that is gone where a filter has another one instead, by operation and other role."""


@cache
def load() -> Api:
    """The names in the contract that ships with the package."""
    return derive(openapi.load())


@cache
def derive(contract: Contract) -> Api:
    """The names in a contract."""
    operations = tuple(contract.operations.values())
    approval = next(each for each in operations if each.writes)
    readers = dict(_readers(operations))
    lists = {each.resource: each.id for each in operations if each.is_list and not _is_below(each)}
    nested = dict(_nested(contract))
    replaced = {
        (each.id, role): parameter.role
        for each in operations
        for parameter in each.parameters
        for role in parameter.instead
    }
    named = {each.resource: each.id.rpartition("_")[0] for each in operations if not each.writes}
    kinds = named | {resource: resource.lower() for _, resource in nested.values()}
    return Api(
        approval=approval,
        approved_id=next(each.name for each in approval.parameters if each.location == "path"),
        simplest=next(each for each in operations if not each.is_list and not _is_below(each)),
        schemes=_schemes(contract),
        permissions=contract.permissions,
        kinds=MappingProxyType(kinds),
        id_kinds=MappingProxyType({name: kinds[each.resource] for name, each in readers.items()}),
        lists=MappingProxyType(lists),
        parents=MappingProxyType({name: lists[each.resource] for name, each in readers.items()}),
        readers=MappingProxyType({name: each.id for name, each in readers.items()}),
        nested=MappingProxyType(nested),
        closed=frozenset(name for name in kinds if _is_closed(contract, name)),
        closing_lists=frozenset(each.id for each in operations if _is_closing(contract, each)),
        open_names=MappingProxyType(
            {
                (each.id, parameter.role): parameter.name
                for each in operations
                for parameter in each.parameters
                if parameter.name_is_open
            }
            | dict.fromkeys(replaced, "")
        ),
        replaced=MappingProxyType(replaced),
    )


def _is_below(operation: Operation) -> bool:
    """Whether an operation is about one record, or about what is below one."""
    return "{" in operation.path


def _readers(operations: tuple[Operation, ...]) -> Iterator[tuple[str, Operation]]:
    for operation in operations:
        if operation.writes or operation.is_list or not _is_below(operation):
            continue
        yield operation.parameters[0].name, operation


def _nested(contract: Contract) -> Iterator[tuple[str, tuple[str, str]]]:
    schemas: Mapping[str, Json] = contract.document["components"]["schemas"]
    listed = dict.fromkeys(each.resource for each in contract.operations.values())
    for resource in listed:
        for name, schema in schemas[resource]["properties"].items():
            if schema.get("type") == "array":
                yield resource, (name, schema["items"]["$ref"].rpartition("/")[2])


def _is_closed(contract: Contract, resource: str) -> bool:
    return contract.schema(resource).get("additionalProperties") is False


def _is_closing(contract: Contract, operation: Operation) -> bool:
    if not operation.is_list:
        return False
    page = contract.schema(operation.success_schema)["properties"]["data"]
    return "nextCursor" in page["required"]


def _schemes(contract: Contract) -> tuple[str, ...]:
    """As profiles name them: an API key, and an HTTP scheme by its own name."""
    stated = contract.document["components"]["securitySchemes"].values()
    return tuple("api-key" if each["type"] == "apiKey" else each["scheme"] for each in stated)
