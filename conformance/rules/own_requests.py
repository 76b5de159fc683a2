"""Our own requests: what a run sends as valid has to follow the contract to the letter.

A request that does not is an internal error: its response says nothing about the target. Checks
describe calls; this module reads the request as it was sent.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from conformance.contract import validators
from conformance.contract.openapi import Contract, Operation, Parameter
from conformance.contract.verdict import Kind, defect
from conformance.http.address import below
from conformance.http.exchange import Exchange, Request
from conformance.rules import arguments
from conformance.rules.arguments import Fitness
from conformance.rules.judgement import Judgement, Judgements, shown

CREDENTIALS = ("x-api-key", "authorization")
MEDIA_TYPE = "application/json"


def examine(
    exchange: Exchange, roles: Mapping[str, str], contract: Contract, base_url: str
) -> Judgements:
    """The flaws of a request that is meant to be valid; `roles` are those of `arguments`.

    The paths of operations are relative to `base_url`, which has any path, or none.
    """
    operation = contract.operation(exchange.operation)
    # Where a short secret occurs in a URL by chance, the record does not show what was sent.
    is_masked = "$" in exchange.request.url
    if is_masked or not is_meant_to_be_valid(exchange, operation, roles):
        return
    for flaw in flaws(exchange.request, operation, roles, contract, base_url):
        internal = defect(
            Kind.DECLARED,
            "internal error: a request that was meant to be valid {flaw}",
            expected="a request of the contract",
            flaw=flaw,
        )
        yield Judgement(arguments.ACCEPTED, internal, unsure=True)


def is_meant_to_be_valid(
    exchange: Exchange, operation: Operation, roles: Mapping[str, str]
) -> bool:
    """Whether a check would blame the target for rejecting this request."""
    if exchange.credential is None or not (exchange.in_contract and exchange.judge_arguments):
        return False
    stated = arguments.of(exchange.call, operation, dict(roles))
    return all(argument.fitness is Fitness.VALID for argument in stated)


def flaws(
    request: Request,
    operation: Operation,
    roles: Mapping[str, str],
    contract: Contract,
    base_url: str,
) -> Iterator[str]:
    """How a request differs from an operation of the contract."""
    if request.method != operation.method:
        yield f"has the method {request.method} instead of {operation.method}"
    yield from _path_flaws(request.url, operation, base_url)
    yield from _query_flaws(urlsplit(request.url).query, operation, roles)
    names = Counter(name for name, _ in request.headers)
    if not any(names[name] == 1 for name in CREDENTIALS):
        yield "has no credential in its headers"
    yield from _body_flaws(request, operation, contract)


def _path_flaws(url: str, operation: Operation, base_url: str) -> Iterator[str]:
    path = below(base_url, url.partition("?")[0])
    match = _template(operation.path).fullmatch(path or "")
    if match is None:
        yield f"has the path {shown(urlsplit(url).path)} instead of {operation.path}"
        return
    parameters = {each.name: each for each in operation.parameters if each.location == "path"}
    for name, text in match.groupdict().items():
        if not _is_valid(parameters[name], unquote(text)):
            yield f"has the {name} {shown(text)}"


def _query_flaws(query: str, operation: Operation, roles: Mapping[str, str]) -> Iterator[str]:
    by_role = {each.role: each for each in operation.parameters if each.location == "query"}
    by_role |= {other: each for each in by_role.values() for other in each.instead}
    pairs = parse_qsl(query, keep_blank_values=True)
    for name, times in Counter(name for name, _ in pairs).items():
        if roles.get(name) not in by_role:
            yield f"has the unknown parameter {shown(name)}"
        elif times > 1:
            yield f"has the parameter {shown(name)} {times} times"
    for name, text in pairs:
        parameter = by_role.get(roles.get(name, ""))
        if parameter is not None and not _is_valid(parameter, text):
            yield f"has the {name} {shown(text)}"


def _body_flaws(request: Request, operation: Operation, contract: Contract) -> Iterator[str]:
    if operation.body_schema is None:
        if request.body is not None:
            yield "has a body"
        return
    types = [value for name, value in request.headers if name == "content-type"]
    if types != [MEDIA_TYPE]:
        yield f"has the media type {shown(', '.join(types))}"
    try:
        document = json.loads(request.body or b"")
    except ValueError:
        yield "has a body that is not JSON"
        return
    if not validators.modern(contract.schema(operation.body_schema)).is_valid(document):
        yield f"has the body {shown(document)}"


@cache
def _template(path: str) -> re.Pattern[str]:
    """A pattern for what follows the base URL in an address, with the parameters as groups."""
    parts = re.split(r"\{(\w+)\}", path)
    literal = (re.escape(part) for part in parts[::2])
    groups = (f"(?P<{name}>[^/]+)" for name in parts[1::2])
    woven = [text for pair in zip(literal, [*groups, ""], strict=True) for text in pair]
    return re.compile("".join(woven))


def _is_valid(parameter: Parameter, text: str) -> bool:
    value: Any = text
    if parameter.schema.get("type") == "integer":
        value = int(text) if re.fullmatch(r"-?\d+", text) else text
    return bool(_validator(json.dumps(dict(parameter.schema))).is_valid(value))


@cache
def _validator(schema: str) -> Any:
    return validators.modern(json.loads(schema))
