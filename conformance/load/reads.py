"""The calls of a measurement: every operation that reads, with records that the target shows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.http.exchange import Call
from conformance.http.sending import Sending
from conformance.runner.context import Context
from conformance.target.target import Credential

RECORDS = 25
"""Records that the calls of one operation are about at most."""

NO_RECORD = "no list shows a record for it"

Ids = Mapping[str, Sequence[str]]
"""The ids that a list shows, by the path parameter that takes them."""


@dataclass(frozen=True)
class Reads:
    """The calls of each operation that serves primary, and why others have none."""

    calls: Mapping[str, Sequence[Call]]
    unmeasured: Mapping[str, str]


def found(context: Context, primary: Credential) -> Reads:
    """Look for the calls of each operation that reads, by a few requests."""
    ids = {name: _listed(context, primary, list) for name, list in context.api.parents.items()}
    calls: dict[str, Sequence[Call]] = {}
    unmeasured: dict[str, str] = {}
    for operation in context.contract.operations.values():
        possible = [] if operation.writes else list(_calls(operation, ids))
        problem = _problem(context, primary, possible[0]) if possible else NO_RECORD
        if problem is None:
            calls[operation.id] = possible
        elif not operation.writes:
            unmeasured[operation.id] = problem
    return Reads(calls, unmeasured)


def _listed(context: Context, primary: Credential, operation: str) -> list[str]:
    """The ids on the first page of a list."""
    sending = _sending(primary, "which records are there?")
    records = context.client.send(Call(operation), sending).items
    stated = (each.get("id") for each in records)
    return [id for id in stated if isinstance(id, str) and is_uuid(id)][:RECORDS]


def _calls(operation: Operation, ids: Ids) -> Iterator[Call]:
    """The calls of an operation: one for each record, or a single one where it takes none."""
    names = [each.name for each in operation.parameters if each.location == "path"]
    if not names:
        yield Call(operation.id)
    for name in names:
        yield from (Call(operation.id, {name: id}) for id in ids.get(name, ()))


def _problem(context: Context, primary: Credential, call: Call) -> str | None:
    """Why a call cannot be measured; None where it is served."""
    response = context.client.send(call, _sending(primary, "is it served?"))
    return None if response.status == 200 else f"it returns {response.describe()}"


def _sending(primary: Credential, purpose: str) -> Sending:
    return Sending(primary, None, purpose, in_contract=False)
