"""What a client meets: the reference with one thing at a time that the contract allows."""

from collections.abc import Mapping
from itertools import count
from typing import Any, ClassVar, Final

import orjson

from conformance.reference.access import Caller
from conformance.reference.arguments import Arguments
from conformance.reference.catalogue import Operation
from conformance.reference.clock import Clock
from conformance.reference.errors import ApiError, RateLimited, Unauthenticated, Unavailable
from conformance.reference.resources import Json
from conformance.reference.schemes import PresentedCredentials
from conformance.reference.service import Service
from conformance.reference.store import Store

CLOSED: Final = frozenset({"account_get", "project_get", "project_list"})
"""The operations whose records have no further properties."""

REVISE: Final = "UPDATE reviews SET subject_revision = subject_revision + 1 WHERE id = :review"
WAIT: Final = 1
"""Seconds of Retry-After."""

LIST: Final = "_list"
"""The end of the ids of lists."""

LIMITS: Final = range(1, 101)
EXTREMES: Final = ("ffffffff-ffff-ffff-ffff-ffffffffffff", "00000000-0000-0000-0000-000000000000")
"""Two texts that are UUIDs, and look like none."""

ADDED: Final[Json] = {"x-added": {"since": 2027, "tags": ["new", None]}, "addedAt": None}
"""Properties that the contract does not name, for every record that is not closed."""


class Plain(Service):
    """Nothing unusual."""

    loses_first_approval: ClassVar[bool] = False

    def __init__(self, store: Store, clock: Clock, seed: int) -> None:
        super().__init__(store, clock, seed)
        self.store = store
        self._admitted = count(1)
        self._approvals = count(1)
        self._is_lost = False

    def take_loss(self) -> bool:
        """Whether the response to the request that was performed last is lost; once."""
        is_lost, self._is_lost = self._is_lost, False
        return is_lost

    def admit(self, presented_credentials: PresentedCredentials) -> Caller:
        """The caller of a request."""
        error = self.error(next(self._admitted))
        if error is not None:
            raise error
        return super().admit(presented_credentials)

    def perform(self, operation: Operation, caller: Caller, given: Arguments) -> Json:
        """The data of a response."""
        is_first = operation.method == "POST" and next(self._approvals) == 1
        if is_first:
            self.before_approval(given)
        data = super().perform(operation, caller, self.asked(operation, given))
        self._is_lost = is_first and self.loses_first_approval
        return self.shown(operation, data)

    def error(self, _number: int) -> ApiError | None:
        """What the request with this number gets instead of its response."""
        return None

    def before_approval(self, _given: Arguments) -> None:
        """What happens before the first approval; it may raise an error."""

    def asked(self, _operation: Operation, given: Arguments) -> Arguments:
        """The arguments that count in place of those that were sent."""
        return given

    def shown(self, _operation: Operation, data: Json) -> Json:
        """The data that are shown in place of those of the reference."""
        return data


class ExpiredToken(Plain):
    """The credential expires after two requests."""

    def error(self, number: int) -> ApiError | None:
        """401 from the third request on."""
        return Unauthenticated("The credential has expired.") if number > 2 else None


class RateLimit(Plain):
    """The second request and the first approval get 429 with Retry-After, once."""

    def error(self, number: int) -> ApiError | None:
        """429 to the second request."""
        return RateLimited(WAIT) if number == 2 else None

    def before_approval(self, _given: Arguments) -> None:
        """429 to the first approval."""
        raise RateLimited(WAIT)


class Unavailability(Plain):
    """The second request and the first approval get 503, once."""

    def error(self, number: int) -> ApiError | None:
        """503 to the second request."""
        return Unavailable() if number == 2 else None

    def before_approval(self, _given: Arguments) -> None:
        """503 to the first approval."""
        raise Unavailable


class LostApproval(Plain):
    """The first approval is made, and its response is lost."""

    loses_first_approval = True


class StaleRevision(Plain):
    """Somebody revises the subject between the read and the first approval."""

    def before_approval(self, given: Arguments) -> None:
        """Revise the subject."""
        self.store.write(REVISE, {"review": str(given.get("reviewId")).lower()})


class SmallPages(Plain):
    """Every page has one record, whatever the limit."""

    def asked(self, operation: Operation, given: Arguments) -> Arguments:
        """A limit of one in place of any valid one."""
        is_valid = operation.id.endswith(LIST) and given.get("limit", 1) in LIMITS
        return {**given, "limit": 1} if is_valid else given


class UnknownFields(Plain):
    """Records have properties that the contract does not name, where it allows them."""

    def shown(self, operation: Operation, data: Json) -> Json:
        """The data with further properties."""
        return data if operation.id in CLOSED else _with_more(orjson.loads(orjson.dumps(data)))


class OddCursors(Plain):
    """Cursors are in upper case, and the first two have one digit only."""

    def __init__(self, store: Store, clock: Clock, seed: int) -> None:
        super().__init__(store, clock, seed)
        self._extremes = iter(EXTREMES)
        self._meant: dict[str, str] = {}

    def asked(self, _operation: Operation, given: Arguments) -> Arguments:
        """The cursor of the reference in place of an odd one."""
        cursor = given.get("cursor")
        is_odd = isinstance(cursor, str) and cursor in self._meant
        return {**given, "cursor": self._meant[str(cursor)]} if is_odd else given

    def shown(self, _operation: Operation, data: Json) -> Json:
        """An odd cursor in place of that of the reference."""
        cursor = data.get("nextCursor")
        if not isinstance(cursor, str):
            return data
        odd = next(self._extremes, cursor.upper())
        self._meant[odd] = cursor
        return {**data, "nextCursor": odd}


SCENARIOS: Final[Mapping[str, type[Plain]]] = {
    "plain": Plain,
    "expired-token": ExpiredToken,
    "rate-limit": RateLimit,
    "unavailable": Unavailability,
    "lost-approval": LostApproval,
    "stale-revision": StaleRevision,
    "small-pages": SmallPages,
    "unknown-fields": UnknownFields,
    "odd-cursors": OddCursors,
}
"""The scenarios by name, in the order in which a client meets them."""


def _with_more(value: Any) -> Any:
    """A JSON value whose objects have further properties."""
    if isinstance(value, dict):
        return {**{name: _with_more(each) for name, each in value.items()}, **ADDED}
    return [_with_more(each) for each in value] if isinstance(value, list) else value
