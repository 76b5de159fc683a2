"""The same request by tool and over HTTP."""

from dataclasses import dataclass

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Kind, defect
from conformance.http.exchange import Call
from conformance.suite.callers import expect
from conformance.suite.tools.interfaces import Received
from conformance.suite.tools.results import data_of
from conformance.suite.tools.toolbox import Toolbox, arguments_of

ROUNDS = 3
"""How often pages of two interfaces are read before a difference counts."""


@dataclass(frozen=True)
class Pair:
    """The responses of both interfaces to the same arguments."""

    over_http: Received
    by_tool: Received


@dataclass(frozen=True)
class Comparison:
    """Asks the tool of one read operation, and the operation over HTTP."""

    operation: Operation
    toolbox: Toolbox

    def pair(self, call: Call, tool_call: Call | None = None) -> Pair | None:
        """The responses of both interfaces; Violation where the tool alone rejects the request.

        The rule of agreement compares their records. `tool_call` is the call by tool where its
        cursor is another one. None where the cursor cannot be used twice.
        """
        over_http = self.toolbox.live.callers.baseline(call, scheme=self.toolbox.scheme)
        arguments = arguments_of(tool_call or call)
        purpose = "the data by tool"
        by_tool = self.toolbox.call_until_served(self.operation, arguments, purpose)
        if by_tool.is_rejected and self._is_used_up(call):
            return None
        data_of(by_tool)
        pair = Pair(Received(over_http), Received(by_tool.exchange, by_tool))
        self.check_record(pair)
        return pair

    def check_record(self, pair: Pair) -> None:
        """Violation where the tool returns another record than HTTP, or none."""
        data = pair.over_http.data
        own = data.get("id") if isinstance(data, dict) else None
        if self.operation.is_list or not is_uuid(own):
            return
        schema = self.toolbox.live.session.contract.schema(self.operation.resource)
        absent = None if "id" in schema.get("required", ()) else own
        shown = [each.get("id", absent) for each in pair.by_tool.shown if isinstance(each, dict)]
        violation = defect(
            Kind.FOREIGN,
            "the tool returns another record than HTTP",
            expected=str(own),
            actual=shown,
        ).on("id")
        is_own = bool(shown) and all(str(each).lower() == str(own).lower() for each in shown)
        expect.that(is_own, violation, pair.over_http.exchange, pair.by_tool.exchange)

    def _is_used_up(self, call: Call) -> bool:
        """Whether HTTP rejects a call that it served before: a cursor may be valid only once."""
        if not call.query:
            return False
        again = self.toolbox.live.callers.send(
            call, scheme=self.toolbox.scheme, purpose="once more"
        )
        return again.status != 200
