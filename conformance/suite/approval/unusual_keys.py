"""Short and long idempotency keys, and keys beyond ASCII, each used for a review of its own.

The format of a key is not specified (Endpoints, Gaps): a target may reject such a key as invalid.
One that accepts it must not take it for another key.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from conformance.contract.verdict import NotApplicable
from conformance.http.exchange import Exchange
from conformance.runner.facts import fact_name
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.review import Review
from conformance.suite.approval.trials import Trials
from conformance.suite.lists.live import Live

LENGTHS = {200: "_", 1024: "2"}
"""The second key of a pair ends so: cut off, or as a pattern, it is the first one."""


@dataclass(frozen=True)
class KeyUse:
    """An approval with an unusual key; `replay` is the same request again, after a success.

    It is None where the review is no longer found by then. `resembled` is the success of a key that
    differs in one character, where there was one before.
    """

    key: str
    review: Review
    response: Exchange
    after: Exchange
    replay: Exchange | None
    resembled: Exchange | None = None


class UnusualKeys:
    """A key of one character, and pairs of keys that differ in one.

    They are used as far as the reviews of the profile suffice.
    """

    def __init__(self, live: Live, approvals: Approvals, trials: Trials) -> None:
        self._live = live
        self._approvals = approvals
        self._trials = trials

    @property
    def uses(self) -> tuple[KeyUse, ...]:
        """The uses of the keys, a fact of the run.

        Raises NotApplicable where other checks need the reviews that are left.
        """
        return self._live.fact(fact_name("unusual-keys"), lambda live: _of(live)._found())

    def _found(self) -> tuple[KeyUse, ...]:
        base = self._approvals.key(self._trials.baseline().review.id, "unusual")
        found = tuple(use for pair in _pairs(base) for use in self._of_pair(pair))
        if not found:
            raise NotApplicable("no review is left for unusual keys")
        return found

    def _of_pair(self, keys: tuple[str, ...]) -> Iterator[KeyUse]:
        resembled: Exchange | None = None
        for key in keys:
            if not self._approvals.pool.can_spare():
                return
            taken = self._approvals.pool.take()
            use = self._used(taken, key)
            is_second = use.response.is_repeated or use.review != taken
            if use.response.status == 409 and is_second:
                return  # the failed attempt before it may have used up the key
            yield replace(use, resembled=resembled)
            if use.response.status != 200:
                return
            resembled = use.response

    def _used(self, review: Review, key: str) -> KeyUse:
        approvals, reader = self._approvals, self._approvals.reader
        purpose = f"a new key of {len(key)} characters"
        response = approvals.approve(review, key, purpose=purpose)
        latest = reader.revised(review) if response.status == 409 else None
        if latest is not None:
            review = latest
            response = approvals.approve(review, key, purpose=f"{purpose}, at another revision")
        if response.status != 200:
            after = reader.read(review.id)
            if not approvals.is_spent(review, after):
                approvals.pool.give_back(review)
            return KeyUse(key, review, response, after, None)
        after = reader.read_approved(review)
        again = approvals.approve(
            review, key, scheme=response.scheme, purpose=f"a replay with a key of {len(key)}"
        )
        replay = None if reader.has_moved_on(again, after) else again
        return KeyUse(key, review, response, after, replay)


def _of(live: Live) -> UnusualKeys:
    approvals = Approvals(live.session, live)
    return UnusualKeys(live, approvals, Trials(live.session, live, approvals))


def _pairs(base: str) -> Iterator[tuple[str, ...]]:
    # Alone: an earlier run may have used any other key of one character.
    yield (base[:1],)
    for length, other in LENGTHS.items():
        long = base.ljust(length - 1, "k")
        yield f"{long}1", f"{long}{other}"
    yield f"{base} é 🗝", f"{base} è 🗝"
