"""The operations of openapi.yaml and the requirements of requirements.yaml, as values."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from conformance.contract import files

Schema = Mapping[str, Any]

CALLERS = "client"
"""The class of the requirements on callers, of which no recording of a run says anything."""


@dataclass(frozen=True)
class Operation:
    """An operation: its method, its path, and what its parameters mean.

    `roles` has the role of each query parameter by the name in the contract; `certain` are the
    names that the contract states. `restricts` has the property that each filter is about, by role.
    `component` is the schema of a record in a success, `page` that of a page of them.
    """

    id: str
    method: str
    pattern: re.Pattern[str]
    subject: str | None
    roles: Mapping[str, str]
    certain: frozenset[str]
    restricts: Mapping[str, str]
    permission: str
    component: str
    page: Schema | None

    @property
    def is_list(self) -> bool:
        """Whether it lists records."""
        return self.page is not None

    @property
    def is_read(self) -> bool:
        """Whether it changes nothing."""
        return self.method == "GET"

    def belongs(self, group: str) -> bool:
        """Whether the operation is one of a group of the catalogue."""
        return {
            "all": True,
            "reads": self.is_read,
            "lists": self.is_list,
            "items": self.is_read and not self.is_list and self.subject is not None,
            "nested": self.is_list and self.subject is not None,
        }[group]


class Contract:
    """The contract files."""

    def __init__(self) -> None:
        self._openapi: Any = files.document("openapi.yaml")
        self.schemas: Mapping[str, Schema] = self._openapi["components"]["schemas"]

    @cached_property
    def operations(self) -> Mapping[str, Operation]:
        """Every operation, by its id."""
        found = (
            self._operation(path, method, stated)
            for path, methods in self._openapi["paths"].items()
            for method, stated in methods.items()
        )
        return {operation.id: operation for operation in found}

    @cached_property
    def requirements(self) -> Mapping[str, Sequence[str]]:
        """The operations of each requirement on a target by its id; none for one on all of it."""
        listed = files.document("requirements.yaml")["requirements"]
        return {
            entry["id"]: tuple(self._named(entry["operations"]))
            for entry in listed
            if entry["class"] != CALLERS
        }

    @cached_property
    def statuses(self) -> frozenset[int]:
        """Every status that an operation may respond with."""
        paths = self._openapi["paths"].values()
        return frozenset(
            int(status) for path in paths for each in path.values() for status in each["responses"]
        )

    def resolved(self, value: Schema) -> Any:
        """What a reference within the document refers to, or the value itself."""
        while "$ref" in value:
            found: Any = self._openapi
            for step in value["$ref"].removeprefix("#/").split("/"):
                found = found[step]
            value = found
        return value

    def _named(self, operations: str | Sequence[str]) -> Iterator[str]:
        if not isinstance(operations, str):
            yield from operations
        elif operations != "target":
            yield from (each.id for each in self.operations.values() if each.belongs(operations))

    def _operation(self, path: str, method: str, stated: Any) -> Operation:
        parameters = [self.resolved(each) for each in stated.get("parameters", ())]
        query = [each for each in parameters if each["in"] == "query"]
        success = stated["responses"]["200"]["content"]["application/json"]["schema"]
        data = self.resolved(success)["properties"]["data"]
        is_list = "items" in data.get("properties", {})
        record = data["properties"]["items"]["items"] if is_list else data
        return Operation(
            id=stated["operationId"],
            method=method.upper(),
            pattern=re.compile(re.sub(r"\{\w+\}", "([^/]+)", path)),
            subject=next((each["name"] for each in parameters if each["in"] == "path"), None),
            roles={each["name"]: each["x-role"] for each in query},
            certain=frozenset(each["name"] for each in query if "name" not in _open(each)),
            restricts={each["x-role"]: each["x-restricts"] for each in query if _restricts(each)},
            permission=stated["security"][0]["apiKey"][0],
            component=record["$ref"].rpartition("/")[2],
            page=data if is_list else None,
        )


def _open(parameter: Schema) -> Sequence[str]:
    aspects: Sequence[str] = parameter.get("x-open", {}).get("aspects", ())
    return aspects


def _restricts(parameter: Schema) -> bool:
    return "x-restricts" in parameter


@cache
def load() -> Contract:
    """The contract, read once."""
    return Contract()
