"""The arguments of a request: which ones the contract allows, which it forbids, and what the answer to either may be."""

import json
import re
from dataclasses import dataclass
from enum import Enum

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Contract, Operation
from conformance.contract.verdict import Defect, Kind, defect
from conformance.http.exchange import Call, Exchange
from conformance.rules.judgement import STATUS_LINE, Judgement, Judgements, hold, shown

REJECTIONS = frozenset({400, 422})


class Fitness(Enum):
    """Whether the contract allows a value; `OPEN` where two careful readers could disagree."""

    VALID = "valid"
    INVALID = "invalid"
    OPEN = "open"


@dataclass(frozen=True)
class Argument:
    """One argument of a call, with the role of its parameter (limit, cursor, id, body, or that of a filter)."""

    role: str
    value: str
    fitness: Fitness


REQUIREMENTS = {role: f"arguments/{role}" for role in ("limit", "cursor", "id", "body")}
FILTER = "arguments/filter"
APPROVAL_ID = "arguments/approval-id"


def examine(exchange: Exchange, roles: dict[str, str], contract: Contract) -> Judgements:
    """Judge the answer to a request of a caller whose plain request has succeeded.

    `roles` maps the query parameters whose names are certain on this target to their roles; others are not judged.
    """
    operation = contract.operation(exchange.operation)
    arguments = list(_arguments(exchange.call, operation, roles))
    if exchange.status is None or any(argument.fitness is Fitness.OPEN for argument in arguments):
        return
    invalid = [argument for argument in arguments if argument.fitness is Fitness.INVALID]
    if len(invalid) == 1:
        yield _rejected(exchange, invalid[0], _requirement(invalid[0].role, operation))
    # Two filters may have no record in common: whether that is an invalid argument is not stated.
    excluding = sum(argument.role in operation.filters for argument in arguments) > 1
    if not invalid and not operation.writes and not excluding:
        yield _accepted(exchange, arguments)


def _requirement(role: str, operation: Operation) -> str:
    if operation.writes and role == "id":
        return APPROVAL_ID
    return REQUIREMENTS.get(role, FILTER)


def _rejected(exchange: Exchange, argument: Argument, requirement: str) -> Judgement:
    allowed = REJECTIONS | {404} if argument.role == "id" else REJECTIONS

    def otherwise() -> Defect:
        accepted = exchange.status is not None and exchange.status < 300
        return defect(
            Kind.ACCEPTED if accepted else Kind.STATUS,
            "{role} {value} returned {response}",
            expected=" or ".join(map(str, sorted(allowed))),
            actual=exchange.status,
            role=argument.role,
            value=shown(argument.value),
            response=exchange.describe(),
        ).at(STATUS_LINE)

    return hold(requirement, exchange.status in allowed, otherwise)


def _accepted(exchange: Exchange, arguments: list[Argument]) -> Judgement:
    # A well-formed cursor may never have been issued: then a rejection is as good as an empty page.
    has_cursor = any(argument.role == "cursor" for argument in arguments)
    rejected = exchange.status in REJECTIONS and not has_cursor

    def otherwise() -> Defect:
        listed = ", ".join(f"{argument.role} {shown(argument.value)}" for argument in arguments)
        return defect(
            Kind.STATUS,
            "{arguments} returned {response}",
            expected="neither 400 nor 422",
            actual=exchange.status,
            arguments=listed or "no arguments",
            response=exchange.describe(),
        ).at(STATUS_LINE)

    return hold("arguments/accepted", not rejected, otherwise)


def _arguments(call: Call, operation: Operation, roles: dict[str, str]) -> list[Argument]:
    found = [Argument("id", value, _uuid(value)) for value in call.path.values()]
    names = [name for name, _ in call.query]
    for name, value in call.query:
        role = roles.get(name)
        if role is None or names.count(name) > 1:
            found.append(Argument(name, value, Fitness.OPEN))
        else:
            found.append(Argument(role, value, limit(value) if role == "limit" else _uuid(value)))
    if operation.body_schema is not None:
        found.append(Argument("body", (call.body or b"").decode("utf-8", "replace"), body(call)))
    return found


def _uuid(value: str) -> Fitness:
    # An empty value is a missing one to many servers.
    if value == "":
        return Fitness.OPEN
    return Fitness.VALID if is_uuid(value) else Fitness.INVALID


def limit(value: str) -> Fitness:
    """The fitness of a `limit` (Limits): plain decimal digits from 1 to 100.

    Left open: nothing at all, and other notations of a whole number in range (`+5`, `05`, `5.0`, `1e1`, digits of other scripts).
    """
    if re.fullmatch(r"[1-9][0-9]?|100", value):
        return Fitness.VALID
    try:
        number = float(value.strip())
    except ValueError:
        return (
            Fitness.OPEN if not value.strip() or value.lower().startswith("0x") else Fitness.INVALID
        )
    whole = number == number and abs(number) != float("inf") and number == int(number)
    return Fitness.OPEN if whole and 1 <= number <= 100 else Fitness.INVALID


def body(call: Call) -> Fitness:
    """The fitness of an approval's body: an object whose members, where present, have their types.

    Left open: absent members, other media types, and whole numbers written as fractions.
    """
    if call.content_type != "application/json":
        return Fitness.OPEN
    try:
        document = json.loads(call.body or b"")
    except (ValueError, RecursionError):
        return Fitness.INVALID
    if not isinstance(document, dict):
        return Fitness.INVALID
    revision, key = (
        document.get("expectedSubjectRevision", 0),
        document.get("idempotencyKey", "key"),
    )
    if isinstance(revision, float) and revision.is_integer():
        return Fitness.OPEN
    fits = isinstance(revision, int) and not isinstance(revision, bool) and isinstance(key, str)
    complete = {"expectedSubjectRevision", "idempotencyKey"} <= set(document)
    if not fits:
        return Fitness.INVALID if complete else Fitness.OPEN
    return Fitness.VALID if complete and key and 0 <= revision < 2**53 else Fitness.OPEN
