"""Why a target or a credential of the profile kept checks from going on, once for each reason."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.contract import openapi
from conformance.contract.quantity import quantity
from conformance.http.budget import NEEDS, REMEMBERED, RESPONSE
from conformance.report.document_types import ExchangeEntry, FindingEntry

UNAVAILABLE = frozenset({"a target that responds", "limits.requests-per-second"})
"""What a finding needs where transient errors, or a rate limit, blocked it."""
BLOCKED = UNAVAILABLE | {
    *("a target that serves the baseline request", NEEDS[RESPONSE], NEEDS[REMEMBERED])
}
"""What a finding needs where responses of the target blocked it."""
SCHEMES = {"api-key": "API key", "bearer": "bearer token"}
MOST_OPERATIONS = 4
SLOWER = "[limits] requests-per-second = 5 # slow enough for the target"


@dataclass(frozen=True)
class Rejection:
    """The response that blocked a check: a status, or 0 without a response.

    `secret` is the variable that stands for the secret of the request.
    """

    credential: str | None
    scheme: str | None
    status: int
    secret: str
    operation: str


def rejection(found: FindingEntry) -> Rejection | None:
    """The rejection that blocked a finding; None where something else did."""
    wanted = _credentials(found["needs"])
    is_unavailable = not UNAVAILABLE.isdisjoint(found["needs"])
    for exchange in reversed(found["exchanges"]):
        status = _status(exchange)
        operation = exchange["operation"]
        if is_unavailable and (status in (0, 429) or status >= 500):
            return Rejection(None, None, status, "", operation)
        if status in (401, 403) and exchange["credential"] in wanted:
            # A scheme may be rejected alone; a permission is that of the caller.
            scheme = exchange["scheme"] if status == 401 else None
            return Rejection(exchange["credential"], scheme, status, _secret(exchange), operation)
    if is_unavailable and not found["exchanges"] and found["operation"]:
        return Rejection(None, None, 0, "", found["operation"])  # the target was gone already
    return None


def _credentials(needs: Sequence[str]) -> frozenset[str]:
    """The credentials that a finding asks for: "credentials.primary.bearer" is of primary."""
    named = [need.removeprefix("credentials.") for need in needs if need.startswith("credentials.")]
    return frozenset(each for name in named for each in (name, name.partition(".")[0]))


def _status(exchange: ExchangeEntry) -> int:
    response = exchange.get("response")
    return response["status"] if response else 0


def _secret(exchange: ExchangeEntry) -> str:
    """The variable in the header of the credential, such as "$LOCALIZATION_API_KEY"."""
    headers: dict[str, str] = dict(exchange["request"]["headers"])
    value = headers.get("x-api-key") or headers.get("authorization", "")
    return value.rpartition(" ")[2].removeprefix("$")


def grouped(
    rejections: Mapping[Rejection, Sequence[str]],
) -> Iterator[tuple[str, str, list[str]]]:
    """The message, the remedy and the requirements of each reason, most requirements first."""
    reasons: dict[tuple[object, ...], list[Rejection]] = {}
    for each in rejections:
        key = (each.credential, each.scheme, each.status)
        reasons.setdefault(key, []).append(each)
    found = []
    for some in reasons.values():
        ids = list(dict.fromkeys(id for each in some for id in rejections[each]))
        operations = list(dict.fromkeys(each.operation for each in some))
        found.append((_message(some[0], operations), _remedy(some[0], operations), ids))
    yield from sorted(found, key=lambda reason: -len(reason[2]))


def _message(rejected: Rejection, operations: Sequence[str]) -> str:
    what = f"returned {rejected.status}" if rejected.status else "did not respond"
    if rejected.credential is None:
        return f"the target {what} on {_listed(operations)}"
    how = f" by {rejected.scheme}" if rejected.scheme else ""
    where = _listed(operations)
    return f"{rejected.credential} was rejected with {rejected.status}{how} on {where}"


def _remedy(rejected: Rejection, operations: Sequence[str]) -> str:
    if rejected.status == 429:
        return f"write {SLOWER}, or raise the limit of this caller"
    if rejected.credential is None:
        return "run again when the target is available"
    secret = f"{SCHEMES.get(rejected.scheme or '', 'secret')} in {rejected.secret}"
    if rejected.status == 401:
        return f"put a valid {secret}, of this deployment"
    permissions = ", ".join(dict.fromkeys(map(_permission, operations)))
    return f"give the {secret} the permission {permissions}, or use one that has it"


def _permission(operation: str) -> str:
    stated = openapi.load().operations.get(operation)
    return stated.permission if stated else operation


def _listed(operations: Sequence[str]) -> str:
    named, rest = operations[:MOST_OPERATIONS], operations[MOST_OPERATIONS:]
    more = f" and {quantity(len(rest), 'other operation')}" if rest else ""
    return ", ".join(named) + more
