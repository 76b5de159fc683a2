"""The arguments of a request: whether the contract allows them, and the responses to each case."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from math import isfinite

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Contract, Operation
from conformance.contract.verdict import Defect, Kind, defect
from conformance.http.exchange import Call, Exchange
from conformance.rules.judgement import STATUS_LINE, Judgement, Judgements, hold, shown

REJECTIONS = frozenset({400, 422})
REVISION, KEY = "expectedSubjectRevision", "idempotencyKey"
LARGEST_INTEGER = 2**53 - 1
"""The largest integer that every JSON parser reads exactly."""

BY_ROLE = {role: f"arguments/{role}" for role in ("limit", "cursor", "id", "body")}
FILTER = "arguments/filter"
APPROVAL_ID = "arguments/approval-id"
ACCEPTED = "arguments/accepted"
REQUIREMENTS = frozenset({*BY_ROLE.values(), FILTER, APPROVAL_ID, ACCEPTED})
"""What these rules check."""


class Fitness(Enum):
    """Whether the contract allows a value; `OPEN` where it is silent."""

    VALID = "valid"
    INVALID = "invalid"
    OPEN = "open"


@dataclass(frozen=True)
class Argument:
    """One argument of a call, with its role: limit, cursor, id, body, or that of a filter."""

    role: str
    value: str
    fitness: Fitness


def examine(exchange: Exchange, roles: dict[str, str], contract: Contract) -> Judgements:
    """Check the response to the arguments of a caller whose baseline request succeeded.

    `roles` has the query parameters whose names are certain on this target, with their roles.
    """
    operation = contract.operation(exchange.operation)
    arguments = of(exchange.call, operation, roles)
    if exchange.status is None or any(argument.fitness is Fitness.OPEN for argument in arguments):
        return
    invalid = [argument for argument in arguments if argument.fitness is Fitness.INVALID]
    if len(invalid) == 1:
        yield _rejected(exchange, invalid[0], _requirement(invalid[0].role, operation))
    # A filter may name nothing of the caller's: the contract does not state that it is accepted.
    is_filtered = any(argument.role in operation.filters for argument in arguments)
    if not invalid and not operation.writes and not is_filtered:
        yield _accepted(exchange, arguments)


def _requirement(role: str, operation: Operation) -> str:
    if operation.writes and role == "id":
        return APPROVAL_ID
    return BY_ROLE.get(role, FILTER)


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
            allowed=sorted(allowed),
        ).at(STATUS_LINE)

    return hold(requirement, exchange.status in allowed, otherwise)


def _accepted(exchange: Exchange, arguments: Sequence[Argument]) -> Judgement:
    # A UUID may never have been issued as a cursor: then it may be rejected.
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
            excluded=sorted(REJECTIONS),
        ).at(STATUS_LINE)

    return hold(ACCEPTED, not rejected, otherwise)


def of(call: Call, operation: Operation, roles: dict[str, str]) -> list[Argument]:
    """The arguments of a call, with their fitness."""
    arguments = [Argument("id", value, _uuid(value)) for value in call.path.values()]
    names = [name for name, _ in call.query]
    for name, value in call.query:
        role = roles.get(name)
        if role is None or names.count(name) > 1:
            arguments.append(Argument(name, value, Fitness.OPEN))
        else:
            fitness = limit(value) if role == "limit" else _uuid(value)
            arguments.append(Argument(role, value, fitness))
    if operation.body_schema is not None:
        text = (call.body or b"").decode("utf-8", "replace")
        arguments.append(Argument("body", text, body(call)))
    return arguments


def _uuid(value: str) -> Fitness:
    # Many servers treat an empty value as a missing one.
    if value == "":
        return Fitness.OPEN
    return Fitness.VALID if is_uuid(value) else Fitness.INVALID


def limit(value: str) -> Fitness:
    """The fitness of a `limit` (Limits): decimal digits from 1 to 100.

    Open: an empty value, and other decimal notations of an integer in range (`+5`, `05`, `5.0`,
    `1e1`, blanks around it).
    """
    if re.fullmatch(r"[1-9][0-9]?|100", value):
        return Fitness.VALID
    text = value.strip()
    if not text:
        return Fitness.OPEN
    if not text.isascii() or "_" in text:  # which Python reads as numbers
        return Fitness.INVALID
    try:
        number = float(text)
    except ValueError:
        return Fitness.INVALID
    is_integer = isfinite(number) and number == int(number)
    return Fitness.OPEN if is_integer and 1 <= number <= 100 else Fitness.INVALID


def body(call: Call) -> Fitness:
    """The fitness of an approval's body: an object whose properties have their types.

    Open: absent properties, other media types, and integers written as fractions.
    """
    if call.content_type != "application/json":
        return Fitness.OPEN
    try:
        document = json.loads(call.body or b"")
    except (ValueError, RecursionError):
        return Fitness.INVALID
    if not isinstance(document, dict):
        return Fitness.INVALID
    revision, key = document.get(REVISION, 0), document.get(KEY, "key")
    if isinstance(revision, float) and revision.is_integer():
        return Fitness.OPEN
    is_integer = isinstance(revision, int) and not isinstance(revision, bool)
    is_complete = {REVISION, KEY} <= set(document)
    if not is_integer or not isinstance(key, str):
        return Fitness.INVALID if is_complete else Fitness.OPEN
    is_in_range = 0 <= revision <= LARGEST_INTEGER
    return Fitness.VALID if is_complete and key and is_in_range else Fitness.OPEN
