"""Who is served: the credentials that open nothing, the permissions, and the grants."""

from collections.abc import Iterator

from conformance.assurance.second.exchange import UNKNOWN, Caller, Exchange, is_uuid
from conformance.assurance.second.history import History
from conformance.assurance.second.ruling import Rulings, meets, ruling

LACKING = "lacking."
SCHEMES = ("authentication/api-key", "authentication/bearer")
GUARDED = ("approval/guarded-replay",)
"""The requirement that a repeated approval belongs to as well."""
OUTSIDE = frozenset({403, 404})
CONFLICT = 409
LISTS = (
    "authorization/filter",
    "authorization/cursor",
    "authorization/company",
    "authorization/project",
)


def rulings(exchange: Exchange, history: History) -> Rulings:
    """The rulings on a plain request that says who has sent it."""
    if not exchange.is_plain or exchange.is_transient:
        return
    yield from _credential(exchange, history)
    yield from _permission(exchange, history)
    yield from _record(exchange, history)
    yield from _list(exchange, history)


def _credential(exchange: Exchange, history: History) -> Rulings:
    """No, an expired, a revoked and an unknown credential; and each scheme of primary."""
    name = exchange.caller.name if exchange.caller else "missing"
    status = f"status {exchange.status}"
    if name == UNKNOWN:
        yield meets("authentication/unknown", exchange, not exchange.is_success, status)
    elif name in {"missing", "expired", "revoked"}:
        if exchange.request in history.served or exchange.is_success:
            is_rejected = exchange.status == 401
            yield meets(f"authentication/{name}", exchange, is_rejected, status, *GUARDED)
    elif exchange.caller is not None and name == "primary":
        scheme = exchange.caller.scheme
        renews = history.target["credentials"][name][scheme]["command"]
        is_live = exchange.began < history.last_served.get(exchange.caller, 0)
        if exchange.status == 401 and is_live and not renews:
            yield ruling(f"authentication/{scheme}", exchange, status, "read/success")
        elif exchange.is_success:
            yield ruling(f"authentication/{scheme}", exchange)


def _permission(exchange: Exchange, history: History) -> Rulings:
    """The same request has been served to primary, so nothing but the permission is missing."""
    caller, status = exchange.caller, f"status {exchange.status}"
    served = history.served.get(exchange.request, frozenset())
    if caller is None or Caller("primary", caller.scheme) not in served:
        return
    if not exchange.operation.is_read and exchange.status == CONFLICT:
        return  # the review is approved by then, and which error wins is open
    is_rejected, others = exchange.status == 403, (*SCHEMES, *GUARDED)
    if caller.name == "no-review-role" and not exchange.operation.is_read:
        yield meets("authorization/review-role", exchange, is_rejected, status, *others)
    elif caller.name == LACKING + exchange.operation.permission:
        yield meets("authorization/permission", exchange, is_rejected, status, *others)
    elif caller.name.startswith(LACKING) and exchange.operation.is_read and is_rejected:
        yield ruling("authorization/no-more-than-permission", exchange, status)


def _record(exchange: Exchange, history: History) -> Rulings:
    """A record outside of the grant, by its id."""
    if exchange.subject is None or exchange.caller is None:
        return
    id = exchange.subject.lower()
    flaw = f"{exchange.caller.name} was served what is outside of its grant"
    for requirement, ids in _outside(exchange.caller.name, history):
        if id in ids and (exchange.is_success or exchange.status in OUTSIDE):
            other = "company" if requirement.endswith("project") else "project"
            others = f"authorization/{other}", "approval/guarded-replay", "tools/grants"
            yield meets(requirement, exchange, not exchange.is_success, flaw, *others)


def _outside(caller: str, history: History) -> Iterator[tuple[str, frozenset[str]]]:
    """The ids that a caller may not see, by the requirement that says so."""
    if caller == "primary":
        yield "authorization/company", history.outside["foreign"]
        yield "authorization/project", history.outside["ungranted"]
    elif caller == "outsider":
        yield "authorization/company", history.shown.get("primary", frozenset())


def _list(exchange: Exchange, history: History) -> Rulings:
    """A list, which shows nothing from outside of the grant."""
    operation = exchange.operation
    if not operation.is_list or operation.subject is not None or exchange.caller is None:
        return
    if exchange.caller.name not in {"primary", "outsider"} or exchange.status != 200:
        return
    groups = [ids for _, ids in _outside(exchange.caller.name, history)]
    if not any(groups):
        return
    found = {
        str(record[name]).lower()
        for record in exchange.records
        for name in ("id", "companyId", "projectId")
        if is_uuid(record.get(name))
    }
    strange = {id for ids in groups for id in found & ids}
    flaw = f"the list of {exchange.caller.name} shows {min(strange)}" if strange else ""
    yield meets("authorization/lists", exchange, not strange, flaw, *LISTS)
