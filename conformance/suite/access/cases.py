"""The requests of cells: the caller, the call that it makes, and what primary gets for it."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass

from conformance.contract import api, openapi
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, NotApplicable
from conformance.http.exchange import Call
from conformance.suite.access.decorations import UNKNOWN
from conformance.suite.access.rule import BETWEEN, LIMITS, Cell
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.review import Review
from conformance.suite.approval.trials import Trials
from conformance.suite.callers.forged_credentials import made_up, near_misses
from conformance.suite.lists.calls import own_filters
from conformance.suite.lists.live import Live, parameter_of
from conformance.suite.lists.parameters import confirmed_name
from conformance.suite.tools.channel import Caller
from conformance.target.target import Credential

STATED: Mapping[str, dict[str, str]] = {
    **{limit: {"limit": limit} for limit in (*LIMITS, *BETWEEN)},
    "decorated": dict([UNKNOWN]),
}
"""The forms that are the same arguments for every operation."""


@dataclass(frozen=True)
class Case:
    """The request of a cell.

    `own` is the same call on primary's own record. `review` is the one that an approval must not
    approve, if primary can read it.
    """

    call: Call
    own: Call
    review: Review | None = None


@dataclass(frozen=True)
class CellCallers:
    """The callers of cells. Raises Inconclusive for those that the profile does not have."""

    live: Live

    def of(self, cell: Cell, number: int) -> Caller:
        """The caller of a cell; the number of the cell chooses among several of one kind."""
        if cell.caller == "nobody":
            return Caller(None, None)
        return Caller(self._credential(cell, number), cell.scheme)

    def primary(self, scheme: str) -> Caller:
        """Primary by a scheme."""
        return Caller(self.live.callers.credential_with("primary", scheme), scheme)

    def _credential(self, cell: Cell, number: int) -> Credential:
        operation = self.live.operation(cell.operation)
        if cell.caller == "made-up":
            return made_up(self.live.session, cell.scheme)
        if cell.caller == "near-miss":
            return self._near_miss(cell.scheme, number)
        if cell.caller == "lacking another":
            return self._lacking_another(operation, cell, number)
        if cell.caller == "colleague":
            return self.live.callers.colleague(cell.scheme)
        names = {"lacking": f"lacking.{operation.permission}"}
        return self.live.callers.credential_with(names.get(cell.caller, cell.caller), cell.scheme)

    def _near_miss(self, scheme: str, number: int) -> Credential:
        primary = self.live.callers.credential_with("primary", scheme)
        found = list(near_misses(self.live.session, primary, scheme))
        if not found:
            raise NotApplicable("a short secret has no near miss")
        return found[number % len(found)]

    def _lacking_another(self, operation: Operation, cell: Cell, number: int) -> Credential:
        target, own = self.live.session.target, operation.permission
        known = [target.lacking(each) for each in api.load().permissions if each != own]
        lacking = target.lacking(own)
        found = [
            each
            for each in known
            if each is not None
            and cell.scheme in each.schemes
            and not (lacking is not None and each.shares_secret(lacking))
        ]
        if not found:
            raise NotApplicable("no credential lacks another permission alone")
        # Over HTTP, all of them are tried by another check; by tool, the likeliest mistake is.
        likely = target.lacking(_permission_of_parent(operation))
        if cell.interface == "tool" and likely is not None and likely in found:
            return likely
        return found[number % len(found)]


def _permission_of_parent(operation: Operation) -> str:
    """The permission to read the record in the path of an operation; its own without one."""
    if "{" not in operation.path:
        return operation.permission
    return openapi.load().operation(api.load().readers[parameter_of(operation)]).permission


class Cases:
    """Makes the requests of cells, of what primary reads and may approve."""

    def __init__(self, live: Live, approvals: Approvals, trials: Trials) -> None:
        self._live = live
        self._approvals = approvals
        self._trials = trials

    @contextmanager
    def of(self, cell: Cell, cursor: str | None, number: int) -> Iterator[Case]:
        """The request of a cell; NotApplicable where there is none.

        `cursor` is that of a page of one record. The number of the cell chooses among the reviews
        that may be approved: a guard may be about some of them. Meanwhile no other cell has it.
        """
        if not self._live.operation(cell.operation).writes:
            yield self.of_read(cell, cursor)
            return
        with self._approval(cell, number) as case:
            yield case

    def of_read(self, cell: Cell, cursor: str | None) -> Case:
        """The request of a cell that reads."""
        operation = self._live.operation(cell.operation)
        own = self._in_form(self._live.call(operation), cell, cursor)
        if cell.record == "own":
            return Case(own, own)
        if not own.path:
            return Case(self._with_filters_outside(own, cell), own)
        id = _spelled(self._id(cell, parameter_of(operation)), cell)
        return Case(own.at(**dict.fromkeys(own.path, id)), own)

    def _in_form(self, call: Call, cell: Cell, cursor: str | None) -> Call:
        operation = self._live.operation(cell.operation)
        if cell.form == "capitals":
            return call.at(**{name: _spelled(id, cell) for name, id in call.path.items()})
        if cell.form in STATED:
            return call.asking(**STATED[cell.form])
        if cell.form == "filters":
            for role in operation.filters:
                with suppress(Inconclusive, NotApplicable):
                    confirmed_name(operation, role, self._live)
            filters = own_filters(operation, self._live)
            if not filters:
                raise NotApplicable(f"no filter of {operation.id} is known for certain")
            # An argument may be read only where there is another one.
            limit = "1" if cell.interface == "tool" else None
            return call.asking(limit=limit, **filters)
        if cell.form == "cursor":
            name = self._live.session.name(operation, "cursor")
            if name is None or cursor is None:
                raise NotApplicable(f"{operation.id} has no further page")
            return call.asking(limit="1", **{name: cursor})
        return call

    def _with_filters_outside(self, own: Call, cell: Cell) -> Call:
        """The same list, filtered by what is outside the grant."""
        group = self._group(cell)
        roles = self._live.session.roles(self._live.operation(cell.operation))
        outside = {name: group[roles[name]] for name, _ in own.query if roles[name] in group}
        if not outside:
            raise NotApplicable(f"nothing {cell.record} to filter {cell.operation} by is known")
        return own.asking(**outside)

    def _id(self, cell: Cell, parameter: str) -> str:
        if cell.record == "absent":
            return self._live.made_up(f"absent {cell.operation}")
        kind, group = api.load().id_kinds[parameter], self._group(cell)
        if kind not in group:
            needs = (f"fixtures.{cell.record}.{kind}",)
            raise Inconclusive(f"no {cell.record} {kind} is known", needs=needs)
        return group[kind]

    def _group(self, cell: Cell) -> dict[str, str]:
        fixtures = self._live.session.target.fixtures
        return dict(fixtures.foreign if cell.record == "foreign" else fixtures.ungranted)

    # --- approvals ---

    @contextmanager
    def _approval(self, cell: Cell, number: int) -> Iterator[Case]:
        trial = self._trials.entitled(cell.scheme)
        replay = self._approvals.call(trial.review.id, trial.review.revision, trial.key)
        if cell.form == "replay":
            yield Case(replay, replay)
        elif cell.record == "own":
            # The trials take reviews as well: this is one of those that they leave.
            self._trials.all_but(cell.scheme)
            with self._pending(number) as review:
                yield Case(self._call(cell, review.id, review.revision), replay, review)
        else:
            id = self._id(cell, api.load().approved_id)
            yield Case(self._call(cell, id, trial.review.revision), replay)

    def _call(self, cell: Cell, id: str, revision: int) -> Call:
        label = f"access {cell.caller} {cell.interface} {cell.form} {cell.scheme}"
        call = self._approvals.call(id, revision, self._approvals.key(id, label))
        return _in_spelling(call, cell)

    @contextmanager
    def _pending(self, turn: int) -> Iterator[Review]:
        """A review that may still be approved; NotApplicable where the trials took every one.

        Each requirement has a check of its own, which says so where it needs one itself.
        """
        with ExitStack() as held:
            try:
                review = held.enter_context(self._approvals.pool.reserved(turn))
            except Inconclusive as reason:
                raise NotApplicable("no review is left for this way to ask") from reason
            yield review


def _in_spelling(call: Call, cell: Cell) -> Call:
    return call.at(**{name: _spelled(id, cell) for name, id in call.path.items()})


def _spelled(id: str, cell: Cell) -> str:
    if cell.form != "capitals":
        return id
    return id.upper() if id != id.upper() else id.lower()
