"""What a read shows beside what it asked for: its record, its parent, its filter, its limit."""

from collections import Counter
from collections.abc import Iterator

from conformance.assurance.second.exchange import LIMIT, Exchange, is_uuid
from conformance.assurance.second.history import History
from conformance.assurance.second.ruling import Rulings, meets, ruling

DEFAULT = 25
"""The default of `limit` on the list of projects."""
UNSTATED = {"00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"}
"""Ids that may stand for no record."""


def rulings(exchange: Exchange, history: History) -> Rulings:
    """The rulings on what a read shows, and on how its arguments were taken."""
    if not exchange.operation.is_read:
        return
    if exchange.operation.id == "account_get" and exchange.is_plain:
        yield from _account(exchange, history)
    if not history.is_known(exchange):
        return
    if exchange.status == 200:
        yield from _shown(exchange)
        yield from _length(exchange)
        yield from _filtered(exchange, history)
    yield from _arguments(exchange, history)


def _shown(exchange: Exchange) -> Rulings:
    """Whether the record, or the parent of each, is the one in the path."""
    operation = exchange.operation
    if operation.subject is None or not is_uuid(exchange.subject):
        return
    is_list = operation.is_list
    name = operation.subject if is_list else "id"
    requirement = "read/parent" if is_list else "read/identity"
    yield from _same(exchange, requirement, name, str(exchange.subject))


def _same(exchange: Exchange, requirement: str, name: str, wanted: str) -> Rulings:
    having = [each[name] for each in exchange.records if is_uuid(each.get(name))]
    strange = [each for each in having if each.lower() != wanted.lower()]
    if having:
        flaw = f"{name} is {strange[0]}, not {wanted}" if strange else ""
        yield meets(requirement, exchange, not strange, flaw)


def _length(exchange: Exchange) -> Rulings:
    if not exchange.operation.is_list:
        return
    ids = Counter(each["id"].lower() for each in exchange.records if is_uuid(each.get("id")))
    twice = {id for id, times in ids.items() if times > 1} - UNSTATED
    if twice:
        yield ruling("pagination/once", exchange, f"a page shows {min(twice)} twice")
    limits = [value for name, value in exchange.query if name == "limit"]
    count = len(exchange.records)
    if limits and LIMIT.fullmatch(limits[0]):
        flaw = f"{count} items with limit={limits[0]}"
        yield meets("pagination/limit", exchange, count <= int(limits[0]), flaw)
    elif exchange.operation.id == "project_list" and not exchange.query and count > DEFAULT:
        flaw = f"{count} items without a limit"
        yield ruling("pagination/default-limit", exchange, flaw, "pagination/limit")


def _filtered(exchange: Exchange, history: History) -> Rulings:
    """A cursor may stand for the filter that it was issued under."""
    operation, names = exchange.operation, history.names(exchange.operation)
    if exchange.values("cursor", names):
        return
    for name, wanted in exchange.query:
        role = names.get(name, "")
        if role in operation.restricts and is_uuid(wanted):
            yield from _same(exchange, "pagination/filter", operation.restricts[role], wanted)


def _arguments(exchange: Exchange, history: History) -> Rulings:
    """Whether what is outside the contract is rejected, and what is within it is not."""
    stated = list(_stated(exchange, history))
    invalid = [role for role, fitness in stated if fitness is False]
    if exchange.is_transient or any(fitness is None for _, fitness in stated):
        return
    if len(invalid) == 1 and _is_of(exchange, "primary"):
        yield from _rejected(exchange, invalid[0])
    is_bare = exchange.subject is None and {role for role, _ in stated} <= {"limit"}
    # What one credential of primary is served, the other one may lack the access for.
    is_open = exchange.status in {401, 403}
    if not invalid and is_bare and not is_open and _is_of(exchange, "primary"):
        flaw = f"status {exchange.status} to a valid request"
        named = "arguments/accepted", "response/status"
        yield meets("read/success", exchange, exchange.status == 200, flaw, *named)


def _rejected(exchange: Exchange, role: str) -> Rulings:
    is_filter = role in exchange.operation.restricts
    requirement = "arguments/filter" if is_filter else f"arguments/{role}"
    allowed = {400, 422, 404} if role == "id" else {400, 422}
    is_rejected = exchange.status in allowed
    if is_rejected or exchange.is_success:
        flaw = f"status {exchange.status} to an argument outside the contract"
        yield meets(requirement, exchange, is_rejected, flaw)


def _stated(exchange: Exchange, history: History) -> Iterator[tuple[str, bool | None]]:
    """The arguments of a read: whether each is valid; None where the contract leaves it open."""
    names = history.names(exchange.operation)
    if exchange.subject is not None:
        yield "id", is_uuid(exchange.subject)
    for name, value in exchange.query:
        role = names[name]
        yield role, _limit(value) if role == "limit" else is_uuid(value) if value else None


def _limit(text: str) -> bool | None:
    """Whether a limit is valid; None for other notations of a number."""
    if LIMIT.fullmatch(text):
        return True
    digits = text.removeprefix("-")
    is_integer = digits.isascii() and digits.isdecimal()
    is_within = LIMIT.fullmatch(digits.lstrip("0")) and digits is text
    is_word = text.isascii() and text.isalpha()
    return False if is_word or (is_integer and not is_within) else None


def _is_of(exchange: Exchange, name: str) -> bool:
    return exchange.caller is not None and exchange.caller.name == name


def _account(exchange: Exchange, history: History) -> Rulings:
    """One credential has one account."""
    for record in exchange.records:
        if is_uuid(record.get("id")):
            first = history.accounts[exchange.caller]
            is_first = record["id"].lower() == first
            yield meets("read/identity", exchange, is_first, f"the account was {first}")
