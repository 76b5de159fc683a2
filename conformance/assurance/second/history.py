"""What the exchanges of a run show together: names, callers that were served, and their records."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from conformance.assurance.second.contract import Contract, Operation
from conformance.assurance.second.exchange import LIMIT, Caller, Exchange, is_uuid

MOST_IDS = 200_000
"""Different ids of records that are remembered; where there are more, none is."""


@dataclass(frozen=True)
class History:
    """What a run has recorded, and the target that it was told about."""

    contract: Contract
    target: Mapping[str, Any]
    exchanges: Sequence[Exchange]
    elsewhere: Mapping[str, float]
    """When each id was first sent to another address, such as that of the tools."""

    def names(self, operation: Operation) -> Mapping[str, str]:
        """The roles of the parameters whose names are certain on this target."""
        return self._names[operation.id]

    @cached_property
    def _names(self) -> Mapping[str, Mapping[str, str]]:
        found = {}
        for operation in self.contract.operations.values():
            named = _stated(operation, self.target)
            certain = {*operation.certain, *_declared(operation, self.target)}
            rejected = self._rejected(operation)
            found[operation.id] = {
                name: role for name, role in named.items() if name in certain | rejected
            }
        return found

    def _rejected(self, operation: Operation) -> set[str]:
        """The names whose malformed values the target rejects: it knows what they are."""
        return {
            name
            for each in self.exchanges
            if each.operation is operation and each.status in {400, 422}
            for name, value in each.query
            if value and not is_uuid(value) and _are_valid(each.query, name)
        }

    def is_known(self, exchange: Exchange) -> bool:
        """Whether a request is plain, and every parameter of it is known by its name."""
        return exchange.is_plain and self._names[exchange.operation.id].keys() >= {
            name for name, _ in exchange.query
        }

    @cached_property
    def served(self) -> Mapping[tuple[object, ...], frozenset[Caller]]:
        """The callers that were served by each request."""
        found: dict[tuple[object, ...], set[Caller]] = {}
        for each in self._successes:
            found.setdefault(each.request, set()).add(each.caller)
        return {request: frozenset(names) for request, names in found.items()}

    @cached_property
    def last_served(self) -> Mapping[Caller, float]:
        """When each caller was served for the last time: its credential was valid until then."""
        return {each.caller: each.began for each in self._successes}

    @cached_property
    def _successes(self) -> Sequence[Any]:
        found = (each for each in self.exchanges if each.is_plain and each.status == 200)
        return sorted(
            (each for each in found if each.caller is not None), key=lambda each: each.began
        )

    @cached_property
    def accounts(self) -> Mapping[Caller | None, str]:
        """The account that each caller was shown first, or that was shown to nobody."""
        found: dict[Caller | None, str] = {}
        for each in self.exchanges:
            if each.is_plain and each.operation.id == "account_get":
                for id in _ids(each):
                    found.setdefault(each.caller, id)
        return found

    @cached_property
    def shown(self) -> Mapping[str, frozenset[str]]:
        """The ids of the records that each caller was shown, in lower case."""
        found: dict[str, set[str]] = {}
        for each in self.exchanges:
            if each.is_plain and each.operation.is_read and each.caller is not None:
                found.setdefault(each.caller.name, set()).update(_ids(each))
                if sum(map(len, found.values())) > MOST_IDS:
                    return {}
        return {name: frozenset(ids) for name, ids in found.items()}

    @cached_property
    def outside(self) -> Mapping[str, frozenset[str]]:
        """The ids beyond the grant of primary, without those that another group says it reads."""
        fixtures = self.target["fixtures"]
        readable = {*fixtures["approvable-reviews"], *fixtures["unapprovable-reviews"]}
        return {
            group: frozenset(id.lower() for id in set(fixtures[group].values()) - readable)
            for group in ("foreign", "ungranted")
        }


def _ids(exchange: Exchange) -> Iterator[str]:
    return (each["id"].lower() for each in exchange.records if is_uuid(each.get("id")))


def _stated(operation: Operation, target: Mapping[str, Any]) -> dict[str, str]:
    """The roles of the parameters of an operation, by the names that the profile gives them."""
    renamed = {role: name for id, role, name, _ in target["parameters"] if id == operation.id}
    ours = {name: role for name, role in operation.roles.items() if role not in renamed}
    return ours | {name: role for role, name in renamed.items() if name is not None}


def _declared(operation: Operation, target: Mapping[str, Any]) -> Iterator[str]:
    return (name for id, _, name, said in target["parameters"] if id == operation.id and said)


def _are_valid(query: Sequence[tuple[str, str]], but: str) -> bool:
    others = [(name, value) for name, value in query if name != but]
    return len(others) == len(query) - 1 and all(
        LIMIT.fullmatch(value) if name == "limit" else is_uuid(value) for name, value in others
    )
