"""The matrix of access: what each chosen cell of it shows."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial

from conformance.contract import api
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, NotApplicable, Violation
from conformance.http.exchange import Call
from conformance.rules.access import Outcome, outcome, requirement
from conformance.runner.context import Context
from conformance.runner.facts import fact_name
from conformance.suite.access import choice, rule
from conformance.suite.access.cases import Case, Cases, CellCallers
from conformance.suite.access.judgement import CONFLICT, check
from conformance.suite.access.label import label
from conformance.suite.access.rule import Cell
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.trial import check_not_approved
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect
from conformance.suite.callers.places import of_status
from conformance.suite.lists.live import Live, parameter_of
from conformance.suite.tools.channel import Caller
from conformance.suite.tools.interfaces import ByTool, Interface, OverHttp, Received
from conformance.suite.tools.toolbox import Toolbox

INTRUDERS = ("made-up", "expired", "lacking", "outsider")
"""Callers beside whom a caller who may is served."""


class AccessMatrix:
    """Asks as each caller, in a covering part of all ways, and compares with the rule of access."""

    def __init__(self, live: Live, approvals: Approvals, trials: Trials, toolbox: Toolbox) -> None:
        self._live = live
        self._approvals = approvals
        self._toolbox = toolbox
        self._callers = CellCallers(live)
        self._cases = Cases(live, approvals, trials)
        self._interfaces: dict[str, Interface] = {"http": OverHttp(live), "tool": ByTool(toolbox)}

    def check(self, id: str) -> None:
        """Violation where a cell of this requirement has another outcome than the rule states.

        Inconclusive where no cell can be asked: then the last reason.
        """
        session = self._live.session
        every = enumerate(choice.chosen(session.seed))
        own = [(cell, number) for number, cell in every if requirement(cell) == id]
        cells = {fact_name("cell", id, each[1]): each for each in session.some(own)}
        wanted = {name: partial(_check_in, *numbered) for name, numbered in cells.items()}
        session.find_all(wanted)
        problem: Exception | None = None
        is_shown = False
        for name, (cell, _) in cells.items():
            try:
                session.fact(name, wanted[name])
                is_shown = True
            except (Inconclusive, NotApplicable) as reason:
                problem = reason
            except Violation as found:
                raise Violation(
                    found.defect, exchanges=found.exchanges, operation=cell.operation
                ) from found
        if not is_shown and problem is not None:
            raise problem

    # --- one cell ---

    def check_cell(self, cell: Cell, number: int) -> None:
        """Violation where a cell has another outcome than the rule states."""
        operation = self._live.operation(cell.operation)
        if cell.interface == "tool":
            self._toolbox.tool(operation)
        caller = self._callers.of(cell, number)
        self._require_accepting(cell, caller)
        with self._cases.of(cell, self._cursor(cell, caller), number) as case:
            self._check_case(cell, case, caller, number)

    def _check_case(self, cell: Cell, case: Case, caller: Caller, number: int) -> None:
        self._require_baseline(cell, case, caller)
        received = self._received(cell, case, caller, number)
        if outcome(cell) is Outcome.SERVED and not received.is_served:
            received = self._once_more(cell, case, caller, received)
        if self._is_outrun(case, received):
            raise NotApplicable("another client has revised the subject of the approval")
        check(cell, received, self._live)
        if case.review is not None:
            after = self._approvals.reader.read(case.review.id)
            check_not_approved(received.exchange, after)

    def _once_more(self, cell: Cell, case: Case, caller: Caller, received: Received) -> Received:
        """What a caller who may gets next, where a rejection may be about something else."""
        if cell.form == "cursor":  # others may have deleted the record at which it continues
            case = self._cases.of_read(cell, self._cursor(cell, caller))
        elif cell.interface != "tool":  # whose transient error may look like a rejection
            return received
        request = case.call, caller
        operation = self._live.operation(cell.operation)
        return self._interfaces[cell.interface].ask(operation, request, f"{label(cell)}, once more")

    def _is_outrun(self, case: Case, received: Received) -> bool:
        """Whether the revision of an approval may have been stale when the request arrived.

        Some targets look at the revision before anything else.
        """
        if case.review is None or received.exchange.status != CONFLICT:
            return False
        return self._approvals.reader.revised(case.review) is not None

    def _received(self, cell: Cell, case: Case, caller: Caller, number: int) -> Received:
        """The response to the request of a cell, after or beside that of its companion."""
        operation = self._live.operation(cell.operation)
        if cell.setting == "alone" and outcome(cell) is not Outcome.SERVED:
            received = self._asked(cell, case, caller, number)
            if not (operation.writes and received.exchange.status == CONFLICT):
                return received
        with self._alone_on(operation):
            return self._asked(cell, case, caller, number)

    def _alone_on(self, operation: Operation) -> AbstractContextManager[object]:
        """No other cell repeats an approval meanwhile, which may be a reason for a conflict."""
        return self._approvals.pool.alone_on(operation.id) if operation.writes else nullcontext()

    def _asked(self, cell: Cell, case: Case, caller: Caller, number: int) -> Received:
        operation, interface = (
            self._live.operation(cell.operation),
            self._interfaces[cell.interface],
        )
        own = (case.call, caller)
        if cell.setting == "alone":
            return interface.ask(operation, own, label(cell))
        other = self._companion(cell, case, number)
        if cell.setting == "after":
            interface.ask(operation, other, f"before {cell.caller}")
            return interface.ask(operation, own, label(cell))
        pair = [own, other] if number % 2 else [other, own]
        return interface.ask_together(operation, pair, label(cell))[pair.index(own)]

    def _companion(self, cell: Cell, case: Case, number: int) -> tuple[Call, Caller]:
        """A request with another outcome: of primary, or of a caller who is rejected."""
        if outcome(cell) is not Outcome.SERVED:
            return case.own, self._callers.primary(self._scheme(cell))
        # A cursor may be good for one use.
        plain = self._live.call(self._live.operation(cell.operation))
        call = plain if cell.form == "cursor" else case.own
        for shift in range(len(INTRUDERS)):
            name = INTRUDERS[(number + shift) % len(INTRUDERS)]
            if (name, cell.operation) != ("outsider", "account_get"):
                try:
                    return call, self._callers.of(replace(cell, caller=name, record="own"), number)
                except (Inconclusive, NotApplicable):
                    continue
        raise Inconclusive("no caller without access is known", needs=("credentials.outsider",))

    # --- what has to work before a cell shows anything ---

    def _scheme(self, cell: Cell) -> str:
        """The scheme of primary's requests: the tool interface may accept one alone."""
        schemes = self._live.callers.credential("primary").schemes
        if cell.interface == "tool":
            return self._toolbox.scheme
        return cell.scheme if cell.scheme in schemes else schemes[0]

    def _require_accepting(self, cell: Cell, caller: Caller) -> None:
        """NotApplicable where a tool interface need not serve this scheme."""
        if outcome(cell) is not Outcome.SERVED or cell.interface != "tool":
            return
        accepted = {self._toolbox.scheme, self._toolbox.by_another_scheme().scheme}
        if caller.scheme not in accepted:
            raise NotApplicable(f"the tools are called by {self._toolbox.scheme}")

    def _require_baseline(self, cell: Cell, case: Case, caller: Caller) -> None:
        """Inconclusive unless primary is served in the same way, and a caller who may, plainly.

        NotApplicable where it is the form in which primary is not served.
        """
        primary = self._callers.primary(self._scheme(cell))
        operation = self._live.operation(cell.operation)
        if not self._is_served(cell, primary, case.own):
            reason = f"primary is not served by {operation.id}, {cell.form}"
            # A target need not serve ids in capitals, for instance: that is no gap.
            raise Inconclusive(reason) if cell.form in rule.SINGLE_DEFECT else NotApplicable(reason)
        # A token of primary may reach less than its key.
        is_primary = (caller.credential, caller.scheme) == (primary.credential, primary.scheme)
        if outcome(cell) is Outcome.SERVED and not is_primary:
            plain = self._live.call(operation)
            if not self._is_served(_plainly(cell), caller, plain):
                if cell.interface == "http":
                    self._check_listed(caller, operation, plain)
                raise _not_entitled(caller, operation)

    def _is_served(self, cell: Cell, caller: Caller, call: Call) -> bool:
        """Whether a caller is served in the way of a cell, without defects: a fact of the run."""
        way = (cell.interface, cell.operation, _name(caller), caller.scheme, cell.form)
        name = fact_name("access", *way)
        return self._live.fact(name, lambda live: _of(live)._asks(cell, caller, call))

    def _asks(self, cell: Cell, caller: Caller, call: Call) -> bool:
        operation = self._live.operation(cell.operation)
        # A cursor may be good for one use, and for its own caller.
        asked = self._following(cell, caller, call) if cell.form == "cursor" else call
        interface = self._interfaces[cell.interface]
        with self._alone_on(operation):
            received = interface.ask(operation, (asked, caller), "the baseline request")
        return received.is_served

    def _check_listed(self, caller: Caller, operation: Operation, plain: Call) -> None:
        """Violation where a caller lists a record, and cannot read it by its id."""
        if operation.is_list or not plain.path:
            return
        (id,) = plain.path.values()
        page = self._list_of(caller, operation)
        is_listed = any(str(item.get("id")).lower() == id.lower() for item in page.items)
        again = self._live.callers.send(plain, caller.credential, caller.scheme, purpose="listed")
        otherwise = of_status(
            again,
            "{caller} lists a record that it cannot read: {response}",
            expected="200",
            caller=_name(caller),
        )
        is_hidden = is_listed and again.status in (401, 403, 404)
        expect.that(not is_hidden, otherwise, page.exchange, again)

    def _list_of(self, caller: Caller, operation: Operation) -> Received:
        parents = api.load().parents[parameter_of(operation)]
        call = Call(parents).asking(limit="100")
        asked = (call, caller)
        return OverHttp(self._live).ask(operation, asked, "does its list show the record?")

    def _cursor(self, cell: Cell, caller: Caller) -> str | None:
        """A new cursor after one record: primary's, or that of the caller who is to be served."""
        if cell.form != "cursor":
            return None
        is_own = outcome(cell) is Outcome.SERVED
        return self._cursor_of(
            cell, caller if is_own else self._callers.primary(self._scheme(cell))
        )

    def _cursor_of(self, cell: Cell, owner: Caller) -> str | None:
        operation = self._live.operation(cell.operation)
        call = self._live.call(operation).asking(limit="1")
        received = self._interfaces["http"].ask(operation, (call, owner), "a page of one record")
        return received.exchange.cursor

    def _following(self, cell: Cell, primary: Caller, call: Call) -> Call:
        """The call with a new cursor of primary."""
        name = self._live.session.name(self._live.operation(cell.operation), "cursor")
        return call.asking(**{str(name): self._cursor_of(cell, primary)})


def _check_in(cell: Cell, number: int, own: Context) -> None:
    _of(Live(own)).check_cell(cell, number)


def _of(live: Live) -> AccessMatrix:
    approvals = Approvals(live.session, live)
    trials = Trials(live.session, live, approvals)
    return AccessMatrix(live, approvals, trials, Toolbox(live))


def _plainly(cell: Cell) -> Cell:
    return replace(cell, interface="http", form="plain")


def _name(caller: Caller) -> str:
    return caller.credential.name if caller.credential else "nobody"


def _not_entitled(caller: Caller, operation: Operation) -> Inconclusive:
    name = _name(caller)
    needs = (f"credentials.{name}",)
    return Inconclusive(f"{operation.id} does not serve {name}", needs=needs)
