"""The reviews that may be approved: those of the profile, then those that its command makes."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from conformance.contract.identifiers import is_uuid
from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Exchange
from conformance.runner.context import Context
from conformance.runner.facts import fact_name
from conformance.suite.approval.review import NoRevisionError, Record, Review
from conformance.suite.approval.review_reader import ReviewReader
from conformance.target import command

NEEDS = ("fixtures.approvable-reviews", "fixtures.provision.approvable-review")
PROVISION_SECONDS = 60
FEWEST_LEFT = 4
"""Reviews that are left to the checks that cannot do without one."""
KINDS = (("requestedAudience", "subjectType"), ("status",))
"""What reviews of several kinds differ in: the first two together, and their status."""
MOST_KINDS = 8


@dataclass(frozen=True)
class Stock:
    """The reviews that a run has left: their ids, those recorded, and those withheld.

    `unusable` has the reasons why reviews were left out that show no revision. `shared` are those
    that each scheme of primary lists: one of its credentials may reach less than the other.
    """

    ids: list[str]
    recorded: list[str]
    withheld: list[Review]
    unusable: list[NoRevisionError]
    shared: frozenset[str] = frozenset()
    being_tried: dict[str | None, threading.Lock] = field(default_factory=dict)

    @classmethod
    def of(cls, session: Context, shared: frozenset[str]) -> "Stock":
        """What a run begins with."""
        stated = session.target.fixtures.approvable_reviews
        ids = (id for id in stated if id.lower() not in session.spent)
        stock = cls(list(ids), list(session.provisioned or ()), [], [], shared)
        stock.order(lambda _: 0)
        return stock

    def order(self, worth: Callable[[str], int]) -> None:
        """Let those come first that every scheme reaches, and then those that are worth more."""
        self.ids.sort(key=lambda id: (id.lower() not in self.shared, -worth(id.lower())))


class ReviewPool:
    """Reviews that may be approved, each of them once; the stock is shared by the run."""

    def __init__(self, session: Context, reader: ReviewReader) -> None:
        self._session = session
        self._reader = reader

    @cached_property
    def _stock(self) -> Stock:
        """Asked for when it is needed: most of those who may approve do not."""
        return self._session.fact(
            fact_name("reviews", "approvable"), lambda own: Stock.of(own, self._reader.shared)
        )

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the reviews that are left."""
        return tuple(self._stock.ids)

    def require_consent(self) -> None:
        """Raise Inconclusive unless the profile allows approvals here."""
        if not self._session.target.consent.approve_reviews:
            raise Inconclusive(
                "the profile does not consent to approvals", needs=("consent.approve-reviews",)
            )

    def pending(self, turn: int = 0) -> Review:
        """A review that can be approved now; it stays in the pool. Each turn has another one."""
        self.require_consent()
        while (id := self._next(turn)) is not None:
            review = self._approvable(id)
            if review is not None:
                return review
            with suppress(ValueError):  # somebody else has seen it as well
                self._stock.ids.remove(id)
        self._stock.ids.append(self._provisioned())
        review = self._approvable(self._stock.ids[0])
        if review is None:
            self._stock.ids.clear()
            raise Inconclusive(
                "the provisioned review cannot be approved",
                needs=("fixtures.provision.approvable-review",),
            )
        return review

    def _next(self, turn: int) -> str | None:
        """The review of a turn; None where none is left."""
        ids = tuple(self._stock.ids)  # others may remove one meanwhile
        return ids[turn % len(ids)] if ids else None

    def of_each_kind(self, most: int | None = None) -> Iterator[Review]:
        """A review of each of some kinds that can be approved now; they stay in the pool."""
        self.require_consent()
        records = {record["id"].lower(): record for record in self._reader.listed()}
        chosen: dict[str, None] = {}
        for names in reversed(KINDS):
            kinds: dict[tuple[str, ...], str] = {}
            for id in (*chosen, *self._stock.ids):
                record = records.get(id.lower(), {})
                kinds.setdefault(tuple(str(record.get(name)) for name in names), id)
            chosen |= dict.fromkeys(kinds.values())
        ids = list(islice(chosen, most or MOST_KINDS))
        reads = self._reader.read_each([(id, None) for id in ids])
        yield from filter(None, map(self._seen, reads, ids))

    def _approvable(self, id: str) -> Review | None:
        return self._seen(self._reader.read(id), id)

    def _seen(self, read: Exchange, id: str) -> Review | None:
        """The review that a response shows; None where it cannot be approved as it is."""
        try:
            review = self._reader.review_in(read, id)
        except NoRevisionError as reason:
            self._stock.unusable.append(reason)
            return None
        if review is None or not review.is_withheld:
            return review
        by_another = self._reader.by_another_scheme(review)
        if by_another is None:
            self._stock.withheld.append(review)
        return by_another

    def withheld(self) -> tuple[Review, ...]:
        """The reviews of the pool, as far as read, that stated that they cannot be approved."""
        with suppress(Inconclusive):
            self.pending()
        return tuple(self._stock.withheld)

    def leaves(self, others: int) -> bool:
        """Whether so many reviews are left after one more, or a command makes more."""
        return len(self._stock.ids) > others or bool(self._session.target.fixtures.provision)

    def can_spare(self, number: int = 1) -> bool:
        """Whether a check that can do without may take so many reviews."""
        return self.leaves(FEWEST_LEFT + number - 1)

    @property
    def is_spent(self) -> bool:
        """Whether no review is left, and no command makes more."""
        return not self.leaves(0)

    @property
    def is_nearly_spent(self) -> bool:
        """Whether at most one review is left, and no command makes more."""
        return not self.leaves(1)

    def take(self, worth: Callable[[Record], int] | None = None) -> Review:
        """A review that can be approved now, out of the pool.

        With `worth`, it is the one whose record in the list is worth the most.
        """
        if worth is not None:
            records = {record["id"].lower(): record for record in self._reader.listed()}
            self._stock.order(lambda id: worth(records.get(id, {})))
        review = self.pending()
        self._stock.ids.remove(review.id)
        return review

    def alone_on(self, what: str | None) -> threading.Lock:
        """What nobody else holds who is to be alone on the same review, or operation."""
        return self._stock.being_tried.setdefault(what, threading.Lock())

    @contextmanager
    def reserved(self, turn: int) -> Iterator[Review]:
        """A pending review on which nobody else attempts meanwhile what has to be rejected.

        Otherwise it would not show whose effect it is.
        """
        while True:
            id = self._next(turn)
            with self.alone_on(id):
                review = self.pending(turn)
                if review.id == id:  # otherwise the stock is another one by now
                    yield review
                    return

    def take_up_to(self, most: int) -> list[Review]:
        """So many reviews out of the pool, read side by side, as far as one is left to others.

        Raises Inconclusive where there is none to begin with.
        """
        self.require_consent()
        taken: list[Review] = []
        while len(taken) < most and len(self._stock.ids) > 1:
            taken += self._taken_of(
                self._stock.ids[: min(most - len(taken), len(self._stock.ids) - 1)]
            )
        try:
            while len(taken) < most and (not taken or self._session.target.fixtures.provision):
                taken.append(self.take())
        except Inconclusive:
            if not taken:
                raise
        return taken

    def _taken_of(self, ids: list[str]) -> Iterator[Review]:
        """The reviews with these ids of the pool that can be approved now."""
        reads = self._reader.read_each([(id, None) for id in ids])
        for id, read in zip(ids, reads, strict=True):
            review = self._seen(read, id)
            self._stock.ids.remove(id)
            if review is not None:
                yield review

    def take_instead_of(self, review: Review) -> Review:
        """Another review of the pool; the same one where none is left."""
        with suppress(Inconclusive):
            return self.take()
        return review

    def spend(self, review: Review) -> None:
        """Remove a review that was approved while it was in the pool."""
        self._stock.ids.remove(review.id)

    def give_back(self, review: Review) -> None:
        """Put a review back that was not approved."""
        self._stock.ids.append(review.id)

    def _provisioned(self) -> str:
        """The id of one more review; raises Inconclusive, of two reasons the first one."""
        try:
            return self._provision()
        except Inconclusive:
            if self._stock.unusable:
                raise self._stock.unusable[0] from None
            raise

    def _provision(self) -> str:
        """The id of one more review; a replay of a run takes those that were made in it."""
        if self._session.provisioned is None:
            id = provisioned(self._session.target.fixtures.provision)
        elif self._stock.recorded:
            id = self._stock.recorded.pop(0)
        else:
            raise Inconclusive("no approvable review is left", needs=NEEDS)
        self._session.observations.append(("provisioned", id, id))
        return id


def provisioned(by: tuple[str, ...] | Callable[[], str | None]) -> str:
    """The id of a review that a function made, or a command, which prints `{"id": …}`.

    Raises Inconclusive where it does not; what a function raises is not caught.
    """
    id = by() if callable(by) else _of_command(by)
    if id is None:
        raise Inconclusive("no approvable review is left", needs=NEEDS)
    if not is_uuid(id):
        raise Inconclusive("what was provisioned is no review id", needs=NEEDS)
    return id


def _of_command(argv: tuple[str, ...]) -> str | None:
    if not argv:
        return None
    try:
        return str(json.loads(command.printed(argv, PROVISION_SECONDS))["id"])
    except command.CommandError as problem:
        raise Inconclusive(f"the provision command {problem}", needs=NEEDS) from None
    except (ValueError, RecursionError, KeyError, TypeError):
        raise Inconclusive("the provision command printed no id", needs=NEEDS) from None
